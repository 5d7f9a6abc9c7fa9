"""The ledger of a study: one line for each thing that happened to its folder, only ever appended to.

    <16 digits of the SHA-256 of the rest> {"study": 1, "schema": 1}         the folder is a study, of this format
    … {"plan": "seed = 1 …"}                                                 the plan, as TOML; the last one holds
    … {"shard": NAME, "sha256": …, "bytes": …, "pieces": [[cell, first, count], …], "sources": …, "data": {cell: …}}
    … {"void": NAME, "why": …}                                               the shard is no longer part of the study

A shard is entered before it gets its name, so what lies in the folder without an entry is not the study's. A line
that was cut off, or damaged, is reported, and counts as not there. So does a line that says what no study says: a seal
is no proof of who wrote it, and a name that is not a shard's could be any file's.

`data` has the digest of the data of a cell's problem (`Problem.data_digest`), where it has one. The first that is
entered for a cell holds: runs with other data are another problem's. Older ledgers do not have it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpruntime.files import LEDGER, SHARDS
from gpruntime.model.errors import BadInput
from gpruntime.model.stream import MAX_RUN
from gpruntime.study.files import append_line, names_in, read_plain, write_plain
from gpruntime.study.shard import SCHEMA_VERSION, Piece

FORMAT = 1
HEADER = {"study": FORMAT, "schema": SCHEMA_VERSION}
_SHARD = re.compile(r"[0-9a-f]{8}-[0-9]{1,20}-[0-9a-f]{16}\.parquet")
_CELL, _DIGEST, _SOURCES = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class Entry:
    """A shard as it was entered; `data` are pairs of a cell and the digest of its problem's data."""

    name: str
    sha256: str
    bytes: int
    pieces: tuple[Piece, ...]
    sources: str
    data: tuple[tuple[str, str], ...] = ()

    def record(self) -> dict[str, Any]:
        """As it stands in the ledger."""
        content = {"shard": self.name, "sha256": self.sha256, "bytes": self.bytes}
        pieces = [piece.as_list() for piece in self.pieces]
        return {
            **content,
            "pieces": pieces,
            "sources": self.sources,
            **({"data": dict(self.data)} if self.data else {}),
        }

    def places(self) -> Iterator[tuple[int, Piece]]:
        """Its pieces, each with the row at which it begins."""
        return zip(itertools.accumulate((piece.count for piece in self.pieces), initial=0), self.pieces, strict=False)

    @classmethod
    def of(cls, record: dict[str, Any]) -> Entry:
        """From such a record; raises KeyError, TypeError or ValueError if it is nothing of the kind."""
        pieces = tuple(_piece(*piece) for piece in record["pieces"])
        shapes = (("shard", _SHARD), ("sha256", _DIGEST), ("sources", _SOURCES))
        name, digest, sources = (_word(record[key], shape) for key, shape in shapes)
        data = tuple((_word(cell, _CELL), _word(digest, _SOURCES)) for cell, digest in record.get("data", {}).items())
        if not pieces or not {cell for cell, _ in data} <= {piece.cell for piece in pieces}:
            raise ValueError
        return cls(name, digest, _count(record["bytes"]), pieces, sources, data)


def is_shard_name(name: str) -> bool:
    """Whether a file's name is one that shards have."""
    return _SHARD.fullmatch(name) is not None


def _piece(cell: Any, first: Any, count: Any) -> Piece:
    piece = Piece(_word(cell, _CELL), _count(first), _count(count))
    if piece.count == 0 or piece.end - 1 > MAX_RUN:
        raise ValueError
    return piece


def _word(value: Any, shape: re.Pattern[str]) -> str:
    if not isinstance(value, str) or shape.fullmatch(value) is None:
        raise ValueError
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


@dataclass
class Ledger:
    """What the ledger says now.

    Attributes:
        plan: the plan as TOML, or None if there is none that can be read.
        entries: the shards, by name, in the order they were entered.
        data: the digests of the data of the problems, by cell, as they were first entered.
        damaged: the numbers of lines that cannot be read, a cut-off last one not among them.
    """

    path: Path
    plan: str | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> Ledger:
        """The ledger of a folder. Raises `BadInput` if the folder is no study, `OSError` if it cannot be read."""
        ledger = cls(folder / LEDGER)
        try:
            content = read_plain(ledger.path)
        except (FileNotFoundError, NotADirectoryError):
            raise no_study(folder) from None
        *lines, _ = content.split(b"\n")  # the last is being written, or was cut off
        for number, line in enumerate(lines, 1):
            record = _unseal(line)
            if record is None or not ledger._take(record):
                ledger.damaged.append(number)
        return ledger

    def damage(self) -> str | None:
        """The damaged lines in words; None if there are none."""
        if not self.damaged:
            return None
        shown = ", ".join(map(str, self.damaged[:5])) + (", …" if len(self.damaged) > 5 else "")
        return f"ledger: damaged in line {shown}" + (f" ({len(self.damaged)} in all)" if len(self.damaged) > 1 else "")

    def append(self, record: dict[str, Any]) -> None:
        """Appends a line, and takes it in."""
        append_line(self.path, sealed(record))
        self._take(record)

    def mend(self, plan: str) -> None:
        """Writes the ledger anew with what can be read of it, if a line is damaged or cut off. Needs the lock."""
        content = read_plain(self.path)
        if not self.damaged and content.endswith(b"\n"):
            return
        records: list[dict[str, Any]] = [HEADER, {"plan": plan}, *(entry.record() for entry in self.entries.values())]
        write_plain(self.path, b"".join(map(sealed, records)))
        self.damaged = []

    def _take(self, record: dict[str, Any]) -> bool:
        """Takes in what a line says; False if it makes no sense."""
        try:
            if "study" in record:
                if (_count(record["study"]), _count(record["schema"])) > (FORMAT, SCHEMA_VERSION):
                    raise BadInput("folder", str(self.path.parent), "was made by a newer gpruntime")
            elif "plan" in record:
                record["plan"].encode()
                self.plan = record["plan"]
            elif "void" in record:
                self.entries.pop(_word(record["void"], _SHARD), None)
                self.data = {}
                for entry in self.entries.values():
                    self._note_data(entry)
            else:
                entry = Entry.of(record)
                self.entries[entry.name] = entry
                self._note_data(entry)
        except BadInput:
            raise
        except (AttributeError, KeyError, TypeError, ValueError):
            return False
        return True

    def _note_data(self, entry: Entry) -> None:
        for cell, digest in entry.data:
            self.data.setdefault(cell, digest)


def no_study(folder: Path) -> BadInput:
    """What to say of a folder without a ledger."""
    try:
        shards = sum(map(is_shard_name, names_in(folder / SHARDS)))
    except OSError:
        shards = 0
    if shards:
        allowed = f"its {LEDGER} is missing: {shards:,} shards lie there, but nothing says that they are whole"
        return BadInput("folder", str(folder), allowed)
    return BadInput("folder", str(folder), "is not the folder of a study")


def sealed(record: dict[str, Any]) -> bytes:
    """A line of a ledger."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return hashlib.sha256(text).hexdigest()[:16].encode() + b" " + text + b"\n"


def _unseal(line: bytes) -> dict[str, Any] | None:
    seal, _, text = line.partition(b" ")
    if hashlib.sha256(text).hexdigest()[:16].encode() != seal:
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
