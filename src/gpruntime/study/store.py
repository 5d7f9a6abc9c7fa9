"""The folder of a study.

    ledger             what is in it, and the plan it holds to
    shards/            one immutable Parquet file for each finished chunk
    plan.toml          the plan, for reading, and for changing by hand
    provenance.jsonl   who computed what, when, with which versions
    set-aside/         files that were found damaged, or are not the study's
    .gpruntime-lock    who is at work

A shard is written under another name and brought to the disk, then entered in the ledger, then given its name. After
a crash between the last two, `recover` gives it its name; what is not entered is not the study's.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import defaultdict
from pathlib import Path

from gpruntime.model.errors import BadInput
from gpruntime.study import ledger as ledger_file
from gpruntime.study.errors import BadPlan, OtherPlan
from gpruntime.study.files import finish, half_of, sync, write_half, write_whole
from gpruntime.study.ledger import HEADER, Entry, Ledger, sealed
from gpruntime.study.lock import NAME as LOCK
from gpruntime.study.plan import Plan
from gpruntime.study.provenance import source_hash
from gpruntime.study.shard import Piece, shard_name

SHARDS, SET_ASIDE, PLAN = "shards", "set-aside", "plan.toml"


class Store:
    """A folder that is a study.

    Attributes:
        folder: where it is.
        plan: what it holds to.
        ledger: what is in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = Ledger.read(folder)
        self.plan = self._plan()

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> Store:
        """Makes a study of a new or empty folder."""
        check_free(folder)
        (folder / SHARDS).mkdir(exist_ok=True)
        write_whole(folder / PLAN, plan.text.encode())
        write_whole(folder / ledger_file.NAME, b"".join((sealed(HEADER), sealed({"plan": plan.text}))))
        return cls(folder)

    def _plan(self) -> Plan:
        """The ledger's plan. If a line of the ledger is damaged that may be an old one, or none: plan.toml may help.

        Whichever it is, it must have all cells of which there are runs.
        """
        cells = {piece.cell for entry in self.ledger.entries.values() for piece in entry.pieces}
        if self.ledger.plan is not None:
            plan = Plan.from_toml(self.ledger.plan)
            if cells <= set(plan.by_id):
                return plan
        with contextlib.suppress(OSError, BadPlan):
            plan = Plan.from_file(self.folder / PLAN)
            if cells <= set(plan.by_id):
                return plan
        raise BadInput("folder", str(self.folder), "its ledger is damaged: there is no plan that has all its runs")

    # ---- writing, for the holder of the lock

    def check(self, plan: Plan) -> None:
        """Raises `OtherPlan` if a plan contradicts what is in the folder."""
        differences = plan.contradictions(self.plan)
        if differences:
            raise OtherPlan(self.folder, differences)

    def take_up(self, plan: Plan) -> bool:
        """Goes on with another plan, which only adds; True if it is another."""
        changed = plan != self.plan
        if changed:
            self.ledger.say({"plan": plan.text})
            self.plan = plan
        if not (self.folder / PLAN).is_file() or (self.folder / PLAN).read_bytes() != plan.text.encode():
            write_whole(self.folder / PLAN, plan.text.encode())
        return changed

    def edited_plan(self) -> Plan:
        """The plan for reading: the ledger's, unless it was changed by hand or is gone."""
        try:
            return Plan.from_file(self.folder / PLAN)
        except FileNotFoundError:
            return self.plan

    def add(self, pieces: list[Piece], content: bytes, sources: str | None = None) -> None:
        """Stores a shard for good; `sources` is the digest of what computed it, if not of the present ones."""
        name = shard_name(pieces)
        half, path = half_of(self.folder / SHARDS / name), self.folder / SHARDS / name
        write_half(half, content)
        try:
            checksum = hashlib.sha256(content).hexdigest()
            self.ledger.say(Entry(name, checksum, len(content), tuple(pieces), sources or source_hash()).said())
        except BaseException:
            half.unlink(missing_ok=True)
            raise
        finish(half, path)

    def recover(self) -> list[str]:
        """Puts the folder in order after whatever happened to it; says what it found, one line each."""
        found = []
        if self.ledger.damaged:
            found.append(f"{self.ledger.damage()}; written anew")
        self.ledger.mend(self.plan.text)
        shards = self.folder / SHARDS
        shards.mkdir(exist_ok=True)
        for entry in list(self.ledger.entries.values()):
            path, half = shards / entry.name, half_of(shards / entry.name)
            if not path.exists() and half.is_file() and _differs(half, entry) is None:
                finish(half, path)
            why = self.trouble(entry)
            if why is not None:
                if path.exists():
                    self._set_aside(path)
                self.ledger.say({"void": entry.name, "why": why})
                found.append(f"{SHARDS}/{entry.name}: {why}; set aside, and its runs are computed again")
        for path in sorted(shards.iterdir()):
            if path.name.startswith(".") and path.name.endswith(".half"):
                path.unlink()
            elif path.name not in self.ledger.entries:
                self._set_aside(path)
                found.append(f"{SHARDS}/{path.name}: not a shard of this study; set aside")
        return found

    def _set_aside(self, path: Path) -> None:
        folder = self.folder / SET_ASIDE
        folder.mkdir(exist_ok=True)
        name, number = path.name, 1
        while (folder / name).exists():
            number += 1
            name = f"{path.name}.{number}"
        path.replace(folder / name)
        sync(folder)

    # ---- reading

    def trouble(self, entry: Entry) -> str | None:
        """What is wrong with a shard, in words; None if it is as it was entered."""
        return _differs(self.folder / SHARDS / entry.name, entry)

    def is_arriving(self, entry: Entry) -> bool:
        """Whether a shard is entered and about to get its name: a matter of milliseconds, seen from another process."""
        path = self.folder / SHARDS / entry.name
        return not path.exists() and half_of(path).exists()

    def done(self) -> dict[str, list[Piece]]:
        """The pieces that are stored, by cell."""
        pieces = defaultdict(list)
        for entry in self.ledger.entries.values():
            for piece in entry.pieces:
                pieces[piece.cell].append(piece)
        return dict(pieces)


def check_free(folder: Path) -> None:
    """Raises `BadInput` unless a study can be made of the folder: it holds nothing, or what an interrupted try left."""
    ours = {LOCK, SHARDS, PLAN, half_of(Path(PLAN)).name, half_of(Path(ledger_file.NAME)).name}
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput("folder", str(folder), "is a file, not a folder")
    others = sorted(path.name for path in folder.iterdir() if path.name not in ours)
    if others:
        raise BadInput("folder", str(folder), f"is not empty and not a study: it holds {others[0]}")


def _differs(path: Path, entry: Entry) -> str | None:
    """How a file differs from its entry in the ledger."""
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if size != entry.bytes:
                return f"has {size} bytes instead of {entry.bytes}"
            if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                return "is damaged: its checksum is wrong"
    except FileNotFoundError:
        return "is missing"
    return None
