"""ORDER with insertion alone never ends in expectation (section 5.2).

n = 1, exactly. Start from the tree x̄₁. Nothing that is inserted can lower the fitness 0, so every insertion is
accepted, and t evaluations make a tree of t leaves. Insertions at uniform nodes and sides make all shapes with all
arrangements of the leaves equally likely (Rémy), so the t-th leaf comes first with probability 1/t, independently
of what came before, as records of a random permutation do. It ends the run if it is x₁, which has probability 1/2.
So

    P(time > t) = (1 − 1/4)·(1 − 1/6)·…·(1 − 1/(2t)) = 2·C(2t, t)/4^t ~ 2/√(πt)   for t ≥ 1,

and the mean, which is the sum over t ≥ 0, is infinite.

With larger n some insertions are rejected and the argument does not carry over; there the tail is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.estimates import Estimate, Values, normal_quantile, proportion
from gpruntime.analysis.runs import OPTIMUM
from gpruntime.model.spec import RunSpec
from gpruntime.paper.changes import FIRST
from gpruntime.paper.claim import DISCUSSION, Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, exactly, power_guide, series_figure
from gpruntime.paper.rules import percent, said
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_ERRORS = 4.0


def specs_of(scale: Scale) -> list[RunSpec]:
    """n = 1 from x̄₁, which is solved exactly, and n = 10 under unity expectation."""
    return [
        RunSpec(problem="order", algorithm="gp-single", n=1, init="!x1", weights=(0, 1, 0), budget=scale.insert_budget),
        RunSpec(problem="order", algorithm="gp-single", n=10, weights=(0, 1, 0), budget=scale.insert_budget),
    ]


def _cells(scale: Scale) -> Sequence[Asked]:
    return [Asked(spec, scale.runs) for spec in specs_of(scale)]


def survival_of_one(most: int) -> Values:
    """P(time > t) for t = 0 … most at n = 1, from x̄₁: the first evaluation is that of x̄₁ and never ends a run."""
    return np.cumprod(np.concatenate([[1.0, 1.0], 1 - 1 / (2 * np.arange(2.0, most + 1))]))


def restricted_mean_of_one(most: int) -> float:
    """E[min(time, most)] at n = 1, from x̄₁: the sum of P(time > t) over t < most."""
    return float(survival_of_one(most)[:most].sum())


def tail_power(evidence: Evidence, spec: RunSpec) -> tuple[Estimate, list[tuple[int, Estimate]]]:
    """a from P(time > t) between t = budget/100 and the budget, and the survival at some t."""
    runs = evidence.runs[spec]
    times = np.where(runs.outcome == OPTIMUM, runs.evaluations, np.iinfo(np.int64).max)
    end = spec.budget or 1
    points = [max(int(end * 10.0 ** (-step / 4)), 1) for step in range(12, -1, -1)]
    alive = [(t, proportion(int((times > t).sum()), len(times))) for t in points]
    start = end // 100
    before, after = int((times > start).sum()), int((times > end).sum())
    if before == 0 or after == 0:
        return Estimate(math.inf, remark="no run outlived the budget"), alive
    value = math.log(before / after) / math.log(end / start)
    spread = normal_quantile(0.95) * math.sqrt(1 / after - 1 / before) / math.log(end / start)
    return Estimate(value, value - spread, value + spread), alive


def _check(evidence: Evidence) -> Verdict:
    one, ten = specs_of(evidence.scale)
    exact = survival_of_one(evidence.scale.insert_budget)
    power, alive = tail_power(evidence, ten)
    _, alive_one = tail_power(evidence, one)
    records = [
        {
            "n": spec.n,
            "t": t,
            "p_not_ended": e.value,
            "low": e.low,
            "high": e.high,
            "exact": float(exact[t]) if spec is one else None,
        }
        for spec, found in ((one, alive_one), (ten, alive))
        for t, e in found
    ]
    tables = (Numbers("disc-insert-only-numbers", "P(time > t)", records),)
    for t, share in alive_one:
        value, count = float(exact[t]), len(evidence.runs[one])
        if abs((share.value or 0.0) - value) > _ERRORS * math.sqrt(max(value * (1 - value), 0) / count) + 1e-9:
            text = f"At n = 1 the simulated P(time > {t:,}) {share.short()} is not the exact {value:.4f}: no verdict."
            return Verdict(OPEN, text, "P(time > t)", share, tables=tables)
    last, status = alive[-1][1], OPEN
    if power.high is not None and power.high < 1:
        status = SUPPORTED
    elif last.value == 0 or (power.low is not None and power.low > 1):
        status = CONTRADICTED
    sentence = (
        f"P(time > t) falls like t^−a with a = {said(power)} at n = 10 ({percent(last)} of the runs outlive "
        f"{ten.budget:,} evaluations), and at n = 1 it is exactly 2·C(2t,t)/4^t ~ 2/√(πt); a "
        "tail that falls more slowly than 1/t has an infinite mean."
    )
    if status == CONTRADICTED:
        sentence = f"At n = 10 P(time > t) falls like t^−a with a = {said(power)}: the mean is finite."
    most = evidence.scale.insert_budget
    remark = (
        f"At n = 1 from x̄₁ the mean of min(time, {most:,}) is exactly {restricted_mean_of_one(most):.1f}, and it grows "
        "without bound."
    )
    return Verdict(status, sentence, "tail exponent, n = 10", power, (remark,), tables)


def _figures(evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    rows = verdict.tables[0].records
    ones, tens = ([r for r in rows if r["n"] == n and r["p_not_ended"]] for n in (1, 10))
    series = [
        Series(
            f"n = {found[0]['n']}, simulated",
            [r["t"] for r in found],
            [Estimate(r["p_not_ended"], r["low"], r["high"]) for r in found],
            line=False,
        )
        for found in (ones, tens)
        if found
    ]
    series.append(
        Series(
            "n = 1, exact",
            [r["t"] for r in rows if r["exact"]],
            [exactly(r["exact"]) for r in rows if r["exact"]],
            hollow=True,
        )
    )
    first, last = min(r["t"] for r in rows), max(r["t"] for r in rows)
    return [
        series_figure(
            "disc-insert-only",
            series,
            title="ORDER, GP-single, insertion only",
            xlabel="t, evaluations",
            ylabel="P(time > t)",
            guides=[power_guide("like 1/t", -1, (first, 1.0), last)],
            caption=f"The share of {evidence.scale.runs} runs of each n, stopped at {evidence.scale.insert_budget:,}, "
            "that have not ended, with Wilson's intervals; rings are exact. A tail that falls more slowly than the "
            "dotted line, which falls like 1/t, has an infinite mean.",
        )
    ]


def _news(_: Evidence, verdict: Verdict) -> Sequence[str]:
    if verdict.status == OPEN:
        return []
    exact = "On ORDER with insertion alone P(time > t) is exactly 2·C(2t,t)/4^t at n = 1 from x̄₁"
    return [f"{exact}; at n = 10 it falls like t^−a with a = {said(verdict.number)}."]


CLAIM = Claim(
    id="disc:insert-only",
    title="With insertion alone ORDER takes infinite time",
    kind=DISCUSSION,
    place="section 5.2",
    statement="With insertion alone the tree would get so large that the expected time on ORDER is infinite.",
    rule="P(time > t) ~ t^(−a) has an infinite mean if a ≤ 1; at n = 1 it is known exactly, a = 1/2. Supported if the "
    "runs agree with that and the 95 % interval of a at n = 10, estimated between a hundredth of the budget and the "
    "budget, ends below 1; contradicted if that interval lies above 1 or no run outlives the budget; open "
    "otherwise.",
    changes=(Change(FIRST, "rule", "at n = 1 the tail is that of a formula, not of a chain solved up to some size."),),
    cells=_cells,
    check=_check,
    figures=_figures,
    news=_news,
)
