"""Closed forms: (c_1 b_1(n) + … + c_m b_m(n)) / d(n), with terms b, a divisor d and rational coefficients c.

`TERMS` and `DIVISORS` are the whole language. H_n = 1 + 1/2 + … + 1/n, and H_n^(2) is the sum of 1/k². A term is
undefined where it makes no sense, H_(n−1) at n = 0 for one, and takes no part in a form then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

MAX_N = 1000
_MAX_POWER = 12  # H_(2^n) is a sum of 2^n terms

Value = Fraction | None


@dataclass(frozen=True)
class Term:
    """A function of n.

    Attributes:
        text, latex: how it is written.
        at: its value; None where it is undefined.
        family: terms with H_n and terms with H_(n−1) say the same: a form has those of one family only.
    """

    text: str
    latex: str
    at: Callable[[int], Value]
    family: str = ""


@cache
def harmonic(n: int, power: int = 1) -> Fraction:
    """The sum of k^−power over k = 1 … n."""
    step = 64  # so that no recursion is deep
    if n <= step:
        return sum((Fraction(1, k**power) for k in range(1, n + 1)), Fraction(0))
    below = (n - 1) // step * step
    return harmonic(below, power) + sum((Fraction(1, k**power) for k in range(below + 1, n + 1)), Fraction(0))


def _harmonic(index: int, factor: int | Fraction = 1, power: int = 1) -> Value:
    return factor * harmonic(index, power) if index >= 0 else None


def _of_rows(n: int, less: int) -> Value:
    return 2**n * harmonic(2**n - less) if 0 <= n <= _MAX_POWER else None


def _natural(value: Callable[[int], int]) -> Callable[[int], Value]:
    return lambda n: Fraction(value(n)) if n >= 0 else None


def _term(text: str, latex: str, at: Callable[[int], Value], family: str = "") -> Term:
    return Term(text, latex, cache(at), family)


ONE = _term("1", "1", _natural(lambda _: 1))

TERMS = (
    ONE,
    _term("n", "n", _natural(lambda n: n)),
    _term("n²", "n^2", _natural(lambda n: n**2)),
    _term("n³", "n^3", _natural(lambda n: n**3)),
    _term("C(n, 2)", r"\binom{n}{2}", _natural(lambda n: math.comb(n, 2))),
    _term("C(n, 3)", r"\binom{n}{3}", _natural(lambda n: math.comb(n, 3))),
    _term("C(n, 4)", r"\binom{n}{4}", _natural(lambda n: math.comb(n, 4))),
    _term("H_n", "H_n", lambda n: _harmonic(n), "H_n"),
    _term("n·H_n", "n H_n", lambda n: _harmonic(n, n), "H_n"),
    _term("n²·H_n", "n^2 H_n", lambda n: _harmonic(n, n**2), "H_n"),
    _term("H_(n−1)", "H_{n-1}", lambda n: _harmonic(n - 1), "H_(n−1)"),
    _term("n·H_(n−1)", "n H_{n-1}", lambda n: _harmonic(n - 1, n), "H_(n−1)"),
    _term("n²·H_(n−1)", "n^2 H_{n-1}", lambda n: _harmonic(n - 1, n**2), "H_(n−1)"),
    _term("H_(2n)", "H_{2n}", lambda n: _harmonic(2 * n)),
    _term("n·H_(2n)", "n H_{2n}", lambda n: _harmonic(2 * n, n)),
    _term("H_n^(2)", "H_n^{(2)}", lambda n: _harmonic(n, 1, 2)),
    _term("n²·H_n^(2)", "n^2 H_n^{(2)}", lambda n: _harmonic(n, n**2, 2)),
    _term("2^n", "2^n", _natural(lambda n: 2**n)),
    _term("n·2^n", r"n\,2^n", _natural(lambda n: n * 2**n)),
    _term("2^n·H_(2^n)", "2^n H_{2^n}", lambda n: _of_rows(n, 0), "H_n"),
    _term("2^n·H_(2^n−1)", "2^n H_{2^n-1}", lambda n: _of_rows(n, 1), "H_(n−1)"),
    _term("n!", "n!", _natural(math.factorial)),
    _term("C(2n, n)", r"\binom{2n}{n}", _natural(lambda n: math.comb(2 * n, n))),
)

DIVISORS = (
    ONE,
    _term("n", "n", _natural(lambda n: n)),
    _term("(n + 1)", "n+1", _natural(lambda n: n + 1)),
    _term("(n + 2)", "n+2", _natural(lambda n: n + 2)),
    _term("(2n − 1)", "2n-1", lambda n: Fraction(2 * n - 1)),
    _term("(2n + 1)", "2n+1", _natural(lambda n: 2 * n + 1)),
    _term("n²", "n^2", _natural(lambda n: n**2)),
    _term("(n(n + 1))", "n(n+1)", _natural(lambda n: n * (n + 1))),
    _term("2^n", "2^n", _natural(lambda n: 2**n)),
    _term("n!", "n!", _natural(math.factorial)),
    _term("C(2n, n)", r"\binom{2n}{n}", _natural(lambda n: math.comb(2 * n, n))),
)


@dataclass(frozen=True)
class ClosedForm:
    """A form.

    Attributes:
        parts: coefficients, none of them 0, with their terms.
        divisor: d.
    """

    parts: tuple[tuple[Fraction, Term], ...]
    divisor: Term = ONE

    def at(self, n: int) -> Value:
        """Its value; None where a term is undefined, or the divisor 0."""
        divisor = self.divisor.at(n)
        values = [term.at(n) for _, term in self.parts]
        if not divisor or None in values:
            return None
        products = (c * v for (c, _), v in zip(self.parts, values, strict=True) if v is not None)
        return sum(products, Fraction(0)) / divisor

    @property
    def bits(self) -> float:
        """How long its shortest description is: which divisor, which terms, which coefficients."""
        divisor = 1.0 if self.divisor is ONE else 1 + math.log2(len(DIVISORS) - 1)
        return divisor + sum(math.log2(len(TERMS)) + coefficient_bits(c) for c, _ in self.parts)

    def __str__(self) -> str:
        top = _sum([(c, term.text) for c, term in self.parts], _with_text)
        if self.divisor is ONE:
            return top
        return f"{top if len(self.parts) == 1 else f'({top})'}/{self.divisor.text}"

    @property
    def latex(self) -> str:
        """In LaTeX, without the signs of a formula around it."""
        top = _sum([(c, term.latex) for c, term in self.parts], _with_latex)
        return top if self.divisor is ONE else rf"\frac{{{top}}}{{{self.divisor.latex}}}"


def coefficient_bits(value: Fraction) -> float:
    """How long a short description of a number is: a mark for its sign, numerator and denominator of unknown length."""
    return 1 + (value < 0) + 2 * math.log2(abs(value.numerator) + 1) + 2 * math.log2(value.denominator)


def _sum(parts: Sequence[tuple[Fraction, str]], with_factor: Callable[[Fraction, str], str]) -> str:
    written = ""
    for coefficient, name in parts:
        sign = "−" if coefficient < 0 else "+"
        if with_factor is _with_latex:
            sign = sign.replace("−", "-")
        size = with_factor(abs(coefficient), name)
        written += f" {sign} {size}" if written else f"{sign if coefficient < 0 else ''}{size}"
    return written or "0"


def _with_text(size: Fraction, name: str) -> str:
    if name == "1":
        return str(size)
    if size == 1:
        return name
    factor = str(size) if size.denominator == 1 else f"({size})"
    return f"{factor}{'·' if name[0].isdigit() else ''}{name}"


def _with_latex(size: Fraction, name: str) -> str:
    whole = size.denominator == 1
    factor = str(size) if whole else rf"\frac{{{size.numerator}}}{{{size.denominator}}}"
    if name == "1":
        return factor
    if size == 1:
        return name
    return factor + (r" \cdot " if name[0].isdigit() else " ") + name
