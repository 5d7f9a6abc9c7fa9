"""States of truth tables.

Where a mutation sets one row and every row counts once, a state is how many rows are false and should be true, and the
other way round. Else it is the table itself, as a number whose bits are its rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.states import State, States
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Fitness
from gpruntime.model.problems.truth_table import rows_of
from gpruntime.model.representations.truth_tables import (
    POINT,
    TRUTH_TABLES,
    TableStart,
    TruthTable,
    block_law,
    blocks_of,
)
from gpruntime.model.spec import RunSpec

_MAX_ROWS, _MAX_LUMPED = 16, 2**10
_MAX_STATES = 100_000


class TableStates(States):
    """Truth tables."""

    most_strict: ClassVar[int] = _MAX_STATES
    most_weak: ClassVar[int] = _MAX_STATES
    most_multi: ClassVar[int] = 0

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        super().__init__(spec, law)
        self._spec = spec
        self._rows, self._lumped = 2**self.primitives.variables, is_lumped(spec)
        self._wanted = rows_of(self.problem, self.n, True)[0]
        self._wanted_true = int(self._wanted.sum())
        blocks = [] if self._lumped else block_law(blocks_of(spec), self.primitives.variables)
        self._blocks = [(self.of(TruthTable(block)), chance / 2) for block, chance in blocks]

    @property
    def form(self) -> str:
        return "numbers of rows that are wrongly false and wrongly true" if self._lumped else "truth tables"

    def _table(self, state: State) -> TruthTable:
        return TruthTable(np.array([bool(state >> row & 1) for row in range(self._rows)]))

    def fitness(self, state: State) -> Fitness:
        return sum(state) if self._lumped else TRUTH_TABLES.fitness(self._table(state), self._spec)

    def leaves(self, state: State) -> int:
        return self._wanted_true - state[0] + state[1] if self._lumped else int(state).bit_count()

    def tree(self, state: State, last: bool = False) -> Any:
        """A table of the state; where they are counted, one that errs in the first rows, or in the last."""
        if not self._lumped:
            return self._table(state)
        rows = self._wanted.copy()
        for value, count in zip((True, False), state, strict=True):
            at = np.flatnonzero(self._wanted == value)
            rows[at[len(at) - count :] if last else at[:count]] = not value
        return TruthTable(rows)

    def of(self, tree: Any) -> State:
        rows = tree.rows
        if self._lumped:
            return int((self._wanted & ~rows).sum()), int((rows & ~self._wanted).sum())
        return sum(1 << row for row, value in enumerate(rows.tolist()) if value)

    def initial_law(self, initial: Initial) -> Iterable[tuple[State, Fraction]]:
        if isinstance(initial, TableStart) and initial.table is not None:
            return [(self.of(initial.table), Fraction(1))]
        whole, true = 2**self._rows, self._wanted_true
        if not self._lumped:
            return ((state, Fraction(1, whole)) for state in range(whole))
        return (
            ((a, b), Fraction(math.comb(true, a) * math.comb(self._rows - true, b), whole))
            for a in range(true + 1)
            for b in range(self._rows - true + 1)
        )

    def moves(self, state: State, least: float) -> dict[State, Number]:  # noqa: ARG002
        """The law of an offspring; all of it, whatever the fitness."""
        moves: dict[State, Number] = {}

        def add(result: State, chance: Fraction) -> None:
            if chance:
                moves[result] = moves.get(result, 0) + self.law.number(chance)

        if self._lumped:
            (a, b), each = state, Fraction(1, 2 * self._rows)
            true = self._wanted_true
            add((a - 1, b), a * each)
            add((a, b - 1), b * each)
            add((a + 1, b), (true - a) * each)
            add((a, b + 1), (self._rows - true - b) * each)
            add(state, self._rows * each)
            return moves
        for block, each in self._blocks:
            add(state | block, each)
            add(state & ~block, each)
        return moves

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        """Raises `BadInput` where there are too many tables."""
        rows, most = 2**spec.primitives.variables, _MAX_LUMPED if is_lumped(spec) else _MAX_ROWS
        if rows > most:
            raise BadInput("n", spec.n, f"too large: a table of {rows:,} rows, where {most:,} are the most")


def is_lumped(spec: RunSpec) -> bool:
    """Whether numbers of wrong rows are enough."""
    return blocks_of(spec).kind == POINT and not spec.problem.samples_rows(spec.n)
