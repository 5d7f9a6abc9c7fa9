"""Problems that see all leaves, or the whole program: the tree of `ordered`, read anew for each offspring.

An operation is made, the tree is read into an array and given to the problem's function, and the operation is taken
back if the offspring is rejected. That is O(T) for each offspring, whatever the function does with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.changes import foresee_rows, make_operation, note_operation, undo_operation
from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete, vainly_accepted
from gpruntime.engine.memory import tail
from gpruntime.engine.nodes import AFTER, FUNCTION, LEFT, NOBODY, PARENT, RIGHT, TERMINAL, TOP, get, put
from gpruntime.engine.ordered import OrderedState, edge_of
from gpruntime.engine.own import value_of_array
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Stepping
from gpruntime.engine.state import WIDE, Sizes
from gpruntime.engine.trace import FUNCTION_BITS, LOG_FUNCTION, LOG_KIND, LOG_SITE, LOG_WIDTH, TERMINAL_BITS

_MOST = int64(2**62)  # more than any gain


class WholeFields(NamedTuple):
    """A tree: the fields of `ordered`, and

    Attributes:
        score: its fitness (`law.score`).
        before: that before the operations that were last settled.
        entry: what it takes to take back an operation.
        tokens: room to read the tree into.
    """

    node: int
    register: int
    first: int
    present: int
    score: int
    before: int
    entry: int
    tokens: int


class WholeState(OrderedState):
    """A tree that is read anew for each offspring."""

    fields: Any = WholeFields
    spare = 2  # to try an insertion in a tree that fills its room

    def sizes(self) -> Sizes:
        """See `State`."""
        return super().sizes() | {
            "score": (WIDE, 1),
            "before": (WIDE, 1),
            "entry": (WIDE, LOG_WIDTH),
            "tokens": (WIDE, 2 * (self.room + self.spare)),
        }


@helper
def read_leaves(law, at, cells, wide):
    """Writes the terminals from left to right as the problem knows them; returns how many."""
    leaf, size = edge_of(cells, get(cells, TOP, LEFT), LEFT), ZERO
    while leaf != NOBODY:
        wide[at.tokens + size] = get(cells, leaf, TERMINAL) >> law.double
        size += 1
        leaf = get(cells, leaf, AFTER)
    return size


@helper
def read_program(law, at, cells, wide):
    """Writes the tree in postfix order (`gpruntime.model.problem`); returns how many nodes it has."""
    root, size = get(cells, TOP, LEFT), ZERO
    node = edge_of(cells, root, LEFT)
    while node != NOBODY:
        if node & 1 == 0:
            wide[at.tokens + size] = get(cells, node, TERMINAL) >> law.double
        else:
            wide[at.tokens + size] = -1 - (get(cells, node, FUNCTION) if law.functions > 1 else ZERO)
        size += 1
        if node == root:
            break
        above = get(cells, node, PARENT)
        node = edge_of(cells, get(cells, above, RIGHT), LEFT) if get(cells, above, LEFT) == node else above
    return size


def _make_whole(read: Any) -> Stepping:
    """What the loops need, from what the problem is to see."""

    @helper
    def evaluate(law, at, cells, wide):
        size = read(law, at, cells, wide)
        return value_of_array(law, wide, at.tokens, size)

    @helper
    def start(law, at, cells, wide, tiny, drawing, rng):
        leaves, _ = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
        wide[at.score] = evaluate(law, at, cells, wide)
        return leaves, wide[at.score]

    @helper
    def change(law, at, cells, wide, leaves, kind, site, side, code):
        """Makes an operation; the fitness is not looked at."""
        function = code >> FUNCTION_BITS
        if kind == SUBSTITUTE and code >= 0 and site >= leaves:
            put(cells, int64(cells[at.register + 2 * (site - leaves) + 1]), FUNCTION, function)
            return
        make_operation(law, at, cells, wide, leaves, kind, site, side, code & TERMINAL_BITS if code >= 0 else code)
        if kind == INSERT and leaves > 0:
            put(cells, int64(cells[at.register + 2 * leaves - 1]), FUNCTION, function)

    @helper
    def note(law, at, cells, wide, leaves, kind, site, code, entry):
        known = kind == SUBSTITUTE and site >= leaves
        node = int64(NOBODY)
        if known:
            node = int64(cells[at.register + 2 * (site - leaves) + 1])
        elif kind == DELETE and leaves > 1:
            node = get(cells, int64(cells[at.register + 2 * site]), PARENT)
        note_operation(law, at, cells, wide, leaves, kind, site, MINUS_ONE if known else code, entry)
        entry[LOG_FUNCTION] = get(cells, node, FUNCTION)

    @helper
    def undo(law, at, cells, wide, leaves, entry):
        wide[at.score] = wide[at.before]
        if entry[LOG_KIND] == SUBSTITUTE and entry[LOG_SITE] >= leaves:
            put(cells, int64(cells[at.register + 2 * (entry[LOG_SITE] - leaves) + 1]), FUNCTION, entry[LOG_FUNCTION])
            return leaves
        join = int64(cells[at.register + 2 * leaves - 1]) if leaves > 0 else int64(TOP)  # of a deleted leaf
        before = undo_operation(law, at, cells, wide, leaves, entry)
        if before > leaves > 0:
            put(cells, join, FUNCTION, entry[LOG_FUNCTION])
        return before

    @inlined
    def make(law, at, cells, wide, leaves, kind, site, side, code):
        """The gain is known when all operations are made."""
        if (kind == DELETE and can_delete(law, leaves)) or (kind != DELETE and code >= 0):
            change(law, at, cells, wide, leaves, kind, site, side, code)
        return ZERO

    @helper
    def settle(law, at, cells, wide):
        wide[at.before] = wide[at.score]
        wide[at.score] = evaluate(law, at, cells, wide)
        return wide[at.score] - wide[at.before]

    @helper
    def attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
        entry = tail(wide, at.entry)
        note(law, at, cells, wide, leaves, kind, site, code, entry)
        change(law, at, cells, wide, leaves, kind, site, side, code)
        gain = settle(law, at, cells, wide)
        if gain < least:
            undo(law, at, cells, wide, leaves + (kind == INSERT) - (kind == DELETE), entry)
        return gain

    @helper
    def is_stuck(law, at, cells, wide, leaves, fitness):
        """By trying all proposals: none may gain what it takes."""
        if vainly_accepted(law, leaves):
            return False
        insert, delete, substitute = int64(INSERT), int64(DELETE), int64(SUBSTITUTE)
        if law.insert > 0 and leaves < law.limit:
            for place in range(max(4 * leaves - 2, 1)):
                site, side = (int64(place >> 1), int64(place & 1)) if leaves > 0 else (MINUS_ONE, MINUS_ONE)
                for function in range(law.functions if leaves > 0 else 1):
                    for terminal in range(law.codes):
                        code = terminal << law.double | function << FUNCTION_BITS
                        if attempt(law, at, cells, wide, leaves, insert, site, side, code, _MOST) >= law.grow:
                            return False
        for site in range(leaves):
            deletes = law.delete > 0 and can_delete(law, leaves)
            if deletes and attempt(law, at, cells, wide, leaves, delete, site, ZERO, ZERO, _MOST) >= law.shrink:
                return False
            for terminal in range(law.codes if law.substitute > 0 else 0):
                code = terminal << law.double
                if attempt(law, at, cells, wide, leaves, substitute, site, ZERO, code, _MOST) >= law.same:
                    return False
        if law.substitute > 0 and law.nodes and law.functions > 1:
            for site in range(leaves, 2 * leaves - 1):
                for function in range(law.functions):
                    code = function << FUNCTION_BITS
                    if attempt(law, at, cells, wide, leaves, substitute, site, ZERO, code, _MOST) >= law.same:
                        return False
        return True

    return Stepping(start, is_stuck, make, note, undo, attempt, foresee_rows, settle)


BY_LEAVES, BY_PROGRAM = _make_whole(read_leaves), _make_whole(read_program)
