"""Running a study: from its folder to chunks, to whoever computes them, and back to its folder."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.study import provenance
from gpruntime.study.executors import Cluster, Executor, InProcess, Lost, Processes
from gpruntime.study.goal import Fixed, Tally
from gpruntime.study.ledger import NAME as LEDGER
from gpruntime.study.lock import FolderLock
from gpruntime.study.plan import Plan
from gpruntime.study.schedule import Schedule
from gpruntime.study.store import Store
from gpruntime.study.study import tally_shard

_TICK = 0.25  # seconds between looks at the workers, at most


@dataclass
class Situation:
    """How a study that is running stands.

    Attributes:
        schedule: its cells.
        computed: runs computed in this sitting, and `seconds` since it began.
        slots: chunks that are computed at once.
        stopping: whether it was interrupted and only finishes what is at hand.
    """

    schedule: Schedule
    computed: int = 0
    seconds: float = 0.0
    slots: int = 0
    stopping: bool = False

    @property
    def stored(self) -> int:
        """Runs that are stored."""
        return sum(state.tally.runs for state in self.schedule.states.values())

    @property
    def wanted(self) -> int:
        """Runs that are stored, missing or under way; goals may ask for more."""
        return self.stored + sum(self.schedule.outstanding(id_) for id_ in self.schedule.states)

    def seconds_left(self) -> float | None:
        """An estimate, or None while there is none."""
        work = self.schedule.remaining_seconds()
        return None if work is None or self.slots == 0 else work / self.slots


@dataclass(frozen=True)
class Sitting:
    """How a call of `run_study` ended.

    Attributes:
        folder: the study's.
        computed, stored: runs computed by this call, and all that the folder holds now.
        interrupted: whether Ctrl-C ended it.
        failures: the cells that were given up, in words, with the reason.
        found: what was found damaged or foreign in the folder, one line each.
    """

    folder: Path
    computed: int
    stored: int
    interrupted: bool
    failures: list[str]
    found: list[str]


@dataclass
class Listener:
    """What is told while a study runs; the default tells nobody."""

    notice: Callable[[str], None] = field(default=lambda _: None)
    progress: Callable[[Situation], None] = field(default=lambda _: None)


def run_study(
    plan: Plan | None,
    folder: str | Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    part: tuple[int, int] = (1, 1),
    listener: Listener | None = None,
) -> Sitting:
    """Runs a study in a folder, or goes on with it; with None for a plan, the folder's own.

    `workers` is the number of processes (all cores if None), 0 to compute in this one; `cluster` the address of a Dask
    scheduler, or "local". `part` = (i, k) computes the i-th of k shares, to be merged later.

    Raises `BadInput` (`OtherPlan`, `Locked`) if it cannot begin, `OSError` if the folder cannot be written to. Whatever
    ends it, all chunks that were stored stay, and the next call goes on from there.
    """
    folder, listener = Path(folder), listener or Listener()
    if plan is None and not (folder / LEDGER).is_file():
        raise BadInput("folder", str(folder), "is not the folder of a study")
    folder.mkdir(parents=True, exist_ok=True)
    with FolderLock(folder) as lock:
        if lock.taken_over_from is not None:
            listener.notice(f"took over from {lock.taken_over_from}, which is gone")
        store, found = _open(folder, plan, listener)
        _check_part(store.plan, part)
        tallies = _tallies(store)
        schedule = Schedule(store.plan, store.done(), tallies, provenance.source_hash(), part)
        situation = Situation(schedule)
        if not any(state.missing for state in schedule.states.values()):
            return _end(situation, folder, found)
        begun = {"event": "begin", "time": provenance.now(), **provenance.circumstances()}
        provenance.note(folder, {**begun, "workers": workers, "cluster": cluster, "part": list(part)})
        executor = _executor(workers, cluster)
        ended = True
        try:
            with _interruptible(situation):
                _loop(store, executor, situation, lock, listener)
            ended = False
        finally:
            executor.close(now=ended)
        sitting = _end(situation, folder, found)
        words = "interrupted" if sitting.interrupted else "end"
        provenance.note(
            folder,
            {
                "event": words,
                "time": provenance.now(),
                "computed": sitting.computed,
                "stored": sitting.stored,
                "failures": sitting.failures,
            },
        )
        return sitting


def _open(folder: Path, plan: Plan | None, listener: Listener) -> tuple[Store, list[str]]:
    if not (folder / LEDGER).is_file():
        assert plan is not None
        return Store.create(folder, plan), []
    store = Store(folder)
    changed = store.take_up(plan if plan is not None else store.edited_plan())
    if changed:
        listener.notice("the plan adds to the folder's: taken up")
    found = store.recover()
    for line in found:
        listener.notice(line)
    return store, found


def _tallies(store: Store) -> dict[str, Tally]:
    from gpruntime.study.store import SHARDS

    tallies: dict[str, Tally] = {}
    for entry in store.ledger.entries.values():
        for piece, tally in tally_shard(store.folder / SHARDS / entry.name, entry.pieces):
            tallies.setdefault(piece.cell, Tally()).add(tally)
    return tallies


def _check_part(plan: Plan, part: tuple[int, int]) -> None:
    number, of = part
    if not 1 <= number <= of:
        raise BadInput("part", f"{number}/{of}", "must be I/K with I from 1 to K")
    if of > 1 and not all(isinstance(cell.rule, Fixed) for cell in plan.cells):
        raise BadInput("part", f"{number}/{of}", "needs a number of runs: a goal looks at all runs of a cell")


def _executor(workers: int | None, cluster: str | None) -> Executor:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    number = cores if workers is None else workers
    if cluster is not None:
        return Cluster(cluster, number)
    return Processes(number) if number > 0 else InProcess()


def _loop(store: Store, executor: Executor, situation: Situation, lock: FolderLock, listener: Listener) -> None:
    schedule, begun = situation.schedule, time.monotonic()
    while True:
        situation.slots = executor.slots()
        situation.seconds = time.monotonic() - begun
        ahead = situation.slots + situation.slots // 2 + 1  # a worker that is done finds the next chunk waiting
        while not situation.stopping and situation.slots > 0 and executor.pending() < ahead:
            chunk = schedule.next_chunk(situation.slots)
            if chunk is None:
                break
            executor.submit(chunk)
        listener.progress(situation)
        if executor.pending() == 0:
            if situation.stopping or situation.slots > 0:
                return
            time.sleep(_TICK)  # a cluster whose workers have not come yet
            continue
        for chunk, result in executor.wait(_TICK):
            if isinstance(result, Lost):
                schedule.lose(chunk, result.why)
                listener.notice(f"a chunk was lost: {result.why}")
            else:
                store.add(result.pieces, result.content)
                schedule.finish(chunk, result.finished)
                situation.computed += sum(finished.piece.count for finished in result.finished)
        lock.touch()


@contextlib.contextmanager
def _interruptible(situation: Situation) -> Iterator[None]:
    """The first Ctrl-C, or SIGTERM or SIGHUP, lets the chunks at hand finish; the second ends at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        if situation.stopping:
            raise KeyboardInterrupt
        situation.stopping = True

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, stop) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def _end(situation: Situation, folder: Path, found: list[str]) -> Sitting:
    states = situation.schedule.states.values()
    failures = [f"{state.cell.words()}: {state.failure}" for state in states if state.failure is not None]
    missing = any(state.missing for state in states if state.failure is None)
    return Sitting(folder, situation.computed, situation.stored, situation.stopping and missing, failures, found)
