"""The course of the mean field over time, and where it ends.

`follow` solves the differential equation (`transitions`) step by step. The grid of states grows and shrinks with what
the variables need. In the end u, the share of suboptimal variables, falls to zero, or comes to rest above it.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import integrate, linalg, optimize, sparse
from scipy.sparse import linalg as sparse_linalg

from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec
from gpruntime.theory.transitions import MAX_SIDE, NOTHING, Grid
from gpruntime.theory.variables import Values, Variables

LEAST = 1e-22  # how far u is followed
_RELATIVE, _ABSOLUTE = 1e-8, 1e-16
_MARGIN = 8
_MAX_STEPS = 40_000
_EXPLICIT = 300  # steps, before it is taken to be stiff
_FLAT = 1e-7  # −d ln u/d ln s below which u has come to rest
_LONG = 1e8  # a time after which optimal variables are at rest
_SMALL = 1e-7
_LINEAR, _SAME_POWER, _SETTLED = (
    0.8,
    0.12,
    30.0,
)  # d ln τ/d ln s, change of d ln u/d ln s in 4 times as long, and from s

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Course:
    """What the mean field does over time.

    Attributes:
        times: in units of n evaluations, increasing.
        u: the suboptimal share of each kind at these times, a row for a time.
        slopes: du/ds.
        leaves: τ.
        leaf_slopes: dτ/ds.
        falls: whether u falls to zero; it comes to rest above it otherwise.
        grid, end: where it ends.
    """

    times: Values
    u: Values
    slopes: Values
    leaves: Values
    leaf_slopes: Values
    falls: bool
    grid: Grid
    end: Values

    @cached_property
    def limit(self) -> tuple[float | None, float | None]:
        """τ as s → ∞, and μ in u ~ exp(−μ·s); None where it has none that is known."""
        return _limit(self.grid, self.end) if self.falls else (float(self.leaves[-1]), None)


class _Note(NamedTuple):
    time: float
    u: Values
    slopes: Values
    leaves: float
    leaf_slope: float


def follow(
    spec: RunSpec, variables: Variables, least: float = LEAST, progress: Progress | None = None, n: float = math.inf
) -> Course:
    """Solves the differential equation until u has fallen to `least`, or has come to rest."""
    grid, p = _begin(spec, variables, n)
    notes, first = [_note(grid, 0.0, p, grid.derivative(p))], 1e-6
    while not _has_ended(notes[-1], least):
        is_stiff = math.isfinite(n) and len(notes) > _EXPLICIT
        solver = (_implicit if is_stiff else _explicit)(grid, p, notes[-1].time, first)
        while not _has_ended(notes[-1], least) and (side := _side_for(grid, p)) == grid.side:
            if not is_stiff and math.isfinite(n) and len(notes) > _EXPLICIT:
                break
            if len(notes) > _MAX_STEPS:
                raise BadInput("init", str(spec.init), f"u has not come to rest after {solver.t:,.0f}·n evaluations")
            solver.step()
            p, first = solver.y.reshape(p.shape), float(solver.step_size)
            notes.append(_note(grid, float(solver.t), p, grid.derivative(p)))
            _check_is_no_power(spec, notes)
            if progress is not None:
                progress(len(notes), _MAX_STEPS)
        grid, p = grid.carried(p, side)
    times, u, slopes, leaves, leaf_slopes = (np.array(column) for column in zip(*notes, strict=True))
    return Course(times, u, slopes, leaves, leaf_slopes, bool(notes[-1].u.max() <= least), grid, p)


def _begin(spec: RunSpec, variables: Variables, n: float) -> tuple[Grid, Values]:
    side = variables.most + _MARGIN
    while not (grid := Grid(spec, variables, side, n)).reaches_best:
        side *= 2
        if side > MAX_SIDE:
            words = f"no tree with at most {MAX_SIDE} leaves x_i and x̄_i of each variable has the best fitness"
            raise BadInput("problem", spec.problem.id, words)
    return grid, grid.start()


def _side_for(grid: Grid, p: Values) -> int:
    """The grid's own, unless it is too small, or more than twice what is needed."""
    needed = grid.needed(p)
    if needed < grid.side and (grid.side < 2 * (needed + _MARGIN) or grid.side <= grid.least_side):
        return grid.side
    side = max(needed + _MARGIN + needed // 4, grid.least_side)
    if side > MAX_SIDE:
        words = f"a variable may have more than {MAX_SIDE} leaves x_i: too many"
        raise BadInput("problem", grid.spec.problem.id, words)
    return side


def _explicit(grid: Grid, p: Values, time: float, first: float) -> Any:
    derivative = _derivative(grid, p.shape)
    return integrate.DOP853(derivative, time, p.ravel(), math.inf, rtol=_RELATIVE, atol=NOTHING, first_step=first)


def _implicit(grid: Grid, p: Values, time: float, first: float) -> Any:
    """Where substitutions inside variables, one in n, take n times as long as all else."""

    def moving(_: float, flat: Values) -> Any:
        """The Jacobian, but for what the coefficients change by."""
        return sparse.block_diag(grid.generators(grid.coefficients(flat.reshape(p.shape))), format="csc")

    method: Any = integrate.BDF
    settings = {"rtol": _RELATIVE, "atol": _ABSOLUTE, "first_step": first, "jac": moving}
    return method(_derivative(grid, p.shape), time, p.ravel(), math.inf, **settings)


def _derivative(grid: Grid, shape: tuple[int, ...]) -> Callable[[float, Values], Values]:
    return lambda _, flat: grid.derivative(flat.reshape(shape)).ravel()


def _note(grid: Grid, time: float, p: Values, change: Values) -> _Note:
    shares = grid.variables.shares
    leaves, slope = (float(grid.leaves(some) @ shares) for some in (p, change))
    return _Note(time, grid.suboptimal_share(p), grid.suboptimal_share(change), leaves, slope)


def _check_is_no_power(spec: RunSpec, notes: list[_Note]) -> None:
    """Raises `BadInput` where trees grow in proportion to time and u falls like a power of it: for ever, that is."""
    now = notes[-1]
    if now.time < _SETTLED or now.leaf_slope * now.time < _LINEAR * now.leaves:
        return
    before = notes[bisect.bisect(notes, now.time / 4, key=lambda note: note.time) - 1]
    power, earlier = _power(now), _power(before)
    if abs(power - earlier) < _SAME_POWER * earlier:
        words = (
            f"trees grow in proportion to time, {now.leaves:,.0f}·n leaves after {now.time:,.0f}·n evaluations, and "
            f"u falls like a power of it, about s^−{power:.2f}: T/(n ln n) has no limit"
        )
        raise BadInput("weights", "/".join(f"{weight:g}" for weight in spec.weights), words)


def _power(note: _Note) -> float:
    """−d ln u/d ln s."""
    return float(-note.slopes.sum() * note.time / max(float(note.u.sum()), NOTHING))


def _has_ended(note: _Note, least: float) -> bool:
    at_rest = note.time > 1 and _power(note) < _FLAT
    return bool(note.u.max() <= least) or at_rest


def _limit(grid: Grid, p: Values) -> tuple[float | None, float | None]:
    """τ where optimal variables have come to rest, and the rate at which the last suboptimal ones vanish then.

    At rest G(c)·p = 0, where the coefficients c are those of p itself. Such a c is found by Newton's method.
    """
    p = np.where(grid.suboptimal, 0.0, p)
    p /= p.sum(axis=1, keepdims=True)
    identity = sparse.identity(p.shape[1], format="csc")

    def rested(c: Values) -> Values:
        parts = zip(grid.generators(c), p, strict=True)
        found = np.array([sparse_linalg.spsolve(identity - _LONG * matrix, row) for matrix, row in parts])
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    c = grid.coefficients(p)
    moving = np.flatnonzero(c > NOTHING)

    def miss(some: Values) -> Values:
        c[moving] = some
        return np.asarray((grid.coefficients(rested(c)) - c)[moving])

    solved = optimize.root(miss, c[moving], method="hybr", tol=1e-12)
    if not np.abs(miss(solved.x)).max() < _SMALL or not solved.x[0] > 0:
        return None, None
    end = rested(c)
    if grid.needed(end) >= grid.side:
        return None, None
    return float(grid.leaves(end) @ grid.variables.shares), _decay(grid, end)


def _decay(grid: Grid, end: Values) -> float | None:
    """The slowest rate of the linear equation of small suboptimal shares, about p at rest; by inverse iteration."""
    places = np.flatnonzero(grid.suboptimal.ravel())
    base = grid.derivative(end).ravel()[places]
    columns = []
    for place in places:
        moved = end.copy()
        moved.ravel()[place] += _SMALL
        columns.append((grid.derivative(moved).ravel()[places] - base) / _SMALL)
    factors = linalg.lu_factor(-np.array(columns).T)
    vector, rate = np.full(len(places), 1 / len(places)), 0.0
    for _ in range(1000):
        before, vector = rate, linalg.lu_solve(factors, vector)
        rate = 1 / float(vector.sum())
        vector *= rate
        if abs(rate - before) < 1e-11 * abs(rate):
            return rate if rate > 0 else None
    return None
