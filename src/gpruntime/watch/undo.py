"""Operations on a tree of the model that can be taken back, the order of the register included.

A rejected offspring then costs no copy of its parent.
"""

from __future__ import annotations

from collections.abc import Callable

from gpruntime.model.hvl import Hvl
from gpruntime.model.mutation import DELETE, INSERT, Operation
from gpruntime.model.operator import Mutation
from gpruntime.model.tree import Node, Tree, hang

TakeBack = Callable[[], None]


def make(tree: Tree, mutation: Mutation, operation: Operation) -> TakeBack:
    """Makes the operation; what it returns puts the tree and its register back as they were."""
    kind, site = operation.kind, operation.site
    if kind == INSERT:
        mutation.apply(tree, operation)
        return lambda: _take_out_last(tree)
    if kind == DELETE:
        return _delete(tree, mutation, operation)
    if site is None:
        return _nothing
    if operation.terminal is None:
        return _substitute_function(tree, mutation, operation)
    leaf = tree.leaves[site]
    before = leaf.terminal
    mutation.apply(tree, operation)

    def back() -> None:
        leaf.terminal = before

    return back


def _substitute_function(tree: Tree, mutation: Mutation, operation: Operation) -> TakeBack:
    assert operation.site is not None
    join = tree.node(operation.site)
    before = join.function
    mutation.apply(tree, operation)

    def back() -> None:
        join.function = before

    return back


def _delete(tree: Tree, mutation: Mutation, operation: Operation) -> TakeBack:
    leaves_before, site = len(tree.leaves), operation.site
    if isinstance(mutation, Hvl):
        return _replace_by_child(tree, mutation, operation)
    if site is None:
        return _nothing
    leaf = tree.leaves[site]
    parent = leaf.parent
    if parent is None:
        mutation.apply(tree, operation)
        return _nothing if len(tree.leaves) == leaves_before else lambda: _plant(tree, leaf)
    is_left = parent.left is leaf
    sibling = parent.right if is_left else parent.left
    assert sibling is not None
    place = parent.index
    mutation.apply(tree, operation)

    def back() -> None:
        _put_in_place_of(tree, sibling, parent)
        hang(sibling, parent, "right" if is_left else "left")
        hang(leaf, parent, "left" if is_left else "right")
        _reopen_hole(tree.leaves, site, leaf)
        _reopen_hole(tree.joins, place, parent)

    return back


def _replace_by_child(tree: Tree, mutation: Hvl, operation: Operation) -> TakeBack:
    """The original HVL's deletion: a join gives way to one of its children."""
    if operation.side is None or operation.site is None:
        return _nothing
    leaves, joins = list(tree.leaves), list(tree.joins)
    join = joins[operation.site - len(leaves)]
    side = operation.side
    kept = join.left if side == "left" else join.right
    assert kept is not None
    mutation.apply(tree, operation)

    def back() -> None:
        _put_in_place_of(tree, kept, join)
        hang(kept, join, side)
        tree.leaves[:], tree.joins[:] = leaves, joins
        for register in (leaves, joins):
            for index, node in enumerate(register):
                node.index = index

    return back


def _nothing() -> None:
    pass


def _plant(tree: Tree, leaf: Node) -> None:
    tree.root = leaf
    tree.leaves.append(leaf)


def _take_out_last(tree: Tree) -> None:
    leaf = tree.leaves.pop()
    if leaf.parent is None:
        tree.root = None
        return
    join = tree.joins.pop()
    sibling = join.right if join.left is leaf else join.left
    assert sibling is not None
    _put_in_place_of(tree, join, sibling)


def _put_in_place_of(tree: Tree, old: Node, new: Node) -> None:
    parent = old.parent
    if parent is None:
        tree.root, new.parent = new, None
    else:
        hang(new, parent, "left" if parent.left is old else "right")


def _reopen_hole(register: list[Node], index: int, node: Node) -> None:
    """The entry that had moved into the hole goes back to the end."""
    if index < len(register):
        moved = register[index]
        moved.index = len(register)
        register.append(moved)
        register[index] = node
    else:
        register.append(node)
    node.index = index
