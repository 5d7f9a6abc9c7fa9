"""`certify`: the best potential there is in the span of some features, or a potential of one's own, with its bound.

With drifts D (a row for each state that is not optimal, a column for each feature) and the features' mean values μ at
the start, an upper bound wants the coefficients c with

    D c ≥ 1 for every state,  μ·c as small as can be,

and a lower bound D c ≤ 1 and μ·c as large as can be. HiGHS solves that in floats. The answer is then made exact: once
by solving the equations of the states at which it is tight in fractions, and twice by rounding. If the exact drift of
a rounded potential is δ at the worst state, then φ/δ is valid. Where trees grow without end, see `closing`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from gpruntime.exact.chain import OPTIMUM
from gpruntime.exact.counts import CountStates
from gpruntime.exact.levels import ENDLESS
from gpruntime.exact.truth_tables import TableStates
from gpruntime.model.errors import known
from gpruntime.model.spec import RunSpec, a_spec
from gpruntime.progress import Shown, states_bar, telling
from gpruntime.theory.certificate import Certificate, NoCertificate
from gpruntime.theory.closing import closed
from gpruntime.theory.drifts import StateSpace
from gpruntime.theory.features import Column, Value, columns_for, feature_of, names_for
from gpruntime.theory.verifier import LOWER, UPPER, check_supported, grows
from gpruntime.theory.witness import Potential, shown, witness_of

Answer = Certificate | NoCertificate
Matrix = NDArray[np.float64]
Coefficients = list[Fraction]

_DENOMINATORS = (10**3, 10**9)
_TIGHT = 1e-7
_INDEPENDENT = 1e-10
_SCALE = 10**9
_SINGULAR = 1e-11
_MOST_WITNESSES = 3
_ALIKE = Fraction(1, 10**6)  # bounds that differ by less: the shorter potential is taken


class _Candidate(NamedTuple):
    """Coefficients with φ at each state, and its drift where that is worst."""

    coefficients: Coefficients
    potential: list[Fraction]
    worst: Fraction
    at: int
    tight: int


def certify(
    spec: RunSpec,
    features: Iterable[object] = (),
    direction: str = UPPER,
    potential: object = None,
    progress: Shown = None,
) -> Answer:
    """The best bound on E[evaluations] by a potential in the span of features, in fractions and valid exactly.

    Args:
        spec: the setting: a (1+1) GP with one operation per offspring, or geometric semantic GP.
        features: names (`gpruntime.theory.features`), functions of (tree, n), or "FILE.py:NAME"; the problem's own
            list, if there are none.
        direction: "upper" or "lower".
        potential: a potential of one's own, which is checked as it is: a name, or a function of (tree, n).
        progress: is told of states done and known; True shows a bar.

    Returns:
        A `Certificate`, or a `NoCertificate` with the states that show why.

    Raises:
        BadInput: the setting has no such potential that can be computed.
    """
    known("direction", direction, (UPPER, LOWER))
    given = [feature_of(one) for one in features] if potential is None else [feature_of(potential)]
    check_supported(a_spec(spec))
    with telling(progress, states_bar) as tell:
        if grows(spec):
            return closed(spec, given, direction, progress=tell, as_it_is=potential is not None)
        space = StateSpace(spec, tell)
        columns = columns_for(spec, given or names_for(spec), space.levels)
        if (hopeless := _without_end(space, direction)) is not None:
            return hopeless
        values = space.values(columns)
        return (_best if potential is None else _checked)(space, columns, values, direction)


def _best(space: StateSpace, columns: list[Column], values: list[tuple[Value, ...]], direction: str) -> Answer:
    drifts = space.float_drifts(values)[1:]  # without the optimum
    chosen = independent(drifts)
    columns, drifts = [columns[j] for j in chosen], drifts[:, chosen]
    values = [tuple(row[j] for j in chosen) for row in values]
    means = _means(space, values) if columns else []
    if not columns and (direction == LOWER or not len(space)):
        return _certificate(space, columns, _Candidate([], [Fraction(0)] * len(values), Fraction(0), 0, 0), direction)
    solved = solve(drifts, np.array([float(mean) for mean in means]), direction)
    if solved.coefficients is None:
        return _impossible(space, columns, [row + 1 for row in solved.excluding], direction)
    tries = [rounded(solved.coefficients, _DENOMINATORS[0]), rounded(solved.coefficients, _DENOMINATORS[1])]
    if (exact := _exact(space, values, spanning(drifts, solved.tight))) is not None:
        tries.insert(1, exact)
    seen = _drifts_of(space, values, tries, direction)
    valid = [made for one in seen if (made := _valid(one, values, direction)) is not None]
    if not valid:
        return _impossible(space, columns, [seen[-1].at], direction)
    bounds = [sum((c * mean for c, mean in zip(one.coefficients, means, strict=True)), Fraction(0)) for one in valid]
    best = min(bounds) if direction == UPPER else max(bounds)
    near = [one for one, bound in zip(valid, bounds, strict=True) if abs(bound - best) <= _ALIKE * abs(best)]
    return _certificate(space, columns, min(near, key=_length), direction)


def _length(one: _Candidate) -> int:
    return sum(len(str(value)) for value in one.coefficients)


def _means(space: StateSpace, values: Sequence[tuple[Value, ...]]) -> list[Fraction]:
    """E[f_j(X₀)]."""
    start = space.chain.start.items()
    return [sum((chance * values[number][j] for number, chance in start), Fraction(0)) for j in range(len(values[0]))]


def _exact(space: StateSpace, values: list[tuple[Value, ...]], rows: list[int]) -> Coefficients | None:
    """The coefficients for which the drift is 1 at these states, in fractions."""
    numbers = [row + 1 for row in rows]
    equations = [
        [sum((p * (values[number][j] - values[to][j]) for to, p in moves), Fraction(0)) for j in range(len(values[0]))]
        for number, moves in zip(numbers, space.all_moves(numbers), strict=True)
    ]
    return from_equations(equations, len(values[0]))


def _drifts_of(
    space: StateSpace, values: list[tuple[Value, ...]], tries: list[Coefficients], direction: str
) -> list[_Candidate]:
    """Each with its exact drift at the worst state. Potentials are whole numbers over one denominator here."""
    potentials = [
        [sum((c * v for c, v in zip(coefficients, row, strict=True) if v), Fraction(0)) for row in values]
        for coefficients in tries
    ]
    scales = [math.lcm(*(value.denominator for value in potential)) for potential in potentials]
    whole = [[int(value * scale) for value in row] for row, scale in zip(potentials, scales, strict=True)]
    worst: list[tuple[Fraction, int] | None] = [None] * len(tries)
    tight = [0] * len(tries)
    numbers = range(1, len(values))
    for number, moves in zip(numbers, space.all_moves(numbers), strict=True):
        below = math.lcm(*(chance.denominator for _, chance in moves))
        weights = [(to, chance.numerator * (below // chance.denominator)) for to, chance in moves]
        for place, row in enumerate(whole):
            here = row[number]
            drift = Fraction(sum(weight * (here - row[to]) for to, weight in weights), below * scales[place])
            tight[place] += drift == 1
            known_worst = worst[place]
            if known_worst is None or (drift < known_worst[0] if direction == UPPER else drift > known_worst[0]):
                worst[place] = drift, number
    found = []
    for coefficients, potential, least, count in zip(tries, potentials, worst, tight, strict=True):
        drift, at = least or (Fraction(1), OPTIMUM)  # no state but the optimum
        found.append(_Candidate(coefficients, potential, drift, at, count))
    return found


def _valid(one: _Candidate, values: list[tuple[Value, ...]], direction: str) -> _Candidate | None:
    coefficients = made_valid(one.coefficients, one.worst, direction)
    if coefficients is None or coefficients is one.coefficients:
        return None if coefficients is None else one
    potential = [sum((c * v for c, v in zip(coefficients, row, strict=True)), Fraction(0)) for row in values]
    return one._replace(coefficients=coefficients, potential=potential, tight=0)


def _checked(space: StateSpace, columns: list[Column], values: list[tuple[Value, ...]], direction: str) -> Answer:
    """A potential of one's own, as it is: the sum of its columns."""
    one = _drifts_of(space, values, [[Fraction(1)] * len(columns)], direction)[0]
    if (one.worst < 1) if direction == UPPER else (one.worst > 1):
        than = "less" if direction == UPPER else "more"
        hint = ""
        if 0 < abs(one.worst - 1) < Fraction(1, 10**9):
            hint = "; floats are rounded: let it give fractions"
        why = f"the potential has drift {shown(one.worst)}, {than} than 1, at a state that can be reached{hint}"
        return NoCertificate(
            space.spec, direction, why, (witness_of(space.spec, space.tree(one.at), _potential(columns)),)
        )
    return _certificate(space, columns, one, direction)


def _certificate(space: StateSpace, columns: list[Column], one: _Candidate, direction: str) -> Certificate:
    bound = 1 + sum((chance * one.potential[number] for number, chance in space.chain.start.items()), Fraction(0))
    coefficients = {column.name: c for column, c in zip(columns, one.coefficients, strict=True) if c}
    states = len(space) if _is_comparable(space) else None
    return Certificate(space.spec, direction, coefficients, bound, states, space.mean, one.tight, None, space)


def _is_comparable(space: StateSpace) -> bool:
    """Whether the verifier counts the same states: it renames all variables or none, and looks at tables one by one."""
    if isinstance(space.states, TableStates):
        return space.states.form == "truth tables"
    if not isinstance(space.states, CountStates):
        return True
    return "classes" not in space.states.form


def _without_end(space: StateSpace, direction: str) -> NoCertificate | None:
    """Why E[evaluations] is infinite, if it is."""
    if all(math.isfinite(space.times[number]) for number in space.chain.start):
        return None
    stuck, endless = np.flatnonzero(space.kernel.stuck), np.flatnonzero(space.solution.values[:, ENDLESS] == 1)
    at = int(stuck[0] if len(stuck) else endless[0])
    kind = "nothing can be accepted any more" if len(stuck) else "the optimum cannot be reached any more"
    no = "no potential" if direction == UPPER else "every lower bound holds"
    why = f"E[evaluations] is infinite, so {no}: a run can come to a state from which {kind}"
    return NoCertificate(space.spec, direction, why, (witness_of(space.spec, space.tree(at)),))


def _impossible(space: StateSpace, columns: list[Column], numbers: list[int], direction: str) -> NoCertificate:
    names = ", ".join(column.name.partition("@")[0] for column in columns) or "nothing"
    positive = "positive drift" if direction == UPPER else "drift of at most 1"
    where = "this state" if len(numbers) == 1 else f"these {len(numbers)} states at once"
    more = f"; {_MOST_WITNESSES} are shown" if len(numbers) > _MOST_WITNESSES else ""
    why = f"no combination of {names} has {positive} at {where}{more}"
    return NoCertificate(
        space.spec,
        direction,
        why,
        tuple(witness_of(space.spec, space.tree(number)) for number in numbers[:_MOST_WITNESSES]),
    )


def _potential(columns: Sequence[Column]) -> Potential:
    """The sum of these."""
    return lambda tree, fitness: sum((Fraction(column.value(tree, fitness)) for column in columns), Fraction(0))


# ---- the linear program, and its answer in fractions


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
