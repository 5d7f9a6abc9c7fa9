"""ORDER, GP*-multi: the paper conjectures O(n²) here too (after cor:star-order)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.estimates import Estimate, normal_quantile
from gpruntime.analysis.fitting import slope
from gpruntime.paper.changes import HELD_TO_EXACT, POWER
from gpruntime.paper.claim import CONJECTURE, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    RULE,
    caption_words,
    known_order,
    known_table,
    small_order,
    small_order_asked,
    unmet,
)
from gpruntime.paper.pictures import Series, exact_series, ratios_figure, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, bound_named, hold, how_far, law_of, no_growth, said
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import order_asked, order_specs
from gpruntime.paper.verdict import OPEN, SUPPORTED, Verdict, all_of
from gpruntime.show.drawing import Drawing

BOUND = bound_named("conj:star-multi")


def _cells(scale: Scale) -> Sequence[Asked]:
    return [*order_asked(scale, "gpstar-multi"), *small_order_asked(scale, "gpstar-multi")]


def leaves_per_variable(evidence: Evidence, algorithm: str) -> list[tuple[int, Estimate]]:
    """E[T_max]/n over n, on ORDER."""
    found = []
    for spec in order_specs(evidence.scale, algorithm):
        mean = evidence.cell(spec).max_leaves
        ends = [None if end is None else end / spec.n for end in (mean.value, mean.low, mean.high)]
        found.append((spec.n, dataclasses.replace(mean, value=ends[0], low=ends[1], high=ends[2])))
    return found


def power_of(values: Sequence[tuple[int, Estimate]]) -> Estimate | None:
    """α if the values go like n^α over the larger half of the sizes."""
    known = [
        (n, e.value, (e.high - e.low) / e.value / (2 * normal_quantile(e.level)))
        for n, e in values
        if e.value and e.low is not None and e.high is not None
    ]
    known = known[min(len(known) // 2, max(len(known) - 3, 0)) :]
    if len(known) < 3:
        return None
    n, value, error = (np.array(column, float) for column in zip(*known, strict=True))
    return slope(n, value, error)


def _check(evidence: Evidence) -> Verdict:
    known = known_order(evidence.scale, "gpstar-multi")
    tables = (known_table("conj-star-multi-exact", evidence, known),)
    if off := unmet(evidence, known, tables):
        return off
    curve = evidence.curve(order_specs(evidence.scale, "gpstar-multi"))
    time = hold(curve, BOUND)
    sizes = leaves_per_variable(evidence, "gpstar-multi")
    growth = power_of(sizes)
    if time.trend is None or growth is None:
        return Verdict(OPEN, "Too few sizes.", tables=tables)
    status = all_of([no_growth(time.trend), no_growth(growth)])
    sentence = (
        f"E[time]/n² is {how_far(time)}; E[T_max]/n is {said(sizes[-1][1])} at n = {sizes[-1][0]:,}, going like "
        f"n^{said(growth)}. "
    )
    sentence += "That is evidence for the conjecture, no proof." if status == SUPPORTED else CANNOT_PROVE
    remarks = (f"The law: {law_of(curve)}.",)
    return Verdict(status, sentence, "power of n in E[time]/n²", time.trend, remarks, tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    known = known_order(evidence.scale, "gpstar-multi")
    times = [
        hold(evidence.curve(some), BOUND)
        for some in (small_order(evidence.scale, "gpstar-multi"), order_specs(evidence.scale, "gpstar-multi"))
    ]
    sizes = leaves_per_variable(evidence, "gpstar-multi")
    return [
        ratios_figure(
            "conj-star-multi-time",
            [("GP*-multi", times)],
            "ORDER, GP*-multi: E[time] ÷ n²",
            f"With 95 % intervals. A level or falling line is what the conjecture needs. {caption_words(known)}",
            exact_series(known, power=2),
        ),
        series_figure(
            "conj-star-multi-size",
            [Series("", [n for n, _ in sizes], [e for _, e in sizes])],
            title="ORDER, GP*-multi: the largest tree",
            ylabel="E[T_max] ÷ n",
            logy=False,
            ylim=(1.9, None),
            caption=f"The largest tree has {said(sizes[-1][1])} leaves a variable at n = {sizes[-1][0]:,}; 95 % "
            "intervals. A level line means that accepted moves are not much longer than proposed ones.",
        ),
    ]


def _news(evidence: Evidence, _: Verdict) -> Sequence[str]:
    curve = evidence.curve(order_specs(evidence.scale, "gpstar-multi"))
    return [f"On ORDER GP*-multi takes {law_of(curve)} evaluations."] if curve.fit else []


CLAIM = Claim(
    id="conj:star-multi",
    title="ORDER in O(n²) with GP*-multi, a conjecture",
    kind=CONJECTURE,
    place="section 3, after the corollary",
    statement="The bound O(n²) of cor:star-order holds for (1+1) GP*-multi as well; the paper has no proof, because "
    "accepted moves may be longer than proposed ones.",
    rule=f"Supported if the 95 % intervals of the powers of n in E[time]/n² and in E[T_max]/n both end below {MARGIN}; "
    f"contradicted if one begins above it; open otherwise. {RULE}",
    changes=(POWER, HELD_TO_EXACT),
    cells=_cells,
    check=_check,
    figures=_figures,
    news=_news,
)
