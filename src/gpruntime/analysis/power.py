"""What would tell two laws apart: larger sizes, or more runs.

Suppose one law is true, and the other is fitted to its noiseless values as well as it can be, lower-order term
included. The misfit χ² that remains is what measured means would show beyond chance. Two laws count as told apart when
it reaches 16, four standard errors, whichever of the two is true.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpruntime.analysis.fitting import Fit, Points, forms
from gpruntime.analysis.laws import RankedLaw

ENOUGH = 16.0
_MAX_DOUBLINGS = 40


@dataclass(frozen=True)
class PowerAnalysis:
    """What it takes to tell a rival from the best law.

    Attributes:
        rival: the law that cannot be excluded.
        size: doubling the sizes up to this one would do, with as many runs at each; None if 40 doublings would not.
        runs_factor: how many times the runs at the present sizes would do.
    """

    rival: RankedLaw
    size: int | None
    runs_factor: float


def power_analysis(best: RankedLaw, rival: RankedLaw, points: Points) -> PowerAnalysis:
    """The size and the number of runs that would tell the two apart."""
    now = _misfit(best, rival, points)
    return PowerAnalysis(rival, _size(best, rival, points), max(ENOUGH / now, 1.0) if now > 0 else math.inf)


def _size(best: RankedLaw, rival: RankedLaw, points: Points) -> int | None:
    extended = points
    for _ in range(_MAX_DOUBLINGS):
        extended = Points(
            np.append(extended.n, 2 * extended.n[-1]),
            np.append(extended.mean, 1.0),
            np.append(extended.relative, extended.relative[-1]),
            np.append(extended.runs, extended.runs[-1]),
        )
        if _misfit(best, rival, extended) >= ENOUGH:
            return int(extended.n[-1])
    return None


def _misfit(best: RankedLaw, rival: RankedLaw, points: Points) -> float:
    """The smaller of: the rival's misfit if the best law is true, and the other way round."""
    return min(_against(best.fit, rival, points), _against(rival.fit, best, points))


def _against(truth: Fit, other: RankedLaw, points: Points) -> float:
    values = truth.log_value(points.n)
    if not np.all(values < 700):
        return math.inf  # the exponential law has left everything behind
    noiseless = Points(points.n, np.exp(values - points.relative / 2), points.relative, points.runs)
    return min((fit.misfit for fit in forms(noiseless, other.law)), default=math.inf)
