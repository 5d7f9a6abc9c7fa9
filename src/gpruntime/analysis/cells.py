"""The estimates of one cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import LEVEL, NOTHING, Estimate, Sums, mean, share
from gpruntime.analysis.plotting import Result
from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK, Address, CellRuns, Times
from gpruntime.analysis.survival import Survival
from gpruntime.analysis.times import (
    expected_running_time,
    mean_time,
    mean_time_given_optimum,
    restricted_mean,
    time_quantiles,
)
from gpruntime.model.mutation import KINDS
from gpruntime.model.row import POPULATION_COLUMN
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import columns_of, sentence


@dataclass(frozen=True)
class CellEstimate(Result):
    """What the runs of one cell say about its time, in evaluations.

    Attributes:
        spec: the cell.
        runs, optimum, stuck, budget: how many runs, and how they ended.
        chance: P(optimum); where there is a budget, within it.
        mean: E[time]. Infinite where runs were stuck, unknown where the budget stopped some.
        given_optimum: E[time | optimum] over the runs that reached it; where the budget stopped others, that is only
            the mean of the fast ones.
        deviation, skewness: of those times, the standard deviation; a skewness of 0 where it is not known.
        quantiles: of the time of all runs, by probability.
        expected_running_time: all evaluations spent ÷ successes.
        restricted: E[min(time, budget)], where the budget stopped runs.
        max_leaves: E[T_max].
        acceptance: accepted ÷ proposed operations, by kind.
        survival: P(time > t).
        addresses: from which the runs can be repeated.
        leaves_variance: the relative variance of the mean T_max.
        leaves_covariance: its relative covariance with the mean time of the runs that reached the optimum.
        max_population: E[P_max], of algorithms with populations.
    """

    spec: RunSpec
    runs: int
    optimum: int
    stuck: int
    budget: int
    chance: Estimate
    mean: Estimate
    given_optimum: Estimate
    deviation: float | None
    quantiles: dict[float, Estimate]
    expected_running_time: Estimate
    restricted: Estimate
    max_leaves: Estimate
    acceptance: dict[str, Estimate]
    survival: Survival = field(repr=False, compare=False)
    addresses: tuple[Address, ...] = ()
    leaves_variance: float = 0.0
    leaves_covariance: float = 0.0
    max_population: Estimate = NOTHING
    skewness: float = 0.0

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.spec.n

    @property
    def name(self) -> str:
        """The setting and the size."""
        return f"{sentence(self.spec)}, n = {self.n:,}"

    @property
    def median(self) -> Estimate:
        """The median time of all runs."""
        return self.quantiles[0.5]

    @property
    def complete(self) -> bool:
        """Whether every run reached the optimum."""
        return self.optimum == self.runs

    @property
    def relative_variance(self) -> float | None:
        """(s/x̄)² of the times that reached the optimum; None with fewer than two."""
        value = self.given_optimum.value
        return None if self.deviation is None or not value else (self.deviation / value) ** 2

    def __repr__(self) -> str:
        return f"<CellEstimate of {self.name}: {formatting.plural(self.runs, 'run')}, mean time {self.mean}>"

    def sentences(self) -> list[str]:
        """The caveat, if there is one."""
        return list(filter(None, [self.caveat()]))

    @property
    def not_ended(self) -> str:
        """How runs that did not reach the optimum ended, in words; nothing where there are none."""
        ends = [(self.stuck, "stuck for ever"), (self.budget, "stopped by the budget")]
        return formatting.listing([how for count, how in ends if count] or [""])

    def caveat(self) -> str:
        """What has to be said before any mean of this cell; nothing where all runs reached the optimum."""
        runs, parts = formatting.plural(self.runs, "run"), []
        if self.optimum == 0:
            parts.append(f"none of {runs} reached the optimum")
        if self.stuck:
            parts.append(f"{self.stuck:,} of {runs} stuck for ever: the mean is infinite")
        if self.budget:
            what = "the mean is at least the restricted one" if not self.stuck else "more may be stuck"
            parts.append(f"{self.budget:,} of {runs} stopped by the budget: {what}")
        return "; ".join(parts)

    def to_record(self) -> dict[str, Any]:
        """One flat row: the setting, numbers (`Above` beyond a budget, None where unknown), and the caveat."""
        record: dict[str, Any] = {
            **columns_of(self.spec.in_one_spelling()),
            "cell": self.spec.cell_id,
            "runs": self.runs,
            "optimum": self.optimum,
            "stuck": self.stuck,
            "stopped_by_budget": self.budget,
        }
        estimates = {
            "p_optimum": self.chance,
            "mean": self.mean,
            "mean_given_optimum": self.given_optimum,
            "expected_running_time": self.expected_running_time,
            "restricted_mean": self.restricted,
            **{f"quantile_{probability:g}": value for probability, value in self.quantiles.items()},
            "mean_max_leaves": self.max_leaves,
            **({f"mean_{POPULATION_COLUMN}": self.max_population} if self.spec.has_population else {}),
            **{f"acceptance_{kind}": self.acceptance[kind] for kind in KINDS},
        }
        for name, estimate in estimates.items():
            record |= estimate.columns(name)
        return record | {"deviation_given_optimum": self.deviation, "caveat": self.caveat()}

    def to_records(self) -> list[dict[str, Any]]:
        """The same as a table of one row."""
        return [self.to_record()]


def estimate_cell(runs: Times, level: float = LEVEL) -> CellEstimate:
    """All estimates of a cell: from rows, or those that a summary allows."""
    optimum, stuck, budget = (runs.count(code) for code in (OPTIMUM, STUCK, BUDGET))
    given, moments = mean_time_given_optimum(runs, level), runs.moments()
    of_trees: dict[str, Any] = {"max_leaves": NOTHING, "acceptance": dict.fromkeys(KINDS, NOTHING)}
    if isinstance(runs, CellRuns):
        of_trees = _of_trees(runs, level)
    return CellEstimate(
        spec=runs.spec,
        runs=len(runs),
        optimum=optimum,
        stuck=stuck,
        budget=budget,
        chance=runs.share(OPTIMUM, level),
        mean=mean_time(runs, level) if stuck or budget else given,
        given_optimum=given,
        deviation=moments.deviation if optimum > 1 else None,
        skewness=moments.skewness,
        quantiles=time_quantiles(runs, runs.probabilities, level),
        expected_running_time=given if optimum == len(runs) else expected_running_time(runs, level),
        restricted=restricted_mean(runs, level),
        survival=runs.survival(level),
        **of_trees,
    )


def _of_trees(runs: CellRuns, level: float) -> dict[str, Any]:
    """What rows say of trees and operations, and where they are to be found.

    Variance and covariance of the means come from each run's share in the error of either.
    """
    estimates = {
        "max_leaves": mean(runs.max_leaves.astype(float), level) if runs.max_leaves.any() else NOTHING,
        "acceptance": {kind: _acceptance(runs, kind, level) for kind in KINDS},
        "addresses": runs.addresses,
        "max_population": NOTHING if runs.max_population is None else mean(runs.max_population.astype(float), level),
    }
    leaves, times, reached = runs.max_leaves.astype(float), runs.of_optimum(), runs.outcome == OPTIMUM
    if len(times) < 2 or leaves.mean() == 0:
        return estimates
    of_leaves = (leaves / leaves.mean() - 1) / len(leaves)
    of_times = (times / times.mean() - 1) / len(times)
    unbiased = len(times) / (len(times) - 1)
    return estimates | {
        "leaves_variance": float(unbiased * of_leaves @ of_leaves),
        "leaves_covariance": float(unbiased * of_leaves[reached] @ of_times),
    }


def _acceptance(runs: CellRuns, kind: str, level: float) -> Estimate:
    p, a, pp, pa, aa = runs.operations[kind]
    return share(Sums.of_products(len(runs), a, p, aa, pa, pp), level)
