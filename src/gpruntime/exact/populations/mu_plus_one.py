"""The (μ+1) GP as a chain: the states of the trees that it keeps, in whatever order.

Parents are picked uniformly, and of those that are equally bad one goes uniformly. So the order in the list has no part
in the law, and a state is a multiset, written in some fixed order. The first μ evaluations fill it, tree by tree.

Under a rule by which one tree cannot grow without end, μ cannot either: where an offspring is as fit as the worst, it
is no larger than what goes; and otherwise the fitnesses of the μ trees, put in order, have risen.

**Levels.** The best fitness, which never gets worse.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from gpruntime.exact.chain import END, Row, add
from gpruntime.exact.population import Population
from gpruntime.exact.states import State, States
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

_Kept = tuple[State, ...]


class MuPopulation(Population):
    """The trees as a multiset."""

    def __init__(self, spec: RunSpec, states: States) -> None:
        super().__init__(spec, states)
        self._mu, rule = int(self.spec.algorithm.values["mu"]), self.spec.accept
        self._by_size, self._tie_stays = rule.prefers_smaller, rule.accepts(0, 0)
        self._initial: dict[State, Fraction] = {}
        self._places: dict[State, int] = {}  # in the order in which they came up

    def start(self) -> Iterator[tuple[State, Fraction]]:
        for tree, chance in super().start():
            self._initial[tree] = self._initial.get(tree, Fraction(0)) + chance
            yield self._with((), tree), chance

    def after(self, state: _Kept) -> Row:
        row = Row()
        if len(state) < self._mu:
            for tree, initial in self._initial.items():
                add(row, self._with(state, tree), self.states.law.number(initial))
            return row
        worst = min(map(self._rank, state))
        lot = Counter(tree for tree in state if self._rank(tree) == worst)
        for tree, copies in Counter(state).items():
            for child, chance in self.offspring(tree):
                ties = self._rank(child) == worst
                if self.seen(child).is_best:
                    add(row, END, chance * copies / self._mu)
                elif self._rank(child) > worst or (ties and self._tie_stays):
                    each = chance * copies / (self._mu * (lot.total() + ties))
                    for gone, times in lot.items():
                        add(row, self._with(_without(state, gone), child), each * times)
        return row

    def _rank(self, tree: State) -> tuple[Fitness, int]:
        seen = self.seen(tree)
        return seen.score, -seen.leaves if self._by_size else 0

    def _with(self, state: _Kept, tree: State) -> State:
        """The trees with this one, or the end."""
        if self.seen(tree).is_best:
            return END
        self._places.setdefault(tree, len(self._places))
        return tuple(sorted((*state, tree), key=self._places.__getitem__))

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        """Whole trees would have to be crossed."""
        if spec.algorithm.values["crossover"]:
            raise BadInput("algorithm", spec.algorithm.id, "exact answers exist without crossover only")

    @classmethod
    def most_trees(cls, spec: RunSpec, states: int) -> int:
        """The multisets of at most μ of them are to be this many."""
        mu, trees = int(spec.algorithm.values["mu"]), 1
        while math.comb(trees + 1 + mu, mu) <= states:
            trees += 1
        return trees


def _without(state: _Kept, gone: State) -> _Kept:
    place = state.index(gone)
    return state[:place] + state[place + 1 :]


POPULATION = MuPopulation
