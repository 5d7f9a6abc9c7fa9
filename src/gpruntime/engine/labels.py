"""Order labels: numbers that grow along the leaves from left to right, so "is it before that one?" is one comparison.

A new leaf gets the middle of its neighbours' labels, or a fixed distance beyond the end. When a gap is used up,
labels are spread out again around it, in the smallest aligned range of 2ⁱ labels that holds at most (2/1.4)ⁱ leaves:
the order maintenance of Dietz and Sleator in the form of Bender et al. (2002), O(log T) amortised per insertion,
wherever the insertions fall. (Relabelling everything instead costs Θ(T) every fifty insertions at the front, which is
where a new leaf matters most.)
"""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.kernel import helper, inlined
from gpruntime.engine.nodes import AFTER, BEFORE, LABEL, NOBODY, get, put

MIDDLE, SPAN, STEP = 2**61, 2**60, 2**32  # the first label; the room for an initial tree; the distance beyond the end
NOWHERE = 2**63 - 1  # behind all
_MOST_BITS = 62
_LABELS_PER_LEAF = 1.4


@inlined
def label_leaf(cells, wide, new):
    """Gives a label to a leaf that has just been linked between its neighbours."""
    before, after = get(cells, new, BEFORE), get(cells, new, AFTER)
    low, high = get(wide, before, LABEL), get(wide, after, LABEL)
    if after == NOBODY:
        put(wide, new, LABEL, MIDDLE if before == NOBODY else low + STEP)
    elif before == NOBODY:
        put(wide, new, LABEL, high - STEP)
    elif high - low >= 2:
        put(wide, new, LABEL, low + (high - low >> 1))
    else:
        _spread(cells, wide, new)


@helper
def _spread(cells, wide, new):
    """Makes room around a leaf between two neighbours without a gap, and labels it."""
    first, last, leaves = new, new, 1
    before, after = get(cells, new, BEFORE), get(cells, new, AFTER)
    anchor = get(wide, before, LABEL)
    allowed = 1.0
    for bits in range(1, _MOST_BITS):
        allowed *= 2 / _LABELS_PER_LEAF
        size = int64(1) << bits
        base = anchor & ~(size - 1)
        while before != NOBODY and get(wide, before, LABEL) >= base:
            first, before = before, get(cells, before, BEFORE)
            leaves += 1
        while get(wide, after, LABEL) < base + size:
            last, after = after, get(cells, after, AFTER)
            leaves += 1
        if leaves <= allowed and 2 * leaves < size:
            distance = size // (leaves + 1)
            value = base
            while True:
                value += distance
                put(wide, first, LABEL, value)
                if first == last:
                    return
                first = get(cells, first, AFTER)
