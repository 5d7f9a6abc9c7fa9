"""2/3-MAJORITY: x_i counts if and only if it is there and makes up two thirds of the leaves x_i and x̄_i, or more.

One of the three variants of MAJORITY with large plateaus in Kötzing, Lagodzinski, Lengler, Melnichenko (PPSN 2018,
arXiv 1805.10169; TCS 816, 2020); the definition is reported, its text not seen. The optimum is n.

**Under parsimony a run ends**, if it can substitute, insert and delete: deleting an x̄_i never lowers the fitness,
so an unexpressed variable can be freed of all its complements; it is then expressed, or absent and expressed by one
insertion. Without control neutral growth pulls the shares towards one half, and the time is said to be
super-polynomial (reported, text not seen); that a run ends is not proved here.
"""

from __future__ import annotations

from gpruntime.model.problem import Problem


def _is_expressed(i: int, plain: int, bar: int, n: int) -> bool:  # noqa: ARG001
    return plain >= 1 and plain >= 2 * bar


PROBLEM = Problem(
    "two-thirds-majority",
    "2/3-MAJORITY",
    _is_expressed,
    sees="counts",
    best=lambda n: n,
    ends=("parsimony", "parsimony-smaller"),
    optimal_leaves=lambda n: n,
    cite="Kötzing, Lagodzinski, Lengler, Melnichenko 2018",
    line="each variable has two thirds of its own leaves and its complement's",
    number=6,
)
