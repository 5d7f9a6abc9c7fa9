"""Initial trees, compiled: the same draws as `gpruntime.model.initial`, in the same order.

Where counts are enough, only the terminals are kept; the draws of the shape are made and forgotten. Others plant
the tree (`planting`).
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.kernel import ONE, ZERO, pasted
from gpruntime.engine.law import BALANCED, GROW, TREE, UNITY
from gpruntime.engine.random import below, word

_U11 = np.uint64(11)


@pasted
def initial_terminals(law, drawing, rng, cells, begin):
    """Writes the terminals of a new initial tree from left to right into `cells`; returns how many."""
    grows, unity, given = law.init == GROW, law.init == UNITY, law.init == TREE or law.init == BALANCED
    if not given and not grows:
        for leaves in range(2 if unity else 1, law.planted):
            below(rng, leaves if unity else 2 * (2 * leaves - 1))
    leaves, waiting = ZERO, ONE if grows else law.planted
    while waiting > 0:
        if grows and leaves + waiting < law.planted and (word(rng) >> _U11) < law.join:
            waiting += 1
        else:
            cells[begin + leaves] = drawing[leaves] if given else below(rng, law.codes) << law.double
            leaves += 1
            waiting -= 1
    return leaves
