"""The search for a closed form that meets exact values.

Of N values the first N − 2 are fitted: m terms with m ≤ N − 2 coefficients that these values determine. The last two
are *held back*: the form has to meet them too, exactly.

**How it is searched.** All sets of terms are tried, fewest terms first, by Gaussian elimination modulo a prime: after
the elimination of m − 1 terms, the values have to be a multiple of the m-th. What passes is solved again in fractions.

**Chance.** Many forms are tried, and coefficients of any size would meet anything. So a form is given only if it is
shorter than what it explains: its description (`ClosedForm.bits`) takes at least `MARGIN` bits fewer than the values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpruntime.theory.forms import DIVISORS, ONE, TERMS, ClosedForm, Term

HELD_BACK = 2
MARGIN = 10.0  # a chance of 1 in 1,000

_MOST_TERMS = 5
_MOST_OVER_DIVISOR = 4
_PRIMES = (2147483647, 2147483629, 2147483587, 2147483579)  # products of residues fit into 64 bits

_Residues = NDArray[np.int64]


def value_bits(values: Sequence[Fraction]) -> float:
    """How much the values say, their own lengths not counted."""
    return sum(1 + math.log2(abs(value.numerator) + 1) + math.log2(value.denominator) for value in values)


def prime_for(values: Sequence[Fraction]) -> int:
    """A prime that divides no denominator."""
    return next((p for p in _PRIMES if all(value.denominator % p for value in values)), 0)


def residues(values: Sequence[Fraction], prime: int) -> list[int]:
    """The values modulo a prime."""
    return [value.numerator % prime * pow(value.denominator, -1, prime) % prime for value in values]


def closed_form(places: Sequence[int], values: Sequence[Fraction]) -> ClosedForm | None:
    """The shortest form with the fewest terms, or None.

    Args:
        places: n, increasing.
        values: f(n).
    """
    enough = value_bits(values) - MARGIN
    candidates = [candidate for candidate in DIVISORS if all(candidate.at(n) for n in places)]
    searches = [_Search(places, values, divisor) for divisor in candidates]
    for most in range(1, _MOST_TERMS + 1):
        found = [
            form
            for search in searches
            if most <= (_MOST_TERMS if search.divisor is ONE else _MOST_OVER_DIVISOR)
            for form in search.forms(most)
            if form.bits <= enough
        ]
        if found:
            return min(found, key=lambda form: form.bits)
    return None


class _Search:
    """The forms over one divisor."""

    def __init__(self, places: Sequence[int], values: Sequence[Fraction], divisor: Term) -> None:
        self.divisor, self._fitted = divisor, len(places) - HELD_BACK
        self._values = [value * (divisor.at(n) or 0) for n, value in zip(places, values, strict=True)]
        self._terms: list[Term] = []
        self._rows: list[list[Fraction]] = []
        for term in TERMS:
            row = [value for n in places if (value := term.at(n)) is not None]
            if len(row) == len(places):
                self._terms.append(term)
                self._rows.append(row)
        self._prime = prime_for([*self._values, *(value for row in self._rows for value in row)])

    def forms(self, terms: int) -> Iterator[ClosedForm]:
        """Those with this number of terms."""
        if not self._prime or terms > self._fitted:
            return
        table = np.array([residues(row, self._prime) for row in [*self._rows, self._values]], np.int64)
        for chosen in self._chosen(table, 0, terms):
            if len({self._terms[place].family for place in chosen} - {""}) > 1:
                continue
            coefficients = self._solved(chosen)
            if coefficients is not None:
                parts = zip(coefficients, (self._terms[place] for place in chosen), strict=True)
                yield ClosedForm(tuple(parts), self.divisor)

    def _chosen(self, table: _Residues, begin: int, more: int) -> Iterator[tuple[int, ...]]:
        """Sets of this number of terms, modulo the prime: the table has those from `begin` on, and the values last."""
        if more == 1:
            yield from ((begin + int(number),) for number in np.flatnonzero(self._multiples(table[None])[0]))
            return
        rests = self._eliminated(table, len(table) - more)
        if more == 2:
            pairs = np.argwhere(self._multiples(rests)).tolist()
            yield from ((begin + number, begin + other) for number, other in pairs if other > number)
            return
        for number, rest in enumerate(rests):
            if rest[-1, : self._fitted].any():
                for others in self._chosen(rest[number + 1 :], begin + number + 1, more - 1):
                    yield (begin + number, *others)

    def _eliminated(self, table: _Residues, count: int) -> _Residues:
        """The table after the elimination of each of its first rows, in a column of a fitted value.

        A row of zeros is a combination of those before: nothing is left of its table, so that nothing follows from it.
        """
        rows, prime = table[:count], self._prime
        columns = np.argmax(rows[:, : self._fitted] != 0, axis=1)
        heads = rows[np.arange(count), columns]
        inverses = np.array([pow(head, -1, prime) if head else 0 for head in heads.tolist()], np.int64)
        factors = table[:, columns].T * inverses[:, None] % prime
        rests = (table[None] - factors[:, :, None] * rows[:, None]) % prime
        rests[heads == 0] = 0
        return rests

    def _multiples(self, tables: _Residues) -> NDArray[np.bool_]:
        """For each table, of which of its other rows the last is a multiple, by fitted values that are not 0."""
        rows, last, each = tables[:, :-1], tables[:, -1:], np.arange(len(tables))
        columns = np.argmax(last[:, 0, : self._fitted] != 0, axis=1)
        heads, factors = last[each, 0, columns], rows[each, :, columns]
        differences = (rows * heads[:, None, None] - last * factors[:, :, None]) % self._prime
        return np.asarray(~differences.any(axis=2) & (factors != 0) & (heads != 0)[:, None])

    def _solved(self, chosen: tuple[int, ...]) -> list[Fraction] | None:
        """The coefficients, if they are unique and all values are met, exactly; none of them 0."""
        rows = [[*(self._rows[term][at] for term in chosen), self._values[at]] for at in range(len(self._values))]
        solved = solve_exactly(rows[: self._fitted])
        if solved is None or not all(solved):
            return None
        meets = all(sum((c * v for c, v in zip(solved, row, strict=False)), Fraction(0)) == row[-1] for row in rows)
        return solved if meets else None


def solve_exactly(rows: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """The unique solution of linear equations, each given with its right side last; None if there is none, or many."""
    reduced, unknowns = [list(row) for row in rows], len(rows[0]) - 1
    for column in range(unknowns):
        pivot = next((at for at in range(column, len(reduced)) if reduced[at][column]), None)
        if pivot is None:
            return None
        reduced[column], reduced[pivot] = reduced[pivot], reduced[column]
        head = [value / reduced[column][column] for value in reduced[column]]
        reduced[column] = head
        for at, row in enumerate(reduced):
            if at != column and row[column]:
                reduced[at] = [a - row[column] * b for a, b in zip(row, head, strict=True)]
    if any(row[-1] for row in reduced[unknowns:]):
        return None
    return [row[-1] for row in reduced[:unknowns]]
