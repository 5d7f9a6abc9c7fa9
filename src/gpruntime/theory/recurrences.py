"""Linear recurrences with polynomial coefficients, p_r(n) f(n + r) + … + p_0(n) f(n) = q(n), from exact values.

The last two values are held back here too: the equations among the others have to leave one recurrence, up to a
factor, and that one has to give the last two values exactly.

An equation in which f(n + r) or f(n) has the factor 0 would pass over a value that does not fit. Such recurrences are
left out, and so are those that are not at least `MARGIN` bits shorter than the values that they explain
(`form_search`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpruntime.theory.form_search import HELD_BACK, MARGIN, prime_for, residues, solve_exactly, value_bits

_MOST_ORDER = 4
_MOST_DEGREE = 4
_SHAPE_BITS = math.log2(_MOST_ORDER * (_MOST_DEGREE + 1) * (_MOST_DEGREE + 2))

Polynomial = tuple[int, ...]  # the coefficient of 1 first


@dataclass(frozen=True)
class Recurrence:
    """A recurrence and the values it begins with.

    Attributes:
        factors: p_0 … p_r.
        right: q; empty where it is 0.
        first: the n of the first value.
        initial: f(first) … f(first + r − 1).
    """

    factors: tuple[Polynomial, ...]
    right: Polynomial
    first: int
    initial: tuple[Fraction, ...]

    @property
    def order(self) -> int:
        """How many values before one it needs."""
        return len(self.factors) - 1

    def next(self, n: int, before: Sequence[Fraction]) -> Fraction | None:
        """f(n + r), from f(n) … f(n + r − 1); None where its factor is 0."""
        top = at(self.factors[-1], n)
        known = sum((at(p, n) * value for p, value in zip(self.factors, before, strict=False)), Fraction(0))
        return (at(self.right, n) - known) / top if top else None

    def at(self, n: int) -> Fraction | None:
        """f(n); None before the first value, and where the recurrence ends."""
        values = list(self.initial)
        for place in range(self.first, n - self.order + 1):
            value = self.next(place, values[-self.order :])
            if value is None:
                return None
            values.append(value)
        return values[n - self.first] if n >= self.first else None

    @property
    def bits(self) -> float:
        """How long its shortest description is, without the values it begins with."""
        numbers = [number for polynomial in (*self.factors, self.right) for number in polynomial]
        return _SHAPE_BITS + sum(1 + 2 * math.log2(abs(number) + 1) for number in numbers)

    def __str__(self) -> str:
        latex = self.latex
        for mark, plain in ((r"\,", "·"), ("-", "−"), ("n^2", "n²"), ("n^3", "n³"), ("n^4", "n⁴"), ("n+", "n + ")):
            latex = latex.replace(mark, plain)
        return latex

    @property
    def latex(self) -> str:
        """In LaTeX, without the signs of a formula around it."""
        names = [f"f(n+{step})" if step else "f(n)" for step in range(self.order + 1)]
        left = "".join(_product(self.factors[-1], names[-1]))
        steps = reversed(range(self.order))
        parts = [_product(tuple(-c for c in self.factors[step]), names[step]) for step in steps]
        parts = [part for part in (*parts, _product(self.right, "")) if part[1]]
        text = "".join(f" {sign or '+'} {size}" for sign, size in parts)
        return f"{left} = {text.removeprefix(' + ').replace(' - ', '-', not text.startswith(' + ')) or '0'}"


def recurrence(first: int, values: Sequence[Fraction]) -> Recurrence | None:
    """The recurrence with the fewest unknown numbers, or None."""
    prime = prime_for(values)
    modular = residues(values, prime) if prime else []
    for order, degree, right in _shapes():
        unknowns = (order + 1) * (degree + 1) + right
        fitted = len(values) - HELD_BACK - order
        if fitted < unknowns - 1 or not prime:
            continue
        rows = _equations(first, modular, order, degree, right)
        if _rank([[int(v) % prime for v in row] for row in rows], prime) != unknowns - 1:
            continue
        found = _solved(first, values, order, degree, right)
        if found is not None and _holds(found, values):
            return found
    return None


def _shapes() -> list[tuple[int, int, int]]:
    """Order, degree of the factors and how many coefficients q has; the fewest unknown numbers first."""
    shapes = [
        (order, degree, right)
        for order in range(1, _MOST_ORDER + 1)
        for degree in range(_MOST_DEGREE + 1)
        for right in range(degree + 2)
    ]
    return sorted(shapes, key=lambda shape: ((shape[0] + 1) * (shape[1] + 1) + shape[2], shape))


def _equations(
    first: int, values: Sequence[int | Fraction], order: int, degree: int, right: int
) -> list[list[Fraction]]:
    """An equation for each n: the factors of the unknown coefficients, of p_0 first, of q last."""
    rows = []
    for place in range(len(values) - order):
        n = first + place
        row = [values[place + step] * n**power for step in range(order + 1) for power in range(degree + 1)]
        rows.append([Fraction(value) for value in (*row, *(-(n**power) for power in range(right)))])
    return rows


def _rank(rows: list[list[int]], prime: int) -> int:
    rank = 0
    for column in range(len(rows[0])):
        pivot = next((at for at in range(rank, len(rows)) if rows[at][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        inverse = pow(rows[rank][column], -1, prime)
        for at in range(rank + 1, len(rows)):
            if factor := rows[at][column] * inverse % prime:
                rows[at] = [(a - factor * b) % prime for a, b in zip(rows[at], rows[rank], strict=True)]
        rank += 1
    return rank


def _solved(first: int, values: Sequence[Fraction], order: int, degree: int, right: int) -> Recurrence | None:
    """From the values that are not held back, if they leave one."""
    rows = _equations(first, values[:-HELD_BACK], order, degree, right)
    for unknown in reversed(range(len(rows[0]))):  # one that is not 0 is set to 1
        moved = [[*row[:unknown], *row[unknown + 1 :], -row[unknown]] for row in rows]
        solution = solve_exactly(moved)
        if solution is None:
            continue
        numbers = _whole([*solution[:unknown], Fraction(1), *solution[unknown:]])
        split = iter(numbers)
        factors = tuple(tuple(next(split) for _ in range(degree + 1)) for _ in range(order + 1))
        top = next((c for c in reversed(factors[-1]) if c), 0)
        if top < 0:
            factors, split = tuple(tuple(-c for c in p) for p in factors), iter([-c for c in split])
        return Recurrence(factors, tuple(split), first, tuple(values[:order]))
    return None


def _whole(numbers: Sequence[Fraction]) -> list[int]:
    """The numbers times what makes them whole and as small as can be."""
    common = math.lcm(*(number.denominator for number in numbers))
    whole = [int(number * common) for number in numbers]
    divisor = math.gcd(*whole)
    return [number // divisor for number in whole]


def _holds(found: Recurrence, values: Sequence[Fraction]) -> bool:
    """Whether it gives all values, each by an equation that asks for it, and is shorter than they are."""
    for place in range(len(values) - found.order):
        n, known = found.first + place, values[place : place + found.order]
        if not at(found.factors[0], n) or found.next(n, known) != values[place + found.order]:
            return False
    return found.bits <= value_bits(values[found.order :]) - MARGIN


def at(polynomial: Polynomial, n: int) -> int:
    """Its value."""
    return sum(c * n**power for power, c in enumerate(polynomial))


def _product(polynomial: Polynomial, name: str) -> tuple[str, str]:
    """The sign in front, a minus or nothing, and the product without it; empty if it is 0."""
    terms = [(c, power) for power, c in enumerate(polynomial) if c][::-1]
    if not terms:
        return "", ""
    sign = "-" if terms[0][0] < 0 else ""
    written = [_monomial(abs(c), power) for c, power in terms]
    signs = ["+" if (c < 0) == bool(sign) else "-" for c, _ in terms]
    text = written[0] + "".join(f" {mark} {part}" for mark, part in zip(signs[1:], written[1:], strict=True))
    if len(terms) > 1 and (name or sign):
        text = f"({text})"
    if name:
        text = name if text == "1" else rf"{text}\,{name}"
    return sign, text


def _monomial(size: int, power: int) -> str:
    letter = ("", "n")[power] if power < 2 else f"n^{power}"
    return str(size) if not power else letter if size == 1 else f"{size}{letter}"
