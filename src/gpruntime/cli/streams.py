"""Output streams that lack some of our signs, as Windows' do for a file or a pipe, get words in their place.

A minus sign becomes -, ≤ becomes <=, x̄₁ !x1 as in the text of a tree, 10¹⁰ 10^10, λ lambda. Other signs get their
names; letters of other scripts are shown as Python writes them, \\u4e2d say. No sign becomes a question mark. Files
that we write are UTF-8 everywhere.
"""

from __future__ import annotations

import codecs
import io
import re
import sys
import unicodedata
from typing import TextIO

_WORDS = {
    "−": "-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "→": "->",
    "←": "<-",
    "√": "sqrt ",
    "∅": "{}",
    "∈": "in",
    "⌈": "ceil(",
    "⌉": ")",
    "⌊": "floor(",
    "⌋": ")",
    "′": "'",
    "∧": "and",
    "∝": "~",
    "‖": "||",
    "…": "...",
    "×": "x",
    "÷": "/",
    "·": "*",
    "–": "-",
    "—": "-",
    "’": "'",
    "“": '"',
    "”": '"',
    "±": "+-",
    "¬": "!",
    "ß": "ss",
    "λ": "lambda",
    "Λ": "Lambda",
    "│": "|",
    "├": "|",
    "└": "`",
    "─": "-",
}
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱʰʲʳˢʷʸˡˣᵃ-ᵟᶜᶠᶻ]+")
_LATIN = re.compile(r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2}\b)")  # … L WITH STROKE, … OE
_BARRED = re.compile(r"(\w)\u0304")


def show_in_words() -> None:
    """From now on both streams show what they can, and say the rest."""
    of_errors = sys.stderr is not sys.stdout
    sys.stdout = _showing(sys.stdout)
    sys.stderr = _showing(sys.stderr) if of_errors else sys.stdout


def _showing(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    if not codecs.lookup(stream.encoding).name.startswith("utf") and not isinstance(stream, _InWords):
        encoding, lines, through = stream.encoding, stream.line_buffering, stream.write_through
        stream = _InWords(stream.detach(), encoding, line_buffering=lines, write_through=through)
    stream.reconfigure(errors="backslashreplace")
    return stream


class _InWords(io.TextIOWrapper):
    """A stream whose encoding does not have all signs."""

    def write(self, text: str) -> int:
        super().write(in_words(text, self.encoding))
        return len(text)


def in_words(text: str, encoding: str) -> str:
    """The text, with words for what this encoding lacks."""
    if _has(encoding, text):
        return text
    text = _BARRED.sub(r"!\1", text)
    text = _RAISED.sub(lambda raised: "^" + unicodedata.normalize("NFKC", raised[0]).replace("−", "-"), text)
    return "".join(sign if _has(encoding, sign) else _word(sign) for sign in text)


def _has(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _word(sign: str) -> str:
    if sign in _WORDS:
        return _WORDS[sign]
    name = unicodedata.name(sign, "")
    kind, _, letter = name.partition(" LETTER ")
    if kind.startswith("GREEK ") and letter.isalpha():
        return letter.capitalize() if kind == "GREEK CAPITAL" else letter.lower()
    if latin := _LATIN.match(name):
        return latin[2] if latin[1] == "CAPITAL" else latin[2].lower()
    simple = unicodedata.normalize("NFKD", sign)[:1]  # ₁ is 1, é is e
    return simple if simple.isascii() else sign if sign.isalpha() else name.lower()
