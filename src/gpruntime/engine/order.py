"""ORDER for the kernels: what an operation adds to the fitness, by the first leaves of the variables it touches."""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.kernel import ONE, ZERO, helper, inlined
from gpruntime.engine.labels import label_leaf
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE, can_delete, weakly_stuck
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
from gpruntime.engine.order_initial import plant_initial_tree
from gpruntime.engine.ordered import (
    delete_leaf,
    hang_in_place_of,
    insert_leaf,
    is_positive,
    place_of,
    substitute_leaf,
    swap,
)
from gpruntime.engine.problem import Stepping
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


# ---- making it, and taking it back


@inlined
def _foresee(at, cells, leaves, site, code):
    is_join = site >= leaves
    node = int64(cells[at.register + (2 * (site - leaves if is_join else site) + is_join)])
    first = int64(cells[at.first + (code >> 1)])
    prefetch(cells, ROW * node)
    prefetch(cells, ROW * first)


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


@helper
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


@helper
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


# ---- stuck


@helper
def order_stuck(law, at, cells, leaves, fitness):
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


STEPPING = Stepping(plant_initial_tree, order_stuck, make_operation, note_operation, undo_operation, _attempt, _foresee)
