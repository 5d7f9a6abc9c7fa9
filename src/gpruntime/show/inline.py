"""A figure's SVG as it stands in a page: short, a letter's outline given once, in colours that a dark page changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpruntime.show.style import dark_of

_COLOUR = re.compile(r"#([0-9a-f]{6})\b")
_USED = re.compile(r"var\(--c([0-9a-f]{6})\)")
_LETTER = re.compile(r'<path id="(DejaVu[^"]*)"[^>]*/>')


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


def _rounded(found: re.Match[str]) -> str:
    """Coordinates in points: a hundredth is more than a printer tells apart."""
    text = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), found[0])
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
