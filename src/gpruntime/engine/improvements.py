"""When runs improved: evaluations, fitness and leaves at each new best fitness, the initial tree's first.

Fitness never decreases in a run of the (1+1) GP, so every gain is a new best, and a run has at most n + 1 of them. A
kernel notes them in an array of its own; an array without rows means that nobody asks. It is full only when a run has
just improved or is about to begin, so no other step has to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpruntime.model.run import Run

# The columns of the array that kernels write, one row an improvement; `stand[NOTED]` is how many there are.
I_ROW, I_EVALUATIONS, I_FITNESS, I_LEAVES = range(4)
IMPROVEMENT_WIDTH = 4


@dataclass(frozen=True)
class Improvements:
    """The improvements of many runs, one run after the other.

    Attributes:
        offsets: those of the i-th run stand at offsets[i] … offsets[i + 1] − 1.
        evaluations, fitness, leaves: when it happened, the new best fitness, and the leaves of that tree.
    """

    offsets: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    fitness: NDArray[np.int64]
    leaves: NDArray[np.int64]

    @classmethod
    def from_rows(cls, rows: NDArray[np.int64], runs: int) -> Improvements:
        """From rows as kernels write them, in the order of the runs."""
        offsets = np.zeros(runs + 1, np.int64)
        np.cumsum(np.bincount(rows[:, I_ROW], minlength=runs), out=offsets[1:])
        columns = (np.ascontiguousarray(rows[:, column]) for column in (I_EVALUATIONS, I_FITNESS, I_LEAVES))
        return cls(offsets, *columns)

    def of(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(evaluations, fitness, leaves) of one run, by its row."""
        part = slice(self.offsets[row], self.offsets[row + 1])
        return self.evaluations[part], self.fitness[part], self.leaves[part]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def improvements_of(run: Run, row: int) -> Iterator[tuple[int, int, int, int]]:
    """The same rows from a run of the model, which is run to its end."""
    best = run.fitness
    yield row, run.evaluations, best, len(run.tree.leaves)
    for step in run:
        if step.fitness > best:
            best = step.fitness
            yield row, step.evaluations, best, step.leaves
