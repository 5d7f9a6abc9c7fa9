"""Operations on a tree of the model that can be taken back, the order of the register included.

A rejected offspring then costs no copy of its parent.
"""

from __future__ import annotations

from collections.abc import Callable

from gpruntime.model.arity import AnyHvlPrime, what_stays
from gpruntime.model.hvl import Hvl
from gpruntime.model.mutation import DELETE, INSERT, Operation
from gpruntime.model.operator import Mutation
from gpruntime.model.tree import Node, Tree, hang

TakeBack = Callable[[], None]


def make(tree: Tree, mutation: Mutation, operation: Operation) -> TakeBack:
    """Makes the operation; what it returns puts the tree and its register back as they were."""
    kind, site = operation.kind, operation.site
    if kind == INSERT:
        leaves = len(tree.leaves)
        mutation.apply(tree, operation)
        return lambda: _take_out_last(tree, leaves)
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
    if isinstance(mutation, Hvl | AnyHvlPrime):
        return _replace_by_child(tree, mutation, operation)
    if site is None:
        return _nothing
    leaf = tree.leaves[site]
    parent = leaf.parent
    if parent is None:
        mutation.apply(tree, operation)
        return _nothing if len(tree.leaves) == leaves_before else lambda: _plant(tree, leaf)
    place, sibling, number = leaf.place, parent.children[1 - leaf.place], parent.index
    mutation.apply(tree, operation)

    def back() -> None:
        _put_in_place_of(tree, sibling, parent)
        hang(sibling, parent, 1 - place)
        hang(leaf, parent, place)
        _reopen_hole(tree.leaves, site, leaf)
        _reopen_hole(tree.joins, number, parent)

    return back


def goes(tree: Tree, mutation: Mutation, operation: Operation) -> tuple[Node | None, Node | None]:
    """Of a deletion that can take out a subtree: the join that goes and its child that stays; None where none does."""
    site, place = operation.site, operation.place
    if isinstance(mutation, Hvl) and operation.side is not None:
        place = int(operation.side == "right")
    if site is None or place is None:
        return None, None
    node = tree.node(site)
    join = node if isinstance(mutation, Hvl) else what_stays(node)[0]
    assert join is not None
    return join, join.children[place]


def _replace_by_child(tree: Tree, mutation: Mutation, operation: Operation) -> TakeBack:
    """A join gives way to one of its children, or the whole tree goes."""
    leaves, joins, root = list(tree.leaves), list(tree.joins), tree.root
    join, kept = goes(tree, mutation, operation)
    mutation.apply(tree, operation)

    def back() -> None:
        if join is None or kept is None:
            tree.root = root
        else:
            place = next(i for i, child in enumerate(join.children) if child is kept)
            _put_in_place_of(tree, kept, join)
            hang(kept, join, place)
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


def _take_out_last(tree: Tree, before: int) -> None:
    """The leaves beyond this number go, with the last join, which came with them."""
    if before == 0:
        tree.root, tree.leaves[:] = None, []
        return
    join = tree.joins.pop()
    del tree.leaves[before:]
    old = next(child for child in join.children if not child.is_leaf or child.index < before)
    _put_in_place_of(tree, join, old)


def _put_in_place_of(tree: Tree, old: Node, new: Node) -> None:
    parent = old.parent
    if parent is None:
        tree.root, new.parent = new, None
    else:
        hang(new, parent, old.place)


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
