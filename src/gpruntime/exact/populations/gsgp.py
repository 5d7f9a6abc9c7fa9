"""Geometric semantic GP as a chain: one truth table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from gpruntime.exact.chain import END, Row, add
from gpruntime.exact.population import Population
from gpruntime.exact.states import State
from gpruntime.exact.truth_tables import TableStates
from gpruntime.model.spec import RunSpec


class TablePopulation(Population):
    """A truth table."""

    most_states = 100_000

    @property
    def form(self) -> str:
        return self.states.form

    def members(self, state: State) -> Iterable[State]:
        return (state,)

    def start(self) -> Iterator[tuple[State, Fraction]]:
        return ((END if self.seen(table).is_best else table, chance) for table, chance in Population.start(self))

    def after(self, state: State) -> Row:
        row, now = Row(), self.seen(state)
        for child, chance in self.offspring(state):
            seen = self.seen(child)
            if self.spec.accept.accepts(seen.score - now.score, seen.leaves - now.leaves):
                add(row, END if seen.is_best else child, chance)
        return row

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        TableStates.check(spec)

    @classmethod
    def grows(cls, spec: RunSpec) -> bool:  # noqa: ARG003
        return False


POPULATION = TablePopulation
