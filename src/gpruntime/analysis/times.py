"""The time of a cell's runs, in evaluations. A stuck run's is infinite, a stopped run's above the budget.

So the mean is infinite where runs are stuck, and unknown where the budget stopped some; a quantile looks at ranks only.
`Columns` answers from here, when it is asked.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.estimates import LEVEL, Estimate, checked_level, mean, proportion, quantile
from gpruntime.analysis.formatting import Above
from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK, Times
from gpruntime.analysis.survival import ranked_times
from gpruntime.model.errors import BadInput

_BEYOND = 1e300  # above every budget and below infinity


def mean_time(runs: Times, level: float = LEVEL) -> Estimate:
    """E[time]: infinite where runs are stuck, unknown where the budget stopped some."""
    stuck, stopped = (int((runs.outcome == code).sum()) for code in (STUCK, BUDGET))
    if stuck:
        return Estimate(math.inf, level=checked_level(level), remark=f"{stuck:,} of {len(runs):,} runs never end")
    if stopped:
        remark = f"{stopped:,} of {len(runs):,} runs were stopped by the budget"
        return Estimate(None, level=checked_level(level), remark=remark)
    return mean_time_given_optimum(runs, level)


def mean_time_given_optimum(runs: Times, level: float = LEVEL) -> Estimate:
    """E[time | optimum], over the runs that reached it; where a budget stopped others, these are the fast ones."""
    found = mean(runs.evaluations[runs.outcome == OPTIMUM].astype(float), checked_level(level))
    if found.value is None:
        return dataclasses.replace(found, remark="no run reached the optimum")
    if (runs.outcome == BUDGET).any():
        return dataclasses.replace(found, remark="only of the runs that ended within the budget")
    return found


def time_quantile(runs: Times, probability: float = 0.5, level: float = LEVEL) -> Estimate:
    """A quantile of the time of all runs: infinite among stuck runs, `Above` the budget beyond it."""
    if not 0 < probability < 1:
        raise BadInput("probability", probability, "must be above 0 and below 1")
    return time_quantiles(runs, (probability,), level)[probability]


def time_quantiles(runs: Times, probabilities: tuple[float, ...], level: float = LEVEL) -> dict[float, Estimate]:
    """Several of them."""
    ordered = np.sort(ranked_times(runs, _BEYOND))

    def known(value: float | None) -> float | None:
        return Above(runs.spec.budget or 0) if value == _BEYOND else value

    quantiles = {}
    for probability in probabilities:
        found = quantile(ordered, probability, checked_level(level))
        quantiles[probability] = dataclasses.replace(
            found, value=known(found.value), low=known(found.low), high=known(found.high)
        )
    if 0.5 in quantiles:
        quantiles[0.5] = dataclasses.replace(quantiles[0.5], value=_median(ordered, quantiles[0.5].value))
    return quantiles


def _median(ordered: NDArray[np.float64], lower: float | None) -> float | None:
    """Of an even number of runs the lower one in the middle, but where the upper one never ends, no median does."""
    upper = ordered[len(ordered) // 2] if len(ordered) else 0.0
    if upper == math.inf:
        return math.inf
    return Above(lower) if upper == _BEYOND and lower is not None and not isinstance(lower, Above) else lower


def share(runs: Times, outcome: int, level: float = LEVEL) -> Estimate:
    """P(a run ends like this); where there is a budget, within it."""
    return proportion(int((runs.outcome == outcome).sum()), len(runs), checked_level(level))
