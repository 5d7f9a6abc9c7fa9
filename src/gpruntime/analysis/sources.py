"""Where runs come from: whatever holds them becomes something that can be asked in SQL, where its name is `runs`.

| runs                                        |                                                                   |
|---------------------------------------------|-------------------------------------------------------------------|
| `Columns`                                   | what `run_many` gives                                             |
| `Study`, or the path of its folder          | what `run_study` made                                             |
| a pyarrow table or dataset, a pandas frame  | with the columns of `gpruntime.model.row`                         |
| the path of a Parquet file, or of a folder with such files | the same                                           |
| the path of an IOHprofiler folder           | what another tool wrote (`gpruntime.study.ioh_read`)              |
| a list of those                             | together                                                          |
| duckdb's connection, with a view `runs`, or relation | asked as it is                                           |
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from gpruntime.model.errors import BadInput
from gpruntime.model.representations.representation import MORE_COLUMNS
from gpruntime.model.row import schema

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa
    import pyarrow.dataset as ds

    from gpruntime.study.study import Study

    Source: TypeAlias = duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation
    Some: TypeAlias = "Arrowed | Study | pa.Table | ds.Dataset | pd.DataFrame | str | os.PathLike[str]"


class Arrowed(Protocol):
    """What gives itself as an Arrow table: `Columns`, or a frame of another library."""

    def to_arrow(self) -> pa.Table:
        """The table."""


_ALLOWED = (
    "must be Columns, a Study or its folder, a pyarrow table, a pandas data frame, Parquet files, "
    "duckdb's relation or connection, or a list of such"
)


def source_of(runs: Any) -> Source:
    """The runs as duckdb's relation, or as a connection with a view `runs`. Raises `BadInput` if there are none."""
    import duckdb
    import pyarrow.dataset as ds

    from gpruntime.study.sql import connect
    from gpruntime.study.study import Study

    if isinstance(runs, duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation):
        return runs
    runs = _opened(runs)
    if isinstance(runs, Study):
        return runs.connect()
    return connect(runs if isinstance(runs, ds.Dataset) and _has_our_types(runs) else _table_of(runs))


def study_of(runs: Any) -> Study | None:
    """The study that is given, by itself or by its folder; None if it is anything else."""
    from gpruntime.study.study import Study

    if isinstance(runs, str | os.PathLike) and (Path(runs) / "ledger").is_file():
        return Study.load(Path(runs))
    return runs if isinstance(runs, Study) else None


def _opened(runs: Any) -> Any:
    """The study in a folder, or the Parquet files there; what is no path as it is."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    study = study_of(runs)
    if study is not None or not isinstance(runs, str | os.PathLike):
        return runs if study is None else study
    path = Path(runs)
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not path.exists():
        raise BadInput("runs", str(path), "there is no such file or folder")
    if not files:
        from gpruntime.study.ioh_read import metadata_files, read_ioh

        if metadata_files(path):
            return read_ioh(path)
        raise BadInput("runs", str(path), "is neither a study's folder, nor IOHprofiler's, nor one with Parquet files")
    try:
        schemas = [pq.read_schema(file).remove_metadata() for file in files]
        together = pa.unify_schemas(schemas, promote_options="permissive")
        return ds.dataset([str(file) for file in files], schema=together, format="parquet")
    except (pa.ArrowException, OSError):
        raise BadInput("runs", str(path), "cannot be read as Parquet") from None


def _table_of(runs: Any) -> pa.Table:
    import pyarrow as pa
    import pyarrow.dataset as ds

    from gpruntime.study.study import Study

    runs = _opened(runs)
    if isinstance(runs, Study):
        return runs.table()
    if isinstance(runs, ds.Dataset):
        runs = runs.to_table()
    if isinstance(runs, Sequence) and not isinstance(runs, bytes):
        if not runs:
            raise BadInput("runs", "[]", "the list is empty")
        tables = [_table_of(part) for part in runs]
        return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    if isinstance(runs, pa.Table):
        return _uniform(runs)
    pandas = sys.modules.get("pandas")  # whoever has a frame of pandas has imported it
    if pandas is not None and isinstance(runs, pandas.DataFrame):
        return _uniform(_from_pandas(runs))
    if hasattr(runs, "to_arrow"):  # Columns, and frames of other libraries
        return _uniform(runs.to_arrow())
    raise BadInput("runs", type(runs).__name__, _ALLOWED)


def _from_pandas(frame: Any) -> pa.Table:
    import pyarrow as pa

    known = [name for name in _columns().names if name in frame.columns]
    try:
        return pa.Table.from_pandas(frame[known], preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise BadInput("runs", "the data frame", f"cannot be read: {str(error).splitlines()[0]}") from None


def _uniform(table: pa.Table) -> pa.Table:
    """Our columns of a table with our types: frames and files of others have fractions for integers."""
    import pyarrow as pa

    columns = {}
    for integer, real in zip(_columns(), _columns(real=True), strict=True):
        if integer.name not in table.column_names:
            continue
        column = table[integer.name]
        try:
            if pa.types.is_dictionary(integer.type) and not pa.types.is_dictionary(column.type):
                column = column.cast(pa.string()).dictionary_encode()
            columns[integer.name] = _cast(column, integer.type, real.type)
        except pa.ArrowException:
            raise BadInput("runs", f"{integer.name} of type {column.type}", f"must be {_kind(real.type)}") from None
    return pa.table(columns)


def _cast(column: pa.ChunkedArray, kind: pa.DataType, other: pa.DataType) -> pa.ChunkedArray:
    """A column as the first of two types that holds its values."""
    import pyarrow as pa

    try:
        return column.cast(kind)
    except pa.ArrowException:
        return column.cast(other)


def _columns(real: bool = False) -> pa.Schema:
    """All columns that a table of runs may have."""
    return schema(improvements=True, real=real, more=MORE_COLUMNS)


def _has_our_types(dataset: ds.Dataset) -> bool:
    """Whether files can be read piece by piece, when they are asked for."""
    import pyarrow as pa

    def has(ours: pa.Schema) -> bool:
        known = [field for field in ours if field.name in dataset.schema.names]
        types = pa.types
        return all(types.is_dictionary(field.type) or dataset.schema.field(field.name).equals(field) for field in known)

    return has(_columns()) or has(_columns(real=True))


def _kind(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_list(kind):
        return "lists of numbers"
    return {pa.int64(): "integers", pa.float64(): "numbers"}.get(kind, "text")
