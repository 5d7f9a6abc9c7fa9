"""Problems that see which leaf of each variable comes first: a term for each variable, by the sign of that leaf.

An operation changes the first leaf of two variables at most, which `ordered` finds by order labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.changes import foresee_rows, make_operation, note_operation, undo_operation
from gpruntime.engine.kernel import ZERO, helper, inlined, pasted
from gpruntime.engine.law import DELETE, INSERT, can_delete, vainly_accepted
from gpruntime.engine.nodes import EARLIER, LABEL, LATER, NOBODY, TERMINAL, get
from gpruntime.engine.ordered import delete_leaf, insert_leaf, is_positive, place_of, substitute_leaf
from gpruntime.engine.own import value_by_first
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Stepping


@inlined
def sign_of(cells, leaf):
    """1 for a leaf x_i, 0 for x̄_i, −1 for nobody."""
    return is_positive(cells, leaf) - int64(leaf == NOBODY)


class Gains(NamedTuple):
    """What an operation would add to the fitness; nothing is changed.

    Attributes:
        of_insertion(law, at, cells, wide, beside, side, code): of a leaf that comes next to the leaf `beside`. It comes
            first if that is before the first leaf, or is it and the new one is to its left. On the empty tree its
            neighbour is nobody, on the side −1.
        of_deletion(law, cells, leaf): of the loss of this leaf.
        of_substitution(law, at, cells, wide, leaf, code): of another terminal for it, of its own variable or not.
    """

    of_insertion: Any
    of_deletion: Any
    of_substitution: Any


def make_gains(value: Any) -> Gains:
    """The gains, from `value(law, i, sign)`: what a variable adds, by the sign of its first leaf."""

    @inlined
    def turn(law, variable, before, after):
        """What a variable adds when another sign comes first."""
        return value(law, variable + 1, after) - value(law, variable + 1, before)

    @inlined
    def of_insertion(law, at, cells, wide, beside, side, code):
        first = int64(cells[at.first + (code >> 1)])
        if get(wide, beside, LABEL) + side > get(wide, first, LABEL):
            return ZERO
        return turn(law, code >> 1, sign_of(cells, first), ~code & 1)

    @inlined
    def of_deletion(law, cells, leaf):
        if get(cells, leaf, EARLIER) != NOBODY:
            return ZERO
        later = get(cells, leaf, LATER)
        return turn(law, get(cells, leaf, TERMINAL) >> 1, is_positive(cells, leaf), sign_of(cells, later))

    @inlined
    def of_substitution(law, at, cells, wide, leaf, code):
        variable, first = code >> 1, int64(cells[at.first + (code >> 1)])
        if get(cells, leaf, TERMINAL) >> 1 == variable:
            return turn(law, variable, is_positive(cells, leaf), ~code & 1) if first == leaf else ZERO
        gain = of_deletion(law, cells, leaf)
        if get(wide, leaf, LABEL) < get(wide, first, LABEL):
            gain += turn(law, variable, sign_of(cells, first), ~code & 1)
        return gain

    return Gains(of_insertion, of_deletion, of_substitution)


def make_attempt(gains: Gains) -> Any:
    """See `problem.Stepping`."""
    of_insertion, of_deletion, of_substitution = gains

    @pasted
    def attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
        if kind == INSERT:
            node, beside = place_of(at, cells, leaves, site, side)
            gain = of_insertion(law, at, cells, wide, beside, side, code)
            if gain >= least:
                insert_leaf(at, cells, wide, leaves, node, beside, side, code)
            return gain
        leaf = int64(cells[at.register + 2 * site])
        if kind == DELETE:
            gain = of_deletion(law, cells, leaf)
            if gain >= least:
                delete_leaf(at, cells, wide, leaves, site)
            return gain
        gain = of_substitution(law, at, cells, wide, leaf, code)
        if gain >= least:
            substitute_leaf(at, cells, wide, site, code)
        return gain

    return attempt


# ---- a user's own

_GAINS = make_gains(value_by_first)
_of_insertion, _of_deletion, _of_substitution = _GAINS


@helper
def _start(law, at, cells, wide, tiny, drawing, rng):
    leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
    return leaves, worth_of_all(law, at, cells)


@helper
def worth_of_all(law, at, cells):
    """The fitness, from all variables."""
    fitness = ZERO
    for variable in range(law.n):
        fitness += value_by_first(law, variable + 1, sign_of(cells, int64(cells[at.first + variable])))
    return fitness


@helper
def _make(law, at, cells, wide, leaves, kind, site, side, code):
    gain = ZERO
    if kind == INSERT:
        _, beside = place_of(at, cells, leaves, site, side)
        gain = _of_insertion(law, at, cells, wide, beside, side, code)
    elif kind == DELETE and can_delete(law, leaves):
        gain = _of_deletion(law, cells, int64(cells[at.register + 2 * site]))
    elif kind != DELETE and code >= 0:
        gain = _of_substitution(law, at, cells, wide, int64(cells[at.register + 2 * site]), code)
    make_operation(law, at, cells, wide, leaves, kind, site, side, code)
    return gain


@helper
def _is_stuck(law, at, cells, wide, leaves, fitness):
    """A new leaf can come in front of everything: often that is answer enough. Otherwise all are tried."""
    if vainly_accepted(law, leaves):
        return False
    if law.insert > 0 and leaves < law.limit:
        for variable in range(law.n):
            first = sign_of(cells, int64(cells[at.first + variable]))
            before = value_by_first(law, variable + 1, first)
            for sign in range(law.double, 2):
                if value_by_first(law, variable + 1, sign) - before >= law.grow:
                    return False
        if leaves > 0 and law.grow <= 0:  # behind everything a leaf of a variable that is there adds nothing
            return False
    for site in range(leaves):
        leaf = int64(cells[at.register + 2 * site])
        deletes = law.delete > 0 and can_delete(law, leaves)
        if deletes and _of_deletion(law, cells, leaf) >= law.shrink:
            return False
        for code in range(law.codes if law.substitute > 0 else 0):
            if _of_substitution(law, at, cells, wide, leaf, code << law.double) >= law.same:
                return False
    return True


BY_FIRST = Stepping(_start, _is_stuck, _make, note_operation, undo_operation, make_attempt(_GAINS), foresee_rows)
