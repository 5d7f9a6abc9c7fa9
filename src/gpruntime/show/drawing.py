"""A figure with the numbers behind it, and how both become files: the same bytes for the same numbers.

In a page a figure is short, a letter's outline is given once, and colours are those that a dark page changes.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import math
import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime.analysis.formatting import Above
from gpruntime.files import write_whole
from gpruntime.model.errors import known
from gpruntime.show.markup import without_tex
from gpruntime.show.style import WIDTH, dark_of, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
WIDTHS = ("column", "text")
MEDIA = {  # inches, from the classes: acmart (sigconf), llncs, IEEEtran
    "acm": {"column": 3.33, "text": 7.0},
    "lncs": {"column": 4.8, "text": 4.8},
    "ieee": {"column": 3.5, "text": 7.16},
}
FONTS = {"sans": ("DejaVu Sans", "dejavusans"), "serif": ("STIXGeneral", "stix")}
_SMALL, _SMALLEST = 8.0, 7.0  # points
_LETTERS_AN_INCH = 17
_PNG_DOTS = 200
_LONGEST = 80
_COLOUR = re.compile(r"#([0-9a-f]{6})\b")
_USED = re.compile(r"var\(--c([0-9a-f]{6})\)")
_LETTER = re.compile(r'<path id="(DejaVu[^"]*)"[^>]*/>')
# Without dates and program versions, so that equal figures are equal files.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "gpruntime"},
    "pdf": {"CreationDate": None, "Creator": "gpruntime", "Producer": None},
    "png": {"Software": None},
}


@dataclass(frozen=True, repr=False)
class Drawing:
    """A figure and what it shows.

    Attributes:
        name: for file names.
        figure: matplotlib's.
        caption: what is to be seen, in words.
        records: the numbers drawn, one row a point.
    """

    name: str
    figure: Figure
    caption: str
    records: list[dict[str, Any]]

    def to_bytes(self, kind: str) -> bytes:
        """The figure as SVG, PDF or PNG."""
        known("format", kind, FORMATS)
        buffer = io.BytesIO()
        with styled():
            metadata = _METADATA[kind] | {"Title": self.alternative}
            self.figure.savefig(buffer, format=kind, dpi=_PNG_DOTS, metadata=metadata)
        return buffer.getvalue()

    @property
    def alternative(self) -> str:
        """What is drawn over what, for those who do not see the figure."""
        panels = self.figure.axes
        titles = [axes.get_title(loc="left") or axes.get_title() for axes in panels]
        below = [axes.get_xlabel() for axes in panels]
        drawn = [f"{axes.get_ylabel()} over {axes.get_xlabel() or below[-1]}" for axes in panels]
        return without_tex(": ".join([*filter(None, titles[:1]), "; ".join(dict.fromkeys(drawn))]))

    @contextlib.contextmanager
    def sized(
        self, width: str | float, *, medium: str = "acm", title: bool = True, font: str = "sans"
    ) -> Iterator[None]:
        """Inside, the figure is as wide as a "column" or the "text" of a medium, or so many inches, with small letters.

        The height follows, letters keep a size that can be read, titles and legends are broken into lines anew.
        """
        inches = MEDIA[known("for", medium, MEDIA)][known("width", width, WIDTHS)] if isinstance(width, str) else width
        from matplotlib.text import Text

        family, mathematics = FONTS[known("font", font, FONTS)]
        figure = self.figure
        old_size = figure.get_size_inches().copy()
        texts: list[Any] = list(figure.findobj(Text))
        kept = [(text, text.get_text(), text.get_size(), text.get_family()) for text in texts]
        maths = [(text, text.get_math_fontfamily()) for text in texts]
        panels: list[Any] = figure.axes
        titles = {title for axes in panels for title in (axes.title, axes._left_title)}
        legends = {text for axes in panels if axes.get_legend() for text in axes.get_legend().get_texts()}
        letters = round(inches * _LETTERS_AN_INCH)
        for text in texts:
            text.set_fontsize(_SMALLEST if text.get_size() < 9 else _SMALL)
            text.set_family(family)
            text.set_math_fontfamily(mathematics)
            if text in titles or text in legends:
                room = letters - (6 if text in legends else 0)
                text.set_text("\n".join(textwrap.fill(line, room) for line in text.get_text().split("\n")))
            if text in titles:
                text.set_text(text.get_text() if title else "")
        height = float(old_size[1]) * (inches / float(old_size[0])) ** 0.6
        figure.set_size_inches(inches, height)
        try:
            yield
        finally:
            figure.set_size_inches(*old_size)
            for text, words, size, before in kept:
                text.set_text(words)
                text.set_fontsize(size)
                text.set_family(before)
            for text, before in maths:
                text.set_math_fontfamily(before)

    def svg(self) -> str:
        """The figure as an SVG element that needs nothing else."""
        text = self.to_bytes("svg").decode("utf-8")
        return re.sub(r"<metadata>.*?</metadata>\s*", "", text[text.index("<svg") :], flags=re.DOTALL)

    def inline(self, prefix: str) -> str:
        """The figure as an SVG element of a page whose style has its colours; see `for_page`."""
        return for_page(self.to_bytes("svg").decode("utf-8"), prefix)

    def csv(self) -> str:
        """The numbers behind the figure."""
        return csv_text(self.records)

    def save(
        self,
        folder: str | os.PathLike[str],
        formats: Sequence[str] = FORMATS,
        *,
        width: str | float | None = None,
        medium: str = "acm",
        title: bool = True,
        font: str = "sans",
    ) -> list[Path]:
        """Writes the figure in each format, and its numbers as CSV beside it.

        For a paper: with a `width`, "column" or "text" of a `medium` (acm, lncs, ieee) or inches; without `title`, as a
        paper has captions; and with the `font` of its text, serif or sans.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paper = width is not None or not title or font != "sans"
        inches = WIDTH if width is None else width
        with styled(), self.sized(inches, medium=medium, title=title, font=font) if paper else contextlib.nullcontext():
            files = self.files(formats)
        return [write_whole(folder / name, content) for name, content in files.items()]

    def files(self, formats: Sequence[str] = FORMATS) -> dict[str, bytes]:
        """The figure in each format, and its numbers as CSV, by the names of their files."""
        files = {f"{self.name}.{kind}": self.to_bytes(kind) for kind in formats}
        return files | {f"{self.name}.csv": self.csv().encode("utf-8")}

    def __repr__(self) -> str:
        return (
            f"<Drawing {self.name}: {self.alternative}\n"
            " a notebook shows it; .save(FOLDER) writes it as SVG, PDF and PNG with its numbers as CSV;\n"
            " .caption, .records, .csv(), .svg(), .figure (matplotlib)>"
        )

    def _repr_svg_(self) -> str:
        return self.svg()


def csv_text(records: Sequence[dict[str, Any]]) -> str:
    """Records as CSV: nothing where something is unknown, `inf` where it is infinite, `> 600` beyond a budget.

    A record may lack names that others have.
    """
    if not records:
        return ""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(dict.fromkeys(chain(*records))), lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: _field(value) for name, value in record.items()})
    return buffer.getvalue()


def _field(value: object) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, Above):
        return f"> {float(value):.0f}"
    return repr(float(value)) if isinstance(value, float) else value


def slug(text: str) -> str:
    """A name for files: letters, digits and dashes; with a digest where that leaves out what tells two texts apart."""
    plain = text.replace("GP*", "gpstar").replace("(1+1) ", "").lower()
    short = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(short) <= _LONGEST and re.fullmatch(r"[a-z0-9 ,=-]*", plain):
        return short
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
    return f"{short[:_LONGEST].rstrip('-')}-{digest}"


# ---- in a page


def for_page(svg: str, prefix: str) -> str:
    """A whole SVG file as an element of a page; `prefix` keeps its ids apart from other figures', letters' excepted."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(\bid="|href="#|url\(#)(?!DejaVu)', rf"\g<1>{prefix}-", text)
    text = re.sub(r'( d| x| y)="[^"]*"|translate\([^)]*\)', _rounded, text)
    text = re.sub(r'style="[^"]*"', lambda style: _COLOUR.sub(r"var(--c\1)", style[0]), text)
    text = re.sub(r">\s+<", "><", text)
    return re.sub(r"<defs></defs>|<g></g>", "", text)


def _rounded(match: re.Match[str]) -> str:
    """Coordinates in points: a hundredth is more than a printer tells apart."""
    text = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), match[0])
    return re.sub(r"\s*\n\s*", "", text)


def letters_once(svgs: Iterable[str]) -> list[str]:
    """The figures of one page, in which an outline that one of them has is left out of all later ones."""
    seen: set[str] = set()

    def first(letter: re.Match[str]) -> str:
        text = "" if letter[1] in seen else letter[0]
        seen.add(letter[1])
        return text

    return [re.sub(r"<defs></defs>", "", _LETTER.sub(first, svg)) for svg in svgs]


def colours(svgs: Sequence[str]) -> str:
    """The style that these figures need in their page: their colours, and others where the page is dark."""
    used = sorted({colour for svg in svgs for colour in _USED.findall(svg)} | {"000000", "ffffff"})
    light = "".join(f"--c{colour}:#{colour};" for colour in used)
    dark = "".join(f"--c{colour}:{dark_of('#' + colour)};" for colour in used)
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}"
