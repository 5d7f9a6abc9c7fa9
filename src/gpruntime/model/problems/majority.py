"""MAJORITY: each variable must appear, and at least as often as its complement (paper, section "The MAJORITY problem").

With c(x_i) and c(x̄_i) the numbers of leaves x_i and x̄_i, the *deficit* of variable i is D_i = c(x̄_i) − c(x_i), and
x_i is expressed if and only if D_i ≤ 0 and c(x_i) ≥ 1. The fitness is the number of expressed variables; neither
the order of the leaves nor the shape of the tree matters.

The optimum is n: every variable is expressed.

**Stuck** (`expressing` has the frame). Variable i is unexpressed if its deficit d = D_i is at least 1, or if it is
absent (d = 0, no leaf). An operation adds at most one leaf and takes out at most one, so it lowers a deficit by at
most 2, and by 2 only as the substitution x̄_i → x_i. An improvement must express some unexpressed i:

- d ≥ 3: never;
- d = 2: by S (x̄_i → x_i; the leaf that goes is of i itself, so nothing is lost);
- d = 1: by S (the same), by I (insert x_i), and by D (delete an x̄_i) if some x_i is there;
- absent: by I (insert x_i), and by S (free leaf → x_i) if T > f.

With all three kinds and no limit: stuck if and only if every unexpressed variable has a deficit of at least 3. By
insertions alone an unexpressed variable needs max(d, 1) copies of x_i.

(That at most one leaf of an expressed variable is needed reads here: a variable with c(x_i) = c(x̄_i) needs each of
its x_i, but then its x̄_i are free, so a variable with more than one leaf has a free one.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

from gpruntime.model.bound import INFINITE, LOWER, PROVED, REPORTED, UPPER, Bound
from gpruntime.model.errors import BadTree
from gpruntime.model.problems.expressing import (
    CONTROLLED,
    FOUNDING,
    Expressing,
    controlled,
    log_log_n,
    log_n,
    whole_front,
)
from gpruntime.model.terminals import Terminal


def _is_expressed(i: int, plain: int, bar: int, n: int) -> bool:  # noqa: ARG001
    return plain >= bar and plain >= 1


class Majority(Expressing):
    """The problem MAJORITY."""

    line = "each variable at least as often as its complement, and at least once"
    open_questions = MappingProxyType({"gp-multi": "The paper has no bound for this cell of its Table 1 (“?”)."})

    def counts(self, terminals: Sequence[Terminal], n: int) -> tuple[list[int], list[int]]:
        """(c(x_1), …, c(x_n)) and (c(x̄_1), …, c(x̄_n))."""
        positive, negative = [0] * n, [0] * n
        for variable, negated in terminals:
            if variable > n:
                raise BadTree("tree", f"x{variable}", f"does not fit n = {n}; variables are x1 … x{n}")
            (negative if negated else positive)[variable - 1] += 1
        return positive, negative

    def deficits(self, terminals: Sequence[Terminal], n: int) -> list[int]:
        """(D_1, …, D_n)."""
        positive, negative = self.counts(terminals, n)
        return [bar - plain for plain, bar in zip(positive, negative, strict=True)]

    def expressed(self, terminals: Sequence[Terminal], n: int) -> list[int]:
        """The statements S: the variables i that are expressed, in order of i."""
        positive, negative = self.counts(terminals, n)
        return [i + 1 for i in range(n) if positive[i] >= negative[i] and positive[i] >= 1]

    def expressed_places(self, terminals: Sequence[Terminal], n: int) -> list[int]:
        """The places in l of all x_i whose variable is expressed."""
        expressed = set(self.expressed(terminals, n))
        return [p for p, leaf in enumerate(terminals) if not leaf.negated and leaf.variable in expressed]

    def can_improve(self, terminals: list[Terminal], n: int, substitute: bool, insert: bool, delete: bool) -> bool:
        positive, negative = self.counts(terminals, n)
        fitness = self.fitness(terminals, n)
        for plain, bar in zip(positive, negative, strict=True):
            deficit = bar - plain
            if deficit == 2 and substitute:
                return True
            if deficit == 1 and (substitute or insert or (delete and plain > 0)):
                return True
            if bar == plain == 0 and (insert or (substitute and len(terminals) > fitness)):
                return True
        return False

    def can_insert(self, terminals: list[Terminal], n: int, room: int) -> bool:
        expressed = set(self.expressed(terminals, n))
        deficits = self.deficits(terminals, n)
        return any(max(d, 1) <= room for i, d in enumerate(deficits, 1) if i not in expressed)


LATER = CONTROLLED
BOUNDS = (
    Bound(
        "cor:majority_gp_wc", "O(n²·T_max·log log n)", r"n^2\,T_{\max}\log\log n", UPPER,
        f"{FOUNDING}, worst case on MAJORITY", "MAJORITY, GP-single, any start",
        PROVED, ("gp-single",), (),
        lambda n, t_max, _: 2 * math.log(n) + math.log(t_max) + math.log(log_log_n(n)),
        "Table 1 prints log n for log log n, and a better one is conjectured",
    ),
    Bound(
        "thm:majority_gp_overall", "O(n log n + D·T_max·n·log log n), D = 2n",
        r"n\,\log n + 2n^2\,T_{\max}\log\log n", UPPER, f"{FOUNDING}, theorem on MAJORITY",
        "MAJORITY, GP-single, largest initial deficit D; here D = 2n, all leaves x̄₁",
        PROVED, ("gp-single",), ("bad",),
        lambda n, t_max, _: math.log(n * log_n(n) + 2 * n * n * t_max * log_log_n(n)),
    ),
    Bound(
        "cor:majority_gp_ac", "O(n·T_max·log n)", r"n\,T_{\max}\log n", UPPER, f"{FOUNDING}, average case on MAJORITY",
        "MAJORITY, GP-single, unity expectation", PROVED, ("gp-single",), ("unity",),
        lambda n, t_max, _: math.log(n) + math.log(t_max) + math.log(log_n(n)),
    ),
    Bound(
        "cor:majority_gpstar_single_bound", "∞", r"\infty", INFINITE, f"{FOUNDING}, corollary on MAJORITY",
        "MAJORITY, GP*-single, unity expectation", PROVED, ("gpstar-single",), ("unity",), None,
    ),
    Bound(
        "thm:majority_gpstar_single_wc", "∞", r"\infty", INFINITE, f"{FOUNDING}, worst case on MAJORITY",
        "MAJORITY, GP*-single, from T_lopt: no run ever ends", PROVED, ("gpstar-single",), ("tlopt",),
        None,
    ),
    Bound(
        "thm:majority_gpstar_multi_wc", "Ω((n/2e)^(n/2))", r"(n/2e)^{n/2}", LOWER,
        f"{FOUNDING}, worst case on MAJORITY", "MAJORITY, GP*-multi, from T_lopt",
        PROVED, ("gpstar-multi",), ("tlopt",),
        lambda n, *_: n / 2 * math.log(n / (2 * math.e)),
    ),
    Bound(
        "later:majority_upper", "O(T_init·log T_init + n·log³ n)",
        r"T_{\mathrm{init}}\log T_{\mathrm{init}} + n\,\log^3 n", UPPER, LATER,
        "MAJORITY, (1+1) GP without bloat control", REPORTED, ("gp-single", "gp-multi"), (),
        lambda n, _, t_init: math.log(t_init * log_n(t_init) + n * log_n(n) ** 3),
        "proved, known to us from the abstract",
    ),
    Bound(
        "later:majority_lower", "Ω(T_init + n·log n)", r"T_{\mathrm{init}} + n\,\log n", LOWER, LATER,
        "MAJORITY, (1+1) GP without bloat control", REPORTED, ("gp-single", "gp-multi"), (),
        lambda n, _, t_init: math.log(t_init + n * log_n(n)),
        "proved, known to us from the abstract",
    ),
    *controlled("B2", "MAJORITY"),
    whole_front("N2:majority", "MAJORITY"),
)  # fmt: skip

PROBLEM = MAJORITY = Majority(
    "majority",
    "MAJORITY",
    _is_expressed,
    sees="counts",
    number=2,
    cite="Durrett, Neumann, O'Reilly 2011",
    bounds=BOUNDS,
)
