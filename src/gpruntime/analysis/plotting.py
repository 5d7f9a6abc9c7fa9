"""Results at a prompt and in notebooks: `plot()`, `text()` and tables.

Figures and pages of text belong to `show`, which is downstream of this folder; this is the one place that looks there,
when it is asked.
"""

from __future__ import annotations

import html
import importlib
from collections.abc import Sequence
from typing import Any

from gpruntime.analysis import formatting


def plot(result: object) -> Any:
    """The figure of a result."""
    return importlib.import_module("gpruntime.show").figure_of(result)


def text(summary: object) -> str:
    """All tables, laws and comparisons as text."""
    found: str = importlib.import_module("gpruntime.show.terminal").summary_text(summary)
    return found


def summary_html(summary: Any) -> str:
    """Its sentences, and a table for each curve."""
    tables = importlib.import_module("gpruntime.show.tables")
    parts = [f"<p><strong>{html.escape(summary.headline())}</strong></p>"]
    parts += [f"<p>{html.escape(sentence)}</p>" for sentence in summary.sentences()[1:]]
    for curve in summary.curves:
        table = tables.cells_table(curve)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in table.headings)
        rows = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
        parts.append(f"<p>{html.escape(curve.name)}</p><table><tr>{head}</tr>{rows}</table>")
    return "".join(parts)


def html_table(title: str, sentences: Sequence[str], records: Sequence[dict[str, Any]]) -> str:
    """A title, sentences, and records as a table."""
    parts = [f"<p><strong>{html.escape(title)}</strong></p>"]
    parts += [f"<p>{html.escape(sentence)}</p>" for sentence in sentences]
    if records:
        names = [name for name in records[0] if any(record[name] not in (None, "") for record in records)]
        head = "".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in names)
        rows = ("".join(f"<td>{html.escape(_cell(record[name]))}</td>" for name in names) for record in records)
        parts.append(f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
    return "".join(parts)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return formatting.number(value) if isinstance(value, float) else str(value)
