"""Fenwick trees: weights that can be changed, and drawn from in proportion, both in O(log n).

A tree takes one entry more than there are weights, from `begin` on in an array; its entry 0 is not used. `size` counts
all of them.
"""

from __future__ import annotations

from gpruntime.engine.kernel import inlined


@inlined
def add(cells, begin, size, index, by):
    """Adds to the weight with this index."""
    i = index + 1
    while i < size:
        cells[begin + i] += by
        i += i & -i


@inlined
def find(cells, begin, size, value):
    """The index in whose share of the total `value` falls, and how far into the share it is."""
    step = 1
    while 2 * step < size:
        step *= 2
    i = 0
    while step > 0:
        if i + step < size and cells[begin + i + step] <= value:
            i += step
            value -= cells[begin + i]
        step >>= 1
    return i, value


@inlined
def build(cells, begin, size):
    """Makes a tree of the weights in entries 1, 2, …, in place."""
    for i in range(1, size):
        above = i + (i & -i)
        if above < size:
            cells[begin + above] += cells[begin + i]
