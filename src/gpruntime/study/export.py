"""A study's table as one CSV or Parquet file. The file has its name only once it is whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from gpruntime.files import whole_file
from gpruntime.model.row import NOT_REPEATABLE
from gpruntime.study.study import Study

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 100_000


def export_parquet(study: Study, path: Path) -> None:
    """One Parquet file, in the order of the plan."""
    with whole_file(path, new=True) as file:
        _parquet(file, study.schema, _buffered(study))


def export_csv(study: Study, path: Path, *, repeatable: bool = False) -> None:
    """One CSV file, in the order of the plan; lists of improvements as numbers with blanks between them.

    With `repeatable` without what differs from machine to machine: whoever repeats the study gets the same bytes.
    """
    with whole_file(path, new=True) as file:
        write_csv(study, file, repeatable=repeatable)


def write_csv(study: Study, file: BinaryIO, *, repeatable: bool = False) -> None:
    """The same into an open file."""
    import pyarrow as pa

    left_out = NOT_REPEATABLE if repeatable else ()
    _csv(file, pa.schema([field for field in study.schema if field.name not in left_out]), _buffered(study))


def write_table(table: pa.Table, path: Path, kind: str, *, new: bool = False) -> Path:
    """A table as one CSV or Parquet file; with `new`, there may be none of that name yet."""
    write = {"csv": _csv, "parquet": _parquet}[kind]
    with whole_file(path, new=new) as file:
        write(file, table.schema, [table])
    return path


def _parquet(file: BinaryIO, schema: pa.Schema, parts: Iterable[pa.Table]) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in parts:
            writer.write_table(rows)


def _csv(file: BinaryIO, schema: pa.Schema, parts: Iterable[pa.Table]) -> None:
    import pyarrow as pa
    import pyarrow.csv

    plain = pa.schema([pa.field(field.name, _plain_type(field.type)) for field in schema])
    with pa.csv.CSVWriter(file, plain) as writer:
        for rows in parts:
            writer.write_table(_plain(rows, plain))


def _buffered(study: Study) -> Iterator[pa.Table]:
    """The table, some rows at a time: a study may be larger than the memory, and of many small pieces."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    for rows in study.tables():
        waiting.append(rows)
        if sum(part.num_rows for part in waiting) >= _ROWS:
            yield pa.concat_tables(waiting).unify_dictionaries()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).unify_dictionaries()


def _plain_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    return pa.string() if pa.types.is_dictionary(kind) or pa.types.is_list(kind) else kind


def _plain(table: pa.Table, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for field in schema:
        column = table[field.name]
        if pa.types.is_list(column.type):
            column = pc.binary_join(column.cast(pa.list_(pa.string())), " ")
        columns.append(column.cast(field.type))
    return pa.Table.from_arrays(columns, schema=schema)
