"""The tree of a run as its state holds it, as a tree of the model, register and all: for states that hold the shape."""

from __future__ import annotations

from gpruntime.engine.nodes import LEFT, RIGHT, ROW, TERMINAL, TOP
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.state import State
from gpruntime.engine.two_trees import JOIN, JOINS, LEAF, TwoTrees
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
    register = state["register"]
    nodes: dict[int, Node] = {}
    for node in register[: 2 * leaves : 2].tolist():
        nodes[node] = tree.new_leaf(_terminal(int(rows[node, TERMINAL]), primitives))
    joins = register[1 : 2 * leaves - 1 : 2].tolist()
    for node in joins:
        nodes[node] = tree.new_join(primitives.functions[0])
    for node in joins:
        for place, column in enumerate((LEFT, RIGHT)):
            hang(nodes[int(rows[node, column])], nodes[node], place)
    tree.root = nodes[int(rows[TOP, LEFT])]
    return tree


def _of_two_trees(state: TwoTrees, leaves: int, primitives: Primitives) -> Tree:
    tree, register, functions = Tree(), state["parent_register"].tolist(), primitives.functions
    joins = register[JOINS]
    tokens = state["parent"][: leaves + joins].tolist()
    at: dict[int, Node] = {}
    for position in register[LEAF : LEAF + 2 * leaves : 2]:
        at[position] = tree.new_leaf(_terminal(tokens[position] << state.law.double, primitives))
    for position in register[JOIN : JOIN + 2 * joins : 2]:
        function = functions[-1 - tokens[position]]
        at[position] = tree.new_join(function, primitives.arity(function))
    waiting: list[Node] = []
    for position in range(len(tokens)):
        join, many = at[position], len(at[position].children)
        for place, child in enumerate(waiting[len(waiting) - many :]):
            hang(child, join, place)
        waiting[len(waiting) - many :] = [join]
    tree.root = waiting[0] if waiting else None
    return tree


def _terminal(code: int, primitives: Primitives) -> Terminal:
    return primitives.terminal_of(*Terminal.from_code(code))
