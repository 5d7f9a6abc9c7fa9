"""2/3-SUPERMAJORITY: as 2/3-MAJORITY, and each leaf x_i beyond the complements makes x_i worth more.

The third variant of MAJORITY with large plateaus in Kötzing, Lagodzinski, Lengler, Melnichenko (PPSN 2018, arXiv
1805.10169; TCS 816, 2020), as code by one of the authors has it in a comment. x_i counts if it is there and has at
least two thirds of the leaves x_i and x̄_i; it is then worth 2 − 2^(#x̄_i − #x_i), from 1½ on.

**The goal.** No tree has the supremum 2n of the sum, so we take it that all n variables are to count. **A tree in
which they do has fitness 2n here**, whatever the sum: a run ends with it. Another tree has the sum, below 2n. It is
exact for n ≤ 2^10 as long as no variable has more than 40 surplus leaves; from there on doubles merge.

**Under parsimony a run ends**, if it can substitute, insert and delete: each surplus leaf is an improvement, so
parsimony does not stop growth; but doubles below 2n are finite in number, so there are finitely many improvements, and
between them the tree does not grow. From each tree a path of accepted single operations leads to the optimum: the
complements of a variable that does not count can be deleted, one after the other, and then an x_i inserted. Where the
size limit, n or more, has no room for it, either some variable has a surplus leaf: exchanged for x_i it takes ¼ and
gives 1½; or some complement can go.

**The front.** One leaf of each of k < n variables is worth 1½·k, and a second one of a variable adds ¼ only: so
that is the best of k leaves.
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.problem import Problem


def _worth(leaves: Any, n: int) -> float:
    counts = np.zeros(2 * n, np.int64)
    for leaf in leaves:
        counts[leaf] += 1
    total, counted = 0.0, 0
    for i in range(n):
        plain, bar = counts[2 * i], counts[2 * i + 1]
        if plain >= 1 and plain >= 2 * bar:
            total += 2.0 - math.ldexp(1.0, int(bar - plain))
            counted += 1
    return 2.0 * n if counted == n else total


class TwoThirdsSupermajority(Problem):
    """The problem 2/3-SUPERMAJORITY."""

    def best_of_size(self, leaves: int, n: int) -> float:
        return 1.5 * leaves if leaves < n else 2.0 * n


PROBLEM = TwoThirdsSupermajority(
    "two-thirds-supermajority",
    "2/3-SUPERMAJORITY",
    _worth,
    sees="leaves",
    best=lambda n: 2.0 * n,
    ends=("parsimony", "parsimony-smaller"),
    optimal_leaves=lambda n: n,
    cite="Kötzing, Lagodzinski, Lengler, Melnichenko 2018",
    line="as 2/3-MAJORITY, and each leaf more of a variable makes it worth more",
    number=17,
)
