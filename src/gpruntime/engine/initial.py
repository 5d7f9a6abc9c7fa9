"""Initial trees, compiled: the same draws as `gpruntime.model.initial`, in the same order.

MAJORITY needs the terminals only; the draws of the shape are made and forgotten (`initial_terminals`). ORDER plants
the tree (`order_initial`).
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import helper
from gpruntime.engine.law import BALANCED, GROW, TREE, UNITY
from gpruntime.engine.random import below, word

_U11 = np.uint64(11)


@helper
def initial_terminals(law, drawing, rng, cells, begin):
    """Writes the terminals of a new initial tree from left to right into `cells`; returns how many."""
    leaves = law.planted
    if law.init == TREE or law.init == BALANCED:
        for i in range(leaves):
            cells[begin + i] = drawing[i]
        return leaves
    if law.init == GROW:
        return _grow(law, rng, cells, begin)
    if law.init == UNITY:
        for positions in range(2, leaves):
            below(rng, positions)
    else:
        for t in range(1, leaves):
            below(rng, 2 * (2 * t - 1))
    for i in range(leaves):
        cells[begin + i] = below(rng, law.codes) << law.double
    return leaves


@helper
def _grow(law, rng, cells, begin):
    leaves, waiting = 0, 1
    while waiting > 0:
        room = leaves + waiting < law.planted
        if room and (word(rng) >> _U11) < law.join:
            waiting += 1
        else:
            cells[begin + leaves] = below(rng, law.codes) << law.double
            leaves += 1
            waiting -= 1
    return leaves
