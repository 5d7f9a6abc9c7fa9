"""SORTING with parsimony by INV and by LAS: O(T_init + n⁵) and O(T_init + n² log n). What are the true exponents?"""

from __future__ import annotations

import math

from gpruntime.paper.claim import REPORTED, THEOREM, Claim
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line, SizeBound, over_n
from gpruntime.paper.scale import Scale, by_scale


def _claim(identifier: str, measure: str, bound: SizeBound, formula: str) -> Claim:
    def lines(scale: Scale) -> list[Line]:
        sizes = by_scale(scale, quick=(5, 7, 10, 14, 20, 28, 40), full=(5, 7, 10, 14, 20, 28, 40, 57, 80),
                         tiny=(3, 4, 5, 8, 10))  # fmt: skip
        return [
            over_n(
                measure.upper(),
                sizes,
                by_scale(scale, quick=100, full=400, tiny=40),
                problem=f"sorting:measure={measure}",
                algorithm=algorithm,
                accept="parsimony",
                init="unity:leaves=n",
                budget=lambda n: 1000 * n**4,
            )
            for algorithm in ("gp-single", "gp-multi")
        ]

    return line_claim(
        identifier,
        f"SORTING by {measure.upper()} with parsimony",
        THEOREM,
        f"With parsimony, the (1+1) GP sorts by {measure.upper()} in an expected time of O(T_init + "
        f"{'n⁵' if measure == 'inv' else 'n² log n'}).",
        lines=lines,
        bound=bound,
        formula=formula,
        setting="From n random leaves; one operation and many.",
        wording=REPORTED,
        place="table",
        exponents=True,
    )


INV = _claim("S1", "inv", lambda n, leaves: leaves + n**5, "T_init + n⁵")
LAS = _claim("S2", "las", lambda n, leaves: leaves + n**2 * math.log(n), "T_init + n²·ln n")
