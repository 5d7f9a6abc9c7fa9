"""+c-MAJORITY: x_i counts if and only if it has at least c leaves more than its complement.

One of the three variants of MAJORITY with large plateaus in Kötzing, Lagodzinski, Lengler, Melnichenko (PPSN 2018,
arXiv 1805.10169; TCS 816, 2020). The abstract says that a GP with crossover optimises them and that local search is
not efficient for all three, with or without bloat control; the definition is that of code by one of the authors. The
optimum is n.

**Under parsimony, c ≥ 2, a run can be lost for ever**: while #x_i < #x̄_i + c a further x_i gains nothing, and is a
larger tree. One operation changes #x_i − #x̄_i by 2 at most, so a variable without leaves is out of reach for c ≥ 2
unless leaves of others are turned into its own, and these run out. Then nothing but neutral substitutions is left,
which is not *stuck* in the sense of a run that cannot accept anything, and never said to be: such a run needs a
budget. The same holds for SMO-GP, where a tree that grows without gain is dominated. Under the weak rule neutral
insertions can express every variable; that a run ends is not proved here.

**The front.** An expressed variable has c leaves at least, and c leaves x_i express it. So the best of k leaves is
min(⌊k/c⌋, n).
"""

from __future__ import annotations

from gpruntime.model.bound import INFINITE, REPORTED, Bound
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Problem

_MAX = 10**6


def _is_expressed(i: int, plain: int, bar: int, n: int, c: int) -> bool:  # noqa: ARG001
    return plain >= bar + c


def _best(n: int, c: int) -> int:
    if not 1 <= c <= _MAX:
        raise BadInput("problem", f"c={c}", f"must be an integer from 1 to {_MAX}")
    return n


class PlusCMajority(Problem):
    """The problem +c-MAJORITY."""

    def best_of_size(self, leaves: int, n: int) -> int:
        return min(leaves // int(self.parameters["c"]), n)


PROBLEM = PlusCMajority(
    "plus-c-majority",
    "+c-MAJORITY",
    _is_expressed,
    sees="counts",
    best=_best,
    parameters={"c": 2},
    optimal_leaves=lambda n, c: n * c,
    cite="Kötzing, Lagodzinski, Lengler, Melnichenko 2018",
    line="each variable has at least c leaves more than its complement",
    number=5,
    bounds=(
        Bound(
            "plus_c:parsimony",
            "∞",
            r"\infty",
            INFINITE,
            "Kötzing, Lagodzinski, Lengler, Melnichenko, PPSN 2018",
            "c ≥ 2, parsimony with one operation, from a start with an unexpressed variable",
            REPORTED,
            ("gp-single accept=parsimony",),
            (),
            None,
            "derived here; the abstract says that it is not efficient",
        ),
    ),
)
