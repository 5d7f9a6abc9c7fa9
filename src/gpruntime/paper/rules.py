"""Rules that several claims share.

An upper bound O(f): the mean ÷ f, with the measured E[T_max] in the place of T_max, is fitted by a power of n over the
larger half of the sizes. Supported if the 95 % interval of that power ends below `MARGIN`, contradicted if it begins
above it, open otherwise. A power of 0.05 is what logarithms and lower-order terms can make at these sizes. No
simulation can prove an O(·): "supported" says that the ratio does not grow where we looked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpruntime.analysis import formatting
from gpruntime.analysis.bounds import BOUNDS, BoundCheck, check_bound
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate
from gpruntime.model.bound import Bound
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED

MARGIN = 0.05
CANNOT_PROVE = "No simulation can prove an O(·)."


def bound_named(identifier: str) -> Bound:
    """A bound of the theory by its id."""
    return next(bound for bound in BOUNDS if bound.id == identifier)


def own_bound(
    like: str, log: Callable[[float, float, float], float], formula: str, tex: str, identifier: str | None = None
) -> Bound:
    """A bound like one of the list, with another formula."""
    return dataclasses.replace(bound_named(like), id=identifier or like, log=log, formula=formula, tex=tex)


def no_growth(trend: Estimate | None, margin: float = MARGIN) -> str:
    """Whether a power of n is at most the margin: supported, contradicted or open."""
    if trend is None or trend.low is None or trend.high is None:
        return OPEN
    if trend.high <= margin:
        return SUPPORTED
    return CONTRADICTED if trend.low > margin else OPEN


def hold(curve: Curve, bound: Bound) -> BoundCheck:
    """A curve held against a bound."""
    return check_bound(bound, curve)


def how_far(check: BoundCheck) -> str:
    """How the ratio to the bound moves, in words."""
    if not check.ratios:
        return "no size with a known mean"
    last, ratio = check.ratios[-1]
    text = f"{said(ratio)} at n = {last:,}"
    if check.trend is not None:
        text += f", going like n^{said(check.trend)}"
    return text


def law_of(curve: Curve) -> str:
    """The law a curve follows, in words, with the interval of its leading constant."""
    if curve.fit is None:
        return curve.why_not
    best = curve.fit.best
    more = [f"leading constant {best.constant.bracket()}"] if best.constant.bracket() else []
    if rivals := [law.law.name for law in curve.fit.rivals[:2]]:
        more.append(f"not told apart: {formatting.listing(rivals)}")
    return f"{best.equation()} ({'; '.join(more)})" if more else best.equation()


def said(estimate: Estimate) -> str:
    """A number with its interval."""
    return f"{estimate.short()} {estimate.bracket()}".rstrip()


def with_ends(name: str, estimate: Estimate) -> dict[str, float | None]:
    """A number and the ends of its interval, as columns of a table."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def percent(share: Estimate) -> str:
    """A probability with its interval, in percent."""
    value, low, high = (None if end is None else 100 * end for end in (share.value, share.low, share.high))
    scaled = Estimate(value, low, high)
    return f"{scaled.short()} % {scaled.bracket()}".rstrip()


def share_words(share: Estimate) -> str:
    """A probability with its interval: three digits, no more."""
    value, low, high = (formatting.number(end, digits=3) for end in (share.value, share.low, share.high))
    return f"{value} [{low}, {high}]"


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
        text = f"{said(power)} ({name})"
        return text if other == name else f"{text}; the interval that reaches highest is that of {said(wide)} ({other})"


def powers_of(trends: Mapping[str, Estimate | None]) -> Powers:
    """The largest of several powers, and the one that reaches highest; those that could not be fitted are left out."""
    known = [(name, trend) for name, trend in trends.items() if trend is not None]
    return Powers(
        max(known, key=lambda one: -math.inf if one[1].value is None else one[1].value),
        max(known, key=lambda one: -math.inf if one[1].high is None else one[1].high),
    )
