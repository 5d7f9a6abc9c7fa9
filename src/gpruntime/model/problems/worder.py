"""WORDER: ORDER with weights. The fitness is the sum of w_i ≥ 0 over the variables whose first occurrence is x_i.

Neumann (GECCO 2012, arXiv 1203.4881) defines it for the multi-objective setting; `weights` has the weights that later
work used. With equal weights it is ORDER. The optimum is Σ w_i.

**A run ends** under the weak rule and under parsimony, if it can substitute, insert and delete: leaves that add
nothing can be deleted one after the other, and then each missing x_i put in front of everything. SMO-GP: `weights`.

**Stuck.** The arguments for ORDER count variables; with weights, one may be given up for a heavier one. So all
proposals of one operation are tried, and with several it is unknown.

**Known.** With parsimony GP-single takes O(T_init + n log n) (Neumann 2012; reported, text not seen). Without it,
one operation: O(n·T_max); several: O(n·T_max·(log n + log w_max)) (Nguyen, Urli, Wagner, FOGA 2013; reported, text
not seen).
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.bound import REPORTED, UPPER, Bound
from gpruntime.model.problems.expressing import WEIGHTED, controlled
from gpruntime.model.problems.weights import ENDS, Weighted, best_of, positive, weights_of


def _worth(i: int, sign: int, n: int, weights: Any) -> Any:  # noqa: ARG001
    return weights[i - 1] if sign == 1 else 0


PROBLEM = Weighted(
    "worder",
    "WORDER",
    _worth,
    sees="first",
    best=best_of,
    parameters={"weights": "equal"},
    data=weights_of,
    ends=ENDS,
    optimal_leaves=positive,
    cite="Neumann 2012",
    line="ORDER with weights: the sum of w_i over variables that come before their complements",
    number=3,
    bounds=(
        *controlled("N1:worder", "WORDER", WEIGHTED, one=True),
        Bound(
            "nguyen:worder",
            "O(n·T_max)",
            r"n\,T_{\max}",
            UPPER,
            "Nguyen, Urli, Wagner, FOGA 2013",
            "WORDER, GP-single",
            REPORTED,
            ("gp-single",),
            (),
            lambda n, t_max, _: math.log(n * t_max),
            "text not seen",
        ),
    ),
)
