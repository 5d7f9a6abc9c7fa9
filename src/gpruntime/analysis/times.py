"""Estimates of the time of a cell's runs, one path for rows and summaries. `Columns` answers from here, when asked.

The mean is infinite where runs are stuck, and unknown where the budget stopped some; a quantile looks at ranks only.
"""

from __future__ import annotations

import dataclasses
import math

from gpruntime.analysis.estimates import LEVEL, NOTHING, Estimate, checked_level, mean_of, quantile, ratio
from gpruntime.analysis.formatting import Above
from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK, Times
from gpruntime.model.errors import BadInput


def share(runs: Times, outcome: int, level: float = LEVEL) -> Estimate:
    """P(a run ends like this); where there is a budget, within it."""
    return runs.share(outcome, checked_level(level))


def mean_time(runs: Times, level: float = LEVEL) -> Estimate:
    """E[time]: infinite where runs are stuck, unknown where the budget stopped some."""
    stuck, stopped = runs.count(STUCK), runs.count(BUDGET)
    if stuck:
        return Estimate(math.inf, level=checked_level(level), remark=f"{stuck:,} of {len(runs):,} runs never end")
    if stopped:
        remark = f"{stopped:,} of {len(runs):,} runs were stopped by the budget"
        return Estimate(None, level=checked_level(level), remark=remark)
    return mean_time_given_optimum(runs, level)


def mean_time_given_optimum(runs: Times, level: float = LEVEL) -> Estimate:
    """E[time | optimum], over the runs that reached it; where a budget stopped others, these are the fast ones."""
    estimate = mean_of(runs.moments(), checked_level(level))
    if estimate.value is None:
        return dataclasses.replace(estimate, remark="no run reached the optimum")
    if runs.count(BUDGET):
        return dataclasses.replace(estimate, remark="only of the runs that ended within the budget")
    return estimate


def restricted_mean(runs: Times, level: float = LEVEL) -> Estimate:
    """E[min(time, B)] where runs were stopped by the budget B: the area under P(time > t) up to B.

    As every run of a cell has the same budget, that area is the mean of min(time, B).
    """
    budget = runs.spec.budget
    if budget is None or not runs.count(BUDGET):
        return NOTHING
    return mean_of(runs.moments(budget), checked_level(level), most=budget)


def expected_running_time(runs: Times, level: float = LEVEL) -> Estimate:
    """All evaluations ÷ successes."""
    return ratio(runs.spent(), checked_level(level))


def time_quantile(runs: Times, probability: float = 0.5, level: float = LEVEL) -> Estimate:
    """A quantile of the time of all runs: infinite among stuck runs, `Above` the budget beyond it."""
    if not 0 < probability < 1:
        raise BadInput("probability", probability, "must be above 0 and below 1")
    return time_quantiles(runs, (probability,), level)[probability]


def time_quantiles(runs: Times, probabilities: tuple[float, ...], level: float = LEVEL) -> dict[float, Estimate]:
    """Several of them.

    The median of an even number of runs is the lower one in the middle, but where the upper one never ends, no median
    does.
    """
    checked_level(level)
    at, upper = runs.ranked(), len(runs) // 2 + 1
    quantiles = {
        probability: quantile(len(runs), probability, at, level, runs.quantile_method) for probability in probabilities
    }
    median = quantiles.get(0.5)
    if median is not None and median.value is not None and upper > runs.count(OPTIMUM):
        least = at(upper).least
        quantiles[0.5] = dataclasses.replace(median, value=least if least == math.inf else Above(median.value))
    return quantiles
