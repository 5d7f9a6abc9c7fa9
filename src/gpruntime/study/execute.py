"""Running a study: from its folder to chunks, to whoever computes them, and back to its folder."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpruntime.files import LEDGER
from gpruntime.gpu.device import all_devices
from gpruntime.model.errors import BadInput
from gpruntime.study import provenance
from gpruntime.study.chunk import Chunk, Computed
from gpruntime.study.cluster import Cluster
from gpruntime.study.executors import Executor, InProcess, Lost, Processes
from gpruntime.study.files import check_names
from gpruntime.study.goal import Fixed
from gpruntime.study.ledger import no_study
from gpruntime.study.lock import FolderLock
from gpruntime.study.plan import Plan
from gpruntime.study.progress import cell_progress
from gpruntime.study.schedule import Schedule
from gpruntime.study.store import Store, check_free
from gpruntime.study.trust import runnable
from gpruntime.study.validate import trouble_of_result

_TICK = 0.25  # seconds between looks at the workers, at most
_LATE = 30.0  # seconds that the estimate of the time left looks back
_MOST_OVERHEAD = 30.0


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
    _told: set[str] = field(default_factory=set, repr=False)
    _looks: deque[tuple[float, float]] = field(default_factory=deque, repr=False)

    @property
    def stored(self) -> int:
        """Runs that are stored."""
        return sum(state.tally.runs for state in self.schedule.states.values())

    @property
    def wanted(self) -> int:
        """Runs that are stored, missing or under way; goals may ask for more."""
        return self.stored + sum(state.outstanding() for state in self.schedule.states.values())

    def tell(self, listener: Listener, line: str) -> None:
        """Tells a line once: what is tried again fails again, in many cells and workers."""
        if line not in self._told:
            self._told.add(line)
            listener.notice(line)

    def seconds_left(self) -> float | None:
        """An estimate, or None while there is none."""
        work = self.schedule.remaining_seconds()
        return None if work is None or self.slots == 0 else work / self.slots * self._overhead()

    def _overhead(self) -> float:
        """Of late, how many times the seconds of its runs a study took: it compiles and stores too, and may wait."""
        self._looks.append((self.seconds, sum(state.seconds for state in self.schedule.states.values())))
        while self._looks[0][0] < self.seconds - _LATE:
            self._looks.popleft()
        (begun, before), (now, busy) = self._looks[0], self._looks[-1]
        return min(max((now - begun) * self.slots / (busy - before), 1.0), _MOST_OVERHEAD) if busy > before else 1.0


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
    trust: bool = False,
    listener: Listener | None = None,
) -> Sitting:
    """Runs a study in a folder, or goes on with it; with None for a plan, the folder's own.

    `workers` is the number of processes (all cores if None), 0 to compute in this one; `cluster` the address of a Dask
    scheduler, or "local". `part` = (i, k) computes the i-th of k shares, to be merged later. With `trust`, code that
    the plan or the folder brings is run: parts of somebody's own whose source it keeps (`gpruntime.study.trust`).

    Raises `BadInput` (`OtherPlan`, `Locked`, `NotTrusted`) if it cannot begin, `OSError` if the folder cannot be
    written to. Whatever ends it, all chunks that were stored stay, and the next call goes on from there.
    """
    folder, listener = Path(folder).absolute(), listener or Listener()
    check_names(folder)
    if not (folder / LEDGER).is_file():
        if plan is None:
            raise no_study(folder)
        check_free(folder)
    if plan is not None:
        plan = runnable(plan, trust)
        _check_part(plan, part)
        if plan.device == "gpu":
            all_devices()  # before anything is written
    number = _cores() if workers is None else workers
    computers: Executor | None = None
    if cluster is not None:
        computers = Cluster(cluster, number)  # before anything is written
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FolderLock(folder) as lock:
            if lock.taken_over_from is not None:
                listener.notice(f"took over from {lock.taken_over_from}, which is gone")
            store, found = _open(folder, plan, trust, listener)
            _check_part(store.plan, part)
            if store.plan.device == "gpu":
                all_devices()
                number = 1 if workers is None else number  # one process uses all of them
            progress = cell_progress(folder, store.plan, store.ledger.entries.values())
            situation = Situation(Schedule(store.plan, progress, store.done(), provenance.source_hash(), part))
            if situation.wanted == situation.stored:
                return _end(situation, folder, found)
            begun = {"event": "begin", "time": provenance.now(), **provenance.circumstances(), "found": found}
            provenance.note(
                folder,
                {**begun, "workers": number, "cluster": cluster, "part": list(part), "device": store.plan.device},
            )
            computers = computers or (Processes(number) if number > 0 else InProcess())
            with _interruptible(situation):
                _loop(store, computers, situation, listener)
            computers.close(now=situation.stopping)
            computers = None
            sitting = _end(situation, folder, found)
            provenance.note(
                folder,
                {
                    "event": "interrupted" if sitting.interrupted else "end",
                    "time": provenance.now(),
                    "computed": sitting.computed,
                    "stored": sitting.stored,
                    "failures": sitting.failures,
                },
            )
            return sitting
    finally:
        if computers is not None:
            computers.close(now=True)


def _open(folder: Path, plan: Plan | None, trust: bool, listener: Listener) -> tuple[Store, list[str]]:
    if (folder / LEDGER).is_file():
        store = Store(folder)
    else:
        assert plan is not None
        store = Store.create(folder, plan)
    wanted = plan if plan is not None else runnable(store.edited_plan(), trust, folder)
    store.check(wanted)
    _check_data(store, wanted)
    store.plan = runnable(store.plan, trust, folder)  # to run it, what it came with is run
    found = store.recover()
    for line in found:
        listener.notice(line)
    if store.take_up(wanted):
        listener.notice("the plan adds to the folder's: taken up")
        provenance.note(folder, {"event": "plan", "time": provenance.now(), "plan": wanted.text})
    others = {entry.sources for entry in store.ledger.entries.values()} - {provenance.source_hash()}
    if others:
        listener.notice(
            "some runs here were computed by another version of the sources; `study replay` tells if they agree"
        )
    return store, found


def _check_data(store: Store, plan: Plan) -> None:
    """Raises `BadInput` if a problem has other data now than when the runs of its cells were made."""
    for id_, digest in store.ledger.data.items():
        spec = plan.by_id[id_].spec
        if spec.problem.data_digest(spec.n) != digest:
            allowed = (
                f"its runs of {spec.problem} at n = {spec.n} were made with other data than {spec.problem} has now"
            )
            raise BadInput("folder", str(store.folder), allowed)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_part(plan: Plan, part: tuple[int, int]) -> None:
    number, of = part
    if not 1 <= number <= of:
        raise BadInput("part", f"{number}/{of}", "must be I/K with I from 1 to K")
    if of > 1 and not all(isinstance(cell.rule, Fixed) for cell in plan.cells):
        raise BadInput("part", f"{number}/{of}", "needs a number of runs: a goal looks at all runs of a cell")


def _loop(store: Store, computers: Executor, situation: Situation, listener: Listener) -> None:
    schedule, begun = situation.schedule, time.monotonic()
    while True:
        situation.slots = computers.slots()
        situation.seconds = time.monotonic() - begun
        ahead = 2 * situation.slots  # a worker that is done finds the next chunk waiting
        while not situation.stopping and computers.pending() < ahead:
            chunk = schedule.next_chunk(situation.slots)
            if chunk is None:
                break
            computers.submit(chunk)
        listener.progress(situation)
        if situation.slots == 0:  # a cluster whose workers have not come yet, or are gone
            if situation.stopping:
                return
            time.sleep(_TICK)
        elif computers.pending() == 0:
            assert situation.stopping or situation.wanted == situation.stored, (
                "runs are missing and nobody computes them"
            )
            return
        for chunk, result in computers.wait(_TICK):
            _take_in(store, chunk, result, situation, listener)


def _take_in(store: Store, chunk: Chunk, result: Computed | Lost, situation: Situation, listener: Listener) -> None:
    if isinstance(result, Lost):
        situation.schedule.lose(chunk, result.why, result.suspect and not situation.stopping)
        if result.suspect:
            situation.tell(listener, f"a chunk was lost: {result.why}")
        return
    why = trouble_of_result(chunk, result, store.plan)
    if why is not None:
        result = Computed(b"", (), {part.spec.cell_id: why for part in chunk.parts})
    if result.finished:
        data = [(done.piece.cell, done.data) for done in result.finished if done.data is not None]
        store.add(result.pieces, result.content, data)
    situation.schedule.finish(chunk, result)
    situation.computed += sum(finished.piece.count for finished in result.finished)
    for cell, why in result.failed.items():
        situation.tell(listener, f"an error in {store.plan.by_id[cell].words()}: {why}")


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
    missing = any(state.outstanding() for state in states)
    return Sitting(folder, situation.computed, situation.stored, situation.stopping and missing, failures, found)
