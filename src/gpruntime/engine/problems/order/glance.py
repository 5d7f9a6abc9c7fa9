"""Proposals of ORDER that are seen to be in vain at a glance, before memory all over the tree is asked for.

Most hopeful operations bring in x_i behind its first leaf x̄_i, which improves nothing. So, with one operation, the
labels are cut into STRETCHES, and a byte says in which a leaf is (`where`), and for a join one that no leaf below it is
before (`below`). An operation at a later stretch than that of the first leaf of x_i is in vain, unless it takes out a
leaf that blocks. Labels are spread out in aligned ranges, and one that is larger than a stretch would take
more than 10⁸ leaves in it, so a leaf stays in its stretch.

Nearly all proposals are looked at here and only here, at places all over the register, so what they read had better be
small: a byte for eight neighbours in the register has the earliest of their stretches, or an earlier one. Neighbours
were planted side by side, so they are mostly in the same stretch; only where that byte leaves it open, their own bytes
are read.
"""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.kernel import ZERO, inlined
from gpruntime.engine.labels import MIDDLE, SPAN
from gpruntime.engine.nodes import LABEL, PARENT, PLACE, TOP, get
from gpruntime.engine.planting import initial_label, left_ends

STRETCHES = 256
EVERYWHERE = 255  # no leaf is behind it
_STRETCH = SPAN // STRETCHES
_BITS, _REST = 3, 7  # of a place: which eight it belongs to, and which of them it is
_BLOCKS = 1  # the second byte of an eight in `near_where`


@inlined
def stretch_of(label):
    """The stretch that a label is in; the first and the last one have no end."""
    return min(max(label - MIDDLE, 0) // _STRETCH, STRETCHES - 1)


@inlined
def _lower(tiny, eight, stretch):
    tiny[eight] = min(int64(tiny[eight]), stretch)


@inlined
def _add(tiny, own, eight, place, stretch):
    """A place at the end of the register comes into use; what was known of its eight is forgotten with the first."""
    tiny[own + place] = stretch
    if place & _REST == 0:
        tiny[eight] = STRETCHES - 1
    _lower(tiny, eight, stretch)


@inlined
def blocks_at(at, tiny, place):
    """Whether the leaf at this place blocks, 1 or 0."""
    return int64(tiny[at.near_where + (_BLOCKS + 2 * (place >> _BITS))]) >> (place & _REST) & 1


@inlined
def set_blocks_at(at, tiny, place, blocks):
    """Says whether the leaf at this place blocks, 1 or 0."""
    eight = at.near_where + _BLOCKS + 2 * (place >> _BITS)
    others = int64(tiny[eight]) & ~(1 << (place & _REST))
    tiny[eight] = others | blocks << (place & _REST)


@inlined
def look_at_initial_tree(law, at, tiny, drawing, leaves):
    """Takes in all leaves and joins; no leaf blocks yet."""
    for place in range(leaves):
        eight = at.near_where + 2 * (place >> _BITS)
        tiny[eight + _BLOCKS] = 0
        _add(tiny, at.where, eight, place, stretch_of(initial_label(law, place)))
    for place in range(leaves - 1):
        left_end = initial_label(law, int64(drawing[left_ends(law) + place]))
        _add(tiny, at.below, at.near_below + (place >> _BITS), place, stretch_of(left_end))


@inlined
def is_far_behind(at, tiny, leaves, site, stretch):
    """Whether its eight say that all leaves below the node with this number are in later stretches."""
    if site >= leaves:
        return tiny[at.near_below + ((site - leaves) >> _BITS)] > stretch
    return tiny[at.near_where + (2 * (site >> _BITS))] > stretch


@inlined
def is_behind(at, tiny, leaves, site, stretch):
    """Whether it is itself seen to be in a later stretch."""
    return (tiny[at.below + site - leaves] if site >= leaves else tiny[at.where + site]) > stretch


@inlined
def look_away(at, cells, tiny, leaves, site):
    """A leaf and its parent are about to go, and the last ones of the register take their places."""
    parent = get(cells, int64(cells[at.register + 2 * site]), PARENT)
    join = get(cells, parent, PLACE)
    stretch, below = int64(tiny[at.where + leaves - 1]), int64(tiny[at.below + leaves - 2])
    tiny[at.where + site], tiny[at.below + join] = stretch, below
    _lower(tiny, at.near_where + 2 * (site >> _BITS), stretch)
    _lower(tiny, at.near_below + (join >> _BITS), below)
    set_blocks_at(at, tiny, site, blocks_at(at, tiny, leaves - 1))


@inlined
def look_at_new_leaf(at, cells, wide, tiny, leaves, site):
    """A leaf has come next to the node with this number, and a join above both; `leaves` is the number before.

    Nothing above a join has a later stretch in `below` than the join, so the walk up ends where nothing changes.
    """
    stretch = stretch_of(get(wide, int64(cells[at.register + 2 * leaves]), LABEL))
    _add(tiny, at.where, at.near_where + 2 * (leaves >> _BITS), leaves, stretch)
    set_blocks_at(at, tiny, leaves, ZERO)
    if leaves == 0:
        return
    beside = int64(tiny[at.below + site - leaves] if site >= leaves else tiny[at.where + site])
    last = leaves - 1
    _add(tiny, at.below, at.near_below + (last >> _BITS), last, min(beside, stretch))
    above = get(cells, int64(cells[at.register + 2 * leaves - 1]), PARENT)
    place = get(cells, above, PLACE)
    while above != TOP and tiny[at.below + place] > stretch:
        tiny[at.below + place] = stretch
        _lower(tiny, at.near_below + (place >> _BITS), stretch)
        above = get(cells, above, PARENT)
        place = get(cells, above, PLACE)
