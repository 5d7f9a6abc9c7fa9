"""A parent and its offspring as two trees, for operators that take out whole subtrees: O(T) for whatever is done.

A tree is its root and a row for each slot: the leaf with that place in the register, and the join with that place. Node
2s is the leaf in slot s, node 2s + 1 the join there.
"""

from __future__ import annotations

from typing import NamedTuple

from gpruntime.engine import nodes
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.memory import tail
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.state import CELL, WIDE, Sizes, State
from gpruntime.engine.trace import FUNCTION_BITS, TERMINAL_BITS

# A tree: the root, and from ROW on a row for each slot.
ROOT, ROW = 0, 4
TERMINAL, LEFT, RIGHT, FUNCTION = range(4)

# What is seen of a variable: leaves x_i, leaves x̄_i, and the sign of the first of them.
PLAIN, BAR, SIGN, SEEN = 0, 1, 2, 3


class TwoTreesFields(NamedTuple):
    """Two trees, and what it takes to plant and to read them.

    Attributes:
        node, register, first, present: where the initial tree is planted (`ordered`).
        parent, offspring: the trees.
        stack, moved: room to walk through a tree, and for the new names of its nodes.
        tokens: the tree as the problem sees it, if it sees leaves or the program.
        seen: SEEN numbers for each variable, if it sees counts or first occurrences.
    """

    node: int
    register: int
    first: int
    present: int
    parent: int
    offspring: int
    stack: int
    moved: int
    tokens: int
    seen: int


class TwoTrees(State):
    """A parent and its offspring."""

    fields = TwoTreesFields

    def sizes(self) -> Sizes:
        """See `State`."""
        slots = self.room + 2  # one more leaf is tried in a tree that fills its room
        return {
            "node": (CELL, 2 * nodes.ROW * (self.law.planted + 1)),
            "register": (CELL, 2 * self.law.planted),
            "first": (CELL, self.law.n),
            "present": (CELL, 1),
            "parent": (WIDE, ROW * (slots + 1)),
            "offspring": (WIDE, ROW * (slots + 1)),
            "stack": (WIDE, slots),
            "moved": (WIDE, 2 * slots),
            "tokens": (WIDE, 2 * slots),
            "seen": (WIDE, SEEN * self.law.n),
        }


@inlined
def row_of(node):
    """Where the row of a node begins."""
    return ROW * ((node >> 1) + 1)


@inlined
def node_at(leaves, site):
    """The node with this number: leaves first, then joins."""
    return 2 * site if site < leaves else 2 * (site - leaves) + 1


@helper
def copy_tree(source, target, leaves):
    """Makes the target the same tree, register and all."""
    for i in range(ROW * (leaves + 1)):
        target[i] = source[i]


@helper
def leaves_below(tree, stack, node):
    """How many leaves a subtree has."""
    stack[0] = node
    waiting, found = 1, ZERO
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node & 1 == 0:
            found += 1
            continue
        stack[waiting], stack[waiting + 1] = tree[row_of(node) + RIGHT], tree[row_of(node) + LEFT]
        waiting += 2
    return found


@helper
def replace_child(tree, joins, old, new):
    """Puts `new` where `old` hangs, in a tree with this number of joins."""
    if tree[ROOT] == old:
        tree[ROOT] = new
        return
    for join in range(joins):
        row = ROW * (join + 1)
        if tree[row + LEFT] == old:
            tree[row + LEFT] = new
            return
        if tree[row + RIGHT] == old:
            tree[row + RIGHT] = new
            return


@helper
def insert_leaf(tree, leaves, site, side, code):
    """Puts a new leaf beside a node, on this side, below a new join."""
    node, leaf, join = node_at(leaves, site), 2 * leaves, 2 * leaves - 1
    replace_child(tree, leaves - 1, node, join)
    tree[row_of(leaf) + TERMINAL] = code & TERMINAL_BITS
    row = row_of(join)
    tree[row + LEFT + side], tree[row + RIGHT - side] = leaf, node
    tree[row + FUNCTION] = code >> FUNCTION_BITS


@helper
def replace_by_child(tree, leaves, join, side, stack, moved):
    """Replaces a join by one of its children; returns the number of leaves that stay, in their order."""
    kept, other = tree[row_of(join) + LEFT + side], tree[row_of(join) + RIGHT - side]
    replace_child(tree, leaves - 1, join, kept)
    for node in range(2 * leaves):
        moved[node] = 0
    moved[join] = -1
    stack[0] = other
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        moved[node] = -1
        if node & 1 == 1:
            stack[waiting], stack[waiting + 1] = tree[row_of(node) + LEFT], tree[row_of(node) + RIGHT]
            waiting += 2
    stay, joins = ZERO, ZERO
    for place in range(leaves):
        if moved[2 * place] == 0:
            moved[2 * place] = 2 * stay
            tree[ROW * (stay + 1) + TERMINAL] = tree[ROW * (place + 1) + TERMINAL]
            stay += 1
    for place in range(leaves - 1):
        if moved[2 * place + 1] == 0:
            moved[2 * place + 1] = 2 * joins + 1
            joins += 1
    for place in range(leaves - 1):
        if moved[2 * place + 1] > 0:
            to, row = ROW * ((moved[2 * place + 1] >> 1) + 1), ROW * (place + 1)
            tree[to + LEFT], tree[to + RIGHT] = moved[tree[row + LEFT]], moved[tree[row + RIGHT]]
            tree[to + FUNCTION] = tree[row + FUNCTION]
    tree[ROOT] = moved[tree[ROOT]]
    return stay


@helper
def plant(law, at, cells, wide, tiny, drawing, rng):
    """Draws the initial tree as the parent; a planted node's slot is one more than its place in the register."""
    leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
    tree = tail(wide, at.parent)
    tree[ROOT] = nodes.get(cells, nodes.TOP, nodes.LEFT) - 2
    for place in range(leaves):
        tree[ROW * (place + 1) + TERMINAL] = nodes.get(cells, 2 * (place + 1), nodes.TERMINAL)
    for place in range(leaves - 1):
        join, row = 2 * (place + 1) + 1, ROW * (place + 1)
        tree[row + LEFT] = nodes.get(cells, join, nodes.LEFT) - 2
        tree[row + RIGHT] = nodes.get(cells, join, nodes.RIGHT) - 2
        tree[row + FUNCTION] = nodes.get(cells, join, nodes.FUNCTION) if law.functions > 1 else ZERO
    return leaves


# ---- reading


@helper
def read_leaves(law, at, wide, tree):
    """Writes the terminals from left to right as the problem knows them; returns how many."""
    stack, size = tail(wide, at.stack), ZERO
    stack[0] = tree[ROOT]
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node & 1 == 0:
            wide[at.tokens + size] = tree[row_of(node) + TERMINAL] >> law.double
            size += 1
            continue
        stack[waiting], stack[waiting + 1] = tree[row_of(node) + RIGHT], tree[row_of(node) + LEFT]
        waiting += 2
    return size


@helper
def read_program(law, at, wide, tree, leaves):
    """Writes the tree in postfix order, from behind; returns how many nodes it has."""
    stack, size = tail(wide, at.stack), 2 * leaves - 1
    stack[0] = tree[ROOT]
    waiting, place = 1, size
    while waiting > 0:
        waiting -= 1
        place -= 1
        node = stack[waiting]
        if node & 1 == 0:
            wide[at.tokens + place] = tree[row_of(node) + TERMINAL] >> law.double
            continue
        wide[at.tokens + place] = -1 - tree[row_of(node) + FUNCTION]
        stack[waiting], stack[waiting + 1] = tree[row_of(node) + LEFT], tree[row_of(node) + RIGHT]
        waiting += 2
    return size


@helper
def read_variables(law, at, wide, tree):
    """Writes what is seen of each variable."""
    seen = tail(wide, at.seen)
    for i in range(law.n):
        seen[SEEN * i + PLAIN], seen[SEEN * i + BAR], seen[SEEN * i + SIGN] = 0, 0, -1
    for place in range(read_leaves(law, at, wide, tree)):
        code = wide[at.tokens + place] << law.double
        mine = SEEN * (code >> 1)
        seen[mine + PLAIN + (code & 1)] += 1
        if seen[mine + SIGN] < 0:
            seen[mine + SIGN] = 1 - (code & 1)
