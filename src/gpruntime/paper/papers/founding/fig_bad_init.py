"""Figure: MAJORITY by GP-single from 2n leaves that are all x̄₁ (fig:majority_oneonegp_wc)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from gpruntime.paper.changes import HELD_TO_EXACT
from gpruntime.paper.claim import FIGURE, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import RULE, caption_words, known_bad, known_table, small_bad, unmet
from gpruntime.paper.pictures import HEIGHT
from gpruntime.paper.rules import law_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, majority_specs, specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Verdict
from gpruntime.show.axes import new_figure
from gpruntime.show.drawing import Drawing
from gpruntime.show.figures import curve_figure
from gpruntime.show.style import look, styled

TRIALS = 50
_BARELY = 1.3


def _cells(scale: Scale) -> Sequence[Asked]:
    figure = asked(specs("majority", "gp-single", scale.figure, "bad"), TRIALS)
    large = asked(majority_specs(scale, init="bad"), scale.runs)
    return [*figure, *large, *asked(small_bad(scale), scale.exact_runs)]


def _check(evidence: Evidence) -> Verdict:
    known = known_bad(evidence.scale)
    tables = (known_table("fig-bad-init-exact", evidence, known),)
    if off := unmet(evidence, known, tables):
        return off
    curve = evidence.curve(majority_specs(evidence.scale, init="bad"))
    if curve.fit is None:
        return Verdict(OPEN, curve.why_not, tables=tables)
    alpha = curve.fit.power.alpha
    low, high = alpha.low or 0.0, alpha.high or 0.0
    status = OPEN
    if low > 1 and high < _BARELY:
        status = SUPPORTED
    elif high <= 1 or low >= _BARELY:
        status = CONTRADICTED
    sizes = curve.fit.points.n
    sentence = (
        f"A free power gives n^{alpha.short()} {alpha.bracket()} for n from {sizes[0]:,.0f} to {sizes[-1]:,.0f}; "
        f"the law is {law_of(curve)}, far below the worst case that cor:majority_gp_wc proves."
    )
    if status == CONTRADICTED:
        sentence = f"A free power gives n^{alpha.short()} {alpha.bracket()}, which is not just above 1."
    return Verdict(status, sentence, "α", alpha, remarks=tuple(curve.sentences()), tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    chosen = specs("majority", "gp-single", evidence.scale.figure, "bad")
    times = [evidence.runs[spec].evaluations[:TRIALS].astype(float) for spec in chosen]
    means, deviations = [float(np.mean(t)) for t in times], [float(np.std(t, ddof=1)) for t in times]
    sizes = [spec.n for spec in chosen]
    with styled():
        figure, (axes,) = new_figure(HEIGHT)
        how = look(0)
        axes.errorbar(sizes, means, yerr=deviations, color=how.colour, marker="o", linestyle="none", elinewidth=1.0)
        axes.set_xlabel("n, number of variables")
        axes.set_ylabel("fitness evaluations")
        axes.set_ylim(0, None)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_title("MAJORITY, GP-single, 2n leaves x̄₁")
    caption = (
        f"The paper's form: mean and standard deviation of {TRIALS} trials. The paper's text does not tell its sizes; "
        "these stand in for them."
    )
    records = [
        {"n": n, "trials": len(t), "mean": m, "deviation": d}
        for n, t, m, d in zip(sizes, times, means, deviations, strict=True)
    ]
    ours = _ours(evidence)
    return [
        Drawing("fig-bad-init-paper", figure, caption, records),
        Drawing("fig-bad-init-ours", ours.figure, f"Ours: {ours.caption}", ours.records),
    ]


def _ours(evidence: Evidence) -> Drawing:
    """The curve with its law, and the small sizes with their exact means, which the law does not see."""
    curve, known = evidence.curve(majority_specs(evidence.scale, init="bad")), known_bad(evidence.scale)
    small = tuple(evidence.cell(one.spec) for one in known)
    whole = dataclasses.replace(curve, cells=(*small, *curve.cells))
    drawing = curve_figure(whole, {one.spec.n: one.mean for one in known})
    return dataclasses.replace(drawing, caption=f"{drawing.caption} {caption_words(known)}")


def _news(evidence: Evidence, _: Verdict) -> Sequence[str]:
    curve = evidence.curve(majority_specs(evidence.scale, init="bad"))
    return [f"On MAJORITY GP-single takes {law_of(curve)} evaluations from 2n leaves x̄₁."] if curve.fit else []


CLAIM = Claim(
    id="fig-bad-init",
    title="MAJORITY from 2n leaves x̄₁ takes barely more than linear time",
    kind=FIGURE,
    place="section 4.1.1, figure after cor:majority_gp_wc",
    statement="From 2n leaves that are all x̄₁ (D₁ = 2n), (1+1) GP-single solves MAJORITY in a number of evaluations "
    "that grows “just barely superlinearly” in n; mean and standard deviation of 50 trials a point.",
    rule=f"Fit c·n^α to the means. Supported if the 95 % interval of α lies between 1 and {_BARELY}; contradicted if "
    f"it lies outside; open if it straddles an end. {RULE}",
    changes=(HELD_TO_EXACT,),
    cells=_cells,
    check=_check,
    figures=_figures,
    news=_news,
)
