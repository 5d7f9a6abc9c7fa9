"""The tree of a run whose state knows no shapes, kept alongside its kernel by making the operations of its trace.

A model tree takes a microsecond an operation; here it is planted and changed as in `ordered`, some nanoseconds each.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.cache import CODE
from gpruntime.engine.changes import make_operation
from gpruntime.engine.execute import Execution
from gpruntime.engine.kernel import kernel
from gpruntime.engine.law import drawing_of
from gpruntime.engine.memory import record, tail
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.reading import tree_of
from gpruntime.engine.stepping import growth
from gpruntime.engine.trace import T_ACCEPTED, T_CODE, T_KIND, T_NEW_LEAVES, T_SIDE, T_SITE, TRACE_WIDTH
from gpruntime.model.tree import Tree


@kernel
def follow(law: Any, at: Any, cells: Any, wide: Any, tiny: Any, drawing: Any, rng: Any, rows: Any, leaves: int) -> int:
    """Plants the initial tree, where there is none, then makes the accepted rows of a trace; returns T.

    All arrays have one dimension.
    """
    end = rows.size
    cells, wide, tiny, rows = tail(cells, 0), tail(wide, 0), tail(tiny, 0), tail(rows, 0)
    if leaves < 0:
        leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, tail(drawing, 0), tail(rng, 0))
    for row in range(0, end, TRACE_WIDTH):
        if rows[row + T_ACCEPTED] != 0:
            kind, site, side, code = rows[row + T_KIND], rows[row + T_SITE], rows[row + T_SIDE], rows[row + T_CODE]
            before, leaves = leaves, leaves + growth(law, leaves, kind)
            make_operation(law, at, cells, wide, before, kind, site, side, code)
    return leaves


class TreeAlongside:
    """The tree of the one run of an execution by `stepping`; its `leaves` are T."""

    def __init__(self, execution: Execution) -> None:
        self._spec, self._state, self.leaves = execution.spec, OrderedState(execution.law), -1
        self._call(drawing_of(execution.spec, planted=True), execution.seeds[0].copy(), np.zeros(0, np.int64))

    def _call(self, drawing: NDArray[np.int32], rng: NDArray[np.uint64], rows: NDArray[np.int64]) -> None:
        state = self._state
        memory = state.cells, state.wide, state.tiny
        self.leaves = CODE.call("follow", follow, record(state.law), state.at, *memory, drawing, rng, rows, self.leaves)

    def follow(self, rows: NDArray[np.int64]) -> None:
        """Makes the accepted ones of these operations."""
        accepted = rows[rows[:, T_ACCEPTED] != 0, T_NEW_LEAVES]
        while accepted.max(initial=0) + self._state.law.most > self._state.room:
            self._state.grow()
        self._call(np.zeros(0, np.int32), np.zeros(4, np.uint64), rows.reshape(-1))

    def copy(self) -> TreeAlongside:
        """The same, in memory of its own."""
        twin = copy.copy(self)
        twin._state = self._state.copy()
        return twin

    def bytes(self) -> int:
        """What the tree takes."""
        return self._state.bytes()

    def tree(self) -> Tree:
        """As a tree of the model."""
        return tree_of(self._state, self.leaves, self._spec.primitives)
