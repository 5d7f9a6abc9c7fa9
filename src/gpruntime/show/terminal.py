"""What `gpruntime study show` prints: the table of every curve, and its law in words.

Of summaries also quantiles far into the tail, and the extreme runs, each with the words that repeat it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.formatting import number, sizes
from gpruntime.analysis.planning import RunsNeeded
from gpruntime.analysis.runs import PROBABILITIES
from gpruntime.analysis.summary import Summary
from gpruntime.model.printable import printable
from gpruntime.progress import duration
from gpruntime.show.markup import signs
from gpruntime.show.tables import Table, cells_table, shape_table, with_interval

if TYPE_CHECKING:
    from gpruntime.engine.summary import Extremes, RunsSummary

WIDTH = 100
_SHOWN = 3  # of the longest, and of the shortest
_MIN_BEYOND = 10  # runs, for a quantile in the tail to be shown


def summary_text(summary: Summary, width: int = WIDTH) -> str:
    """The whole summary as plain text, no line wider than `width` where that can be."""
    lines = [summary.headline()]
    for curve in summary.curves:
        lines += ["", curve.name, *table_lines(cells_table(curve), width)]
        lines += [line for sentence in curve.caveats() + curve.sentences() for line in wrapped_lines(sentence, width)]
        lines += table_lines(shape_table(curve.fit), width) if curve.fit else []
    if summary.comparisons:
        lines += ["", "Comparisons"]
    for comparison in summary.comparisons:
        lines += wrapped_lines(comparison.name, width)
        lines += [line for sentence in comparison.sentences() for line in wrapped_lines(sentence, width, "    ")]
    if summary.not_compared:
        lines += wrapped_lines(summary.left_out(), width)
    if summary.bounds or summary.open_questions():
        lines += ["", "Bounds of the theory"]
    for check in summary.bounds:
        lines += wrapped_lines(f"{check.name}: {check.verdict()} ({check.bound.source}).", width)
    lines += [line for sentence in summary.open_questions() for line in wrapped_lines(sentence, width)]
    if summary.cells:
        lines += ["", f"Intervals have a level of {100 * summary.level:g} %; times are fitness evaluations."]
    return "\n".join(printable(line) for line in lines)


def brief_text(summary: Summary, width: int = WIDTH) -> str:
    """The answers: a table and a line for each curve, a line for each comparison and each bound."""
    lines = [summary.headline()]
    for curve in summary.curves:
        lines += [
            "",
            curve.name,
            *table_lines(cells_table(curve), width),
            *wrapped_lines(_first(curve.headline()), width),
        ]
    for title, sentences in (
        ("Comparisons", [f"{comparison.name}: {_first(comparison.answer())}" for comparison in summary.comparisons]),
        ("Bounds of the theory", [f"{check.name}: {check.verdict()}." for check in summary.bounds]),
    ):
        lines += ["", title] if sentences else []
        lines += [line for sentence in sentences for line in wrapped_lines(sentence, width)]
    if summary.not_compared:
        lines += wrapped_lines(summary.left_out(), width)
    if summary.cells:
        lines += ["", f"Intervals have a level of {100 * summary.level:g} %; times are fitness evaluations."]
    return "\n".join(printable(line) for line in lines)


def _first(text: str) -> str:
    """The first sentence: a full stop ends one if a capital letter follows."""
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def runs_needed_text(needed: RunsNeeded, width: int = WIDTH) -> str:
    """How many runs it takes: a table for each setting, remarks below it, then all together and what is assumed."""
    first, *assumptions = needed.sentences()
    lines = []
    for setting, group in groupby(needed.cells, lambda cell: cell.setting):
        cells, headings = list(group), ("n", "pilot", "deviation", "runs", "more", "seconds")
        rows = [
            (
                *(f"{cell.spec.n:,}", f"{cell.pilot:,}"),
                "–" if cell.deviation is None else f"{number(100 * cell.deviation, digits=3)} %",
                *("–" if count is None else f"{count:,}" for count in (cell.runs, cell.more)),
                "–" if cell.seconds is None else number(cell.seconds, digits=2),
            )
            for cell in cells
        ]
        lines += [setting, *table_lines(Table(headings, tuple(rows)), width)]
        for remark in dict.fromkeys(cell.remark for cell in cells if cell.remark):
            sizes_ = sizes([cell.spec.n for cell in cells if cell.remark == remark])
            lines += wrapped_lines(f"n = {sizes_}: {remark}.", width)
        lines.append("")
    time = "an unknown time" if needed.seconds is None else f"about {duration(needed.seconds)}"
    for sentence in (first, f"They take {time} on one core." if needed.more else "The pilot is enough.", *assumptions):
        lines += wrapped_lines(sentence, width, "")
    return "\n".join(printable(line) for line in lines)


def table_lines(table: Table, width: int = WIDTH, indent: str = "  ") -> list[str]:
    """A table as aligned text; one that is too wide goes on below, with its first column again."""
    columns = [[*map(signs, column)] for column in zip(table.headings, *table.rows, strict=True)]
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


def wrapped_lines(sentence: str, width: int, indent: str = "  ") -> list[str]:
    """A sentence in lines of this width, the later ones further in."""
    further = indent + "  "
    return textwrap.wrap(
        signs(sentence), width, initial_indent=indent, subsequent_indent=further, break_long_words=False
    )


# ---- summaries


def extremes_text(summary: Summary, summaries: Mapping[str, RunsSummary], width: int = WIDTH) -> str:
    """Quantiles and extreme runs of each curve, as plain text."""
    lines = ["Quantiles of the time are known to the width of a bin: below 128 exactly, then to 1/64 of the time."]
    if any(runs.unbinned for runs in summaries.values()):
        lines.append(
            "An earlier version stored some of these summaries, with times from 2⁵³ on only as a sum: a quantile among "
            "those is only known to be above a number."
        )
    for curve in summary.curves:
        tables = _quantiles(curve), _extremes(curve, summaries)
        lines += ["", curve.name, *(line for table in tables for line in table_lines(table, width))]
    return "\n".join(printable(line) for line in lines)


def extremes_record(runs: RunsSummary) -> dict[str, Any]:
    """The extreme runs for JSON: pairs of evaluations and run."""
    return {"largest": runs.largest, "smallest": runs.smallest}


def replay_words(runs: RunsSummary) -> str | None:
    """The longest run as CELL:RUN; None if none is kept."""
    return f"{runs.spec.cell_id[:8]}:{runs.largest[0][1]}" if runs.largest else None


def _quantiles(curve: Curve) -> Table:
    def is_known(cell: CellEstimate, probability: float) -> bool:
        return probability in PROBABILITIES or (1 - probability) * cell.runs >= _MIN_BEYOND

    shown = [p for p in curve.cells[0].quantiles if any(is_known(cell, p) for cell in curve.cells)]
    rows = tuple(
        (f"{cell.n:,}", *(with_interval(cell.quantiles[p]) if is_known(cell, p) else "" for p in shown))
        for cell in curve.cells
    )
    return Table(("n", *(f"{100 * p:.6g} %" for p in shown)), rows)


def _extremes(curve: Curve, summaries: Mapping[str, RunsSummary]) -> Table:
    rows = []
    for cell in curve.cells:
        runs = summaries[cell.spec.cell_id]
        rows.append((f"{cell.n:,}", cell.spec.cell_id[:8], _listed(runs.largest), _listed(runs.smallest)))
    return Table(("n", "cell", "longest: evaluations (run)", "shortest: evaluations (run)"), tuple(rows))


def _listed(runs: Extremes) -> str:
    return ", ".join(f"{number(time, digits=18)} ({run})" for time, run in runs[:_SHOWN]) or "–"
