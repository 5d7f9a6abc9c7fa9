"""XOR: the parity x_1 ⊕ … ⊕ x_n, put together from XOR alone.

F = {XOR} and L = {x_1, …, x_n} (Mambrini, Oliveto, EuroGP 2016). The fitness is the number of rows of the truth
table on which a program errs. A tree is the parity of the variables that it has an odd number of times. If these are
not the wanted ones it errs on half of the rows, 2^(N−1) with N = n + unwanted (`literals`): so a count tells, and
the fitness has two values (three with negated variables, an odd number of which turns every row round). With
`rows=R` the fitness is the number of errors on R sampled rows. The optimum is 0.

**Stuck.** All proposals of one operation are tried. GP*-single on n ≥ 3 variables is stuck at once from one leaf: one
operation makes at most two variables odd.

**Known.** It fails in polynomial time with a probability exponentially near 1 (Mambrini, Oliveto 2016, read).
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.problems.literals import OverLiterals, sizes_of
from gpruntime.model.problems.truth_table import Bits


def _wrong(leaves: Any, n: int, data: Any) -> Any:
    """The wrong rows, by what is odd; `data` says how many variables there are, and whether they are signed."""
    variables, signed = data[0], data[1]
    odd = np.zeros(variables, np.bool_)
    differs, turned = n, 0  # variables that are odd and should not be, or the other way round
    for leaf in leaves:
        variable = leaf >> signed
        turned ^= leaf & signed
        differs += 1 if odd[variable] == (variable < n) else -1
        odd[variable] = not odd[variable]
    if differs > 0:
        return 1 << (variables - 1)
    return turned << variables


class Xor(OverLiterals):
    """The problem XOR."""

    def _settle(self) -> None:
        super()._settle()
        if self.parameters["rows"]:
            self.tell_by_rows()

    def wanted(self, columns: Bits) -> Bits:
        return columns.sum(axis=0) % 2 == 1


PROBLEM = Xor(
    "xor",
    "XOR",
    _wrong,
    sees="leaves",
    data=sizes_of,
    cite="Mambrini, Oliveto 2016",
    line="the parity of n variables, from XOR alone",
    number=9,
)
