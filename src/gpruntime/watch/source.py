"""A run under way, by the engine or by the model, that can fork: what a recording is made from, and its trace."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.alongside import TreeAlongside
from gpruntime.engine.columns import OUTCOME, OUTCOMES
from gpruntime.engine.execute import Execution, method_for, unsupported
from gpruntime.engine.trace import (
    T_ACCEPTED,
    T_CODE,
    T_EVALUATIONS,
    T_GAIN,
    T_KIND,
    T_NEW_LEAVES,
    T_SIDE,
    T_SITE,
    TRACE_WIDTH,
)
from gpruntime.model.mutation import KINDS, Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome, Run
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

_MODEL_SECONDS = 0.02  # how long the model's slices last
T_FUNCTION = TRACE_WIDTH  # beside the engine's columns: the place of a function among the problem's, or −1


def needs_model(spec: RunSpec) -> bool:
    """Whether the model makes this run: the tree alongside the engine follows HVL-Prime, on our problems, four ways."""
    others = spec.problem_.is_own or bool(spec.accept or spec.operations) or spec.operator != "hvl-prime"
    return others or unsupported(spec) is not None


def method_of(spec: RunSpec) -> str:
    """How many runs of it are made."""
    return "stepping" if needs_model(spec) else method_for(spec)


class Trace(NamedTuple):
    """Some offspring: their operations, row by row, and the fitness of each of them."""

    rows: NDArray[np.int64]
    fitness: NDArray[Any]


class Source(Protocol):
    """A run under way: the engine's, or the model's where the engine cannot make it.

    Attributes:
        accepted: how many offspring were accepted so far.
    """

    accepted: int

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
        """Goes on for at most this number of offspring and returns the trace of them."""
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
        self.evaluations, self.fitness, self.accepted = 1, spec.problem_.fitness(tree, spec.n), 0
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
            self.accepted += int(np.count_nonzero(rows[last, T_ACCEPTED]))
        return Trace(np.column_stack([rows, np.full(len(rows), -1)]), fitness)

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
        self._run, self.accepted = Run(spec, seed, run), 0

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
        rows, fitness, end = [], [], time.monotonic() + _MODEL_SECONDS
        spec = self._run.spec
        functions = spec.primitives.functions
        while self._run.outcome is None and offspring > 0 and time.monotonic() < end:
            offspring -= 1
            step = self._run.step()
            fitness.append(step.offspring_fitness)
            self.accepted += step.accepted
            for kind, site, side, terminal, function in step.operations:
                row = [0] * (TRACE_WIDTH + 1)
                row[T_EVALUATIONS], row[T_KIND] = step.evaluations, KINDS.index(kind)
                row[T_SITE] = -1 if site is None else site
                row[T_SIDE] = -1 if side is None else int(side == "right")
                row[T_CODE] = -1 if terminal is None else terminal.code
                row[T_ACCEPTED], row[T_NEW_LEAVES] = int(step.accepted), step.offspring_leaves
                row[T_FUNCTION] = -1 if function is None else functions.index(function)
                rows.append(row)
        kind_of_number = np.float64 if spec.problem_.is_real(spec.n) else np.int64
        return Trace(np.array(rows, np.int64).reshape(-1, TRACE_WIDTH + 1), np.array(fitness, kind_of_number))

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


def operations_of(trace: Trace, functions: tuple[str, ...]) -> Iterator[tuple[list[Operation], bool, Fitness, int]]:
    """The steps of a trace: operations, whether accepted, the offspring's fitness and its leaves."""
    start = 0
    table = trace.rows.tolist()
    for end, fitness in zip(ends(trace.rows).tolist(), trace.fitness.tolist(), strict=True):
        last = table[end]
        operations = [
            Operation(
                KINDS[row[T_KIND]],
                None if row[T_SITE] < 0 else row[T_SITE],
                None if row[T_SIDE] < 0 else "right" if row[T_SIDE] else "left",
                None if row[T_CODE] < 0 else Terminal.from_code(row[T_CODE]),
                None if row[T_FUNCTION] < 0 else functions[row[T_FUNCTION]],
            )
            for row in table[start : end + 1]
        ]
        yield operations, bool(last[T_ACCEPTED]), fitness, last[T_NEW_LEAVES]
        start = end + 1


def ends(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last row of each offspring."""
    return np.flatnonzero(np.diff(rows[:, T_EVALUATIONS], append=-1))
