"""Problems that see which leaf of each variable comes first: a term for each variable, by the sign of that leaf.

An operation changes the first leaf of two variables at most, which `ordered` finds by order labels.
"""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.changes import foresee_rows, make_operation, note_operation, undo_operation
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, can_delete, vainly_accepted
from gpruntime.engine.nodes import EARLIER, LABEL, LATER, NOBODY, TERMINAL, get
from gpruntime.engine.ordered import is_positive, place_of
from gpruntime.engine.own import value_by_first
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Stepping


@inlined
def sign_of(cells, leaf):
    """1 for a leaf x_i, 0 for x̄_i, −1 for nobody."""
    return is_positive(cells, leaf) - int64(leaf == NOBODY)


@inlined
def _turn(law, variable, before, after):
    """What a variable adds to the fitness when another sign comes first."""
    return value_by_first(law, variable + 1, after) - value_by_first(law, variable + 1, before)


@inlined
def _loss(law, cells, leaf):
    """What it adds that this leaf goes."""
    if get(cells, leaf, EARLIER) != NOBODY:
        return ZERO
    later = get(cells, leaf, LATER)
    return _turn(law, get(cells, leaf, TERMINAL) >> 1, is_positive(cells, leaf), sign_of(cells, later))


@inlined
def _judge(law, at, cells, wide, leaves, kind, site, side, code):
    """What an operation, one that does something, adds to the fitness."""
    if kind == INSERT:
        _, beside = place_of(at, cells, leaves, site, side)
        first = int64(cells[at.first + (code >> 1)])
        if get(wide, beside, LABEL) + side > get(wide, first, LABEL):
            return ZERO
        return _turn(law, code >> 1, sign_of(cells, first), ~code & 1)
    leaf = int64(cells[at.register + 2 * site])
    if kind == DELETE:
        return _loss(law, cells, leaf)
    variable, first = code >> 1, int64(cells[at.first + (code >> 1)])
    if get(cells, leaf, TERMINAL) >> 1 == variable:
        return _turn(law, variable, is_positive(cells, leaf), ~code & 1) if first == leaf else ZERO
    gain = _loss(law, cells, leaf)
    if get(wide, leaf, LABEL) < get(wide, first, LABEL):
        gain += _turn(law, variable, sign_of(cells, first), ~code & 1)
    return gain


@helper
def _start(law, at, cells, wide, tiny, drawing, rng):
    leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
    fitness = ZERO
    for variable in range(law.n):
        fitness += value_by_first(law, variable + 1, sign_of(cells, int64(cells[at.first + variable])))
    return leaves, fitness


@inlined
def _attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
    gain = _judge(law, at, cells, wide, leaves, kind, site, side, code)
    if gain >= least:
        make_operation(law, at, cells, wide, leaves, kind, site, side, code)
    return gain


@helper
def _make(law, at, cells, wide, leaves, kind, site, side, code):
    takes = (kind == DELETE and can_delete(law, leaves)) or (kind != DELETE and code >= 0)
    if not takes:
        return ZERO
    gain = _judge(law, at, cells, wide, leaves, kind, site, side, code)
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
            for sign in range(law.double, 2):
                if _turn(law, variable, first, sign) >= law.grow:
                    return False
        if leaves > 0 and law.grow <= 0:  # behind everything a leaf of a variable that is there adds nothing
            return False
    for site in range(leaves):
        deletes = law.delete > 0 and can_delete(law, leaves)
        if deletes and _judge(law, at, cells, wide, leaves, int64(DELETE), site, ZERO, ZERO) >= law.shrink:
            return False
        for code in range(law.codes if law.substitute > 0 else 0):
            if _judge(law, at, cells, wide, leaves, ZERO, site, ZERO, code << law.double) >= law.same:
                return False
    return True


BY_FIRST = Stepping(_start, _is_stuck, _make, note_operation, undo_operation, _attempt, foresee_rows)
