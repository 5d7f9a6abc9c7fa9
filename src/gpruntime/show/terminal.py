"""What `gpruntime study show` prints: the table of every curve, and its law in words."""

from __future__ import annotations

import re
import textwrap

from gpruntime.analysis.summary import Summary
from gpruntime.model.printable import printable
from gpruntime.show.tables import Table, cells_table

WIDTH = 100


def summary_text(summary: Summary, width: int = WIDTH) -> str:
    """The whole summary as plain text, no line wider than `width` where that can be."""
    lines = [summary.headline()]
    for curve in summary.curves:
        lines += ["", curve.name, *table_lines(cells_table(curve), width)]
        lines += [line for sentence in curve.caveats() + curve.sentences() for line in _said(sentence, width)]
    if summary.comparisons:
        lines += ["", "Comparisons"]
    for comparison in summary.comparisons:
        lines += _said(comparison.name, width)
        lines += [line for sentence in comparison.sentences() for line in _said(sentence, width, "    ")]
    if summary.not_compared:
        lines += _said(summary.left_out(), width)
    if summary.bounds or summary.open_questions():
        lines += ["", "Bounds of the theory"]
    for check in summary.bounds:
        lines += _said(f"{check.name}: {check.verdict()} ({check.bound.source}).", width)
    lines += [line for sentence in summary.open_questions() for line in _said(sentence, width)]
    if summary.cells:
        lines += ["", f"Intervals have a level of {100 * summary.level:g} %; times are fitness evaluations."]
    return "\n".join(printable(line) for line in lines)


def brief_text(summary: Summary, width: int = WIDTH) -> str:
    """The answers: a table and a line for each curve, a line for each comparison and each bound."""
    lines = [summary.headline()]
    for curve in summary.curves:
        lines += ["", curve.name, *table_lines(cells_table(curve), width), *_said(_first(curve.headline()), width)]
    for title, said in (
        ("Comparisons", [f"{one.name}: {_first(one.answer())}" for one in summary.comparisons]),
        ("Bounds of the theory", [f"{check.name}: {check.verdict()}." for check in summary.bounds]),
    ):
        lines += ["", title] if said else []
        lines += [line for sentence in said for line in _said(sentence, width)]
    if summary.not_compared:
        lines += _said(summary.left_out(), width)
    if summary.cells:
        lines += ["", f"Intervals have a level of {100 * summary.level:g} %; times are fitness evaluations."]
    return "\n".join(printable(line) for line in lines)


def _first(text: str) -> str:
    """The first sentence: a full stop ends one if a capital letter follows."""
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def table_lines(table: Table, width: int = WIDTH, indent: str = "  ") -> list[str]:
    """A table as aligned text; one that is too wide goes on below, with its first column again."""
    columns = list(zip(table.headings, *table.rows, strict=True))
    widths = [max(len(text) for text in column) for column in columns]
    lines: list[str] = []
    first = 1
    while first < len(columns) or not lines:
        chosen, room = [0], width - len(indent) - widths[0]
        while first < len(columns) and (len(chosen) == 1 or widths[first] + 2 <= room):
            room -= widths[first] + 2
            chosen.append(first)
            first += 1
        rows = zip(*(columns[place] for place in chosen), strict=True)
        lines += [indent + "  ".join(t.rjust(widths[p]) for t, p in zip(row, chosen, strict=True)) for row in rows]
    return lines


def _said(sentence: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        sentence, width, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False
    )
