"""AND: the conjunction x_1 ∧ … ∧ x_n, put together from AND alone.

F = {AND} and L = {x_1, …, x_n} (Mambrini, Oliveto, EuroGP 2016). The fitness is the number of rows of the truth
table on which a program errs. A tree with i distinct variables is their conjunction, and errs on 2^(n−i) − 1 rows:
so the number of variables that are missing has the same order. **That number is the fitness here** where all rows
count and L is as above; no table is needed, n may be a million, and an operation is constant work.

`unwanted` and `negated` (see `literals`) put further literals into L. Then the fitness is the number of wrong rows,
of 2^N with N = n + unwanted, and a count still tells it. If the tree has c distinct literals, none of them with its
negation, it is true on 2^(N−c) rows. If in addition none of them is the negation of a wanted variable and u of them
are of unwanted ones, it is right on 2^(N−n−u) of the 2^(N−n) rows on which the target is true. A tree with a literal
and its negation is never true. With `rows=R` the fitness is the number of errors on R sampled rows.

**The empty tree** (`last_leaf="empty"`) is the conjunction of no literals, and true on every row, whatever the
parameters: i = 0 and c = 0 above.

The optimum is 0.

**A run ends**, where L has wanted variables only and there is room for all of them, under all our rules: while a row
is wrong, some variable is missing that would set it right, inserting it improves, and no variable is ever lost.

So does a run of SMO-GP with one such operation at a time: the offspring that improves on its best tree is dominated by
none. Where all rows count, leaves of variables that occur twice can be deleted from that tree one after the other,
each offspring dominating its parent, until it has a leaf for each of its variables; deleting one of n such leaves gives
the next smaller tree of the front, which none dominates.

**The front**, where all rows count. k ≤ n leaves hold k variables at most. With wanted ones only, n − k are missing at
best. With further literals, let c ≤ k be the number of distinct ones, u of them unwanted. A conjunction of c literals
of which none is the negation of a wanted one is wrong on 2^(N−c) + 2^(N−n) − 2·2^(N−n−u) rows: with c given, least for
u = 0, and then least for c = k, which k wanted variables have. One with a negated wanted variable is wrong on more rows
than one that is never true, 2^(N−n); with one leaf, where none can be that, on 2^(N−1) + 2^(N−n), more than the one of
a wanted variable. So the best is 2^(N−k) − 2^(N−n), or 2^(N−n) if that is less, k ≥ 2 and there are negations.

**Known.** GP*-single from one leaf takes exactly 3n·H_(n−1) offspring in the mean: each accepted tree has as many
leaves as variables, so it is insertions that improve, with probability (n − i)/3n. GP and GP*: O(n log n) with the
complete table; polynomially many sampled rows are fitted in O(log n) (both Mambrini, Oliveto 2016, read). With
several operations programs of linear size; with unwanted variables strict acceptance may fail unless substitution is
switched off; with negated variables the complete set is not fitted (Lissovoi, Oliveto, AAAI 2018, JAIR 66, 2019;
abstracts read).
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.bound import PROVED, UPPER, Bound
from gpruntime.model.errors import BadInput
from gpruntime.model.problems.literals import OverLiterals, sizes_of
from gpruntime.model.problems.truth_table import Bits, kept, packed_table
from gpruntime.model.tree import Tree

_MAX_INPUTS = 10_000


def _is_missing(i: int, plain: int, bar: int, n: int) -> bool:  # noqa: ARG001
    return plain == 0


def _wrong(leaves: Any, n: int, data: Any) -> Any:
    """The wrong rows, by the distinct literals; `data`: how many variables there are, and whether they are signed."""
    variables, signed = data[0], data[1]
    seen = np.zeros(2 * variables, np.bool_)
    distinct, unwanted, never, against = 0, 0, False, False
    for leaf in leaves:
        literal = leaf << (1 - signed)
        if not seen[literal]:
            seen[literal] = True
            distinct += 1
            never |= seen[literal ^ 1]
            unwanted += literal >> 1 >= n
            against |= literal >> 1 < n and literal & 1 == 1
    if never:
        return 1 << (variables - n)
    both = 0 if against else 1 << (variables - n - unwanted)
    return (1 << (variables - distinct)) + (1 << (variables - n)) - 2 * both


def _by_circuits(id_: str, power: int, *algorithms: str) -> Bound:
    """O(n·D^power): what the leaves of the start are for trees, gates are for circuits."""
    return Bound(
        id_, f"O(n·D^{power})", rf"n\,D^{power}", UPPER, "Dang, Kalkreuth, Opris, PPSN 2026",
        "complete truth table, D ≥ n − 1 gates", PROVED,
        tuple(f"{algorithm}:gates={gates}" for algorithm in algorithms for gates in ("n-1", "n", "2n", "3n")),
        ("uniform",), lambda n, _, gates: math.log(n) + power * math.log(gates),
    )  # fmt: skip


BOUNDS = (
    Bound(
        "M1", "O(n·log n)", r"n\,\log n", UPPER, "Mambrini, Oliveto, EuroGP 2016", "complete truth table", PROVED,
        ("gp-single", "gpstar-single"), (), lambda n, *_: math.log(n * math.log(max(n, 2.0))),
    ),
    _by_circuits("dang-3", 5, "cgp", "cgpstar"),
    _by_circuits("dang-6", 4, "cgp"),
)  # fmt: skip


class And(OverLiterals):
    """The problem AND."""

    def _settle(self) -> None:
        super()._settle()
        rows, _, unwanted, negated = self.parameters.values()
        self.bounds = BOUNDS + self.bounds if self.bounds else ()
        if unwanted or negated:
            self.ends = ()
        if rows:
            self.tell_by_rows()
        elif unwanted or negated:
            self.sees, self.function, self._data, self.has_data = "leaves", _wrong, sizes_of, True

    def best_of_size(self, leaves: int, n: int) -> int | None:
        """Not known for sampled rows."""
        rows, unwanted, negated = (int(self.parameters[name]) for name in ("rows", "unwanted", "negated"))
        if rows:
            return None
        if leaves == 0:
            return int(self.fitness(Tree(), n))
        if not (unwanted or negated):
            return max(n - leaves, 0)
        others = 1 << unwanted  # the rows on which the target is true
        of_variables = max((1 << n - min(leaves, n)) * others - others, 0)
        return min(of_variables, others) if negated and leaves >= 2 else of_variables

    def table(self, n: int, complete: bool = False) -> Any:
        """See `Problem`: a program that misses i variables is wrong on i of the n rows on which one variable is false.

        That goes for conjunctions; of all rows they are wrong on 2^i − 1.
        """
        if complete or any(self.parameters.values()):
            return super().table(n, complete)
        if n > _MAX_INPUTS:
            raise BadInput("n", n, f"a circuit here has at most {_MAX_INPUTS:,} inputs")
        return kept(
            (self.id, n, "few"),
            lambda: packed_table(np.zeros(n, np.bool_), ~np.eye(n, dtype=np.bool_), False, ("and",)),
        )

    def wanted(self, columns: Bits) -> Bits:
        return columns.all(axis=0)


PROBLEM = And(
    "and",
    "AND",
    _is_missing,
    sees="counts",
    ends=("weak", "strict", "parsimony", "parsimony-smaller", "smo", "cgp"),
    cite="Mambrini, Oliveto 2016",
    line="the conjunction of n variables, from AND alone",
    number=8,
)
