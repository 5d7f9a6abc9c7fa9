"""States and the moves between them, by the model's proposals alone: no code of the exact solver.

From each tree `proposals` says what can be drawn and with which chance; each proposal is made on a copy of the tree,
and the rule is asked. Where the fitness sees counts, the law of the counts after an operation depends on the counts
alone, so one tree of each is looked at; otherwise every tree is. Where all terms of the fitness are seen to be equal,
variables may be renamed. Of truth tables every one is looked at.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple, cast

from gpruntime.model.errors import BadInput
from gpruntime.model.initial import balanced
from gpruntime.model.mutation import INSERT, Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.representations.truth_tables import TableStart, proposals
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Node, Tree

MAX_STATES = 2_000_000
MAX_INITIAL = 500_000
_MOST_LEAVES = 20  # of random trees: with more there are more sequences of draws than these, by terminals or by shapes


class Differ(Exception):  # no error: the check begins anew, without renaming
    """Two variables were seen to have different terms."""


class State(NamedTuple):
    """A tree that stands for its state; or a truth table."""

    tree: Any
    fitness: Fitness


def sees_counts(spec: RunSpec) -> bool:
    """Whether counts tell states apart: with HVL-Prime, functions of two arguments, and a fitness that sees no more."""
    usual = spec.representation.is_tree and spec.operator.id == "hvl-prime" and spec.primitives.is_binary
    return usual and spec.problem.sees == "counts"


class Walk:
    """States, and the moves between them, by the model's proposals.

    Attributes:
        spec: whose.
        alike: whether variables are renamed, as long as they are seen to be alike.
        by_counts: see `sees_counts`.
    """

    def __init__(self, spec: RunSpec, alike: bool = True) -> None:
        self.spec = spec
        self.by_counts = sees_counts(spec)
        self.alike = alike and spec.representation.is_tree and spec.problem.sees in ("counts", "first")
        self.mutation = spec.mutation_in_fractions
        self.states: dict[Hashable, State] = {}
        self._seen: set[tuple[int, int]] = set()
        if self.alike and not self.by_counts:
            self._check_alike([False])
            if spec.primitives.signed:
                self._check_alike([True])

    def state(self, tree: Any, key: Hashable = None) -> State:
        """The state of a tree, new or known."""
        key = self._key(tree) if key is None else key
        known = self.states.get(key)
        if known is None:
            known = self.states[key] = State(tree, self._fitness(tree))
            if len(self.states) > MAX_STATES:
                raise BadInput("check", f"{MAX_STATES:,}", "trees were looked at, and there are more")
        return known

    def moves(self, state: State) -> Iterator[tuple[State, Fraction]]:
        """What one evaluation can accept, with its chance."""
        if not self.spec.representation.is_tree:
            for table, chance in proposals(state.tree, self.spec):
                if self._accepts(state, State(table, self._fitness(table))):
                    yield self.state(table), chance
            return
        for operation, chance, key in self._proposals(state.tree):
            after = None if key is None else self.states.get(key)
            if after is None:
                offspring = state.tree.copy()
                self.mutation.apply(offspring, operation)
                after = State(offspring, self._fitness(offspring)) if key is None else self.state(offspring, key)
            if self._accepts(state, after):
                yield (self.state(after.tree) if key is None else after), chance

    def _accepts(self, state: State, after: State) -> bool:
        """What the size limit and the rule say."""
        limit, leaves = self.spec.max_leaves_allowed, after.tree.size
        if limit is not None and leaves > limit:
            return False
        gain = (after.fitness - state.fitness) * self.spec.problem.direction
        return self.spec.accept.accepts(gain, leaves - state.tree.size)

    def _fitness(self, tree: Any) -> Fitness:
        """f."""
        fitness = self.spec.representation.fitness(tree, self.spec)
        self.spec.problem.check(fitness, self.spec.n)
        return fitness

    def _proposals(self, tree: Tree) -> Iterator[tuple[Operation, Fraction, Hashable]]:
        """All that can be drawn; where counts are seen, once for all that take out and put in the same terminals."""
        proposals: Iterator[tuple[Operation, Any]] = self.mutation.proposals(tree)
        if not self.by_counts:
            yield from ((operation, chance, None) for operation, chance in proposals if chance)
            return
        ways: dict[tuple[Terminal | None, Terminal | None], Operation] = {}
        number: Counter[tuple[Terminal | None, Terminal | None, tuple[int, int]]] = Counter()
        for operation, chance in proposals:
            goes = None
            if operation.kind != INSERT and operation.site is not None and operation.site < len(tree.leaves):
                goes = tree.leaves[operation.site].terminal
            if goes != operation.terminal:  # else the counts stay, as where a join is picked
                ways.setdefault((goes, operation.terminal), operation)
                number[goes, operation.terminal, chance.as_integer_ratio()] += 1
        counts = Counter(tree.terminals())
        keeps_last = self.spec.last_leaf == "keep" and len(tree.leaves) == 1
        for (goes, comes, chance), times in number.items():
            if not (keeps_last and comes is None):
                yield ways[goes, comes], Fraction(times * chance[0], chance[1]), self._after(counts, goes, comes)

    def _key(self, tree: Any) -> Hashable:
        """Equal for trees of one state."""
        if not self.spec.representation.is_tree:
            return str(tree)
        return self._counts(Counter(tree.terminals())) if self.by_counts else self._shape(tree)

    def _after(self, counts: Counter[Terminal], goes: Terminal | None, comes: Terminal | None) -> Hashable:
        """Of the counts after a leaf went, or came."""
        now = counts.copy()
        if goes is not None:
            now[goes] -= 1
        if comes is not None:
            now[comes] += 1
        return self._counts(now)

    def _counts(self, counts: Counter[Terminal]) -> Hashable:
        pairs = [
            (counts[Terminal(i, False)], counts[Terminal(i, True)])
            for i in range(1, self.spec.primitives.variables + 1)
        ]
        if not self.alike:
            return tuple(pairs)
        for pair in pairs:
            if pair not in self._seen:
                self._seen.add(pair)
                self._check_alike([False] * pair[0] + [True] * pair[1])
        return tuple(sorted(pairs))

    def _check_alike(self, negated: list[bool]) -> None:
        """The same leaves of each variable are worth the same."""
        named, fitness = self.spec.primitives.terminal_of, self.spec.problem.fitness
        variables = range(1, self.spec.primitives.variables + 1)
        if len({fitness([named(i, sign) for sign in negated], self.spec.n) for i in variables}) > 1:
            raise Differ

    def _shape(self, tree: Tree) -> Hashable:
        names: dict[int, int] = {}

        def below(node: Node) -> Hashable:
            if node.terminal is None:
                return (node.function, *map(below, node.children))
            variable, negated = node.terminal
            return (names.setdefault(variable, len(names)) if self.alike else variable), negated

        return None if tree.root is None else below(tree.root)


# ---- the initial tree


class _Branch(Exception):  # no error: a draw with this many answers
    def __init__(self, chances: list[tuple[float, Fraction]]) -> None:
        super().__init__()
        self.chances = chances


class _Given:
    """A stream whose draws are given."""

    def __init__(self, answers: tuple[float, ...], join: Fraction) -> None:
        self._answers, self._join = iter(answers), join

    def below(self, bound: int) -> int:
        return int(self._next([(value, Fraction(1, bound)) for value in range(bound)]))

    def uniform(self) -> float:
        return self._next([(0.0, self._join), (1.0, 1 - self._join)])

    def _next(self, chances: list[tuple[float, Fraction]]) -> float:
        answer = next(self._answers, None)
        if answer is None:
            raise _Branch(chances)
        return answer


def initial_law(spec: RunSpec, by_counts: bool) -> Iterator[tuple[Any, Fraction]]:
    """Initial trees with their chances; where counts are seen, one for all with the same leaves."""
    initial, size = spec.init, spec.primitives.size
    if isinstance(initial, TableStart):
        count, tables = initial.law()
        yield from ((table, Fraction(1, count)) for table in tables)
        return
    if by_counts and initial.name in ("unity", "insertion"):
        leaves = initial.leaves
        if math.comb(size + leaves - 1, leaves) > MAX_INITIAL:
            raise _too_many_initial(spec)
        for codes in itertools.combinations_with_replacement(range(size), leaves):
            orders = math.factorial(leaves) // math.prod(map(math.factorial, Counter(codes).values()))
            terminals = [spec.primitives.terminal(code) for code in codes]
            yield balanced(terminals, spec.primitives.functions[0]), Fraction(orders, size**leaves)
        return
    if initial.name in ("unity", "insertion") and initial.leaves > _MOST_LEAVES:
        raise _too_many_initial(spec)
    waiting: list[tuple[tuple[float, ...], Fraction]] = [((), Fraction(1))]
    made = 0
    while waiting:
        answers, chance = waiting.pop()
        try:
            tree = initial.build(cast("Stream", _Given(answers, Fraction(initial.join))))
        except _Branch as branch:
            made += len(branch.chances)
            if made > MAX_INITIAL:
                raise _too_many_initial(spec) from None
            waiting += [((*answers, answer), chance * each) for answer, each in branch.chances if each]
            continue
        yield tree, chance


def _too_many_initial(spec: RunSpec) -> BadInput:
    return BadInput("init", str(spec.init), f"has more than {MAX_INITIAL:,} trees: take fewer leaves")
