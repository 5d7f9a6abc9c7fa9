"""Expected times and success probabilities of a run, from its Markov chain, without sampling.

The path of an answer: `states_of` (what a state is: `majority`, `order`) → `explore_*` (which states, with which
probabilities: `chain`) → `Kernel` (which steps are accepted: `kernel`) → `solve_levels` or `solve_rationally` (the
equations: `levels`, `rational`) → `ExactResult`, with the distribution on demand (`times`).

The budget of a spec is no part of its law and is passed over.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gpruntime.exact.chain import Chain, Progress, explore_accepted, explore_proposals
from gpruntime.exact.kernel import Kernel, MultiKernel, SingleKernel, Vector
from gpruntime.exact.levels import LOST, OPTIMUM_, SQUARE, STUCK, TIME, solve_levels
from gpruntime.exact.rational import solve_rationally
from gpruntime.exact.sizes import plan_for
from gpruntime.exact.times import EvaluationTimes
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

    fitness: int
    entered: float
    optimum: float
    evaluations: float | None


@dataclass(frozen=True)
class ExactResult:
    """The answer. Evaluations count the initial tree's; those of the stuck runs are infinite and in no mean.

    Attributes:
        spec: what was asked.
        kind: "rational", "exact up to rounding" or "truncated".
        states: how many states the chain has.
        optimum: P(optimum).
        stuck: P(stuck).
        lost: for a truncated answer, what each probability may be too small by (`kernel`); otherwise 0.
        mean: E[evaluations | optimum], None if P(optimum) = 0. Of a truncated answer: over the runs that are not lost.
        deviation: the standard deviation of the evaluations, given the optimum.
        levels: fitness level by fitness level.
        residual: the largest residual of a sparse solve; 0 where none was needed.
        error: the bound on the error of E[evaluations; optimum] that follows from the residuals (`levels`).
        operations: for multi, K: offspring with more operations were cut off.
        most_leaves: for multi, L: offspring that pass through larger trees were cut off.
        times: the distribution of the evaluations.
    """

    spec: RunSpec
    kind: str
    states: int
    optimum: float | Fraction
    stuck: float | Fraction
    lost: float
    mean: float | Fraction | None
    deviation: float | None
    levels: list[Level]
    residual: float
    error: float
    operations: int | None
    most_leaves: int | None
    times: EvaluationTimes = field(repr=False, compare=False)

    def quantile(self, level: float, work: int | None = None) -> int | None:
        """The smallest t with P(evaluations ≤ t | optimum) ≥ level.

        None if there is none, or if finding it would take more than `work` products of probabilities.
        """
        return self.times.quantile(level, None if work is None else work // self.times.work_per_evaluation)


def solve(spec: RunSpec, rational: bool = False, progress: Progress | None = None) -> ExactResult:
    """Solves a run. `progress` is called with the number of states done and known.

    Raises:
        BadInput: this cannot be solved, or not in the memory and time there is; said before anything is built.
    """
    plan = plan_for(spec, rational)
    kernel: Kernel
    if spec.algorithm_.multi:
        chain, problem = explore_proposals(spec, plan.most_leaves, plan.most_states, progress)
        kernel = MultiKernel(spec, chain, problem, plan.operations)
        size = len(chain) - 1
    else:
        chain, _ = explore_accepted(spec, rational, plan.most_states, progress)
        kernel = SingleKernel(spec, chain)
        size = len(chain)
    solution = solve_levels(kernel, spec.algorithm_.strict)
    optimum, stuck, lost, mean, deviation = _totals(kernel.start @ solution.values)
    result = ExactResult(
        spec=spec,
        kind=TRUNCATED if spec.algorithm_.multi else ROUNDED,
        states=size,
        optimum=optimum,
        stuck=stuck,
        lost=lost,
        mean=mean,
        deviation=deviation,
        levels=_levels(kernel, solution.values, solution.entries),
        residual=solution.residual,
        error=solution.error,
        operations=plan.operations if spec.algorithm_.multi else None,
        most_leaves=plan.most_leaves if spec.algorithm_.multi else None,
        times=EvaluationTimes(kernel, optimum),
    )
    return _in_fractions(result, chain) if rational else result


def _totals(answers: Vector) -> tuple[float, float, float, float | None, float | None]:
    """P(optimum), P(stuck), P(lost), mean and deviation; the initial tree's evaluation is added to the mean."""
    optimum, stuck, lost = (float(answers[column]) for column in (OPTIMUM_, STUCK, LOST))
    if optimum <= 0:
        return optimum, stuck, lost, None, None
    mean, square = float(answers[TIME]) / optimum, float(answers[SQUARE]) / optimum
    return optimum, stuck, lost, 1 + mean, math.sqrt(max(square - mean**2, 0.0))


def _levels(kernel: Kernel, values: Vector, entries: Vector) -> list[Level]:
    levels = []
    for fitness in range(kernel.n + 1):
        rows = np.flatnonzero(kernel.fitness == fitness)
        entered = float(entries[rows].sum())
        optimum = float(entries[rows] @ values[rows, OPTIMUM_])
        time = float(entries[rows] @ values[rows, TIME])
        if entered > 0:
            levels.append(Level(fitness, entered, optimum / entered, time / optimum if optimum > 0 else None))
    return levels


def _in_fractions(result: ExactResult, chain: Chain) -> ExactResult:
    """The same answer with its main numbers as fractions; levels and distribution stay in floating point."""
    exact = solve_rationally(chain, result.spec.n, result.spec.algorithm_.strict)
    mean = deviation = None
    if exact.optimum > 0:
        further = exact.time / exact.optimum
        mean, deviation = 1 + further, math.sqrt(exact.square / exact.optimum - further**2)
    return dataclasses.replace(
        result,
        kind=RATIONAL,
        optimum=exact.optimum,
        stuck=exact.stuck,
        mean=mean,
        deviation=deviation,
        residual=0.0,
        error=0.0,
    )
