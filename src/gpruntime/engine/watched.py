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
from gpruntime.engine.trace import (
    FUNCTION_BITS,
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
from gpruntime.model.terminals import Terminal
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
        self.tree = spec.initial.build(Stream(seed, spec.cell, run))
        self.initial_tree = str(self.tree)
        self.fitness = spec.problem_.fitness(self.tree, spec.n)
        self.evaluations = 1
        self._numbers = np.array([run], np.int64)
        self._execution = Execution(spec, seed, self._numbers, self.method, tracing=True)
        self._counts_only = self.method == "skipping" and spec.problem_.sees == "counts"

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
        for row in rows.tolist():
            operation = self._operation(row, offspring)
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
        problem = self.spec.problem_
        if isinstance(self.fitness, float):
            return problem.fitness(offspring, self.spec.n)
        return self.fitness + gain * problem.direction

    def _operation(self, row: list[int], tree: Tree) -> Operation:
        kind, site, code = KINDS[row[T_KIND]], row[T_SITE], row[T_CODE]
        if self._counts_only and row[T_RANK] >= 0:  # the site is a terminal, the rank says which of its leaves
            same = [leaf.index for leaf in tree.leaves if leaf.terminal is not None and leaf.terminal.code == site]
            site = same[row[T_RANK]]
        is_leaf = site < len(tree.leaves)
        return Operation(
            kind=kind,
            site=site if site >= 0 else None,
            side=None if row[T_SIDE] < 0 else "right" if row[T_SIDE] else "left",
            terminal=Terminal.from_code(code & TERMINAL_BITS)
            if code >= 0 and (kind != SUBSTITUTE or is_leaf)
            else None,
            function=self._function(kind, code, is_leaf, len(tree.leaves)),
        )

    def _function(self, kind: str, code: int, is_leaf: bool, leaves: int) -> str | None:
        functions = self.spec.primitives.functions
        if (kind == INSERT and leaves > 0) or (kind == SUBSTITUTE and not is_leaf and leaves > 0):
            return functions[code >> FUNCTION_BITS if len(functions) > 1 else 0] or None
        return None
