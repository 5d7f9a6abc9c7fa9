"""One run that can be watched, and its tree.

`WatchedRun` has the interface of `gpruntime.model.Run`. The kernel traces its operations and the model's own code makes
them to a tree, so a step costs what it costs in the model; but a skipping run has few steps, its hopeful offspring.

`tree_of` reads the tree of a run from the engine's memory. Where only counts are kept, a *shadow tree* is kept beside
the run: a linked tree, planted and changed by the operations of its trace, some nanoseconds each.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.cache import CODE
from gpruntime.engine.columns import Columns
from gpruntime.engine.execute import Execution, method_for
from gpruntime.engine.initial import Planting, plant_initial_tree, planting_of
from gpruntime.engine.jit import kernel
from gpruntime.engine.linked_tree import LEFT, LINKED_TREE, RIGHT, TOP, make_operation
from gpruntime.engine.memory import unchecked
from gpruntime.engine.params import record_of
from gpruntime.engine.postfix_tree import JOIN, JOINS, LEAF
from gpruntime.engine.run_state import AT_JOIN, CURSOR, FUNCTION_BITS, MORE, TERMINAL_BITS, TRACE, Run, Traced
from gpruntime.engine.run_state import Operation as Drawn
from gpruntime.engine.stepping import growth_of
from gpruntime.engine.tree_memory import TreeMemory, record, records
from gpruntime.model.mutation import INSERT, KINDS, SUBSTITUTE, Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import RunResult, Step
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree, hang


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
            offspring = np.flatnonzero(np.diff(rows["evaluations"], prepend=-1)).tolist()
            for first, end in zip(offspring, [*offspring[1:], len(rows)], strict=False):
                yield self._step(rows_of(rows[first:end]))

    def result(self) -> RunResult:
        """Runs to the end, if that has not happened yet, and returns the record, with the tree."""
        for _ in self:
            pass
        columns = Columns(self.spec, self.seed, self._numbers, self.method, self._execution.out)
        return next(columns.results(str(self.tree)))

    def _step(self, rows: list[Traced]) -> Step:
        offspring, operations, last = self.tree.copy(), [], rows[-1]
        for of_one in by_operation(rows):
            operation = self._operation(of_one, offspring)
            self.spec.mutation.apply(offspring, operation)
            operations.append(operation)
        accepted, offspring_fitness = bool(last.accepted), self._offspring_fitness(offspring, last.gain)
        assert len(offspring.leaves) == last.new_leaves
        self.evaluations = last.evaluations
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

    def _operation(self, rows: list[Traced], tree: Tree) -> Operation:
        row = rows[0]
        if self._counts_only and row.rank >= 0:  # the site is a terminal, the rank says which of its leaves
            same = [leaf.index for leaf in tree.leaves if leaf.terminal is not None and leaf.terminal.code == row.site]
            rows = [row._replace(site=same[row.rank])]
        return operation_of(rows, self.spec.primitives)


# ---- the rows of a trace


def rows_of(trace: NDArray[Any]) -> list[Traced]:
    """The records of a trace as rows."""
    return [Traced(*row) for row in trace.tolist()]


def by_operation(rows: list[Traced]) -> list[list[Traced]]:
    """The rows of an offspring, operation by operation."""
    first = [place for place, row in enumerate(rows) if row.kind != MORE]
    return [rows[begin:end] for begin, end in zip(first, [*first[1:], len(rows)], strict=True)]


def operation_of(rows: list[Traced], primitives: Primitives) -> Operation:
    """The operation that these rows tell: one row, or for an insertion as many as it brings terminals."""
    functions, (_, kind_number, site, side, code, rank, *_) = primitives.functions, rows[0]
    kind = KINDS[kind_number]
    at_join = rank == AT_JOIN or (kind == SUBSTITUTE and site >= 0 and code < 0)
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
    codes = [row.code & TERMINAL_BITS for row in rows][: primitives.arity(function) - 1]
    terminals = tuple(primitives.terminal_of(*Terminal.from_code(code)) for code in codes)
    return operation._replace(place=place, terminal=None, terminals=terminals)


# ---- the tree, read from the engine's memory


def tree_of(memory: TreeMemory, leaves: int, primitives: Primitives) -> Tree:
    """The present tree, which has this many leaves, register and all: for memory that holds the shape."""
    return (_of_postfix if "parent" in memory.kind.fields._fields else _of_linked)(memory, leaves, primitives)


def _of_linked(memory: TreeMemory, leaves: int, primitives: Primitives) -> Tree:
    tree, records, register = Tree(), memory["nodes"], memory["register"]
    if leaves == 0:
        return tree
    nodes: dict[int, Node] = {}
    for node in register[: 2 * leaves : 2].tolist():
        nodes[node] = tree.new_leaf(_terminal(int(records["terminal"][node]), primitives))
    joins = register[1 : 2 * leaves - 1 : 2].tolist()
    for node in joins:
        nodes[node] = tree.new_join(primitives.functions[0])
    children = records["children"]
    for node in joins:
        for side in (LEFT, RIGHT):
            hang(nodes[int(children[node, side])], nodes[node], side)
    tree.root = nodes[int(children[TOP, LEFT])]
    return tree


def _of_postfix(memory: TreeMemory, leaves: int, primitives: Primitives) -> Tree:
    tree, register, functions = Tree(), memory["parent_register"].tolist(), primitives.functions
    joins = register[JOINS]
    tokens = memory["parent"][: leaves + joins].tolist()
    nodes: dict[int, Node] = {}
    for position in register[LEAF : LEAF + 2 * leaves : 2]:
        nodes[position] = tree.new_leaf(_terminal(tokens[position] << memory.params.code_shift, primitives))
    for position in register[JOIN : JOIN + 2 * joins : 2]:
        function = functions[-1 - tokens[position]]
        nodes[position] = tree.new_join(function, primitives.arity(function))
    waiting: list[Node] = []
    for position in range(len(tokens)):
        node, arity = nodes[position], len(nodes[position].children)
        for place, child in enumerate(waiting[len(waiting) - arity :]):
            hang(child, node, place)
        waiting[len(waiting) - arity :] = [node]
    tree.root = waiting[0] if waiting else None
    return tree


def _terminal(code: int, primitives: Primitives) -> Terminal:
    return primitives.terminal_of(*Terminal.from_code(code))


# ---- the shadow tree


@kernel
def follow(params, tree, run, leaves):  # type: ignore[no-untyped-def]
    """Plants the initial tree, where there is none, then makes the accepted rows of `run.trace`; returns T."""
    end = run.trace.size
    tree, run = unchecked(tree), unchecked(run)  # type: ignore[call-arg]
    if leaves < 0:
        leaves, _ = plant_initial_tree(params, tree, run)
    for i in range(end):
        row = run.trace[i]
        if row.accepted != 0:
            operation = Drawn(row.kind, row.site, row.side, row.code)
            before, leaves = leaves, leaves + growth_of(params, leaves, row.kind)
            make_operation(params, tree, before, operation)
    return leaves


class ShadowTree:
    """The tree of the one run of an execution by `stepping`; its `leaves` are T."""

    def __init__(self, execution: Execution) -> None:
        self._spec, self._memory, self.leaves = execution.spec, TreeMemory(LINKED_TREE, execution.params), -1
        run = execution.run._replace(rng=execution.seeds[0].copy(), initial=planting_of(execution.spec, has_shape=True))
        self._call(run, records(0, TRACE))
        self._run = run._replace(initial=Planting(*(array[:0] for array in run.initial)))

    def _call(self, run: Run, rows: NDArray[Any]) -> None:
        cursor = record(CURSOR)
        cursor.room = self._memory.room
        run = run._replace(trace=rows, cursor=cursor)
        params = record_of(self._memory.params)
        self.leaves = CODE.call("follow", follow, params, self._memory.tree, run, self.leaves)

    def follow(self, rows: NDArray[Any]) -> None:
        """Makes the accepted ones of these operations."""
        accepted = rows["new_leaves"][rows["accepted"] != 0]
        while accepted.max(initial=0) + self._memory.params.max_operations > self._memory.room:
            self._memory.grow()
        self._call(self._run, rows)

    def copy(self) -> ShadowTree:
        """The same, in memory of its own."""
        twin = copy.copy(self)
        twin._memory = self._memory.copy()
        return twin

    def bytes(self) -> int:
        """What the tree takes."""
        return self._memory.bytes()

    def tree(self) -> Tree:
        """As a tree of the model."""
        return tree_of(self._memory, self.leaves, self._spec.primitives)
