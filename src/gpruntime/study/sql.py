"""Runs in SQL: the one place that connects to duckdb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


def connect(runs: Any) -> duckdb.DuckDBPyConnection:
    """A connection with the view `runs` over an Arrow table or dataset. It can read nothing else and write nothing."""
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.register("runs", runs)
    _without_progress_bar(connection)
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _without_progress_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """It would write into our output. In a notebook without ipywidgets it is off, and asking for that raises."""
    (on,) = connection.execute("select current_setting('enable_progress_bar')").fetchone() or (False,)
    if on:
        connection.execute("set enable_progress_bar = false")
