"""PARITY: whether an even number of n variables is true, put together from AND, OR, NAND and NOR.

A standard problem of practice (Koza, Genetic Programming, 1992: even-n-parity): F = {and, or, nand, nor},
L = {x_1, …, x_n}. The fitness is the number of rows of the complete truth table on which a program errs, n ≤ 20. The
optimum is 0. `kind=odd` asks for an odd number instead.

**Stuck.** All proposals of one operation are tried; with several it is unknown.
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.errors import known
from gpruntime.model.problems.truth_table import TruthTable, check_table, table_of

_KINDS = ("even", "odd")
_FUNCTIONS = {"and": 2, "or": 2, "nand": 2, "nor": 2}


class Parity(TruthTable):
    """The problem PARITY."""

    chooses = True

    def _settle(self) -> None:
        known("kind", self.parameters["kind"], _KINDS)


def _table(n: int, kind: str) -> Any:
    return table_of(lambda columns: columns.sum(axis=0) % 2 == (kind == "odd"), n, False, tuple(_FUNCTIONS))


PROBLEM = Parity(
    "parity",
    "PARITY",
    _FUNCTIONS,
    _table,
    terminals="plain",
    parameters={"kind": "even"},
    check=lambda n: check_table(n),
    cite="Koza 1992",
    line="whether an even number of n variables is true, from AND, OR, NAND and NOR",
    number=15,
)
