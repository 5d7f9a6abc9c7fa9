"""SMO-GP as a chain: the states of the trees in P, in the order of size.

Each of |P| trees has the next offspring with 1/|P|. By `model/populations/smo.py` a tree of a given fitness is only
ever replaced by one at least as good and no larger, so sizes are bounded and no limit of leaves is needed.

**Levels.** Until the front is complete: how many trees of the front P holds. Such a tree is the best of its size and
better than all smaller ones, so only a tree of the same size and fitness can take its place, and the number never
falls. Until the first optimum: the best fitness in P, which never gets worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpruntime.exact.chain import END, Row, add
from gpruntime.exact.population import Population
from gpruntime.exact.states import State, States
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

_Kept = tuple[State, ...]


class SmoPopulation(Population):
    """P, in the order of size."""

    def __init__(self, spec: RunSpec, states: States) -> None:
        super().__init__(spec, states)
        self._front: set[tuple[Fitness, int]] = set()
        if self.spec.goal == "front":
            self._front = {(fitness * self.direction, leaves) for leaves, fitness in self.spec.front.items()}
            self.measure, self.direction, self.best = "on the front", 1, len(self._front)

    def start(self) -> Iterator[tuple[State, Fraction]]:
        return ((self._with((), tree), chance) for tree, chance in Population.start(self))

    def after(self, state: _Kept) -> Row:
        row = Row()
        for tree in state:
            for child, chance in self.offspring(tree):
                if not any(self._dominates(other, child) for other in state):
                    add(row, self._with(state, child), chance / len(state))
        return row

    def _dominates(self, tree: State, other: State) -> bool:
        a, b = self.seen(tree), self.seen(other)
        return a.score >= b.score and a.leaves <= b.leaves and (a.score, a.leaves) != (b.score, b.leaves)

    def _with(self, state: _Kept, child: State) -> State:
        """P with this tree, which none of P dominates; or the end."""
        seen, new = self.seen, self.seen(child)
        if new.is_best and not self._front:
            return END
        stay = (other for other in state if new.score < seen(other).score or new.leaves > seen(other).leaves)
        kept = tuple(sorted((*stay, child), key=lambda tree: seen(tree).leaves))
        return END if self._front and self.level(kept) == self.best else kept

    def level(self, state: _Kept) -> Fitness:
        if not self._front:
            return super().level(state)
        return sum(self.seen(tree)[:2] in self._front for tree in state)

    @classmethod
    def grows(cls, spec: RunSpec) -> bool:  # noqa: ARG003
        return False


POPULATION = SmoPopulation
