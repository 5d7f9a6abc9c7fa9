"""ORDER for the kernels: what an operation adds to the fitness, by the first leaves of the variables it touches."""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import inlined, njit
from gpruntime.engine.labels import AFTER, BEFORE, EARLIER, LATER, PARENT, PLACE, TERMINAL, label_leaf
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE, can_delete, weakly_stuck
from gpruntime.engine.order_initial import plant_initial_tree
from gpruntime.engine.ordered import (
    ABOVE,
    INDEX,
    LEFT,
    PRESENT,
    RIGHT,
    ROOT,
    OrderState,
    delete_leaf,
    insert_leaf,
    is_positive,
    neighbour,
    node_at,
    substitute_leaf,
)
from gpruntime.engine.problem import attempt, is_stuck, judge, make, note, of, start, undo


@of(start, OrderState)
def _start(law, given, state, rng):
    return plant_initial_tree(law, given, state, rng)


# ---- judging an operation before it is made


@inlined
def gain_without(state, leaf):
    """What the loss of this leaf adds to the fitness."""
    if state.leaf[leaf, EARLIER] >= 0:
        return np.int64(0)
    return is_positive(state, np.int64(state.leaf[leaf, LATER])) - is_positive(state, leaf)


@inlined
def gain_if_first(state, code):
    """What a leaf with this terminal adds to the fitness if it comes before all others of its variable."""
    return np.int64(code & 1 == 0) - is_positive(state, np.int64(state.first[code >> 1]))


@inlined
def gain_of_insertion(state, leaves, site, side, code):
    """A new leaf comes first if its neighbour is before the first leaf, or is it and the new one is to its left."""
    first = state.first[code >> 1]
    if first >= 0 and leaves > 0:
        beside = neighbour(state, node_at(state, leaves, site), side)
        if state.label[beside] + side > state.label[first]:
            return np.int64(0)
    return gain_if_first(state, code)


@inlined
def gain_of_substitution(state, leaf, code):
    """A leaf becomes another terminal, of its own variable or not."""
    old = np.int64(state.leaf[leaf, TERMINAL])
    if old >> 1 == code >> 1:
        if state.leaf[leaf, EARLIER] >= 0:
            return np.int64(0)
        return np.int64(code & 1 == 0) - is_positive(state, leaf)
    gain = gain_without(state, leaf)
    first = state.first[code >> 1]
    if first < 0 or state.label[leaf] < state.label[first]:
        gain += gain_if_first(state, code)
    return gain


@of(judge, OrderState)
def _judge(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        return gain_of_insertion(state, leaves, site, side, code)
    if kind == DELETE:
        if can_delete(law, leaves):
            return gain_without(state, np.int64(state.leaf_at[site]))
        return np.int64(0)
    if code < 0:
        return np.int64(0)
    return gain_of_substitution(state, np.int64(state.leaf_at[site]), code)


# ---- making it, and taking it back


@of(attempt, OrderState)
def _attempt(law, state, leaves, kind, site, side, code, least):
    if kind == INSERT:
        gain = gain_of_insertion(state, leaves, site, side, code)
        if gain >= least:
            insert_leaf(state, leaves, node_at(state, leaves, site) if leaves > 0 else np.int64(0), side, code)
        return gain
    if kind == DELETE:
        gain = gain_without(state, np.int64(state.leaf_at[site]))
        if gain >= least:
            delete_leaf(state, leaves, site)
        return gain
    gain = gain_of_substitution(state, np.int64(state.leaf_at[site]), code)
    if gain >= least:
        substitute_leaf(state, site, code)
    return gain


@of(make, OrderState)
def _make(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        node = node_at(state, leaves, site) if leaves > 0 else np.int64(0)
        return insert_leaf(state, leaves, node, side, code)
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
        log[j, 2] = state.leaf[state.leaf_at[site], TERMINAL]


@njit
def _note_deletion(state, site, log, j):
    """All that a deleted leaf and its join knew: their slots may be used again before the deletion is taken back."""
    leaf = np.int64(state.leaf_at[site])
    join = np.int64(state.leaf[leaf, PARENT])
    log[j, 2] = state.leaf[leaf, TERMINAL]
    log[j, 3], log[j, 4] = state.leaf[leaf, BEFORE], state.leaf[leaf, AFTER]
    log[j, 5], log[j, 6] = state.leaf[leaf, EARLIER], state.leaf[leaf, LATER]
    log[j, 7] = state.label[leaf]
    if join >= 0:
        log[j, 8], log[j, 9] = state.join[join, LEFT], state.join[join, RIGHT]
        log[j, 10], log[j, 11] = state.join[join, ABOVE], state.join[join, INDEX]


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
    site, leaf = log[j, 1], np.int64(state.leaf_at[leaves])
    state.leaf_at[leaves] = state.leaf_at[site]
    state.leaf[state.leaf_at[leaves], PLACE] = leaves
    state.leaf_at[site] = leaf
    state.leaf[leaf, PLACE] = site
    state.leaf[leaf, PARENT] = -1
    if leaves == 0:
        state.whole[ROOT] = leaf
    else:
        _undo_join(state, leaves, leaf, log, j)
    before, after = log[j, 3], log[j, 4]
    state.leaf[leaf, TERMINAL] = log[j, 2]
    state.leaf[leaf, BEFORE], state.leaf[leaf, AFTER] = before, after
    if before >= 0:
        state.leaf[before, AFTER] = leaf
    if after >= 0:
        state.leaf[after, BEFORE] = leaf
    state.label[leaf] = log[j, 7]
    too_low = before >= 0 and state.label[before] >= log[j, 7]
    if too_low or (after >= 0 and state.label[after] <= log[j, 7]):
        label_leaf(state.leaf, state.label, leaf)  # its neighbours were labelled anew in the meantime
    earlier, later = log[j, 5], log[j, 6]
    state.leaf[leaf, EARLIER], state.leaf[leaf, LATER] = earlier, later
    if later >= 0:
        state.leaf[later, EARLIER] = leaf
    if earlier >= 0:
        state.leaf[earlier, LATER] = leaf
        return
    state.first[log[j, 2] >> 1] = leaf
    if later < 0:
        state.whole[PRESENT] += 1


@inlined
def _undo_join(state, leaves, leaf, log, j):
    join, index, above = np.int64(state.join_at[leaves - 1]), log[j, 11], log[j, 10]
    state.join_at[leaves - 1] = state.join_at[index]
    state.join[state.join_at[leaves - 1], INDEX] = leaves - 1
    state.join_at[index] = join
    left, right = log[j, 8], log[j, 9]
    sibling = right if left == leaf else left
    if above < 0:
        state.whole[ROOT] = -1 - join
    else:
        side = LEFT if state.join[above, LEFT] == sibling else RIGHT
        state.join[above, side] = -1 - join
    state.join[join, LEFT], state.join[join, RIGHT] = left, right
    state.join[join, ABOVE], state.join[join, INDEX] = above, index
    state.leaf[leaf, PARENT] = join
    if sibling >= 0:
        state.leaf[sibling, PARENT] = join
    else:
        state.join[-1 - sibling, ABOVE] = join


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
    if law.extra.shape[0] > 1:
        if substitute:
            return leaves == fitness and not insert
        if insert:
            return not delete and law.limit != NO_LIMIT and room == 0
        return not _any_variable_has_a_hidden_leaf(law, state, np.int64(leaves))
    if insert and room > 0:
        return False
    blocked, absent = state.whole[PRESENT] - fitness, law.n - state.whole[PRESENT]
    if substitute:
        return blocked == 0 and (absent == 0 or leaves == fitness)
    return not (delete and _any_variable_has_a_hidden_leaf(law, state, np.int64(1)))


@njit
def _any_variable_has_a_hidden_leaf(law, state, depth):
    """Whether some variable's first leaf is x̄_i and an x_i is among the next `depth` ones."""
    for variable in range(law.n):
        leaf = state.first[variable]
        if leaf >= 0 and state.leaf[leaf, TERMINAL] & 1 == 1:
            leaf = state.leaf[leaf, LATER]
            looked = 0
            while leaf >= 0 and looked < depth:
                if state.leaf[leaf, TERMINAL] & 1 == 0:
                    return True
                leaf = state.leaf[leaf, LATER]
                looked += 1
    return False
