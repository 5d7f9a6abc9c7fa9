"""Initial trees, compiled: the same draws as `gpruntime.model.initial`, in the same order.

MAJORITY needs the terminals only; the draws of the shape are made and forgotten (`initial_terminals`). ORDER plants
the tree (`order_initial`).
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import njit
from gpruntime.engine.law import BALANCED, GROW, TREE, UNITY
from gpruntime.engine.random import below, word

_U11 = np.uint64(11)


@njit
def initial_terminals(law, given, rng, terminals):
    """Writes the terminals of a new initial tree from left to right, without its shape; returns how many."""
    leaves = given.leaves
    if given.kind == TREE or given.kind == BALANCED:
        for i in range(leaves):
            terminals[i] = given.codes[i]
        return leaves
    if given.kind == GROW:
        return _grow(law, given, rng, terminals)
    if given.kind == UNITY:
        for positions in range(2, leaves):
            below(rng, positions)
    else:
        for t in range(1, leaves):
            below(rng, 2 * (2 * t - 1))
    for i in range(leaves):
        terminals[i] = below(rng, 2 * law.n)
    return leaves


@njit
def _grow(law, given, rng, terminals):
    leaves, waiting = 0, 1
    while waiting > 0:
        room = leaves + waiting < given.leaves
        if room and (word(rng) >> _U11) < given.join:
            waiting += 1
        else:
            terminals[leaves] = below(rng, 2 * law.n)
            leaves += 1
            waiting -= 1
    return leaves
