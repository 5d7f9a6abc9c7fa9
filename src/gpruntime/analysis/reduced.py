"""The estimates of one cell from the summary of its runs, where no rows were kept (`store = "summaries"` in a plan).

Counts, means and deviations are those of the rows, exactly. P(optimum) has its exact binomial interval. The interval of
a mean is the rows' beyond `MOST_BOOTSTRAPPED` runs, with the skewness from the histogram; below it is Student's on the
scale of logarithms. A quantile is known to its bin: the value is the least time of it, and the interval goes from the
least time of one bin to the largest of another, so that it holds what the rows' interval holds. Tree sizes, accepted
operations and pairs of runs are not kept.

Of a summary that an earlier version stored, some times from 2⁵³ on may be in no bin (`gpruntime.gpu.summary`). Counts,
means and deviations are exact still. The skewness is not known then, so that a mean has Student's interval, and a
quantile that may be one of those times is only above what is known of it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.cells import PROBABILITIES, CellEstimate
from gpruntime.analysis.estimates import (
    LEVEL,
    NOTHING,
    Estimate,
    Values,
    clopper_pearson,
    exact_proportion,
    mean_from_sums,
    ratio_from_sums,
)
from gpruntime.analysis.formatting import Above
from gpruntime.analysis.survival import Survival
from gpruntime.model.mutation import KINDS
from gpruntime.model.run import Outcome

if TYPE_CHECKING:
    from gpruntime.gpu import RunsSummary

# The tail is what so many runs are made for.
TAIL = (0.99, 0.999, 0.9999, 0.99999, 0.999999)
_UNKNOWN = "an earlier version stored the summary, and times from 2⁵³ on only as a sum"


class _Bins(NamedTuple):
    """The bins that hold runs: their least times, their largest, and how many runs.

    The last may be open: it holds the runs that are in no bin, and the others may reach into it.
    """

    least: NDArray[np.int64]
    largest: NDArray[np.int64]
    runs: NDArray[np.int64]
    is_open: bool

    def middle(self) -> Values | None:
        """The times, roughly; None where some are not known."""
        return None if self.is_open else np.asarray(self.least / 2 + self.largest / 2)

    def of_rank(self, rank: int, ends: NDArray[np.int64]) -> int:
        """The bin of a run by its rank, with the runs of each bin at one of its ends."""
        order = np.argsort(ends, kind="stable")
        return int(order[np.searchsorted(np.cumsum(self.runs[order]), rank)])


def estimate_summary(found: RunsSummary, level: float = LEVEL) -> CellEstimate:
    """All estimates that a summary allows."""
    optimum, stuck, budget = (found.outcomes[outcome] for outcome in (Outcome.OPTIMUM, Outcome.STUCK, Outcome.BUDGET))
    bins = _bins(found)
    given = _mean(optimum, found.total, found.squares, bins.middle(), bins.runs, level)
    if optimum == 0:
        given = dataclasses.replace(given, remark="no run reached the optimum")
    elif budget:
        given = dataclasses.replace(given, remark="only of the runs that ended within the budget")
    return CellEstimate(
        spec=found.spec,
        runs=found.runs,
        optimum=optimum,
        stuck=stuck,
        budget=budget,
        chance=exact_proportion(optimum, found.runs, level),
        mean=_mean_of_all(found.runs, stuck, budget, level) or given,
        given_optimum=given,
        deviation=found.deviation() if optimum > 1 else None,
        quantiles={probability: _quantile(found, bins, probability, level) for probability in (*PROBABILITIES, *TAIL)},
        expected_running_time=given if optimum == found.runs else _running_time(found, level),
        restricted=_restricted(found, bins, level) if budget else NOTHING,
        max_leaves=NOTHING,
        acceptance=dict.fromkeys(KINDS, NOTHING),
        survival=_survival(found, bins, level),
    )


def _bins(found: RunsSummary) -> _Bins:
    from gpruntime.gpu import OPEN_BIN, bin_begins, bin_ends

    places, is_open = np.flatnonzero(found.histogram), found.unbinned > 0
    least, largest, runs = bin_begins()[places], bin_ends()[places], found.histogram[places]
    if is_open:
        least, largest = np.append(least, bin_begins()[OPEN_BIN]), np.append(largest, bin_ends()[-1])
        runs = np.append(runs, found.unbinned)
    return _Bins(least, largest, runs, is_open)


def _mean_of_all(runs: int, stuck: int, budget: int, level: float) -> Estimate | None:
    """Where the mean of all runs is infinite or unknown."""
    if stuck:
        return Estimate(math.inf, level=level, remark=f"{stuck:,} of {runs:,} runs never end")
    if budget:
        return Estimate(None, level=level, remark=f"{budget:,} of {runs:,} runs were stopped by the budget")
    return None


def _mean(
    count: int, total: int, squares: int, values: Values | None, weights: NDArray[np.int64], level: float
) -> Estimate:
    """From exact sums; the skewness from values that are known roughly, each with its weight."""
    if count < 2:
        return mean_from_sums(count, float(total), 0.0, 0.0, level)
    variance = (squares * count - total**2) / (count * (count - 1))
    skewness = None
    if values is not None:
        third = float(weights @ (values - total / count) ** 3) / count
        skewness = third / variance**1.5 if variance else 0.0
    return mean_from_sums(count, total / count, math.sqrt(variance), skewness, level)


def _restricted(found: RunsSummary, bins: _Bins, level: float) -> Estimate:
    """E[min(time, budget)]; a stuck run counts in full."""
    budget = found.spec.budget
    if budget is None:
        return NOTHING
    others = found.runs - found.optima
    total, squares = found.total + others * budget, found.squares + others * budget**2
    middle, weights = bins.middle(), np.append(bins.runs, others)
    values = None if middle is None else np.append(middle, budget)
    return _mean(found.runs, total, squares, values, weights, level)


def _running_time(found: RunsSummary, level: float) -> Estimate:
    """All evaluations ÷ successes. The squares of stuck runs' evaluations are not kept, so these have no interval."""
    stuck, budget = found.outcomes[Outcome.STUCK], found.outcomes[Outcome.BUDGET]
    if stuck and found.optima:
        return Estimate(found.evaluations / found.optima, level=level, remark="no interval where runs are stuck")
    squares = found.squares + budget * (found.spec.budget or 0) ** 2
    return ratio_from_sums(found.runs, found.evaluations, found.optima, squares, found.total, found.optima, level)


def _quantile(found: RunsSummary, bins: _Bins, probability: float, level: float) -> Estimate:
    """The time of that rank, with the interval of two order statistics: the ranks are those of a binomial law."""
    if found.runs == 0:
        return Estimate(None, level=level, remark="no runs")
    from scipy import stats

    def beyond(rank: int) -> float:
        """The time of a run that did not reach the optimum."""
        stopped = rank <= found.optima + found.outcomes[Outcome.BUDGET]
        return Above(found.spec.budget or 0) if stopped else math.inf

    def at_least(rank: int) -> float:
        return float(bins.least[bins.of_rank(rank, bins.least)]) if rank <= found.optima else beyond(rank)

    def at_most(rank: int) -> float:
        if rank > found.optima:
            return beyond(rank)
        place = bins.of_rank(rank, bins.largest)
        is_open = bins.is_open and place == len(bins.runs) - 1
        return Above(bins.least[place] - 1) if is_open else float(bins.largest[place])

    middle = max(math.ceil(probability * found.runs), 1)
    value, remark = at_least(middle), ""
    if middle <= found.optima and bins.is_open and at_most(middle) >= bins.least[-1] - 1:
        value, remark = Above(value - 1), _UNKNOWN
    if probability == 0.5 and found.runs // 2 + 1 > found.optima:  # of an even number the lower one, unless the
        upper = beyond(found.runs // 2 + 1)  # upper one never ends
        value = upper if upper == math.inf else Above(value)
    law = stats.binom(found.runs, probability)
    low, high = int(law.ppf((1 - level) / 2)), int(law.isf((1 - level) / 2)) + 1
    if low < 1 or high > found.runs:
        return Estimate(value, level=level, remark=remark or "too few runs for an interval")
    return Estimate(value, at_least(low), at_most(high), level, "order statistics of bins", remark)


def _survival(found: RunsSummary, bins: _Bins, level: float) -> Survival:
    """P(time > t), exact where a bin ends; known up to where runs are in no bin."""
    limits = [float(found.spec.budget or 0)] if found.outcomes[Outcome.BUDGET] else []
    known = np.ones(len(bins.runs), bool)
    if bins.is_open:
        limits.append(float(bins.least[-1] - 1))
        known = bins.largest < bins.least[-1]
    beyond = found.runs - np.cumsum(bins.runs[known])
    low, high = clopper_pearson(beyond, found.runs, level)
    return Survival(
        bins.largest[known].astype(float), beyond / max(found.runs, 1), low, high, min(limits, default=None)
    )
