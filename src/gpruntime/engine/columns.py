"""The results of many runs: one row of whole numbers a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.improvements import Improvements
from gpruntime.model.mutation import KINDS
from gpruntime.model.run import Outcome, RunResult
from gpruntime.model.spec import RunSpec

# The columns of the array that kernels write: one row a run. PROPOSED and ACCEPTED are three wide, by kind.
OUTCOME, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, PROPOSED, ACCEPTED = 0, 1, 2, 3, 4, 5, 8
WIDTH = 11

OUTCOMES = (Outcome.OPTIMUM, Outcome.STUCK, Outcome.BUDGET)


@dataclass(frozen=True)
class Columns:
    """Runs of one spec and seed.

    Attributes:
        spec, seed, runs: the addresses.
        method: "stepping", "skipping" or "model": which of them computed the runs.
        table: one row a run, columns as above.
        improvements: when each run improved, if that was asked for.
    """

    spec: RunSpec
    seed: int
    runs: NDArray[np.int64]
    method: str
    table: NDArray[np.int64]
    improvements: Improvements | None = None

    @property
    def outcome(self) -> list[Outcome]:
        """How each run ended."""
        return [OUTCOMES[code] for code in self.table[:, OUTCOME]]

    @property
    def evaluations(self) -> NDArray[np.int64]:
        """Fitness evaluations of each run, the initial tree's included."""
        return self.table[:, EVALUATIONS]

    @property
    def fitness(self) -> NDArray[np.int64]:
        """Fitness of each run's last tree."""
        return self.table[:, FITNESS]

    @property
    def leaves(self) -> NDArray[np.int64]:
        """Leaves of each run's last tree."""
        return self.table[:, LEAVES]

    @property
    def max_leaves(self) -> NDArray[np.int64]:
        """Leaves of the largest tree each run accepted."""
        return self.table[:, MAX_LEAVES]

    @property
    def proposed(self) -> NDArray[np.int64]:
        """Proposed operations of each run: substitutions, insertions, deletions."""
        return self.table[:, PROPOSED : PROPOSED + 3]

    @property
    def accepted(self) -> NDArray[np.int64]:
        """Accepted operations of each run: substitutions, insertions, deletions."""
        return self.table[:, ACCEPTED : ACCEPTED + 3]

    def __len__(self) -> int:
        return len(self.runs)

    def results(self, tree: str | None = None) -> Iterator[RunResult]:
        """The runs one by one, as records; `tree` is the last tree, where it is known."""
        for run, row in zip(self.runs.tolist(), self.table.tolist(), strict=True):
            yield RunResult(
                spec=self.spec,
                seed=self.seed,
                run=run,
                method=self.method,
                outcome=OUTCOMES[row[OUTCOME]],
                evaluations=row[EVALUATIONS],
                fitness=row[FITNESS],
                leaves=row[LEAVES],
                max_leaves=row[MAX_LEAVES],
                proposed=dict(zip(KINDS, row[PROPOSED : PROPOSED + 3], strict=True)),
                accepted=dict(zip(KINDS, row[ACCEPTED : ACCEPTED + 3], strict=True)),
                tree=tree,
            )


def row_of(result: RunResult) -> list[int]:
    """A record as a row of the table."""
    counts = [*(result.proposed[kind] for kind in KINDS), *(result.accepted[kind] for kind in KINDS)]
    ended = OUTCOMES.index(result.outcome)
    return [ended, result.evaluations, result.fitness, result.leaves, result.max_leaves, *counts]
