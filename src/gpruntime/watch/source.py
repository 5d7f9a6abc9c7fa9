"""A run under way, by the engine or by the model, that can fork: what a recording is made from, and its trace."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.alongside import TreeAlongside
from gpruntime.engine.columns import OUTCOME, OUTCOMES
from gpruntime.engine.execute import Execution, method_for, unsupported
from gpruntime.engine.trace import (
    T_ACCEPTED,
    T_EVALUATIONS,
    T_GAIN,
    T_NEW_LEAVES,
    TRACE_WIDTH,
)
from gpruntime.engine.watched import by_operation, operation_of
from gpruntime.model.mutation import Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome, Run
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree

_MODEL_SECONDS = 0.02  # the model's slices end after so long


def needs_model(spec: RunSpec) -> bool:
    """Whether the model makes this run: the tree alongside the engine follows HVL-Prime, on our problems, four ways."""
    others = spec.problem_.is_own or bool(spec.accept or spec.operations) or spec.operator != "hvl-prime"
    return others or unsupported(spec) is not None


def method_of(spec: RunSpec) -> str:
    """How many runs of it are made."""
    return "stepping" if needs_model(spec) else method_for(spec)


class Trace(NamedTuple):
    """Some offspring: their rows as the engine traces them, and the fitness of each.

    The model's have one row each, and their operations beside it.
    """

    rows: NDArray[np.int64]
    fitness: NDArray[Any]
    operations: list[tuple[Operation, ...]] | None = None


class Source(Protocol):
    """A run under way: the engine's, or the model's where the engine has not what it takes."""

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""
        ...

    @property
    def fitness(self) -> Fitness:
        """Of the present tree."""
        ...

    @property
    def leaves(self) -> int:
        """Of the present tree."""
        ...

    def slice(self, offspring: int) -> Trace:
        """Goes on for at most so many offspring and returns the trace of them."""
        ...

    def fork(self) -> Source:
        """The same run from here on."""
        ...

    def tree(self) -> Tree:
        """The present tree, of its own."""
        ...

    @property
    def outcome(self) -> Outcome | None:
        """None while the run goes on."""
        ...

    def bytes(self) -> int:
        """What a fork takes."""
        ...


class EngineSource:
    """The engine's run, every proposal made, with its tree alongside."""

    def __init__(self, spec: RunSpec, seed: int, run: int) -> None:
        tree = spec.initial.build(Stream(seed, spec.cell, run))
        self.evaluations, self.fitness = 1, spec.problem_.fitness(tree, spec.n)
        self._tree = TreeAlongside.of(tree, spec.last_leaf == "empty")
        self._execution = Execution(spec, seed, np.array([run], np.int64), "stepping", tracing=True)
        self.slice(0)  # an initial tree can be the last one

    def slice(self, offspring: int) -> Trace:
        """See `Source`."""
        rows = self._execution.slice(offspring)
        last = ends(rows)
        gains = rows[last, T_GAIN] * rows[last, T_ACCEPTED]
        fitness = self.fitness + np.cumsum(gains) - gains + rows[last, T_GAIN]
        if len(rows):
            self._tree.follow(rows)
            self.evaluations = int(rows[-1, T_EVALUATIONS])
            self.fitness += int(gains.sum())
        return Trace(rows, fitness)

    def fork(self) -> EngineSource:
        """See `Source`."""
        twin = copy.copy(self)
        twin._execution, twin._tree = self._execution.fork(), self._tree.copy()
        return twin

    @property
    def leaves(self) -> int:
        """See `Source`."""
        return self._tree.leaves

    def tree(self) -> Tree:
        """See `Source`."""
        return self._tree.tree()

    @property
    def outcome(self) -> Outcome | None:
        """See `Source`."""
        return OUTCOMES[self._execution.out[0, OUTCOME]] if self._execution.done else None

    def bytes(self) -> int:
        """See `Source`."""
        return self._tree.bytes() + self._execution.bytes()


class ModelSource:
    """The model's run, in the shape of the engine's."""

    def __init__(self, spec: RunSpec, seed: int, run: int) -> None:
        self._run = Run(spec, seed, run)

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""
        return self._run.evaluations

    @property
    def fitness(self) -> Fitness:
        """Of the present tree."""
        return self._run.fitness

    def slice(self, offspring: int) -> Trace:
        """See `Source`; it ends early when it takes long."""
        rows, fitness, operations, end = [], [], [], time.monotonic() + _MODEL_SECONDS
        spec = self._run.spec
        while self._run.outcome is None and offspring > 0 and time.monotonic() < end:
            offspring -= 1
            step = self._run.step()
            fitness.append(step.offspring_fitness)
            operations.append(step.operations)
            row = [0] * TRACE_WIDTH
            row[T_EVALUATIONS] = step.evaluations
            row[T_ACCEPTED], row[T_NEW_LEAVES] = int(step.accepted), step.offspring_leaves
            rows.append(row)
        number = np.float64 if spec.problem_.is_real(spec.n) else np.int64
        return Trace(np.array(rows, np.int64).reshape(-1, TRACE_WIDTH), np.array(fitness, number), operations)

    def fork(self) -> ModelSource:
        """See `Source`."""
        twin = copy.copy(self)
        twin._run = copy.copy(self._run)
        twin._run.tree = self._run.tree.copy()
        twin._run._stream = copy.deepcopy(self._run._stream)
        twin._run.proposed, twin._run.accepted = dict(self._run.proposed), dict(self._run.accepted)
        return twin

    @property
    def leaves(self) -> int:
        """See `Source`."""
        return len(self._run.tree.leaves)

    def tree(self) -> Tree:
        """See `Source`."""
        return self._run.tree.copy()

    @property
    def outcome(self) -> Outcome | None:
        """See `Source`."""
        return self._run.outcome

    def bytes(self) -> int:
        """See `Source`."""
        return 200 * self._run.tree.node_count + 4096


def operations_of(trace: Trace, primitives: Primitives) -> Iterator[tuple[Sequence[Operation], bool, Fitness, int]]:
    """The steps of a trace: operations, whether accepted, the offspring's fitness and its leaves."""
    start = 0
    table = trace.rows.tolist()
    for number, (end, fitness) in enumerate(zip(ends(trace.rows).tolist(), trace.fitness.tolist(), strict=True)):
        operations: Sequence[Operation]
        if trace.operations is None:
            operations = [operation_of(rows, primitives) for rows in by_operation(table[start : end + 1])]
        else:
            operations = trace.operations[number]
        yield operations, bool(table[end][T_ACCEPTED]), fitness, table[end][T_NEW_LEAVES]
        start = end + 1


def ends(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last row of each offspring."""
    return np.flatnonzero(np.diff(rows[:, T_EVALUATIONS], append=-1))
