"""How a result shows itself in a notebook: a title, facts in two columns, and a picture. As HTML without scripts."""

from __future__ import annotations

import html
from collections.abc import Iterable


def facts(title: str, rows: Iterable[tuple[str, object]], picture: str = "", more: str = "") -> str:
    """A title, rows of a name and a value, a picture as SVG, and a last line of what else can be asked."""
    left = ' style="text-align:left"'
    lines = [
        f"<tr><th{left}>{html.escape(name)}</th><td{left}>{html.escape(str(value))}</td></tr>" for name, value in rows
    ]
    parts = [f"<p><strong>{html.escape(title)}</strong></p>", f"<table>{''.join(lines)}</table>" if lines else ""]
    parts += [picture, f"<p><small>{html.escape(more)}</small></p>" if more else ""]
    return "".join(parts)
