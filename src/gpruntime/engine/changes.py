"""The operations of HVL-Prime on the tree of `ordered`: made, noted, and taken back."""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.kernel import ONE, ZERO, helper, inlined, pasted
from gpruntime.engine.labels import label_leaf
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import prefetch
from gpruntime.engine.nodes import (
    AFTER,
    BEFORE,
    EARLIER,
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
    get,
    put,
)
from gpruntime.engine.ordered import (
    delete_leaf,
    hang_in_place_of,
    insert_leaf,
    place_of,
    substitute_leaf,
    swap,
)
from gpruntime.engine.trace import (
    LOG_ABOVE,
    LOG_AFTER,
    LOG_BEFORE,
    LOG_EARLIER,
    LOG_KIND,
    LOG_LABEL,
    LOG_LATER,
    LOG_LEFT,
    LOG_NEW,
    LOG_OLD,
    LOG_PLACE,
    LOG_RIGHT,
    LOG_SITE,
)


@inlined
def foresee_rows(at, cells, leaves, site, code):
    """See `problem.Stepping`."""
    is_join = site >= leaves
    node = int64(cells[at.register + (2 * (site - leaves if is_join else site) + is_join)])
    first = int64(cells[at.first + (code >> 1)])
    prefetch(cells, ROW * node)
    prefetch(cells, ROW * first)


@inlined
def make_operation(law, at, cells, wide, leaves, kind, site, side, code):
    """See `problem.Stepping`, as for the next two."""
    if kind == INSERT:
        node, beside = place_of(at, cells, leaves, site, side)
        return insert_leaf(at, cells, wide, leaves, node, beside, side, code)
    if kind == DELETE:
        if can_delete(law, leaves):
            return delete_leaf(at, cells, wide, leaves, site)
        return int64(0)
    if code < 0:
        return int64(0)
    return substitute_leaf(at, cells, wide, site, code)


@inlined
def note_operation(law, at, cells, wide, leaves, kind, site, code, entry):
    """A deletion needs most."""
    entry[LOG_KIND], entry[LOG_SITE], entry[LOG_OLD], entry[LOG_NEW] = kind, site, -1, code
    if kind == DELETE:
        if can_delete(law, leaves):
            _note_deletion(cells, wide, int64(cells[at.register + 2 * site]), entry)
    elif kind == SUBSTITUTE and code >= 0:
        entry[LOG_OLD] = get(cells, int64(cells[at.register + 2 * site]), TERMINAL)


@pasted
def _note_deletion(cells, wide, leaf, entry):
    """All that a deleted leaf and its join knew: their slots may be used again before the deletion is taken back."""
    join = get(cells, leaf, PARENT)
    entry[LOG_OLD] = get(cells, leaf, TERMINAL)
    entry[LOG_BEFORE], entry[LOG_AFTER] = (get(cells, leaf, BEFORE), get(cells, leaf, AFTER))
    entry[LOG_EARLIER], entry[LOG_LATER] = (get(cells, leaf, EARLIER), get(cells, leaf, LATER))
    entry[LOG_LABEL] = get(wide, leaf, LABEL)
    entry[LOG_LEFT], entry[LOG_RIGHT] = (get(cells, join, LEFT), get(cells, join, RIGHT))
    entry[LOG_ABOVE], entry[LOG_PLACE] = (get(cells, join, PARENT), get(cells, join, PLACE))


@helper
def undo_operation(law, at, cells, wide, leaves, entry):
    """The opposite operation, but for a deletion."""
    kind, site, old = entry[LOG_KIND], entry[LOG_SITE], entry[LOG_OLD]
    if kind == INSERT:  # the newest leaf is the last of the register, and its join too
        delete_leaf(at, cells, wide, leaves, leaves - 1)
        return leaves - 1
    if old < 0:
        return leaves
    if kind == SUBSTITUTE:
        substitute_leaf(at, cells, wide, site, old)
        return leaves
    _undo_deletion(at, cells, wide, leaves, entry)
    return leaves + 1


@pasted
def _undo_deletion(at, cells, wide, leaves, entry):
    """Puts a leaf and its join back where they were; `leaves` is the number without it."""
    leaf = int64(cells[at.register + 2 * leaves])
    swap(at, cells, entry[LOG_SITE], leaves, ZERO)
    if leaves == 0:
        put(cells, TOP, LEFT, leaf)
        put(cells, leaf, PARENT, TOP)
    else:
        join, left, right = int64(cells[at.register + 2 * leaves - 1]), entry[LOG_LEFT], entry[LOG_RIGHT]
        swap(at, cells, entry[LOG_PLACE], leaves - 1, ONE)
        hang_in_place_of(cells, right if left == leaf else left, join, entry[LOG_ABOVE])
        put(cells, join, LEFT, left)
        put(cells, join, RIGHT, right)
        put(cells, left, PARENT, join)
        put(cells, right, PARENT, join)
    before, after = entry[LOG_BEFORE], entry[LOG_AFTER]
    put(cells, leaf, TERMINAL, entry[LOG_OLD])
    put(cells, leaf, BEFORE, before)
    put(cells, leaf, AFTER, after)
    put(cells, before, AFTER, leaf)
    put(cells, after, BEFORE, leaf)
    put(wide, leaf, LABEL, entry[LOG_LABEL])
    too_low = before != NOBODY and get(wide, before, LABEL) >= entry[LOG_LABEL]
    if too_low or get(wide, after, LABEL) <= entry[LOG_LABEL]:
        label_leaf(cells, wide, leaf)  # its neighbours were labelled anew in the meantime
    earlier, later = entry[LOG_EARLIER], entry[LOG_LATER]
    put(cells, leaf, EARLIER, earlier)
    put(cells, leaf, LATER, later)
    put(cells, later, EARLIER, leaf)
    if earlier != NOBODY:
        put(cells, earlier, LATER, leaf)
        return
    cells[at.first + (entry[LOG_OLD] >> 1)] = leaf
    cells[at.present] += later == NOBODY
