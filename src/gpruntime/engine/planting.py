"""Initial trees that are planted: the same draws as `gpruntime.model.initial`, and the tree they make.

`unity` and `insertion` draw a shape first. For `unity` that is how many leaves each join has to its left, joins in
pre-order. For `insertion` it is two children of each join: `shape[2·j + side]` is a leaf's number ≥ 0 or a join i as
−1 − i, and joins are numbered in the order in which they were made. Then every tree is planted by one walk in
pre-order, left before right. In such a walk the joins come in pre-order and the leaves from left to right: as the
register of an initial tree wants them, so slot, place in the register and rank are the same number.
"""

from __future__ import annotations

from numpy import int64, uint64

from gpruntime.engine.kernel import ZERO, helper, inlined, pasted
from gpruntime.engine.labels import MIDDLE, NOWHERE, SPAN
from gpruntime.engine.law import BALANCED, INSERTION, TREE, UNITY
from gpruntime.engine.nodes import (
    AFTER,
    BEFORE,
    EARLIER,
    FUNCTION,
    LABEL,
    LATER,
    LEFT,
    NOBODY,
    PARENT,
    PLACE,
    TERMINAL,
    TOP,
    get,
    put,
)
from gpruntime.engine.ordered import is_positive
from gpruntime.engine.random import below, word

_U11 = uint64(11)
_SHAPE = 3  # the shape begins in `drawing` at this multiple of the leaves, see `law.drawing_of`


@inlined
def _stack(law):
    """Where in `drawing` there is room to work."""
    return 5 * law.planted + 2


@inlined
def _functions(law):
    """Where in `drawing` the functions of the joins are, in pre-order."""
    return 8 * law.planted + 6


@inlined
def left_ends(law):
    """Where in `drawing` the first leaf below each join is written, for `glance`."""
    return 7 * law.planted + 6


@helper
def plant_initial_tree(law, at, cells, wide, tiny, drawing, rng):
    """Draws and builds an initial tree; returns (leaves, fitness)."""
    for i in range(at.first - at.register):
        cells[at.register + i] = i + 2
    for variable in range(law.n):
        cells[at.first + variable] = NOBODY
    cells[at.present] = 0
    put(cells, NOBODY, TERMINAL, 1)
    put(wide, NOBODY, LABEL, NOWHERE)
    put(cells, TOP, LEFT, NOBODY)
    if law.planted == 0:
        return ZERO, ZERO
    root = ZERO
    if law.init == UNITY:
        _draw_unity(law, drawing, rng)
    elif law.init == INSERTION:
        root = _draw_insertion(law, drawing, rng)
    if law.functions > 1 and (law.init == UNITY or law.init == INSERTION):
        for join in range(law.planted - 1):
            drawing[_functions(law) + join] = below(rng, law.functions)
    leaves = _plant(law, cells, wide, drawing, rng, root)
    return leaves, _link_occurrences(at, cells, leaves)


@inlined
def initial_label(law, rank):
    """The order label of a leaf of an initial tree."""
    return MIDDLE + SPAN // law.planted * rank


@pasted
def _link_occurrences(at, cells, leaves):
    """From the right, so that each leaf is the first of its variable when it comes; returns the fitness."""
    fitness = int64(0)
    for i in range(leaves - 1, -1, -1):
        new = 2 * int64(i + 1)
        variable = get(cells, new, TERMINAL) >> 1
        following = int64(cells[at.first + variable])
        put(cells, new, EARLIER, NOBODY)
        put(cells, new, LATER, following)
        put(cells, following, EARLIER, new)
        cells[at.first + variable] = new
        cells[at.present] += following == NOBODY
        fitness += is_positive(cells, new) - is_positive(cells, following)
    return fitness


@pasted
def _draw_unity(law, drawing, rng):
    """Writes how many leaves each join has to its left, joins in pre-order.

    Opening position p makes a join, whose left child is p from now on and whose right child is the new position q. So
    from the last opening back to the first, what q holds goes back to p, and sizes add up; then, from the first on, a
    join, its left part and its right part follow each other in pre-order. Openings wait in the order they were drawn,
    so the processor sees ahead what memory it will need, as it could not in a walk from join to join.
    """
    leaves, shape = law.planted, _SHAPE * law.planted
    opened, left_of = _stack(law), _stack(law) + leaves
    held = shape + leaves
    for position in range(leaves):
        drawing[opened + position] = below(rng, position) if position > 1 else 0
        drawing[held + position] = 1  # the size of what a position holds
    for q in range(leaves - 1, 0, -1):
        p = int64(drawing[opened + q])
        drawing[left_of + q] = drawing[held + p]
        drawing[held + p] += drawing[held + q]
    drawing[held] = 0  # from now on the number of the join that comes next in pre-order, if a position is opened
    for q in range(1, leaves):
        p = int64(drawing[opened + q])
        join, left = int64(drawing[held + p]), int64(drawing[left_of + q])
        drawing[shape + join] = left
        drawing[held + p], drawing[held + q] = join + 1, join + left


@pasted
def _draw_insertion(law, drawing, rng):
    """Leaf i hangs at places[i], join j at places[leaves + j]: 2·join + side, or −1 for the root."""
    places, shape, leaves = _stack(law), _SHAPE * law.planted, law.planted
    root = ZERO
    drawing[places] = -1
    for t in range(1, leaves):
        place = below(rng, 2 * (2 * t - 1))
        node, side = place >> 1, place & 1  # side 0: the new leaf to the left
        join = t - 1
        where = node if node < t else leaves + node - t
        child = node if node < t else -1 - (node - t)
        above = int64(drawing[places + where])
        if above < 0:
            root = int64(-1 - join)
        else:
            drawing[shape + above] = -1 - join
        drawing[places + leaves + join] = above
        drawing[shape + 2 * join + side], drawing[shape + 2 * join + 1 - side] = t, child
        drawing[places + t], drawing[places + where] = 2 * join + side, 2 * join + 1 - side
    return root


@pasted
def _is_join(law, drawing, rng, node, number, bound_to_be):
    """Whether the next node of the walk is a join: as drawn, by halves, as given, or drawn now."""
    if law.init == UNITY or law.init == BALANCED:
        return node > 1
    if law.init == INSERTION:
        return node < 0
    if law.init == TREE:
        return drawing[law.planted + number] > 0
    return bound_to_be + 1 < law.planted and (word(rng) >> _U11) < law.join


@pasted
def _function_of(law, drawing, rng, join, number):
    """The function of a join: as drawn before, as given, the first, or drawn now."""
    if law.init == UNITY or law.init == INSERTION:
        return int64(drawing[_functions(law) + join])
    if law.init == TREE:
        return int64(drawing[law.planted + number]) - 1
    return ZERO if law.init == BALANCED else below(rng, law.functions)


@helper
def _plant(law, cells, wide, drawing, rng, root):
    """Walks the shape and writes leaves and joins; returns the number of leaves.

    A stack entry is a node and the place where it hangs: 2·join + side, −2 for the root's. What a node is depends: its
    number in the drawn shape for INSERTION, the leaves below it for UNITY and BALANCED, nothing for TREE and GROW.
    """
    fixed = law.init == TREE or law.init == BALANCED
    shape, stack, left_end = _SHAPE * law.planted, _stack(law), left_ends(law)
    by_size = law.init == UNITY or law.init == BALANCED
    drawing[stack], drawing[stack + 1] = (law.planted if by_size else root), -2
    waiting, joins, leaves = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        node, place = int64(drawing[stack + 2 * waiting]), int64(drawing[stack + 2 * waiting + 1])
        above = (place | 1) + 2  # join i has slot i + 1, and TOP the slot before the first
        if _is_join(law, drawing, rng, node, joins + leaves, leaves + waiting):
            left, right = int64(0), int64(0)
            if by_size:
                left = int64(drawing[shape + joins]) if law.init == UNITY else (node + 1) // 2
                right = node - left
            elif law.init == INSERTION:
                join = -1 - node
                left, right = int64(drawing[shape + 2 * join]), int64(drawing[shape + 2 * join + 1])
            drawing[stack + 2 * waiting], drawing[stack + 2 * waiting + 1] = right, 2 * joins + 1
            drawing[stack + 2 * waiting + 2], drawing[stack + 2 * waiting + 3] = left, 2 * joins
            waiting += 2
            child = 2 * (joins + 1) + 1
            drawing[left_end + joins] = leaves
            put(cells, child, PLACE, joins)
            if law.functions > 1:
                put(cells, child, FUNCTION, _function_of(law, drawing, rng, joins, joins + leaves))
            joins += 1
        else:
            child = 2 * (leaves + 1)
            put(cells, child, PLACE, leaves)
            put(cells, child, BEFORE, child - 2)
            put(cells, child, AFTER, child + 2)
            put(wide, child, LABEL, initial_label(law, leaves))
            put(cells, child, TERMINAL, drawing[leaves] if fixed else below(rng, law.codes) << law.double)
            leaves += 1
        put(cells, child, PARENT, above)
        put(cells, above, place & 1, child)
    put(cells, 2 * leaves, AFTER, NOBODY)
    return leaves
