"""A planted tree: its shape, the order of its leaves, the occurrences of each variable; constant work per operation.

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

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.kernel import ONE, ZERO, inlined
from gpruntime.engine.labels import label_leaf
from gpruntime.engine.nodes import (
    AFTER,
    BEFORE,
    EARLIER,
    LABEL,
    LATER,
    LEFT,
    NOBODY,
    PARENT,
    PLACE,
    ROW,
    TERMINAL,
    TOP,
    get,
    put,
)
from gpruntime.engine.state import CELL, Sizes, State


class OrderedFields(NamedTuple):
    """A tree.

    Attributes:
        node: ROW numbers for each node, see `nodes`. It is the first field, so that the row of a node begins at ROW
            times its number, and its label, in `wide`, is found from HALF times its number.
        register: the nodes in use, and the free ones.
        first: the first leaf of each variable, or NOBODY.
        present: how many variables have a leaf.
    """

    node: int
    register: int
    first: int
    present: int


class OrderedState(State):
    """A planted tree."""

    fields: Any = OrderedFields

    def sizes(self) -> Sizes:
        """See `State`."""
        return {
            "node": (CELL, 2 * ROW * (self.room + 1)),
            "register": (CELL, 2 * self.room),
            "first": (CELL, self.law.n),
            "present": (CELL, 1),
        }

    def grow(self) -> None:
        """See `State`; the new nodes are free."""
        before = 2 * self.room
        super().grow()
        self["register"][before:] = np.arange(before, 2 * self.room) + 2


@inlined
def place_of(at, cells, leaves, site, side):
    """Where an insertion goes: the node with this number, leaves first, and the leaf that the new one comes next to.

    On the empty tree both are NOBODY.
    """
    is_join = site >= leaves
    place = site - leaves if is_join else site
    node = int64(cells[at.register + 2 * place + is_join]) if leaves > 0 else int64(NOBODY)
    return node, edge_of(cells, node, side)


@inlined
def edge_of(cells, node, side):
    """The first or the last leaf below a node."""
    while node & 1 == 1:
        node = get(cells, node, side)
    return node


@inlined
def hang_in_place_of(cells, old, new, above):
    """Puts `new` where `old` hangs below the join `above`."""
    put(cells, above, get(cells, above, LEFT) != old, new)
    put(cells, new, PARENT, above)


# ---- occurrences


@inlined
def is_positive(cells, leaf):
    """1 for a leaf x_i, 0 for a leaf x̄_i or nobody."""
    return int64(~get(cells, leaf, TERMINAL) & 1)


@inlined
def link_occurrence(at, cells, wide, new):
    """Puts a labelled leaf among the occurrences of its variable; returns what that adds to the fitness."""
    variable = get(cells, new, TERMINAL) >> 1
    mine = get(wide, new, LABEL)
    here, following = int64(NOBODY), int64(cells[at.first + variable])
    if mine < get(wide, following, LABEL):
        cells[at.first + variable] = new
        cells[at.present] += following == NOBODY
        gain = is_positive(cells, new) - is_positive(cells, following)
    else:
        gain = int64(0)
        while get(wide, following, LABEL) < mine:
            here, following = following, get(cells, following, LATER)
        put(cells, here, LATER, new)
    put(cells, new, EARLIER, here)
    put(cells, new, LATER, following)
    put(cells, following, EARLIER, new)
    return gain


@inlined
def unlink_occurrence(at, cells, old):
    """Takes a leaf out of the occurrences of its variable; returns what that adds to the fitness."""
    earlier, later = get(cells, old, EARLIER), get(cells, old, LATER)
    put(cells, later, EARLIER, earlier)
    if earlier != NOBODY:
        put(cells, earlier, LATER, later)
        return int64(0)
    cells[at.first + (get(cells, old, TERMINAL) >> 1)] = later
    cells[at.present] -= later == NOBODY
    return is_positive(cells, later) - is_positive(cells, old)


# ---- the three changes; each returns what it adds to the fitness


@inlined
def insert_leaf(at, cells, wide, leaves, node, beside, side, code):
    """Puts a new leaf next to a node, and next to the leaf `beside` at its edge; `leaves` is the number before."""
    new = int64(cells[at.register + 2 * leaves])
    join, above = int64(TOP), int64(TOP)
    if leaves > 0:
        join, above = int64(cells[at.register + 2 * leaves - 1]), get(cells, node, PARENT)
        hang_in_place_of(cells, node, join, above)
        put(cells, join, PLACE, leaves - 1)
        put(cells, join, 1 - side, node)
        put(cells, node, PARENT, join)
        put(cells, join, side, new)
    else:
        put(cells, TOP, LEFT, new)
        put(cells, NOBODY, BEFORE, NOBODY)
        put(cells, NOBODY, AFTER, NOBODY)
    put(cells, new, TERMINAL, code)
    put(cells, new, PLACE, leaves)
    put(cells, new, PARENT, join)
    beyond = get(cells, beside, BEFORE + (side == 1))
    before = beside if side == 1 else beyond
    after = beyond if side == 1 else beside
    put(cells, new, BEFORE, before)
    put(cells, new, AFTER, after)
    put(cells, before, AFTER, new)
    put(cells, after, BEFORE, new)
    label_leaf(cells, wide, new)
    return link_occurrence(at, cells, wide, new)


@inlined
def delete_leaf(at, cells, wide, leaves, index):
    """Removes the leaf with this place in the register, and its parent; `leaves` is the number before."""
    old = int64(cells[at.register + 2 * index])
    join = get(cells, old, PARENT)
    if leaves == 1:
        put(cells, TOP, LEFT, NOBODY)
    else:
        sibling = get(cells, join, get(cells, join, LEFT) == old)
        hang_in_place_of(cells, join, sibling, get(cells, join, PARENT))
        swap(at, cells, get(cells, join, PLACE), leaves - 2, ONE)
    before, after = get(cells, old, BEFORE), get(cells, old, AFTER)
    put(cells, before, AFTER, after)
    put(cells, after, BEFORE, before)
    swap(at, cells, index, leaves - 1, ZERO)
    return unlink_occurrence(at, cells, old)


@inlined
def swap(at, cells, i, j, is_join):
    """Swaps two leaves, or two joins, in the register."""
    a, b = int64(cells[at.register + 2 * i + is_join]), int64(cells[at.register + 2 * j + is_join])
    cells[at.register + 2 * i + is_join], cells[at.register + 2 * j + is_join] = b, a
    put(cells, a, PLACE, j)
    put(cells, b, PLACE, i)


@inlined
def substitute_leaf(at, cells, wide, index, code):
    """Gives the leaf with this place in the register another terminal."""
    leaf = int64(cells[at.register + 2 * index])
    if get(cells, leaf, TERMINAL) >> 1 == code >> 1:
        before = is_positive(cells, leaf)
        put(cells, leaf, TERMINAL, code)
        return is_positive(cells, leaf) - before if get(cells, leaf, EARLIER) == NOBODY else int64(0)
    gain = unlink_occurrence(at, cells, leaf)
    put(cells, leaf, TERMINAL, code)
    return gain + link_occurrence(at, cells, wide, leaf)
