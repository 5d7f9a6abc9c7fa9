"""Proposals of ORDER that are seen to be in vain at a glance, before memory all over the tree is asked for.

Most hopeful operations bring in x_i behind its first leaf x̄_i, which improves nothing. So, with one operation, the
labels are cut into STRETCHES, and a byte says in which a leaf is (`where`), and for a join one that no leaf below it is
before (`below`). An operation at a later stretch than that of the first leaf of x_i is in vain, unless it takes out a
leaf that blocks (`blocks`). Labels are spread out in aligned ranges, and one that is larger than a stretch would take
more than 10⁸ leaves in it, so a leaf stays in its stretch.

Nearly all proposals are looked at here and only here, at places all over the register, so what they read had better be
small: a byte for eight neighbours in the register has the earliest of their stretches, or an earlier one. Neighbours
were planted side by side, so they are mostly in the same stretch; only where that byte leaves it open, their own bytes
are read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import inlined
from gpruntime.engine.labels import HALF, LABEL, MIDDLE, PARENT, PLACE, ROW, SPAN, TOP
from gpruntime.engine.order_initial import initial_label
from gpruntime.engine.prefetch import prefetch

STRETCHES = 256
EVERYWHERE = 255  # no leaf is behind it
_STRETCH = SPAN // STRETCHES
_BITS, _REST = 3, 7  # of a place: which eight it belongs to, and which of them it is


class Glance(NamedTuple):
    """What a proposal is looked up in, all by places in the register.

    Attributes:
        where: the stretch of each leaf.
        below: for each join, a stretch that no leaf below it is before.
        near_where, near_below: for each eight of them, a stretch that none of theirs is before.
        blocks: for each eight leaves, a bit for each that blocks.
    """

    where: NDArray[np.uint8]
    below: NDArray[np.uint8]
    near_where: NDArray[np.uint8]
    near_below: NDArray[np.uint8]
    blocks: NDArray[np.uint8]


@inlined
def stretch_of(label):
    """The stretch that a label is in; the first and the last one have no end."""
    return min(max(label - MIDDLE, 0) // _STRETCH, STRETCHES - 1)


@inlined
def _add(own, near, place, stretch):
    """A place at the end of the register comes into use; what was known of its eight is forgotten with the first."""
    own[place] = stretch
    near[place >> _BITS] = stretch if place & _REST == 0 else min(np.int64(near[place >> _BITS]), stretch)


@inlined
def _change(own, near, place, stretch):
    own[place] = stretch
    near[place >> _BITS] = min(np.int64(near[place >> _BITS]), stretch)


@inlined
def blocks_at(glance, place):
    """Whether the leaf at this place blocks, 1 or 0."""
    return np.int64(glance.blocks[place >> _BITS]) >> (place & _REST) & 1


@inlined
def set_blocks_at(glance, place, blocks):
    """Says whether the leaf at this place blocks, 1 or 0."""
    others = np.int64(glance.blocks[place >> _BITS]) & ~(1 << (place & _REST))
    glance.blocks[place >> _BITS] = others | blocks << (place & _REST)


@inlined
def look_at_initial_tree(given, glance, leaves):
    """Takes in all leaves and joins; no leaf blocks yet."""
    for place in range(leaves):
        _add(glance.where, glance.near_where, place, stretch_of(initial_label(given, place)))
    for place in range(leaves - 1):
        _add(glance.below, glance.near_below, place, stretch_of(initial_label(given, given.left_end[place])))
    glance.blocks[:] = 0


@inlined
def foresee_glance(glance, leaves, site):
    """Asks for the memory that `is_behind` will look at first."""
    if site >= leaves:
        prefetch(glance.near_below, (site - leaves) >> _BITS)
    else:
        prefetch(glance.near_where, site >> _BITS)


@inlined
def is_behind(glance, leaves, site, stretch):
    """Whether all leaves below the node with this number are seen to be in later stretches."""
    if site >= leaves:
        place = site - leaves
        return glance.near_below[place >> _BITS] > stretch or glance.below[place] > stretch
    return glance.near_where[site >> _BITS] > stretch or glance.where[site] > stretch


@inlined
def look_away(tree, glance, leaves, site):
    """A leaf and its parent are about to go, and the last ones of the register take their places."""
    parent = np.int64(tree.node[ROW * np.int64(tree.register[2 * site]) + PARENT])
    _change(glance.where, glance.near_where, site, np.int64(glance.where[leaves - 1]))
    set_blocks_at(glance, site, blocks_at(glance, leaves - 1))
    join = np.int64(tree.node[ROW * parent + PLACE])
    _change(glance.below, glance.near_below, join, np.int64(glance.below[leaves - 2]))


@inlined
def look_at_new_leaf(tree, glance, leaves, site):
    """A leaf has come next to the node with this number, and a join above both; `leaves` is the number before.

    Nothing above a join has a later stretch in `below` than the join, so the walk up ends where nothing changes.
    """
    stretch = stretch_of(tree.label[HALF * np.int64(tree.register[2 * leaves]) + LABEL])
    _add(glance.where, glance.near_where, leaves, stretch)
    set_blocks_at(glance, leaves, 0)
    if leaves == 0:
        return
    beside = np.int64(glance.below[site - leaves] if site >= leaves else glance.where[site])
    _add(glance.below, glance.near_below, leaves - 1, min(beside, stretch))
    above = np.int64(tree.node[ROW * np.int64(tree.register[2 * leaves - 1]) + PARENT])
    while above != TOP and glance.below[tree.node[ROW * above + PLACE]] > stretch:
        _change(glance.below, glance.near_below, np.int64(tree.node[ROW * above + PLACE]), stretch)
        above = np.int64(tree.node[ROW * above + PARENT])
