"""MULTIPLEXER: k address bits choose one of 2^k data bits.

A standard problem of practice (Koza, Genetic Programming, 1992): F = {and, or, not, if}, where (if a b c) is b if a
is true and c if it is not, and L = {a0, …, d0, d1, …}. **n is the number of inputs, k + 2^k**: 3, 6, 11 or 20. The
fitness is the number of rows of the complete truth table on which a program errs. The optimum is 0.

**Stuck.** All proposals of one operation are tried; with several it is unknown.
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.errors import BadInput
from gpruntime.model.problems.truth_table import Bits, TruthTable, table_of

_FUNCTIONS = {"and": 2, "or": 2, "not": 1, "if": 3}
_ADDRESS_BITS = {3: 1, 6: 2, 11: 3, 20: 4}  # by n


def _bits(n: int) -> int:
    if n not in _ADDRESS_BITS:
        raise BadInput("n", n, "a multiplexer has 3, 6, 11 or 20 inputs: k address bits and 2^k data bits")
    return _ADDRESS_BITS[n]


def _names(n: int) -> list[str]:
    return [*(f"a{i}" for i in range(_bits(n))), *(f"d{i}" for i in range(2 ** _bits(n)))]


def _wanted(columns: Bits) -> Bits:
    bits = _bits(len(columns))
    address = (columns[:bits] << np.arange(bits)[:, None]).sum(axis=0)
    return np.take_along_axis(columns[bits:], address[None, :], axis=0)[0]


def _table(n: int) -> Any:
    return table_of(_wanted, n, False, tuple(_FUNCTIONS))


PROBLEM = TruthTable(
    "multiplexer",
    "MULTIPLEXER",
    _FUNCTIONS,
    _table,
    terminals=_names,
    check=_bits,
    cite="Koza 1992",
    line="k address bits choose one of 2^k data bits, from AND, OR, NOT and IF; n = 3, 6, 11 or 20 inputs",
    number=14,
)
