"""Rules that several claims share.

An upper bound O(f): the mean ÷ f, with the measured E[T_max] in the place of T_max, is fitted by a power of n over the
larger half of the sizes. Supported if the 95 % interval of that power ends below `MARGIN`, contradicted if it begins
above it, open otherwise. A power of 0.05 is what logarithms and lower-order terms can make at these sizes. No
simulation can prove an O(·): "supported" says that the ratio does not grow where we looked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from gpruntime.analysis import words
from gpruntime.analysis.bounds import BOUNDS, Bound, BoundCheck, check_bound
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate
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
    text = f"{ratio.short()} at n = {last:,}"
    if check.trend is not None:
        text += f", going like n^{check.trend.short()} {check.trend.bracket()}"
    return text


def law_of(curve: Curve) -> str:
    """The law a curve follows, in words."""
    if curve.fit is None:
        return curve.why_not
    best = curve.fit.best
    text = f"{best.equation()}"
    rivals = [law.law.name for law in curve.fit.rivals[:2]]
    return f"{text} (not told apart: {words.listing(rivals)})" if rivals else text


def share_words(share: Estimate) -> str:
    """A probability with its interval: three digits, no more."""
    value, low, high = (words.number(end, digits=3) for end in (share.value, share.low, share.high))
    return f"{value} [{low}, {high}]"


def worst(checks: list[BoundCheck]) -> BoundCheck:
    """The one whose ratio to the bound grows fastest."""
    return max(checks, key=lambda check: -math.inf if check.trend is None else check.trend.high or -math.inf)
