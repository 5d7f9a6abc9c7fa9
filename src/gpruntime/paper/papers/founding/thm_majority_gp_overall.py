"""MAJORITY, GP-single: O(n log n + D·T_max·n·log log n), and what follows in the worst and in the average case."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.model.bound import Bound
from gpruntime.paper.changes import POWER
from gpruntime.paper.claim import COROLLARY, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import ratios_figure
from gpruntime.paper.rules import (
    CANNOT_PROVE,
    MARGIN,
    bound_named,
    hold,
    how_far,
    law_of,
    no_growth,
    own_bound,
    powers_of,
    said,
)
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, majority_specs
from gpruntime.paper.verdict import SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_DRAWS = 200


def unity_deficit(n: int) -> float:
    """E[D] for 2n uniform leaves, D = max D_i, from 200 draws with a fixed seed."""
    generator = np.random.default_rng([2011, n])
    largest = []
    for _ in range(_DRAWS):
        counts = np.bincount(generator.integers(2 * n, size=2 * n), minlength=2 * n)
        largest.append(int((counts[1::2] - counts[0::2]).max()))
    return float(np.mean(largest))


def _overall(deficit: Callable[[int], float], words: str) -> Bound:
    def log(n: float, t_max: float, _: float) -> float:
        n_log, log_log = n * math.log(max(n, 2.0)), math.log(math.log(max(n, 3.0)))
        return math.log(n_log + max(deficit(round(n)), 1.0) * t_max * n * log_log)

    formula = f"n·log n + D·T_max·n·log log n, {words}"
    return own_bound("thm:majority_gp_overall", log, formula, r"n\log n + D\,T_{\max}\,n\log\log n")


_STARTS = {
    "unity": _overall(unity_deficit, "E[D] of unity expectation"),
    "bad": _overall(lambda n: 2.0 * n, "D = 2n"),
    "tlopt": _overall(lambda n: n + 1.0, "D = n + 1"),
}


def _claim(
    identifier: str, title: str, kind: str, place: str, statement: str, bounds: dict[str, Bound], slip: str = ""
) -> Claim:
    """A bound on GP-single from some starts, held against the measured times."""
    name = identifier.replace(":", "-").replace("_", "-")

    def cells(scale: Scale) -> Sequence[Asked]:
        return [one for init in bounds for one in asked(majority_specs(scale, init=init), scale.runs)]

    def checks_of(evidence: Evidence) -> dict[str, BoundCheck]:
        return {
            init: hold(evidence.curve(majority_specs(evidence.scale, init=init)), bound)
            for init, bound in bounds.items()
        }

    def check(evidence: Evidence) -> Verdict:
        checks = checks_of(evidence)
        named = {f"initial tree {init}": one for init, one in checks.items()}
        powers = powers_of({start: one.trend for start, one in named.items()})
        status = all_of(no_growth(one.trend) for one in checks.values())
        which, power = powers.largest
        n, ratio = named[which].ratios[-1]
        loose = f": no growth, the bound is loose by about n^{-(power.value or 0.0):.1f}"
        sentence = (
            f"The {'largest ' if len(checks) > 1 else ''}power of n in E[time] ÷ bound is {powers}"
            f"{loose if status == SUPPORTED and (power.high or 0.0) < 0 else ''}. "
            f"There E[time] ÷ bound is {said(ratio)} at n = {n:,}. {CANNOT_PROVE}"
        )
        remarks = tuple(
            f"Initial tree {init}: {law_of(one.curve)}; ÷ bound {how_far(one)}." for init, one in checks.items()
        )
        records = [record for one in checks.values() for record in one.to_records()]
        tables = (Numbers(f"{name}-numbers", "E[time] ÷ bound", records),)
        quantity = f"{'largest ' if len(checks) > 1 else ''}power of n in E[time]/bound"
        return Verdict(status, sentence, quantity, power, remarks, tables)

    def figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        checks = [(f"initial tree {init}", [one]) for init, one in checks_of(evidence).items()]
        formulas = dict.fromkeys(bound.formula for bound in bounds.values())
        caption = (
            f"Measured mean ÷ {' or '.join(formulas)}, with 95 % intervals. A falling line: the time stays ever "
            "further below the bound."
        )
        return [ratios_figure(name, checks, "MAJORITY, GP-single: E[time] ÷ bound", caption)]

    rule = (
        f"Fit a power of n to E[time] ÷ bound, with the measured E[T_max], over the larger half of the sizes, from "
        f"{' and '.join(bounds)}. Supported if every 95 % interval ends below {MARGIN}; contradicted if one begins "
        "above it; open otherwise."
    )
    changes = (POWER,)
    return Claim(identifier, title, kind, place, statement, rule, check, figures, cells, slip=slip, changes=changes)


OVERALL = _claim(
    "thm:majority_gp_overall",
    "MAJORITY with GP-single, by the initial deficit",
    THEOREM,
    "section 4.1.1, theorem",
    "On MAJORITY, with D the largest initial deficit, GP-single needs O(n log n + D·T_max·n·log log n) evaluations in "
    "expectation.",
    _STARTS,
)
WORST = _claim(
    "cor:majority_gp_wc",
    "MAJORITY with GP-single in the worst case",
    COROLLARY,
    "section 4.1.1, corollary",
    "From O(n) leaves of any kind, GP-single solves MAJORITY in O(n²·T_max·log log n) evaluations.",
    {init: bound_named("cor:majority_gp_wc") for init in ("bad", "tlopt")},
    "Table 1 prints O(n²·T_max·log n) for it.",
)
AVERAGE = _claim(
    "cor:majority_gp_ac",
    "MAJORITY with GP-single in the average case",
    COROLLARY,
    "section 4.2.1, corollary",
    "Under unity expectation GP-single solves MAJORITY in O(n·T_max·log n) evaluations.",
    {"unity": bound_named("cor:majority_gp_ac")},
    "The opening of section 4 says O(n·T_max·log log n) for it.",
)
