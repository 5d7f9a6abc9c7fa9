"""A shard: the runs of one finished chunk, as one Parquet file that is never changed.

Its metadata hold the schema's version, the root seed, and what it is made of, its *pieces*: consecutive runs of a
cell, in the order of the rows. Its name is made from them, so the same chunk has the same name.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime.model.errors import BadInput
from gpruntime.study.goal import Tally

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
Span = tuple[int, int]
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
        return pq.read_table(path, columns=columns).replace_schema_metadata(None)
    except (pa.ArrowException, OSError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        folder = str(path.parent.parent)
        raise BadInput("folder", folder, f"{path.parent.name}/{path.name} cannot be read: {why}") from None


def seed_of(schema: pa.Schema) -> int | None:
    """The root seed of a file's runs, if it says so. Raises ValueError if that is no number."""
    seed = (schema.metadata or {}).get(_SEED)
    return None if seed is None else int(seed)


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
