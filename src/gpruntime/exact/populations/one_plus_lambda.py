"""The (1+λ) GP as a chain: the parent, how many offspring of the generation are made, and the rank of the best.

The *rank* of an offspring is its fitness, under a rule that prefers the smaller of two equal trees its size too: what
the best is chosen by. The offspring of a generation are independent and alike, so of the best one, which is the first
of its rank, no more need be known until the generation ends: given its rank r, it is Y with P(Y)/P(rank r).

A run ends with an optimal offspring that is accepted in place of its parent; one that is rejected is like any other.

Ranks from which on downwards nothing is accepted in place of the parent are one: nothing worth keeping. If the parent
has no other offspring, it is *stuck*.

**Levels.** The fitness of the parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from gpruntime.exact.chain import END, Row, add
from gpruntime.exact.law import Number
from gpruntime.exact.population import Population
from gpruntime.exact.states import State, States
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

_Rank = tuple[Fitness, int]
_RANKS = 3  # that an offspring can have, about


class _Generation(NamedTuple):
    """A parent, how many offspring it has, and the rank of the best of them; None if none is worth keeping."""

    parent: State
    made: int
    best: _Rank | None


class _OfRank(NamedTuple):
    """The offspring of one rank: the probability of the rank; given it, of each that is accepted, and of all others."""

    chance: Number
    accepted: dict[State, Number]
    rejected: Number


class _Brood(NamedTuple):
    """The offspring of a parent: the probabilities of one that ends a run and of one not worth keeping; the others."""

    optimum: Number
    nothing: Number
    ranks: dict[_Rank, _OfRank]


class LambdaPopulation(Population):
    """The parent, how many offspring are made, and the best of them."""

    most_states = 100_000

    def __init__(self, spec: RunSpec, states: States) -> None:
        super().__init__(spec, states)
        self._lambda = int(self.spec.algorithm.values["lambda"])
        self._broods: dict[State, _Brood] = {}

    @property
    def form(self) -> str:
        parents = self.states.form
        return parents if self._lambda == 1 else f"{parents}, with the best offspring so far"

    def members(self, state: _Generation) -> Iterable[State]:
        """The parent."""
        return (state.parent,)

    def start(self) -> Iterator[tuple[State, Fraction]]:
        return ((_Generation(tree, 0, None), chance) for tree, chance in Population.start(self))

    def after(self, state: _Generation) -> Row:
        brood, row = self._brood(state.parent), Row()
        if not brood.optimum and not brood.ranks:
            return row
        if brood.optimum:
            add(row, END, brood.optimum)
        as_it_was = brood.nothing
        for rank, of_rank in brood.ranks.items():
            if state.best is None or rank > state.best:
                self._go_on(row, state, rank, of_rank.chance)
            else:
                as_it_was += of_rank.chance
        if as_it_was:
            self._go_on(row, state, state.best, as_it_was)
        return row

    def _go_on(self, row: Row, state: _Generation, best: _Rank | None, chance: Number) -> None:
        """One more offspring is made, after which this is the best."""
        if state.made + 1 < self._lambda:
            add(row, _Generation(state.parent, state.made + 1, best), chance)
            return
        rejected: Number = 1
        if best is not None:
            _, accepted, rejected = self._brood(state.parent).ranks[best]
            for child, share in accepted.items():
                add(row, _Generation(child, 0, None), chance * share)
        if rejected and self._lambda > 1:
            add(row, _Generation(state.parent, 0, None), chance * rejected)

    def _brood(self, parent: State) -> _Brood:
        if parent not in self._broods:
            self._broods[parent] = self._bred(parent)
        return self._broods[parent]

    def _bred(self, parent: State) -> _Brood:
        optimum: Number = 0
        nothing = self.beyond(parent)
        offspring: dict[_Rank, dict[State, Number]] = {}
        by_size = self.spec.accept.prefers_smaller
        for child, chance in self.offspring(parent):
            score, leaves, is_best = self.seen(child)
            if is_best and self._accepts(parent, child):
                optimum += chance
            else:
                offspring.setdefault((score, -leaves if by_size else 0), {})[child] = chance
        ranks: dict[_Rank, _OfRank] = {}
        for rank in sorted(offspring):
            total = sum(offspring[rank].values())
            taken = {child: chance / total for child, chance in offspring[rank].items() if self._accepts(parent, child)}
            if taken or ranks:
                others = (chance / total for child, chance in offspring[rank].items() if child not in taken)
                ranks[rank] = _OfRank(total, taken, sum(others))
            else:
                nothing += total
        return _Brood(optimum, nothing, ranks)

    def _accepts(self, parent: State, child: State) -> bool:
        before, after = self.seen(parent), self.seen(child)
        return self.spec.accept.accepts(after.score - before.score, after.leaves - before.leaves)

    @classmethod
    def most_trees(cls, spec: RunSpec, states: int) -> int:
        return states // (1 + _RANKS * (int(spec.algorithm.values["lambda"]) - 1))


POPULATION = LambdaPopulation
