"""When runs improved: evaluations, fitness and leaves at each new best fitness, the initial tree's first.

Under the paper's rules the fitness never decreases, so every gain is a new best; under a rule that accepts losses a row
says that the fitness rose. A
kernel notes them in an array of its own; an array without rows means that nobody asks. It is full only when a run has
just improved or is about to begin, so no other step has to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.score import fitness_of, score
from gpruntime.model.run import Run
from gpruntime.model.search import Search
from gpruntime.model.spec import RunSpec

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
    fitness: NDArray[Any]
    leaves: NDArray[np.int64]

    @classmethod
    def from_rows(cls, rows: NDArray[np.int64], runs: int, spec: RunSpec) -> Improvements:
        """From rows as kernels write them, in the order of the runs."""
        offsets = np.zeros(runs + 1, np.int64)
        np.cumsum(np.bincount(rows[:, I_ROW], minlength=runs), out=offsets[1:])
        evaluations, reached, leaves = (
            np.ascontiguousarray(rows[:, column]) for column in (I_EVALUATIONS, I_FITNESS, I_LEAVES)
        )
        return cls(offsets, evaluations, fitness_of(reached, spec), leaves)

    def of(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(evaluations, fitness, leaves) of one run, by its row."""
        part = slice(self.offsets[row], self.offsets[row + 1])
        return self.evaluations[part], self.fitness[part], self.leaves[part]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def improvements_of(run: Run | Search, row: int) -> Iterator[tuple[int, int, int, int]]:
    """The same rows from a run of the model, which is run to its end."""
    if isinstance(run, Search):
        run.result()
        yield from (
            (row, evaluations, score(fitness, run.spec), leaves) for evaluations, fitness, leaves in run.improvements
        )
        return
    last = score(run.fitness, run.spec)
    yield row, run.evaluations, last, len(run.tree.leaves)
    for step in run:
        now = score(step.fitness, run.spec)
        if now > last:
            yield row, step.evaluations, now, step.leaves
        last = now
