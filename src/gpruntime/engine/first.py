"""Problems that see which leaf of each variable comes first: a term for each variable, by the sign of that leaf.

An operation changes the first leaf of two variables at most, which `ordered` finds by order labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.changes import foresee_rows, make_operation, note_operation, undo_operation
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, can_delete, vainly_accepted
from gpruntime.engine.memory import data_of
from gpruntime.engine.nodes import EARLIER, LABEL, LATER, NOBODY, TERMINAL, get
from gpruntime.engine.ordered import OrderedState, is_positive, place_of
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Stepping
from gpruntime.engine.state import WIDE, Sizes


class FirstFields(NamedTuple):
    """A tree: the fields of `ordered`, and

    Attributes:
        data: of the problem.
    """

    node: int
    register: int
    first: int
    present: int
    data: int


class FirstState(OrderedState):
    """A planted tree, and data."""

    fields = FirstFields

    def sizes(self) -> Sizes:
        """See `State`."""
        return super().sizes() | {"data": (WIDE, self.law.data)}


@inlined
def _sign(cells, leaf):
    """1 for a leaf x_i, 0 for x̄_i, −1 for nobody."""
    return is_positive(cells, leaf) - int64(leaf == NOBODY)


def make_first(value: Any) -> Stepping:
    """What the loops need, from `value(i, sign, n, data)`."""

    @inlined
    def turn(law, at, wide, variable, before, after):
        """What a variable adds to the fitness when another sign comes first."""
        data = data_of(law, at, wide)
        return value(variable + 1, after, law.size, data) - value(variable + 1, before, law.size, data)

    @inlined
    def loss(law, at, cells, wide, leaf):
        """What it adds that this leaf goes."""
        if get(cells, leaf, EARLIER) != NOBODY:
            return ZERO
        later = get(cells, leaf, LATER)
        return turn(law, at, wide, get(cells, leaf, TERMINAL) >> 1, is_positive(cells, leaf), _sign(cells, later))

    @inlined
    def judge(law, at, cells, wide, leaves, kind, site, side, code):
        """What an operation, one that does something, adds to the fitness."""
        if kind == INSERT:
            _, beside = place_of(at, cells, leaves, site, side)
            first = int64(cells[at.first + (code >> 1)])
            if get(wide, beside, LABEL) + side > get(wide, first, LABEL):
                return ZERO
            return turn(law, at, wide, code >> 1, _sign(cells, first), ~code & 1)
        leaf = int64(cells[at.register + 2 * site])
        if kind == DELETE:
            return loss(law, at, cells, wide, leaf)
        variable, first = code >> 1, int64(cells[at.first + (code >> 1)])
        if get(cells, leaf, TERMINAL) >> 1 == variable:
            return turn(law, at, wide, variable, is_positive(cells, leaf), ~code & 1) if first == leaf else ZERO
        gain = loss(law, at, cells, wide, leaf)
        if get(wide, leaf, LABEL) < get(wide, first, LABEL):
            gain += turn(law, at, wide, variable, _sign(cells, first), ~code & 1)
        return gain

    @helper
    def start(law, at, cells, wide, tiny, drawing, rng):
        leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
        fitness = ZERO
        for variable in range(law.n):
            sign = _sign(cells, int64(cells[at.first + variable]))
            fitness += value(variable + 1, sign, law.size, data_of(law, at, wide))
        return leaves, fitness

    @inlined
    def attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
        gain = judge(law, at, cells, wide, leaves, kind, site, side, code)
        if gain >= least:
            make_operation(law, at, cells, wide, leaves, kind, site, side, code)
        return gain

    @helper
    def make(law, at, cells, wide, leaves, kind, site, side, code):
        takes = (kind == DELETE and can_delete(law, leaves)) or (kind != DELETE and code >= 0)
        if not takes:
            return ZERO
        gain = judge(law, at, cells, wide, leaves, kind, site, side, code)
        make_operation(law, at, cells, wide, leaves, kind, site, side, code)
        return gain

    @helper
    def is_stuck(law, at, cells, wide, leaves, fitness):
        """A new leaf can come in front of everything: often that is answer enough. Otherwise all are tried."""
        if vainly_accepted(law, leaves):
            return False
        if law.insert > 0 and leaves < law.limit:
            for variable in range(law.n):
                first = _sign(cells, int64(cells[at.first + variable]))
                for sign in range(law.double, 2):
                    if turn(law, at, wide, variable, first, sign) >= law.grow:
                        return False
            if leaves > 0 and law.grow <= 0:  # behind everything a leaf of a variable that is there adds nothing
                return False
        for site in range(leaves):
            deletes = law.delete > 0 and can_delete(law, leaves)
            if deletes and judge(law, at, cells, wide, leaves, int64(DELETE), site, ZERO, ZERO) >= law.shrink:
                return False
            for code in range(law.codes if law.substitute > 0 else 0):
                if judge(law, at, cells, wide, leaves, ZERO, site, ZERO, code << law.double) >= law.same:
                    return False
        return True

    return Stepping(start, is_stuck, make, note_operation, undo_operation, attempt, foresee_rows)
