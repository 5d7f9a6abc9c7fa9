"""The tree of ORDER: its shape, the order of its leaves, the occurrences of each variable; constant work per operation.

- **Shape.** Leaves and joins live in slots from 1 on: node 2s is the leaf in slot s, node 2s + 1 the join there.
  `register` has the leaves at its even places, in the order of the model's register, and the joins at its odd ones;
  behind the last one in use come the free nodes, the next one to use first. So an insertion takes the next entry and
  a deletion swaps its entry with the last: both undo exactly. The root is the LEFT child of TOP.
- **Order.** Leaves are linked from left to right (BEFORE, AFTER) and carry labels (`labels`).
- **Occurrences.** The leaves of a variable are linked in order (EARLIER, LATER) from `first[variable]`. The fitness
  is the number of variables whose first leaf is x_i.

NOBODY ends every list: a leaf x̄ behind all others. Its links mean nothing; they are written to, so that an end of a
list needs no case of its own. All numbers are unsigned, so Numba need not ask whether an index counts from the end.

An insertion beside a join needs the first or last leaf below it: a walk down. HVL insertion is Rémy's algorithm, under
which all shapes are equally likely. In such a tree a child is a join with chance near 1/2, so the walk from a uniform
node, half of which are leaves, has expected length 1 (measured after 300,000 steps at n = 10,000: 1.00 to 1.01 from
`unity`, `insertion` and `bad`). A tree given by the user can be a path; then the walk is long until insertions have
mixed the shape.

A new leaf finds its place among the occurrences of its variable by a walk from the first: T/n steps on average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import ONE, ZERO, inlined
from gpruntime.engine.labels import (
    AFTER,
    BEFORE,
    EARLIER,
    HALF,
    LABEL,
    LATER,
    LEFT,
    NOBODY,
    PARENT,
    PLACE,
    ROW,
    TERMINAL,
    TOP,
    label_leaf,
)


class OrderState(NamedTuple):
    """A tree.

    Attributes:
        node: ROW numbers for each node, see `labels`.
        label: the same memory as 64-bit numbers, for the order labels of the leaves.
        register: the nodes in use, and the free ones.
        first: the first leaf of each variable, or NOBODY.
        present: how many variables have a leaf, in its only entry.
    """

    node: NDArray[np.uint32]
    label: NDArray[np.int64]
    register: NDArray[np.uint32]
    first: NDArray[np.uint32]
    present: NDArray[np.int64]


@inlined
def place_of(state, leaves, site, side):
    """Where an insertion goes: the node with this number, leaves first, and the leaf that the new one comes next to.

    On the empty tree both are NOBODY.
    """
    is_join = site >= leaves
    place = site - leaves if is_join else site
    node = np.int64(state.register[2 * place + is_join]) if leaves > 0 else np.int64(NOBODY)
    return node, edge_of(state, node, side)


@inlined
def edge_of(state, node, side):
    """The first or the last leaf below a node."""
    while node & 1 == 1:
        node = np.int64(state.node[ROW * node + side])
    return node


@inlined
def hang_in_place_of(state, old, new, above):
    """Puts `new` where `old` hangs below the join `above`."""
    state.node[ROW * above + (state.node[ROW * above + LEFT] != old)] = new
    state.node[ROW * new + PARENT] = above


# ---- occurrences


@inlined
def is_positive(state, leaf):
    """1 for a leaf x_i, 0 for a leaf x̄_i or nobody."""
    return np.int64(~state.node[ROW * leaf + TERMINAL] & 1)


@inlined
def link_occurrence(state, new):
    """Puts a labelled leaf among the occurrences of its variable; returns what that adds to the fitness."""
    variable = np.int64(state.node[ROW * new + TERMINAL]) >> 1
    mine = state.label[HALF * new + LABEL]
    here, following = np.int64(NOBODY), np.int64(state.first[variable])
    if mine < state.label[HALF * following + LABEL]:
        state.first[variable] = new
        state.present[0] += following == NOBODY
        gain = is_positive(state, new) - is_positive(state, following)
    else:
        gain = np.int64(0)
        while state.label[HALF * following + LABEL] < mine:
            here, following = following, np.int64(state.node[ROW * following + LATER])
        state.node[ROW * here + LATER] = new
    state.node[ROW * new + EARLIER], state.node[ROW * new + LATER] = here, following
    state.node[ROW * following + EARLIER] = new
    return gain


@inlined
def unlink_occurrence(state, old):
    """Takes a leaf out of the occurrences of its variable; returns what that adds to the fitness."""
    earlier, later = np.int64(state.node[ROW * old + EARLIER]), np.int64(state.node[ROW * old + LATER])
    state.node[ROW * later + EARLIER] = earlier
    if earlier != NOBODY:
        state.node[ROW * earlier + LATER] = later
        return np.int64(0)
    state.first[np.int64(state.node[ROW * old + TERMINAL]) >> 1] = later
    state.present[0] -= later == NOBODY
    return is_positive(state, later) - is_positive(state, old)


# ---- the three changes; each returns what it adds to the fitness


@inlined
def insert_leaf(state, leaves, node, beside, side, code):
    """Puts a new leaf next to a node, and next to the leaf `beside` at its edge; `leaves` is the number before."""
    new = np.int64(state.register[2 * leaves])
    join, above = np.int64(TOP), np.int64(TOP)
    if leaves > 0:
        join, above = np.int64(state.register[2 * leaves - 1]), np.int64(state.node[ROW * node + PARENT])
        hang_in_place_of(state, node, join, above)
        state.node[ROW * join + PLACE] = leaves - 1
        state.node[ROW * join + 1 - side] = node
        state.node[ROW * node + PARENT] = join
        state.node[ROW * join + side] = new
    else:
        state.node[ROW * TOP + LEFT] = new
        state.node[ROW * NOBODY + BEFORE] = state.node[ROW * NOBODY + AFTER] = NOBODY
    state.node[ROW * new + TERMINAL], state.node[ROW * new + PLACE] = code, leaves
    state.node[ROW * new + PARENT] = join
    beyond = np.int64(state.node[ROW * beside + BEFORE + (side == 1)])
    before = beside if side == 1 else beyond
    after = beyond if side == 1 else beside
    state.node[ROW * new + BEFORE], state.node[ROW * new + AFTER] = before, after
    state.node[ROW * before + AFTER] = state.node[ROW * after + BEFORE] = new
    label_leaf(state.node, state.label, new)
    return link_occurrence(state, new)


@inlined
def delete_leaf(state, leaves, index):
    """Removes the leaf with this place in the register, and its parent; `leaves` is the number before."""
    old = np.int64(state.register[2 * index])
    join = np.int64(state.node[ROW * old + PARENT])
    if leaves == 1:
        state.node[ROW * TOP + LEFT] = NOBODY
    else:
        sibling = np.int64(state.node[ROW * join + (state.node[ROW * join + LEFT] == old)])
        hang_in_place_of(state, join, sibling, np.int64(state.node[ROW * join + PARENT]))
        swap(state, np.int64(state.node[ROW * join + PLACE]), leaves - 2, ONE)
    before, after = np.int64(state.node[ROW * old + BEFORE]), np.int64(state.node[ROW * old + AFTER])
    state.node[ROW * before + AFTER], state.node[ROW * after + BEFORE] = after, before
    swap(state, index, leaves - 1, ZERO)
    return unlink_occurrence(state, old)


@inlined
def swap(state, i, j, is_join):
    """Swaps two leaves, or two joins, in the register."""
    a, b = np.int64(state.register[2 * i + is_join]), np.int64(state.register[2 * j + is_join])
    state.register[2 * i + is_join], state.register[2 * j + is_join] = b, a
    state.node[ROW * a + PLACE], state.node[ROW * b + PLACE] = j, i


@inlined
def substitute_leaf(state, index, code):
    """Gives the leaf with this place in the register another terminal."""
    leaf = np.int64(state.register[2 * index])
    if np.int64(state.node[ROW * leaf + TERMINAL]) >> 1 == code >> 1:
        before = is_positive(state, leaf)
        state.node[ROW * leaf + TERMINAL] = code
        return is_positive(state, leaf) - before if state.node[ROW * leaf + EARLIER] == NOBODY else np.int64(0)
    gain = unlink_occurrence(state, leaf)
    state.node[ROW * leaf + TERMINAL] = code
    return gain + link_occurrence(state, leaf)
