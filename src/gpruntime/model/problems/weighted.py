"""What the weighted problems share: the fitness is the sum of w_i ≥ 0 over the variables that their plain form counts.

Neumann (GECCO 2012, arXiv 1203.4881) defines them for the multi-objective setting. With equal weights each is its plain
form. The optimum is Σ w_i. The parameter `weights` says w_1 … w_n:

| text              | weights                                                                                |
|-------------------|----------------------------------------------------------------------------------------|
| `equal`           | w_i = 1                                                                                |
| `linear`          | w_i = i                                                                                |
| `powers`          | w_i = 2^(i−1)                                                                          |
| `drawn:SEED`      | integers, uniform in 1 … 10⁶, independent, from a seed                                 |
| `drawn:SEED/MOST` | the same in 1 … MOST                                                                   |
| `3/1/2`           | these, one for each variable; 0 may be among them                                      |

Drawn weights do not depend on n: more variables have the same first weights. They add up to 60 bits at most, as a
fitness does.

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
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.bound import REPORTED, UPPER, Bound, LogBound
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import MAX_FITNESS, Problem
from gpruntime.model.problems.expressing import SMO, WEIGHTED, controlled
from gpruntime.model.stream import MAX_SEED, Stream

Weights = np.ndarray[Any, np.dtype[np.int64]]

_DRAWN = re.compile(r"drawn:(\d{1,19})(?:/(\d{1,10}))?")
_LIST = re.compile(r"\d+(/\d+)*")
_USUAL_MAX, _MAX = 10**6, 2**32 - 1
_CELL = (0, 0, 0, 0)  # the address of these draws; no run has it
_ALLOWED = "must be equal, linear, powers, drawn:SEED, drawn:SEED/MOST or a list such as 3/1/2"


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
            bounds=(*controlled(f"N1:{id_}", name, WEIGHTED, single=True), _front(id_, name), bound),
        )

    def best_of_size(self, leaves: int, n: int) -> int:
        return int(_heaviest(n, str(self.parameters["weights"]))[min(leaves, n)])


@lru_cache(16)
def _heaviest(n: int, text: str) -> Weights:
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
    fields = f"nguyen:{id_}", formula, tex, UPPER, source, f"{name}, GP-single", REPORTED, ("gp-single",), ()
    return Bound(*fields, log, "text not seen")


def weights_of(n: int, text: str) -> Weights:
    """The weights of n variables."""
    if text == "powers" and n > 60:  # 2⁶⁰ − 1 in all
        raise BadInput(
            "problem", f"weights={text}", f"with n = {n} they add up to {n} bits; a fitness has 60 at most, so n ≤ 60"
        )
    if text == "equal":
        return np.ones(n, np.int64)
    if text in ("linear", "powers"):
        places = np.arange(n, dtype=np.int64)
        return places + 1 if text == "linear" else np.int64(1) << places
    if drawn := _DRAWN.fullmatch(text):
        return _drawn(n, text, int(drawn[1]), int(drawn[2] or _USUAL_MAX))
    if not _LIST.fullmatch(text) or len(text) > 10**6:
        raise BadInput("problem", f"weights={text}", _ALLOWED)
    return _listed(n, text)


def best_of(n: int, text: str) -> int:
    """What they add up to."""
    return int(weights_of(n, text).sum())


def positive(n: int, text: str) -> int:
    """How many of them are above zero."""
    return int(np.count_nonzero(weights_of(n, text)))


def _drawn(n: int, text: str, seed: int, most: int) -> Weights:
    if seed > MAX_SEED or not 1 <= most <= _MAX:
        raise BadInput("problem", f"weights={text}", f"SEED goes from 0 to {MAX_SEED} and MOST from 1 to {_MAX}")
    if n * most > MAX_FITNESS:
        raise BadInput("problem", f"weights={text}", f"n = {n} of them may add up to more than 60 bits")
    stream = Stream(seed, _CELL, 0)
    return np.array([1 + stream.below(most) for _ in range(n)], np.int64)


def _listed(n: int, text: str) -> Weights:
    weights = [int(weight) for weight in text.split("/")]
    if len(weights) != n:
        raise BadInput("problem", f"weights={text}", f"has {len(weights)} weights for n = {n} variables")
    if not 0 < sum(weights) <= MAX_FITNESS:
        raise BadInput("problem", f"weights={text}", "must add up to 1 or more, and to 60 bits at most")
    return np.array(weights, np.int64)
