"""ORDER: O(n·T_max) for all four algorithms, O(n²) for GP*-single, and a conjecture for GP*-multi (section 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.estimates import Estimate, normal_quantile
from gpruntime.analysis.fitting import slope
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import CONJECTURE, COROLLARY, FIRST, THEOREM, Change, Check, Claim, Request
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import CurveBound
from gpruntime.paper.known import (
    RULE,
    caption_words,
    known_order,
    known_table,
    small_order,
    small_order_requests,
    unmet,
)
from gpruntime.paper.lines import FOUR, Line, order
from gpruntime.paper.phrases import how_far, law_of, per_variable, stated
from gpruntime.paper.pictures import Series, exact_series, ratios_figure, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, all_of, bound_named, decide, hold, no_growth
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import OPEN, SUPPORTED, Verdict
from gpruntime.show.drawing import Drawing

# Changes that claims elsewhere share.
HELD_TO_EXACT = Change(
    FIRST, "rule", "no verdict where a simulated mean misses an exact one, since small sizes had been solved."
)
STRICT_RUNS = Change(FIRST, "setting", "600 runs a size of GP*-single on ORDER, not 200, for narrower intervals.")
POWER = Change(
    FIRST,
    "interval",
    "that of a power of n is Student's where the fit is poor, and counts the error of T_max; it had been too narrow.",
)


# ---- O(n·T_max)

IN_N_T_MAX = Claim(
    id="thm:oneonegp",
    title="ORDER in O(n·T_max), all four algorithms",
    kind=THEOREM,
    place="section 3, theorem",
    statement="On ORDER the expected optimisation time of all four algorithms is O(n·T_max), T_max being the largest "
    "tree of the run.",
    rule="Fit a power of n to E[time]/(n·E[T_max]) over the larger half of the sizes, for each algorithm. Supported "
    f"if all four 95 % intervals end below {MARGIN}; contradicted if one begins above it; open otherwise. {RULE}",
    slip="T_max is a random number, so the bound is read with E[T_max]; the proof bounds each level by the tree's size "
    "at that time.",
    changes=(STRICT_RUNS, POWER, HELD_TO_EXACT),
    check=CurveBound(
        name="thm-oneonegp",
        curves=lambda scale: {ALGORITHMS[algorithm].name: order(scale, algorithm) for algorithm in FOUR},
        bound=bound_named("thm:oneonegp"),
        ratio="E[time] ÷ (n·E[T_max])",
        quantity="largest power of n in E[time]/(n·T_max)",
        level=lambda powers, checks: (
            f"E[time]/(n·E[T_max]) grows for none of the four: its largest power of n is {powers}. For GP-single it is "
            f"{how_far(next(iter(checks.values())))}."
        ),
        grows=lambda powers, _: f"The largest power of n in E[time]/(n·E[T_max]) is {powers}.",
        remark="ratio",
        title="ORDER: E[time] ÷ (n·E[T_max])",
        caption="With 95 % intervals. A level line is a tight bound, a falling one a loose one: the time of neutral "
        "acceptance (GP) stays ever further below the bound, that of strict acceptance (GP*) hardly does. No exact "
        "values here: the mean of T_max has none. Those of the times are in the figure of table-1.",
        small={ALGORITHMS[algorithm].name: (algorithm, "unity") for algorithm in FOUR},
    ),
)


# ---- O(n²), and the tree grows by at most n leaves

_STRICT, _INITS = "gpstar-single", ("unity", "bad", "insertion")


def _size(evidence: Evidence, lines: Sequence[Line]) -> tuple[str, str]:
    """Whether no run has T_max > T_init + n."""
    specs = [spec for line in lines for spec in line.specs]
    grown = {spec: evidence.runs[spec].max_leaves - spec.init.leaves for spec in specs}
    broken = sum(int(np.sum(leaves > spec.n)) for spec, leaves in grown.items())
    runs = sum(len(leaves) for leaves in grown.values())
    if broken:
        return decide(False, True), f"T_max exceeds T_init + n in {broken:,} of {runs:,} runs."
    largest = max(float(leaves.max()) / spec.n for spec, leaves in grown.items())
    return SUPPORTED, f"T_max ≤ T_init + n in all {runs:,} runs (at most T_init + {largest:.2f}·n)."


IN_N_SQUARED = Claim(
    id="cor:star-order",
    title="ORDER in O(n²) with GP*-single",
    kind=COROLLARY,
    place="section 3, corollary",
    statement="On ORDER, from a tree with O(n) leaves, (1+1) GP*-single needs O(n²) evaluations, because at most n "
    "steps are accepted and T_max ≤ T_init + n.",
    rule="The size: contradicted by a single run with T_max > T_init + n. The time: fit a power of n to E[time]/n² "
    f"from three kinds of initial tree; supported if all 95 % intervals end below {MARGIN}, contradicted if one begins "
    f"above it; open otherwise. {RULE}",
    slip="The proof counts nodes (“adds at most two nodes”) where T counts leaves: each accepted step adds at most one "
    "leaf.",
    changes=(STRICT_RUNS, POWER, HELD_TO_EXACT),
    check=CurveBound(
        name="cor-star-order",
        curves=lambda scale: {f"initial tree {init}": order(scale, _STRICT, init) for init in _INITS},
        bound=bound_named("cor:star-order"),
        ratio="E[time] ÷ n²",
        quantity="largest power of n in E[time]/n²",
        level=lambda powers, _: f"E[time]/n² grows from none of three starts: its largest power of n is {powers}.",
        grows=lambda powers, _: f"E[time]/n² has as its largest power of n {powers}.",
        also=_size,
        remark="E[time]/n² is",
        title="ORDER, GP*-single: E[time] ÷ n²",
        caption="With 95 % intervals. A level line means that n² is the order of growth; one that still falls has a "
        "large lower-order term.",
        small={f"initial tree {init}": (_STRICT, init) for init in _INITS},
        rings=True,
    ),
)


# ---- O(n²) with many operations


def leaves_per_variable(evidence: Evidence, algorithm: str) -> dict[int, Estimate]:
    """E[T_max]/n by n, on ORDER."""
    return {spec.n: per_variable(evidence.cell(spec)) for spec in order(evidence.scale, algorithm).specs}


def power_of(values: dict[int, Estimate]) -> Estimate | None:
    """α if the values go like n^α over the larger half of the sizes."""
    known = [
        (n, e.value, (e.high - e.low) / e.value / (2 * normal_quantile(e.level)))
        for n, e in values.items()
        if e.value and e.low is not None and e.high is not None
    ]
    known = known[min(len(known) // 2, max(len(known) - 3, 0)) :]
    if len(known) < 3:
        return None
    n, value, error = (np.array(column, float) for column in zip(*known, strict=True))
    return slope(n, value, error)


class _Conjectured(Check):
    """Whether neither E[time]/n² nor E[T_max]/n grows."""

    algorithm, bound = "gpstar-multi", bound_named("conj:star-multi")

    def cells(self, scale: Scale) -> Sequence[Request]:
        return [*order(scale, self.algorithm).requests, *small_order_requests(scale, self.algorithm)]

    def _check(self, evidence: Evidence, specs: Sequence[RunSpec]) -> BoundCheck:
        return hold(evidence.curve(specs), self.bound)

    def __call__(self, evidence: Evidence) -> Verdict:
        known = known_order(evidence.scale, self.algorithm)
        tables = (known_table("conj-star-multi-exact", evidence, known),)
        if off := unmet(evidence, known, tables):
            return off
        time = self._check(evidence, order(evidence.scale, self.algorithm).specs)
        sizes = leaves_per_variable(evidence, self.algorithm)
        growth = power_of(sizes)
        if time.trend is None or growth is None:
            return Verdict(OPEN, "Too few sizes.", tables=tables)
        status, n = all_of([no_growth(time.trend), no_growth(growth)]), max(sizes)
        proof = "That is evidence for the conjecture, no proof." if status == SUPPORTED else CANNOT_PROVE
        sentence = (
            f"E[time]/n² is {how_far(time)}; E[T_max]/n is {stated(sizes[n])} at n = {n:,}, going like "
            f"n^{stated(growth)}. {proof}"
        )
        remarks = (f"The law: {law_of(time.curve)}.",)
        return Verdict(status, sentence, "power of n in E[time]/n²", time.trend, remarks, tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        known, sizes = known_order(evidence.scale, self.algorithm), leaves_per_variable(evidence, self.algorithm)
        parts = (small_order(evidence.scale, self.algorithm), order(evidence.scale, self.algorithm).specs)
        return [
            ratios_figure(
                "conj-star-multi-time",
                {"GP*-multi": [self._check(evidence, specs) for specs in parts]},
                "ORDER, GP*-multi: E[time] ÷ n²",
                f"With 95 % intervals. A level or falling line is what the conjecture needs. {caption_words(known)}",
                exact_series(known, power=2),
            ),
            series_figure(
                "conj-star-multi-size",
                [Series("", list(sizes), list(sizes.values()))],
                title="ORDER, GP*-multi: the largest tree",
                ylabel="E[T_max] ÷ n",
                logy=False,
                ylim=(1.9, None),
                caption=f"The largest tree has {stated(sizes[max(sizes)])} leaves a variable at n = {max(sizes):,}; 95 "
                "% intervals. A level line means that accepted moves are not much longer than proposed ones.",
            ),
        ]

    def news(self, evidence: Evidence, _: Verdict) -> Sequence[str]:
        curve = evidence.curve(order(evidence.scale, self.algorithm).specs)
        return [f"On ORDER GP*-multi takes {law_of(curve)} evaluations."] if curve.fit else []


IN_N_SQUARED_MULTI = Claim(
    id="conj:star-multi",
    title="ORDER in O(n²) with GP*-multi, a conjecture",
    kind=CONJECTURE,
    place="section 3, after the corollary",
    statement="The bound O(n²) of cor:star-order holds for (1+1) GP*-multi as well; the paper has no proof, because "
    "accepted moves may be longer than proposed ones.",
    rule=f"Supported if the 95 % intervals of the powers of n in E[time]/n² and in E[T_max]/n both end below {MARGIN}; "
    f"contradicted if one begins above it; open otherwise. {RULE}",
    changes=(POWER, HELD_TO_EXACT),
    check=_Conjectured(),
)
