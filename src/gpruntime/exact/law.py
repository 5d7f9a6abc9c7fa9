"""The probabilities of one operation, and of how many there are.

With weights (s, i, d), one operation substitutes with probability s/(s+i+d), inserts with i/(s+i+d) and deletes with
d/(s+i+d). On a tree with T ≥ 1 leaves, of 2T − 1 nodes, with |L| terminals and |F| functions

- one leaf and one terminal are picked by a substitution with probability 1/(T · |L|), or 1/((2T − 1) · |L|) in the
  dialect that picks nodes, where one join and one function are picked with 1/((2T − 1) · |F|), and with 1/((T − 1) ·
  |F|) in the one that picks joins only;
- one node, one side, one function and one terminal by an insertion with 1/((2T − 1) · 2 · |F| · |L|), and on the empty
  tree one terminal with 1/|L|;
- one leaf by a deletion with 1/T, which does nothing to the only leaf if that is kept, and nothing to the empty tree.

This is the law that `HvlPrime.proposals` enumerates operation by operation. The probabilities are fractions or
floating-point numbers, one kind throughout a computation.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

from gpruntime.model.mutation import substituted
from gpruntime.model.spec import RunSpec

Number = Any  # Fraction or float


class OperationLaw:
    """The probabilities above for one spec, in one kind of number."""

    def __init__(self, spec: RunSpec, rational: bool) -> None:
        self.terminals, self.functions = spec.primitives.size, len(spec.primitives.functions)
        self.rational = rational
        weights = [Fraction(weight) for weight in spec.weights]
        self._substitute, self._insert, self._delete = (weight / sum(weights) for weight in weights)
        self._at = spec.substitute
        self.keeps_last_leaf = spec.last_leaf == "keep"

    def number(self, fraction: Fraction) -> Number:
        """The fraction itself, or the nearest floating-point number."""
        return fraction if self.rational else float(fraction)

    def substitute_one(self, leaves: int) -> Number:
        """P(this leaf is substituted by this terminal)."""
        sites = len(substituted(self._at, leaves, 2 * leaves - 1))
        at_leaf = leaves and self._at != "functions"
        return self.number(self._substitute / (sites * self.terminals) if at_leaf else Fraction(0))

    def substitute_function(self, leaves: int) -> Number:
        """P(this join is substituted by this function)."""
        sites = len(substituted(self._at, leaves, 2 * leaves - 1))
        at_join = leaves > 1 and self._at != "leaves"
        return self.number(self._substitute / (sites * self.functions) if at_join else Fraction(0))

    def insert_terminal(self) -> Number:
        """P(this terminal is inserted), anywhere."""
        return self.number(self._insert / self.terminals)

    def insert_one(self, leaves: int) -> Number:
        """P(this terminal is inserted at this node and this side, with this function); the empty tree has one place."""
        places = 2 * (2 * leaves - 1) * self.functions if leaves else 1
        return self.number(self._insert / (self.terminals * places))

    def delete_one(self, leaves: int) -> Number:
        """P(this leaf is deleted, and goes)."""
        goes = leaves > 1 or (leaves == 1 and not self.keeps_last_leaf)
        return self.number(self._delete / leaves if goes else Fraction(0))

    def nothing(self, leaves: int) -> Number:
        """P(nothing changes, whatever is drawn): no leaf, the last leaf kept, a join where F has one function."""
        if leaves == 0:
            return self.number(self._substitute + self._delete)
        idle = Fraction(0)
        sites = len(substituted(self._at, leaves, 2 * leaves - 1))
        if self.functions == 1 and self._at != "leaves":
            idle += self._substitute * (Fraction(leaves - 1, sites) if sites else 1)
        elif sites == 0:
            idle += self._substitute
        if leaves == 1 and self.keeps_last_leaf:
            idle += self._delete
        return self.number(idle)


class NumberLaw(NamedTuple):
    """w_1 … w_K, and an upper bound of P(k > K)."""

    weights: list[float]
    neglected: float


def number_law(spec: RunSpec, operations: int) -> NumberLaw:
    """The law of k, cut off at K operations: nothing is cut off where k has no more values."""
    if spec.algorithm.multi:
        mean = spec.poisson_mean
        weights = [math.exp(-mean)]  # of 1 + Pois(λ): e^(−λ) λ^(k−1)/(k − 1)!
        for k in range(1, operations):
            weights.append(weights[-1] * mean / k)
        return NumberLaw(weights, poisson_neglected(mean, operations))
    law = spec.operations
    assert operations == law.most
    sums = (0.0, *law.table)
    return NumberLaw([0.0] * (law.fewest - 1) + [b - a for a, b in itertools.pairwise(sums)], 0.0)


def poisson_neglected(mean: float, operations: int) -> float:
    """An upper bound of P(1 + Pois(λ) > K), by w_(K+1) and the ratio λ/(K + 1) that bounds those of its successors."""
    term = math.exp(-mean)
    for k in range(1, operations + 1):
        term *= mean / k
    ratio = mean / (operations + 1)
    assert ratio < 1
    return term / (1 - ratio)
