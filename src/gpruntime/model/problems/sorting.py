"""SORTING: a tree as a list that is to be (1, …, n), by one of five measures of sortedness.

Terminals are 1 … n (here x1 … xn), without complements. The leaves are read from left to right, and the first
occurrence of each element is kept: the list r, |r| ≤ n. The optimum is r = (1, …, n).

| measure | better  | the fitness                                                                                     |
|---------|---------|-------------------------------------------------------------------------------------------------|
| `inv`   | larger  | twice the pairs i < j with r_i < r_j; 1 if |r| = 1, 0 if r is empty                             |
| `ham`   | larger  | the number of i with r_i = i                                                                    |
| `las`   | larger  | the length of a longest ascending subsequence                                                   |
| `run`   | smaller | ascending blocks + (n − |r|); n + 1 if r is empty                                               |
| `exc`   | smaller | |r| − the cycles of r, as ranks; n − |r| + 1 more if |r| < n; n + 1 if r is empty                |

Scharnow, Tinnefeld, Wegener (2004) brought the measures to runtime analysis; Wagner, Neumann (PPSN 2012) and Wagner,
Neumann, Urli (ECJ 23(4), 2015) to genetic programming. The definitions are those of the authors' program. INV there
scores 0.5 for |r| = 1: here it is doubled, so that it is an integer in the same order.

Work for a tree of T leaves: O(T + n) for HAM, RUN and EXC, O(T + n log n) for INV (a Fenwick tree) and LAS (the least
last element of an ascending subsequence of each length, by bisection).

**Lost for ever under parsimony** (one operation; by enumeration of all lists, tests/model/test_sorting.py): EXC from
n = 3, where (3, 2, 1) has no way out, RUN from n = 4, HAM from n = 5, INV and LAS never for n ≤ 5. Such a run still
accepts neutral substitutions, so it is not *stuck*, and needs a budget.

**The front.** A tree with k leaves has |r| ≤ k, and (1, …, k) is best by each measure: INV, HAM and LAS count pairs or
elements of r, all of which are right there; RUN and EXC add n − |r|, and the rest is least.

**Known** for parsimony and (1+1) GP: INV O(T_init + n⁵), LAS O(T_init + n² log n), the others infinite with one
operation and Ω((n/e)^n) with several. For SMO-GP: INV O(n²·T_init + n⁵), HAM O(n·T_init + n⁴), the others O(n·T_init +
n³ log n). All are reported, texts not seen; that those for SMO-GP are about the whole front is our reading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gpruntime.model.arrays import np
from gpruntime.model.bound import INFINITE, LOWER, REPORTED, UPPER, Bound
from gpruntime.model.errors import known
from gpruntime.model.problem import Problem
from gpruntime.model.problems.expressing import SMO, log_n

Array = Any
SOURCE = "Wagner, Neumann, PPSN 2012; Wagner, Neumann, Urli, ECJ 23(4), 2015"


def _kept(leaves: Array, n: int) -> Array:
    """The list r, its elements from 0."""
    seen = np.zeros(n, np.bool_)
    kept = np.empty(min(n, len(leaves)), np.int64)
    size = 0
    for leaf in leaves:
        if not seen[leaf]:
            seen[leaf] = True
            kept[size] = leaf
            size += 1
    return kept[:size]


def _inv(leaves: Array, n: int) -> int:
    kept = _kept(leaves, n)
    if len(kept) == 1:
        return 1
    below = np.zeros(n + 1, np.int64)  # a Fenwick tree: how many elements came, by value
    pairs = 0
    for element in kept:
        place = element
        while place > 0:
            pairs += below[place]
            place -= place & -place
        place = element + 1
        while place <= n:
            below[place] += 1
            place += place & -place
    return 2 * pairs


def _ham(leaves: Array, n: int) -> int:
    kept = _kept(leaves, n)
    right = 0
    for place in range(len(kept)):
        right += kept[place] == place
    return right


def _las(leaves: Array, n: int) -> int:
    return longest_ascending(_kept(leaves, n))


def longest_ascending(elements: Array) -> int:
    """The length of a longest ascending subsequence of different elements."""
    last = np.empty(len(elements), np.int64)  # the least last element of an ascending subsequence of each length
    longest = 0
    for element in elements:
        low, high = 0, longest
        while low < high:
            middle = (low + high) // 2
            if last[middle] < element:
                low = middle + 1
            else:
                high = middle
        last[low] = element
        longest = max(longest, low + 1)
    return longest


def _run(leaves: Array, n: int) -> int:
    kept = _kept(leaves, n)
    if len(kept) == 0:
        return n + 1
    blocks = 1
    for place in range(1, len(kept)):
        blocks += kept[place] < kept[place - 1]
    return blocks + n - len(kept)


def _exc(leaves: Array, n: int) -> int:
    kept = _kept(leaves, n)
    size = len(kept)
    if size == 0:
        return n + 1
    rank = np.zeros(n, np.int64)
    for element in kept:
        rank[element] = 1
    before = 0
    for element in range(n):
        there = rank[element]
        rank[element] = before
        before += there
    done = np.zeros(size, np.bool_)
    cycles = 0
    for begin in range(size):
        place = begin
        cycles += not done[place]
        while not done[place]:
            done[place] = True
            place = rank[kept[place]]
    return size - cycles + (n - size + 1 if size < n else 0)


class _Measure(NamedTuple):
    function: Callable[..., int]
    better: str
    sorted: Callable[[int, int], int]  # the fitness of (1, …, k)


MEASURES = {
    "inv": _Measure(_inv, "larger", lambda k, n: max(k * (k - 1), min(k, 1))),  # noqa: ARG005
    "ham": _Measure(_ham, "larger", lambda k, n: k),  # noqa: ARG005
    "las": _Measure(_las, "larger", lambda k, n: k),  # noqa: ARG005
    "run": _Measure(_run, "smaller", lambda k, n: n - k + 1),
    "exc": _Measure(_exc, "smaller", lambda k, n: n - k + (k < n)),
}


_PARSIMONY = {  # by measure; the others take for ever
    "inv": ("O(T_init + n⁵)", lambda n, _, t_init: math.log(t_init + n**5)),
    "las": ("O(T_init + n²·log n)", lambda n, _, t_init: math.log(t_init + n * n * log_n(n))),
}
_SMO = {
    "inv": ("O(n²·T_init + n⁵)", lambda n, _, t_init: math.log(n * n * t_init + n**5)),
    "ham": ("O(n·T_init + n⁴)", lambda n, _, t_init: math.log(n * t_init + n**4)),
}
_SMO_OTHERS = ("O(n·T_init + n³·log n)", lambda n, _, t_init: math.log(n * t_init + n**3 * log_n(n)))


def _bounds(measure: str) -> tuple[Bound, ...]:
    """With parsimony and by SMO-GP, as reported."""
    single, multi = (f"{name} accept=parsimony" for name in ("gp-single", "gp-multi"))

    def made(what: str, formula: str, kind: str, algorithms: tuple[str, ...], log: Any, by: str) -> Bound:
        conditions = f"by {measure.upper()}, {by}"
        fields = (f"sorting:{measure}_{what}", formula, formula, kind, SOURCE, conditions, REPORTED, algorithms, ())
        return Bound(*fields, log, "text not seen")

    formula, log = _SMO.get(measure, _SMO_OTHERS)
    front = made("front", formula, UPPER, SMO, log, "SMO-GP with one operation, the whole front")
    if measure in _PARSIMONY:
        formula, log = _PARSIMONY[measure]
        return made("time", formula, UPPER, (single, multi), log, "with parsimony"), front
    return (
        made("one", "∞", INFINITE, (single,), None, "with parsimony"),
        made("many", "Ω((n/e)^n)", LOWER, (multi,), lambda n, *_: n * math.log(n / math.e), "with parsimony"),
        front,
    )


class Sorting(Problem):
    """The problem SORTING; its measure is a parameter."""

    chooses = True

    def _settle(self) -> None:
        measure = MEASURES[known("measure", self.parameters["measure"], MEASURES)]
        self.function, self.better = measure.function, measure.better
        self.bounds = _bounds(self.parameters["measure"])

    def best_of_size(self, leaves: int, n: int) -> int:
        return MEASURES[self.parameters["measure"]].sorted(min(leaves, n), n)


PROBLEM = Sorting(
    "sorting",
    "SORTING",
    _inv,
    sees="leaves",
    terminals="plain",
    best=lambda n, measure: MEASURES[measure].sorted(n, n),
    parameters={"measure": "inv"},
    optimal_leaves=lambda n: n,
    cite="Wagner, Neumann 2012",
    line="a list in ascending order, by a measure of sortedness: inv, ham, las, run or exc",
    number=7,
)
