"""Initial trees where functions have any number of arguments: the same draws as `gpruntime.model.any_initial`."""

from __future__ import annotations

from numpy import int64, uint64

from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper
from gpruntime.engine.law import INSERTION, TREE, UNITY
from gpruntime.engine.memory import tail
from gpruntime.engine.random import below, word
from gpruntime.engine.two_trees import (
    CHILD,
    FUNCTION,
    JOINS,
    ROOT,
    TERMINAL,
    copy_join,
    insert_above,
    push_children,
    row_of,
)

_U11 = uint64(11)


@helper
def _drawn_function(law, rng, room, least):
    """A uniform one of the functions that add at most so many leaves; −1 if there is none."""
    fitting = ZERO
    for function in range(law.functions):
        fitting += least <= law.arities[function] <= room + 1
    number = below(rng, fitting) if fitting > 1 else ZERO
    for function in range(law.functions):
        if least <= law.arities[function] <= room + 1:
            if number == 0:
                return int64(function)
            number -= 1
    return MINUS_ONE


@helper
def _fits_any(law, room, least):
    for function in range(law.functions):
        if least <= law.arities[function] <= room + 1:
            return True
    return False


@helper
def _hang(law, tree, position, node):
    """A position is a join's and a child's place in it, as one number; −1 for the root."""
    if position < 0:
        tree[ROOT] = node
    else:
        tree[row_of(law, 2 * (position // law.width) + 1) + CHILD + position % law.width] = node


@helper
def _draw_unity(law, tree, positions, rng):
    """Opens positions, then hangs a leaf in each; returns how many."""
    positions[0] = -1
    open_ = 1
    while _fits_any(law, law.planted - open_, 2):
        p = below(rng, open_) if open_ > 1 else ZERO
        function = _drawn_function(law, rng, law.planted - open_, 2)
        slot = tree[JOINS]
        tree[JOINS] += 1
        tree[row_of(law, 2 * slot + 1) + FUNCTION] = function
        _hang(law, tree, positions[p], 2 * slot + 1)
        positions[p] = law.width * slot
        for place in range(1, law.arities[function]):
            positions[open_] = law.width * slot + place
            open_ += 1
    for leaf in range(open_):
        _hang(law, tree, positions[leaf], 2 * leaf)
    return open_


@helper
def _draw_insertion(law, tree, fresh, rng):
    """Insertions from a single leaf; returns how many there are."""
    leaves = int64(1)
    tree[ROOT] = 0
    while _fits_any(law, law.planted - leaves, 2):
        site = below(rng, leaves + tree[JOINS])
        function = _drawn_function(law, rng, law.planted - leaves, 2)
        leaves = insert_above(law, tree, fresh, leaves, site, function, below(rng, law.arities[function]))
    return leaves


@helper
def _fill(law, source, target, stack, moved, rng):
    """The same tree with its register in order and uniform terminals, from left to right."""
    stack[0] = source[ROOT]
    waiting, leaves, joins = 1, ZERO, ZERO
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node & 1 == 0:
            moved[node] = 2 * leaves
            target[row_of(law, 2 * leaves) + TERMINAL] = below(rng, law.codes) << law.double
            leaves += 1
        else:
            moved[node] = 2 * joins + 1
            joins += 1
            waiting = push_children(law, source, stack, waiting, node, -1)
    for slot in range(joins):
        copy_join(law, source, target, 2 * slot + 1, moved)
    target[ROOT], target[JOINS] = moved[source[ROOT]], joins


@helper
def _walk(law, tree, stack, drawing, rng):
    """A tree as it is given, or grown: from the root down and from left to right; returns the number of leaves."""
    given = law.init == TREE
    stack[0] = -1
    waiting, leaves, number = 1, ZERO, ZERO
    while waiting > 0:
        waiting -= 1
        position, function = stack[waiting], MINUS_ONE
        if given:
            function = int64(drawing[1 + number]) - 1
            number += 1
        elif (
            tree[JOINS] < law.planted
            and _fits_any(law, law.planted - leaves - waiting - 1, 1)
            and (word(rng) >> _U11) < law.join
        ):
            function = _drawn_function(law, rng, law.planted - leaves - waiting - 1, 1)
        if function < 0:
            code = -int64(drawing[number]) if given else below(rng, law.codes) << law.double
            tree[row_of(law, 2 * leaves) + TERMINAL] = code
            _hang(law, tree, position, 2 * leaves)
            leaves += 1
            continue
        slot = tree[JOINS]
        tree[JOINS] += 1
        tree[row_of(law, 2 * slot + 1) + FUNCTION] = function
        _hang(law, tree, position, 2 * slot + 1)
        arity = law.arities[function]
        for i in range(arity):
            stack[waiting + i] = law.width * slot + arity - 1 - i
        waiting += arity
    return leaves


@helper
def plant_any(law, at, cells, wide, tiny, drawing, rng):
    """Draws the initial tree as the parent; returns its number of leaves."""
    parent, offspring, stack = tail(wide, at.parent), tail(wide, at.offspring), tail(wide, at.stack)
    for tree in (parent, offspring):
        tree[ROOT], tree[JOINS] = -1, 0
    if law.planted == 0:
        return ZERO
    if law.init != UNITY and law.init != INSERTION:
        return _walk(law, parent, stack, drawing, rng)
    if law.init == UNITY:
        leaves = _draw_unity(law, offspring, stack, rng)
    else:
        leaves = _draw_insertion(law, offspring, tail(wide, at.fresh), rng)
    _fill(law, offspring, parent, stack, tail(wide, at.moved), rng)
    return leaves
