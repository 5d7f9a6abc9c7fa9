"""QD-GP as a chain: the trees of P, in the order of height.

Trees are joined, so their states must be the trees themselves: whole trees of one variable, as on MAX, where nothing is
renamed. With the heights the sizes are bounded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from gpruntime.exact.chain import END, Row, add
from gpruntime.exact.kinds import kind_for
from gpruntime.exact.law import Number
from gpruntime.exact.population import Population
from gpruntime.exact.states import State
from gpruntime.exact.trees import TreeStates
from gpruntime.model.errors import BadInput
from gpruntime.model.populations.qd import height_of, most_height
from gpruntime.model.spec import RunSpec

_Kept = tuple[State, ...]


class QdPopulation(Population):
    """P, in the order of height."""

    def start(self) -> Iterator[tuple[State, Fraction]]:
        for tree, chance in super().start():
            yield END if self.seen(tree).is_best else (tree,), chance

    def after(self, state: _Kept) -> Row:
        row, number = Row(), self.states.law.number
        crossover = Fraction(float(self.spec.algorithm.values["crossover"]))
        alone, joined = number(1 - crossover), number(crossover)
        for tree in state:
            for child, chance in self.offspring(tree):
                self._enter(row, state, child, alone * chance / len(state))
        functions = range(len(self.spec.primitives.functions))
        each = joined / (len(state) ** 2 * len(functions))
        for function, left, right in itertools.product(functions, state, state) if crossover else ():
            self._enter(row, state, self._joined(function, left, right), each)
        return row

    @staticmethod
    def _joined(function: int, left: State, right: State) -> State:
        """Two trees under a function; the empty tree, None, adds nothing."""
        if left is None or right is None:
            return right if left is None else left
        return function, left, right

    def _enter(self, row: Row, state: _Kept, child: State, chance: Number) -> None:
        """Adds what becomes of P with this offspring, if anything does."""
        height, seen = self._height(child), self.seen(child)
        if height > most_height(self.spec) or not self.spec.fits(seen.leaves):
            return
        if seen.is_best:
            add(row, END, chance)
            return
        elites = {self._height(tree): tree for tree in state}
        if height in elites:
            elite = self.seen(elites[height])
            if not self.spec.accept.accepts(seen.score - elite.score, seen.leaves - elite.leaves):
                return
        new = tuple(tree for _, tree in sorted((elites | {height: child}).items()))
        if new != state:
            add(row, new, chance)

    def _height(self, tree: State) -> int:
        return height_of(self.states.tree(tree))

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        """Trees that are joined, and levels that never fall."""
        if spec.primitives.variables > 1 or not issubclass(kind_for(spec), TreeStates):
            raise BadInput(
                "algorithm", spec.algorithm.id, "whole trees are joined: exact answers exist for one variable only"
            )
        if spec.init.leaves - 1 > most_height(spec):
            most = most_height(spec)
            allowed = f"exact answers need an initial tree no higher than {most}, such as unity:leaves={most + 1}"
            raise BadInput("init", str(spec.init), allowed)

    @classmethod
    def grows(cls, spec: RunSpec) -> bool:  # noqa: ARG003
        return False


POPULATION = QdPopulation
