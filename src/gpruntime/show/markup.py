"""Plain words as a page, a figure and a terminal show them: T_max, n^2 and 10⁻³ with real sub- and superscripts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉"
PLAIN = str.maketrans(_RAISED + _LOWERED, "0123456789−n" + "0123456789")
_HIGH = dict(
    zip("abcdefghijklmnoprstuvwxyzβγ0123456789+−-()", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵝᵞ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾", strict=True)
)
_LOW = dict(zip("aehijklmnoprstuvx0123456789+−-()", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎", strict=True))
_LETTER = r"(?<![\w:])(?P<base>[A-Za-z]\u0304?|[A-Z]{2,})"
_INDEX = r"_(?:\{(?P<braced>[^}]*)\}|(?P<index>max|init|lopt|[a-z]|[0-9]+))(?!\w|\.\w)"
_EXPONENT = rf"[−-]?\d+(?:[.,]\d+)*(?:·10[{_RAISED}]+)?|[−-]?(?:[¼½¾]|[A-Za-zα-ω](?!\w)|[a-z]+)"
_POWER = rf"\^(?:\((?P<group>[^()]*)\)|(?P<power>{_EXPONENT}))"
_WHOLE = r"(?P<whole>GP\*?-(?:single|multi))"  # a line must not end at its hyphen
INDEXED = re.compile(rf"{_LETTER}{_INDEX}|{_POWER}|(?P<raised>[{_RAISED}]+)|(?P<lowered>[{_LOWERED}]+)|{_WHOLE}")
_TEX = {r"\,": " ", r"\cdot ": "·", r"\cdot": "·", r"\div": "÷", r"\mathrm": "", "{": "", "}": "", "$": "", "\\": ""}


def rich(text: str, links: Mapping[str, str] | None = None) -> Markup:
    """A text as HTML; what `links` names, whole words only, leads to its address."""
    if not links:
        return _indexed(text)
    words = "|".join(re.escape(word) for word in sorted(links, key=len, reverse=True))
    pieces = re.split(rf"(?<![\w:-])({words})(?![\w-]|:\w)", text)
    linked = Markup('<a href="{}">{}</a>')
    return Markup("").join(
        linked.format(links[piece], piece) if place % 2 else _indexed(piece) for place, piece in enumerate(pieces)
    )


def _indexed(text: str) -> Markup:
    parts, end = [], 0
    for match in INDEXED.finditer(text):
        parts += [escape(text[end : match.start()]), _element(match)]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def _element(match: re.Match[str]) -> Markup:
    if match["base"]:
        return Markup("{}<sub>{}</sub>").format(match["base"], _indexed(match["braced"] or match["index"]))
    if match["whole"]:
        return Markup('<span class="whole">{}</span>').format(match["whole"])
    if match["lowered"]:
        return Markup("<sub>{}</sub>").format(match["lowered"].translate(PLAIN))
    if match["raised"]:
        return Markup("<sup>{}</sup>").format(match["raised"].translate(PLAIN))
    return Markup("<sup>{}</sup>").format(_indexed(match["group"] or match["power"]))


def signs(text: str) -> str:
    """A text as a terminal shows it: with indices and powers as far as Unicode has their signs."""
    return INDEXED.sub(_sign, text)


def _sign(match: re.Match[str]) -> str:
    index, power = match["braced"] or match["index"], match["group"] or match["power"]
    if (index or power) and all(letter in (_LOW if index else _HIGH) for letter in index or power):
        return (match["base"] or "") + "".join((_LOW if index else _HIGH)[letter] for letter in index or power)
    return match[0]


def tex(text: str) -> str:
    """A text as matplotlib sets it: T_max with a real index."""
    if "$" in text:
        return text
    return re.sub(_LETTER + _INDEX, lambda m: rf"${m['base']}_{{\mathrm{{{m['braced'] or m['index']}}}}}$", text)


def without_tex(text: str) -> str:
    """The words of a text that matplotlib sets, for those who hear it."""
    for mark, plain in _TEX.items():
        text = text.replace(mark, plain)
    return " ".join(text.split())
