"""Times of which some are only known to be longer: the curve P(time > t).

A run stopped by its budget B is censored: its time is above B. A stuck run is censored too, at infinity: it will never
end, so at B it counts as not ended, not as one that left the study when its being stuck was proved.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.estimates import LEVEL, Values, clopper_pearson

_MAX_POINTS = 1000


@dataclass(frozen=True)
class Survival:
    """P(time > t), as a step function: `chance[i]` holds from `times[i]` up to the next.

    Attributes:
        times: evaluations at which runs reached the optimum, thinned where there are very many.
        chance, low, high: the curve and its pointwise interval.
        horizon: how far the curve is known: the budget, or None where it is known for ever.
        method: how the interval was made.
    """

    times: Values
    chance: Values
    low: Values
    high: Values
    horizon: float | None
    method: str = "Kaplan–Meier"

    def at(self, time: float) -> float | None:
        """P(time > t); None beyond the horizon, where it is not known."""
        if self.horizon is not None and time > self.horizon:
            return None
        place = int(np.searchsorted(self.times, time, side="right")) - 1
        return 1.0 if place < 0 else float(self.chance[place])


def kaplan_meier(
    reached: Values, evaluations: NDArray[np.int64], horizon: float | None, level: float = LEVEL
) -> Survival:
    """From the times that reached the optimum and the evaluations of all runs; log-log intervals (Greenwood)."""
    if len(reached) == 0:
        return Survival(reached, reached, reached, reached, horizon)
    from scipy import stats

    others = np.full(len(evaluations) - len(reached), max(float(evaluations.max()), float(reached.max())) + 1)
    curve = stats.ecdf(stats.CensoredData(uncensored=reached, right=others)).sf
    low, high = _log_log(curve, level)
    places = np.flatnonzero(curve.quantiles <= reached.max())
    places = places[thinned(len(places), _MAX_POINTS)]
    return Survival(curve.quantiles[places], curve.probabilities[places], low[places], high[places], horizon)


def from_counts(
    times: Values, beyond: NDArray[np.int64], runs: int, horizon: float | None, level: float = LEVEL
) -> Survival:
    """From how many of the runs took longer than each of these times; exact binomial intervals."""
    low, high = clopper_pearson(beyond, runs, level)
    return Survival(times, beyond / max(runs, 1), low, high, horizon, "Clopper–Pearson")


def thinned(count: int, most: int) -> NDArray[np.int64]:
    """At most this many of the places 0 … count − 1, evenly, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64)) if count > most else np.arange(count)


def _log_log(curve: Any, level: float) -> tuple[Values, Values]:
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = curve.confidence_interval(level, method="log-log")
    # Where all or none have ended the log-log interval is not defined.
    low = np.nan_to_num(interval.low.probabilities, nan=0.0)
    high = np.nan_to_num(interval.high.probabilities, nan=1.0)
    ends = curve.probabilities
    return np.where(ends == 1, 1.0, low), np.where(ends == 0, 0.0, high)
