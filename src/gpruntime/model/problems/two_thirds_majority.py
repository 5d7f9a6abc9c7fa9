"""2/3-MAJORITY: x_i counts if and only if it is there and makes up two thirds of the leaves x_i and x̄_i, or more.

One of the three variants of MAJORITY with large plateaus in Kötzing, Lagodzinski, Lengler, Melnichenko (PPSN 2018,
arXiv 1805.10169; TCS 816, 2020); the definition is that of code by one of the authors. The optimum is n.

**Under parsimony a run ends**, if it can substitute, insert and delete: deleting an x̄_i never lowers the fitness,
so an unexpressed variable can be freed of all its complements; it is then expressed, or absent and expressed by one
insertion. Without control neutral growth pulls the shares towards one half, and the time is said to be
super-polynomial (reported, text not seen); that a run ends is not proved here.

**The front.** An expressed variable has a leaf at least, and one leaf x_i expresses it. So the best of k leaves is
min(k, n). **SMO-GP ends** with it under the same conditions: in a tree with more leaves than expressed variables some
leaf can go without loss (a complement, or the second x_i of a variable without one), and that offspring of the fittest
tree dominates its parent; from k leaves that express k variables insertions lead to n, and deletions to 1, by trees
that none dominates.
"""

from __future__ import annotations

from gpruntime.model.problem import Problem


def _is_expressed(i: int, plain: int, bar: int, n: int) -> bool:  # noqa: ARG001
    return plain >= 1 and plain >= 2 * bar


class TwoThirdsMajority(Problem):
    """The problem 2/3-MAJORITY."""

    def best_of_size(self, leaves: int, n: int) -> int:
        return min(leaves, n)


PROBLEM = TwoThirdsMajority(
    "two-thirds-majority",
    "2/3-MAJORITY",
    _is_expressed,
    sees="counts",
    best=lambda n: n,
    ends=("parsimony", "parsimony-smaller", "smo"),
    optimal_leaves=lambda n: n,
    cite="Kötzing, Lagodzinski, Lengler, Melnichenko 2018",
    line="each variable has two thirds of its own leaves and its complement's",
    number=6,
)
