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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import ZERO, inlined
from gpruntime.engine.labels import HALF, LABEL, MIDDLE, PARENT, PLACE, ROW, SPAN, TOP
from gpruntime.engine.order_initial import initial_label

STRETCHES = 256
EVERYWHERE = 255  # no leaf is behind it
_STRETCH = SPAN // STRETCHES
_BITS, _REST = 3, 7  # of a place: which eight it belongs to, and which of them it is
_BLOCKS = 1  # the second byte of an eight in `near_where`


class Glance(NamedTuple):
    """What a proposal is looked up in, all by places in the register.

    Attributes:
        where: the stretch of each leaf.
        below: for each join, a stretch that no leaf below it is before.
        near_where: for each eight leaves, a stretch that none of theirs is before, and a bit for each that blocks.
        near_below: for each eight joins, a stretch that none of theirs is before.
    """

    where: NDArray[np.uint8]
    below: NDArray[np.uint8]
    near_where: NDArray[np.uint8]
    near_below: NDArray[np.uint8]


@inlined
def stretch_of(label):
    """The stretch that a label is in; the first and the last one have no end."""
    return min(max(label - MIDDLE, 0) // _STRETCH, STRETCHES - 1)


@inlined
def _lower(near, eight, stretch):
    near[eight] = min(np.int64(near[eight]), stretch)


@inlined
def _add(own, near, eight, place, stretch):
    """A place at the end of the register comes into use; what was known of its eight is forgotten with the first."""
    own[place] = stretch
    if place & _REST == 0:
        near[eight] = STRETCHES - 1
    _lower(near, eight, stretch)


@inlined
def blocks_at(glance, place):
    """Whether the leaf at this place blocks, 1 or 0."""
    return np.int64(glance.near_where[_BLOCKS + 2 * (place >> _BITS)]) >> (place & _REST) & 1


@inlined
def set_blocks_at(glance, place, blocks):
    """Says whether the leaf at this place blocks, 1 or 0."""
    eight = _BLOCKS + 2 * (place >> _BITS)
    others = np.int64(glance.near_where[eight]) & ~(1 << (place & _REST))
    glance.near_where[eight] = others | blocks << (place & _REST)


@inlined
def look_at_initial_tree(given, glance, leaves):
    """Takes in all leaves and joins; no leaf blocks yet."""
    glance.near_where[:] = 0
    for place in range(leaves):
        _add(glance.where, glance.near_where, 2 * (place >> _BITS), place, stretch_of(initial_label(given, place)))
    for place in range(leaves - 1):
        left_end = initial_label(given, given.left_end[place])
        _add(glance.below, glance.near_below, place >> _BITS, place, stretch_of(left_end))


@inlined
def is_far_behind(glance, leaves, site, stretch):
    """Whether its eight say that all leaves below the node with this number are in later stretches."""
    if site >= leaves:
        return glance.near_below[(site - leaves) >> _BITS] > stretch
    return glance.near_where[2 * (site >> _BITS)] > stretch


@inlined
def is_behind(glance, leaves, site, stretch):
    """Whether it is itself seen to be in a later stretch."""
    return (glance.below[site - leaves] if site >= leaves else glance.where[site]) > stretch


@inlined
def look_away(tree, glance, leaves, site):
    """A leaf and its parent are about to go, and the last ones of the register take their places."""
    parent = np.int64(tree.node[ROW * np.int64(tree.register[2 * site]) + PARENT])
    join = np.int64(tree.node[ROW * parent + PLACE])
    glance.where[site], glance.below[join] = glance.where[leaves - 1], glance.below[leaves - 2]
    _lower(glance.near_where, 2 * (site >> _BITS), np.int64(glance.where[site]))
    _lower(glance.near_below, join >> _BITS, np.int64(glance.below[join]))
    set_blocks_at(glance, site, blocks_at(glance, leaves - 1))


@inlined
def look_at_new_leaf(tree, glance, leaves, site):
    """A leaf has come next to the node with this number, and a join above both; `leaves` is the number before.

    Nothing above a join has a later stretch in `below` than the join, so the walk up ends where nothing changes.
    """
    stretch = stretch_of(tree.label[HALF * np.int64(tree.register[2 * leaves]) + LABEL])
    _add(glance.where, glance.near_where, 2 * (leaves >> _BITS), leaves, stretch)
    set_blocks_at(glance, leaves, ZERO)
    if leaves == 0:
        return
    beside = np.int64(glance.below[site - leaves] if site >= leaves else glance.where[site])
    _add(glance.below, glance.near_below, (leaves - 1) >> _BITS, leaves - 1, min(beside, stretch))
    above = np.int64(tree.node[ROW * np.int64(tree.register[2 * leaves - 1]) + PARENT])
    place = np.int64(tree.node[ROW * above + PLACE])
    while above != TOP and glance.below[place] > stretch:
        glance.below[place] = stretch
        _lower(glance.near_below, place >> _BITS, stretch)
        above = np.int64(tree.node[ROW * above + PARENT])
        place = np.int64(tree.node[ROW * above + PLACE])
