"""Times of which some are only known to be longer: the Kaplan–Meier curve and the restricted mean.

A run stopped by its budget B is censored: its time is above B. A stuck run is censored too, at infinity: it will never
end, so at B it counts as not ended, not as one that left the study when its being stuck was proved.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpruntime.analysis.estimates import LEVEL, NOTHING, Estimate, Values, mean
from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK, CellRuns, Times

_MOST_POINTS = 1000


@dataclass(frozen=True)
class Survival:
    """P(time > t), as a step function: `chance[i]` holds from `times[i]` up to the next.

    Attributes:
        times: evaluations at which runs reached the optimum, thinned where there are very many.
        chance, low, high: the curve and its pointwise interval (log-log, Greenwood).
        horizon: how far the curve is known: the budget, or None where it is known for ever.
    """

    times: Values
    chance: Values
    low: Values
    high: Values
    horizon: float | None

    def at(self, time: float) -> float | None:
        """P(time > t); None beyond the horizon, where it is not known."""
        if self.horizon is not None and time > self.horizon:
            return None
        place = int(np.searchsorted(self.times, time, side="right")) - 1
        return 1.0 if place < 0 else float(self.chance[place])


def survival(runs: CellRuns, level: float = LEVEL) -> Survival:
    """The Kaplan–Meier curve of a cell's times."""
    ended = runs.evaluations[runs.outcome == OPTIMUM].astype(float)
    if len(ended) == 0:
        nothing = np.empty(0)
        return Survival(nothing, nothing, nothing, nothing, _horizon(runs))
    from scipy import stats

    still = np.full(len(runs) - len(ended), max(float(runs.evaluations.max()), float(ended.max())) + 1)
    curve = stats.ecdf(stats.CensoredData(uncensored=ended, right=still))
    times, chance = curve.sf.quantiles, curve.sf.probabilities
    reached = times <= ended.max()
    low, high = _interval(curve.sf, level)
    places = np.flatnonzero(reached)
    if len(places) > _MOST_POINTS:
        places = places[np.unique(np.linspace(0, len(places) - 1, _MOST_POINTS).round().astype(int))]
    return Survival(times[places], chance[places], low[places], high[places], _horizon(runs))


def _interval(curve: Any, level: float) -> tuple[Values, Values]:
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = curve.confidence_interval(level, method="log-log")
    # Where all or none have ended the log-log interval is not defined.
    low = np.nan_to_num(interval.low.probabilities, nan=0.0)
    high = np.nan_to_num(interval.high.probabilities, nan=1.0)
    ends = curve.probabilities
    return np.where(ends == 1, 1.0, low), np.where(ends == 0, 0.0, high)


def _horizon(runs: CellRuns) -> float | None:
    return float(runs.spec.budget) if runs.spec.budget is not None and bool((runs.outcome == BUDGET).any()) else None


def restricted_times(runs: CellRuns, horizon: float) -> Values:
    """min(time, horizon) of each run; a stuck one counts in full."""
    times = np.where(runs.outcome == OPTIMUM, runs.evaluations, math.inf)
    return np.minimum(times, horizon)


def restricted_mean(runs: CellRuns, level: float = LEVEL) -> Estimate:
    """E[min(time, B)] where runs were stopped by the budget B: the area under the curve up to B.

    As every run of a cell has the same budget, that area is the mean of min(time, B), whose interval is known.
    """
    if not (runs.outcome == BUDGET).any() or runs.spec.budget is None:
        return NOTHING
    return mean(restricted_times(runs, float(runs.spec.budget)), level)


def ranked_times(runs: Times, beyond: float) -> Values:
    """Times for comparing ranks: `beyond`, a number above all budgets, for budget runs; infinite for stuck ones."""
    times = runs.evaluations.astype(float)
    times[runs.outcome == BUDGET] = beyond
    times[runs.outcome == STUCK] = math.inf
    return times
