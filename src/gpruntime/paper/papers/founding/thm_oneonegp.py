"""ORDER, all four algorithms: O(n·T_max) (thm:oneonegp)."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.paper.changes import HELD_TO_EXACT, POWER, STRICT_RUNS
from gpruntime.paper.claim import THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import RULE, known_order, known_table, small_order_asked, unmet
from gpruntime.paper.pictures import ratios_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, bound_named, hold, how_far, law_of, no_growth, powers_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import FOUR, order_asked, order_specs
from gpruntime.paper.verdict import SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

BOUND = bound_named("thm:oneonegp")


def _cells(scale: Scale) -> Sequence[Asked]:
    large = [one for algorithm in FOUR for one in order_asked(scale, algorithm)]
    return [*large, *(one for algorithm in FOUR for one in small_order_asked(scale, algorithm))]


def _check(evidence: Evidence) -> Verdict:
    known = [one for algorithm in FOUR for one in known_order(evidence.scale, algorithm)]
    solved = known_table("thm-oneonegp-exact", evidence, known)
    if off := unmet(evidence, known, [solved]):
        return off
    curves = {algorithm: evidence.curve(order_specs(evidence.scale, algorithm)) for algorithm in FOUR}
    checks = [hold(curve, BOUND) for curve in curves.values()]
    status = all_of(no_growth(check.trend) for check in checks)
    powers = powers_of({check.curve.spec.algorithm.name: check.trend for check in checks})
    ratio = "E[time]/(n·E[T_max])"
    sentence = (
        f"{ratio} grows for none of the four: its largest power of n is {powers}. "
        f"For GP-single it is {how_far(checks[0])}. "
        if status == SUPPORTED
        else f"The largest power of n in {ratio} is {powers}. "
    ) + CANNOT_PROVE
    remarks = tuple(
        f"{ALGORITHMS[a].name}: {law_of(curve)}; ratio {how_far(hold(curve, BOUND))}." for a, curve in curves.items()
    )
    records = [record for check in checks for record in check.to_records()]
    tables = (Numbers("thm-oneonegp-numbers", "E[time] ÷ (n·E[T_max])", records), solved)
    return Verdict(status, sentence, "largest power of n in E[time]/(n·T_max)", powers.largest[1], remarks, tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    checks = [
        (ALGORITHMS[algorithm].name, [hold(evidence.curve(order_specs(evidence.scale, algorithm)), BOUND)])
        for algorithm in FOUR
    ]
    return [
        ratios_figure(
            "thm-oneonegp",
            checks,
            "ORDER: E[time] ÷ (n·E[T_max])",
            "With 95 % intervals. A level line is a tight bound, a falling one a loose one: the time of neutral "
            "acceptance (GP) stays ever further below the bound, that of strict acceptance (GP*) hardly does. No exact "
            "values here: the mean of T_max has none. Those of the times are in the figure of table-1.",
        )
    ]


CLAIM = Claim(
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
    cells=_cells,
    check=_check,
    figures=_figures,
)
