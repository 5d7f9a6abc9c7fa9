"""What the weighted problems share: the fitness is the sum of w_i ≥ 0 over the variables that their plain form counts.

Neumann (GECCO 2012, arXiv 1203.4881) defines them for the multi-objective setting; `weights` has the weights that later
work used. With equal weights each is its plain form. The optimum is Σ w_i.

**A run ends** under the weak rule and under parsimony, if it can substitute, insert and delete: leaves that add nothing
can be deleted one after the other, and then each missing x_i inserted in a place where it counts. So does a run of
SMO-GP: that path leads from its best tree to an optimal one without free leaves; and deleting the lightest variable of
a tree that has the heaviest ones, a leaf each, gives the next smaller tree of the front, which none dominates.

**The front.** A tree with k leaves expresses k variables at most, and the k heaviest at best.

**Stuck.** The arguments for the plain forms count variables; with weights, one may be given up for a heavier one. So
all proposals of one operation are tried, and with several it is unknown.

**Known.** With parsimony GP-single takes O(T_init + n log n); SMO-GP-single O(n³) for the front, from a tree of which
no leaf can go without loss (both Neumann 2012; reported, texts not seen). What is known of GP-single without parsimony
stands in each file.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gpruntime.model.bound import REPORTED, UPPER, Bound, LogBound
from gpruntime.model.problem import Problem
from gpruntime.model.problems.expressing import SMO, WEIGHTED, controlled
from gpruntime.model.problems.weights import best_of, positive, weights_of


class Weighted(Problem):
    """A problem with weights."""

    def __init__(
        self, id_: str, name: str, worth: Callable[..., Any], *, sees: str, number: int, line: str, bound: Bound
    ) -> None:
        super().__init__(
            id_,
            name,
            worth,
            sees=sees,
            best=best_of,
            parameters={"weights": "equal"},
            data=weights_of,
            ends=("weak", "parsimony", "parsimony-smaller", "smo"),
            optimal_leaves=positive,
            cite="Neumann 2012",
            line=line,
            number=number,
            bounds=(*controlled(f"N1:{id_}", name, WEIGHTED, one=True), _front(id_, name), bound),
        )

    def best_of_size(self, leaves: int, n: int) -> int:
        """See above."""
        return int(_heaviest(n, str(self.parameters["weights"]))[min(leaves, n)])


@lru_cache(16)
def _heaviest(n: int, text: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What the k heaviest add up to, for k = 0 … n."""
    return np.concatenate([[0], np.cumsum(np.sort(weights_of(n, text))[::-1])])


def _front(id_: str, name: str) -> Bound:
    return Bound(
        f"N3:{id_}", "O(n³)", "n^3", UPPER, WEIGHTED,
        f"{name}, SMO-GP with one operation, the whole front, from a tree without free leaves; here from one leaf",
        REPORTED, SMO, ("unity:leaves=1",), lambda n, *_: 3 * math.log(n), "text not seen",
    )  # fmt: skip


def without_control(id_: str, name: str, formula: str, tex: str, log: LogBound) -> Bound:
    """GP-single without parsimony."""
    source = "Nguyen, Urli, Wagner, FOGA 2013"
    said = f"nguyen:{id_}", formula, tex, UPPER, source, f"{name}, GP-single", REPORTED, ("gp-single",), ()
    return Bound(*said, log, "text not seen")
