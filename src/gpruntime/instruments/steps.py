"""The offspring of a run as columns, from the engine's trace: no tree is kept alongside, so long runs can be seen.

What the engine cannot run, such as a user-defined operator, the model does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.execute import Execution, method_for, unsupported
from gpruntime.model.errors import BadInput
from gpruntime.model.run import Run
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream

_SOME = 65_536  # offspring of the model at a time
NO_STEPS = "has no steps of one tree; this looks into a (1+1) GP"


class Offspring(NamedTuple):
    """Some offspring of a run, one after the other.

    Attributes:
        evaluations: so far, this offspring's included.
        fitness, leaves: of the parent.
        gain: how much better the offspring is, below 0 if it is worse.
        accepted: whether it takes its parent's place.
        leaves_after: of the next parent.
    """

    evaluations: NDArray[np.int64]
    fitness: NDArray[np.int64]
    leaves: NDArray[np.int64]
    gain: NDArray[np.int64]
    accepted: NDArray[np.bool_]
    leaves_after: NDArray[np.int64]


def check_steps(spec: RunSpec) -> None:
    """Raises `BadInput` where a setting has no steps of one tree, or no levels that are integers."""
    spec.require_trees("a look at its steps")
    if spec.has_population:
        raise BadInput("algorithm", spec.algorithm.id, NO_STEPS)
    if spec.problem.is_real(spec.n):
        raise BadInput("problem", spec.problem.id, "has floats as fitness; this looks at levels that are integers")


def start_of(spec: RunSpec, seed: int, run: int) -> tuple[int, int]:
    """Fitness and leaves of a run's initial tree."""
    tree = spec.init.build(Stream(seed, spec.cell, run))
    return int(spec.problem.fitness(tree, spec.n)), len(tree.leaves)


def offspring_of(spec: RunSpec, seed: int, run: int) -> Iterator[Offspring]:
    """All offspring of a run, some at a time."""
    if unsupported(spec) is not None:
        yield from _offspring_of_model(spec, seed, run)
        return
    fitness, leaves = start_of(spec, seed, run)
    execution = Execution(spec, seed, np.array([run], np.int64), method_for(spec, "stepping"), tracing=True)
    while not execution.done:
        rows = execution.slice()
        if not len(rows):
            continue
        last = np.flatnonzero(np.diff(rows["evaluations"], append=-1))  # an offspring has a row for each operation
        rows = rows[last]
        accepted, gain = rows["accepted"] != 0, rows["gain"]
        levels = fitness + spec.problem.direction * np.cumsum(np.where(accepted, gain, 0))
        latest = np.maximum.accumulate(np.where(accepted, np.arange(len(rows)), -1))
        sizes = np.where(latest >= 0, rows["new_leaves"][latest], leaves)
        before = np.concatenate([[fitness], levels[:-1]]), np.concatenate([[leaves], sizes[:-1]])
        yield Offspring(rows["evaluations"], *before, gain, accepted, sizes)
        fitness, leaves = int(levels[-1]), int(sizes[-1])


def _offspring_of_model(spec: RunSpec, seed: int, run: int) -> Iterator[Offspring]:
    model = Run(spec, seed, run)
    fitness, leaves, steps = model.fitness, len(model.tree.leaves), iter(model)
    while some := list(itertools.islice(steps, _SOME)):
        rows = []
        for step in some:
            gain = (step.offspring_fitness - fitness) * spec.problem.direction
            rows.append((step.evaluations, fitness, leaves, gain, step.accepted, step.leaves))
            fitness, leaves = step.fitness, step.leaves
        evaluations, before, sizes, gains, accepted, after = np.array(rows, np.int64).T
        yield Offspring(evaluations, before, sizes, gains, accepted != 0, after)
