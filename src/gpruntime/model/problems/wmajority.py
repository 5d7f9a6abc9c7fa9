"""WMAJORITY: MAJORITY with weights. The fitness is the sum of w_i ≥ 0 over the expressed variables.

Neumann (GECCO 2012, arXiv 1203.4881) defines it for the multi-objective setting; `weights` has the weights that later
work used. With equal weights it is MAJORITY. The optimum is Σ w_i.

**A run ends** under the weak rule and under parsimony, if it can substitute, insert and delete: leaves that add
nothing can be deleted one after the other, and then each missing x_i inserted. SMO-GP: `weights`.

**Stuck.** The arguments for MAJORITY count variables; with weights, one may be given up for a heavier one. So all
proposals of one operation are tried, and with several it is unknown.

**Known.** With parsimony GP-single takes O(T_init + n log n) (Neumann 2012; reported, text not seen). Without it, one
operation: O(n²·T_max·log n) (Nguyen, Urli, Wagner, FOGA 2013; reported, text not seen).
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.bound import REPORTED, UPPER, Bound
from gpruntime.model.problems.expressing import WEIGHTED, controlled, log_n
from gpruntime.model.problems.weights import ENDS, Weighted, best_of, positive, weights_of


def _worth(i: int, plain: int, bar: int, n: int, weights: Any) -> Any:  # noqa: ARG001
    return weights[i - 1] if plain >= bar and plain >= 1 else 0


PROBLEM = Weighted(
    "wmajority",
    "WMAJORITY",
    _worth,
    sees="counts",
    best=best_of,
    parameters={"weights": "equal"},
    data=weights_of,
    ends=ENDS,
    optimal_leaves=positive,
    cite="Neumann 2012",
    line="MAJORITY with weights: the sum of w_i over variables at least as frequent as their complements",
    number=4,
    bounds=(
        *controlled("N1:wmajority", "WMAJORITY", WEIGHTED, one=True),
        Bound(
            "nguyen:wmajority",
            "O(n²·T_max·log n)",
            r"n^2\,T_{\max}\log n",
            UPPER,
            "Nguyen, Urli, Wagner, FOGA 2013",
            "WMAJORITY, GP-single",
            REPORTED,
            ("gp-single",),
            (),
            lambda n, t_max, _: math.log(n * n * t_max * log_n(n)),
            "text not seen",
        ),
    ),
)
