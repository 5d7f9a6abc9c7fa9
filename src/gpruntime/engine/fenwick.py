"""Fenwick trees: weights that can be changed, and drawn from in proportion, both in O(log n).

`sums` has one entry more than there are weights; entry 0 is not used.
"""

from __future__ import annotations

from gpruntime.engine.kernel import inlined, njit


@inlined
def add(sums, index, by):
    """Adds to the weight with this index."""
    i = index + 1
    while i < sums.shape[0]:
        sums[i] += by
        i += i & -i


@inlined
def find(sums, value):
    """The index in whose share of the total `value` falls, and how far into the share it is."""
    step = 1
    while 2 * step < sums.shape[0]:
        step *= 2
    i = 0
    while step > 0:
        if i + step < sums.shape[0] and sums[i + step] <= value:
            i += step
            value -= sums[i]
        step >>= 1
    return i, value


@njit
def build(sums):
    """Makes a tree of the weights in entries 1, 2, …, in place."""
    for i in range(1, sums.shape[0]):
        above = i + (i & -i)
        if above < sums.shape[0]:
            sums[above] += sums[i]
