"""Many runs of one setting, told as they end, with what they say; and the law over several sizes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.profiles import profile_of
from gpruntime.analysis.trajectories import Course
from gpruntime.engine.columns import EVALUATIONS, IMPROVEMENT, LEAVES, MAX_LEAVES, OUTCOME, OUTCOMES, row_of
from gpruntime.engine.execute import Execution
from gpruntime.engine.params import fitness_of, score
from gpruntime.model.errors import BadInput
from gpruntime.model.run import Run, run_of
from gpruntime.model.spec import RunSpec
from gpruntime.watch.estimates import cell_of, cell_to_json, law_to_json, profile_to_json
from gpruntime.watch.recording import Stop
from gpruntime.watch.source import Pace, method_of, needs_model

_MAX_SECONDS = 600.0
_LOOKS = (25, 100, 400)  # runs after which they are estimated; fixed, so that long runs are not left out of a look
_MAX_CELLS = 200
_MAX_IMPROVEMENTS = 2_000_000  # of all runs of a profile, about: as many as variables


class Cells:
    """The cells that were estimated last. Runs are known by their address, so what was dropped is made again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[RunSpec, int, int], CellEstimate] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, spec: RunSpec, seed: int, runs: int, cell: CellEstimate) -> None:
        """Remembers a cell."""
        with self._lock:
            self._kept[spec, seed, runs] = cell
            self._kept.move_to_end((spec, seed, runs))
            while len(self._kept) > _MAX_CELLS:
                self._kept.popitem(last=False)

    def get(self, spec: RunSpec, seed: int, runs: int) -> CellEstimate | None:
        """A cell, if it is remembered."""
        with self._lock:
            return self._kept.get((spec, seed, runs))


def many_runs(spec: RunSpec, seed: int, runs: int, stop: Stop, cells: Cells) -> Iterator[dict[str, Any]]:
    """Pieces {"runs": [[outcome, evaluations, leaves, max_leaves], …]} in the order of the runs, then {"end": …}.

    In between and before the end, {"cell": …} has the estimates of the runs so far, and at the end {"profile": …} the
    times until each fitness, where the improvements are not too many. A piece of runs can be empty: they go on.
    """
    yield {"name": spec.algorithm.name.removeprefix("(1+1) "), "method": method_of(spec), "of": runs}
    tables: list[NDArray[np.int64]] = []
    ended, begun = 0, time.monotonic()

    def estimated(first: int) -> CellEstimate:
        return cell_of(spec, seed, np.concatenate(tables)[:first])

    notes = list[NDArray[Any]]() if spec.n * runs <= _MAX_IMPROVEMENTS else None
    made = _by_model if needs_model(spec) else _by_engine
    for table in made(spec, seed, runs, stop, notes):
        tables.append(table)
        yield {"runs": [_summary(row) for row in table.tolist()]}
        look = max((look for look in _LOOKS if ended < look <= ended + len(table) and look < runs), default=0)
        ended += len(table)
        if look:
            yield {"cell": cell_to_json(estimated(look))}
        if time.monotonic() - begun > _MAX_SECONDS and ended < runs:
            if ended:
                yield {"cell": cell_to_json(estimated(ended))}
            words = f"stopped after {_MAX_SECONDS:.0f} seconds: {ended:,} of {runs:,} runs have ended"
            yield {"end": "time", "words": words}
            return
    cell = estimated(runs)
    cells.keep(spec, seed, runs, cell)
    yield {"cell": cell_to_json(cell)}
    if notes:
        yield {"profile": profile_to_json(profile_of(_course(spec, np.concatenate(tables), np.concatenate(notes))))}
    yield {"end": "done"}


def law(specs: Sequence[RunSpec], seed: int, runs: int, stop: Stop, cells: Cells) -> dict[str, Any]:
    """The law over specs that differ in n."""
    estimates = []
    for spec in specs:
        if cells.get(spec, seed, runs) is None:
            for _ in many_runs(spec, seed, runs, stop, cells):
                pass
        cell = cells.get(spec, seed, runs)
        if cell is None:
            raise BadInput("ns", spec.n, f"its runs take more than {_MAX_SECONDS:.0f} seconds")
        estimates.append(cell)
    return law_to_json(estimates)


def _summary(row: list[int]) -> list[Any]:
    return [OUTCOMES[row[OUTCOME]], row[EVALUATIONS], row[LEAVES], row[MAX_LEAVES]]


def _course(spec: RunSpec, table: NDArray[np.int64], notes: NDArray[Any]) -> Course:
    scores = spec.problem.direction * fitness_of(notes["fitness"], spec)
    ended = table[:, OUTCOME].astype(np.int8), table[:, EVALUATIONS]
    where = notes["row"], notes["evaluations"], scores, notes["leaves"]
    return Course(spec, spec.problem.direction, *where, *ended)


def _by_engine(
    spec: RunSpec, seed: int, runs: int, stop: Stop, notes: list[NDArray[Any]] | None
) -> Iterator[NDArray[np.int64]]:
    numbers = np.arange(runs, dtype=np.int64)
    execution = Execution(spec, seed, numbers, method_of(spec), improvements=notes is not None)
    seen, pace = 0, Pace()
    while not execution.done:
        stop.check()
        with pace.slice() as offspring:
            execution.slice(offspring)
        yield execution.out[seen : execution.ended].copy()
        seen = execution.ended
    if notes is not None:
        notes.append(execution.notes())


def _by_model(
    spec: RunSpec, seed: int, runs: int, stop: Stop, notes: list[NDArray[Any]] | None
) -> Iterator[NDArray[np.int64]]:
    for number in range(runs):
        run = run_of(spec, seed, number)
        improved = [(run.evaluations, run.fitness, len(run.tree.leaves))] if isinstance(run, Run) else run.improvements
        while run.outcome is None:
            stop.check()
            if isinstance(run, Run):
                step = run.step()
                if (step.fitness - improved[-1][1]) * spec.problem.direction > 0:
                    improved.append((step.evaluations, step.fitness, step.leaves))
            else:
                run.advance()
        if notes is not None:
            rows = [(number, at, score(fitness, spec), leaves) for at, fitness, leaves in improved]
            notes.append(np.array(rows, IMPROVEMENT))
        yield np.array([row_of(run.result())], np.int64)
