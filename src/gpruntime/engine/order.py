"""ORDER for the kernels: what an operation adds to the fitness, by the first leaves of the variables it touches."""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import ONE, ZERO, inlined, njit
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
    RIGHT,
    ROW,
    TERMINAL,
    TOP,
    label_leaf,
)
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE, can_delete, weakly_stuck
from gpruntime.engine.order_initial import plant_initial_tree
from gpruntime.engine.ordered import (
    OrderState,
    delete_leaf,
    hang_in_place_of,
    insert_leaf,
    is_positive,
    place_of,
    substitute_leaf,
    swap,
)
from gpruntime.engine.prefetch import prefetch
from gpruntime.engine.problem import attempt, foresee, is_stuck, judge, make, note, of, start, undo


@of(start, OrderState)
def _start(law, given, state, rng):
    return plant_initial_tree(law, given, state, rng)


# ---- judging an operation before it is made


@inlined
def gain_without(state, leaf):
    """What the loss of this leaf adds to the fitness."""
    if state.node[ROW * leaf + EARLIER] != NOBODY:
        return np.int64(0)
    return is_positive(state, np.int64(state.node[ROW * leaf + LATER])) - is_positive(state, leaf)


@inlined
def gain_of_insertion(state, beside, side, code):
    """A new leaf comes first if its neighbour is before the first leaf, or is it and the new one is to its left.

    On the empty tree its neighbour is nobody, on the side −1.
    """
    first = np.int64(state.first[code >> 1])
    if state.label[HALF * beside + LABEL] + side > state.label[HALF * first + LABEL]:
        return np.int64(0)
    return (~code & 1) - is_positive(state, first)


@inlined
def gain_of_substitution(state, leaf, code, without):
    """A leaf becomes another terminal, of its own variable or not; its loss adds `without`."""
    first = np.int64(state.first[code >> 1])
    if np.int64(state.node[ROW * leaf + TERMINAL]) >> 1 == code >> 1:
        return (~code & 1) - is_positive(state, leaf) if first == leaf else np.int64(0)
    if state.label[HALF * leaf + LABEL] < state.label[HALF * first + LABEL]:
        return without + (~code & 1) - is_positive(state, first)
    return without


@of(judge, OrderState)
def _judge(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        _, beside = place_of(state, leaves, site, side)
        return gain_of_insertion(state, beside, side, code)
    if kind == DELETE:
        if can_delete(law, leaves):
            return gain_without(state, np.int64(state.register[2 * site]))
        return np.int64(0)
    if code < 0:
        return np.int64(0)
    leaf = np.int64(state.register[2 * site])
    return gain_of_substitution(state, leaf, code, gain_without(state, leaf))


# ---- making it, and taking it back


@of(foresee, OrderState)
def _foresee(state, leaves, site, code):
    is_join = site >= leaves
    node = np.int64(state.register[2 * (site - leaves if is_join else site) + is_join])
    first = np.int64(state.first[code >> 1])
    prefetch(state.node, ROW * node)
    prefetch(state.node, ROW * first)


@of(attempt, OrderState)
def _attempt(law, state, leaves, kind, site, side, code, least):
    if kind == INSERT:
        node, beside = place_of(state, leaves, site, side)
        gain = gain_of_insertion(state, beside, side, code)
        if gain >= least:
            insert_leaf(state, leaves, node, beside, side, code)
        return gain
    if kind == DELETE:
        gain = gain_without(state, np.int64(state.register[2 * site]))
        if gain >= least:
            delete_leaf(state, leaves, site)
        return gain
    leaf = np.int64(state.register[2 * site])
    gain = gain_of_substitution(state, leaf, code, gain_without(state, leaf))
    if gain >= least:
        substitute_leaf(state, site, code)
    return gain


@of(make, OrderState)
def _make(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        node, beside = place_of(state, leaves, site, side)
        return insert_leaf(state, leaves, node, beside, side, code)
    if kind == DELETE:
        if can_delete(law, leaves):
            return delete_leaf(state, leaves, site)
        return np.int64(0)
    if code < 0:
        return np.int64(0)
    return substitute_leaf(state, site, code)


@of(note, OrderState)
def _note(law, state, leaves, kind, site, code, log, j):
    log[j, 0], log[j, 1], log[j, 2], log[j, 12] = kind, site, -1, code
    if kind == DELETE:
        if can_delete(law, leaves):
            _note_deletion(state, site, log, j)
    elif kind == SUBSTITUTE and code >= 0:
        log[j, 2] = state.node[ROW * np.int64(state.register[2 * site]) + TERMINAL]


@njit
def _note_deletion(state, site, log, j):
    """All that a deleted leaf and its join knew: their slots may be used again before the deletion is taken back."""
    leaf = np.int64(state.register[2 * site])
    join = np.int64(state.node[ROW * leaf + PARENT])
    log[j, 2] = state.node[ROW * leaf + TERMINAL]
    log[j, 3], log[j, 4] = state.node[ROW * leaf + BEFORE], state.node[ROW * leaf + AFTER]
    log[j, 5], log[j, 6] = state.node[ROW * leaf + EARLIER], state.node[ROW * leaf + LATER]
    log[j, 7] = state.label[HALF * leaf + LABEL]
    log[j, 8], log[j, 9] = state.node[ROW * join + LEFT], state.node[ROW * join + RIGHT]
    log[j, 10], log[j, 11] = state.node[ROW * join + PARENT], state.node[ROW * join + PLACE]


@of(undo, OrderState)
def _undo(law, state, leaves, log, j):
    kind, site, old = log[j, 0], log[j, 1], log[j, 2]
    if kind == INSERT:  # the newest leaf is the last of the register, and its join too
        delete_leaf(state, leaves, leaves - 1)
        return leaves - 1
    if old < 0:
        return leaves
    if kind == SUBSTITUTE:
        substitute_leaf(state, site, old)
        return leaves
    _undo_deletion(state, leaves, log, j)
    return leaves + 1


@njit
def _undo_deletion(state, leaves, log, j):
    """Puts a leaf and its join back where they were; `leaves` is the number without it."""
    node, leaf = state.node, np.int64(state.register[2 * leaves])
    swap(state, log[j, 1], leaves, ZERO)
    if leaves == 0:
        node[ROW * TOP + LEFT], node[ROW * leaf + PARENT] = leaf, TOP
    else:
        join, left, right = np.int64(state.register[2 * leaves - 1]), log[j, 8], log[j, 9]
        swap(state, log[j, 11], leaves - 1, ONE)
        hang_in_place_of(state, right if left == leaf else left, join, log[j, 10])
        node[ROW * join + LEFT], node[ROW * join + RIGHT] = left, right
        node[ROW * left + PARENT] = node[ROW * right + PARENT] = join
    before, after = log[j, 3], log[j, 4]
    node[ROW * leaf + TERMINAL] = log[j, 2]
    node[ROW * leaf + BEFORE], node[ROW * leaf + AFTER] = before, after
    node[ROW * before + AFTER] = node[ROW * after + BEFORE] = leaf
    state.label[HALF * leaf + LABEL] = log[j, 7]
    too_low = before != NOBODY and state.label[HALF * before + LABEL] >= log[j, 7]
    if too_low or state.label[HALF * after + LABEL] <= log[j, 7]:
        label_leaf(node, state.label, leaf)  # its neighbours were labelled anew in the meantime
    earlier, later = log[j, 5], log[j, 6]
    node[ROW * leaf + EARLIER], node[ROW * leaf + LATER] = earlier, later
    node[ROW * later + EARLIER] = leaf
    if earlier != NOBODY:
        node[ROW * earlier + LATER] = leaf
        return
    state.first[log[j, 2] >> 1] = leaf
    state.present[0] += later == NOBODY


# ---- stuck


@of(is_stuck, OrderState)
def _is_stuck(law, state, leaves, fitness):
    return order_stuck(law, state, leaves, fitness)


@njit
def order_stuck(law, state, leaves, fitness):
    """The criteria of `gpruntime.model.stuck`. Loops over all variables are for runs that cannot insert: rare."""
    substitute, insert, delete = law.weights[SUBSTITUTE] > 0, law.weights[INSERT] > 0, law.weights[DELETE] > 0
    room = law.limit - leaves
    if not law.strict:
        return weakly_stuck(law, leaves, fitness)
    if law.most > 1:
        if substitute:
            return leaves == fitness and not insert
        if insert:
            return not delete and law.limit != NO_LIMIT and room == 0
        return not _any_variable_has_a_hidden_leaf(law, state, np.int64(leaves))
    if insert and room > 0:
        return False
    blocked, absent = state.present[0] - fitness, law.n - state.present[0]
    if substitute:
        return blocked == 0 and (absent == 0 or leaves == fitness)
    return not (delete and _any_variable_has_a_hidden_leaf(law, state, np.int64(1)))


@njit
def _any_variable_has_a_hidden_leaf(law, state, depth):
    """Whether some variable's first leaf is x̄_i and an x_i is among the next `depth` ones."""
    for variable in range(law.n):
        leaf = np.int64(state.first[variable])
        looked = 0
        while leaf != NOBODY and is_positive(state, leaf) == 0 and looked < depth:
            leaf = np.int64(state.node[ROW * leaf + LATER])
            looked += 1
        if looked > 0 and is_positive(state, leaf):
            return True
    return False
