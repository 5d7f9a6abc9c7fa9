"""States of all other problems: whole trees, with their functions and terminals.

A tree is None if it is empty, a terminal's code if it is a leaf, and (function's number, its arguments …) otherwise.

**Renaming.** Where the fitness is a sum over the variables by the sign of their first occurrences, variables with equal
terms f(i, ·, n) are exchangeable: a permutation of them maps trees to trees and keeps fitness, leaves and shape, and
the probability of the operation that leads from X to Y is that of the operation from π(X) to π(Y). The orbits are
strongly lumpable, and a state is the tree in which the variables of each class are numbered by their first occurrence.
There are three signs, so all terms are compared. Of other problems nothing is known, and no variable is renamed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.shapes import LEAF, Shape, catalan, initial_shapes, renamed_trees
from gpruntime.exact.states import State, States
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Fitness, Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Node, Tree, hang

_MAX_LEAVES_COUNTED = 40
_REMEMBERED = 2**18  # fitnesses
_MAX_PROGRAMS = 100_000  # that are run to learn their fitness: some ten seconds


class TreeStates(States):
    """Trees, up to renaming."""

    most_strict: ClassVar[int] = 100_000
    most_weak: ClassVar[int] = 60_000
    most_multi: ClassVar[int] = 60_000

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        super().__init__(spec, law)
        self._signs = 2 if self.primitives.signed else 1
        self._classes = renamable(spec.problem, spec.n)
        self._sees_program = spec.problem.sees == "program"
        single = spec.operations.most == 1 and not spec.algorithm.multi
        self._full = spec.max_leaves_allowed if single else None  # nothing larger is of interest
        self._value = lru_cache(_REMEMBERED)(self._value_of)
        self._programs = 0

    @property
    def form(self) -> str:
        classes = self._classes
        if not any(len(members) > 1 for members in classes):
            return "trees"
        inside = "" if len(classes) == 1 else f" in {len(classes)} classes"
        return f"trees up to renaming of variables{inside}"

    def fitness(self, state: State) -> Fitness:
        return self._value(state if self._sees_program else tuple(_codes(state)))

    def leaves(self, state: State) -> int:
        return sum(1 for _ in _codes(state))

    def of(self, tree: Tree) -> State:
        def below(node: Node | None) -> State:
            if node is None:
                return None
            if node.terminal is not None:
                return self.primitives.code(node.terminal)
            return self.primitives.functions.index(node.function), *map(below, node.children)

        return self._renamed(below(tree.root))

    def tree(self, state: State) -> Tree:
        tree = Tree()

        def below(state: State) -> Node:
            if isinstance(state, int):
                return tree.new_leaf(self.primitives.terminal(state))
            join = tree.new_join(self.primitives.functions[state[0]], len(state) - 1)
            for place, child in enumerate(state[1:]):
                hang(below(child), join, place)
            return join

        if state is not None:
            tree.root = below(state)
            tree.register_in_order()
        return tree

    def _value_of(self, seen: Any) -> Fitness:
        if self._sees_program:
            self._programs += 1
            if self._programs > _MAX_PROGRAMS:
                words = f"too large: more than {_MAX_PROGRAMS:,} programs whose fitness is needed"
                raise BadInput("problem", self.problem.name, f"{words}; a smaller size limit would make it smaller")
            return self.problem.fitness(self.tree(seen), self.n)
        return self.problem.fitness([self.primitives.terminal(code) for code in seen], self.n)

    def uniform_law(self, initial: Initial) -> Iterator[tuple[State, Fraction]]:
        functions, terminals, leaves = self.law.functions, self.law.terminals, initial.leaves
        each = Fraction(1, functions ** (leaves - 1) * terminals**leaves)
        for shape, chance in initial_shapes(initial):
            for names in itertools.product(range(functions), repeat=leaves - 1):
                for codes in itertools.product(range(terminals), repeat=leaves):
                    yield self._renamed(_filled(shape, iter(names), iter(codes))), chance * each

    def moves(self, state: State, least: float) -> dict[State, Number]:
        law, direction, leaves = self.law, self.problem.direction, self.leaves(state)
        codes, functions = range(law.terminals), range(law.functions)
        moves: dict[State, Number] = {}

        def add(result: State, chance: Number) -> None:
            if least == -math.inf or self.fitness(result) * direction >= least:
                result = self._renamed(result)
                moves[result] = moves.get(result, 0) + chance

        def relabelled(node: State) -> Iterable[State]:
            return codes if isinstance(node, int) else ()

        def refunctioned(node: State) -> Iterable[State]:
            return () if isinstance(node, int) else ((function, *node[1:]) for function in functions)

        def inserted(node: State) -> Iterable[State]:
            if node is None:
                return codes
            pairs = itertools.product(functions, codes)
            return (join for function, code in pairs for join in ((function, code, node), (function, node, code)))

        def deleted(node: State) -> Iterable[State]:
            return (None,) if isinstance(node, int) else ()

        if idle := law.nothing(leaves):
            add(state, idle)
        for chance, change in (
            (law.substitute_one(leaves), relabelled),
            (law.substitute_function(leaves) if len(functions) > 1 else 0, refunctioned),
            (law.insert_one(leaves) if leaves != self._full else 0, inserted),
            (law.delete_one(leaves), deleted),
        ):
            for result in _changed(state, change) if chance else ():
                add(result, chance)
        return moves

    def _renamed(self, state: State) -> State:
        """The representative: in each class, the variables that occur are the first ones, as they come."""
        if len(self._classes) == self.primitives.variables:
            return state
        codes = list(_codes(state))
        free = [iter(members) for members in self._classes]
        class_of = {i: number for number, members in enumerate(self._classes) for i in members}
        names: dict[int, int] = {}
        renamed = []
        for code in codes:
            variable, sign = divmod(code, self._signs)
            if variable not in names:
                names[variable] = next(free[class_of[variable + 1]]) - 1
            renamed.append(self._signs * names[variable] + sign)
        return state if renamed == codes else _relabelled_all(state, iter(renamed))

    @classmethod
    def counted(cls, problem: Problem, n: int, most_leaves: int) -> tuple[int, ...]:
        """Where only some variables are exchangeable, as if none were."""
        primitives, most_leaves = problem.primitives(n), min(most_leaves, _MAX_LEAVES_COUNTED)
        if problem.sees == "first" and (n > _MAX_LEAVES_COUNTED or len(renamable(problem, n)) == 1):
            return renamed_trees(min(primitives.variables, most_leaves), 1 + primitives.signed, most_leaves)
        functions, size = len(primitives.functions), primitives.size
        if not primitives.is_binary:
            return _counted(primitives, most_leaves)
        numbers = [catalan(t) * size**t * functions ** (t - 1) for t in range(1, most_leaves + 1)]
        return (1, *numbers)


def _counted(primitives: Primitives, most_leaves: int) -> tuple[int, ...]:
    """Trees by their leaves, where functions have two or more arguments: a leaf, or a function with its arguments."""
    numbers = [0, primitives.size, *[0] * (most_leaves - 1)]
    for leaves in range(2, most_leaves + 1):
        for arity in primitives.arities:
            lists = [1] + [0] * leaves  # how many lists of trees, by their leaves in all; first the empty list
            for _ in range(arity):
                lists = [sum(lists[k] * numbers[t - k] for k in range(t)) for t in range(leaves + 1)]
            numbers[leaves] += lists[leaves]
    return (1, *numbers[1 : most_leaves + 1])


def renamable(problem: Problem, n: int) -> list[list[int]]:
    """The variables, from 1, in classes of exchangeable ones."""
    primitives = problem.primitives(n)
    variables = range(1, primitives.variables + 1)
    if problem.sees != "first":
        return [[i] for i in variables]
    classes: dict[tuple[Fitness, ...], list[int]] = {}
    for i in variables:
        terms = [
            problem.fitness([primitives.terminal_of(i, negated)], n)
            for negated in (False, True)[: 1 + primitives.signed]
        ]
        classes.setdefault(tuple(terms), []).append(i)
    return list(classes.values())


def _codes(state: State) -> Iterator[int]:
    """The terminals from left to right."""
    waiting = [] if state is None else [state]
    while waiting:
        node = waiting.pop()
        if isinstance(node, int):
            yield node
        else:
            waiting += reversed(node[1:])


def _filled(shape: Shape, functions: Iterator[int], codes: Iterator[int]) -> State:
    """The tree of this shape: functions in pre-order, terminals from left to right."""
    if shape == LEAF:
        return next(codes)
    function = next(functions)
    left = _filled(shape[0], functions, codes)
    return function, left, _filled(shape[1], functions, codes)


def _relabelled_all(state: State, codes: Iterator[int]) -> State:
    if isinstance(state, int):
        return next(codes)
    return state[0], *[_relabelled_all(child, codes) for child in state[1:]]


def _changed(state: State, change: Callable[[State], Iterable[State]]) -> Iterator[State]:
    """The results of a change at every node, which gives what comes in its place; None takes it out."""
    yield from change(state)
    if isinstance(state, tuple):
        function, left, right = state
        for result in _changed(left, change):
            yield right if result is None else (function, result, right)
        for result in _changed(right, change):
            yield left if result is None else (function, left, result)
