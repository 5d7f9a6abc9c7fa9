"""ORDER: each variable must appear before its complement (paper, section "The ORDER problem").

Parse the tree in-order into the leaf list l. Walk l from front to rear and *express* a leaf, that is add it to the
conditional execution path P, only if neither it nor its complement is in P yet. The fitness is the number of x_i in
P. So a variable counts if and only if its first occurrence in l is x_i and not x̄_i.

The optimum is n: every x_i comes before every x̄_i.

**Stuck** (`expressing` has the frame). Variable i is unexpressed if x̄_i comes first (*blocked*) or if it is absent.
By I always: insert x_i in front of everything. By S: a blocked i (its first x̄_i → x_i), or an absent i if T > f
(free leaf → x_i). By D: a blocked i whose second occurrence is x_i. Any room for a leaf is enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.bound import CONJECTURED, PROVED, UPPER, Bound
from gpruntime.model.problems.expressing import FOUNDING, LINEAR, Expressing, controlled, whole_front
from gpruntime.model.terminals import Terminal


def first_occurrences(terminals: Sequence[Terminal]) -> list[int]:
    """The places in l of the leaves that make up P."""
    seen: set[int] = set()
    places = []
    for place, terminal in enumerate(terminals):
        if terminal.variable not in seen:
            seen.add(terminal.variable)
            places.append(place)
    return places


def _is_first(i: int, sign: int, n: int) -> bool:  # noqa: ARG001
    return sign == 1


class Order(Expressing):
    """The problem ORDER."""

    line = "each variable before its complement"
    open_questions = MappingProxyType(
        {
            "gp-single": "Without T_max no bound on the time is known: open.",
            "gp-multi": "Without T_max no bound on the time is known: open.",
        }
    )

    def path(self, terminals: Sequence[Terminal]) -> list[Terminal]:
        """The conditional execution path P of a leaf list l."""
        return [terminals[place] for place in first_occurrences(terminals)]

    def expressed(self, terminals: Sequence[Terminal], n: int) -> list[int]:  # noqa: ARG002
        """The variables i with x_i in P, in the order of P. (n has no part: l alone decides.)"""
        return [terminal.variable for terminal in self.path(terminals) if not terminal.negated]

    def expressed_places(self, terminals: Sequence[Terminal], n: int) -> list[int]:  # noqa: ARG002
        """The places in l of the leaves that are expressed: those of P, complements included."""
        return first_occurrences(terminals)

    def can_improve(self, terminals: list[Terminal], n: int, substitute: bool, insert: bool, delete: bool) -> bool:
        occurrences: list[list[Terminal]] = [[] for _ in range(n)]
        for terminal in terminals:
            occurrences[terminal.variable - 1].append(terminal)
        fitness = sum(1 for first in occurrences if first and not first[0].negated)
        for leaves in occurrences:
            blocked = bool(leaves) and leaves[0].negated
            if blocked and (insert or substitute):
                return True
            if blocked and delete and len(leaves) > 1 and not leaves[1].negated:
                return True
            if not leaves and (insert or (substitute and len(terminals) > fitness)):
                return True
        return False

    def can_insert(self, terminals: list[Terminal], n: int, room: int) -> bool:  # noqa: ARG002
        return room > 0


BOUNDS = (
    Bound(
        "thm:oneonegp", "O(n·T_max)", r"n\,T_{\max}", UPPER, f"{FOUNDING}, theorem on ORDER", "ORDER, any start",
        PROVED, tuple(ALGORITHMS), (),
        lambda n, t_max, _: math.log(n) + math.log(t_max),
        "better ones conjectured, except for GP*-single",
    ),
    Bound(
        "cor:star-order", "O(n²)", "n^2", UPPER, f"{FOUNDING}, corollary on ORDER",
        "ORDER, GP*-single, O(n) initial leaves", PROVED, ("gpstar-single",), LINEAR,
        lambda n, *_: 2 * math.log(n),
    ),
    Bound(
        "conj:star-multi", "O(n²)", "n^2", UPPER, f"{FOUNDING}, after the corollary on ORDER",
        "ORDER, GP*-multi, O(n) initial leaves", CONJECTURED, ("gpstar-multi",), LINEAR,
        lambda n, *_: 2 * math.log(n),
    ),
    *controlled("B1", "ORDER"),
    whole_front("N2:order", "ORDER"),
)  # fmt: skip

PROBLEM = ORDER = Order(
    "order", "ORDER", _is_first, sees="first", number=1, cite="Durrett, Neumann, O'Reilly 2011", bounds=BOUNDS
)
