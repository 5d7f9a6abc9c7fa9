"""Order labels: numbers that grow along the leaves from left to right, so "is it before that one?" is one comparison.

A new leaf gets the middle of its neighbours' labels, or a fixed distance beyond the end. When a gap is used up,
labels are spread out again around it, in the smallest aligned range of 2ⁱ labels that holds at most (2/1.4)ⁱ leaves:
the order maintenance of Dietz and Sleator in the form of Bender et al. (2002), O(log T) amortised per insertion,
wherever the insertions fall. (Relabelling everything instead costs Θ(T) every fifty insertions at the front, and the
front is where ORDER's improvements are.)
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import inlined, njit

MIDDLE, SPAN, STEP = 2**61, 2**60, 2**32  # the first label; the room for an initial tree; the distance beyond the end
_MOST_BITS = 62
_LABELS_PER_LEAF = 1.4

# Columns of a leaf, padded to half a cache line. Labels have an array of their own: many proposals look at no more.
TERMINAL, PARENT, BEFORE, AFTER, EARLIER, LATER, PLACE = range(7)
LEAF_WIDTH = 8


@inlined
def label_leaf(leaf, label, new):
    """Gives a label to a leaf that has just been linked between its neighbours."""
    before, after = leaf[new, BEFORE], leaf[new, AFTER]
    if before < 0 and after < 0:
        label[new] = MIDDLE
    elif before < 0:
        label[new] = label[after] - STEP
    elif after < 0:
        label[new] = label[before] + STEP
    else:
        gap = label[after] - label[before]
        if gap >= 2:
            label[new] = label[before] + gap // 2
        else:
            _spread(leaf, label, new)


@njit
def _spread(leaf, label, new):
    """Makes room around a leaf between two neighbours without a gap, and labels it."""
    anchor = label[leaf[new, BEFORE]]
    first, last, leaves = new, new, 1
    allowed = 1.0
    for bits in range(1, _MOST_BITS):
        allowed *= 2 / _LABELS_PER_LEAF
        size = np.int64(1) << bits
        base = anchor & ~(size - 1)
        while leaf[first, BEFORE] >= 0 and label[leaf[first, BEFORE]] >= base:
            first = leaf[first, BEFORE]
            leaves += 1
        while leaf[last, AFTER] >= 0 and label[leaf[last, AFTER]] < base + size:
            last = leaf[last, AFTER]
            leaves += 1
        if leaves <= allowed and 2 * leaves < size:
            distance = size // (leaves + 1)
            value = base
            while True:
                value += distance
                label[first] = value
                if first == last:
                    return
                first = leaf[first, AFTER]
