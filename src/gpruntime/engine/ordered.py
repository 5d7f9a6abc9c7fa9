"""The tree of ORDER: its shape, the order of its leaves, the occurrences of each variable; constant work per operation.

- **Shape.** Leaves and joins live in slots. `leaf_at` and `join_at` list the slots in use, in the order of the
  model's register; behind the last one in use come the free slots, the next one to use first. So an insertion takes
  the next entry and a
  deletion swaps its entry with the last: both undo exactly. A child is a leaf's slot ≥ 0 or a join's slot j as −1 − j.
- **Order.** Leaves are linked from left to right (BEFORE, AFTER) and carry labels (`labels`).
- **Occurrences.** The leaves of a variable are linked in order (EARLIER, LATER) from `first[variable]`. The fitness
  is the number of variables whose first leaf is x_i.

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

from gpruntime.engine.kernel import inlined
from gpruntime.engine.labels import AFTER, BEFORE, EARLIER, LATER, PARENT, PLACE, TERMINAL, label_leaf

# Columns of a join.
LEFT, RIGHT, ABOVE, INDEX = range(4)

# Numbers that belong to the tree as a whole.
ROOT, PRESENT = range(2)


class OrderState(NamedTuple):
    """A tree.

    Attributes:
        leaf: a row a leaf: TERMINAL, PARENT, BEFORE, AFTER, EARLIER, LATER (−1: none), PLACE (in the register).
        label: the order labels of the leaves.
        leaf_at: the register of leaves.
        join: a row a join: LEFT, RIGHT, ABOVE, INDEX (its place in the register).
        join_at: the register of joins.
        first: the first leaf of each variable, −1 for none.
        whole: ROOT, and how many variables are PRESENT.
    """

    leaf: NDArray[np.int32]
    label: NDArray[np.int64]
    leaf_at: NDArray[np.int32]
    join: NDArray[np.int32]
    join_at: NDArray[np.int32]
    first: NDArray[np.int32]
    whole: NDArray[np.int64]


@inlined
def node_at(state, leaves, index):
    """The node with this number in the register: leaves first, then joins."""
    if index < leaves:
        return np.int64(state.leaf_at[index])
    return -1 - np.int64(state.join_at[index - leaves])


@inlined
def neighbour(state, node, side):
    """The leaf that a new leaf goes before (side 0) or after (side 1): the first or last below the node."""
    while node < 0:
        node = np.int64(state.join[-1 - node, side])
    return node


@inlined
def _hang_in_place_of(state, old, new, above):
    """Puts `new` where `old` hangs below the join `above`; above = −1 is the root's place."""
    if above < 0:
        state.whole[ROOT] = new
    else:
        side = LEFT if state.join[above, LEFT] == old else RIGHT
        state.join[above, side] = new
    _set_parent(state, new, above)


@inlined
def _set_parent(state, node, above):
    if node >= 0:
        state.leaf[node, PARENT] = above
    else:
        state.join[-1 - node, ABOVE] = above


# ---- occurrences


@inlined
def is_positive(state, leaf):
    """1 for a leaf x_i, 0 for a leaf x̄_i or no leaf (−1)."""
    return np.int64(leaf >= 0 and state.leaf[leaf, TERMINAL] & 1 == 0)


@inlined
def link_occurrence(state, new):
    """Puts a labelled leaf among the occurrences of its variable; returns what that adds to the fitness."""
    variable = state.leaf[new, TERMINAL] >> 1
    mine = state.label[new]
    head = np.int64(state.first[variable])
    if head < 0 or mine < state.label[head]:
        state.leaf[new, EARLIER], state.leaf[new, LATER] = -1, head
        state.first[variable] = new
        if head >= 0:
            state.leaf[head, EARLIER] = new
        else:
            state.whole[PRESENT] += 1
        return is_positive(state, new) - is_positive(state, head)
    here, following = head, state.leaf[head, LATER]
    while following >= 0 and state.label[following] < mine:
        here, following = following, state.leaf[following, LATER]
    state.leaf[new, EARLIER], state.leaf[new, LATER] = here, following
    state.leaf[here, LATER] = new
    if following >= 0:
        state.leaf[following, EARLIER] = new
    return np.int64(0)


@inlined
def unlink_occurrence(state, old):
    """Takes a leaf out of the occurrences of its variable; returns what that adds to the fitness."""
    earlier, later = np.int64(state.leaf[old, EARLIER]), np.int64(state.leaf[old, LATER])
    if later >= 0:
        state.leaf[later, EARLIER] = earlier
    if earlier >= 0:
        state.leaf[earlier, LATER] = later
        return np.int64(0)
    state.first[state.leaf[old, TERMINAL] >> 1] = later
    if later < 0:
        state.whole[PRESENT] -= 1
    return is_positive(state, later) - is_positive(state, old)


# ---- the three changes; each returns what it adds to the fitness


@inlined
def insert_leaf(state, leaves, node, side, code):
    """Puts a new leaf beside a node; `leaves` is the number before."""
    new = np.int64(state.leaf_at[leaves])
    state.leaf[new, PLACE] = leaves
    state.leaf[new, TERMINAL] = code
    if leaves == 0:
        state.whole[ROOT] = new
        state.leaf[new, PARENT] = state.leaf[new, BEFORE] = state.leaf[new, AFTER] = -1
    else:
        beside = neighbour(state, node, side)
        join = np.int64(state.join_at[leaves - 1])
        above = np.int64(state.leaf[node, PARENT] if node >= 0 else state.join[-1 - node, ABOVE])
        _hang_in_place_of(state, node, -1 - join, above)
        state.join[join, INDEX] = leaves - 1
        state.join[join, side] = new
        state.join[join, 1 - side] = node
        state.leaf[new, PARENT] = join
        _set_parent(state, node, join)
        before = beside if side == 1 else np.int64(state.leaf[beside, BEFORE])
        _link_between(state, new, before, np.int64(state.leaf[beside, AFTER]) if side == 1 else beside)
    label_leaf(state.leaf, state.label, new)
    return link_occurrence(state, new)


@inlined
def _link_between(state, new, before, after):
    state.leaf[new, BEFORE], state.leaf[new, AFTER] = before, after
    if before >= 0:
        state.leaf[before, AFTER] = new
    if after >= 0:
        state.leaf[after, BEFORE] = new


@inlined
def delete_leaf(state, leaves, index):
    """Removes the leaf with this place in the register, and its parent; `leaves` is the number before."""
    old = np.int64(state.leaf_at[index])
    join = np.int64(state.leaf[old, PARENT])
    if join < 0:
        state.whole[ROOT] = -1
    else:
        sibling = np.int64(state.join[join, LEFT])
        if sibling == old:
            sibling = np.int64(state.join[join, RIGHT])
        _hang_in_place_of(state, -1 - join, sibling, np.int64(state.join[join, ABOVE]))
        _swap_join(state, np.int64(state.join[join, INDEX]), leaves - 2)
    before, after = state.leaf[old, BEFORE], state.leaf[old, AFTER]
    if before >= 0:
        state.leaf[before, AFTER] = after
    if after >= 0:
        state.leaf[after, BEFORE] = before
    _swap_leaf(state, index, leaves - 1)
    return unlink_occurrence(state, old)


@inlined
def _swap_leaf(state, i, j):
    a, b = state.leaf_at[i], state.leaf_at[j]
    state.leaf_at[i], state.leaf_at[j] = b, a
    state.leaf[a, PLACE], state.leaf[b, PLACE] = j, i


@inlined
def _swap_join(state, i, j):
    a, b = state.join_at[i], state.join_at[j]
    state.join_at[i], state.join_at[j] = b, a
    state.join[a, INDEX], state.join[b, INDEX] = j, i


@inlined
def substitute_leaf(state, index, code):
    """Gives the leaf with this place in the register another terminal."""
    leaf = np.int64(state.leaf_at[index])
    if state.leaf[leaf, TERMINAL] >> 1 == code >> 1:
        before = is_positive(state, leaf)
        state.leaf[leaf, TERMINAL] = code
        return is_positive(state, leaf) - before if state.leaf[leaf, EARLIER] < 0 else np.int64(0)
    gain = unlink_occurrence(state, leaf)
    state.leaf[leaf, TERMINAL] = code
    return gain + link_occurrence(state, leaf)
