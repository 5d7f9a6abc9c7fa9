"""Initial trees in postfix order: of functions of two arguments by way of a linked tree, of others token by token."""

from __future__ import annotations

from numpy import int64, uint64

from gpruntime.engine.initial import plant_initial_tree
from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.linked_tree import LEFT, RIGHT, TOP, child_of, edge_of
from gpruntime.engine.params import INSERTION, TREE, UNITY
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
from gpruntime.engine.run_state import INSERT as KIND
from gpruntime.engine.run_state import Operation


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


_U11 = uint64(11)


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
        operation, before = Operation(int64(KIND), site, below(rng, params.arities[function]), function), leaves
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
