"""The tree of a run as its state holds it, as a tree of the model, register and all: for states that hold the shape."""

from __future__ import annotations

from gpruntime.engine.nodes import FUNCTION, LEFT, RIGHT, ROW, TERMINAL, TOP
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.state import State
from gpruntime.engine.two_trees import CHILD, JOINS, ROOT, TwoTrees
from gpruntime.engine.two_trees import FUNCTION as FUNCTION_IN_ROW
from gpruntime.engine.two_trees import TERMINAL as TERMINAL_IN_ROW
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree, hang


def tree_of(state: State, leaves: int, primitives: Primitives) -> Tree:
    """The present tree, which has so many leaves."""
    if isinstance(state, TwoTrees):
        return _of_two_trees(state, leaves, primitives)
    assert isinstance(state, OrderedState)
    return _of_ordered(state, leaves, primitives)


def _of_ordered(state: OrderedState, leaves: int, primitives: Primitives) -> Tree:
    tree, rows = Tree(), state["node"].reshape(-1, ROW)
    if leaves == 0:
        return tree
    register, functions = state["register"], primitives.functions
    nodes: dict[int, Node] = {}
    for node in register[: 2 * leaves : 2].tolist():
        nodes[node] = tree.new_leaf(_terminal(int(rows[node, TERMINAL]), primitives))
    joins = register[1 : 2 * leaves - 1 : 2].tolist()
    for node in joins:
        nodes[node] = tree.new_join(functions[int(rows[node, FUNCTION]) if len(functions) > 1 else 0])
    for node in joins:
        for place, column in enumerate((LEFT, RIGHT)):
            hang(nodes[int(rows[node, column])], nodes[node], place)
    tree.root = nodes[int(rows[TOP, LEFT])]
    return tree


def _of_two_trees(state: TwoTrees, leaves: int, primitives: Primitives) -> Tree:
    tree, width = Tree(), state.law.width
    head, functions = state["parent"][:width].tolist(), primitives.functions
    if leaves == 0:
        return tree
    rows = state["parent"].reshape(-1, width)[1 : 1 + max(leaves, head[JOINS])].tolist()
    for row in rows[:leaves]:
        tree.new_leaf(_terminal(row[TERMINAL_IN_ROW], primitives))
    for row in rows[: head[JOINS]]:
        function = functions[row[FUNCTION_IN_ROW]]
        tree.new_join(function, primitives.arity(function))

    def node(name: int) -> Node:
        return tree.joins[name >> 1] if name & 1 else tree.leaves[name >> 1]

    for join, row in zip(tree.joins, rows, strict=False):
        for place in range(len(join.children)):
            hang(node(row[CHILD + place]), join, place)
    tree.root = node(head[ROOT])
    return tree


def _terminal(code: int, primitives: Primitives) -> Terminal:
    return primitives.terminal_of(*Terminal.from_code(code))
