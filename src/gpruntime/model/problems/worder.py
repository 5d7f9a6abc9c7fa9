"""WORDER: ORDER with weights. The fitness is the sum of w_i ≥ 0 over the variables whose first occurrence is x_i.

Neumann (GECCO 2012, arXiv 1203.4881) defines it for the multi-objective setting; `weights` has the weights that later
work used. With equal weights it is ORDER. The optimum is Σ w_i.

**A run ends** under the weak rule and under parsimony, if it can substitute, insert and delete: leaves that add
nothing can be deleted one after the other, and then each missing x_i put in front of everything.

**Stuck.** The arguments for ORDER count variables; with weights, one may be given up for a heavier one. So all
proposals of one operation are tried, and with several it is unknown.

**Known.** With parsimony GP-single takes O(T_init + n log n) (Neumann 2012; reported, text not seen). Without it,
one operation: O(n·T_max); several: O(n·T_max·(log n + log w_max)) (Nguyen, Urli, Wagner, FOGA 2013; reported, text
not seen).
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.bound import REPORTED, bound
from gpruntime.model.problem import Problem
from gpruntime.model.problems.weights import NGUYEN, best_of, positive, weights_of, with_parsimony


def _worth(i: int, sign: int, n: int, weights: Any) -> Any:  # noqa: ARG001
    return weights[i - 1] if sign == 1 else 0


PROBLEM = Problem(
    "worder",
    "WORDER",
    _worth,
    sees="first",
    best=best_of,
    parameters={"weights": "equal"},
    data=weights_of,
    ends=("weak", "parsimony", "parsimony-smaller"),
    optimal_leaves=positive,
    cite="Neumann 2012",
    line="ORDER with weights: the sum of w_i over variables that come before their complements",
    number=3,
    bounds=[
        with_parsimony("worder"),
        bound(
            "O(n·T_max)",
            lambda n, t_max: n * t_max,
            tex=r"n\,T_{\max}",
            source=NGUYEN,
            certainty=REPORTED,
            algorithms=["gp-single"],
            conditions="any weights, one operation",
        ),
    ],
)
