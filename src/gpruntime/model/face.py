"""How a result meets a person: what it shows in a notebook, as HTML without scripts, and what a slip is told."""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, NoReturn


class Face:
    """An object that names the right attribute where a wrong one is asked for."""

    ALSO: ClassVar[Mapping[str, str]] = {}  # names from elsewhere, and what they are here

    if not TYPE_CHECKING:  # a type checker is to find the slip itself

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(f"{type(self).__name__!r} object", name, {*dir(type(self)), *vars(self)}, self.ALSO)


def no_attribute(what: str, name: str, names: Iterable[str], also: Mapping[str, str] | None = None) -> AttributeError:
    """The error, with the name that may be meant."""
    public = [one for one in names if not one.startswith("_")]
    near = [also[name]] if also and name in also else difflib.get_close_matches(name, public, 1, 0.6)
    hint = f"; did you mean {near[0]}?" if near and not name.startswith("_") else ""
    return AttributeError(f"{what} has no attribute {name!r}{hint}")


def facts(title: str, rows: Iterable[tuple[str, object]], picture: str = "", more: str = "") -> str:
    """A title, rows of a name and a value, a picture as SVG, and a last line of what else can be asked."""
    left = ' style="text-align:left"'
    lines = [
        f"<tr><th{left}>{html.escape(name)}</th><td{left}>{html.escape(str(value))}</td></tr>" for name, value in rows
    ]
    parts = [f"<p><strong>{html.escape(title)}</strong></p>", f"<table>{''.join(lines)}</table>" if lines else ""]
    parts += [picture, f"<p><small>{html.escape(more)}</small></p>" if more else ""]
    return "".join(parts)
