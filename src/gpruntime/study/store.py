"""The folder of a study.

    ledger             what is in it, and the plan it holds to
    shards/            one immutable Parquet file for each finished chunk: rows of runs, or a summary of them
    plan.toml          the plan, for reading, and for changing by hand
    provenance.jsonl   who computed what, when, with which versions
    set-aside/         files that were found damaged, or are not the study's
    .gpruntime-lock    who is at work

A shard is written under another name and brought to the disk, then entered in the ledger, then given its name. After
a crash between the last two, `recover` gives it its name; what is not entered is not the study's.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from gpruntime.files import LEDGER, LOCK, PLAN, SET_ASIDE, SHARDS, is_half
from gpruntime.model.errors import BadInput
from gpruntime.study.errors import BadPlan, OtherPlan
from gpruntime.study.files import (
    check_names,
    finish,
    half_of,
    held,
    is_folder,
    is_there,
    names_in,
    open_plain,
    read_plain,
    write_half,
    write_plain,
)
from gpruntime.study.ledger import HEADER, Entry, Ledger, is_shard_name, sealed
from gpruntime.study.plan import Plan
from gpruntime.study.provenance import source_hash
from gpruntime.study.shard import Piece, is_real, shard_name
from gpruntime.study.validate import trouble_of
from gpruntime.systems import Folder

# Of these it is not the file's fault that it could not be read.
_NOT_THE_FILE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class Store:
    """A folder that is a study.

    Attributes:
        folder: where it is.
        plan: what it holds to.
        ledger: what is in it.
    """

    def __init__(self, folder: Path) -> None:
        check_names(folder)
        self.folder = folder
        self._names = self._shards()  # before the ledger is read: what is there by then has been entered
        self.ledger = Ledger.read(folder)
        self.plan = self._plan()
        self._is_real = (
            self.plan.is_real
        )  # whether a fitness is a float; if nothing says so, as in the first good shard

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> Store:
        """Makes a study of a new or empty folder."""
        check_free(folder)
        (folder / SHARDS).mkdir(exist_ok=True)
        write_plain(folder / PLAN, plan.text.encode())
        write_plain(folder / LEDGER, b"".join((sealed(HEADER), sealed({"plan": plan.text}))))
        return cls(folder)

    def _plan(self) -> Plan:
        """The ledger's plan. If a line of the ledger is damaged that may be an old one, or none: plan.toml may help.

        Whichever it is, it must have all cells of which there are runs.
        """
        cells = {piece.cell for entry in self.ledger.entries.values() for piece in entry.pieces}
        why, plans = "there is no plan that has all its runs", []
        try:
            if self.ledger.plan is not None:
                plans.append(Plan.from_toml(self.ledger.plan))
        except BadPlan as error:
            why = f"the plan in it cannot be run: {error.problems[0]}"
        if self.ledger.damaged or not plans or not cells <= set(plans[0].by_id):
            with contextlib.suppress(OSError, BadPlan):
                plans.append(self._written_plan())
        plans = [plan for plan in plans if cells <= set(plan.by_id)]
        if not plans:
            raise BadInput("folder", str(self.folder), f"its ledger is damaged: {why}")
        whole = (plan for plan in plans if all(_is_within(entry, plan) for entry in self.ledger.entries.values()))
        return next(whole, plans[0])

    def _written_plan(self) -> Plan:
        return Plan.from_bytes(read_plain(self.folder / PLAN), str(self.folder / PLAN))

    # ---- writing, for the holder of the lock

    def check(self, plan: Plan) -> None:
        """Raises `OtherPlan` if a plan contradicts what is in the folder."""
        if differences := plan.contradictions(self.plan):
            raise OtherPlan(self.folder, differences)

    def take_up(self, plan: Plan) -> bool:
        """Goes on with another plan, which only adds; True if it is another."""
        changed = plan != self.plan
        if changed:
            self.ledger.append({"plan": plan.text})
            self.plan = plan
        with contextlib.suppress(FileNotFoundError):
            if read_plain(self.folder / PLAN) == plan.text.encode():
                return changed
        write_plain(self.folder / PLAN, plan.text.encode())
        return changed

    def edited_plan(self) -> Plan:
        """The plan for reading: the ledger's, unless it was changed by hand or is gone."""
        try:
            return self._written_plan()
        except FileNotFoundError:
            return self.plan

    def add(
        self, pieces: list[Piece], content: bytes, data: Iterable[tuple[str, str]] = (), sources: str | None = None
    ) -> None:
        """Stores a shard for good.

        `data` are pairs of a cell and the digest of its problem's data, where it has one; `sources` is the digest of
        what computed it, if not of the present ones.
        """
        name = shard_name(pieces)
        half = half_of(name)
        with held(self.folder / SHARDS) as shards:
            write_half(half, content, shards, self.folder / SHARDS)
            try:
                checksum, sources = hashlib.sha256(content).hexdigest(), sources or source_hash()
                entry = Entry(name, checksum, len(content), tuple(pieces), sources, tuple(data))
                self.ledger.append(entry.record())
            except BaseException:
                shards.unlink(half)
                raise
            finish(half, name, shards)

    def recover(self) -> list[str]:
        """Puts the folder in order after whatever happened to it; says what it found, one line each."""
        notices = []
        if self.ledger.damaged:
            notices.append(f"{self.ledger.damage()}; written anew")
        self.ledger.mend(self.plan.text)
        with held(self.folder / SHARDS, make=True) as shards:
            for entry in list(self.ledger.entries.values()):
                half = half_of(entry.name)
                if not is_there(entry.name, shards) and self._differs(half, entry) is None:
                    finish(half, entry.name, shards)
                why = self.trouble(entry)
                if why is not None:
                    if is_there(entry.name, shards):
                        self._set_aside(entry.name, shards)
                    self.ledger.append({"void": entry.name, "why": why})
                    notices.append(f"{SHARDS}/{entry.name}: {why}; set aside, and its runs are computed again")
            for name in names_in(shards):
                if name.startswith(".") and name.endswith(".half") and not is_folder(name, shards):
                    shards.unlink(name)
                elif name not in self.ledger.entries:
                    self._set_aside(name, shards)
                    notices.append(f"{SHARDS}/{name}: not a shard of this study; set aside")
        return notices

    def _set_aside(self, name: str, shards: Folder) -> None:
        with held(self.folder / SET_ASIDE, make=True) as aside:
            free, number = name, 1
            while is_there(free, aside):
                number += 1
                free = f"{name}.{number}"
            shards.rename(name, free, aside)
            aside.to_disk()

    # ---- reading

    def trouble(self, entry: Entry) -> str | None:
        """What is wrong with a shard, in words; None if it is as it was entered, and holds runs of the plan."""
        if not _is_within(entry, self.plan):  # before it is read: a small file can hold any number of equal rows
            return "is said to hold more runs than the plan asks for"
        if any(self.ledger.data[cell] != digest for cell, digest in entry.data):
            return "holds runs with other data than those before it"
        return self._differs(entry.name, entry)

    def _differs(self, name: str, entry: Entry) -> str | None:
        """How a file differs from an entry in the ledger."""
        try:
            descriptor = open_plain(self.folder / SHARDS / name, os.O_RDONLY)
            with os.fdopen(descriptor, "rb") as file:
                size = os.fstat(descriptor).st_size
                if size != entry.bytes:
                    return f"has {size} bytes instead of {entry.bytes}"
                if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                    return "is damaged: its checksum is wrong"
                why = trouble_of(file, entry.pieces, self.plan, self._is_real)
                if why is None and self._is_real is None:
                    self._is_real = is_real(file)
                return why
        except FileNotFoundError:
            return "is missing"
        except BadInput as error:
            return error.allowed.removeprefix(f"{name} ")
        except OSError as error:
            if error.errno in _NOT_THE_FILE:
                raise
            return f"cannot be read: {error.strerror}"

    def _shards(self) -> list[str]:
        try:
            return list(filter(is_shard_name, names_in(self.folder / SHARDS)))
        except OSError:
            return []

    def unentered(self) -> list[str]:
        """Shards that are there and not in the ledger. A study never leaves one: the ledger was cut off, or emptied."""
        shards = self.folder / SHARDS
        return [name for name in self._names if name not in self.ledger.entries and os.path.lexists(shards / name)]

    def is_arriving(self, entry: Entry) -> bool:
        """Whether a shard is entered and about to get its name: a matter of milliseconds, seen from another process."""
        shards = self.folder / SHARDS
        return not os.path.lexists(shards / entry.name) and os.path.lexists(shards / half_of(entry.name))

    def done(self) -> dict[str, list[Piece]]:
        """The pieces that are stored, by cell."""
        pieces = defaultdict(list)
        for entry in self.ledger.entries.values():
            for piece in entry.pieces:
                pieces[piece.cell].append(piece)
        return dict(pieces)


def _is_within(entry: Entry, plan: Plan) -> bool:
    """Whether a shard holds runs that the plan asks for, each once: a plan never asks for fewer than it did."""
    ends: dict[str, int] = {}
    for piece in sorted(entry.pieces, key=lambda piece: piece.first):
        if piece.first < ends.get(piece.cell, 0) or piece.end > plan.by_id[piece.cell].rule.ceiling:
            return False
        ends[piece.cell] = piece.end
    return True


def check_free(folder: Path) -> None:
    """Raises `BadInput` unless a study can be made of the folder: it holds nothing, or what an interrupted try left."""
    check_names(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput("folder", str(folder), "is a file, not a folder")
    others = [name for name in names_in(folder) if name not in (LOCK, SHARDS, PLAN) and not is_half(name)]
    if others:
        raise BadInput("folder", str(folder), f"is not empty and not a study: it holds {others[0]}")
