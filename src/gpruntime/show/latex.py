r"""Plain words as LaTeX sets them, whatever they are.

Names come from files, rows and folders of others, and TeX is a programming language: `\write18`, `\input`, `^^5c`. So
the text of this module is printable ASCII, in which every letter that TeX gives a meaning stands for itself; all
commands in it are ours. What has no letter in a common font is written as its number, U+4E2D. Mathematics goes through
a list of what is known (`math`), and is words where something else is in it.
"""

from __future__ import annotations

import re
import unicodedata

from gpruntime.model.printable import printable
from gpruntime.show.markup import INDEXED, PLAIN

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "{''}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}",
}  # fmt: skip
_SIGNS = {
    "−": "-", "·": r"\cdot", "×": r"\times", "÷": r"\div", "≈": r"\approx", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq",
    "±": r"\pm", "∞": r"\infty", "√": r"\surd", "→": r"\to", "∈": r"\in", "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg",
    "∑": r"\sum", "∫": r"\int", "∂": r"\partial", "∅": r"\emptyset", "⊕": r"\oplus", "⌈": r"\lceil", "⌉": r"\rceil",
    "⌊": r"\lfloor", "⌋": r"\rfloor", "°": r"^\circ", "Θ": r"\Theta", "Ω": r"\Omega", "Γ": r"\Gamma", "Δ": r"\Delta",
    "Λ": r"\Lambda", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ξ": r"\Xi", "Υ": r"\Upsilon",
}  # fmt: skip
_WORDS = {
    "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}", "“": "``", "”": "''", "„": r"\quotedblbase{}",
    "‘": "`", "’": "'", "ß": r"\ss{}",
    "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "œ": r"\oe{}",
    "Œ": r"\OE{}", "§": r"\S{}", "©": r"\copyright{}", "\u00a0": "~", "\u2009": r"\,", "\u202f": r"\,",
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip
_GREEK = re.compile(r"GREEK SMALL LETTER (ALPHA|BETA|GAMMA|DELTA|EPSILON|ZETA|ETA|THETA|IOTA|KAPPA|LAMDA|MU|NU|XI|PI|"
                    r"RHO|SIGMA|TAU|UPSILON|PHI|CHI|PSI|OMEGA)")  # fmt: skip
_COMMANDS = "cdot|div|times|approx|leq|geq|ln|log|mathrm|mathdefault|sqrt|max|min|Theta|Omega|Pr"
_MATH = re.compile(rf"(?:\\(?:{_COMMANDS})(?![A-Za-z])|\\,|\{{,\}}|[A-Za-z0-9 .+=()|/<>^_{{}}-])*")
_IN_MATH = {"−": "-", "÷": r"\div ", "·": r"\cdot ", "≥": r"\geq ", "≤": r"\leq ", ",": "{,}", "[": "{[}", "]": "{]}"}


def latex(text: object) -> str:
    """Words for LaTeX: T_max, n^1.5 and 10⁻³ with real sub- and superscripts, all else as it is read."""
    plain = unicodedata.normalize("NFC", printable(" ".join(str(text).split())))
    parts, end = [], 0
    for match in INDEXED.finditer(plain):
        parts += [_letters(plain[end : match.start()]), _indexed(match)]
        end = match.end()
    return re.sub("-(?=-)", "-{}", "".join([*parts, _letters(plain[end:])]))


def _indexed(match: re.Match[str]) -> str:
    if match["base"]:
        return rf"{_letters(match['base'])}\textsubscript{{{latex(match['braced'] or match['index'])}}}"
    if match["whole"]:
        return rf"\mbox{{{_letters(match['whole'])}}}"
    if match["lowered"]:
        return rf"\textsubscript{{{_letters(match['lowered'].translate(PLAIN))}}}"
    raised = match["raised"].translate(PLAIN) if match["raised"] else None
    return rf"\textsuperscript{{{_letters(raised) if raised else latex(match['group'] or match['power'])}}}"


def _letters(text: str) -> str:
    return "".join(map(_letter, unicodedata.normalize("NFD", text))) if text.isascii() else _composed(text)


def _composed(text: str) -> str:
    """Letters with their accents; an accent that no letter stands before is a number."""
    parts: list[str] = []
    for letter in unicodedata.normalize("NFD", text):
        if letter in _ACCENTS and parts and len(parts[-1]) == 1 and parts[-1].isalpha():
            base = {"i": r"\i", "j": r"\j"}.get(parts[-1], parts[-1])
            parts[-1] = rf"\{_ACCENTS[letter]}{{{base}}}"
        else:
            parts.append(_letter(letter))
    return "".join(parts)


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if " " <= letter <= "~":
        return letter
    if letter in _SIGNS:
        return rf"\ensuremath{{{_SIGNS[letter]}}}"
    if letter in _WORDS:
        return _WORDS[letter]
    greek = _GREEK.fullmatch(unicodedata.name(letter, ""))
    if greek:
        name = greek[1].lower().replace("lamda", "lambda").replace("omicron", "o")
        return rf"\ensuremath{{\{name}}}"
    decomposed = unicodedata.normalize("NFKD", letter)
    if decomposed != letter and decomposed.isascii():
        return "".join(map(_letter, decomposed))
    return f"U+{ord(letter):04X}"


def mixed(text: str) -> str:
    """A label of a figure, in which matplotlib sets what is between two `$`: known mathematics, or words."""
    parts = text.split("$")
    if len(parts) % 2 == 0:
        return latex(text)
    return "".join(math(part) if place % 2 else _spaced(part) for place, part in enumerate(parts))


def _spaced(words: str) -> str:
    """With the blanks at its ends, beside a formula."""
    return " " * words[:1].isspace() + latex(words) + " " * (bool(words.strip()) and words[-1:].isspace())


def math(formula: str) -> str:
    """A formula, if it holds nothing but what is known to do no harm, with braces that match; words otherwise."""
    plain = formula
    for sign, ours in _IN_MATH.items():
        plain = plain.replace(sign, ours) if sign != "," else re.sub(r"(?<![\\{]),(?!\})", ours, plain)
    if not _MATH.fullmatch(plain) or "^^" in plain or not _balanced(plain):
        return latex(formula)
    return f"${plain.replace('mathdefault', 'mathrm')}$" if plain.strip() else ""


def _balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0
