"""The tree of a run as a tree of the model: read from the engine's memory, or kept beside a run that knows no shapes.

A model tree takes a microsecond an operation. The *shadow tree* of a run of which only the counts are kept is a linked
tree, planted and changed by the operations of its trace, some nanoseconds each.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.cache import CODE
from gpruntime.engine.execute import Execution
from gpruntime.engine.initial import plant_initial_tree
from gpruntime.engine.jit import kernel
from gpruntime.engine.linked_tree import LEFT, LINKED_TREE, RIGHT, TOP, make_operation
from gpruntime.engine.memory import unchecked
from gpruntime.engine.params import initial_of, record_of
from gpruntime.engine.postfix_tree import JOIN, JOINS, LEAF
from gpruntime.engine.run_state import (
    ROOM,
    T_ACCEPTED,
    T_CODE,
    T_KIND,
    T_NEW_LEAVES,
    T_SIDE,
    T_SITE,
    TRACE_WIDTH,
    Operation,
    Run,
)
from gpruntime.engine.stepping import growth_of
from gpruntime.engine.tree_memory import TreeMemory
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree, hang

# ---- reading


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
def follow(params, tree, run, leaves):
    """Plants the initial tree, where there is none, then makes the accepted rows of `run.trace`; returns T."""
    end = run.trace.size
    tree, run = unchecked(tree), unchecked(run)
    if leaves < 0:
        leaves, _ = plant_initial_tree(params, tree, run)
    for row in range(0, end, TRACE_WIDTH):
        if run.trace[row + T_ACCEPTED] != 0:
            kind, site = run.trace[row + T_KIND], run.trace[row + T_SITE]
            operation = Operation(kind, site, run.trace[row + T_SIDE], run.trace[row + T_CODE])
            before, leaves = leaves, leaves + growth_of(params, leaves, kind)
            make_operation(params, tree, before, operation)
    return leaves


class ShadowTree:
    """The tree of the one run of an execution by `stepping`; its `leaves` are T."""

    def __init__(self, execution: Execution) -> None:
        self._spec, self._memory, self.leaves = execution.spec, TreeMemory(LINKED_TREE, execution.params), -1
        run = execution.run_arrays._replace(
            rng=execution.seeds[0].copy(), initial=initial_of(execution.spec, has_shape=True)
        )
        self._call(run, np.zeros((0, TRACE_WIDTH), np.int64))
        self._run = run._replace(initial=np.zeros(0, np.int32))

    def _call(self, run: Run, rows: NDArray[np.int64]) -> None:
        cursor = np.zeros_like(run.cursor)
        cursor[ROOM] = self._memory.room
        run = run._replace(trace=rows.reshape(-1), cursor=cursor)
        params = record_of(self._memory.params)
        self.leaves = CODE.call("follow", follow, params, self._memory.tree, run, self.leaves)

    def follow(self, rows: NDArray[np.int64]) -> None:
        """Makes the accepted ones of these operations."""
        accepted = rows[rows[:, T_ACCEPTED] != 0, T_NEW_LEAVES]
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
