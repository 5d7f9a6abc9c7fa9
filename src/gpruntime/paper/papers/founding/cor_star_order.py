"""ORDER, GP*-single: O(n²), and the tree grows by at most n leaves (cor:star-order)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpruntime.model.spec import RunSpec
from gpruntime.paper.changes import HELD_TO_EXACT, POWER, STRICT_RUNS
from gpruntime.paper.claim import COROLLARY, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    RULE,
    Known,
    caption_words,
    known_order,
    known_table,
    small_order,
    small_order_asked,
    unmet,
)
from gpruntime.paper.pictures import exact_series, ratios_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, bound_named, hold, how_far, law_of, no_growth, powers_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import order_asked, order_specs
from gpruntime.paper.verdict import CONTRADICTED, SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

BOUND = bound_named("cor:star-order")
_INITS = ("unity", "bad", "insertion")


def _cells(scale: Scale) -> Sequence[Asked]:
    large = [one for init in _INITS for one in order_asked(scale, "gpstar-single", init)]
    return [*large, *(one for init in _INITS for one in small_order_asked(scale, "gpstar-single", init))]


def _known(scale: Scale) -> list[Known]:
    return [one for init in _INITS for one in known_order(scale, "gpstar-single", init)]


def _too_large(evidence: Evidence, spec: RunSpec) -> int:
    """Runs with T_max > T_init + n."""
    return int(np.sum(evidence.runs[spec].max_leaves > spec.init.leaves + spec.n))


def _check(evidence: Evidence) -> Verdict:
    known = _known(evidence.scale)
    solved = known_table("cor-star-order-exact", evidence, known)
    if off := unmet(evidence, known, [solved]):
        return off
    curves = {init: evidence.curve(order_specs(evidence.scale, "gpstar-single", init)) for init in _INITS}
    checks = [hold(curve, BOUND) for curve in curves.values()]
    all_specs = [spec for init in _INITS for spec in order_specs(evidence.scale, "gpstar-single", init)]
    broken = sum(_too_large(evidence, spec) for spec in all_specs)
    runs = sum(len(evidence.runs[spec]) for spec in all_specs)
    largest = max(float(evidence.runs[spec].max_leaves.max() - spec.init.leaves) / spec.n for spec in all_specs)
    powers = powers_of({f"initial tree {init}": check.trend for init, check in zip(_INITS, checks, strict=True)})
    status = CONTRADICTED if broken else all_of(no_growth(check.trend) for check in checks)
    size = (
        f"T_max ≤ T_init + n in all {runs:,} runs (at most T_init + {largest:.2f}·n)"
        if not broken
        else f"T_max exceeds T_init + n in {broken:,} of {runs:,} runs"
    )
    level = all(no_growth(check.trend) == SUPPORTED for check in checks)
    time = "grows from none of three starts: its largest power of n is" if level else "has as its largest power of n"
    sentence = f"E[time]/n² {time} {powers}. {size}. {CANNOT_PROVE}"
    remarks = tuple(
        f"Initial tree {init}: {law_of(curve)}; E[time]/n² is {how_far(hold(curve, BOUND))}."
        for init, curve in curves.items()
    )
    records = [record for check in checks for record in check.to_records()]
    tables = (Numbers("cor-star-order-numbers", "E[time] ÷ n²", records), solved)
    return Verdict(status, sentence, "largest power of n in E[time]/n²", powers.largest[1], remarks, tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    known = _known(evidence.scale)
    checks = [
        (
            f"initial tree {init}",
            [
                hold(evidence.curve(some), BOUND)
                for some in (
                    small_order(evidence.scale, "gpstar-single", init),
                    order_specs(evidence.scale, "gpstar-single", init),
                )
            ],
        )
        for init in _INITS
    ]
    return [
        ratios_figure(
            "cor-star-order",
            checks,
            "ORDER, GP*-single: E[time] ÷ n²",
            "With 95 % intervals. A level line means that n² is the order of growth; one that still falls has a large "
            f"lower-order term. {caption_words(known)}",
            exact_series(known, power=2),
        )
    ]


CLAIM = Claim(
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
    cells=_cells,
    check=_check,
    figures=_figures,
)
