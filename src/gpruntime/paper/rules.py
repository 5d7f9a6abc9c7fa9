"""The rules by which estimates become verdicts; what a claim decides beyond them stands in its file.

A bound along lines: `Trend` and `judged`; kinds/line_bound.py fits the power and works out the margin of each line.

An upper bound O(f) over n, `no_growth`: the mean ÷ f, with the measured E[T_max] in the place of T_max, is fitted by
a power of n over the larger half of the sizes. Supported if the 95 % interval of that power ends below `MARGIN`,
contradicted if it begins above it, open otherwise. A power of 0.05 is what logarithms and lower-order terms can make
at these sizes. No simulation can prove an O(·): "supported" says that the ratio does not grow where we looked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpruntime.analysis.bounds import BOUNDS, BoundCheck, check_bound
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate
from gpruntime.model.bound import Bound
from gpruntime.paper.phrases import stated
from gpruntime.paper.verdict import CONTRADICTED, IN_PART, OPEN, SUPPORTED

MARGIN = 0.05
AGAIN = 0.9
CANNOT_PROVE = "No simulation can prove an O(·)."
SEVERAL_RULE = (
    "supported if all hold, in part if some hold and some fail, contradicted if some fail and none holds, "
    "open otherwise."
)


# ---- of one estimate


def decide(holds: bool, fails: bool) -> str:
    """Supported if it holds, contradicted if it fails, open if neither can be told."""
    return SUPPORTED if holds else CONTRADICTED if fails else OPEN


def above(estimate: Estimate, level: float) -> str:
    """Whether an estimate is above a level: its interval decides."""
    if estimate.low is None or estimate.high is None:
        return OPEN
    return decide(estimate.low > level, estimate.high < level)


def below(estimate: Estimate, level: float) -> str:
    """Whether it is below."""
    return opposite(above(estimate, level))


def opposite(status: str) -> str:
    """What holds fails, and what fails holds."""
    return {SUPPORTED: CONTRADICTED, CONTRADICTED: SUPPORTED}.get(status, status)


def apart(estimate: Estimate, other: Estimate) -> str:
    """Whether an estimate's interval lies above that of another one."""
    if None in (estimate.low, estimate.high, other.low, other.high):
        return OPEN
    return decide(low(estimate) > high(other), high(estimate) < low(other))


def low(estimate: Estimate) -> float:
    """The lower end of a share's interval; 0 where it is not known."""
    return estimate.low or 0.0


def high(estimate: Estimate) -> float:
    """The upper end of a share's interval; 1 where it is not known."""
    return 1.0 if estimate.high is None else estimate.high


def misses(share: Estimate, exact: float, runs: int, errors: float) -> bool:
    """Whether a share of this number of runs is more than `errors` standard errors off its exact value."""
    return abs((share.value or 0.0) - exact) > errors * math.sqrt(max(exact * (1 - exact), 0.0) / runs)


# ---- of growth


def no_growth(trend: Estimate | None, margin: float = MARGIN) -> str:
    """Whether a power of n is at most the margin."""
    if trend is None or trend.low is None or trend.high is None:
        return OPEN
    return decide(trend.high <= margin, trend.low > margin)


class Trend(NamedTuple):
    """A power that is to be at most a margin.

    Attributes:
        power: with its interval.
        sure: the same with an interval that holds for all lines together.
        error: its standard error, widened where the lines do not fit.
        margin: what a bound may be off by.
        beyond: from where on it is contradicted.
        logarithm: the power that one logarithm has.
    """

    power: Estimate
    sure: Estimate
    error: float
    margin: float
    beyond: float
    logarithm: float

    @property
    def status(self) -> str:
        """Supported below the margin, contradicted beyond."""
        return decide(high(self.power) <= self.margin, low(self.sure) > self.beyond)

    def chance(self, room: float) -> float:
        """P(an estimate of this error is above its truth by less than this)."""
        from scipy import special

        return float(special.ndtr(room / max(self.error, 1e-9)))

    def found(self, truth: float) -> float:
        """P(contradicted), if the power is this."""
        return self.chance(truth - self.beyond - _half(self.sure))

    @property
    def again(self) -> float:
        """P(supported) by other runs, if the power is what was measured."""
        return self.chance(self.margin - (self.power.value or 0.0) - _half(self.power))


def judged(trends: Sequence[Trend]) -> tuple[str, str]:
    """Of trends that must all hold: the status, and what the rule would find by the errors at hand, in words.

    It is supported only if other runs would say so too, with a chance of `AGAIN` at least.
    """
    status = all_of(trend.status for trend in trends)
    again = math.prod(trend.again for trend in trends)
    logarithm, root = (
        1 - math.prod(1 - trend.found(truth(trend)) for trend in trends)
        for truth in (lambda trend: trend.logarithm, lambda _: 0.5)
    )
    words = (
        f"By the errors at hand a bound that is off by a logarithm is contradicted with a chance of {logarithm:.0%}, "
        f"by a square root with one of {root:.0%}"
    )
    if status == SUPPORTED:
        words += f"; other runs would support this one, too, with a chance of {again:.0%}"
        status = decide(again >= AGAIN, False)
    return status, f"{words}."


def _half(power: Estimate) -> float:
    return (high(power) - low(power)) / 2


def power_of_a_logarithm(x: Sequence[float]) -> float:
    """The power that a logarithm has in the middle of the larger half."""
    half = x[len(x) // 2 :]
    return 2 / math.log(half[0] * half[-1])


def bound_named(identifier: str) -> Bound:
    """A bound of the theory by its id."""
    return next(bound for bound in BOUNDS if bound.id == identifier)


def own_bound(like: str, log: Callable[[float, float, float], float], formula: str, tex: str) -> Bound:
    """A bound like one of the list, with another formula."""
    return dataclasses.replace(bound_named(like), log=log, formula=formula, tex=tex)


def hold(curve: Curve, bound: Bound) -> BoundCheck:
    """A curve held against a bound."""
    return check_bound(bound, curve)


@dataclass(frozen=True)
class Powers:
    """Powers of n, each with a name.

    Attributes:
        largest: the largest by its estimate.
        reaching: the one whose interval reaches highest, which decides on "no growth": a wide interval may reach
            higher than that of a larger power.
    """

    largest: tuple[str, Estimate]
    reaching: tuple[str, Estimate]

    def __str__(self) -> str:
        (name, power), (other, wide) = self.largest, self.reaching
        text = f"{stated(power)} ({name})"
        return (
            text if other == name else f"{text}; the interval that reaches highest is that of {stated(wide)} ({other})"
        )


def powers_of(trends: Mapping[str, Estimate | None]) -> Powers:
    """The largest of several powers, and the one that reaches highest; those that could not be fitted are left out."""
    fitted = [(name, trend) for name, trend in trends.items() if trend is not None]
    return Powers(
        max(fitted, key=lambda pair: -math.inf if pair[1].value is None else pair[1].value),
        max(fitted, key=lambda pair: -math.inf if pair[1].high is None else pair[1].high),
    )


# ---- of several statuses


def all_of(statuses: Iterable[str]) -> str:
    """Of one statement that must hold everywhere: contradicted if it fails once, supported if it never does."""
    given = list(statuses)
    if CONTRADICTED in given:
        return CONTRADICTED
    return SUPPORTED if given and all(status == SUPPORTED for status in given) else OPEN


def several(statuses: Iterable[str]) -> str:
    """Of a claim that says several things, by `SEVERAL_RULE`."""
    given = list(statuses)
    if CONTRADICTED in given:
        return IN_PART if SUPPORTED in given else CONTRADICTED
    return all_of(given)
