"""Two-sided answers: E[evaluations] and P(evaluations > t) between numbers that hold, with all rounding.

**What is cut off.** Where trees grow without end, or an offspring can have any number of operations, `exact` follows
the runs up to the time τ at which they are *lost*. With T the further evaluations, min(T, τ) ≤ T, and if φ is a
potential with drift 1 or more at all trees there are (`closing`), E[T] ≤ E[min(T, τ)] + E[φ(X_τ); lost]. The φ that
makes the last term small is taken. With many operations φ is a sum of levels, and no larger after than before.

**Rounding.** Let P be the kernel, r the chance of being lost and ρ what φ costs then. Solved in floats, u with
(Σ P + r) u − P u = 1 + ρ is no proof. But where the left side, less a bound on its own rounding, is at least c (1 + ρ)
in every state, u/c is a potential of the cut run, so u/c is too large if anything; and a v for which the left side,
more its rounding, is at most c is too small once divided by c. All sums are of numbers ≥ 0, each the result of at most
`_ROUNDINGS` roundings for every operation, so their relative error is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gpruntime.exact.chain import Progress, SingleOperation
from gpruntime.exact.kernel import Kernel, Mask, MultiKernel, Rows, Vector
from gpruntime.exact.levels import ENDLESS, LOST, OPTIMUM_, STUCK, SparseSolve
from gpruntime.exact.solve import SolvedChain, between, solve_chain
from gpruntime.exact.times import EvaluationTimes
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.spec import RunSpec, a_spec
from gpruntime.model.tree import Tree
from gpruntime.progress import Shown, states_bar, telling
from gpruntime.theory.answer import Answer
from gpruntime.theory.certificate import Certificate
from gpruntime.theory.closing import closed
from gpruntime.theory.verifier import UPPER, beyond_of, check_supported

_ROUNDINGS = 10_000
_MOST_TREES = 3_000  # for some seconds

Bounds = tuple[float, float]


@dataclass(frozen=True, repr=False)
class Enclosure(Answer):
    """The answer.

    Attributes:
        spec: the setting.
        mean: between which numbers E[evaluations] is; both infinite where the optimum can be missed, the second where
            nothing bounds it.
        why: why it is not bounded from above; empty where it is, or is infinite.
        certificate: what bounds the runs that were cut off; None where none were, or nothing does.
        lost: P(a run is cut off), about.
        states: of the chain.
        rounding: the relative error of a sum.
    """

    spec: RunSpec
    mean: Bounds
    why: str
    certificate: Certificate | None
    lost: float
    states: int
    rounding: float
    _times: EvaluationTimes = field(repr=False, compare=False)

    def more_than(self, evaluations: int) -> Bounds:
        """Between which numbers P(evaluations > t) is: a run that never ends takes more."""
        t = whole("evaluations", evaluations, 0)
        low, high = self._times.at_most_bounds(t)
        error = 4 * (t + 1) * self.rounding  # of an L1 norm of at most 1, evaluation by evaluation
        return max(0.0, 1 - high - error), min(1.0, 1 - low + error)

    @property
    def kind(self) -> str:
        """What the answer is."""
        if self.why:
            return "cut off, with no bound from above"
        return "cut off, and a certificate bounds what was" if self.certificate else "nothing is cut off"

    @property
    def is_certain(self) -> bool:
        """Whether P(optimum) = 1 is proved: the mean of all runs is bounded."""
        return math.isfinite(self.mean[1])

    def sentences(self) -> list[str]:
        """In words."""
        low, _ = self.mean
        if math.isinf(low):
            return ["E[evaluations] is infinite: a run can miss the optimum."]
        if self.why:
            return [f"E[evaluations] ≥ {between((low, low), 8)}; no upper bound: {self.why}."]
        words = [f"E[evaluations] is from {between(self.mean, 8)}, with all rounding; {self.kind}."]
        if self.certificate is not None:
            words += self.certificate.sentences()[1:]
        return words

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it; null for a bound that is infinite."""
        low, high = (bound if math.isfinite(bound) else None for bound in self.mean)
        return {
            "mean_bounds": [low, high],
            "mean_is_infinite": True if low is None else False if high is not None else None,
            "kind": self.kind,
            "why_no_upper_bound": self.why or None,
            "certificate": None if self.certificate is None else self.certificate.to_record(),
        }

    more = ".mean, .more_than(t), .certificate, .to_record()"

    def _facts(self) -> list[tuple[str, object]]:
        chances = [(f"P(evaluations > {t})", between(self.more_than(t), 6)) for t in (1, 10, 100)]
        return [*(("mean", line) for line in self.sentences()), *chances]


def enclose(spec: RunSpec, progress: Shown = None, solved: SolvedChain | None = None) -> Enclosure:
    """Bounds on E[evaluations] and on P(evaluations > t), which hold with all rounding.

    Args:
        spec: the setting; its budget is passed over.
        progress: is told of states done and known; True shows a bar.
        solved: its chain, if it is there.

    Raises:
        BadInput: `exact` has no answer.
    """
    with telling(progress, states_bar) as tell:
        return _enclosed(a_spec(spec), tell, solved)


def _enclosed(spec: RunSpec, progress: Progress | None, solved: SolvedChain | None) -> Enclosure:
    solved = solved or solve_chain(spec, progress=progress)
    kernel, solution = solved.kernel, solved.solution
    answers = kernel.start @ solution.values
    rounding = _rounding(kernel)
    optimum, lost = float(answers[OPTIMUM_]), float(answers[LOST])
    times = EvaluationTimes(kernel, optimum, lost)

    def answer(mean: Bounds, why: str = "", certificate: Certificate | None = None) -> Enclosure:
        return Enclosure(spec, mean, why, certificate, lost, len(solved.chain), rounding, times)

    if answers[STUCK] > 0 or answers[ENDLESS] > 0:
        return answer((math.inf, math.inf))
    going = _Going(kernel)
    low = going.mean(going.less(rounding), rounding, -1)
    if not kernel.loss[going.rows].any():
        return answer((low, going.mean(going.more(None, rounding), rounding, 1)))
    try:
        check_supported(spec)
        beyond_of(spec, UPPER, [])
        cuts = _cuts(spec, solved, going.rows)
        weights = [(cut.tree, max(float(solution.offspring[cut.state]), 0.0) * cut.chance) for cut in cuts]
        found = closed(spec, weights=weights, most_trees=_MOST_TREES, progress=progress)
    except BadInput as error:
        return answer((low, math.inf), error.allowed)
    if not isinstance(found, Certificate):
        return answer((low, math.inf), found.why)
    costs = np.zeros(len(kernel.level))
    for cut in cuts:
        costs[cut.state] += cut.chance * float(found.at(cut.tree) - 1)
    return answer((low, going.mean(going.more(costs, rounding), rounding, 1)), "", found)


def cut_times(spec: RunSpec) -> list[tuple[Tree, float]]:
    """For each state that a cut run can be in, the expected further evaluations before it ends or is cut off."""
    chain, states, kernel, _ = solve_chain(spec)
    going = _Going(kernel)
    times = going.less(_rounding(kernel))
    return [(states.tree(chain.states[row]), float(times[row])) for row in going.rows.tolist()]


class _Cut(NamedTuple):
    """A way of being lost: from which state, with which chance, and a tree whose φ bounds what comes."""

    state: int
    chance: float
    tree: Tree


def _cuts(spec: RunSpec, solved: SolvedChain, rows: Rows) -> list[_Cut]:
    """All ways of being lost. With many operations: the state itself, since φ is no larger at what was accepted."""
    chain, states, kernel = solved.chain, solved.states, solved.kernel
    losing = [int(row) for row in rows if kernel.loss[row] > 0]
    if isinstance(kernel, MultiKernel):
        return [_Cut(row, float(kernel.loss[row]), states.tree(chain.states[row])) for row in losing]
    numbers, process = set(chain.states), SingleOperation(spec, states)
    return [
        _Cut(row, float(chance), states.tree(after))
        for row in losing
        for after, chance in process.after(chain.states[row]).items()
        if after not in numbers and states.fitness(after) != spec.best
    ]


def _rounding(kernel: Kernel) -> float:
    """The relative error of an entry of the kernel, and of sums with it."""
    longest = int(np.diff(kernel.matrix.indptr).max(initial=0)) + int(np.diff(kernel.transposed.indptr).max(initial=0))
    operations = kernel.operations if isinstance(kernel, MultiKernel) else 1
    return (longest + _ROUNDINGS) * operations * 2.0**-52


class _Going:
    """The states from which a run goes on, and the equations on them, level by level."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel, self._leave = kernel, kernel.accepted + kernel.loss
        reached: Mask = kernel.start > 0
        while True:
            more = reached | (kernel.push(reached.astype(np.float64)) > 0)
            if (more == reached).all():
                break
            reached = more
        self.rows: Rows = np.flatnonzero(reached & ~kernel.optimal & kernel.allowed)

    def _solved(self, right: Vector) -> Vector:
        """u with (Σ P + r) u − P u as this, in floats."""
        kernel, values = self._kernel, np.zeros(len(self._leave))
        levels = [0] if kernel.falls else sorted(set(kernel.level[self.rows].tolist()), reverse=True)
        for level in levels:
            rows = self.rows if kernel.falls else self.rows[kernel.level[self.rows] == level]
            above = right[rows] + kernel.through(values, rows)
            block = kernel.block(rows)
            if block.nnz:
                values[rows] = SparseSolve(sparse.csc_array(sparse.diags_array(self._leave[rows]) - block))(above)
            else:
                values[rows] = above / self._leave[rows]
        return values

    def more(self, costs: Vector | None, rounding: float) -> Vector:
        """Surely no less than the expected further evaluations."""
        costs = np.zeros(len(self._leave)) if costs is None else costs
        values = np.maximum(self._solved(1 + costs), 0.0)
        accepted, lost, back = self._parts(values)
        drift = accepted + lost - back - rounding * (accepted + lost + back)
        share = drift / ((1 + costs[self.rows]) * (1 + rounding))
        if isinstance(self._kernel, MultiKernel):  # runs may be lost more seldom than it says
            share = np.minimum(share, accepted - back - rounding * (accepted + back))
        least = float(share.min(initial=1.0))
        return values / least if least > 0 else np.full_like(values, math.inf)

    def less(self, rounding: float) -> Vector:
        """Surely no more than the expected further evaluations before the run ends or is lost."""
        values = np.maximum(self._solved(np.ones(len(self._leave))), 0.0)
        accepted, lost, back = self._parts(values)
        drift = accepted + lost - back + rounding * (accepted + lost + back)
        return np.asarray(values / float(drift.max(initial=1.0)))

    def _parts(self, values: Vector) -> tuple[Vector, Vector, Vector]:
        """What goes where something is accepted, or lost, and what comes back: their difference is the drift."""
        kernel, rows = self._kernel, self.rows
        return kernel.accepted[rows] * values[rows], kernel.loss[rows] * values[rows], kernel.through(values, rows)

    def mean(self, further: Vector, rounding: float, sign: int) -> float:
        """1 + E[further(X₀)], rounded outwards."""
        begun = self._kernel.start > 0
        return (1 + float(self._kernel.start[begun] @ further[begun])) * (1 + 2 * sign * rounding)
