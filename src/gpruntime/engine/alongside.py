"""The tree of a run as arrays, kept alongside the kernel by making the operations of its trace.

Kernels that need only counts know no shapes, and a model tree takes a microsecond an operation. Here an operation takes
some nanoseconds, and a copy of the tree, which a checkpoint needs, is a copy of five arrays.

Nodes are known by their place in the model's register: leaf i is i, join j is −1 − j. When the last entry of a register
moves into a hole, those that point to it are told.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import helper, kernel
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE
from gpruntime.engine.trace import T_ACCEPTED, T_CODE, T_KIND, T_SIDE, T_SITE
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree, hang

ROOT, LEAVES = range(2)
_LEFT, _RIGHT = 0, 1


class Register(NamedTuple):
    """A tree.

    Attributes:
        code: the terminal of each leaf.
        above: the join above each leaf, by its number; −1 for the root.
        child: the left and the right child of each join.
        join_above: the join above each join; −1 for the root.
        whole: ROOT, a node, and LEAVES, how many there are.
    """

    code: NDArray[np.int32]
    above: NDArray[np.int32]
    child: NDArray[np.int32]
    join_above: NDArray[np.int32]
    whole: NDArray[np.int64]


@helper
def _set_above(register, node, join):  # type: ignore[no-untyped-def]
    if node >= 0:
        register.above[node] = join
    else:
        register.join_above[-1 - node] = join


@helper
def _replace(register, above, old, new):  # type: ignore[no-untyped-def]
    """Puts `new` where `old` hangs, below the join `above` or as the root."""
    if above < 0:
        register.whole[ROOT] = new
    elif register.child[above, _LEFT] == old:
        register.child[above, _LEFT] = new
    else:
        register.child[above, _RIGHT] = new


@helper
def _insert(register, site, side, code):  # type: ignore[no-untyped-def]
    leaves = register.whole[LEAVES]
    register.whole[LEAVES] = leaves + 1
    register.code[leaves] = code
    if leaves == 0:
        register.whole[ROOT] = 0
        register.above[0] = -1
        return
    node = site if site < leaves else -1 - (site - leaves)
    join = leaves - 1
    above = register.above[node] if node >= 0 else register.join_above[-1 - node]
    _replace(register, above, node, -1 - join)
    register.join_above[join] = above
    register.child[join, side] = leaves
    register.child[join, 1 - side] = node
    register.above[leaves] = join
    _set_above(register, node, join)


@helper
def _delete(register, leaf):  # type: ignore[no-untyped-def]
    last = register.whole[LEAVES] - 1
    register.whole[LEAVES] = last
    join = register.above[leaf]
    if join < 0:
        return
    sibling = register.child[join, _RIGHT] if register.child[join, _LEFT] == leaf else register.child[join, _LEFT]
    above = register.join_above[join]
    _replace(register, above, -1 - join, sibling)
    _set_above(register, sibling, above)
    last_join = last - 1
    if join != last_join:
        register.child[join, _LEFT] = register.child[last_join, _LEFT]
        register.child[join, _RIGHT] = register.child[last_join, _RIGHT]
        register.join_above[join] = register.join_above[last_join]
        _set_above(register, register.child[join, _LEFT], join)
        _set_above(register, register.child[join, _RIGHT], join)
        _replace(register, register.join_above[join], -1 - last_join, -1 - join)
    if leaf != last:
        register.code[leaf] = register.code[last]
        register.above[leaf] = register.above[last]
        _replace(register, register.above[leaf], last, leaf)


@kernel
def follow(rows, register, empty):  # type: ignore[no-untyped-def]
    """Makes the accepted operations of a trace."""
    for i in range(rows.shape[0]):
        if rows[i, T_ACCEPTED] == 0:
            continue
        kind, site = rows[i, T_KIND], rows[i, T_SITE]
        if kind == INSERT:
            _insert(register, site, rows[i, T_SIDE], rows[i, T_CODE])
        elif kind == DELETE and site >= 0 and (register.whole[LEAVES] > 1 or empty):
            _delete(register, site)
        elif kind == SUBSTITUTE and rows[i, T_CODE] >= 0:
            register.code[site] = rows[i, T_CODE]


class TreeAlongside:
    """A tree that follows a trace of `stepping`."""

    def __init__(self, register: Register, empty: bool) -> None:
        self.register, self._empty = register, empty

    @classmethod
    def of(cls, tree: Tree, empty: bool) -> TreeAlongside:
        """The same tree with the same register; `empty` says whether the last leaf can be deleted."""
        leaves = len(tree.leaves)
        room = max(leaves, 1)
        register = Register(
            code=np.zeros(room, np.int32),
            above=np.full(room, -1, np.int32),
            child=np.zeros((room, 2), np.int32),
            join_above=np.full(room, -1, np.int32),
            whole=np.array([0 if tree.root is None else _name(tree.root), leaves], np.int64),
        )
        for i, leaf in enumerate(tree.leaves):
            assert leaf.terminal is not None
            register.code[i] = leaf.terminal.code
            register.above[i] = -1 if leaf.parent is None else leaf.parent.index
        for j, join in enumerate(tree.joins):
            assert join.left is not None
            assert join.right is not None
            register.child[j] = _name(join.left), _name(join.right)
            register.join_above[j] = -1 if join.parent is None else join.parent.index
        return cls(register, empty)

    def follow(self, rows: NDArray[np.int64]) -> None:
        """Makes the accepted ones of these operations."""
        inserted = np.count_nonzero((rows[:, T_KIND] == INSERT) & (rows[:, T_ACCEPTED] != 0))
        room = self.leaves + int(inserted)
        if room > len(self.register.code):
            self.register = self._resized(room + room // 4)
        follow(rows, self.register, self._empty)

    def copy(self) -> TreeAlongside:
        """A tree of its own, without room to spare."""
        return TreeAlongside(self._resized(max(self.leaves, 1)), self._empty)

    def _resized(self, room: int) -> Register:
        code, above, child, join_above, whole = self.register
        resized = (_resized(array, room) for array in (code, above, child, join_above))
        return Register._make((*resized, whole.copy()))

    @property
    def leaves(self) -> int:
        """T."""
        return int(self.register.whole[LEAVES])

    def bytes(self) -> int:
        """What the arrays take."""
        return sum(array.nbytes for array in self.register)

    def tree(self, primitives: Primitives) -> Tree:
        """As a tree of the model."""
        tree = Tree()
        for code in self.register.code[: self.leaves].tolist():
            tree.new_leaf(primitives.terminal_of(*Terminal.from_code(code)))
        for _ in range(self.leaves - 1):
            tree.new_join(primitives.functions[0])

        def node(name: int) -> Node:
            return tree.leaves[name] if name >= 0 else tree.joins[-1 - name]

        for join, (left, right) in zip(tree.joins, self.register.child.tolist(), strict=False):
            hang(node(left), join, 0)
            hang(node(right), join, 1)
        tree.root = node(int(self.register.whole[ROOT])) if self.leaves else None
        return tree


def _name(node: Node) -> int:
    return node.index if node.is_leaf else -1 - node.index


def _resized(array: NDArray[np.int32], rows: int) -> NDArray[np.int32]:
    resized = np.zeros((rows, *array.shape[1:]), array.dtype)
    kept = min(rows, len(array))
    resized[:kept] = array[:kept]
    return resized
