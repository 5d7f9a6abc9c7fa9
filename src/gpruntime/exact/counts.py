"""States of what sees the counts: the pair (c(x_i), c(x̄_i)) of each variable i, up to renaming of exchangeable ones.

**Lumping.** One operation takes out at most one leaf and puts in at most one: a leaf of kind x_i is picked with
probability c(x_i)/T (in the other dialect c(x_i)/(2T − 1)), a new terminal is x_i with 1/|L|, and where an inserted
leaf hangs does not change the counts. So the law of the counts after an operation depends on the counts alone, and
fitness and number of leaves are functions of them.

Call variables *exchangeable* if their terms f(i, ·, ·, n) are equal. Renaming exchangeable variables keeps fitness and
leaves and renames the law, so the probability of passing from a tree into the class of all trees that are equal to
another one up to such a renaming is the same for all trees of a class (strong lumpability, Kemeny and Snell), for
proposals, for any number of them in a row, and for the accepted steps of any rule of gain and growth.

**Which are exchangeable** is not asked of the user. Terms are compared for all variables of a class at every pair of
counts that a state or a proposal has, when it is first met. Where two differ, the class is split and the chain built
anew (`Split`); so of the chain that is solved, all that was claimed has been seen.

A state is the sorted tuple of the codes class · 2²⁰ + c(x_i) · 2¹⁰ + c(x̄_i). Variables with equal codes are handled
once, with their number as a factor.

**Initial law.** M uniform terminals (`unity`, `insertion`) have the counts (a_i, b_i) with probability
M!/(∏ a_i! b_i!)/|L|^M, times the |C|!/∏ (multiplicities)! assignments of the pairs of each class C to its variables.
"""

from __future__ import annotations

import itertools
import math
from bisect import insort
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import ClassVar

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.states import Split, States
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial, balanced
from gpruntime.model.problem import Fitness, Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

State = tuple[int, ...]
Classes = list[list[int]]  # the variables of each class, from 1

_CLASS, _PLAIN = 1 << 20, 1 << 10  # one more x_i is _PLAIN; one more x̄_i is 1
_BARS = _PLAIN - 1
MAX_COUNTED = 12  # variables; beyond, the count itself takes long, and it is astronomic
_FIRST_LOOK = 3  # leaves of one variable, for which terms are compared at once


class CountStates(States):
    """Counts, up to renaming."""

    most_strict: ClassVar[int] = 3_000_000
    most_weak: ClassVar[int] = 300_000
    most_multi: ClassVar[int] = 400_000

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        super().__init__(spec, law)
        self._signs = (_PLAIN, 1) if self.primitives.signed else (_PLAIN,)
        self._terms = _Terms(spec.problem, spec.n, first_classes(spec.problem, spec.n))

    @property
    def form(self) -> str:
        classes = self._terms.classes
        if len(classes) == 1:
            return "counts up to renaming of variables"
        alone = all(len(members) == 1 for members in classes)
        return "counts of each variable" if alone else f"counts up to renaming in {len(classes)} classes of variables"

    def fitness(self, state: State) -> Fitness:
        return (self._terms.absent + sum(map(self._terms.__getitem__, state))) * self._terms.direction

    def leaves(self, state: State) -> int:
        return sum((pair >> 10 & _BARS) + (pair & _BARS) for pair in state)

    def of(self, tree: Tree) -> State:
        counts = Counter(tree.terminals())
        return tuple(
            sorted(
                first + counts[Terminal(i, False)] * _PLAIN + counts[Terminal(i, True)]
                for first, members in self._classes()
                for i in members
            )
        )

    def tree(self, state: State) -> Tree:
        free = {first: list(members) for first, members in self._classes()}
        terminals = []
        for pair in state:
            variable = free[pair & -_CLASS].pop(0)
            plain, bar = (self.primitives.terminal_of(variable, negated) for negated in (False, True))
            terminals += [plain] * (pair >> 10 & _BARS) + [bar] * (pair & _BARS)
        return balanced(terminals, self.primitives.functions[0]) if terminals else Tree()

    def _classes(self) -> Iterator[tuple[int, list[int]]]:
        for number, members in enumerate(self._terms.classes):
            yield number * _CLASS, members

    def uniform_law(self, initial: Initial) -> Iterator[tuple[State, Fraction]]:
        total = self.law.terminals**initial.leaves
        numerator = math.factorial(initial.leaves)
        numerator *= math.prod(math.factorial(len(members)) for members in self._terms.classes)
        for state in self._assigned(list(self._classes()), initial.leaves):
            ways = math.prod(math.factorial(times) for times in Counter(state).values())
            ways *= math.prod(math.factorial(pair >> 10 & _BARS) * math.factorial(pair & _BARS) for pair in state)
            yield state, Fraction(numerator // ways, total)

    def _assigned(self, classes: list[tuple[int, list[int]]], leaves: int) -> Iterator[State]:
        """All states of these classes with this number of leaves."""
        (first, members), rest = classes[0], classes[1:]
        for here in range(leaves + 1) if rest else (leaves,):
            for pairs in multisets(len(members), here, len(self._signs) == 2):
                own = tuple(first + pair for pair in pairs)
                for others in self._assigned(rest, leaves - here) if rest else ((),):
                    yield own + others

    def moves(self, state: State, least: float) -> dict[State, Number]:
        law, leaves, terms, signs = self.law, self.leaves(state), self._terms, self._signs
        fitness = terms.absent + sum(map(terms.__getitem__, state))
        kinds = Counter(state)
        gains = [terms[pair + leaf] - terms[pair] for pair in kinds for leaf in signs]
        most_gain = max(gains)
        moves: dict[State, Number] = {}

        def add(result: State, chance: Number) -> None:
            moves[result] = moves.get(result, 0) + chance

        insert, delete, substitute = law.insert_terminal(), law.delete_one(leaves), law.substitute_one(leaves)
        if least <= fitness and (idle := law.nothing(leaves)):
            add(state, idle)
        for pair, times in kinds.items():
            term = terms[pair]
            for leaf in signs:
                if insert and fitness - term + terms[pair + leaf] >= least:
                    add(_exchanged(state, pair, pair + leaf), times * insert)
                copies = pair >> 10 & _BARS if leaf == _PLAIN else pair & _BARS
                if not copies:
                    continue
                without = pair - leaf
                left = fitness - term + terms[without]
                if delete and left >= least:
                    add(_exchanged(state, pair, without), times * copies * delete)
                if not substitute:
                    continue
                for other, others in kinds.items() if left + most_gain >= least else ():  # else none comes up to it
                    others = others - (other == pair)
                    if not others:
                        continue
                    for new in signs:
                        if left - terms[other] + terms[other + new] >= least:
                            result = _exchanged(_exchanged(state, pair, without), other, other + new)
                            add(result, times * copies * others * substitute)
                for new in signs:
                    if left - terms[without] + terms[without + new] >= least:
                        add(_exchanged(state, pair, without + new), times * copies * substitute)
        return moves

    @classmethod
    def counted(cls, problem: Problem, n: int, most_leaves: int) -> tuple[int, ...]:
        """Beyond some variables all are taken to be exchangeable, which makes the number too small."""
        primitives = problem.primitives(n)
        variables = min(primitives.variables, MAX_COUNTED)
        most_leaves = min(most_leaves, int((4e6 / variables) ** (1 / 3)))
        few = primitives.variables <= MAX_COUNTED
        sizes = [len(members) for members in first_classes(problem, n)] if few else [variables]
        total = [1] + [0] * most_leaves
        for members in sizes:
            numbers = multisets_by_leaves(members, most_leaves, primitives.signed)
            total = [sum(total[k] * numbers[t - k] for k in range(t + 1)) for t in range(most_leaves + 1)]
        return tuple(total)


class _Terms(dict[int, int]):
    """By code: how much better a variable with these counts is than an absent one. Compared when first asked.

    Attributes:
        classes: the classes of variables that have not been seen to differ.
        absent: the fitness of the empty tree, turned if smaller is better.
    """

    def __init__(self, problem: Problem, n: int, classes: Classes) -> None:
        super().__init__()
        self._problem, self._n, self.classes = problem, n, classes
        self.direction = problem.direction
        self.absent: int = self.direction * problem.fitness([], n)  # type: ignore[assignment]  # never a float

    def __missing__(self, code: int) -> int:
        number, plain, bars = code >> 20, code >> 10 & _BARS, code & _BARS
        if plain == _BARS or bars == _BARS:
            raise BadInput("max_leaves_allowed", "none", f"exact answers exist for fewer than {_BARS} leaves")
        terms = [self._term(i, plain, bars) for i in self.classes[number]]
        if len(set(terms)) > 1:
            split = [
                [i for i, term in zip(self.classes[number], terms, strict=True) if term == value]
                for value in sorted(set(terms))
            ]
            self.classes[number : number + 1] = split
            self.clear()
            raise Split
        self[code] = terms[0]
        return terms[0]

    def _term(self, variable: int, plain: int, bars: int) -> int:
        named = self._problem.primitives(self._n).terminal_of
        terminals = [named(variable, False)] * plain + [named(variable, True)] * bars
        return self.direction * self._problem.fitness(terminals, self._n) - self.absent  # type: ignore[return-value]


def first_classes(problem: Problem, n: int) -> Classes:
    """The classes of variables whose terms are equal for few leaves."""
    primitives = problem.primitives(n)
    terms = _Terms(problem, n, [[*range(1, primitives.variables + 1)]])
    pairs = [
        (plain, bars)
        for plain, bars in itertools.product(range(_FIRST_LOOK + 1), repeat=2)
        if plain + bars <= _FIRST_LOOK and (primitives.signed or not bars)
    ]
    number = 0
    while number < len(terms.classes):
        try:
            for plain, bars in pairs:
                terms[number * _CLASS + plain * _PLAIN + bars]
            number += 1
        except Split:
            pass
    return terms.classes


def _exchanged(state: State, old: int, new: int) -> State:
    pairs = list(state)
    pairs.remove(old)
    insort(pairs, new)
    return tuple(pairs)


def multisets(members: int, leaves: int, signed: bool, least: int = 0) -> Iterator[State]:
    """All multisets of this number of pairs, codes from `least` on, with this number of leaves in total."""
    if members == 0:
        if leaves == 0:
            yield ()
        return
    for plain in range(least >> 10, leaves + 1):
        for bars in range(leaves - plain + 1 if signed else 1):
            pair = plain * _PLAIN + bars
            if pair >= least:
                for rest in multisets(members - 1, leaves - plain - bars, signed, pair):
                    yield (pair, *rest)


@cache
def multisets_by_leaves(members: int, most_leaves: int, signed: bool = True) -> tuple[int, ...]:
    """The number of multisets of this number of pairs with t leaves in total, for t = 0 … most_leaves.

    They are multisets of at most this many pairs other than (0, 0). There are k + 1 pairs with k leaves (one without
    complements), so the number is the coefficient of y^≤members z^t in ∏_k (1 − y z^k)^−(k+1).
    """
    ways = [[0] * (most_leaves + 1) for _ in range(members + 1)]  # by pairs in use and leaves
    ways[0][0] = 1
    for size in range(1, most_leaves + 1):
        for _ in range(size + 1 if signed else 1):
            for used in range(1, members + 1):
                for leaves in range(size, most_leaves + 1):
                    ways[used][leaves] += ways[used - 1][leaves - size]
    return tuple(sum(row[t] for row in ways) for t in range(most_leaves + 1))
