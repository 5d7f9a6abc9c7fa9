"""Times of which some are only known to be longer: the curve P(time > t).

A run stopped by its budget B is censored: its time is above B. A stuck run is censored too, at infinity: it will never
end, so at B it counts as not ended, not as one that left the study when its being stuck was proved. All runs of a cell
have the same budget, so up to B nothing is censored: P(time > t) is a share of the runs, with its exact interval.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def from_times(reached: Values, runs: int, horizon: float | None, level: float = LEVEL) -> Survival:
    """From the times of those of the runs that reached the optimum."""
    times, counts = np.unique(reached, return_counts=True)
    kept = thinned(len(times), _MAX_POINTS)
    return from_counts(times[kept], (runs - np.cumsum(counts))[kept], runs, horizon, level)


def from_counts(
    times: Values, beyond: NDArray[np.int64], runs: int, horizon: float | None, level: float = LEVEL
) -> Survival:
    """From how many of the runs took longer than each of these times; exact binomial intervals."""
    low, high = clopper_pearson(beyond, runs, level)
    return Survival(times, beyond / max(runs, 1), low, high, horizon)


def thinned(count: int, most: int) -> NDArray[np.int64]:
    """At most this many of the places 0 … count − 1, evenly, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64)) if count > most else np.arange(count)
