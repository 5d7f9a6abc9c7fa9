"""A run under way, by the engine or by the model, that can fork: what a recording is made from, and its trace."""

from __future__ import annotations

import copy
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.columns import FITNESS, LEAVES, OUTCOME, OUTCOMES
from gpruntime.engine.execute import Execution, method_for, unsupported
from gpruntime.engine.params import fitness_of
from gpruntime.engine.run_state import TRACE
from gpruntime.engine.tree_memory import TreeMemory
from gpruntime.engine.watched import ShadowTree, by_operation, operation_of, rows_of, tree_of
from gpruntime.model.mutation import Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome, Run, run_of
from gpruntime.model.search import Individual, Search
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree

_SHORT, _LONG = 0.02, 0.06  # seconds of a slice
_FIRST_SLICE, _MAX_SLICE = 64, 1 << 20  # offspring


def needs_model(spec: RunSpec) -> bool:
    """Whether the model makes this run: where the engine cannot."""
    return unsupported(spec) is not None


def is_linear(spec: RunSpec) -> bool:
    """Whether an offspring takes the engine time in proportion to its size."""
    return not spec.problem.adds_up or spec.operator.id != "hvl-prime" or not spec.primitives.is_binary


def method_of(spec: RunSpec) -> str:
    """By which of the engine's methods many runs of it are made."""
    return "stepping" if needs_model(spec) else method_for(spec)


class Trace(NamedTuple):
    """Some offspring: their rows as the engine traces them, and the fitness of each.

    The model's have one row each, and beside it their operations, or what is known of a program.
    """

    rows: NDArray[Any]
    fitness: NDArray[Any]
    operations: list[tuple[Operation, ...]] | None = None
    proposals: Sequence[Proposal] = ()


class Proposal(NamedTuple):
    """An offspring that is a circuit or a truth table.

    Attributes:
        parent, offspring: both judged.
        operations: how it was made.
        kept: which offspring of its generation takes the parent's place, with the last of them; None if none does.
        place: which offspring of its generation it is, from 1.
        of: how many there are.
    """

    parent: Individual
    offspring: Individual
    operations: list[Operation]
    kept: Individual | None
    place: int
    of: int


class Source:
    """A run under way.

    Attributes:
        evaluations, accepted: so far.
        fitness, leaves: of the present tree.
        outcome: None while the run goes on.
    """

    evaluations = 1
    accepted = 0
    fitness: Fitness
    leaves: int
    outcome: Outcome | None = None

    def slice(self, offspring: int) -> Trace:
        """Goes on for at most this number of offspring and returns the trace of them."""
        raise NotImplementedError

    def fork(self) -> Self:
        """The same run from here on."""
        raise NotImplementedError

    def tree(self) -> Tree:
        """A copy of the present tree."""
        raise NotImplementedError

    def bytes(self) -> int:
        """What a fork takes."""
        raise NotImplementedError


def source_of(spec: RunSpec, seed: int, run: int) -> Source:
    """The run at this address, at its beginning: by the engine, or by the model where the engine cannot make it."""
    if not spec.representation.is_tree:
        return ProgramSource(spec, seed, run)
    return _ModelSource(spec, seed, run) if needs_model(spec) else _EngineSource(spec, seed, run)


class _EngineSource(Source):
    """Every proposal is made. Where the engine's memory has no shapes, a shadow tree is kept."""

    def __init__(self, spec: RunSpec, seed: int, run: int) -> None:
        self._spec = spec
        self._execution = Execution(spec, seed, np.array([run], np.int64), "stepping", tracing=True)
        self._shadow = None if self._execution.form.has_shape else ShadowTree(self._execution)
        self._execution.slice(0)  # plants the initial tree, which can be the last one
        self._score = int(self._execution.out[0, FITNESS])
        self._look()

    def _look(self) -> None:
        out = self._execution.out[0]
        self.fitness = fitness_of(np.array([self._score], np.int64), self._spec)[0].item()
        self.leaves = int(out[LEAVES])
        self.outcome = OUTCOMES[out[OUTCOME]] if self._execution.done else None

    def slice(self, offspring: int) -> Trace:
        rows = self._execution.slice(offspring)
        last = ends(rows)
        gains = rows["gain"][last] * rows["accepted"][last]
        scores = self._score + np.cumsum(gains) - gains + rows["gain"][last]
        if len(rows):
            if self._shadow is not None:
                self._shadow.follow(rows)
            self.evaluations = int(rows[-1]["evaluations"])
            self._score += int(gains.sum())
            self.accepted += int(np.count_nonzero(rows["accepted"][last]))
        self._look()
        return Trace(rows, fitness_of(scores, self._spec))

    def fork(self) -> Self:
        twin = copy.copy(self)
        twin._execution = self._execution.fork()
        twin._shadow = None if self._shadow is None else self._shadow.copy()
        return twin

    def tree(self) -> Tree:
        if self._shadow is not None:
            return self._shadow.tree()
        memory = self._execution.memory
        assert isinstance(memory, TreeMemory)  # others only the model shows
        return tree_of(memory, self.leaves, self._spec.primitives)

    def bytes(self) -> int:
        return self._execution.bytes() + (0 if self._shadow is None else self._shadow.bytes())


class _ModelSource(Source):
    """The model's run, in the shape of the engine's."""

    def __init__(self, spec: RunSpec, seed: int, run: int) -> None:
        self._run = Run(spec, seed, run)
        self._look()

    def _look(self) -> None:
        run = self._run
        self.evaluations, self.fitness, self.outcome = run.evaluations, run.fitness, run.outcome
        self.leaves = len(run.tree.leaves)

    def slice(self, offspring: int) -> Trace:
        """It ends early when it takes long."""
        rows: list[tuple[int, int, int]] = []
        fitness, operations = [], []
        spec, end = self._run.spec, time.monotonic() + _SHORT
        while self._run.outcome is None and len(rows) < offspring and time.monotonic() < end:
            step = self._run.step()
            fitness.append(step.offspring_fitness)
            self.accepted += step.accepted
            operations.append(step.operations)
            rows.append((step.evaluations, int(step.accepted), step.offspring_leaves))
        self._look()
        number = np.float64 if spec.problem.is_real(spec.n) else np.int64
        trace = np.zeros(len(rows), TRACE)
        trace[["evaluations", "accepted", "new_leaves"]] = rows
        return Trace(trace, np.array(fitness, number), operations)

    def fork(self) -> Self:
        twin = copy.copy(self)
        twin._run = copy.copy(self._run)
        twin._run.tree = self._run.tree.copy()
        twin._run._stream = copy.deepcopy(self._run._stream)
        twin._run.proposed, twin._run.accepted = dict(self._run.proposed), dict(self._run.accepted)
        return twin

    def tree(self) -> Tree:
        return self._run.tree.copy()

    def bytes(self) -> int:
        return 200 * self._run.tree.node_count + 4096


class ProgramSource(Source):
    """The model's run of circuits or truth tables, an offspring at a time.

    The model makes a generation at once: what was not asked for yet waits.

    Attributes:
        parent: the present program.
        kept: an earlier offspring of this generation, which is to take its place.
    """

    parent: Individual
    kept: Individual | None = None

    def __init__(self, spec: RunSpec, seed: int, run: int) -> None:
        search = run_of(spec, seed, run)
        assert isinstance(search, Search)
        self._search, self._waiting = search, deque[Proposal]()
        search.advance()
        self.parent, self.outcome = search.population[-1], search.outcome
        self._look()

    def _look(self) -> None:
        now = self.kept or self.parent
        self.fitness, self.leaves = now.fitness, now.tree.size

    def _generation(self) -> deque[Proposal]:
        search, made, evaluate = self._search, list[Individual](), self._search.evaluate

        def noted(tree: Tree, in_place_of: Individual | None = None) -> Individual:
            made.append(evaluate(tree, in_place_of))
            return made[-1]

        vars(search)["evaluate"] = noted
        try:
            search.advance()
        finally:
            del vars(search)["evaluate"]
        kept = next((one for one in made if one is search.population[-1]), None)
        operations = [one.operations for one in search.last_made]
        return deque(
            Proposal(self.parent, one, how, kept, place, len(made))
            for place, (one, how) in enumerate(zip(made, operations, strict=True), 1)
        )

    def slice(self, offspring: int) -> Trace:
        """It ends early when it takes long."""
        proposals, end = list[Proposal](), time.monotonic() + _SHORT
        while self.outcome is None and len(proposals) < offspring and (not proposals or time.monotonic() < end):
            self._waiting = self._waiting or self._generation()
            proposals.append(one := self._waiting.popleft())
            if one.offspring is one.kept:
                self.kept, self.accepted = one.kept, self.accepted + 1
            if not self._waiting:
                self.parent, self.kept, self.outcome = self.kept or self.parent, None, self._search.outcome
        trace = np.zeros(len(proposals), TRACE)
        trace["evaluations"] = self.evaluations + 1 + np.arange(len(proposals))
        trace["accepted"] = [one.offspring is one.kept for one in proposals]
        trace["new_leaves"] = [one.offspring.tree.size for one in proposals]
        self.evaluations += len(proposals)
        self._look()
        return Trace(trace, np.array([one.offspring.fitness for one in proposals]), proposals=proposals)

    def fork(self) -> Self:
        """Programs are shared: none is changed once it is made."""
        twin = copy.copy(self)
        twin._search, twin._waiting = copy.copy(self._search), self._waiting.copy()
        for name, value in vars(twin._search).items():
            if isinstance(value, list | dict):
                setattr(twin._search, name, value.copy())
        twin._search.stream = copy.deepcopy(self._search.stream)
        return twin

    def bytes(self) -> int:
        """At most, as the program may be shared."""
        program: Any = self.parent.tree
        return 4096 + 8 * len(getattr(program, "genes", ())) + getattr(getattr(program, "rows", None), "nbytes", 0)


def operations_of(trace: Trace, primitives: Primitives) -> Iterator[tuple[Sequence[Operation], bool, Fitness, int]]:
    """The steps of a trace: operations, whether accepted, the offspring's fitness and its leaves."""
    start = 0
    table = rows_of(trace.rows)
    for number, (end, fitness) in enumerate(zip(ends(trace.rows).tolist(), trace.fitness.tolist(), strict=True)):
        operations: Sequence[Operation]
        if trace.operations is None:
            operations = [operation_of(rows, primitives) for rows in by_operation(table[start : end + 1])]
        else:
            operations = trace.operations[number]
        yield operations, bool(table[end].accepted), fitness, table[end].new_leaves
        start = end + 1


def ends(rows: NDArray[Any]) -> NDArray[np.int64]:
    """The last row of each offspring."""
    return np.flatnonzero(np.diff(rows["evaluations"], append=-1))


class Pace:
    """How many offspring a slice may have, so that it ends soon enough to look whether anyone still waits.

    What an offspring costs depends on the setting: from 20 ns to milliseconds. So slices begin small, and grow or
    shrink by what the last one took.

    Attributes:
        offspring: the most there may be.
    """

    def __init__(self, most: int = _MAX_SLICE) -> None:
        self._most = most
        self.offspring = min(_FIRST_SLICE, most)

    @contextmanager
    def slice(self, at_most: int | None = None) -> Iterator[int]:
        """Around a slice of the size it yields; `at_most` says where it has to end."""
        size = self.offspring if at_most is None else min(self.offspring, at_most)
        begun = time.perf_counter()
        yield size
        took = time.perf_counter() - begun
        if took > _LONG:
            self.offspring = max(1, min(size, self.offspring) // 4)
        elif took < _SHORT and size == self.offspring:
            self.offspring = min(2 * self.offspring, self._most)
