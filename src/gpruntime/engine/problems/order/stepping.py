"""ORDER for the kernels: what an operation adds to the fitness, by the first leaves of the variables it touches."""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.changes import foresee_rows, make_operation, note_operation, undo_operation
from gpruntime.engine.kernel import helper, inlined
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, weakly_stuck
from gpruntime.engine.nodes import (
    EARLIER,
    LABEL,
    LATER,
    NOBODY,
    TERMINAL,
    get,
)
from gpruntime.engine.ordered import (
    delete_leaf,
    insert_leaf,
    is_positive,
    place_of,
    substitute_leaf,
)
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Stepping

# ---- judging an operation before it is made


@inlined
def gain_without(cells, leaf):
    """What the loss of this leaf adds to the fitness."""
    if get(cells, leaf, EARLIER) != NOBODY:
        return int64(0)
    return is_positive(cells, get(cells, leaf, LATER)) - is_positive(cells, leaf)


@inlined
def gain_of_insertion(at, cells, wide, beside, side, code):
    """A new leaf comes first if its neighbour is before the first leaf, or is it and the new one is to its left.

    On the empty tree its neighbour is nobody, on the side −1.
    """
    first = int64(cells[at.first + (code >> 1)])
    if get(wide, beside, LABEL) + side > get(wide, first, LABEL):
        return int64(0)
    return (~code & 1) - is_positive(cells, first)


@inlined
def gain_of_substitution(at, cells, wide, leaf, code, without):
    """A leaf becomes another terminal, of its own variable or not; its loss adds `without`."""
    first = int64(cells[at.first + (code >> 1)])
    if get(cells, leaf, TERMINAL) >> 1 == code >> 1:
        return (~code & 1) - is_positive(cells, leaf) if first == leaf else int64(0)
    if get(wide, leaf, LABEL) < get(wide, first, LABEL):
        return without + (~code & 1) - is_positive(cells, first)
    return without


@inlined
def _attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
    if kind == INSERT:
        node, beside = place_of(at, cells, leaves, site, side)
        gain = gain_of_insertion(at, cells, wide, beside, side, code)
        if gain >= least:
            insert_leaf(at, cells, wide, leaves, node, beside, side, code)
        return gain
    if kind == DELETE:
        gain = gain_without(cells, int64(cells[at.register + 2 * site]))
        if gain >= least:
            delete_leaf(at, cells, wide, leaves, site)
        return gain
    leaf = int64(cells[at.register + 2 * site])
    gain = gain_of_substitution(at, cells, wide, leaf, code, gain_without(cells, leaf))
    if gain >= least:
        substitute_leaf(at, cells, wide, site, code)
    return gain


# ---- stuck


@helper
def order_stuck(law, at, cells, wide, leaves, fitness):
    """The criteria of `gpruntime.model.stuck`. Loops over all variables are for runs that cannot insert: rare."""
    substitute, insert, delete = law.substitute > 0, law.insert > 0, law.delete > 0
    room = law.limit - leaves
    if not law.strict:
        return weakly_stuck(law, leaves, fitness)
    if law.most > 1:
        if substitute:
            return leaves == fitness and not insert
        if insert:
            return not delete and law.limit != NO_LIMIT and room == 0
        return not _any_variable_has_a_hidden_leaf(law, at, cells, int64(leaves))
    if insert and room > 0:
        return False
    blocked, absent = cells[at.present] - fitness, law.n - cells[at.present]
    if substitute:
        return blocked == 0 and (absent == 0 or leaves == fitness)
    return not (delete and _any_variable_has_a_hidden_leaf(law, at, cells, int64(1)))


@helper
def _any_variable_has_a_hidden_leaf(law, at, cells, depth):
    """Whether some variable's first leaf is x̄_i and an x_i is among the next `depth` ones."""
    for variable in range(law.n):
        leaf = int64(cells[at.first + variable])
        looked = 0
        while leaf != NOBODY and is_positive(cells, leaf) == 0 and looked < depth:
            leaf = get(cells, leaf, LATER)
            looked += 1
        if looked > 0 and is_positive(cells, leaf):
            return True
    return False


STEPPING = Stepping(
    plant_initial_tree, order_stuck, make_operation, note_operation, undo_operation, _attempt, foresee_rows
)
