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
    SIZES,
    TRUTH_TABLES,
    TableStart,
    TruthTable,
    blocks_of,
    masks_of,
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
        self._spec, self._blocks = spec, blocks_of(spec)
        self._rows, self._lumped = 2**self.primitives.variables, is_lumped(spec)
        self._wanted = rows_of(self.problem, self.n, True)[0]
        self._wanted_true = int(self._wanted.sum())
        self._masks = [] if self._lumped else list(masks_of(self._blocks, self.primitives.variables))

    @property
    def form(self) -> str:
        return "numbers of rows that are wrongly false and wrongly true" if self._lumped else "truth tables"

    def _table(self, state: State) -> TruthTable:
        return TruthTable(np.array([bool(state >> row & 1) for row in range(self._rows)]))

    def fitness(self, state: State) -> Fitness:
        return sum(state) if self._lumped else TRUTH_TABLES.fitness(self._table(state), self._spec)

    def leaves(self, state: State) -> int:
        return self._wanted_true - state[0] + state[1] if self._lumped else int(state).bit_count()

    def _of(self, rows: Any) -> State:
        if self._lumped:
            return int((self._wanted & ~rows).sum()), int((rows & ~self._wanted).sum())
        return sum(1 << row for row, value in enumerate(rows.tolist()) if value)

    def initial_law(self, initial: Initial) -> Iterable[tuple[State, Fraction]]:
        if isinstance(initial, TableStart) and initial.table is not None:
            return [(self._of(initial.table.rows), Fraction(1))]
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
        for mask in self._masks:
            size = mask.bit_count()
            ways = self._rows.bit_length() if self._blocks.kind == SIZES else 1  # so many sizes, each as likely
            masks = math.comb(self._rows.bit_length() - 1, size) if self._blocks.kind == SIZES else len(self._masks)
            each = Fraction(1, 2 * 2**size * masks * ways)
            blocks: dict[int, int] = {}
            for row in range(self._rows):
                blocks[row & mask] = blocks.get(row & mask, 0) | 1 << row
            for block in blocks.values():
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
