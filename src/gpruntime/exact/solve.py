"""Expected times and success probabilities of a run, from its Markov chain, without sampling.

The path of an answer: `plan_for` (how far the chain is built: `sizes`) → `states_of` (what a state is: `states`) →
`explore_*` (which states, with which probabilities: `chain`, `population`) → `Kernel` (which steps are accepted:
`kernel`) → `solve_levels` or `solve_rationally` (the equations: `levels`, `rational`) → `ExactResult`, with the
distribution on demand (`times`).

The budget of a spec is no part of its law and is passed over.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gpruntime.exact.chain import Chain, Progress, TooManyStates, explore_accepted, explore_proposals
from gpruntime.exact.kernel import Kernel, MultiKernel, SingleKernel, Vector
from gpruntime.exact.levels import ENDLESS, LOST, OPTIMUM_, SQUARE, STUCK, TIME, Solution, solve_levels
from gpruntime.exact.population import explore_population
from gpruntime.exact.rational import solve_rationally
from gpruntime.exact.sizes import Plan, plan_for, too_many
from gpruntime.exact.states import is_multi
from gpruntime.exact.times import EvaluationTimes
from gpruntime.model.face import facts
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

RATIONAL, ROUNDED, TRUNCATED = "rational", "exact up to rounding", "truncated"


class Level(NamedTuple):
    """One fitness level.

    Attributes:
        fitness: f.
        entered: P(the run comes to a tree of this fitness).
        optimum: P(optimum | it does).
        evaluations: E[further evaluations | it does, and reaches the optimum]; None if it cannot.
    """

    fitness: Fitness
    entered: float
    optimum: float
    evaluations: float | None


@dataclass(frozen=True, repr=False)
class ExactResult:
    """The answer. Evaluations count the initial tree's; those of the stuck runs are infinite and in no mean.

    Attributes:
        spec: what was asked.
        kind: "rational", "exact up to rounding" or "truncated".
        states: how many states the chain has.
        form: what a state is, in words.
        measure: what the levels are: "fitness", or "on the front", how many trees of the front are held.
        optimum: P(optimum).
        stuck: P(stuck).
        endless: P(moves for ever): the run comes to trees from which no optimal one can be reached, and goes on.
        lost: for a truncated answer, what each probability may be too small by (`kernel`); otherwise 0.
        mean: E[evaluations | optimum], None if P(optimum) = 0. Of a truncated answer: over the runs that are not lost.
        deviation: the standard deviation of the evaluations, given the optimum.
        levels: fitness level by fitness level, from the worst; none under a rule by which fitness can get worse.
        residual: the largest residual of a sparse solve; 0 where none was needed.
        error: the bound on the error of E[evaluations; optimum] that follows from the residuals (`levels`).
        operations: for many operations, K: offspring with more were cut off.
        most_leaves: L, where there is one: offspring that pass through larger trees were cut off.
        times: the distribution of the evaluations.
    """

    spec: RunSpec
    kind: str
    states: int
    form: str
    measure: str
    optimum: float | Fraction
    stuck: float | Fraction
    endless: float | Fraction
    lost: float
    mean: float | Fraction | None
    deviation: float | None
    levels: list[Level]
    residual: float
    error: float
    operations: int | None
    most_leaves: int | None
    times: EvaluationTimes = field(repr=False, compare=False)

    def __repr__(self) -> str:
        return (
            f"<ExactResult: {self._title()}: P(optimum) {float(self.optimum):.6g}, mean {_short(self.expected)}, "
            f"{self.states:,} states, {self.kind}\n"
            " .optimum, .stuck, .mean (given the optimum), .deviation, .quantile(level), .times, .levels>"
        )

    def _title(self) -> str:
        return f"{self.spec.algorithm_.name} on {self.spec.problem_.name}, n = {self.spec.n:,}"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("answer", self.kind),
            ("states", f"{self.states:,}, {self.form}"),
            ("P(optimum)", f"{float(self.optimum):.10f}"),
            ("P(stuck)", f"{float(self.stuck):.10f}"),
            *([("P(neither)", f"{float(self.endless):.10f}")] if self.endless > 0 else []),
            ("mean evaluations", _short(self.expected)),
        ]
        if self.mean is not None:
            rows.append(("mean, given the optimum", f"{float(self.mean):,.8g}"))
        if self.deviation is not None:
            rows.append(("deviation, given the optimum", f"{self.deviation:,.8g}"))
        return facts(self._title(), rows, more="More: .quantile(level), .times.at_most(t), .levels")

    @property
    def expected(self) -> float | Fraction | None:
        """E[evaluations] of all runs: infinite if the optimum can be missed, None if a truncated answer cannot tell."""
        if self.stuck > 0 or self.endless > 0:
            return math.inf
        return None if self.kind == TRUNCATED else self.mean

    def quantile(self, level: float, work: int | None = None) -> int | None:
        """The smallest t with P(evaluations ≤ t | optimum) ≥ level.

        None if there is none, or if finding it would take more than `work` products of probabilities.
        """
        return self.times.quantile(level, None if work is None else work // self.times.work_per_evaluation)


def _short(mean: float | Fraction | None) -> str:
    return "unknown" if mean is None else "infinite" if mean == math.inf else f"{float(mean):,.8g}"


def solve(
    spec: RunSpec, rational: bool = False, progress: Progress | None = None, most_states: int | None = None
) -> ExactResult:
    """Solves a run. `progress` is called with the number of states done and known; more than `most_states` are refused.

    Raises:
        BadInput: this cannot be solved, or not in the memory and time there is; said before anything is built.
    """
    plan = plan_for(spec, rational)
    if most_states is not None:
        plan = dataclasses.replace(plan, most_states=min(plan.most_states, most_states))
    strict, multi = spec.accept_.is_strict and not spec.has_population, is_multi(spec)
    try:
        chain, kernel = _built(spec, plan, rational, progress)
    except TooManyStates:
        raise too_many(spec, plan.most_states) from None
    solution = solve_levels(kernel, strict)
    answers = kernel.start @ solution.values
    optimum, mean, deviation = _moments(answers)
    truncated = spec.algorithm_.multi or answers[LOST] > 0
    result = ExactResult(
        spec=spec,
        kind=TRUNCATED if truncated else ROUNDED,
        states=len(chain) - multi,  # without lost
        form=chain.form,
        measure=chain.measure,
        optimum=optimum,
        stuck=float(answers[STUCK]),
        endless=float(answers[ENDLESS]),
        lost=float(answers[LOST]),
        mean=mean,
        deviation=deviation,
        levels=_levels(kernel, solution),
        residual=solution.residual,
        error=solution.error,
        operations=plan.operations if multi else None,
        most_leaves=plan.most_leaves,
        times=EvaluationTimes(kernel, optimum),
    )
    return _in_fractions(result, chain, strict, kernel.falls) if rational else result


def _built(spec: RunSpec, plan: Plan, rational: bool, progress: Progress | None) -> tuple[Chain, Kernel]:
    if spec.has_population:
        chain = explore_population(spec, rational, plan.most_states, progress, plan.most_leaves)
        return chain, SingleKernel(chain)
    if not is_multi(spec):
        chain, _ = explore_accepted(spec, rational, plan.most_states, progress, plan.most_leaves)
        return chain, SingleKernel(chain)
    assert plan.most_leaves is not None
    chain, states = explore_proposals(spec, plan.most_leaves, plan.most_states, progress)
    return chain, MultiKernel(spec, chain, states, plan.operations)


def _moments(answers: Vector) -> tuple[float, float | None, float | None]:
    """P(optimum), mean and deviation; the initial tree's evaluation is added to the mean."""
    optimum = float(answers[OPTIMUM_])
    if optimum <= 0:
        return optimum, None, None
    mean, square = float(answers[TIME]) / optimum, float(answers[SQUARE]) / optimum
    return optimum, 1 + mean, math.sqrt(max(square - mean**2, 0.0))


def _levels(kernel: Kernel, solution: Solution) -> list[Level]:
    levels: list[Level] = []
    values, entries = solution.values, solution.entries
    if entries is None:
        return levels
    for place, fitness in enumerate(kernel.values):
        rows = np.flatnonzero(kernel.level == place)
        entered = float(entries[rows].sum())
        optimum = float(entries[rows] @ values[rows, OPTIMUM_])
        time = float(entries[rows] @ values[rows, TIME])
        if entered > 0:
            levels.append(Level(fitness, entered, optimum / entered, time / optimum if optimum > 0 else None))
    return levels


def _in_fractions(result: ExactResult, chain: Chain, strict: bool, falls: bool) -> ExactResult:
    """The same answer with its main numbers as fractions; levels and distribution stay in floating point."""
    exact = solve_rationally(chain, strict, falls)
    mean = deviation = None
    if exact.optimum > 0:
        further = exact.time / exact.optimum
        mean, deviation = 1 + further, math.sqrt(exact.square / exact.optimum - further**2)
    return dataclasses.replace(
        result,
        kind=RATIONAL,
        optimum=exact.optimum,
        stuck=exact.stuck,
        endless=1 - exact.optimum - exact.stuck,
        mean=mean,
        deviation=deviation,
        residual=0.0,
        error=0.0,
    )
