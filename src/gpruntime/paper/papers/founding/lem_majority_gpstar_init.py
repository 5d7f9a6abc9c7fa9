"""MAJORITY: how likely x̄₁ occurs k times and x₁ never, in the initial tree (lem:majority_gpstar_init)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gpruntime.analysis.compare import holm
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.paper.changes import FIRST
from gpruntime.paper.claim import LEMMA, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, exactly, series_figure
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_KS = range(6)
_COUNTED = (1, 2, 3)  # n whose sequences are all counted
_DRAWN = {5: 400, 20: 200, 80: 100}  # n: trees, times the scale's number
_FAR = 10**6
_ALPHA = 0.001


def closed_form(n: int, k: int) -> Fraction:
    """C(2n, k)·(2n−2)^(2n−k)/(2n)^(2n)."""
    return Fraction(math.comb(2 * n, k) * (2 * n - 2) ** max(2 * n - k, 0), (2 * n) ** (2 * n))


def far_form(n: int, k: int) -> float:
    """The same in floating point, for large n."""
    log = math.lgamma(2 * n + 1) - math.lgamma(k + 1) - math.lgamma(2 * n - k + 1)
    return math.exp(log + (2 * n - k) * math.log1p(-1 / n) - k * math.log(2 * n))


def counted(n: int) -> dict[int, Fraction]:
    """Pr(A_k) by writing down all (2n)^(2n) sequences of leaves."""
    found: Counter[int] = Counter()
    for codes in itertools.product(range(2 * n), repeat=2 * n):
        if 0 not in codes:
            found[codes.count(1)] += 1
    return {k: Fraction(found[k], (2 * n) ** (2 * n)) for k in _KS if k <= 2 * n}


def drawn(n: int, seed: int, trees: int) -> Counter[int]:
    """k of the initial trees of runs in which x₁ is absent; −1 for the others."""
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=n)
    found: Counter[int] = Counter()
    for run in range(trees):
        codes = [terminal.code for terminal in spec.init.build(Stream(seed, spec.cell, run)).terminals()]
        found[codes.count(1) if 0 not in codes else -1] += 1
    return found


def _p_value(observed: Counter[int], n: int, trees: int) -> float:
    from scipy import stats

    expected = [float(closed_form(n, k)) * trees for k in _KS]
    seen = [observed[k] for k in _KS]
    large = [place for place, value in enumerate(expected) if value >= 5]
    seen, expected = [seen[place] for place in large], [expected[place] for place in large]
    rest = trees - sum(seen), trees - sum(expected)
    return float(stats.chisquare([*seen, rest[0]], [*expected, rest[1]]).pvalue)


def _check(evidence: Evidence) -> Verdict:
    rows: list[dict[str, Any]] = []
    p_values: list[float] = []
    wrong: list[tuple[int, int]] = []
    for n in _COUNTED:
        for k, value in counted(n).items():
            if value != closed_form(n, k):
                wrong.append((n, k))
    for n, times in _DRAWN.items():
        trees = times * evidence.scale.trees
        found = drawn(n, evidence.seed, trees)
        p_values.append(_p_value(found, n, trees))
        for k in _KS:
            share = proportion(found[k], trees)
            rows.append(
                {
                    "n": n,
                    "k": k,
                    "trees": trees,
                    "frequency": share.value,
                    "low": share.low,
                    "high": share.high,
                    "closed_form": float(closed_form(n, k)),
                    "limit": math.exp(-2) / math.factorial(k),
                }
            )
    tables = (Numbers("lem-majority-gpstar-init-numbers", "Pr(A_k): drawn, closed form, limit", rows),)
    far = max(abs(far_form(_FAR, k) * math.factorial(k) * math.exp(2) - 1) for k in _KS)
    least = min(holm(p_values))
    three = next(row for row in rows if row["k"] == 3 and row["n"] == max(_DRAWN))
    number = Estimate(three["closed_form"], remark="exact")
    if wrong or least < _ALPHA:
        why = (
            f"counting gives another number at n, k = {wrong[0]}"
            if wrong
            else f"drawn trees disagree (p = {least:.2g})"
        )
        return Verdict(CONTRADICTED, f"The closed form does not hold: {why}.", "Pr(A₃)", number, tables=tables)
    status = SUPPORTED if far < 1e-4 else OPEN
    sentence = (
        f"The closed form equals the count of all sequences for n = 1, 2, 3, agrees with drawn trees (p = {least:.2f} "
        f"after Holm), and tends to e⁻²/k!, so Pr(A₃) → {math.exp(-2) / 6:.4f}: a constant."
    )
    return Verdict(status, sentence, f"Pr(A₃), n = {max(_DRAWN)}", number, tables=tables)


def _figures(_: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    rows = [row for row in verdict.tables[0].records if row["n"] == max(_DRAWN)]
    ks = [row["k"] for row in rows]
    series = [
        Series(
            f"drawn trees, n = {max(_DRAWN)}",
            ks,
            [Estimate(r["frequency"], r["low"], r["high"]) for r in rows],
            line=False,
        ),
        Series("limit $e^{-2}/k!$", ks, [exactly(r["limit"]) for r in rows]),
        Series("closed form", ks, [exactly(r["closed_form"]) for r in rows], line=False, hollow=True),
    ]
    return [
        series_figure(
            "lem-majority-gpstar-init",
            series,
            title="Initial trees: k leaves x̄₁ and no x₁",
            xlabel="k",
            ylabel="Pr(A_k)",
            logx=False,
            logy=False,
            ylim=(0, None),
            caption="Frequency in drawn initial trees, with Wilson's intervals, the closed form and its limit.",
        )
    ]


CLAIM = Claim(
    id="lem:majority_gpstar_init",
    title="How likely x̄₁ occurs k times at first and x₁ never",
    kind=LEMMA,
    place="section 4.2.2, lemma",
    statement="Under unity expectation Pr(A_k), the probability that x̄₁ occurs exactly k times and x₁ never, is "
    "C(2n,k)·(2n−2)^(2n−k)/(2n)^(2n) = Ω(1) for constant k.",
    rule="Contradicted if the closed form differs from the count over all sequences for n = 1, 2, 3 (in fractions), or "
    f"if drawn initial trees disagree with it (χ², p < {_ALPHA} after Holm's correction); supported if neither and its "
    "value at n = 10⁶ is within 10⁻⁴ of the limit e⁻²/k!, which is positive.",
    changes=(
        Change(FIRST, "setting", "4,000, 2,000 and 1,000 drawn trees, not 2,000, 1,000 and 250, for a sharper χ²."),
    ),
    check=_check,
    figures=_figures,
)
