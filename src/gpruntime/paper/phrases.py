"""How the sentences of verdicts put estimates, laws and ratios."""

from __future__ import annotations

from gpruntime.analysis import formatting
from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate


def stated(estimate: Estimate) -> str:
    """A number with its interval."""
    return f"{estimate.short()} {estimate.bracket()}".rstrip()


def per_variable(cell: CellEstimate) -> Estimate:
    """E[T_max]/n."""
    return cell.max_leaves.transformed(lambda leaves: leaves / cell.n)


def percent(share: Estimate) -> str:
    """A probability with its interval, in percent."""
    scaled = share.transformed(lambda value: 100 * value)
    return f"{scaled.short()} % {scaled.bracket()}".rstrip()


def share_words(share: Estimate) -> str:
    """A probability with its interval: three digits, no more."""
    value, low, high = (formatting.number(end, digits=3) for end in (share.value, share.low, share.high))
    return f"{value} [{low}, {high}]"


def how_far(check: BoundCheck) -> str:
    """How the ratio to a bound moves."""
    if not check.ratios:
        return "no size with a known mean"
    last, ratio = check.ratios[-1]
    trend = "" if check.trend is None else f", going like n^{stated(check.trend)}"
    return f"{stated(ratio)} at n = {last:,}{trend}"


def law_of(curve: Curve) -> str:
    """The law a curve follows, with the interval of its leading constant, and the doubt about it."""
    if curve.fit is None:
        return curve.why_not
    best = curve.fit.best
    more = [f"leading constant {best.constant.bracket()}"] if best.constant.bracket() else []
    if not curve.fit.fits:
        more.append("no law of the list fits")
    if rivals := [law.law.name for law in curve.fit.rivals[:2]]:
        more.append(f"not told apart: {formatting.listing(rivals)}")
    return f"{best.equation()} ({'; '.join(more)})" if more else best.equation()
