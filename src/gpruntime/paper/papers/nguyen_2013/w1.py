"""W1: a bound for many operations has log w_max in it. Does the largest weight matter at all?"""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import ratio_of_means
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import said
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

_FACTOR = 1.25
_CURVES = {
    f"{problem.upper()}, GP-{kind}": (problem, f"gp-{kind}")
    for problem in ("worder", "wmajority")
    for kind in ("single", "multi")
}


def _sizes(scale: Scale) -> tuple[int, ...]:
    return by_scale(scale, quick=(5, 10, 20, 30, 40, 50, 60), full=(5, 10, 20, 30, 40, 50, 60), tiny=(5, 10, 20, 40))


def _spec(curve: str, n: int, weights: str) -> RunSpec:
    problem, algorithm = _CURVES[curve]
    return RunSpec(problem=f"{problem}:weights={weights}", algorithm=algorithm, n=n)


def _cells(scale: Scale) -> Sequence[Asked]:
    runs = by_scale(scale, quick=400, full=4000, tiny=60)
    return [
        Asked(_spec(curve, n, weights), runs)
        for curve in _CURVES
        for n in _sizes(scale)
        for weights in ("equal", "powers")
    ]


def _ratio(evidence: Evidence, curve: str, n: int) -> Estimate:
    """E[time] with weights 2^i ÷ E[time] with equal ones."""
    return ratio_of_means(*(evidence.cell(_spec(curve, n, weights)) for weights in ("powers", "equal")))


def _status(ratio: Estimate) -> str:
    if ratio.low is None or ratio.high is None:
        return OPEN
    if ratio.low > _FACTOR:
        return SUPPORTED
    return CONTRADICTED if ratio.high < _FACTOR else OPEN


def _check(evidence: Evidence) -> Verdict:
    sizes = _sizes(evidence.scale)
    ratios = {curve: _ratio(evidence, curve, sizes[-1]) for curve in _CURVES}
    records = [
        {"curve": curve, "n": n, "ratio": ratio.value, "low": ratio.low, "high": ratio.high}
        for curve in _CURVES
        for n in sizes
        for ratio in [_ratio(evidence, curve, n)]
    ]
    tables = (Numbers("w1-numbers", "E[time] with weights 2^i ÷ with equal weights", records),)
    told = "; ".join(f"{curve} {said(ratio)}" for curve, ratio in ratios.items())
    sentence = f"E[time] with weights 2^i ÷ E[time] with equal weights at n = {sizes[-1]}: {told}."
    largest = max(ratios.values(), key=lambda ratio: ratio.value or 0.0)
    return Verdict(several(map(_status, ratios.values())), sentence, "largest ratio", largest, tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    sizes = _sizes(evidence.scale)
    return [
        series_figure(
            "w1",
            [Series(curve, list(sizes), [_ratio(evidence, curve, n) for n in sizes]) for curve in _CURVES],
            title="Weights 2^i against equal weights",
            ylabel="ratio of mean times",
            caption="With 95 % intervals. w_max is 2^(n−1): a factor log w_max would make the ratio grow like n.",
            logy=False,
            levels={"weights do not matter": 1.0},
        )
    ]


CLAIM = Claim(
    id="W1",
    title="The largest weight and the time",
    kind=THEOREM,
    place="theorems",
    statement="The bounds for weighted problems with many operations grow with log w_max, as if the largest weight "
    "mattered to the time.",
    rule=f"At the largest n, for each of four curves: supported if E[time] with weights 2^i is more than {_FACTOR} "
    "times that with equal weights (95 % interval), contradicted if it is less. Of the four: in part if some hold and "
    "some fail; open otherwise.",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=REPORTED,
    slip="An upper bound does not say that the largest weight matters; that is our question to it.",
)
