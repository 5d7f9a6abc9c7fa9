"""Expected times and success probabilities of a run, from its Markov chain, without sampling.

The path of an answer: `plan_for` (how far the chain is built: `sizes`) → `states_of` (what a state is: `kinds`) →
`explore` (which states, with which probabilities: `chain`, `population`) → `Kernel` (which steps are accepted:
`kernel`) → `solve_levels` or `solve_rationally` (the equations: `levels`, `rational`) → `ExactResult`, with the
distribution on demand (`times`).

The budget of a spec is no part of its law and is passed over.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gpruntime.exact.chain import (
    Chain,
    ManyOperations,
    Process,
    Progress,
    Proposals,
    SingleOperation,
    TooManyStates,
    explore,
)
from gpruntime.exact.kernel import Kernel, MultiKernel, SingleKernel, Vector
from gpruntime.exact.kinds import is_multi, states_of
from gpruntime.exact.law import number_law
from gpruntime.exact.levels import ENDLESS, LOST, OPTIMUM_, SQUARE, STUCK, TIME, Solution, solve_levels
from gpruntime.exact.population import population_of
from gpruntime.exact.rational import solve_rationally
from gpruntime.exact.sizes import Plan, plan_for, too_many
from gpruntime.exact.states import States
from gpruntime.exact.times import EvaluationTimes
from gpruntime.model.errors import whole
from gpruntime.model.face import Face, facts
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec, a_spec
from gpruntime.progress import Shown, states_bar, telling

Number = float | Fraction
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
class ExactResult(Face):
    """The answer. Evaluations count the initial tree's; those of the stuck runs are infinite and in no mean.

    A *truncated* answer leaves out some runs, the lost ones (`kernel`), and does not know what becomes of them. Its
    probabilities lie between bounds (`optimum_bounds` and so on), of its mean a lower bound is known, and what is not
    known is None.

    Attributes:
        spec: what was asked.
        kind: "rational", "exact up to rounding" or "truncated".
        states: how many states the chain has.
        form: what a state is, in words.
        measure: what the levels are: "fitness", or "on the front", how many trees of the front are held.
        optimum_at_least, stuck_at_least, endless_at_least: lower bounds of the probabilities; they are the
            probabilities themselves unless the answer is truncated.
        lost: P(lost), what each of them may be too small by; 0 unless the answer is truncated.
        mean_not_lost, deviation_not_lost: mean and standard deviation of the evaluations of the runs that reach the
            optimum and are not lost; None if there are none. For a truncated answer that is not E[evaluations |
            optimum], which may be far larger.
        levels: fitness level by fitness level, from the worst; none under a rule by which fitness can get worse, and
            none for a truncated answer.
        residual: the largest residual of a sparse solve; 0 where none was needed.
        error: the bound on the error of E[evaluations; optimum] that follows from the residuals (`levels`).
        operations: for many operations, K: offspring with more were cut off.
        most_leaves: L, where there is one: offspring that pass through larger trees were cut off.
        times: the distribution of the evaluations.
        solved: the chain itself, and what is known of each state.
    """

    spec: RunSpec
    kind: str
    states: int
    form: str
    measure: str
    optimum_at_least: Number
    stuck_at_least: Number
    endless_at_least: Number
    lost: float
    mean_not_lost: Number | None
    deviation_not_lost: float | None
    levels: list[Level]
    residual: float
    error: float
    operations: int | None
    most_leaves: int | None
    times: EvaluationTimes = field(repr=False, compare=False)
    solved: SolvedChain = field(repr=False, compare=False)

    ALSO: ClassVar = {
        "median": "quantile(0.5)",
        "variance": "std",
        "probability": "optimum",
        "success": "optimum",
        "mean_time": "mean",
        "pmf": "cdf",
    }

    @property
    def is_truncated(self) -> bool:
        """Whether runs were left out."""
        return self.kind == TRUNCATED

    @property
    def optimum(self) -> Number | None:
        """P(optimum); None for a truncated answer."""
        return None if self.is_truncated else self.optimum_at_least

    @property
    def stuck(self) -> Number | None:
        """P(stuck); None for a truncated answer."""
        return None if self.is_truncated else self.stuck_at_least

    @property
    def endless(self) -> Number | None:
        """P(moves for ever, from where no optimal tree can be reached); None for a truncated answer."""
        return None if self.is_truncated else self.endless_at_least

    @property
    def mean(self) -> Number | None:
        """E[evaluations | optimum]; None if P(optimum) = 0, and for a truncated answer."""
        return None if self.is_truncated else self.mean_not_lost

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the evaluations, given the optimum; None where there is no mean."""
        return None if self.is_truncated else self.deviation_not_lost

    std = deviation

    def cdf(self, evaluations: int) -> float | None:
        """P(the optimum is reached within so many evaluations); None where a truncated answer cannot tell."""
        return self.times.at_most(whole("evaluations", evaluations, 0))

    def plot(self) -> Any:
        """The figure of `cdf`: a notebook shows it, `.save(FOLDER)` writes it."""
        return importlib.import_module("gpruntime.show.exact").exact_figure(self)

    @property
    def optimum_bounds(self) -> tuple[Number, Number]:
        """Between which numbers P(optimum) is."""
        return self._bounds(self.optimum_at_least)

    @property
    def stuck_bounds(self) -> tuple[Number, Number]:
        """Between which numbers P(stuck) is."""
        return self._bounds(self.stuck_at_least)

    @property
    def endless_bounds(self) -> tuple[Number, Number]:
        """Between which numbers P(moves for ever) is."""
        return self._bounds(self.endless_at_least)

    def _bounds(self, least: Number) -> tuple[Number, Number]:
        return least, min(least + self.lost, 1.0) if self.is_truncated else least

    @property
    def mean_at_least(self) -> Number | None:
        """A lower bound of E[evaluations | optimum], the mean itself unless the answer is truncated; None if unknown.

        With p = P(optimum, not lost) and m the mean of those runs, a share x ≤ δ of all runs is lost and reaches the
        optimum all the same, after one evaluation at least. So the mean is at least (p·m + x)/(p + x), which falls
        with x, as m ≥ 1.
        """
        if self.mean_not_lost is None or not self.is_truncated:
            return self.mean_not_lost
        reached = self.optimum_at_least
        return (reached * self.mean_not_lost + self.lost) / (reached + self.lost)

    def __repr__(self) -> str:
        return (
            f"<ExactResult: {self._title()}: P(optimum) {between(self.optimum_bounds, 6)}, "
            f"mean {_short(self.expected)}, {self.states:,} states, {self.kind}\n"
            " .optimum, .stuck, .mean (given the optimum), .std, .quantile(level), .cdf(t), .plot(), .levels>"
        )

    def _title(self) -> str:
        return f"{self.spec.algorithm.name} on {self.spec.problem.name}, n = {self.spec.n:,}"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("answer", self.kind),
            ("states", f"{self.states:,}, {self.form}"),
            ("P(optimum)", between(self.optimum_bounds)),
            ("P(stuck)", between(self.stuck_bounds)),
            *([("P(neither)", between(self.endless_bounds))] if self.endless_at_least > 0 else []),
            ("mean evaluations", _short(self.expected)),
        ]
        if self.mean is not None:
            rows.append(("mean, given the optimum", f"{float(self.mean):,.8g}"))
        elif self.mean_at_least is not None:
            rows.append(("mean, given the optimum", f"at least {rounded_down(float(self.mean_at_least), 6):,.6f}"))
        if self.deviation is not None:
            rows.append(("deviation, given the optimum", f"{self.deviation:,.8g}"))
        return facts(self._title(), rows, more="More: .quantile(level), .cdf(t), .plot(), .levels")

    @property
    def expected(self) -> Number | None:
        """E[evaluations] of all runs: infinite if the optimum can be missed, None if a truncated answer cannot tell."""
        if self.stuck_at_least > 0 or self.endless_at_least > 0:
            return math.inf
        return self.mean

    def to_latex(self) -> str:
        """The answer and its levels as tables for a paper."""
        tables: str = importlib.import_module("gpruntime.show.latex_tables").exact_latex(self)  # downstream, when asked
        return tables

    def quantile(self, level: float, work: int | None = None) -> int | None:
        """The smallest t with P(evaluations ≤ t | optimum) ≥ level.

        None if there is none, if a truncated answer cannot tell (`quantile_bounds`), or if finding it would take more
        than `work` products of probabilities.
        """
        return self.times.quantile(level, self._evaluations(work))

    def quantile_bounds(self, level: float, work: int | None = None) -> tuple[int | None, int | None]:
        """Between which numbers that t is, each None where it is not known, or where finding it would take more."""
        return self.times.quantile_bounds(level, self._evaluations(work))

    def _evaluations(self, work: int | None) -> int | None:
        return None if work is None else work // self.times.work_per_evaluation


def between(bounds: tuple[Number, Number], digits: int = 10) -> str:
    """A number that is known, or the two that it is between, rounded outwards."""
    low, high = map(float, bounds)
    if low == high:
        return f"{low:.{digits}f}"
    return f"{rounded_down(low, digits):.{digits}f} to {-rounded_down(-high, digits):.{digits}f}"


def rounded_down(number: float, digits: int) -> float:
    """With this many digits after the point, and no more than it was."""
    scale: int = 10**digits
    return math.floor(Fraction(number) * scale) / scale


def _short(mean: Number | None) -> str:
    return "unknown" if mean is None else "infinite" if mean == math.inf else f"{float(mean):,.8g}"


def solve(spec: RunSpec, rational: bool = False, progress: Shown = None, most_states: int | None = None) -> ExactResult:
    """Solves a run. `progress` is called with the number of states done and known, or True for a bar.

    More than `most_states` are refused.

    Raises:
        BadInput: this cannot be solved, or not in the memory and time there is; said before anything is built.
    """
    plan = plan_for(a_spec(spec), rational)
    if most_states is not None:
        plan = dataclasses.replace(plan, most_states=min(plan.most_states, most_states))
    with telling(progress, states_bar) as tell:
        solved = solve_chain(spec, rational, tell, plan)
    chain, _, kernel, solution = solved
    multi = isinstance(kernel, MultiKernel)
    answers = kernel.start @ solution.values
    optimum, mean, deviation = _moments(answers)
    lost = float(answers[LOST])
    result = ExactResult(
        spec=spec,
        kind=TRUNCATED if lost > 0 else ROUNDED,
        states=len(chain) - multi,  # without lost
        form=chain.form,
        measure=chain.measure,
        optimum_at_least=min(optimum, 1.0),  # by rounding it may be a little more
        stuck_at_least=float(answers[STUCK]),
        endless_at_least=float(answers[ENDLESS]),
        lost=lost,
        mean_not_lost=mean,
        deviation_not_lost=deviation,
        levels=[] if lost > 0 else _levels(kernel, solution),
        residual=solution.residual,
        error=solution.error,
        operations=plan.operations if multi else None,
        most_leaves=plan.most_leaves if multi or lost > 0 else None,
        times=EvaluationTimes(kernel, optimum, lost),
        solved=solved,
    )
    return _in_fractions(result, chain, kernel.falls) if rational else result


class SolvedChain(NamedTuple):
    """A chain, what the states of its trees are, its kernel, and what is known of each state."""

    chain: Chain
    states: States
    kernel: Kernel
    solution: Solution


def solve_chain(
    spec: RunSpec, rational: bool = False, progress: Progress | None = None, plan: Plan | None = None
) -> SolvedChain:
    """The chain and its solution: of all states, if they are finitely many and not too many, else cut off at L."""
    plan = plan or plan_for(spec, rational)
    try:
        return _solved_chain(spec, rational, progress, plan)
    except TooManyStates:
        raise too_many(spec, plan.most_states) from None


def _solved_chain(spec: RunSpec, rational: bool, progress: Progress | None, plan: Plan) -> SolvedChain:
    states = states_of(spec, rational)
    if not is_multi(spec):
        kind: type[Process] = population_of(spec) or SingleOperation
        chain = explore(lambda: kind(spec, states), plan.most_states, plan.most_leaves, progress)
        return _with_kernel(spec, chain, states, SingleKernel(chain))
    if plan.finite and not plan.nothing_lost:
        try:
            return _whole(spec, states, plan, progress)
        except TooManyStates:
            if plan.most_leaves is None:
                raise
    chain = explore(lambda: Proposals(spec, states), plan.most_states, plan.most_leaves, progress)
    solved = _with_kernel(spec, chain, states, MultiKernel(spec, chain, states, plan.operations))
    if plan.nothing_lost and solved.kernel.start @ solved.solution.values[:, LOST] > 0:  # it improved more often
        with contextlib.suppress(TooManyStates):
            return _whole(spec, states, plan, progress)
    return solved


def _whole(spec: RunSpec, states: States, plan: Plan, progress: Progress | None) -> SolvedChain:
    """Many operations, with nothing cut off; half as many states, since each costs about twice as much."""
    weights, most = number_law(spec, plan.operations).weights, plan.most_states // 2
    chain = explore(lambda: ManyOperations(spec, states, weights, most), most, None, progress)
    return _with_kernel(spec, chain, states, SingleKernel(chain))


def _with_kernel(spec: RunSpec, chain: Chain, states: States, kernel: Kernel) -> SolvedChain:
    is_strict = spec.accept.is_strict and not spec.has_population
    return SolvedChain(chain, states, kernel, solve_levels(kernel, is_strict))


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


def _in_fractions(result: ExactResult, chain: Chain, falls: bool) -> ExactResult:
    """The same answer with its main numbers as fractions; levels and distribution stay in floating point."""
    exact = solve_rationally(chain, falls)
    mean = deviation = None
    if exact.optimum > 0:
        further = exact.time / exact.optimum
        mean, deviation = 1 + further, math.sqrt(exact.square / exact.optimum - further**2)
    return dataclasses.replace(
        result,
        kind=RATIONAL,
        optimum_at_least=exact.optimum,
        stuck_at_least=exact.stuck,
        endless_at_least=1 - exact.optimum - exact.stuck,
        mean_not_lost=mean,
        deviation_not_lost=deviation,
        residual=0.0,
        error=0.0,
    )
