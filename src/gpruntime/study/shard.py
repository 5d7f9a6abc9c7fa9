"""A shard: the runs of one finished chunk, as one Parquet file that is never changed.

Its metadata hold the schema's version, the root seed, and what it is made of, its *pieces*: consecutive runs of a
cell, in the order of the rows. Its name is made from them, so the same chunk has the same name.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from gpruntime.model.errors import BadInput
from gpruntime.model.row import LEAST, NULLABLE
from gpruntime.study.cell import Tally

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

SCHEMA_VERSION = 1
Span = tuple[int, int]
Times = tuple["NDArray[np.int64]", "NDArray[np.bool_]"]
_PIECES, _VERSION, _SEED = b"gpruntime.pieces", b"gpruntime.schema", b"gpruntime.seed"


@dataclass(frozen=True)
class Piece:
    """Consecutive runs of a cell.

    Attributes:
        cell: the cell's id.
        first, count: the runs first … first + count − 1.
    """

    cell: str
    first: int
    count: int

    @property
    def end(self) -> int:
        """The run after the last."""
        return self.first + self.count

    @property
    def span(self) -> Span:
        """The same without the cell: first, end."""
        return self.first, self.end

    def is_within(self, other: Piece) -> bool:
        """Whether the other has all of its runs."""
        return self.cell == other.cell and other.first <= self.first and self.end <= other.end

    def words(self) -> str:
        """Its runs in words."""
        return f"{self.cell}:{self.first} to {self.end - 1}"

    def as_list(self) -> list[Any]:
        """For JSON."""
        return [self.cell, self.first, self.count]


@dataclass(frozen=True)
class Finished:
    """A piece that has been computed.

    Attributes:
        tally, seconds: what a goal and the planning of chunks want to know of it.
        data: the digest of the problem's data it was computed with (`Problem.data_digest`).
    """

    piece: Piece
    tally: Tally
    seconds: float
    data: str | None = None


def shard_name(pieces: list[Piece]) -> str:
    """The file's name: the first cell and run for the eye, a digest of all pieces for the machine."""
    digest = hashlib.sha256(_json(pieces)).hexdigest()[:16]
    return f"{pieces[0].cell[:8]}-{pieces[0].first}-{digest}.parquet"


def encode(table: pa.Table, pieces: list[Piece], seed: int) -> bytes:
    """The table as the bytes of a Parquet file; its runs are of this root seed."""
    import pyarrow.parquet as pq

    metadata = {_PIECES: _json(pieces), _VERSION: str(SCHEMA_VERSION).encode(), _SEED: str(seed).encode()}
    marked = table.replace_schema_metadata(metadata)
    buffer = io.BytesIO()
    pq.write_table(marked, buffer, compression="zstd", compression_level=1)
    return buffer.getvalue()


def read(path: Path, columns: list[str] | None = None) -> pa.Table:
    """The rows of a shard. Raises `BadInput` if it is none after all: a checksum does not say what it is of."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=columns).replace_schema_metadata(None)
        why = next(_impossible(table), None)
    except (pa.ArrowException, OSError) as error:
        why = f"cannot be read: {(str(error).splitlines() or [type(error).__name__])[0]}"
    if why is not None:
        raise BadInput("folder", str(path.parent.parent), f"{path.parent.name}/{path.name} {why}")
    return table


def times_of(table: pa.Table, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Times]]:
    """The evaluations of the runs of each piece, and which reached the optimum, from the rows of a shard."""
    import pyarrow.compute as pc

    optimal = pc.equal(table["outcome"].cast("string"), "optimum").to_numpy(zero_copy_only=False)
    evaluations = table["evaluations"].to_numpy()
    at = 0
    for piece in pieces:
        rows = slice(at, at + piece.count)
        yield piece, (evaluations[rows], optimal[rows])
        at += piece.count


def is_real(file: Path | BinaryIO) -> bool | None:
    """Whether a fitness is a float in a shard; None if the file is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return bool(pq.read_schema(file).field("fitness").type == "double")
    except (pa.ArrowException, OSError, KeyError):
        return None


def seed_of(schema: pa.Schema) -> int | None:
    """The root seed of a file's runs, if it says so. Raises ValueError if that is no number."""
    seed = (schema.metadata or {}).get(_SEED)
    return None if seed is None else int(seed)


def is_possible(metadata: Any) -> bool:
    """Whether a Parquet file says of its values what is so of runs: no nulls, and nothing below the least.

    The values are not read: a file says the number of nulls and the least value of a column, and ours always do. Who
    reads them looks again.
    """
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return all(_is_possible(group.column(i)) for group in groups for i in range(group.num_columns))


def _is_possible(column: Any) -> bool:
    """Whether what the file says of a column's values is so of runs."""
    name, statistics = column.path_in_schema.partition(".")[0], column.statistics
    if statistics is None or not statistics.has_null_count or (statistics.null_count > 0 and name not in NULLABLE):
        return False
    if name not in LEAST or statistics.null_count == column.num_values:
        return True
    return bool(statistics.has_min_max and statistics.min >= LEAST[name])


def _impossible(table: pa.Table) -> Iterator[str]:
    """What no run has, in words: nulls, numbers below the least, lists of improvements of different lengths."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = []
    for name in table.column_names:
        column = table[name]
        if column.null_count and name not in NULLABLE:
            yield f"has rows without {name}"
        if pa.types.is_list(column.type):
            lists.append(pc.list_value_length(column))
            column = pc.list_flatten(column)
            if column.null_count:
                yield f"has rows with unknown numbers in {name}"
        if name in LEAST and (least := pc.min(column).as_py()) is not None and least < LEAST[name]:
            yield f"has {least} as {name}, which no run has"
    if any(not lengths.equals(lists[0]) for lengths in lists):
        yield "has lists of improvements of different lengths"


def _json(pieces: list[Piece]) -> bytes:
    return json.dumps([piece.as_list() for piece in pieces], separators=(",", ":")).encode()


def gaps(span: Span, done: list[Span]) -> list[Span]:
    """The parts of a span that are not done."""
    missing = []
    at, end = span
    for first, last in sorted(done):
        if first > at:
            missing.append((at, min(first, end)))
        at = max(at, last)
        if at >= end:
            break
    if at < end:
        missing.append((at, end))
    return [(first, last) for first, last in missing if first < last]
