"""A parent and its offspring as two trees, for what takes out whole subtrees: O(T) for whatever is done.

A tree is its root, the number of its joins, and a row for each slot: the leaf with that place in the register, and the
join with that place. Node 2s is the leaf in slot s, node 2s + 1 the join there. A row has room for as many children as
any function has arguments (`law.width`). The root of the empty tree is below zero.
"""

from __future__ import annotations

from typing import NamedTuple

from gpruntime.engine import nodes
from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper, inlined
from gpruntime.engine.memory import tail
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.state import CELL, WIDE, Sizes, State

# A tree: the root and the number of joins, and behind them a row for each slot.
ROOT, JOINS = range(2)
TERMINAL, FUNCTION, CHILD = range(3)

# What is seen of a variable: leaves x_i, leaves x̄_i, and the sign of the first of them.
PLAIN, BAR, SIGN, SEEN = 0, 1, 2, 3


class TwoTreesFields(NamedTuple):
    """Two trees, and what it takes to plant and to read them.

    Attributes:
        node, register, first, present: where the initial tree is planted (`ordered`), if all functions have two
            arguments.
        parent, offspring: the trees.
        stack, moved: room to walk through a tree, and for the new names of its nodes.
        fresh: the terminals that an insertion brings.
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
    fresh: int
    tokens: int
    seen: int


class TwoTrees(State):
    """A parent and its offspring; `room` is for leaves, and for joins."""

    fields = TwoTreesFields

    def sizes(self) -> Sizes:
        """See `State`."""
        law, slots = self.law, self.room + self.law.fresh + 1  # one insertion is tried in a tree that fills its room
        planted = law.planted if law.binary else 0
        return {
            "node": (CELL, 2 * nodes.ROW * (planted + 1)),
            "register": (CELL, 2 * planted),
            "first": (CELL, law.n),
            "present": (CELL, 1),
            "parent": (WIDE, law.width * (slots + 1)),
            "offspring": (WIDE, law.width * (slots + 1)),
            "stack": (WIDE, 2 * slots),
            "moved": (WIDE, 2 * slots),
            "fresh": (WIDE, law.fresh),
            "tokens": (WIDE, 2 * slots),
            "seen": (WIDE, SEEN * law.n),
        }


@inlined
def row_of(law, node):
    """Where the row of a node begins."""
    return law.width * ((node >> 1) + 1)


@inlined
def node_at(leaves, site):
    """The node with this number: leaves first, then joins."""
    return 2 * site if site < leaves else 2 * (site - leaves) + 1


@inlined
def arity_of(law, tree, join):
    """How many children a join has."""
    return law.arities[tree[row_of(law, join) + FUNCTION]]


@helper
def copy_tree(law, source, target, leaves):
    """Makes the target the same tree, register and all."""
    for i in range(law.width * (max(leaves, source[JOINS]) + 1)):
        target[i] = source[i]


@helper
def push_children(law, tree, stack, waiting, join, step):
    """Puts the children of a join on the stack, from left to right (1) or from right to left (−1); the new size."""
    arity, first = arity_of(law, tree, join), row_of(law, join) + CHILD
    for i in range(arity):
        stack[waiting + i] = tree[first + (i if step > 0 else arity - 1 - i)]
    return waiting + arity


@helper
def nodes_below(law, tree, stack, node):
    """How many nodes a subtree has."""
    stack[0] = node
    waiting, found = 1, ZERO
    while waiting > 0:
        waiting -= 1
        found += 1
        if stack[waiting] & 1 == 1:
            waiting = push_children(law, tree, stack, waiting, stack[waiting], 1)
    return found


@helper
def where(law, tree, node):
    """The join above a node and its place among the children; (−1, 0) for the root."""
    for slot in range(tree[JOINS]):
        join = 2 * slot + 1
        for place in range(arity_of(law, tree, join)):
            if tree[row_of(law, join) + CHILD + place] == node:
                return join, place
    return MINUS_ONE, ZERO


@helper
def replace_child(law, tree, old, new):
    """Puts `new` where `old` hangs."""
    above, place = where(law, tree, old)
    if above < 0:
        tree[ROOT] = new
    else:
        tree[row_of(law, above) + CHILD + place] = new


@helper
def insert_above(law, tree, fresh, leaves, site, function, place):
    """Puts a new join above a node, which gets this place, and new leaves in the others; returns how many there are."""
    node, join = node_at(leaves, site), 2 * tree[JOINS] + 1
    replace_child(law, tree, node, join)
    tree[JOINS] += 1
    row, number = row_of(law, join), ZERO
    tree[row + FUNCTION] = function
    for i in range(law.arities[function]):
        if i == place:
            tree[row + CHILD + i] = node
        else:
            leaf = 2 * (leaves + number)
            tree[row_of(law, leaf) + TERMINAL] = fresh[number]
            tree[row + CHILD + i] = leaf
            number += 1
    return leaves + number


@helper
def replace_by_child(law, tree, leaves, join, place, stack, moved):
    """Replaces a join by its child in this place; returns the number of leaves that stay, in their order."""
    before = tree[JOINS]
    kept = tree[row_of(law, join) + CHILD + place]
    for node in range(2 * max(leaves, before)):
        moved[node] = 0
    waiting = push_children(law, tree, stack, ZERO, join, 1)
    moved[join] = -1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node != kept:
            moved[node] = -1
            if node & 1 == 1:
                waiting = push_children(law, tree, stack, waiting, node, 1)
    replace_child(law, tree, join, kept)
    stay, joins = ZERO, ZERO
    for slot in range(leaves):
        if moved[2 * slot] == 0:
            moved[2 * slot] = 2 * stay
            tree[row_of(law, 2 * stay) + TERMINAL] = tree[row_of(law, 2 * slot) + TERMINAL]
            stay += 1
    for slot in range(before):
        if moved[2 * slot + 1] == 0:
            moved[2 * slot + 1] = 2 * joins + 1
            joins += 1
    for slot in range(before):
        if moved[2 * slot + 1] > 0:
            copy_join(law, tree, tree, 2 * slot + 1, moved)
    tree[ROOT] = moved[tree[ROOT]]
    tree[JOINS] = joins
    return stay


@inlined
def copy_join(law, source, target, join, moved):
    """Writes a join in its new place, with the new names of its children."""
    row, to = row_of(law, join), row_of(law, moved[join])
    arity = arity_of(law, source, join)
    target[to + FUNCTION] = source[row + FUNCTION]
    for i in range(arity):
        target[to + CHILD + i] = moved[source[row + CHILD + i]]


@helper
def plant_binary(law, at, cells, wide, tiny, drawing, rng):
    """Draws the initial tree as the parent; a planted node's slot is one more than its place in the register."""
    leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
    tree = tail(wide, at.parent)
    tree[ROOT] = nodes.get(cells, nodes.TOP, nodes.LEFT) - 2
    tree[JOINS] = max(leaves - 1, ZERO)
    for slot in range(leaves):
        tree[row_of(law, 2 * slot) + TERMINAL] = nodes.get(cells, 2 * (slot + 1), nodes.TERMINAL)
    for slot in range(leaves - 1):
        join, row = 2 * (slot + 1) + 1, row_of(law, 2 * slot + 1)
        tree[row + CHILD] = nodes.get(cells, join, nodes.LEFT) - 2
        tree[row + CHILD + 1] = nodes.get(cells, join, nodes.RIGHT) - 2
        tree[row + FUNCTION] = nodes.get(cells, join, nodes.FUNCTION) if law.functions > 1 else ZERO
    return leaves


# ---- reading


@helper
def read_leaves(law, at, wide, tree):
    """Writes the terminals from left to right as the problem knows them; returns how many."""
    stack, size = tail(wide, at.stack), ZERO
    stack[0] = tree[ROOT]
    waiting = 0 if tree[ROOT] < 0 else 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node & 1 == 0:
            wide[at.tokens + size] = tree[row_of(law, node) + TERMINAL] >> law.double
            size += 1
        else:
            waiting = push_children(law, tree, stack, waiting, node, -1)
    return size


@helper
def read_program(law, at, wide, tree, leaves):
    """Writes the tree in postfix order, from behind; returns how many nodes it has."""
    stack, size = tail(wide, at.stack), leaves + tree[JOINS]
    stack[0] = tree[ROOT]
    waiting, place = 0 if tree[ROOT] < 0 else 1, size
    while waiting > 0:
        waiting -= 1
        place -= 1
        node = stack[waiting]
        if node & 1 == 0:
            wide[at.tokens + place] = tree[row_of(law, node) + TERMINAL] >> law.double
        else:
            wide[at.tokens + place] = -1 - tree[row_of(law, node) + FUNCTION]
            waiting = push_children(law, tree, stack, waiting, node, 1)
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
