"""ORDER-AND-MAJORITY: the correct material, no incorrect material, in the right order.

The founding paper (Durrett, Neumann, O'Reilly 2011, "Future Work") wishes "to extend the difficulty of MAJORITY by
designing a new objective that requires the correct material (and no incorrect material) to be in the right order, in
addition to being present."

The paper leaves the fitness open. **Fixed here:** a variable is *clean* if x_i is in the tree and x̄_i is not: the
correct material, and no incorrect material. ("Before its complement" would then say nothing, so the right order must
be one of the variables:) the first occurrences of the clean variables from left to right are a list, and the fitness
is the length of its longest ascending subsequence. The optimum is n: every variable is there, no complement, and the
first occurrences read x_1, …, x_n.

Work for a tree of T leaves: O(T + n log n).
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.problem import Problem
from gpruntime.model.problems.sorting import longest_ascending


def _in_order(leaves: Any, n: int) -> int:
    unclean = np.zeros(n, np.bool_)
    for leaf in leaves:
        unclean[leaf >> 1] |= leaf & 1 == 1
    clean = np.empty(n, np.int64)
    size = 0
    for leaf in leaves:
        variable = leaf >> 1
        if not unclean[variable]:
            unclean[variable] = True  # seen: the first occurrence counts
            clean[size] = variable
            size += 1
    return longest_ascending(clean[:size])


PROBLEM = Problem(
    "order-and-majority",
    "ORDER-AND-MAJORITY",
    _in_order,
    sees="leaves",
    best=lambda n: n,
    optimal_leaves=lambda n: n,
    cite="Durrett, Neumann, O'Reilly 2011, future work",
    line="the longest ascending list of first occurrences of variables that have no complement in the tree",
    number=13,
)
