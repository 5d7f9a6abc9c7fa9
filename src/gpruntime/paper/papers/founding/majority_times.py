"""MAJORITY, GP-single: O(n log n + D·T_max·n·log log n), and what follows in the worst and in the average case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.model.bound import Bound
from gpruntime.paper.claim import COROLLARY, THEOREM, Claim
from gpruntime.paper.kinds.curve_bound import CurveBound, largest_ratio
from gpruntime.paper.lines import majority
from gpruntime.paper.papers.founding.order_times import POWER
from gpruntime.paper.rules import MARGIN, Powers, bound_named, own_bound

_DRAWS = 200


def unity_deficit(n: int) -> float:
    """E[D] for 2n uniform leaves, D = max D_i, from 200 draws with a fixed seed."""
    generator = np.random.default_rng([2011, n])
    largest = []
    for _ in range(_DRAWS):
        counts = np.bincount(generator.integers(2 * n, size=2 * n), minlength=2 * n)
        largest.append(int((counts[1::2] - counts[0::2]).max()))
    return float(np.mean(largest))


def _by_deficit(deficit: Callable[[int], float], words: str) -> Bound:
    def log(n: float, t_max: float, _: float) -> float:
        n_log, log_log = n * math.log(max(n, 2.0)), math.log(math.log(max(n, 3.0)))
        return math.log(n_log + max(deficit(round(n)), 1.0) * t_max * n * log_log)

    formula = f"n·log n + D·T_max·n·log log n, {words}"
    return own_bound("thm:majority_gp_overall", log, formula, r"n\log n + D\,T_{\max}\,n\log\log n")


def _claim(
    identifier: str, title: str, kind: str, place: str, statement: str, bounds: dict[str, Bound], slip: str = ""
) -> Claim:
    """A bound on GP-single from some initial trees."""
    largest = "largest " if len(bounds) > 1 else ""

    def grows(powers: Powers, checks: Mapping[str, BoundCheck], loose: str = "") -> str:
        return (
            f"The {largest}power of n in E[time] ÷ bound is {powers}{loose}. There E[time] ÷ bound is "
            f"{largest_ratio(powers, checks)}."
        )

    def level(powers: Powers, checks: Mapping[str, BoundCheck]) -> str:
        power = powers.largest[1]
        loose = f": no growth, the bound is loose by about n^{-(power.value or 0.0):.1f}"
        return grows(powers, checks, loose if (power.high or 0.0) < 0 else "")

    formulas = dict.fromkeys(bound.formula for bound in bounds.values())
    check = CurveBound(
        name=identifier.replace(":", "-").replace("_", "-"),
        curves=lambda scale: {f"initial tree {init}": majority(scale, init=init) for init in bounds},
        bound={f"initial tree {init}": bound for init, bound in bounds.items()},
        ratio="E[time] ÷ bound",
        quantity=f"{largest}power of n in E[time]/bound",
        level=level,
        grows=grows,
        remark="÷ bound",
        title="MAJORITY, GP-single: E[time] ÷ bound",
        caption=f"Measured mean ÷ {' or '.join(formulas)}, with 95 % intervals. A falling line: the time stays ever "
        "further below the bound.",
    )
    rule = (
        f"Fit a power of n to E[time] ÷ bound, with the measured E[T_max], over the larger half of the sizes, from "
        f"{' and '.join(bounds)}. Supported if every 95 % interval ends below {MARGIN}; contradicted if one begins "
        "above it; open otherwise."
    )
    return Claim(identifier, title, kind, place, statement, rule, check, slip, (POWER,))


OVERALL = _claim(
    "thm:majority_gp_overall",
    "MAJORITY with GP-single, by the initial deficit",
    THEOREM,
    "section 4.1.1, theorem",
    "On MAJORITY, with D the largest initial deficit, GP-single needs O(n log n + D·T_max·n·log log n) evaluations in "
    "expectation.",
    {
        "unity": _by_deficit(unity_deficit, "E[D] of unity expectation"),
        "bad": _by_deficit(lambda n: 2.0 * n, "D = 2n"),
        "tlopt": _by_deficit(lambda n: n + 1.0, "D = n + 1"),
    },
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
