"""Operations on a tree of the model that can be taken back, the register included.

An operation changes nodes around its site, and the ends of the register, which fill holes. These are noted before it is
made, and put back after; so a rejected offspring costs no copy of its parent.
"""

from __future__ import annotations

from collections.abc import Callable

from gpruntime.model.arity import AnyHvlPrime, what_stays
from gpruntime.model.mutation import DELETE, Operation, TakesSubtrees
from gpruntime.model.operator import Mutation
from gpruntime.model.tree import Node, Tree


def make(tree: Tree, mutation: Mutation, operation: Operation) -> Callable[[], None]:
    """Makes the operation; what it returns puts the tree and its register back as they were."""
    root, leaves, joins = tree.root, tree.leaves[:], tree.joins[:]
    nodes = {*leaves[-1:], *joins[-1:], *_around(tree, mutation, operation)}
    before = [(node, node.parent, node.children[:], node.index, node.terminal, node.function) for node in nodes]
    mutation.apply(tree, operation)

    def back() -> None:
        tree.root, tree.leaves, tree.joins = root, leaves, joins
        for node, parent, children, index, terminal, function in before:
            node.parent, node.children, node.index = parent, children, index
            node.terminal, node.function = terminal, function
        if operation.kind == DELETE and isinstance(
            mutation, TakesSubtrees | AnyHvlPrime
        ):  # which move the whole register up
            for register in (leaves, joins):
                for index, node in enumerate(register):
                    node.index = index

    return back


def _around(tree: Tree, mutation: Mutation, operation: Operation) -> list[Node]:
    """The nodes that an operation can change: at its site or below, beside and above it."""
    if operation.site is None:
        return []
    node: Node | None = goes(tree, mutation, operation)[0] or tree.node(operation.site)
    around: list[Node] = []
    for _ in range(3):
        if node is not None:
            around += [node, *node.children]
            node = node.parent
    return around


def goes(tree: Tree, mutation: Mutation, operation: Operation) -> tuple[Node | None, Node | None]:
    """Of a deletion that can take out a subtree: the join that goes and its child that stays; None where none does."""
    site, place = operation.site, operation.place
    if isinstance(mutation, TakesSubtrees) and operation.side is not None:
        place = int(operation.side == "right")
    if operation.kind != DELETE or site is None or place is None:
        return None, None
    node = tree.node(site)
    join = node if isinstance(mutation, TakesSubtrees) else what_stays(node)[0]
    assert join is not None
    return join, join.children[place]
