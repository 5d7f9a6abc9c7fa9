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
NOWHERE = 2**63 - 1  # behind all
_MOST_BITS = 62
_LABELS_PER_LEAF = 1.4

# Columns of a node's row, half a cache line. A join has LEFT and RIGHT children, a leaf the next four. In between a
# join has room for the LABEL of the leaf in its slot, so that a leaf and its label come from memory together. `label`
# is the same memory as 64-bit numbers, of which a row has HALF as many.
ROW, HALF = 8, 4
LEFT, RIGHT = range(2)
TERMINAL, BEFORE, AFTER, EARLIER, LATER = range(5)
PARENT, PLACE = 6, 7
LABEL = 6

# The node that stands for no leaf, and the join whose LEFT child is the root.
NOBODY, TOP = range(2)


@inlined
def label_leaf(node, label, new):
    """Gives a label to a leaf that has just been linked between its neighbours."""
    before, after = np.int64(node[ROW * new + BEFORE]), np.int64(node[ROW * new + AFTER])
    low, high = label[HALF * before + LABEL], label[HALF * after + LABEL]
    if after == NOBODY:
        label[HALF * new + LABEL] = MIDDLE if before == NOBODY else low + STEP
    elif before == NOBODY:
        label[HALF * new + LABEL] = high - STEP
    elif high - low >= 2:
        label[HALF * new + LABEL] = low + ((high - low) >> 1)
    else:
        _spread(node, label, new)


@njit
def _spread(node, label, new):
    """Makes room around a leaf between two neighbours without a gap, and labels it."""
    first, last, leaves = new, new, 1
    before, after = np.int64(node[ROW * new + BEFORE]), np.int64(node[ROW * new + AFTER])
    anchor = label[HALF * before + LABEL]
    allowed = 1.0
    for bits in range(1, _MOST_BITS):
        allowed *= 2 / _LABELS_PER_LEAF
        size = np.int64(1) << bits
        base = anchor & ~(size - 1)
        while before != NOBODY and label[HALF * before + LABEL] >= base:
            first, before = before, np.int64(node[ROW * before + BEFORE])
            leaves += 1
        while label[HALF * after + LABEL] < base + size:
            last, after = after, np.int64(node[ROW * after + AFTER])
            leaves += 1
        if leaves <= allowed and 2 * leaves < size:
            distance = size // (leaves + 1)
            value = base
            while True:
                value += distance
                label[HALF * first + LABEL] = value
                if first == last:
                    return
                first = np.int64(node[ROW * first + AFTER])
