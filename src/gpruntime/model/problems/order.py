"""ORDER: each variable must appear before its complement (paper, section "The ORDER problem").

Parse the tree in-order into the leaf list l. Walk l from front to rear and *express* a leaf, that is add it to the
conditional execution path P, only if neither it nor its complement is in P yet. The fitness is the number of x_i in P.
So a variable counts if and only if its first occurrence in l is x_i and not x̄_i.

The optimum is n: every x_i comes before every x̄_i.
"""

from __future__ import annotations

from collections.abc import Sequence

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


class Order:
    """The problem ORDER."""

    id = "order"
    name = "ORDER"

    def path(self, terminals: Sequence[Terminal]) -> list[Terminal]:
        """The conditional execution path P of a leaf list l."""
        return [terminals[place] for place in first_occurrences(terminals)]

    def expressed(self, terminals: Sequence[Terminal], n: int) -> list[int]:  # noqa: ARG002
        """The variables i with x_i in P, in the order of P. (n is MAJORITY's: here l alone decides.)"""
        return [terminal.variable for terminal in self.path(terminals) if not terminal.negated]

    def fitness(self, terminals: Sequence[Terminal], n: int) -> int:
        """f(X) = |{x_i ∈ P}|."""
        return len(self.expressed(terminals, n))

    def expressed_places(self, terminals: Sequence[Terminal], n: int) -> list[int]:  # noqa: ARG002
        """The places in l of the leaves that are expressed: those of P, complements included."""
        return first_occurrences(terminals)
