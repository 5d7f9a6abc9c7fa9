"""Potentials where trees grow without end, or an offspring can have many operations: one program over all cells.

In each product of cells, Newton's differences of q · (drift − 1) are linear in the coefficients (`cells`). So are the
conditions that none of them be negative, and a linear program gives the best potential that is seen in this way to have
drift 1 at all trees there are. The coefficients are asked not to be negative, so that φ is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import optimize

from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.theory.cells import MAX_TREES, Steps, all_cells, differences, trees_of
from gpruntime.theory.certificate import Certificate, NoCertificate
from gpruntime.theory.features import Column, columns_for, names_without_end
from gpruntime.theory.verifier import UPPER, Progress, beyond_of, chance_of_one, check_supported, corners
from gpruntime.theory.walk import Differ, State, Walk, initial_law
from gpruntime.theory.witness import witness_of

_ROOMS = (0.0, 1e-6, 1e-4)  # that rounded coefficients may need
_DENOMINATORS = (12, 1000, 10**7)

Row = tuple[Fraction, ...]


def closed(
    spec: RunSpec,
    given: Sequence[object] = (),
    direction: str = UPPER,
    weights: Sequence[tuple[Tree, float]] | None = None,
    most_trees: int = MAX_TREES,
    progress: Progress | None = None,
    as_it_is: bool = False,
) -> Certificate | NoCertificate:
    """The potential of these features whose mean is least: over the initial law, or over weighted trees.

    `as_it_is`: their sum, which is a potential of one's own.

    Raises:
        BadInput: no certificate can close the cut, with the reason.
    """
    check_supported(spec)
    try:
        return _closed(spec, given, direction, weights, most_trees, Walk(spec), progress, as_it_is)
    except Differ:
        return _closed(spec, given, direction, weights, most_trees, Walk(spec, alike=False), progress, as_it_is)


def _closed(
    spec: RunSpec,
    given: Sequence[object],
    direction: str,
    weights: Sequence[tuple[Tree, float]] | None,
    most_trees: int,
    walk: Walk,
    progress: Progress | None,
    as_it_is: bool,
) -> Certificate | NoCertificate:
    given = given or names_without_end(spec)
    beyond = beyond_of(spec, direction, [])
    trees = (next(trees_of(spec, cells, 0))[1] for cells in all_cells(spec, beyond, walk.alike))
    levels = sorted({spec.problem.fitness(tree, spec.n) for tree in trees} - {spec.best})
    columns = columns_for(spec, given, levels)
    beyond_of(spec, direction, [column.name for column in columns])
    once = chance_of_one(spec)
    where: dict[tuple[Row, Fraction], Tree] = {}  # conditions Σ c_j · row_j ≥ least, and a tree of the cell
    rows: dict[int, Row] = {}  # of states, of which each is one object

    def at(state: State) -> Row:
        if id(state) not in rows:
            rows[id(state)] = _row(spec, columns, state)
        return rows[id(state)]

    count = looked = 0
    for corner in corners(spec, beyond, [column.name for column in columns], walk, most_trees):
        drifts: list[dict[Steps, Fraction]] = [{} for _ in columns]
        least: dict[Steps, Fraction] = {}
        for steps, state, q in corner:
            row = at(state)
            moves = [(at(after), chance) for after, chance in walk.moves(state)]
            for place, drift in enumerate(drifts):
                change = sum((chance * (row[place] - after[place]) for after, chance in moves), Fraction(0))
                drift[steps] = q * once * change
            least[steps] = Fraction(q)
        found = [differences(drift) for drift in drifts]
        for steps, value in differences(least).items():
            condition = tuple(drift[steps] for drift in found)
            if any(condition) or value > 0:
                where.setdefault((condition, value), corner[0][1].tree)
        count, looked = count + 1, looked + len(corner)
        if progress is not None and count % 10 == 0:
            progress(looked, looked)
    law = list(initial_law(spec, walk.by_counts))
    means = _means(spec, columns, [(walk.state(tree), chance) for tree, chance in law])
    aim = means if weights is None else _means(spec, columns, [(walk.state(t), Fraction(w)) for t, w in weights])
    coefficients = (Fraction(1),) * len(columns) if as_it_is else _least(list(where), aim)
    if coefficients is None:
        names = ", ".join(column.name for column in columns)
        why = f"no combination of {names} is seen to have drift 1 or more at all trees at once; here not, for one"
        tree = _excluded(list(where), list(where.values()))
        return NoCertificate(spec, direction, why, (witness_of(spec, tree),))
    bound = 1 + sum((c * mean for c, mean in zip(coefficients, means, strict=True)), Fraction(0))
    named = {column.name: c for column, c in zip(columns, coefficients, strict=True) if c}
    certificate = Certificate(spec, direction, named, bound, None, None, None, cells=(count, looked))
    if as_it_is and not (checked := certificate.check()).holds:
        return NoCertificate(spec, direction, checked.why, (checked.witness,) if checked.witness else ())
    return certificate


def _row(spec: RunSpec, columns: Sequence[Column], state: State) -> Row:
    if state.fitness == spec.best:
        return (Fraction(0),) * len(columns)
    return tuple(Fraction(column.value(state.tree, state.fitness)) for column in columns)


def _means(spec: RunSpec, columns: Sequence[Column], law: list[tuple[State, Fraction]]) -> Row:
    rows = [(_row(spec, columns, state), chance) for state, chance in law]
    return tuple(sum((chance * row[place] for row, chance in rows), Fraction(0)) for place in range(len(columns)))


def _least(conditions: list[tuple[Row, Fraction]], means: Row) -> Row | None:
    """Coefficients that fulfil all conditions exactly, with a small mean; None if there are none."""
    rows = np.array([[float(value) for value in row] for row, _ in conditions])
    least = np.array([float(value) for _, value in conditions])
    scale = np.maximum(np.abs(rows).max(axis=1), np.abs(least))
    best: tuple[Fraction, int, Row] | None = None
    for room in _ROOMS:
        right = least / scale + room
        found = optimize.linprog(
            np.array([float(mean) for mean in means]), A_ub=-rows / scale[:, None], b_ub=-right, bounds=(0, None)
        )
        if found.status != 0:
            continue
        for most in _DENOMINATORS:
            tried = tuple(Fraction(float(value)).limit_denominator(most) for value in np.asarray(found.x))
            if min(tried) >= 0 and all(_dot(row, tried) >= value for row, value in conditions):
                best_now = (_dot(means, tried), sum(len(str(value)) for value in tried), tried)
                if best is None or best_now[0] < best[0] * (1 - Fraction(1, 10**6)):
                    best = best_now
    return None if best is None else best[2]


def _dot(row: Row, coefficients: Row) -> Fraction:
    return sum((a * b for a, b in zip(row, coefficients, strict=True)), Fraction(0))


def _excluded(conditions: list[tuple[Row, Fraction]], trees: list[Tree]) -> Tree:
    """A tree of the condition that stands most in the way."""
    rows = np.array([[*map(float, row), 1.0] for row, _ in conditions])
    least = np.array([float(value) for _, value in conditions])
    costs = np.zeros(rows.shape[1])
    costs[-1] = 1.0
    found = optimize.linprog(costs, A_ub=-rows, b_ub=-least, bounds=(0, None))
    return trees[int(np.argmin(found.ineqlin.marginals))]
