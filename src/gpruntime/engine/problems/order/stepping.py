"""ORDER for the kernels: the loop of `first` with its term put in, and when a run is stuck."""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.changes import foresee_rows, make_operation, note_operation, undo_operation
from gpruntime.engine.first import make_attempt, make_gains
from gpruntime.engine.kernel import helper, inlined
from gpruntime.engine.law import NO_LIMIT, weakly_stuck
from gpruntime.engine.nodes import LATER, NOBODY, get
from gpruntime.engine.ordered import is_positive
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Stepping


@inlined
def _term(law, i, sign):
    """1 if x_i comes first, else 0."""
    return int64(sign == 1)


GAINS = make_gains(_term)


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
    plant_initial_tree, order_stuck, make_operation, note_operation, undo_operation, make_attempt(GAINS), foresee_rows
)
