"""The table of runs, cell by cell.

It is asked in SQL, whatever holds the runs (`sources`). Only the columns that are asked for leave duckdb, for some
cells at a time, so ten million runs fit into some hundred megabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.runs import OUTCOMES, Address, CellRuns, Integers, Operations
from gpruntime.analysis.sources import source_of
from gpruntime.model.errors import BadInput
from gpruntime.model.mutation import KINDS
from gpruntime.model.row import IMPROVEMENT_COLUMNS, LEAST, NULLABLE, OPERATION_COLUMNS, POPULATION_COLUMN
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import SPEC_COLUMNS, from_columns

if TYPE_CHECKING:
    from gpruntime.analysis.sources import Some, Source

    RunsLike: TypeAlias = "RunTable | Some | Sequence[Some] | Source"

NEEDED = (*SPEC_COLUMNS, "cell", "seed", "run", "method", "outcome", "evaluations", "max_leaves", *OPERATION_COLUMNS)
_CODES = " ".join(f"WHEN '{outcome}' THEN {code}" for code, outcome in enumerate(OUTCOMES))
OUTCOME_CODE = f"(CASE outcome::VARCHAR {_CODES} END)::TINYINT"
_ADDRESS = ("run", "seed", "skipping")
_MAX_AT_ONCE = 1_000_000  # runs: all their columns together take 40 MB


class _Cell(NamedTuple):
    """A cell before its runs are read: the digest, and what duckdb can say without them."""

    id: str
    spec: RunSpec
    runs: int
    operations: dict[str, Operations]


class RunTable:
    """A table of runs that can be asked in SQL, where its name is `runs`."""

    def __init__(self, runs: RunsLike) -> None:
        self._source: Any = runs._source if isinstance(runs, RunTable) else source_of(runs)
        self.columns = frozenset(row[0] for row in self.rows("DESCRIBE SELECT * FROM runs"))
        missing = [name for name in NEEDED if name not in self.columns]
        if missing:
            raise BadInput("runs", ", ".join(missing), "these columns are missing from the table of runs")

    def _answer(self, sql: str, how: str) -> Any:
        import duckdb

        source = self._source
        try:
            answer = source.query("runs", sql) if isinstance(source, duckdb.DuckDBPyRelation) else source.execute(sql)
            return getattr(answer, how)()
        except duckdb.Error as error:
            raise BadInput("runs", "the table", f"cannot be read: {str(error).splitlines()[0]}") from None

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The answer to a query, row by row."""
        rows: list[tuple[Any, ...]] = self._answer(sql, "fetchall")
        return rows

    def arrays(self, sql: str) -> dict[str, NDArray[Any]]:
        """The answer to a query, column by column."""
        arrays: dict[str, NDArray[Any]] = self._answer(sql, "fetchnumpy")
        return arrays

    @property
    def has_improvements(self) -> bool:
        """Whether the plan asked for the columns of improvements."""
        return all(name in self.columns for name in IMPROVEMENT_COLUMNS)

    def cells(self) -> Iterator[CellRuns]:
        """All cells with their runs, in the order of problem, algorithm, initial tree and n.

        Raises:
            BadInput: the same run stands in the table twice; counted twice, it would narrow every interval.
        """
        group: list[_Cell] = []
        for cell in self._cells():
            if group and sum(other.runs for other in group) + cell.runs > _MAX_AT_ONCE:
                yield from self._read(group)
                group = []
            group.append(cell)
        yield from self._read(group)

    def _read(self, cells: list[_Cell]) -> Iterator[CellRuns]:
        """Some cells with their runs, by one query."""
        if not cells:
            return
        values = ", ".join(
            f"('{cell.id}', {-1 if cell.spec.budget is None else cell.spec.budget}, {i})"
            for i, cell in enumerate(cells)
        )
        population = POPULATION_COLUMN if POPULATION_COLUMN in self.columns else "NULL"
        table = self.arrays(
            # S608: the digests and numbers come out of the table's own, checked, columns
            f"SELECT key.i::INTEGER AS i, {OUTCOME_CODE} AS outcome, evaluations, "  # noqa: S608
            f"max_leaves, coalesce({population}, 0)::BIGINT AS {POPULATION_COLUMN}, seed, run, "
            "(method::VARCHAR = 'skipping') AS skipping "
            f"FROM runs JOIN (VALUES {values}) AS key(cell, budget, i) "
            "ON runs.cell::VARCHAR = key.cell AND coalesce(runs.budget, -1) = key.budget"
        )
        refuse_unknown(table["outcome"], "outcome", " or ".join(OUTCOMES))
        order = np.argsort(table["i"], kind="stable")
        borders = np.searchsorted(table["i"][order], np.arange(len(cells) + 1))
        for i, cell in enumerate(cells):
            rows = order[borders[i] : borders[i + 1]]
            rows = rows[_by_address(*(table[name][rows] for name in _ADDRESS))]
            where = [np.asarray(table[name][rows]) for name in _ADDRESS]
            refuse_repeated(cell.spec, *where)
            names = ["outcome", "evaluations", "max_leaves"]
            if cell.spec.has_population and POPULATION_COLUMN in self.columns:
                names.append(POPULATION_COLUMN)
            chosen = {name: np.asarray(table[name][rows]) for name in names}
            yield CellRuns(cell.spec, operations=cell.operations, addresses=_addresses(*where), **chosen)

    def _cells(self) -> list[_Cell]:
        try:
            rows = self._rows_of_cells(_product)
        except BadInput:  # sums of squares of very long runs need more than 127 bits
            rows = self._rows_of_cells(_product_in_halves)
        if any(row[-1] for row in rows):
            self._refuse_impossible()
        cells = []
        for id_, budget, runs, *values, _ in rows:
            if not (isinstance(id_, str) and id_.isalnum()):
                raise BadInput("cell", id_, "must be the digest of a cell, in hexadecimal digits")
            spec = from_columns({**dict(zip(SPEC_COLUMNS, values, strict=False)), "budget": budget})
            sums = [_joined(count) for count in values[len(SPEC_COLUMNS) :]]
            operations = {kind: Operations(*sums[5 * i : 5 * i + 5]) for i, kind in enumerate(KINDS)}
            cells.append(_Cell(id_, spec, runs, operations))
        return sorted(cells, key=lambda cell: (*order_of(cell.spec), cell.id, cell.spec.budget or 0))

    def _rows_of_cells(self, product: Callable[[str, str], str]) -> list[tuple[Any, ...]]:
        sums = ", ".join(_operation_sums(kind, product) for kind in KINDS)
        firsts = ", ".join(f"any_value({name})" for name in SPEC_COLUMNS)
        impossible = f"count_if(NOT coalesce({' AND '.join(_possible().values())}, false))"
        return self.rows(
            f"SELECT cell::VARCHAR, budget, count(*), {firsts}, {sums}, {impossible} FROM runs GROUP BY 1, 2"  # noqa: S608
        )

    def _refuse_impossible(self) -> None:
        """Names the column of a value that no run has."""
        for name, condition in _possible().items():
            ((count, value),) = self.rows(
                f"SELECT count(*), any_value({name}) FROM runs WHERE NOT coalesce({condition}, false)"  # noqa: S608
            )
            if count:
                shown = "nothing" if value is None else value
                raise BadInput("runs", f"{shown} as {name}", f"no run has that; {count:,} of the rows are such")


def order_of(spec: RunSpec) -> tuple[Any, ...]:
    """The order in which cells are listed."""
    return spec.problem.id, spec.algorithm.id, str(spec.init), spec.n


def _operation_sums(kind: str, product: Callable[[str, str], str]) -> str:
    """Exact, so that the order in which duckdb reads files does not show."""
    p, a = f"proposed_{kind}", f"accepted_{kind}"
    return f"sum({p}), sum({a}), {product(p, p)}, {product(p, a)}, {product(a, a)}"


def _possible() -> dict[str, str]:
    """For each column that the analysis needs, what is so in every run, in SQL."""
    names = [name for name in NEEDED if name not in NULLABLE]
    conditions = {name: f"{name} >= {LEAST[name]}" if name in LEAST else f"{name} IS NOT NULL" for name in names}
    for kind in KINDS:
        conditions[f"accepted_{kind}"] = f"accepted_{kind} BETWEEN 0 AND proposed_{kind}"
    return conditions


def _product(p: str, a: str) -> str:
    return f"sum({p}::HUGEINT * {a}::HUGEINT)"


def _product_in_halves(p: str, a: str) -> str:
    """A list of what stands before 2⁶⁴, 2³² and 1 in the sum: slower, and never too large for duckdb."""
    (p_high, p_low), (a_high, a_low) = (
        (f"({name}::UBIGINT >> 32)", f"({name}::UBIGINT & {2**32 - 1})") for name in (p, a)
    )
    parts = f"{p_high} * {a_high}", f"{p_high} * {a_low} + {p_low} * {a_high}", f"{p_low} * {a_low}"
    return f"[{', '.join(f'sum({part})' for part in parts)}]"


def _joined(count: int | list[int] | None) -> int:
    if isinstance(count, list):
        high, middle, low = count
        return (high << 64) + (middle << 32) + low
    return count or 0


def refuse_unknown(codes: NDArray[Any], name: str, allowed: str) -> None:
    """Raises `BadInput` if some value is null."""
    if isinstance(codes, np.ma.MaskedArray) and bool(np.ma.getmaskarray(codes).any()):
        raise BadInput(name, "something else", f"must be {allowed} in every row")


def _addresses(run: Integers, seed: Integers, skipping: NDArray[np.bool_]) -> tuple[Address, ...]:
    addresses = []
    for value in np.unique(seed).tolist():
        for skips, method in ((False, "stepping"), (True, "skipping")):
            numbers = run[(seed == value) & (skipping == skips)]
            if len(numbers):
                addresses.append(Address(value, method, int(numbers.min()), int(numbers.max()), len(numbers)))
    return tuple(addresses)


def _by_address(run: Integers, seed: Integers, skipping: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The order of the addresses: duckdb reads files in any order, and rounded sums would show it."""
    if len(run) and bool((seed == seed[0]).all()) and bool((skipping == skipping[0]).all()):
        return np.argsort(run, kind="stable")
    return np.lexsort((run, seed, skipping))


def refuse_repeated(spec: RunSpec, run: Integers, seed: Integers, skipping: NDArray[np.bool_]) -> None:
    """Refuses neighbours with the same address, in the order of the addresses."""
    same = (run[1:] == run[:-1]) & (seed[1:] == seed[:-1]) & (skipping[1:] == skipping[:-1])
    if same.any():
        twice = int(np.flatnonzero(same)[0])
        where = f"{spec.algorithm} on {spec.problem}, n = {spec.n}"
        raise BadInput("runs", f"run {run[twice]} of seed {seed[twice]}", f"stands in the table twice ({where})")
