"""The best potential in the span of some features, by a linear program; then in fractions, and valid exactly.

With drifts D (a row for each state that is not optimal, a column for each feature) and the features' mean values μ at
the start, an upper bound wants the coefficients c with

    D c ≥ 1 for every state,  μ·c as small as can be,

and a lower bound D c ≤ 1 and μ·c as large as can be. HiGHS solves that in floats. The answer is then made exact: once
by solving the equations of the states at which it is tight in fractions, and twice by rounding. If the exact drift of
a rounded potential is δ at the worst state, then φ/δ is valid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

Matrix = NDArray[np.float64]
Coefficients = list[Fraction]

UPPER, LOWER = "upper", "lower"
DENOMINATORS = (10**3, 10**9)
_TIGHT = 1e-7
_INDEPENDENT = 1e-10
_SCALE = 10**9
_SINGULAR = 1e-11


class Solved(NamedTuple):
    """The program's answer: coefficients of all columns; where there are none, the states that exclude each other."""

    coefficients: NDArray[np.float64] | None
    tight: list[int]
    excluding: list[int]
    unbounded: bool = False


def independent(drifts: Matrix) -> list[int]:
    """Columns of which the others are combinations, as far as floats tell; the first ones are preferred."""
    scale = np.abs(drifts).max(axis=0, initial=0.0)
    chosen: list[int] = []
    basis: list[Matrix] = []
    for column in np.flatnonzero(scale > 0):
        left = drifts[:, column] / scale[column]
        size = float(np.linalg.norm(left))
        for _ in range(2):
            for other in basis:
                left = left - (other @ left) * other
        if float(np.linalg.norm(left)) > _INDEPENDENT * size:
            basis.append(left / np.linalg.norm(left))
            chosen.append(int(column))
    return chosen


def solve(drifts: Matrix, means: Matrix, direction: str) -> Solved:
    """The program above."""
    sign = 1.0 if direction == UPPER else -1.0
    scale = np.abs(drifts).max(axis=0, initial=0.0)
    scale[scale == 0] = 1.0
    scaled = drifts / scale
    found = optimize.linprog(
        sign * means / scale,
        A_ub=-sign * scaled,
        b_ub=np.full(len(drifts), -sign),
        bounds=(None, None),
        method="highs-ds",
    )
    if found.status == 0:
        slack = np.abs(scaled @ found.x - 1)
        order = np.argsort(slack, kind="stable")
        return Solved(found.x / scale, [int(row) for row in order if slack[row] < _TIGHT], [])
    if found.status == 3:
        return Solved(None, [], [], unbounded=True)
    return Solved(None, [], _excluding(scaled))


def _excluding(drifts: Matrix) -> list[int]:
    """States of which no potential in the span has positive drift at all, the weightiest first.

    Some weights y ≥ 0 of states have y·D = 0: they are the multipliers of max t with D c ≥ t and |c_j| ≤ 1.
    """
    rows, columns = drifts.shape
    found = optimize.linprog(
        np.array([0.0] * columns + [-1.0]),
        A_ub=np.hstack([-drifts, np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        bounds=[(-1, 1)] * columns + [(None, 1)],
        method="highs-ds",
    )
    weights = -np.asarray(found.ineqlin.marginals)
    order = np.argsort(-weights, kind="stable")
    return [int(row) for row in order if weights[row] > _TIGHT] or [int(order[0])]


def from_equations(rows: Sequence[Sequence[Fraction]], size: int) -> Coefficients | None:
    """The c with (row · c) = 1 for the first rows that are independent, in fractions; None if they are too few."""
    reduced: list[tuple[int, list[Fraction]]] = []  # pivot, row with its right side
    for row in rows:
        left = [*row, Fraction(1)]
        for pivot, other in reduced:
            if left[pivot]:
                factor = left[pivot]
                left = [a - factor * b for a, b in zip(left, other, strict=True)]
        pivot = max(range(size), key=lambda column: abs(left[column]))
        if abs(float(left[pivot])) <= _SINGULAR:
            continue
        left = [value / left[pivot] for value in left]
        reduced = [
            (place, [a - other[pivot] * b for a, b in zip(other, left, strict=True)]) for place, other in reduced
        ]
        reduced.append((pivot, left))
        if len(reduced) == size:
            found = dict(reduced)
            return [found[column][size] for column in range(size)]
    return None


def rounded(coefficients: NDArray[np.float64], denominator: int) -> Coefficients:
    """Each as a fraction with a denominator of at most this."""
    return [Fraction(float(value)).limit_denominator(denominator) for value in coefficients]


def made_valid(coefficients: Coefficients, worst: Fraction, direction: str) -> Coefficients | None:
    """The potential over its worst drift, rounded to the safe side; as it is, where that is 1; None if it cannot be."""
    if worst == 1:
        return coefficients
    if worst <= 0:
        return coefficients if direction == LOWER else None
    factor = _SCALE / worst
    scale = Fraction(math.ceil(factor) if direction == UPPER else math.floor(factor), _SCALE)
    return [value * scale for value in coefficients]


def spanning(drifts: Matrix, tight: Sequence[int]) -> list[int]:
    """Of the tight rows, as many as there are columns, independent ones."""
    rows = drifts[list(tight)]
    _, _, order = linalg.qr(rows.T, mode="economic", pivoting=True)
    return [tight[place] for place in order[: drifts.shape[1]]]
