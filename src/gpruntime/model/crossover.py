"""Two trees become one: subtree crossover and concatenation.

What the register of the result is (`gpruntime.model.tree`) is fixed here, as compiled code must find the same nodes:

- a crossed tree is registered in order, as an initial tree is;
- a concatenated one has the leaves of the left tree in their order, then those of the right one; the joins of the left
  tree, those of the right one, and the new join as the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpruntime.model.errors import BadInput
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Node, Tree, hang

if TYPE_CHECKING:
    from gpruntime.model.spec import RunSpec


def crossed(mother: Tree, father: Tree, stream: Stream) -> Tree:
    """A copy of the mother in which a uniform subtree is replaced by a uniform one of the father's.

    Drawn in this order: a node of the mother, a node of the father. An empty tree is not crossed: nothing is drawn.
    """
    child = mother.copy()
    if child.root is None or father.root is None:
        return child
    place, graft = child.node(stream.below(child.node_count)), father.node(stream.below(father.node_count))
    new, above = _copied(child, graft), place.parent
    if above is None:
        child.root = new
    else:
        hang(new, above, next(i for i, one in enumerate(above.children) if one is place))
    child.register_in_order()
    return child


def _copied(into: Tree, top: Node) -> Node:
    """A copy of a subtree; its nodes are registered anyhow."""

    def twin_of(node: Node) -> Node:
        return (
            into.new_join(node.function, len(node.children)) if node.terminal is None else into.new_leaf(node.terminal)
        )

    twin = twin_of(top)
    waiting = [(top, twin)]
    while waiting:
        node, its_twin = waiting.pop()
        for place, child in enumerate(node.children):
            new = twin_of(child)
            hang(new, its_twin, place)
            waiting.append((child, new))
    return twin


def check_joins(spec: RunSpec) -> None:
    """Raises `BadInput` for an algorithm that joins trees where no function can."""
    if all(spec.primitives.arity(name) != 2 for name in spec.primitives.functions):
        raise BadInput(
            "algorithm", spec.algorithm.id, f"joins trees, and {spec.problem.name} has no function of two arguments"
        )


def concatenated(left: Tree, right: Tree, primitives: Primitives, stream: Stream) -> Tree:
    """J(left, right) of copies; of several functions of two arguments a uniform one. An empty tree adds nothing."""
    tree, other = left.copy(), right.copy()
    if tree.root is None or other.root is None:
        return other if tree.root is None else tree
    functions = [name for name in primitives.functions if primitives.arity(name) == 2]
    function = functions[stream.below(len(functions))] if len(functions) > 1 else functions[0]
    for register, more in ((tree.leaves, other.leaves), (tree.joins, other.joins)):
        register += more
        for index, node in enumerate(register):
            node.index = index
    top = tree.new_join(function)
    hang(tree.root, top, 0)
    hang(other.root, top, 1)
    tree.root = top
    return tree
