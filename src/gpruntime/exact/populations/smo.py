"""SMO-GP as a chain: the states of the trees in P, in the order of size.

Each of |P| trees has the next offspring with 1/|P|. By `model/populations/smo.py` a tree of a given fitness is only
ever replaced by one at least as good and no larger, so sizes are bounded and no limit of leaves is needed.

**Levels.** Until the front is complete: how many trees of the front P holds. Such a tree is the best of its size and
better than all smaller ones, so only a tree of the same size and fitness can take its place, and the number never
falls. Until the first optimum: the best fitness in P, which never gets worse.
"""

from __future__ import annotations

from fractions import Fraction

from gpruntime.exact.population import END, Population, Row, State, Trees, add
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

_Kept = tuple[State, ...]


class SmoPopulation(Population):
    """See above."""

    def __init__(self, trees: Trees) -> None:
        super().__init__(trees)
        self._front: set[tuple[Fitness, int]] = set()
        if self.spec.goal == "front":
            self._front = {(fitness * self.direction, leaves) for leaves, fitness in self.spec.front.items()}
            self.measure, self.direction, self.best = "on the front", 1, len(self._front)

    def start(self) -> dict[State, Fraction]:
        """See `Population`."""
        law: dict[State, Fraction] = {}
        for tree, chance in self.trees.initial().items():
            add(law, self._with((), tree), chance)
        return law

    def after(self, state: _Kept) -> Row:
        """See `Population`."""
        row: Row = {}
        for tree in state:
            for child, chance in self.trees.offspring(tree):
                if not any(self._dominates(one, child) for one in state):
                    add(row, self._with(state, child), chance / len(state))
        return row

    def _dominates(self, one: State, other: State) -> bool:
        a, b = self.trees.seen(one), self.trees.seen(other)
        return a.score >= b.score and a.leaves <= b.leaves and (a.score, a.leaves) != (b.score, b.leaves)

    def _with(self, state: _Kept, child: State) -> _Kept | None:
        """P with this tree, which none of P dominates; or the end."""
        seen, new = self.trees.seen, self.trees.seen(child)
        if new.is_best and not self._front:
            return END
        stay = (one for one in state if new.score < seen(one).score or new.leaves > seen(one).leaves)
        kept = tuple(sorted((*stay, child), key=lambda one: seen(one).leaves))
        return END if self._front and self.level(kept) == self.best else kept

    def level(self, state: _Kept) -> Fitness:
        """See above."""
        if not self._front:
            return super().level(state)
        return sum(self.trees.seen(one)[:2] in self._front for one in state)

    @classmethod
    def grows(cls, spec: RunSpec) -> bool:  # noqa: ARG003
        """See above."""
        return False


POPULATION = SmoPopulation
