"""ORDER for skipping: the unexpressed variables, and the leaves that block them.

Variable i is unexpressed if it is *blocked*, its first leaf being x̄_i, or *absent*. Unless x_i is brought in, a
blocked variable is expressed only after its first leaf has gone. So the blocking leaves are the first leaves of the
blocked variables, at the time of the parent; operations on the way to an offspring can only make them fewer. With one
operation only, it helps to take out the first leaf if the second is x_i; then only such first leaves block.

Of those, what is seen to be in vain at a glance (`glance`) is not judged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.changes import make_operation, note_operation, undo_operation
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import prefetch
from gpruntime.engine.nodes import AFTER, BEFORE, EARLIER, LABEL, LATER, NOBODY, PARENT, PLACE, ROW, TERMINAL, get
from gpruntime.engine.ordered import OrderedState, is_positive, place_of
from gpruntime.engine.planting import plant_initial_tree
from gpruntime.engine.problem import Skipping
from gpruntime.engine.problems.order.glance import (
    EVERYWHERE,
    blocks_at,
    is_behind,
    is_far_behind,
    look_at_initial_tree,
    look_at_new_leaf,
    look_away,
    set_blocks_at,
    stretch_of,
)
from gpruntime.engine.problems.order.stepping import GAINS, order_stuck
from gpruntime.engine.random import below, draw_place, uniform
from gpruntime.engine.state import CELL, TINY, WIDE, Sizes

_of_insertion, _of_deletion, _of_substitution = GAINS

# LOOSE and FAST variables are blocked: what it takes to be LOOSE is above.
LOOSE, FAST, ABSENT, EXPRESSED = range(4)
TAKEN = 3

_AHEAD = 8  # variables: their first leaves are all over the tree, so their memory is asked for


class OrderSkipFields(NamedTuple):
    """A tree and its unexpressed variables.

    Attributes:
        node, register, first, present: the tree itself, see `ordered`.
        status: LOOSE, FAST, ABSENT or EXPRESSED for each variable, in the parent.
        listed: the LOOSE variables from 0 on, the FAST ones from n on, the ABSENT ones from 2n on, each in any order.
        wanted_before: beside each variable in `listed`, the stretch of its first leaf.
        seat: beside each LOOSE variable in `listed`, its first leaf in the parent.
        place: where a variable stands in `listed`.
        taken: the blocking leaves that operations of this offspring have taken out.
        sizes: how many variables are LOOSE, FAST and ABSENT, and how many leaves are TAKEN.
        where, below, near_where, near_below: what is in vain, with one operation, see `glance`.
    """

    node: int
    register: int
    first: int
    present: int
    status: int
    listed: int
    wanted_before: int
    seat: int
    place: int
    taken: int
    sizes: int
    where: int
    below: int
    near_where: int
    near_below: int


class OrderSkip(OrderedState):
    """A tree of ORDER and its unexpressed variables."""

    fields: Any = OrderSkipFields

    def sizes(self) -> Sizes:
        """See `State`."""
        n, room, eights = self.law.n, self.room, self.room // 8 + 1
        return super().sizes() | {
            "status": (TINY, n),
            "listed": (CELL, 3 * n),
            "wanted_before": (TINY, 3 * n),
            "seat": (CELL, n),
            "place": (CELL, n),
            "taken": (CELL, self.law.most),
            "sizes": (WIDE, 4),
            "where": (TINY, room),
            "below": (TINY, room),
            "near_where": (TINY, 2 * eights),
            "near_below": (TINY, eights),
        }


@helper
def _file(law, at, cells, wide, tiny, variable):
    """Puts a variable into the list it belongs to."""
    single = law.most == 1
    first = int64(cells[at.first + variable])
    status = ABSENT
    if first != NOBODY:
        then = single and is_positive(cells, get(cells, first, LATER)) == 1
        blocked = LOOSE if then or not single else FAST
        status = EXPRESSED if is_positive(cells, first) == 1 else blocked
    before, place = int64(tiny[at.status + variable]), int64(cells[at.place + variable])
    if single:
        if before == LOOSE:
            set_blocks_at(at, tiny, get(cells, int64(cells[at.seat + place]), PLACE), ZERO)
        if status == LOOSE:
            set_blocks_at(at, tiny, get(cells, first, PLACE), ONE)
    if before < EXPRESSED and before != status:
        wide[at.sizes + before] -= 1
        last = before * law.n + wide[at.sizes + before]
        moved = int64(cells[at.listed + last])
        cells[at.listed + place], tiny[at.wanted_before + place] = moved, tiny[at.wanted_before + last]
        if before == LOOSE:
            cells[at.seat + place] = cells[at.seat + last]
        cells[at.place + moved] = place
    tiny[at.status + variable] = status
    if status >= EXPRESSED:
        return
    if before != status:
        place = status * law.n + wide[at.sizes + status]
        wide[at.sizes + status] += 1
        cells[at.listed + place], cells[at.place + variable] = variable, place
    tiny[at.wanted_before + place] = EVERYWHERE if first == NOBODY else stretch_of(get(wide, first, LABEL))
    if status == LOOSE:
        cells[at.seat + place] = first


@helper
def _start(law, at, cells, wide, tiny, drawing, rng):
    leaves, fitness = plant_initial_tree(law, at, cells, wide, tiny, drawing, rng)
    for i in range(4):
        wide[at.sizes + i] = 0
    if law.most == 1:
        look_at_initial_tree(law, at, tiny, drawing, leaves)
    for variable in range(law.n):
        soon = int64(cells[at.first + min(variable + _AHEAD, law.n - 1)])
        prefetch(cells, ROW * int64(cells[at.first + min(variable + 2 * _AHEAD, law.n - 1)]))
        prefetch(cells, ROW * get(cells, soon, LATER))
        tiny[at.status + variable] = EXPRESSED
        _file(law, at, cells, wide, tiny, variable)
    return leaves, fitness


@inlined
def _measure(law, at, wide):
    return _pool(at, wide), wide[at.sizes + LOOSE] - wide[at.sizes + TAKEN], ZERO, ZERO, ONE


@inlined
def _pool(at, wide):
    """How many variables are unexpressed."""
    return wide[at.sizes + LOOSE] + wide[at.sizes + FAST] + wide[at.sizes + ABSENT]


@inlined
def _is_taken(at, cells, wide, leaf):
    for i in range(wide[at.sizes + TAKEN]):
        if cells[at.taken + i] == leaf:
            return True
    return False


@inlined
def _is_blocking(at, cells, wide, tiny, leaf):
    """Whether this leaf was the first of a LOOSE variable in the parent, and still is what it was."""
    code = get(cells, leaf, TERMINAL)
    variable = code >> 1
    if code & 1 == 0 or tiny[at.status + variable] != LOOSE or cells[at.seat + cells[at.place + variable]] != leaf:
        return False
    return not _is_taken(at, cells, wide, leaf)


@inlined
def _is_wanted(at, tiny, code):
    """Whether this terminal is x_i for an unexpressed i."""
    return code & 1 == 0 and tiny[at.status + (code >> 1)] < EXPRESSED


@inlined
def _draw_wanted(law, at, wide, rng):
    """A uniform unexpressed variable, by its place in `listed`."""
    place, status = below(rng, _pool(at, wide)), LOOSE
    while place >= wide[at.sizes + status]:
        place -= wide[at.sizes + status]
        status += 1
    place += status * law.n
    return place


@inlined
def _draw_unwanted(law, at, tiny, rng):
    code = below(rng, 2 * law.n)
    while _is_wanted(at, tiny, code):
        code = below(rng, 2 * law.n)
    return code


@inlined
def _draw_blocking(at, cells, wide, rng):
    """The place in the register of a uniform blocking leaf."""
    while True:
        leaf = int64(cells[at.seat + below(rng, wide[at.sizes + LOOSE])])
        if not _is_taken(at, cells, wide, leaf):
            return get(cells, leaf, PLACE)


@inlined
def _draw_hopeful(law, at, cells, wide, tiny, rng, leaves, kind):
    none = MINUS_ONE
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, none, _draw_wanted(law, at, wide, rng)
    if kind == DELETE:
        return _draw_blocking(at, cells, wide, rng), none, none, none
    into = _pool(at, wide) / (2.0 * law.n)
    out = (1.0 - into) * (wide[at.sizes + LOOSE] - wide[at.sizes + TAKEN]) / leaves
    if uniform(rng) * (into + out) < into:
        site = below(rng, leaves)
        return site, none, none, _draw_wanted(law, at, wide, rng)
    return _draw_blocking(at, cells, wide, rng), none, _draw_unwanted(law, at, tiny, rng), none


@helper
def _draw_hopeless(law, at, cells, wide, tiny, rng, leaves, kind):
    none = MINUS_ONE
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_unwanted(law, at, tiny, rng), none
    if leaves == 0:
        return none, none, none, none
    while True:
        site = below(rng, 2 * leaves - 1 if law.nodes and kind != DELETE else leaves)
        if site >= leaves:
            return site, none, none, none
        code = below(rng, 2 * law.n) if kind != DELETE else none
        wanted = code >= 0 and _is_wanted(at, tiny, code)
        if not wanted and not _is_blocking(at, cells, wide, tiny, int64(cells[at.register + 2 * site])):
            return site, none, code, none


@inlined
def _judge(law, at, cells, wide, tiny, leaves, kind, site, side, code):
    if kind == INSERT:
        _, beside = place_of(at, cells, leaves, site, side)
        return _of_insertion(law, at, cells, wide, beside, side, code)
    if kind == DELETE and law.most == 1:
        return ONE  # a leaf that blocks: the next one is x_i
    if (kind == DELETE and not can_delete(law, leaves)) or (kind == SUBSTITUTE and code < 0):
        return ZERO
    leaf = int64(cells[at.register + 2 * site])
    return _of_deletion(law, cells, leaf) if kind == DELETE else _of_substitution(law, at, cells, wide, leaf, code)


@inlined
def _is_vain(law, at, cells, tiny, leaves, kind, site, which):
    """x_i comes in behind its first leaf x̄_i, and no leaf goes that blocks."""
    if law.most > 1 or which < 0:
        return False
    wanted_before = tiny[at.wanted_before + which]
    blocks = kind == SUBSTITUTE and blocks_at(at, tiny, site) == 1
    if blocks:
        return False
    return is_far_behind(at, tiny, leaves, site, wanted_before) or is_behind(at, tiny, leaves, site, wanted_before)


@inlined
def _terminal_of(at, cells, code, which):
    return code if which < 0 else 2 * int64(cells[at.listed + which])


@inlined
def _foresee_change(at, cells, tiny, leaves, kind, site, side, code):
    """For trees larger than the cache: at n = 250,000 runs take up to a third longer without."""
    if leaves == 0:
        return
    node, beside = place_of(at, cells, leaves, site, max(side, ZERO))
    if kind == INSERT:
        prefetch(cells, ROW * get(cells, node, PARENT))
        prefetch(cells, ROW * get(cells, beside, BEFORE + side))
    else:
        for link in (PARENT, BEFORE, AFTER, EARLIER, LATER):
            prefetch(cells, ROW * get(cells, node, link))
        variable = get(cells, node, TERMINAL) >> 1
        prefetch(tiny, at.status + variable)
        prefetch(cells, at.place + variable)
        prefetch(cells, ROW * int64(cells[at.first + variable]))
    if code >= 0:
        prefetch(tiny, at.status + (code >> 1))
        prefetch(cells, at.place + (code >> 1))


@inlined
def _make(law, at, cells, wide, tiny, leaves, kind, site, side, code):
    single = law.most == 1
    if single and kind == DELETE and leaves > 1:
        look_away(at, cells, tiny, leaves, site)
    gain = make_operation(law, at, cells, wide, leaves, kind, site, side, code)
    if single and kind == INSERT:
        look_at_new_leaf(at, cells, wide, tiny, leaves, site)
    return gain


@inlined
def _note(law, at, cells, wide, tiny, leaves, kind, site, code, entry):
    goes = kind == DELETE and can_delete(law, leaves)
    if goes or (kind != INSERT and code >= 0):
        leaf = int64(cells[at.register + 2 * site])
        if _is_blocking(at, cells, wide, tiny, leaf):
            cells[at.taken + wide[at.sizes + TAKEN]] = leaf
            wide[at.sizes + TAKEN] += 1
    note_operation(law, at, cells, wide, leaves, kind, site, code, entry)


@inlined
def _undo(law, at, cells, wide, tiny, leaves, entry):
    wide[at.sizes + TAKEN] = 0
    return undo_operation(law, at, cells, wide, leaves, entry)


@inlined
def _settle(law, at, cells, wide):
    wide[at.sizes + TAKEN] = 0


SKIPPING = Skipping(
    _start, order_stuck, _make, _note, _undo, _measure, _draw_hopeful,
    _draw_hopeless, _is_vain, _terminal_of, _judge, _foresee_change, _file, _settle,
)  # fmt: skip
