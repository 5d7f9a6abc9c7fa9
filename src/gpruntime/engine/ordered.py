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

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.kernel import ONE, ZERO, inlined
from gpruntime.engine.labels import label_leaf
from gpruntime.engine.nodes import (
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
)
from gpruntime.engine.state import CELL, Sizes, State


class OrderFields(NamedTuple):
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


class OrderState(State):
    """A tree of ORDER."""

    fields: Any = OrderFields

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
        node = int64(cells[ROW * node + side])
    return node


@inlined
def hang_in_place_of(cells, old, new, above):
    """Puts `new` where `old` hangs below the join `above`."""
    cells[ROW * above + (cells[ROW * above + LEFT] != old)] = new
    cells[ROW * new + PARENT] = above


# ---- occurrences


@inlined
def is_positive(cells, leaf):
    """1 for a leaf x_i, 0 for a leaf x̄_i or nobody."""
    return int64(~cells[ROW * leaf + TERMINAL] & 1)


@inlined
def link_occurrence(at, cells, wide, new):
    """Puts a labelled leaf among the occurrences of its variable; returns what that adds to the fitness."""
    variable = int64(cells[ROW * new + TERMINAL]) >> 1
    mine = wide[HALF * new + LABEL]
    here, following = int64(NOBODY), int64(cells[at.first + variable])
    if mine < wide[HALF * following + LABEL]:
        cells[at.first + variable] = new
        cells[at.present] += following == NOBODY
        gain = is_positive(cells, new) - is_positive(cells, following)
    else:
        gain = int64(0)
        while wide[HALF * following + LABEL] < mine:
            here, following = following, int64(cells[ROW * following + LATER])
        cells[ROW * here + LATER] = new
    cells[ROW * new + EARLIER], cells[ROW * new + LATER] = here, following
    cells[ROW * following + EARLIER] = new
    return gain


@inlined
def unlink_occurrence(at, cells, old):
    """Takes a leaf out of the occurrences of its variable; returns what that adds to the fitness."""
    earlier, later = int64(cells[ROW * old + EARLIER]), int64(cells[ROW * old + LATER])
    cells[ROW * later + EARLIER] = earlier
    if earlier != NOBODY:
        cells[ROW * earlier + LATER] = later
        return int64(0)
    cells[at.first + (int64(cells[ROW * old + TERMINAL]) >> 1)] = later
    cells[at.present] -= later == NOBODY
    return is_positive(cells, later) - is_positive(cells, old)


# ---- the three changes; each returns what it adds to the fitness


@inlined
def insert_leaf(at, cells, wide, leaves, node, beside, side, code):
    """Puts a new leaf next to a node, and next to the leaf `beside` at its edge; `leaves` is the number before."""
    new = int64(cells[at.register + 2 * leaves])
    join, above = int64(TOP), int64(TOP)
    if leaves > 0:
        join, above = int64(cells[at.register + 2 * leaves - 1]), int64(cells[ROW * node + PARENT])
        hang_in_place_of(cells, node, join, above)
        cells[ROW * join + PLACE] = leaves - 1
        cells[ROW * join + 1 - side] = node
        cells[ROW * node + PARENT] = join
        cells[ROW * join + side] = new
    else:
        cells[ROW * TOP + LEFT] = new
        cells[ROW * NOBODY + BEFORE] = cells[ROW * NOBODY + AFTER] = NOBODY
    cells[ROW * new + TERMINAL], cells[ROW * new + PLACE] = code, leaves
    cells[ROW * new + PARENT] = join
    beyond = int64(cells[ROW * beside + BEFORE + (side == 1)])
    before = beside if side == 1 else beyond
    after = beyond if side == 1 else beside
    cells[ROW * new + BEFORE], cells[ROW * new + AFTER] = before, after
    cells[ROW * before + AFTER] = cells[ROW * after + BEFORE] = new
    label_leaf(cells, wide, new)
    return link_occurrence(at, cells, wide, new)


@inlined
def delete_leaf(at, cells, wide, leaves, index):
    """Removes the leaf with this place in the register, and its parent; `leaves` is the number before."""
    old = int64(cells[at.register + 2 * index])
    join = int64(cells[ROW * old + PARENT])
    if leaves == 1:
        cells[ROW * TOP + LEFT] = NOBODY
    else:
        sibling = int64(cells[ROW * join + (cells[ROW * join + LEFT] == old)])
        hang_in_place_of(cells, join, sibling, int64(cells[ROW * join + PARENT]))
        swap(at, cells, int64(cells[ROW * join + PLACE]), leaves - 2, ONE)
    before, after = int64(cells[ROW * old + BEFORE]), int64(cells[ROW * old + AFTER])
    cells[ROW * before + AFTER], cells[ROW * after + BEFORE] = after, before
    swap(at, cells, index, leaves - 1, ZERO)
    return unlink_occurrence(at, cells, old)


@inlined
def swap(at, cells, i, j, is_join):
    """Swaps two leaves, or two joins, in the register."""
    a, b = int64(cells[at.register + 2 * i + is_join]), int64(cells[at.register + 2 * j + is_join])
    cells[at.register + 2 * i + is_join], cells[at.register + 2 * j + is_join] = b, a
    cells[ROW * a + PLACE], cells[ROW * b + PLACE] = j, i


@inlined
def substitute_leaf(at, cells, wide, index, code):
    """Gives the leaf with this place in the register another terminal."""
    leaf = int64(cells[at.register + 2 * index])
    if int64(cells[ROW * leaf + TERMINAL]) >> 1 == code >> 1:
        before = is_positive(cells, leaf)
        cells[ROW * leaf + TERMINAL] = code
        return is_positive(cells, leaf) - before if cells[ROW * leaf + EARLIER] == NOBODY else int64(0)
    gain = unlink_occurrence(at, cells, leaf)
    cells[ROW * leaf + TERMINAL] = code
    return gain + link_occurrence(at, cells, wide, leaf)
