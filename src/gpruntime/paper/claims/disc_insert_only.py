"""ORDER with insertion alone never ends in expectation (section 5.2).

n = 1, exactly. Start from the tree x̄₁. Nothing that is inserted can lower the fitness 0, so every insertion is accepted and
after t − 1 of them the tree has T = t leaves. A new leaf becomes the first one if a node of the *left spine* (the path
from the root to the first leaf, L nodes) is chosen with side left. Of the 2(2T − 1) equally likely places, L give
(side right) a spine of L + 1 nodes, and the j-th node of the spine with side left gives one of j + 1 nodes, ended if the
terminal is x₁. So (T, L) is a Markov chain, and P(not ended) is a sum over L (`survival_of_one`).

Per ln T the chain has, for large T, the generator of `tail_exponent` divided by 8: L → L + 1 at rate 2L, L → j + 1 at rate 1
for each j ≤ L, ended at rate L. With its decay rate λ, P(time > t) ~ t^(−λ/8); the mean is infinite if λ/8 ≤ 1.

Larger n have a variable that is blocked like this with positive probability, and more terminals that do not help.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.estimates import Estimate, normal_quantile, proportion
from gpruntime.analysis.runs import OPTIMUM
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import DISCUSSION, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, exactly, series_figure
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_MOST_SPINE = 300
_ERRORS = 4.0


def specs_of(scale: Scale) -> list[RunSpec]:
    """n = 1 from x̄₁, which is solved exactly, and n = 10 under unity expectation."""
    return [
        RunSpec(problem="order", algorithm="gp-single", n=1, init="!x1", weights=(0, 1, 0), budget=scale.insert_budget),
        RunSpec(problem="order", algorithm="gp-single", n=10, weights=(0, 1, 0), budget=scale.insert_budget),
    ]


def _cells(scale: Scale) -> Sequence[Asked]:
    return [Asked(spec, scale.runs) for spec in specs_of(scale)]


def survival_of_one(most: int) -> np.ndarray:
    """P(time > t) for t = 1 … most, exactly (but for spines above 300 nodes, which are put back to 300)."""
    spine = np.arange(1, _MOST_SPINE + 1, dtype=float)
    chance = np.zeros(_MOST_SPINE)
    chance[0] = 1.0
    survival = np.empty(most)
    for leaves in range(1, most + 1):
        survival[leaves - 1] = chance.sum()
        places = 2 * (2 * leaves - 1)
        moved = chance * (1 - 2 * spine / places)
        longer = chance * spine / places
        moved[1:] += longer[:-1]
        moved[-1] += longer[-1]
        front = np.cumsum(chance[::-1])[::-1] / (2 * places)  # the j-th node, for every spine of at least j nodes
        moved[1:] += front[:-1]
        moved[-1] += front[-1]
        chance = moved
    return survival


def tail_exponent() -> float:
    """a in P(time > t) ~ t^(−a) for n = 1: the decay rate of the spine's generator, divided by 8."""
    size = _MOST_SPINE
    generator = np.zeros((size, size))
    for spine in range(1, size + 1):
        row = generator[spine - 1]
        row[spine - 1] -= 4 * spine
        row[min(spine, size - 1)] += 2 * spine
        for node in range(1, spine + 1):
            row[min(node, size - 1)] += 1
    return float(-np.linalg.eigvals(generator).real.max() / 8)


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
        return Estimate(math.inf if before else None, remark="no run outlived the budget"), alive
    value = math.log(before / after) / math.log(end / start)
    spread = normal_quantile(0.95) * math.sqrt(1 / after - 1 / before) / math.log(end / start)
    return Estimate(value, value - spread, value + spread), alive


def _check(evidence: Evidence) -> Verdict:
    one, ten = specs_of(evidence.scale)
    exact = survival_of_one(evidence.scale.insert_budget)
    exponent = tail_exponent()
    power, alive = tail_power(evidence, ten)
    _, alive_one = tail_power(evidence, one)
    records = [
        {"n": spec.n, "t": t, "p_not_ended": e.value, "low": e.low, "high": e.high,
         "exact": float(exact[t - 1]) if spec is one else None}
        for spec, found in ((one, alive_one), (ten, alive)) for t, e in found
    ]  # fmt: skip
    tables = (Numbers("disc-insert-only", "P(time > t)", records),)
    for t, share in alive_one:
        value, count = float(exact[t - 1]), len(evidence.runs[one])
        if abs((share.value or 0.0) - value) > _ERRORS * math.sqrt(max(value * (1 - value), 0) / count) + 1e-9:
            text = f"At n = 1 the simulated P(time > {t:,}) {share.short()} is not the exact {value:.4f}: no verdict."
            return Verdict(OPEN, text, "P(time > t)", share, tables=tables)
    status = OPEN
    if power.high is not None and power.high < 1 and exponent < 1:
        status = SUPPORTED
    elif power.value == math.inf or (power.low is not None and power.low > 1):
        status = CONTRADICTED
    last = alive[-1][1]
    sentence = (
        f"P(time > t) falls like t^−{power.short()} {power.bracket()} at n = 10 ({100 * (last.value or 0):.0f} % of the runs "
        f"outlive {ten.budget:,} evaluations), and at n = 1 like t^−{exponent:.4f}, which is solved exactly; below a power of "
        "1 the mean is infinite."
    )
    if status == CONTRADICTED:
        sentence = f"At n = 10 the tail of the time falls like t^−{power.short()} {power.bracket()}: the mean is finite."
    total = float(exact.sum())
    remarks = (
        f"At n = 1 from x̄₁ the mean of min(time, {len(exact):,}) is {total:.1f}, and it grows without bound.",
        "With deletion the same run has a finite mean: deleting leaves keeps the front within reach.",
    )
    return Verdict(status, sentence, "tail exponent, n = 10", power, remarks, tables)


def _figures(evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    rows = verdict.tables[0].records
    ones, tens = ([r for r in rows if r["n"] == n and r["p_not_ended"]] for n in (1, 10))
    series = [
        Series(f"n = {found[0]['n']}, simulated", [r["t"] for r in found],
               [Estimate(r["p_not_ended"], r["low"], r["high"]) for r in found], line=False)
        for found in (ones, tens) if found
    ]  # fmt: skip
    series.append(
        Series("n = 1, exact", [r["t"] for r in rows if r["exact"]],
               [exactly(r["exact"]) for r in rows if r["exact"]], hollow=True)
    )  # fmt: skip
    return [
        series_figure(
            "disc-insert-only", series, title="ORDER, GP-single, insertion only", xlabel="t, evaluations",
            ylabel="P(time > t)", caption="The share of runs that have not ended. Straight lines that fall more slowly than 1/t: "
            f"the mean time is infinite. {evidence.scale.runs} runs of each n, stopped at {evidence.scale.insert_budget:,}.",
        )
    ]  # fmt: skip


CLAIM = Claim(
    id="disc:insert-only",
    kind=DISCUSSION,
    place="section 5.2",
    statement="With insertion alone the tree would get so large that the expected time on ORDER is infinite.",
    rule="P(time > t) ~ t^(−a) has an infinite mean if a ≤ 1. Supported if a at n = 1, from the exact Markov chain, is below 1 "
    "and the 95 % interval of a at n = 10, estimated between a hundredth of the budget and the budget, ends below 1; "
    "contradicted if that interval lies above 1 or no run outlives the budget.",
    cells=_cells,
    check=_check,
    figures=_figures,
)
