"""Problems that see which leaf of each variable comes first: a term for each variable, by the sign of that leaf.

An operation changes the first leaf of two variables at most, which `linked_tree` finds by order labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.initial import plant_initial_tree
from gpruntime.engine.jit import ZERO, helper, inlined, inlined_once
from gpruntime.engine.linked_tree import (
    NOBODY,
    append_tree,
    delete_leaf,
    foresee_nodes,
    insert_leaf,
    is_positive,
    label_of,
    leaf_at,
    make_operation,
    note_operation,
    place_of,
    substitute_leaf,
    undo_operation,
    variable_of,
)
from gpruntime.engine.params import can_delete
from gpruntime.engine.run_state import DELETE, INSERT
from gpruntime.engine.stepping import Stepping
from gpruntime.engine.stuck import vain_is_accepted
from gpruntime.engine.user_function import value_by_first


@inlined
def sign_of(tree, leaf):
    """1 for a leaf x_i, 0 for x̄_i, −1 for nobody."""
    return is_positive(tree, leaf) - int64(leaf == NOBODY)


class Gains(NamedTuple):
    """What an operation would add to the fitness; nothing is changed."""

    of_insertion: Any  # (params, tree, beside, side, code): of a leaf that comes next to the leaf `beside`. It comes
    # first if that is before the first leaf, or is it and the new one is to its left. On the empty tree its neighbour
    # is nobody, on the side −1.
    of_deletion: Any  # (params, tree, leaf): of the loss of this leaf
    of_substitution: Any  # (params, tree, leaf, code): of another terminal for it, of its own variable or not


def make_gains(value: Any) -> Gains:
    """The gains, from `value(params, i, sign)`: what a variable adds, by the sign of its first leaf."""

    @inlined
    def turn(params, variable, before, after):
        """What a variable adds when another sign comes first."""
        return value(params, variable + 1, after) - value(params, variable + 1, before)

    @inlined
    def of_insertion(params, tree, beside, side, code):
        first = int64(tree.first[code >> 1])
        if label_of(tree, beside) + side > label_of(tree, first):
            return ZERO
        return turn(params, code >> 1, sign_of(tree, first), ~code & 1)

    @inlined
    def of_deletion(params, tree, leaf):
        if tree.nodes[leaf].earlier != NOBODY:
            return ZERO
        later = int64(tree.nodes[leaf].later)
        return turn(params, variable_of(tree, leaf), is_positive(tree, leaf), sign_of(tree, later))

    @inlined
    def of_substitution(params, tree, leaf, code):
        variable, first = code >> 1, int64(tree.first[code >> 1])
        if variable_of(tree, leaf) == variable:
            return turn(params, variable, is_positive(tree, leaf), ~code & 1) if first == leaf else ZERO
        gain = of_deletion(params, tree, leaf)
        if label_of(tree, leaf) < label_of(tree, first):
            gain += turn(params, variable, sign_of(tree, first), ~code & 1)
        return gain

    return Gains(of_insertion, of_deletion, of_substitution)


def make_attempt(gains: Gains) -> Any:
    """See `stepping.Stepping`."""
    of_insertion, of_deletion, of_substitution = gains

    @inlined_once
    def attempt(call, tree, leaves, operation, min_gain):
        kind, site, side, code = operation
        if kind == INSERT:
            node, beside = place_of(tree, leaves, site, side)
            gain = of_insertion(call, tree, beside, side, code)
            if gain >= min_gain:
                insert_leaf(tree, leaves, node, beside, side, code)
            return gain
        leaf = leaf_at(tree, site)
        if kind == DELETE:
            gain = of_deletion(call, tree, leaf)
            if gain >= min_gain:
                delete_leaf(tree, leaves, site)
            return gain
        gain = of_substitution(call, tree, leaf, code)
        if gain >= min_gain:
            substitute_leaf(tree, site, code)
        return gain

    return attempt


# ---- a user's own

_GAINS = make_gains(value_by_first)
_of_insertion, _of_deletion, _of_substitution = _GAINS


@helper
def _start(params, tree, run):
    leaves, _ = plant_initial_tree(params, tree, run)
    return leaves, fitness_of_all(params, tree)


@helper
def fitness_of_all(params, tree):
    """The fitness, from all variables."""
    fitness = ZERO
    for variable in range(params.n):
        fitness += value_by_first(params, variable + 1, sign_of(tree, int64(tree.first[variable])))
    return fitness


@helper
def _make(params, tree, leaves, operation):
    kind, site, side, code = operation
    gain = ZERO
    if kind == INSERT:
        _, beside = place_of(tree, leaves, site, side)
        gain = _of_insertion(params, tree, beside, side, code)
    elif kind == DELETE and can_delete(params, leaves):
        gain = _of_deletion(params, tree, leaf_at(tree, site))
    elif kind != DELETE and code >= 0:
        gain = _of_substitution(params, tree, leaf_at(tree, site), code)
    make_operation(params, tree, leaves, operation)
    return gain


@helper
def _is_stuck(params, tree, leaves, fitness):
    """A new leaf can come in front of everything: often that is answer enough. Otherwise all are tried."""
    if vain_is_accepted(params, leaves):
        return False
    if params.p_insert > 0 and leaves < params.max_leaves:
        for variable in range(params.n):
            first = sign_of(tree, int64(tree.first[variable]))
            before = value_by_first(params, variable + 1, first)
            for sign in range(params.code_shift, 2):
                if value_by_first(params, variable + 1, sign) - before >= params.min_gain_larger:
                    return False
        # behind everything a leaf of a variable that is there adds nothing
        if leaves > 0 and params.min_gain_larger <= 0:
            return False
    for site in range(leaves):
        leaf = leaf_at(tree, site)
        deletes = params.p_delete > 0 and can_delete(params, leaves)
        if deletes and _of_deletion(params, tree, leaf) >= params.min_gain_smaller:
            return False
        for code in range(params.terminals if params.p_substitute > 0 else 0):
            if _of_substitution(params, tree, leaf, code << params.code_shift) >= params.min_gain_same:
                return False
    return True


BY_FIRST = Stepping(_start, _is_stuck, _make, note_operation, undo_operation, make_attempt(_GAINS), foresee_nodes)


@helper
def append_and_evaluate(params, tree, other, leaves, more):
    """Appends a copy of another tree, with `more` leaves; returns the score."""
    append_tree(params, tree, other, leaves, more)
    return fitness_of_all(params, tree)
