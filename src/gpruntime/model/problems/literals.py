"""What problems on Boolean functions of n wanted variables share: parameters, terminals, sampled rows.

| parameter    | meaning                                                                             | default      |
|--------------|-------------------------------------------------------------------------------------|--------------|
| `rows=R`     | the fitness is the errors on R sampled rows of the truth table, and not on all      | 0: all rows  |
| `seed=S`     | the seed of that sample                                                             | 0            |
| `unwanted=U` | U more variables x_(n+1) … x_(n+U) among the terminals, of which the target is free | 0            |
| `negated=1`  | the negation of each variable is a terminal, too                                    | 0            |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Problem
from gpruntime.model.problems.truth_table import (
    MAX_COMPLETE,
    Bits,
    check_rows,
    check_table,
    kept,
    points_bound,
    table_of,
    wrong_rows,
)

PARAMETERS = {"rows": 0, "seed": 0, "unwanted": 0, "negated": 0}
_MAX_UNWANTED = 10**6
_MAX_COUNTED = 60  # variables, one less with negations: wrong rows have 60 bits at most


def variables_of(n: int, rows: int, seed: int, unwanted: int) -> int:  # noqa: ARG001
    """How many variables there are, with the unwanted ones."""
    return n + unwanted


class OverLiterals(Problem):
    """A Boolean function of the first n variables, to be put together from literals."""

    chooses = True

    def __init__(self, id_: str, name: str, function: Callable[..., Any], **more: Any) -> None:
        super().__init__(
            id_,
            name,
            function,
            terminals="plain",
            functions=dict.fromkeys(id_.split("-"), 2),
            best=lambda n: 0,  # noqa: ARG005
            better="smaller",
            variables=variables_of,
            parameters=PARAMETERS,
            optimal_leaves=lambda n, rows: 1 if rows else n,  # a function of all n variables has a leaf for each
            **more,
        )

    def _settle(self) -> None:
        rows, seed, unwanted, negated = self.parameters.values()
        check_rows(rows, seed)
        if not 0 <= unwanted <= _MAX_UNWANTED:
            raise BadInput("problem", f"unwanted={unwanted}", f"must be an integer from 0 to {_MAX_UNWANTED}")
        if negated not in (0, 1):
            raise BadInput("problem", f"negated={negated}", "must be 0 or 1")
        self.terminals = "signed" if negated else "plain"
        self.bounds = () if rows or unwanted or negated else (points_bound(self.id),)

    def ends_within(self, leaves: int, n: int) -> bool:
        """With room for all wanted variables; sampled rows may be fitted by fewer, but nothing leads there for sure."""
        return leaves >= n

    def tell_by_rows(self) -> None:
        """Lets the fitness be the errors on a table."""
        self.sees, self.function, self._data, self.has_data = "program", wrong_rows, self._table, True
        self._check_data = lambda n, rows, seed, unwanted: check_table(n + unwanted, rows)  # noqa: ARG005

    def table(self, n: int, complete: bool = False) -> Any:
        """See `Problem`: of sampled rows, or of all."""
        rows, _, unwanted, negated = (int(value) for value in self.parameters.values())
        if rows and not complete:
            return self.data(n)
        check_table(n + unwanted)
        return kept((self.id, n), lambda: self._table(n, 0, 0, unwanted, negated))

    def samples_rows(self, n: int) -> bool:
        """See `Problem`."""
        return bool(self.parameters["rows"]) and n + int(self.parameters["unwanted"]) <= MAX_COMPLETE

    def wanted(self, columns: Bits) -> Bits:
        """The target, of the columns of its n variables."""
        raise NotImplementedError

    def _table(self, n: int, rows: int, seed: int, unwanted: int, negated: int):  # type: ignore[no-untyped-def]
        return table_of(
            lambda columns: self.wanted(columns[:n]), n + unwanted, bool(negated), self.functions, rows, seed
        )


def sizes_of(n: int, rows: int, seed: int, unwanted: int, negated: int) -> list[int]:  # noqa: ARG001
    """The data of a function that counts: how many variables there are, and whether they are signed."""
    most = _MAX_COUNTED - negated
    if n + unwanted > most:
        words = f"with {unwanted} unwanted variables the wrong rows have more than 60 bits: {most} variables can be"
        raise BadInput("n", n, f"{words}; rows=1000 would sample them")
    return [n + unwanted, negated]
