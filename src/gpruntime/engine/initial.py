"""Initial trees, compiled: the same draws as `gpruntime.model.initial`, in the same order.

Where counts are enough, only the terminals are kept; the draws of the shape are made and forgotten (`draw_terminals`).
Others need the linked tree (`plant_initial_tree`). For it `unity` and `insertion` draw a shape first. Then every tree
is planted by one walk in pre-order, left before right. In such a walk the joins come in pre-order and the leaves from
left to right: as the register of an initial tree wants them, so slot, place in the register and rank are the same
number.

Trees in postfix order come about by way of a linked tree where functions have two arguments (`plant_binary`), and token
by token where they have others (`plant_any`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64, uint64

from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.linked_tree import (
    AFTER,
    BEFORE,
    LEFT,
    MIDDLE,
    NOBODY,
    NOWHERE,
    RIGHT,
    SPAN,
    TOP,
    child_of,
    edge_of,
    is_positive,
    variable_of,
)
from gpruntime.engine.params import BALANCED, GROW, INSERTION, TREE, UNITY, initial_of
from gpruntime.engine.postfix_tree import (
    JOIN,
    JOINS,
    LEAF,
    arity_at,
    copy_tokens,
    enroll,
    insert_above,
    parent_of,
)
from gpruntime.engine.random import below, word
from gpruntime.engine.run_state import INSERT, Operation
from gpruntime.engine.tree_memory import records
from gpruntime.model.spec import RunSpec

_U11 = uint64(11)
_CHILDREN = np.dtype([("children", (np.int32, 2))])
_HANGING = np.dtype([("node", np.int32), ("place", np.int32)])


class Planting(NamedTuple):
    """The initial tree as it is given, and room to draw it in."""

    given: Any  # see `params.initial_of`
    shape: Any  # the children of each join that is drawn, a leaf's number ≥ 0 or a join i as −1 − i; for `unity` in
    # place of the left one the leaves below it
    leaf_places: Any  # where each leaf of the shape hangs, 2·join + side; −1 for the root
    join_places: Any  # where each join does
    functions: Any  # of the joins in pre-order, where they are drawn beforehand
    stack: Any  # nodes that the walk has still to plant, and the places where they hang


def planting_of(spec: RunSpec, has_shape: bool) -> Planting:
    """What kernels need to plant the initial trees of a spec, in memory that `has_shape` or not."""
    leaves = spec.init.leaves + 1 if has_shape and spec.primitives.is_binary else 0
    leaf_places, join_places, functions = np.zeros((3, leaves), np.int32)
    shape, stack = records(leaves, _CHILDREN), records(leaves, _HANGING)
    return Planting(initial_of(spec, has_shape), shape, leaf_places, join_places, functions, stack)


@inlined_once
def draw_terminals(params, given, rng, terminals):
    """Writes the terminals of a new initial tree from left to right into `terminals`; returns how many."""
    grows, unity = params.initial == GROW, params.initial == UNITY
    is_given = params.initial == TREE or params.initial == BALANCED
    if not is_given and not grows:
        for leaves in range(2 if unity else 1, params.initial_leaves):
            below(rng, leaves if unity else 2 * (2 * leaves - 1))
    leaves, waiting = ZERO, ONE if grows else params.initial_leaves
    while waiting > 0:
        if grows and leaves + waiting < params.initial_leaves and (word(rng) >> _U11) < params.join_below:
            waiting += 1
        else:
            terminals[leaves] = given[leaves] if is_given else below(rng, params.terminals) << params.code_shift
            leaves += 1
            waiting -= 1
    return leaves


# ---- linked trees


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
    if params.initial == UNITY:
        _draw_unity(params, initial, rng)
    elif params.initial == INSERTION:
        root = _draw_insertion(params, initial, rng)
    if params.initial == UNITY or params.initial == INSERTION:
        for join in range(params.initial_leaves - 1 if params.functions > 1 else ZERO):
            initial.functions[join] = below(rng, params.functions)
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
def _draw_unity(params, initial, rng):
    """Draws how many leaves each join has to its left, in place of its left child; joins in pre-order.

    Opening position p makes a join, whose left child is p from now on and whose right child is the new position q. So
    from the last opening back to the first, what q holds goes back to p, and sizes add up; then, from the first on, a
    join, its left part and its right part follow each other in pre-order. Openings wait in the order they were drawn,
    so the processor sees ahead what memory it will need: a walk from join to join takes 3.7 times as long at n = 10⁶.
    """
    opened, left_of, held = initial.leaf_places, initial.join_places, initial.stack
    for position in range(params.initial_leaves):
        opened[position] = below(rng, position) if position > 1 else 0
        held[position].node = 1  # the size of what a position holds
    for q in range(params.initial_leaves - 1, 0, -1):
        p = int64(opened[q])
        left_of[q] = held[p].node
        held[p].node += held[q].node
    held[0].node = 0  # from now on the number of the join that comes next in pre-order, if a position is opened
    for q in range(1, params.initial_leaves):
        p = int64(opened[q])
        join, left = int64(held[p].node), int64(left_of[q])
        initial.shape[join].children[LEFT] = left
        held[p].node, held[q].node = join + 1, join + left


@inlined_once
def _draw_insertion(params, initial, rng):
    """Draws the children of each join, from one leaf on; returns the root, as in `Planting.shape`.

    Each new leaf comes to a fair side of a uniform node; joins are numbered in the order in which they are made.
    """
    shape, leaf_places, join_places = initial.shape, initial.leaf_places, initial.join_places
    root = ZERO
    leaf_places[0] = -1
    for leaf in range(1, params.initial_leaves):
        place = below(rng, 2 * (2 * leaf - 1))
        node, side = place >> 1, place & 1  # side 0: the new leaf to the left
        join, is_leaf = leaf - 1, node < leaf
        above = int64(leaf_places[node] if is_leaf else join_places[node - leaf])
        if above < 0:
            root = int64(-1 - join)
        else:
            shape[above >> 1].children[above & 1] = -1 - join
        shape[join].children[side], shape[join].children[1 - side] = leaf, node if is_leaf else leaf - node - 1
        join_places[join], leaf_places[leaf] = above, 2 * join + side
        if is_leaf:
            leaf_places[node] = 2 * join + 1 - side
        else:
            join_places[node - leaf] = 2 * join + 1 - side
    return root


@inlined_once
def _is_join(params, initial, rng, node, number, bound_to_be):
    """Whether the next node of the walk is a join: by its size, as given, drawn now, or as drawn before.

    It is a `node` of the stack, the walk's with this `number`; the tree will have at least `bound_to_be` leaves.
    """
    if params.initial == UNITY or params.initial == BALANCED:
        return node > 1
    if params.initial == TREE:
        return initial.given[params.initial_leaves + number] > 0
    if params.initial == GROW:
        return bound_to_be + 1 < params.initial_leaves and (word(rng) >> _U11) < params.join_below
    return node < 0


@inlined_once
def _function_of(params, initial, rng, join, number):
    """The function of a join, the walk's node with this number: as drawn before, as given, the first, or drawn now."""
    if params.initial == UNITY or params.initial == INSERTION:
        return int64(initial.functions[join])
    if params.initial == TREE:
        return int64(initial.given[params.initial_leaves + number]) - 1
    return ZERO if params.initial == BALANCED else below(rng, params.functions)


@helper
def _plant(params, tree, initial, rng, root):
    """Walks the shape and writes leaves and joins; returns the number of leaves.

    On the stack are nodes and the places where they hang: 2·join + side, −2 for the root's. What a node is depends: its
    number in the drawn shape for INSERTION, the leaves below it for UNITY and BALANCED, nothing for TREE and GROW.
    """
    fixed, stack = params.initial == TREE or params.initial == BALANCED, initial.stack
    by_size = params.initial == UNITY or params.initial == BALANCED
    stack[0].node, stack[0].place = (params.initial_leaves if by_size else root), -2
    waiting, joins, leaves = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        node, place = int64(stack[waiting].node), int64(stack[waiting].place)
        above = (place | 1) + 2  # join i has slot i + 1, and TOP the slot before the first
        if _is_join(params, initial, rng, node, joins + leaves, leaves + waiting):
            left, right = int64(0), int64(0)
            if by_size:
                left = int64(initial.shape[joins].children[LEFT]) if params.initial == UNITY else (node + 1) // 2
                right = node - left
            elif params.initial == INSERTION:
                children = initial.shape[-1 - node].children
                left, right = int64(children[LEFT]), int64(children[RIGHT])
            stack[waiting].node, stack[waiting].place = right, 2 * joins + 1
            stack[waiting + 1].node, stack[waiting + 1].place = left, 2 * joins
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
            code = initial.given[leaves] if fixed else below(rng, params.terminals) << params.code_shift
            tree.nodes[child].terminal = code
            leaves += 1
        tree.nodes[child].parent = above
        tree.nodes[above].children[place & 1] = child
    tree.nodes[2 * leaves].neighbours[AFTER] = NOBODY
    return leaves


# ---- postfix trees


@helper
def register_in_order(params, trees, tree, size):
    """Puts the register into its first order: leaves from left to right, joins in pre-order; returns the leaves."""
    begins, stack = trees.begins, trees.stack
    leaves, joins, waiting = ZERO, ZERO, ZERO
    for position in range(size):
        begins[position] = position
        if tree.tokens[position] >= 0:
            tree.register[2 * leaves + LEAF] = position
            leaves += 1
        else:
            for _ in range(arity_at(params, tree, position)):
                begins[position] = begins[begins[position] - 1]
    if size > 0:
        stack[0], waiting = size - 1, ONE
    while waiting > 0:
        waiting -= 1
        join = stack[waiting]
        if tree.tokens[join] < 0:
            tree.register[2 * joins + JOIN] = join
            joins += 1
            child = join - 1
            for _ in range(arity_at(params, tree, join)):
                stack[waiting] = child
                waiting += 1
                child = begins[child] - 1
    tree.register[JOINS] = joins
    return leaves


@helper
def plant_binary(params, trees, run):
    """Draws the initial tree as the parent, as a linked tree first; returns its number of leaves."""
    leaves, _ = plant_initial_tree(params, trees, run)
    tree = parent_of(trees)
    size = _write_linked(params, trees, tree.tokens) if leaves > 0 else ZERO
    return register_in_order(params, trees, tree, size)


@helper
def _write_linked(params, linked, tokens):
    """Writes a linked tree in postfix order; returns how many nodes it has."""
    nodes, root, size = linked.nodes, child_of(linked, TOP, LEFT), ZERO
    node = edge_of(linked, root, LEFT)
    while True:
        if node & 1 == 0:
            tokens[size] = int64(nodes[node].terminal) >> params.code_shift
        else:
            tokens[size] = -1 - (int64(nodes[node].function) if params.functions > 1 else ZERO)
        size += 1
        if node == root:
            return size
        above = int64(nodes[node].parent)
        is_left = nodes[above].children[LEFT] == node
        node = edge_of(linked, child_of(linked, above, RIGHT), LEFT) if is_left else above


# ---- where functions have any number of arguments: the same draws as `gpruntime.model.any_initial`


@helper
def _drawn_function(params, rng, room, least):
    """A uniform one of the functions with at least `least` arguments that add at most `room` leaves; −1 for none."""
    fitting = ZERO
    for function in range(params.functions):
        fitting += least <= params.arities[function] <= room + 1
    number = below(rng, fitting) if fitting > 1 else ZERO
    for function in range(params.functions):
        if least <= params.arities[function] <= room + 1:
            if number == 0:
                return int64(function)
            number -= 1
    return MINUS_ONE


@helper
def _fits_any(params, room, least):
    """Whether there is such a function."""
    for function in range(params.functions):
        if least <= params.arities[function] <= room + 1:
            return True
    return False


@helper
def _write_unity(params, tokens, stack, links, rng):
    """Opens positions, in a tree of links, then writes it, its terminals from left to right; returns its size.

    A link is that of a join, in a row with its function and its children, or zero for a leaf. While positions are open,
    `stack` has where their links stand.
    """
    width, open_, joins = params.join_width, ONE, ZERO
    stack[0], links[0] = 0, 0
    while _fits_any(params, params.initial_leaves - open_, 2):
        p = below(rng, open_) if open_ > 1 else ZERO
        function = _drawn_function(params, rng, params.initial_leaves - open_, 2)
        joins += 1
        links[stack[p]], links[width * joins] = joins, function
        for place in range(params.arities[function]):
            child = width * joins + 1 + place
            links[child] = 0
            stack[p if place == 0 else open_] = child
            open_ += place > 0
    stack[0] = 0
    waiting, size = ONE, ZERO
    while waiting > 0:
        waiting -= 1
        entry = stack[waiting]  # where a link stands, or a function below zero, after its arguments
        if entry < 0:
            tokens[size] = entry
            size += 1
        elif links[entry] == 0:
            tokens[size] = below(rng, params.terminals)
            size += 1
        else:
            join = width * links[entry]
            stack[waiting] = -1 - links[join]
            waiting = _wait(stack, waiting + 1, params.arities[links[join]], join + 1)
    return size


@inlined
def _wait(stack, waiting, many, first):
    """Puts `many` numbers from `first` on there, the first on top; returns the size."""
    for i in range(many):
        stack[waiting + i] = first + many - 1 - i
    return waiting + many


@helper
def _write_insertion(params, trees, tree, rng):
    """Insertions into a single leaf, then the terminals from left to right; returns the size."""
    leaves = ONE
    tree.tokens[0], tree.register[LEAF], tree.register[JOINS] = 0, 0, 0
    while _fits_any(params, params.initial_leaves - leaves, 2):
        site = below(rng, leaves + tree.register[JOINS])
        function = _drawn_function(params, rng, params.initial_leaves - leaves, 2)
        operation, before = Operation(int64(INSERT), site, below(rng, params.arities[function]), function), leaves
        leaves, pieces = insert_above(params, tree, trees.offspring, before, operation, trees.fresh)
        enroll(params, tree.register, pieces, before)
        copy_tokens(trees.offspring, tree.tokens, pieces.size)
    size = leaves + tree.register[JOINS]
    for i in range(size):
        if tree.tokens[i] >= 0:
            tree.tokens[i] = below(rng, params.terminals)
    return size


@helper
def _write_walk(params, tokens, stack, initial, rng):
    """A tree as it is given, or grown: from the root down and from left to right; returns the size."""
    given = params.initial == TREE
    stack[0] = 0
    waiting, open_, leaves, number, joins, size = ONE, ONE, ZERO, ZERO, ZERO, ZERO
    while waiting > 0:
        waiting -= 1
        function = MINUS_ONE
        if stack[waiting] < 0:  # a function, after its arguments
            tokens[size] = stack[waiting]
            size += 1
            continue
        open_ -= 1
        if given:
            function = int64(initial[1 + number]) - 1
            number += 1
        elif (
            joins < params.initial_leaves
            and _fits_any(params, params.initial_leaves - leaves - open_ - 1, 1)
            and (word(rng) >> _U11) < params.join_below
        ):
            function = _drawn_function(params, rng, params.initial_leaves - leaves - open_ - 1, 1)
        if function < 0:
            tokens[size] = -int64(initial[number]) >> params.code_shift if given else below(rng, params.terminals)
            size += 1
            leaves += 1
            continue
        joins += 1
        stack[waiting] = -1 - function
        waiting = _wait(stack, waiting + 1, params.arities[function], ZERO)
        open_ += params.arities[function]
    return size


@helper
def plant_any(params, trees, run):
    """Draws the initial tree as the parent; returns its number of leaves."""
    parent, size = parent_of(trees), ZERO
    if params.initial_leaves == 0:
        pass
    elif params.initial == UNITY:
        size = _write_unity(params, parent.tokens, trees.stack, trees.links, run.rng)
    elif params.initial == INSERTION:
        size = _write_insertion(params, trees, parent, run.rng)
    else:
        size = _write_walk(params, parent.tokens, trees.stack, run.initial.given, run.rng)
    return register_in_order(params, trees, parent, size)
