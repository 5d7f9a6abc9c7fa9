"""Runs in SQL: the one place that connects to duckdb; and the answer to a query as Python's values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_INFINITE = (2**31 - 1, 2**63 - 1)  # duckdb's, of days and of smaller units


def connect(runs: Any) -> duckdb.DuckDBPyConnection:
    """A connection with the view `runs` over an Arrow table or dataset. It can read nothing else and write nothing."""
    connection = _plain()
    connection.register("runs", runs)
    return _closed(connection)


def connect_files(paths: list[str], differ: bool = False) -> duckdb.DuckDBPyConnection:
    """The same over Parquet files, which duckdb reads itself: ten million runs then take a third of the memory.

    Where the files `differ` in their columns, the view has all of them.
    """
    connection = _plain()
    connection.read_parquet(paths, hive_partitioning=False, union_by_name=differ).create_view("runs")
    connection.execute("set allowed_paths = $1", [paths])
    return _closed(connection)


def _plain() -> duckdb.DuckDBPyConnection:
    """Without a progress bar: it would write into our output.

    In a notebook without ipywidgets it is off, and asking for that raises.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    if connection.execute("select current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        connection.execute("set enable_progress_bar = false")
    return connection


def _closed(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column; dates beyond Python's are texts."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return [_value(scalar) for scalar in column]


def _value(scalar: pa.Scalar) -> Any:
    import pyarrow as pa

    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        if isinstance(scalar, pa.ListScalar):
            return [_value(part) for part in scalar.values]
        if isinstance(scalar, pa.StructScalar):
            return {name: _value(part) for name, part in scalar.items()}
        number = getattr(scalar, "value", None)
        if isinstance(number, int) and abs(number) in _INFINITE:
            return "infinity" if number > 0 else "-infinity"
        return str(scalar.cast(pa.string()).as_py())
