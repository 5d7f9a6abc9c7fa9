"""One run of the engine that can be watched: the same interface as `gpruntime.model.Run`, with the tree kept alongside.

The kernel traces its operations and the model's own code makes them to a tree, so a step costs what it costs in the
model; but a skipping run has few steps. In a trace of a skipping run only its hopeful offspring are steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.columns import Columns
from gpruntime.engine.execute import Execution, method_for
from gpruntime.engine.run_state import (
    AT_JOIN,
    FUNCTION_BITS,
    MORE,
    T_ACCEPTED,
    T_CODE,
    T_EVALUATIONS,
    T_GAIN,
    T_KIND,
    T_NEW_LEAVES,
    T_RANK,
    T_SIDE,
    T_SITE,
    TERMINAL_BITS,
)
from gpruntime.model.mutation import INSERT, KINDS, SUBSTITUTE, Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import RunResult, Step
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Tree


class WatchedRun:
    """Iterate over it for its steps, or ask for its `result()`.

    Attributes:
        tree, fitness, evaluations: as after the last step seen.
        initial_tree: the first tree, as text.
    """

    def __init__(self, spec: RunSpec, seed: int = 0, run: int = 0, method: str | None = None) -> None:
        self.spec, self.seed, self.run = spec, seed, run
        self.method = method_for(spec, method)
        self.tree = spec.init.build(Stream(seed, spec.cell, run))
        self.initial_tree = str(self.tree)
        self.fitness = spec.problem.fitness(self.tree, spec.n)
        self.evaluations = 1
        self._numbers = np.array([run], np.int64)
        self._execution = Execution(spec, seed, self._numbers, self.method, tracing=True)
        self._counts_only = self.method == "skipping" and spec.problem.sees == "counts"

    def __iter__(self) -> Iterator[Step]:
        while not self._execution.done:
            rows = self._execution.slice()
            offspring = np.flatnonzero(np.diff(rows[:, T_EVALUATIONS], prepend=-1)).tolist()
            for first, end in zip(offspring, [*offspring[1:], len(rows)], strict=False):
                yield self._step(rows[first:end])

    def result(self) -> RunResult:
        """Runs to the end, if that has not happened yet, and returns the record, with the tree."""
        for _ in self:
            pass
        columns = Columns(self.spec, self.seed, self._numbers, self.method, self._execution.out)
        return next(columns.results(str(self.tree)))

    def _step(self, rows: NDArray[np.int64]) -> Step:
        offspring = self.tree.copy()
        operations = []
        for some in by_operation(rows.tolist()):
            operation = self._operation(some, offspring)
            self.spec.mutation.apply(offspring, operation)
            operations.append(operation)
        last = rows[-1].tolist()
        accepted, offspring_fitness = bool(last[T_ACCEPTED]), self._offspring_fitness(offspring, last[T_GAIN])
        assert len(offspring.leaves) == last[T_NEW_LEAVES]
        self.evaluations = last[T_EVALUATIONS]
        if accepted:
            self.tree, self.fitness = offspring, offspring_fitness
        return Step(
            evaluations=self.evaluations,
            operations=tuple(operations),
            offspring_fitness=offspring_fitness,
            offspring_leaves=len(offspring.leaves),
            accepted=accepted,
            fitness=self.fitness,
            leaves=len(self.tree.leaves),
        )

    def _offspring_fitness(self, offspring: Tree, gain: int) -> Fitness:
        """By its gain; a float, whose gain says only how many floats lie between, by the model."""
        problem = self.spec.problem
        if isinstance(self.fitness, float):
            return problem.fitness(offspring, self.spec.n)
        return self.fitness + gain * problem.direction

    def _operation(self, rows: list[list[int]], tree: Tree) -> Operation:
        row = rows[0]
        if self._counts_only and row[T_RANK] >= 0:  # the site is a terminal, the rank says which of its leaves
            code, rank = row[T_SITE], row[T_RANK]
            same = [leaf.index for leaf in tree.leaves if leaf.terminal is not None and leaf.terminal.code == code]
            row[T_SITE] = same[rank]
        return operation_of(rows, self.spec.primitives)


def operation_of(rows: list[list[int]], primitives: Primitives) -> Operation:
    """The operation that these rows of a trace tell: one, or for an insertion as many as it brings."""
    row, functions = rows[0], primitives.functions
    kind, site, side, code = KINDS[row[T_KIND]], row[T_SITE], row[T_SIDE], row[T_CODE]
    at_join = row[T_RANK] == AT_JOIN or (kind == SUBSTITUTE and site >= 0 and code < 0)
    calls = kind == INSERT and site >= 0
    terminal = function = None
    if code >= 0 and not at_join:
        terminal = primitives.terminal_of(*Terminal.from_code(code & TERMINAL_BITS))
    if code >= 0 and (at_join or calls):
        function = functions[code >> FUNCTION_BITS]
    elif at_join:
        function = functions[0]  # there is no other
    operation = Operation(kind, None if site < 0 else site, None, terminal, function or None)
    if primitives.is_binary:
        return operation._replace(side=None if side < 0 else "right" if side else "left")
    place = None if side < 0 or site < 0 else side
    if not calls:
        return operation._replace(place=place)
    assert function is not None
    codes = [one[T_CODE] & TERMINAL_BITS for one in rows][: primitives.arity(function) - 1]
    terminals = tuple(primitives.terminal_of(*Terminal.from_code(one)) for one in codes)
    return operation._replace(place=place, terminal=None, terminals=terminals)


def by_operation(rows: list[list[int]]) -> list[list[list[int]]]:
    """The rows of an offspring, operation by operation."""
    first = [place for place, row in enumerate(rows) if row[T_KIND] != MORE]
    return [rows[begin:end] for begin, end in zip(first, [*first[1:], len(rows)], strict=True)]
