"""ORDER's states: shape and leaf sequence, up to renaming of variables.

**Lumping.** Fitness is a function of the leaf sequence, so deletions and substitutions need no more. An insertion at
node v puts its leaf in front of the first or behind the last leaf below v: how many of the 2(2T − 1) places lead to
each of the T + 1 gaps of the sequence is the shape's to say, and the shape changes with every insertion and deletion.
Shape and sequence are therefore kept, and only the names of the variables are dropped: a permutation π of the
variables maps trees to trees, keeps their fitness, leaves and shape, and the probability of the operation that leads
from X to Y is that of the operation from π(X) to π(Y). So the orbits of the permutations are strongly lumpable, for
proposals and accepted steps. The representative of an orbit numbers the variables by their first occurrence, 0, 1, 2,
…

The mean over uniform shapes would be a smaller chain, and wrong: insertions keep shapes uniform (Rémy), but the
deletion of a *given* leaf does not, and acceptance tells which leaf it was.

**The last step.** A single-operation algorithm with strict acceptance passes from fitness n − 1 to the optimum or
nowhere. All that matters of such a tree is with what probability, and that is u · P(one substitution) + v · P(one
insertion) + w · P(one deletion), where u, v, w are the numbers of improving substitutions, insertions and deletions.
So trees of fitness n − 1 with equal (T, u, v, w) are one state; for n = 3 these are nearly all trees. All optimal
trees of a size are one state too, unless intermediate trees of many operations, or the trees of a population, have
to be told apart.

A state is one integer: number of the shape · 2³² + number of the sequence. What an operation does to sequences is the
same for all shapes, and what it does to shapes is the same for all sequences, so both are tables, filled when first
asked.

**Initial law.** The law of the shapes is in `shapes`. A sequence with v variables stands for n!/(n − v)! others.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.shapes import LEAF, Shape, deletions, initial_shapes, insertions, renamed_trees, shape_of, size
from gpruntime.exact.states import States
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

Sequence = tuple[int, ...]  # codes of terminals, 2 · variable + negated

_NONE = -1
_MAX_LEAVES_COUNTED = 40


class _SequenceMoves(NamedTuple):
    """What one operation can make of a sequence, with the number of terminals that do it."""

    substitutions: list[tuple[int, int]]  # (sequence, number of (leaf, terminal) pairs)
    insertions: list[tuple[int, int, int]]  # (gap, sequence, number of terminals)
    deletions: list[tuple[int, int]]  # (leaf, sequence)


class _End(NamedTuple):
    """What decides how a sequence of fitness n − 1 becomes optimal; of an optimal one, only the leaves are kept."""

    leaves: int
    substitutions: int  # improving (leaf, terminal) pairs
    gap: int  # the last gap where the missing x_i improves; in all gaps before it does too
    deletions: int  # improving leaves


class OrderStates(States):
    """Shapes and sequences, by number."""

    most_strict: ClassVar[int] = 3_000_000
    most_weak: ClassVar[int] = 300_000
    most_multi: ClassVar[int] = 120_000
    form = "trees up to renaming of variables"

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        super().__init__(spec, law)
        single = spec.operations.most == 1 and not spec.algorithm.multi and not spec.has_population
        self._merges_optimum = single
        self._merges_last = single and spec.accept.is_strict
        self._merged_as: dict[tuple[int, ...], int] = {}
        self._shapes, self._sequences = _Numbering(), _Numbering()
        self._end, self._places = cache(self._find_end), cache(self._count_places)
        self._insertions, self._deletions = cache(self._insert), cache(self._delete)
        self._moves_of_sequence = cache(self._find_moves)

    def fitness(self, state: int) -> int:
        return _fitness(self._sequence(state))

    def leaves(self, state: int) -> int:
        return len(self._sequence(state))

    def of(self, tree: Tree) -> int:
        codes = tuple(terminal.code for terminal in tree.terminals())
        return self._merged(self._shapes.number(shape_of(tree.root)), self._sequences.number(canonical(codes)))

    def tree(self, state: int) -> Tree:
        labels = iter(str(Terminal.from_code(code)) for code in self._sequence(state))

        def text(shape: Shape) -> str:
            return next(labels) if shape == LEAF else f"({text(shape[0])} {text(shape[1])})"

        shape = self._shapes.items[state >> 32]
        return Tree() if shape is None else Tree.parse(text(shape))

    def uniform_law(self, initial: Initial) -> Iterator[tuple[int, Fraction]]:
        shapes = [(self._shapes.number(shape), chance) for shape, chance in initial_shapes(initial)]
        for sequence in canonical_sequences(self.n, initial.leaves):
            names = math.perm(self.n, 1 + max(sequence) // 2)
            chance = Fraction(names, (2 * self.n) ** initial.leaves)
            number = self._sequences.number(sequence)
            for shape, shape_chance in shapes:
                yield self._merged(shape, number), chance * shape_chance

    def moves(self, state: int, least: float) -> dict[int, Number]:
        shape, sequence = state >> 32, state & 0xFFFFFFFF
        leaves = self.leaves(state)
        insert, delete, substitute = (
            self.law.insert_one(leaves),
            self.law.delete_one(leaves),
            self.law.substitute_one(leaves),
        )
        change = self._moves_of_sequence(sequence, least)
        moves: dict[int, Number] = {}
        if (idle := self.law.nothing(leaves)) and self.fitness(state) >= least:
            moves[state] = idle
        if substitute:
            for result, ways in change.substitutions:
                key = self._merged(shape, result)
                moves[key] = moves.get(key, 0) + ways * substitute
        if insert:
            inserted = self._insertions(shape)
            for gap, result, ways in change.insertions:
                for new_shape, places in inserted[gap]:
                    key = self._merged(new_shape, result)
                    moves[key] = moves.get(key, 0) + ways * places * insert
        if delete:
            deleted = self._deletions(shape)
            for leaf, result in change.deletions:
                key = self._merged(deleted[leaf], result)
                moves[key] = moves.get(key, 0) + delete
        return moves

    @classmethod
    def counted(cls, problem: Problem, n: int, most_leaves: int) -> tuple[int, ...]:  # noqa: ARG003
        """As if none were merged."""
        return renamed_trees(n, 2, min(most_leaves, _MAX_LEAVES_COUNTED))

    @classmethod
    def from_one_tree(cls, spec: RunSpec, n: int) -> int:
        """About how many states strict acceptance and one operation reach from an explicit tree.

        The ways to improve a tree of T leaves are about 5T, and the order in which n − 2 of them were taken does not
        show; the last step needs no states of its own. From `bad` with n = 3, 4, 5 there are 54, 1,041 and 30,105
        states, where twice this rule says 60, 1,800 and 55,000.
        """
        steps = max(n - 2, 0)
        return 2 * math.prod(5 * (spec.init.leaves + i) for i in range(steps)) // math.factorial(steps)

    def _state(self, shape: int, sequence: int) -> int:
        return (shape << 32) | sequence

    def _merged(self, shape: int, sequence: int) -> int:
        """The state that stands for this one: another only for the optimum and the last step."""
        end = self._end(sequence)
        state = self._state(shape, sequence)
        if end is None:
            return state
        leaves, substitutions, gap, deletions = end
        places = 0 if substitutions == _NONE else self._places(shape)[gap]
        key = (leaves, substitutions, places, deletions)
        return self._merged_as.setdefault(key, state)

    def _find_end(self, number: int) -> _End | None:
        sequence = self._sequences.items[number]
        fitness = _fitness(sequence)
        if fitness == self.n and self._merges_optimum:
            return _End(len(sequence), _NONE, 0, 0)  # a size limit asks for the leaves
        if fitness != self.n - 1 or not self._merges_last or not sequence:
            return None
        bar = next(2 * v + 1 for v in range(self.n) if _first_sign(sequence, v) != 0)
        return _End(
            len(sequence),
            sum(
                _fitness((*sequence[:leaf], code, *sequence[leaf + 1 :])) == self.n
                for leaf, code in itertools.product(range(len(sequence)), range(2 * self.n))
            ),
            sequence.index(bar) if bar in sequence else len(sequence),
            sum(_fitness(sequence[:leaf] + sequence[leaf + 1 :]) == self.n for leaf in range(len(sequence))),
        )

    def _count_places(self, shape: int) -> list[int]:
        """For each gap: how many pairs of node and side put a leaf into it or a gap before."""
        return list(itertools.accumulate(sum(count for _, count in gap) for gap in self._insertions(shape)))

    def _sequence(self, state: int) -> Sequence:
        sequence: Sequence = self._sequences.items[state & 0xFFFFFFFF]
        return sequence

    def _find_moves(self, number: int, least: float) -> _SequenceMoves:
        sequence = self._sequences.items[number]
        substitutions: Counter[int] = Counter()
        insertions: Counter[tuple[int, int]] = Counter()
        for gap, code in itertools.product(range(len(sequence) + 1), range(2 * self.n)):
            result = (*sequence[:gap], code, *sequence[gap:])
            if _fitness(result) >= least:
                insertions[gap, self._sequences.number(canonical(result))] += 1
        for leaf, code in itertools.product(range(len(sequence)), range(2 * self.n)):
            result = (*sequence[:leaf], code, *sequence[leaf + 1 :])
            if _fitness(result) >= least:
                substitutions[self._sequences.number(canonical(result))] += 1
        without = ((leaf, sequence[:leaf] + sequence[leaf + 1 :]) for leaf in range(len(sequence)))
        deletions = [
            (leaf, self._sequences.number(canonical(rest))) for leaf, rest in without if _fitness(rest) >= least
        ]
        return _SequenceMoves(
            list(substitutions.items()), [(gap, result, ways) for (gap, result), ways in insertions.items()], deletions
        )

    def _insert(self, number: int) -> list[list[tuple[int, int]]]:
        """The shapes after an insertion into each gap, with the number of pairs of node and side that lead there."""
        shape = self._shapes.items[number]
        gaps: list[Counter[int]] = [Counter() for _ in range(size(shape) + 1)]
        for gap, result in insertions(shape):
            gaps[gap][self._shapes.number(result)] += 1
        return [list(results.items()) for results in gaps]

    def _delete(self, number: int) -> list[int]:
        """The shape after the deletion of each leaf."""
        return [self._shapes.number(result) for result in deletions(self._shapes.items[number])]


class _Numbering:
    """Numbers for things, from 0, in the order in which they are first met."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, item: Any) -> int:
        number = self._numbers.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number


def _fitness(sequence: Sequence) -> int:
    seen: set[int] = set()
    fitness = 0
    for code in sequence:
        variable = code >> 1
        if variable not in seen:
            seen.add(variable)
            fitness += 1 - (code & 1)
    return fitness


def _first_sign(sequence: Sequence, variable: int) -> int | None:
    """0 if the variable's first occurrence is positive, 1 if negated, None if it does not occur."""
    return next((code & 1 for code in sequence if code >> 1 == variable), None)


def canonical(sequence: Sequence) -> Sequence:
    """The sequence with its variables numbered by first occurrence."""
    names: dict[int, int] = {}
    return tuple(2 * names.setdefault(code >> 1, len(names)) + (code & 1) for code in sequence)


def canonical_sequences(n: int, leaves: int, used: int = 0) -> Iterator[Sequence]:
    """All canonical sequences of this number of leaves over at most n variables, of which `used` have occurred."""
    if leaves == 0:
        yield ()
        return
    for variable in range(min(used + 1, n)):
        for negated in (0, 1):
            for rest in canonical_sequences(n, leaves - 1, max(used, variable + 1)):
                yield (2 * variable + negated, *rest)


STATES = OrderStates
