"""Initial trees where functions have any number of arguments.

A function *fits* as long as the tree does not come to more leaves than it may have.

- `unity`: a uniform leaf position is opened, by a uniform one of the functions that fit and have at least two
  arguments, as long as there is one: the first of its arguments takes the place of the position in the list, the others
  are appended. Then uniform terminals.
- `insertion`: the same functions, by insertions: a uniform node, the function, the node's place among the arguments.
- `grow`: from the root down, each position a function with the chance that is set, uniformly one of those that fit, or
  else a terminal; at most as many functions as leaves, so that functions of one argument come to an end.

Functions of one argument come into the first two by mutation only: they do not change the number of leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree, hang

ANYTHING = Terminal(1, False)  # stands on a leaf of a shape until its terminal is drawn
Position = tuple[Node | None, int]  # a join and the place of its child; the root's has no join


def any_initial(name: str, primitives: Primitives, leaves: int, chance: float, stream: Stream) -> Tree:
    """An initial tree with at most this number of leaves."""
    if name == "grow":
        return _grow(primitives, leaves, chance, stream)
    tree = _unity(primitives, leaves, stream) if name == "unity" else _insertion(primitives, leaves, stream)
    tree.register_in_order()
    for leaf in tree.leaves:
        leaf.terminal = primitives.terminal(stream.below(primitives.size))
    return tree


def _unity(primitives: Primitives, most: int, stream: Stream) -> Tree:
    tree = Tree()
    positions: list[Position] = [(None, 0)]
    while functions := primitives.fitting(most - len(positions), 2):
        p = stream.below(len(positions)) if len(positions) > 1 else 0
        function = _drawn(functions, stream)
        join = tree.new_join(function, primitives.arity(function))
        place_at(tree, join, positions[p])
        positions[p] = (join, 0)
        positions += ((join, place) for place in range(1, primitives.arity(function)))
    for position in positions:
        place_at(tree, tree.new_leaf(ANYTHING), position)
    return tree


def _insertion(primitives: Primitives, most: int, stream: Stream) -> Tree:
    tree = Tree.single(ANYTHING)
    while functions := primitives.fitting(most - len(tree.leaves), 2):
        site = stream.below(tree.node_count)
        function = _drawn(functions, stream)
        arity = primitives.arity(function)
        tree.insert_above(site, function, stream.below(arity), [ANYTHING] * (arity - 1))
    return tree


def _grow(primitives: Primitives, most: int, chance: float, stream: Stream) -> Tree:
    tree = Tree()
    waiting: list[Position] = [(None, 0)]
    while waiting:
        position = waiting.pop()
        functions = primitives.fitting(most - len(tree.leaves) - len(waiting) - 1)
        if functions and len(tree.joins) < most and stream.uniform() < chance:
            function = _drawn(functions, stream)
            arity = primitives.arity(function)
            join = tree.new_join(function, arity)
            place_at(tree, join, position)
            waiting += ((join, place) for place in reversed(range(arity)))
        else:
            place_at(tree, tree.new_leaf(primitives.terminal(stream.below(primitives.size))), position)
    return tree


def _drawn(functions: Sequence[str], stream: Stream) -> str:
    return functions[stream.below(len(functions))] if len(functions) > 1 else functions[0]


def place_at(tree: Tree, node: Node, position: Position) -> None:
    """Hangs a node where it is to be."""
    join, place = position
    if join is None:
        tree.root = node
    else:
        hang(node, join, place)
