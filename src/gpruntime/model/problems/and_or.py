"""AND-OR: the conjunction x_1 ∧ … ∧ x_n, put together from AND and OR.

F = {AND, OR} and L = {x_1, …, x_n} (Doerr, Lissovoi, Oliveto, GECCO 2019, arXiv 1903.11936; AIJ 319, 2023, arXiv
2303.07455). The fitness is the number of rows of the complete truth table on which a program errs, n ≤ 20, or with
`rows=R` on R sampled ones; `unwanted` and `negated` as in `literals`. The optimum is 0. Their algorithms reject
offspring with more than ℓ ≥ n leaves: that is the size limit of a run.

**Stuck.** All proposals of one operation are tried; with several it is unknown.

**Known.** With a limit of ℓ leaves AND is found in O(ℓ·n·log² n) (abstracts read).
"""

from __future__ import annotations

from gpruntime.model.problems.literals import OverLiterals
from gpruntime.model.problems.truth_table import Bits, wrong_rows


class AndOr(OverLiterals):
    """The problem AND-OR."""

    def _settle(self) -> None:
        super()._settle()
        self.tell_by_rows()

    def wanted(self, columns: Bits) -> Bits:
        return columns.all(axis=0)


PROBLEM = AndOr(
    "and-or",
    "AND-OR",
    wrong_rows,
    sees="program",
    cite="Doerr, Lissovoi, Oliveto 2019",
    line="the conjunction of n variables, from AND and OR",
    number=10,
)
