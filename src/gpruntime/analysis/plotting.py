"""Results at a prompt and in notebooks: `plot()`, `text()` and tables.

Figures and pages of text belong to `show`, which is downstream of this folder; this is the one place that looks there,
when it is asked.
"""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from gpruntime.analysis import formatting


class Result:
    """What puts itself into words (`sentences`), rows (`to_records`) and a picture, under a `name`."""

    def plot(self) -> Any:
        """The figure: a notebook shows it, `.save(FOLDER)` writes it."""
        return importlib.import_module("gpruntime.show").figure_of(self)

    def _repr_html_(self: Any) -> str:
        return html_table(self.name, self.sentences(), self.to_records())


def text(summary: object) -> str:
    """All tables, laws and comparisons as text."""
    lines: str = importlib.import_module("gpruntime.show.terminal").summary_text(summary)
    return lines


def latex(summary: object) -> str:
    """All tables as LaTeX."""
    lines: str = importlib.import_module("gpruntime.show.latex_tables").summary_latex(summary)
    return lines


def summary_html(summary: Any) -> str:
    """Its sentences, and a table for each curve."""
    tables = importlib.import_module("gpruntime.show.tables")
    parts = [_head(summary.headline(), summary.sentences()[1:])]
    for curve in summary.curves:
        table = tables.cells_table(curve)
        parts.append(f"<p>{html.escape(curve.name)}</p>{_table(table.headings, table.rows)}")
    return "".join(parts)


def html_table(title: str, sentences: Sequence[str], records: Sequence[dict[str, Any]]) -> str:
    """A title, sentences, and records as a table."""
    names = (
        [name for name in records[0] if any(record[name] not in (None, "") for record in records)] if records else []
    )
    rows = ([_cell(record[name]) for name in names] for record in records)
    return _head(title, sentences) + (_table([name.replace("_", " ") for name in names], rows) if records else "")


def _head(title: str, sentences: Sequence[str]) -> str:
    return f"<p><strong>{html.escape(title)}</strong></p>" + "".join(
        f"<p>{html.escape(line)}</p>" for line in sentences
    )


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [("th", headings), *(("td", row) for row in rows)]
    cells = ("".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line) for tag, line in lines)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return formatting.number(value) if isinstance(value, float) else str(value)
