"""An operator without substitution, with unequal odds of insertion and deletion (section 5.2): a sweep of weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpruntime.analysis.estimates import Estimate, Values, normal_quantile
from gpruntime.analysis.runs import OPTIMUM
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import DISCUSSION, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_PROBLEMS = ("order", "majority")
_SHARES = (0.3, 0.35, 0.375, 0.4, 0.425, 0.45, 0.5)  # of insertions among insertions and deletions
_BUDGET_PER_VARIABLE = 300  # about ten times the usual time


def specs_of(scale: Scale, problem: str) -> dict[tuple[float, float], RunSpec]:
    """(weight of substitution, share of insertions): the spec."""
    n, found = scale.sweep, {}
    for substitute in (0.0, 1.0):
        for share in _SHARES:
            weights = (substitute, round(2 * share, 6), round(2 - 2 * share, 6))
            plain = weights == (1.0, 1.0, 1.0)
            budget = None if plain else _BUDGET_PER_VARIABLE * n
            found[substitute, share] = RunSpec(
                problem=problem, algorithm="gp-single", n=n, weights=weights, budget=budget
            )
    return found


def _cells(scale: Scale) -> Sequence[Asked]:
    return [Asked(spec, scale.sweep_runs) for problem in _PROBLEMS for spec in specs_of(scale, problem).values()]


def _half(evidence: Evidence, spec: RunSpec, second: bool) -> Values:
    """Times of one half of the runs; those stopped by the budget count as the budget, which is too low."""
    times = evidence.runs[spec].evaluations.astype(float)
    middle = len(times) // 2
    return times[middle:] if second else times[:middle]


def _ratio(a: Values, b: Values) -> Estimate:
    value = float(a.mean() / b.mean())
    spread = normal_quantile(0.95) * math.sqrt(sum(float(x.var(ddof=1) / x.mean() ** 2) / len(x) for x in (a, b)))
    return Estimate(value, value * math.exp(-spread), value * math.exp(spread), 0.95, "delta method")


def _best(evidence: Evidence, problem: str, substitution: bool | None) -> tuple[tuple[float, float], Estimate]:
    """The best weights by the first half of the runs, and their time ÷ that of (1, 1, 1) by the second half."""
    found = specs_of(evidence.scale, problem)
    chosen = [
        key
        for key, spec in found.items()
        if (substitution is None or bool(key[0]) == substitution)
        and bool((evidence.runs[spec].outcome == OPTIMUM).all())
    ]
    best = min(chosen, key=lambda key: float(_half(evidence, found[key], second=False).mean()))
    plain = _half(evidence, found[1.0, 0.5], second=True)
    return best, _ratio(_half(evidence, found[best], second=True), plain)


def _check(evidence: Evidence) -> Verdict:
    said: list[str] = []
    gains: dict[str, tuple[tuple[float, float], Estimate]] = {}
    records: list[dict[str, Any]] = []
    for problem in _PROBLEMS:
        without, gain = _best(evidence, problem, substitution=False)
        overall, top = _best(evidence, problem, substitution=None)
        gains[problem] = without, gain
        words = f"{problem.upper()}: without substitution and {100 * without[1]:g} % insertions, time × {gain.short()}"
        words += f" {gain.bracket()} of (1, 1, 1)"
        if overall != without:
            words += f"; best of all {'with' if overall[0] else 'without'} substitution at {100 * overall[1]:g} %: × "
            words += f"{top.short()} {top.bracket()}"
        said.append(words + ".")
        for (substitute, share), spec in specs_of(evidence.scale, problem).items():
            times = _half(evidence, spec, second=True)
            stopped = int((evidence.runs[spec].outcome != OPTIMUM).sum())
            records.append(
                {
                    "problem": problem,
                    "n": spec.n,
                    "weight_substitute": substitute,
                    "share_of_insertions": share,
                    "mean": float(times.mean()),
                    "low": float(times.mean() - 1.96 * times.std() / len(times) ** 0.5),
                    "high": float(times.mean() + 1.96 * times.std() / len(times) ** 0.5),
                    "stopped_by_budget": stopped,
                }
            )
    (_, share), gain = gains["order"]
    status = OPEN
    if (gain.high or 2.0) < 1 and share != 0.5:
        status = SUPPORTED
    elif (gain.low or 0.0) > 1:
        status = CONTRADICTED
    sentence = (
        f"On ORDER at n = {evidence.scale.sweep:,}, no substitution and {100 * share:g} % insertions take "
        f"{gain.short()} {gain.bracket()} of the time of equal odds of all three; on MAJORITY the best without "
        f"substitution takes {gains['majority'][1].short()} {gains['majority'][1].bracket()}."
    )
    remarks = (
        *said,
        (
            "Weights are chosen by the first half of the runs and the gain is measured on the other half, so the "
            "winner's luck is not counted."
        ),
    )
    tables = (Numbers("disc-no-substitution-numbers", "the sweep (second half of the runs)", records),)
    return Verdict(status, sentence, "time ÷ time of (1,1,1), ORDER", gain, remarks, tables)


def _figures(_: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    drawings = []
    for problem in _PROBLEMS:
        series = []
        for substitute, label in ((0.0, "no substitution"), (1.0, "a third substitutions")):
            rows = [
                r
                for r in verdict.tables[0].records
                if r["problem"] == problem and r["weight_substitute"] == substitute and not r["stopped_by_budget"]
            ]
            estimates = [Estimate(r["mean"], r["low"], r["high"]) for r in rows]
            series.append(Series(label, [r["share_of_insertions"] for r in rows], estimates))
        n = verdict.tables[0].records[0]["n"]
        stopped = any(r["stopped_by_budget"] for r in verdict.tables[0].records if r["problem"] == problem)
        left_out = " Weights at which runs were stopped by the budget are left out." if stopped else ""
        drawings.append(
            series_figure(
                f"disc-no-substitution-{problem}",
                series,
                title=f"{problem.upper()}, GP-single, n = {n}",
                xlabel="share of insertions among insertions and deletions",
                ylabel="mean evaluations",
                logx=False,
                logy=False,
                ylim=(0, None),
                caption=f"{problem.upper()}: the mean time by operator weights, with 95 % intervals.{left_out}",
            )
        )
    return drawings


CLAIM = Claim(
    id="disc:no-substitution",
    title="Better without substitution and with unequal odds",
    kind=DISCUSSION,
    place="section 5.2",
    statement="An operator without substitution and with unbalanced odds of insertion and deletion could reach ORDER's "
    "optimum with fewer evaluations; on MAJORITY it could be beneficial to do without substitution too.",
    rule="Sweep the weights; choose the best without substitution on the first half of the runs; on the second half "
    "compare its mean time with that of (1, 1, 1) on ORDER. Supported if the 95 % interval of the ratio lies below 1 "
    "and the odds are unequal; contradicted if it lies above 1; open otherwise.",
    cells=_cells,
    check=_check,
    figures=_figures,
)
