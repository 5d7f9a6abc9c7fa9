"""What the pages share: templates, figures with their numbers and labels, tables that fit, links to CSV."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from gpruntime.show.drawing import Drawing, letters_once
from gpruntime.show.markup import rich

if TYPE_CHECKING:
    import jinja2

_INTERVAL = re.compile(r"(.+?) (\[[^\[\]]+\])")


@dataclass(frozen=True)
class Plate:
    """A figure as a page holds it.

    Attributes:
        name: of its files.
        caption: what is to be seen.
        alternative: what is drawn over what, for those who do not see it.
        svg: for a page whose style has its colours.
        csv: the numbers behind it.
        number: in the page, from 1.
    """

    name: str
    caption: str
    alternative: str
    svg: str
    csv: str
    number: int = 0


def plate_of(drawing: Drawing) -> Plate:
    """A figure for a page."""
    prefix = "f" + hashlib.sha256(drawing.name.encode("utf-8")).hexdigest()[:8]
    return Plate(drawing.name, drawing.caption, drawing.alternative, drawing.inline(prefix), drawing.csv())


def numbered(plates: Sequence[Plate]) -> list[Plate]:
    """All figures of a page, in its order."""
    svgs = letters_once(plate.svg for plate in plates)
    return [
        dataclasses.replace(plate, number=number, svg=svg)
        for number, (plate, svg) in enumerate(zip(plates, svgs, strict=True), 1)
    ]


def environment(package: str, links: Mapping[str, str] | None = None) -> jinja2.Environment:
    """The templates of a package, and those that pages share; `links` are words that lead somewhere in the page."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(name, "templates") for name in dict.fromkeys((package, "gpruntime.show"))]
        ),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters |= {"rich": lambda text: rich(text, links), "entry": lambda text: entry(text, links), "csv": csv_link}
    return made


def entry(text: str, links: Mapping[str, str] | None = None) -> Markup:
    """The text of a table's cell; an interval goes below its number where there is little room."""
    match = _INTERVAL.fullmatch(text)
    if not match:
        return rich(text, links)
    return Markup('{} <span class="interval">{}</span>').format(rich(match[1]), rich(match[2]))


def csv_link(text: str) -> str:
    """An address that holds a CSV file."""
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode("utf-8")).decode("ascii")
