"""MAJORITY's states: the multiset of the pairs (c(x_i), c(x̄_i)), i = 1 … n.

**Lumping.** Let two trees be equivalent if their multisets of pairs are equal, that is if a renaming of variables
makes their counts equal. Fitness and number of leaves are functions of the multiset. One operation takes out at most
one leaf and puts in at most one: a leaf of kind x_i is picked with probability c(x_i)/T (in the other dialect
c(x_i)/(2T − 1)), a new terminal is x_i with 1/(2n), and where an inserted leaf hangs does not change the counts. So
the law of the counts after an operation depends on the counts alone, and renaming variables renames it. Hence the
probability of passing from a tree into an equivalence class is the same for all trees of a class (strong lumpability,
Kemeny and Snell), for proposals, for any number of them in a row, and for the accepted steps of all four algorithms.

A state is the sorted tuple of the codes c(x_i) · 1024 + c(x̄_i). Variables with equal pairs are exchangeable: they
are handled once, with their number as a factor.

**Initial law.** M uniform terminals (`unity`, `insertion`) have the counts (a_i, b_i) with probability
M!/(∏ a_i! b_i!)/(2n)^M, times the n!/∏ (multiplicities)! assignments of the pairs to variables.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.model.initial import Initial, balanced
from gpruntime.model.problems.majority import MAJORITY
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

State = tuple[int, ...]

_PLAIN = 1024  # one more x_i; one more x̄_i is 1
MOST_LEAVES = _PLAIN - 1


def is_expressed(pair: int) -> bool:
    """D_i ≤ 0 and c(x_i) ≥ 1."""
    plain = pair >> 10
    return plain >= (pair & 1023) and plain >= 1


class MajorityStates:
    """States, their initial law and the law of one operation."""

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        self.n, self.law = spec.n, law

    def fitness(self, state: State) -> int:
        """The number of expressed variables."""
        return sum(map(is_expressed, state))

    def leaves(self, state: State) -> int:
        """T."""
        return sum((pair >> 10) + (pair & 1023) for pair in state)

    def of(self, tree: Tree) -> State:
        """The state of a tree."""
        plain, bars = MAJORITY.counts(tree.terminals(), self.n)
        return tuple(sorted(a * _PLAIN + b for a, b in zip(plain, bars, strict=True)))

    def tree(self, state: State) -> Tree:
        """A tree of this class."""
        terminals = []
        for variable, pair in enumerate(state, 1):
            terminals += [Terminal(variable, False)] * (pair >> 10) + [Terminal(variable, True)] * (pair & 1023)
        return balanced(terminals) if terminals else Tree()

    def initial_law(self, initial: Initial) -> Iterator[tuple[State, Fraction]]:
        """The states an initial tree can have, with their probabilities."""
        if initial.name not in ("unity", "insertion"):
            yield self.of(initial.build(Stream(0, (), 0))), Fraction(1)
            return
        total = (2 * self.n) ** initial.leaves
        numerator = math.factorial(initial.leaves) * math.factorial(self.n)
        for state in multisets(self.n, initial.leaves):
            ways = math.prod(math.factorial(times) for times in Counter(state).values())
            ways *= math.prod(math.factorial(pair >> 10) * math.factorial(pair & 1023) for pair in state)
            yield state, Fraction(numerator // ways, total)

    def moves(self, state: State, least: int) -> dict[State, Number]:
        """The law of one operation, restricted to results of fitness `least` or more."""
        law, leaves, fitness = self.law, self.leaves(state), self.fitness(state)
        kinds = Counter(state)
        moves: dict[State, Number] = {}

        def add(result: State, chance: Number) -> None:
            moves[result] = moves.get(result, 0) + chance

        insert, delete, substitute = law.insert_terminal(), law.delete_one(leaves), law.substitute_one(leaves)
        if least <= fitness and (idle := law.nothing(leaves)):
            add(state, idle)
        for pair, times in kinds.items():
            expressed = is_expressed(pair)
            for leaf in (_PLAIN, 1):
                if insert and fitness - expressed + is_expressed(pair + leaf) >= least:
                    add(_exchanged(state, pair, pair + leaf), times * insert)
                copies = pair >> 10 if leaf == _PLAIN else pair & 1023
                if not copies:
                    continue
                without = pair - leaf
                left = fitness - expressed + is_expressed(without)
                if delete and left >= least:
                    add(_exchanged(state, pair, without), times * copies * delete)
                if not substitute or left + 1 < least:
                    continue
                for other, others in kinds.items():
                    others = others - (other == pair)
                    if not others:
                        continue
                    for new in (_PLAIN, 1):
                        if left - is_expressed(other) + is_expressed(other + new) >= least:
                            result = _exchanged(_exchanged(state, pair, without), other, other + new)
                            add(result, times * copies * others * substitute)
                for new in (_PLAIN, 1):
                    if left - is_expressed(without) + is_expressed(without + new) >= least:
                        add(_exchanged(state, pair, without + new), times * copies * substitute)
        return moves


def _exchanged(state: State, old: int, new: int) -> State:
    pairs = list(state)
    pairs.remove(old)
    insort(pairs, new)
    return tuple(pairs)


def multisets(n: int, leaves: int, least: int = 0) -> Iterator[State]:
    """All multisets of n pairs, codes from `least` on, with this number of leaves in total."""
    if n == 0:
        if leaves == 0:
            yield ()
        return
    for plain in range(least >> 10, leaves + 1):
        for bars in range(leaves - plain + 1):
            pair = plain * _PLAIN + bars
            if pair >= least:
                for rest in multisets(n - 1, leaves - plain - bars, pair):
                    yield (pair, *rest)
