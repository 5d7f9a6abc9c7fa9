"""Initial trees of ORDER: the same draws as `gpruntime.model.initial`, and the tree they make.

`unity` and `insertion` draw a shape first. For `unity` that is how many leaves each join has to its left, joins in
pre-order. For `insertion` it is two children of each join: `shape[2·j + side]` is a leaf's number ≥ 0 or a join i as
−1 − i, and joins are numbered in the order in which they were made. Then every tree is planted by one walk in
pre-order, left before right. In such a walk the joins come in pre-order and the leaves from left to right: as the
register of an initial tree wants them, so slot, place in the register and rank are the same number.
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import inlined, njit
from gpruntime.engine.labels import (
    AFTER,
    BEFORE,
    EARLIER,
    HALF,
    LABEL,
    LATER,
    LEFT,
    MIDDLE,
    NOBODY,
    NOWHERE,
    PARENT,
    PLACE,
    ROW,
    SPAN,
    TERMINAL,
    TOP,
)
from gpruntime.engine.law import BALANCED, INSERTION, TREE, UNITY
from gpruntime.engine.ordered import is_positive
from gpruntime.engine.prefetch import prefetch
from gpruntime.engine.random import below, word

_U11 = np.uint64(11)
_AHEAD = 16  # openings


@njit
def plant_initial_tree(law, given, state, rng):
    """Draws and builds an initial tree; returns (leaves, fitness)."""
    for i in range(state.register.shape[0]):
        state.register[i] = i + 2
    state.first[:] = NOBODY
    state.present[0] = 0
    state.node[ROW * NOBODY + TERMINAL], state.label[HALF * NOBODY + LABEL] = 1, NOWHERE
    state.node[ROW * TOP + LEFT] = NOBODY
    if given.leaves == 0:
        return 0, 0
    root = np.int64(0)
    if given.kind == UNITY:
        _draw_unity(given, rng)
    elif given.kind == INSERTION:
        root = _draw_insertion(given, rng)
    leaves = _plant(law, given, state, rng, root)
    return leaves, _link_occurrences(state, leaves)


@inlined
def initial_label(given, rank):
    """The order label of a leaf of an initial tree."""
    return MIDDLE + SPAN // given.leaves * rank


@inlined
def _link_occurrences(state, leaves):
    """From the right, so that each leaf is the first of its variable when it comes; returns the fitness."""
    fitness = np.int64(0)
    for i in range(leaves - 1, -1, -1):
        new = 2 * np.int64(i + 1)
        soon = np.int64(state.node[ROW * max(new - 2 * _AHEAD, 2) + TERMINAL]) >> 1
        prefetch(state.first, soon)
        soon = np.int64(state.node[ROW * max(new - _AHEAD, 2) + TERMINAL]) >> 1
        prefetch(state.node, ROW * np.int64(state.first[soon]))
        variable = np.int64(state.node[ROW * new + TERMINAL]) >> 1
        following = np.int64(state.first[variable])
        state.node[ROW * new + EARLIER], state.node[ROW * new + LATER] = NOBODY, following
        state.node[ROW * following + EARLIER] = new
        state.first[variable] = new
        state.present[0] += following == NOBODY
        fitness += is_positive(state, new) - is_positive(state, following)
    return fitness


@njit
def _draw_unity(given, rng):
    """Writes how many leaves each join has to its left, joins in pre-order.

    Opening position p makes a join, whose left child is p from now on and whose right child is the new position q. So
    from the last opening back to the first, what q holds goes back to p, and sizes add up; then, from the first on, a
    join, its left part and its right part follow each other in pre-order. Openings wait in the order they were drawn,
    so memory all over the tree can be asked for ahead of time, as it could not in a walk from join to join.
    """
    leaves = given.leaves
    opened, left_of, held = given.stack[:leaves], given.stack[leaves:], given.shape[leaves:]
    opened[: min(leaves, 2)] = 0
    for q in range(2, leaves):
        opened[q] = below(rng, q)
    size = held  # of what a position holds
    size[:leaves] = 1
    for q in range(leaves - 1, 0, -1):
        prefetch(size, np.int64(opened[max(q - _AHEAD, 0)]))
        p = np.int64(opened[q])
        left_of[q] = size[p]
        size[p] += size[q]
    number = held  # of the join that comes next in pre-order, if a position is opened
    number[0] = 0
    for q in range(1, leaves):
        prefetch(number, np.int64(opened[min(q + _AHEAD, leaves - 1)]))
        p = np.int64(opened[q])
        join = np.int64(number[p])
        given.shape[join] = left_of[q]
        number[p], number[q] = join + 1, join + left_of[q]


@njit
def _draw_insertion(given, rng):
    """Leaf i hangs at places[i], join j at places[leaves + j]: 2·join + side, or −1 for the root."""
    places, shape, leaves = given.stack, given.shape, given.leaves
    root = np.int64(0)
    places[0] = -1
    for t in range(1, leaves):
        place = below(rng, 2 * (2 * t - 1))
        node, side = place >> 1, place & 1  # side 0: the new leaf to the left
        join = t - 1
        where = node if node < t else leaves + node - t
        child = node if node < t else -1 - (node - t)
        at = places[where]
        if at < 0:
            root = np.int64(-1 - join)
        else:
            shape[at] = -1 - join
        places[leaves + join] = at
        shape[2 * join + side], shape[2 * join + 1 - side] = t, child
        places[t], places[where] = 2 * join + side, 2 * join + 1 - side
    return root


@inlined
def _is_join(given, rng, node, number, bound_to_be):
    """Whether the next node of the walk is a join: as drawn, by halves, as given, or drawn now."""
    if given.kind == UNITY or given.kind == BALANCED:
        return node > 1
    if given.kind == INSERTION:
        return node < 0
    if given.kind == TREE:
        return given.nodes[number] == 1
    return bound_to_be + 1 < given.leaves and (word(rng) >> _U11) < given.join


@njit
def _plant(law, given, state, rng, root):
    """Walks the shape and writes leaves and joins; returns the number of leaves.

    A stack entry is a node and the place where it hangs: 2·join + side, −2 for the root's. What a node is depends: its
    number in the drawn shape for INSERTION, the leaves below it for UNITY and BALANCED, nothing for TREE and GROW.
    """
    fixed = given.kind == TREE or given.kind == BALANCED
    stack = given.stack
    by_size = given.kind == UNITY or given.kind == BALANCED
    stack[0], stack[1] = (given.leaves if by_size else root), -2
    waiting, joins, leaves = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        node, place = np.int64(stack[2 * waiting]), np.int64(stack[2 * waiting + 1])
        above = (place | 1) + 2  # join i has slot i + 1, and TOP the slot before the first
        if _is_join(given, rng, node, joins + leaves, leaves + waiting):
            left, right = np.int64(0), np.int64(0)
            if by_size:
                left = np.int64(given.shape[joins]) if given.kind == UNITY else (node + 1) // 2
                right = node - left
            elif given.kind == INSERTION:
                join = -1 - node
                left, right = np.int64(given.shape[2 * join]), np.int64(given.shape[2 * join + 1])
                prefetch(given.shape, -2 - 2 * right)  # its turn comes later
            stack[2 * waiting], stack[2 * waiting + 1] = right, 2 * joins + 1
            stack[2 * waiting + 2], stack[2 * waiting + 3] = left, 2 * joins
            waiting += 2
            child = 2 * (joins + 1) + 1
            given.left_end[joins] = leaves
            state.node[ROW * child + PLACE] = joins
            joins += 1
        else:
            child = 2 * (leaves + 1)
            state.node[ROW * child + PLACE] = leaves
            state.node[ROW * child + BEFORE], state.node[ROW * child + AFTER] = child - 2, child + 2
            state.label[HALF * child + LABEL] = initial_label(given, leaves)
            state.node[ROW * child + TERMINAL] = given.codes[leaves] if fixed else below(rng, 2 * law.n)
            leaves += 1
        state.node[ROW * child + PARENT] = above
        state.node[ROW * above + (place & 1)] = child
    state.node[ROW * 2 * leaves + AFTER] = NOBODY
    return leaves
