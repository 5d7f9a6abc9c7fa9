"""Many runs of one setting, told as they end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpruntime.engine.columns import EVALUATIONS, LEAVES, MAX_LEAVES, OUTCOME, OUTCOMES
from gpruntime.engine.execute import Execution, method_for
from gpruntime.model.run import Run
from gpruntime.model.spec import RunSpec
from gpruntime.watch.pace import Pace
from gpruntime.watch.recording import Stop

_MOST_SECONDS = 600.0


def many_runs(spec: RunSpec, seed: int, runs: int, stop: Stop) -> Iterator[dict[str, Any]]:
    """Pieces {"runs": [[outcome, evaluations, leaves, max_leaves], …]} in the order of the runs, then {"end": …}.

    A piece can be empty: it says that the runs go on.
    """
    method = method_for(spec)
    yield {"method": method, "of": runs}
    source = _by_model(spec, seed, runs, stop) if spec.operator == "hvl" else _by_engine(spec, seed, runs, method, stop)
    told, begun = 0, time.monotonic()
    for piece in source:
        told += len(piece)
        yield {"runs": piece}
        if time.monotonic() - begun > _MOST_SECONDS and told < runs:
            words = f"stopped after {_MOST_SECONDS:.0f} seconds: {told:,} of {runs:,} runs have ended"
            yield {"end": "time", "words": words}
            return
    yield {"end": "done"}


def _by_engine(spec: RunSpec, seed: int, runs: int, method: str, stop: Stop) -> Iterator[list[list[Any]]]:
    execution = Execution(spec, seed, np.arange(runs, dtype=np.int64), method)
    told, pace = 0, Pace()
    while not execution.done:
        stop.check()
        with pace.slice() as offspring:
            execution.slice(offspring)
        rows = execution.out[told : execution.ended].tolist()
        told = execution.ended
        yield [[OUTCOMES[row[OUTCOME]], row[EVALUATIONS], row[LEAVES], row[MAX_LEAVES]] for row in rows]


def _by_model(spec: RunSpec, seed: int, runs: int, stop: Stop) -> Iterator[list[list[Any]]]:
    for number in range(runs):
        run = Run(spec, seed, number)
        while run.outcome is None:
            stop.check()
            run.step()
        yield [[run.outcome, run.evaluations, len(run.tree.leaves), run.max_leaves]]
