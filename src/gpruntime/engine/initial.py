"""Initial trees, compiled: the same draws as `gpruntime.model.initial`, in the same order.

Where counts are enough, only the terminals are kept; the draws of the shape are made and forgotten (`draw_terminals`).
Others need the linked tree (`plant_initial_tree`). For it `unity` and `insertion` draw a shape first: two children of
each join, where `shape[2·j + side]` is a leaf's number ≥ 0 or a join i as −1 − i, and joins are numbered in the order
in which they were made. Then every tree is planted by one walk in pre-order, left before right. In such a walk the
joins come in pre-order and the leaves from left to right: as the register of an initial tree wants them, so slot, place
in the register and rank are the same number.
"""

from __future__ import annotations

from numpy import int64, uint64

from gpruntime.engine.jit import ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.linked_tree import (
    AFTER,
    BEFORE,
    LEFT,
    MIDDLE,
    NOBODY,
    NOWHERE,
    SPAN,
    TOP,
    is_positive,
    variable_of,
)
from gpruntime.engine.params import BALANCED, GROW, INSERTION, TREE, UNITY
from gpruntime.engine.random import below, word

_U11 = uint64(11)
_SHAPE = 3  # the shape begins in `initial` at this multiple of the leaves, see `params.initial_of`


@inlined_once
def draw_terminals(params, initial, rng, terminals):
    """Writes the terminals of a new initial tree from left to right into `terminals`; returns how many."""
    grows, unity = params.initial == GROW, params.initial == UNITY
    given = params.initial == TREE or params.initial == BALANCED
    if not given and not grows:
        for leaves in range(2 if unity else 1, params.initial_leaves):
            below(rng, leaves if unity else 2 * (2 * leaves - 1))
    leaves, waiting = ZERO, ONE if grows else params.initial_leaves
    while waiting > 0:
        if grows and leaves + waiting < params.initial_leaves and (word(rng) >> _U11) < params.join_below:
            waiting += 1
        else:
            terminals[leaves] = initial[leaves] if given else below(rng, params.terminals) << params.code_shift
            leaves += 1
            waiting -= 1
    return leaves


# ---- linked trees


@inlined
def _stack(params):
    """Where in `initial` there is room to work."""
    return 5 * params.initial_leaves + 2


@inlined
def _functions(params):
    """Where in `initial` the functions of the joins are, in pre-order."""
    return 8 * params.initial_leaves + 6


@helper
def plant_initial_tree(params, tree, run):
    """Draws and builds an initial tree; returns (leaves, variables whose first leaf is x_i)."""
    initial, rng = run.initial, run.rng
    for i in range(2 * run.cursor.room):
        tree.register[i] = i + 2
    for variable in range(params.n):
        tree.first[variable] = NOBODY
    tree.nodes[NOBODY].terminal = 1
    tree.nodes[NOBODY + 1].label_in_slot = NOWHERE
    tree.nodes[TOP].children[LEFT] = NOBODY
    if params.initial_leaves == 0:
        return ZERO, ZERO
    root = ZERO
    if params.initial == UNITY or params.initial == INSERTION:
        root = _draw_shape(params, initial, rng)
        for join in range(params.initial_leaves - 1 if params.functions > 1 else ZERO):
            initial[_functions(params) + join] = below(rng, params.functions)
    leaves = _plant(params, tree, initial, rng, root)
    return leaves, _link_occurrences(tree, leaves)


@inlined_once
def _link_occurrences(tree, leaves):
    """From the right, so that each leaf is the first of its variable when it comes; returns the fitness."""
    fitness = int64(0)
    for i in range(leaves - 1, -1, -1):
        new = 2 * int64(i + 1)
        variable = variable_of(tree, new)
        following = int64(tree.first[variable])
        tree.nodes[new].earlier = NOBODY
        tree.nodes[new].later = following
        tree.nodes[following].earlier = new
        tree.first[variable] = new
        fitness += is_positive(tree, new) - is_positive(tree, following)
    return fitness


@inlined_once
def _draw_shape(params, initial, rng):
    """Draws the children of each join, from one leaf on; returns the root.

    Each new leaf comes beside a node: to the right of a uniform leaf (`unity`), or to a fair side of a uniform node
    (`insertion`). Leaf i hangs at places[i], join j at places[leaves + j]: 2·join + side, or −1 for the root.
    """
    places, shape, leaves = _stack(params), _SHAPE * params.initial_leaves, params.initial_leaves
    root, unity = ZERO, params.initial == UNITY
    initial[places] = -1
    for t in range(1, leaves):
        if unity:
            node, side = below(rng, t) if t > 1 else ZERO, ONE
        else:
            place = below(rng, 2 * (2 * t - 1))
            node, side = place >> 1, place & 1  # side 0: the new leaf to the left
        join = t - 1
        where = node if node < t else leaves + node - t
        child = node if node < t else -1 - (node - t)
        above = int64(initial[places + where])
        if above < 0:
            root = int64(-1 - join)
        else:
            initial[shape + above] = -1 - join
        initial[places + leaves + join] = above
        initial[shape + 2 * join + side], initial[shape + 2 * join + 1 - side] = t, child
        initial[places + t], initial[places + where] = 2 * join + side, 2 * join + 1 - side
    return root


@inlined_once
def _is_join(params, initial, rng, node, number, bound_to_be):
    """Whether the next node of the walk is a join: by halves, as drawn, as given, or drawn now."""
    if params.initial == BALANCED:
        return node > 1
    if params.initial == TREE:
        return initial[params.initial_leaves + number] > 0
    if params.initial == GROW:
        return bound_to_be + 1 < params.initial_leaves and (word(rng) >> _U11) < params.join_below
    return node < 0


@inlined_once
def _function_of(params, initial, rng, join, number):
    """The function of a join: as drawn before, as given, the first, or drawn now."""
    if params.initial == UNITY or params.initial == INSERTION:
        return int64(initial[_functions(params) + join])
    if params.initial == TREE:
        return int64(initial[params.initial_leaves + number]) - 1
    return ZERO if params.initial == BALANCED else below(rng, params.functions)


@helper
def _plant(params, tree, initial, rng, root):
    """Walks the shape and writes leaves and joins; returns the number of leaves.

    A stack entry is a node and the place where it hangs: 2·join + side, −2 for the root's. What a node is depends: its
    number in the drawn shape for UNITY and INSERTION, the leaves below it for BALANCED, nothing for TREE and GROW.
    """
    fixed = params.initial == TREE or params.initial == BALANCED
    shape, stack = _SHAPE * params.initial_leaves, _stack(params)
    halves = params.initial == BALANCED
    initial[stack], initial[stack + 1] = (params.initial_leaves if halves else root), -2
    waiting, joins, leaves = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        node, place = int64(initial[stack + 2 * waiting]), int64(initial[stack + 2 * waiting + 1])
        above = (place | 1) + 2  # join i has slot i + 1, and TOP the slot before the first
        if _is_join(params, initial, rng, node, joins + leaves, leaves + waiting):
            left, right = int64(0), int64(0)
            if halves:
                left, right = (node + 1) // 2, node // 2
            elif params.initial == UNITY or params.initial == INSERTION:
                join = -1 - node
                left, right = int64(initial[shape + 2 * join]), int64(initial[shape + 2 * join + 1])
            initial[stack + 2 * waiting], initial[stack + 2 * waiting + 1] = right, 2 * joins + 1
            initial[stack + 2 * waiting + 2], initial[stack + 2 * waiting + 3] = left, 2 * joins
            waiting += 2
            child = 2 * (joins + 1) + 1
            tree.nodes[child].place = joins
            if params.functions > 1:
                tree.nodes[child].function = _function_of(params, initial, rng, joins, joins + leaves)
            joins += 1
        else:
            child = 2 * (leaves + 1)
            tree.nodes[child].place = leaves
            tree.nodes[child].neighbours[BEFORE] = child - 2
            tree.nodes[child].neighbours[AFTER] = child + 2
            tree.nodes[child + 1].label_in_slot = MIDDLE + SPAN // params.initial_leaves * leaves
            tree.nodes[child].terminal = initial[leaves] if fixed else below(rng, params.terminals) << params.code_shift
            leaves += 1
        tree.nodes[child].parent = above
        tree.nodes[above].children[place & 1] = child
    tree.nodes[2 * leaves].neighbours[AFTER] = NOBODY
    return leaves
