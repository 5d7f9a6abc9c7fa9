"""MAJORITY: each variable must appear, and at least as often as its complement (paper, section "The MAJORITY problem").

With c(x_i) and c(x̄_i) the numbers of leaves x_i and x̄_i, the *deficit* of variable i is D_i = c(x̄_i) − c(x_i), and
x_i is expressed if and only if D_i ≤ 0 and c(x_i) ≥ 1. The fitness is the number of expressed variables; neither
the order of the leaves nor the shape of the tree matters.

The optimum is n: every variable is expressed.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.errors import BadTree
from gpruntime.model.terminals import Terminal


class Majority:
    """The problem MAJORITY."""

    id = "majority"
    name = "MAJORITY"

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

    def fitness(self, terminals: Sequence[Terminal], n: int) -> int:
        """f(X) = |S|."""
        return len(self.expressed(terminals, n))

    def expressed_places(self, terminals: Sequence[Terminal], n: int) -> list[int]:
        """The places in l of all x_i whose variable is expressed."""
        expressed = set(self.expressed(terminals, n))
        return [p for p, leaf in enumerate(terminals) if not leaf.negated and leaf.variable in expressed]
