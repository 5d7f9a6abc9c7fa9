"""Running a study: from its folder to chunks, to whoever computes them, and back to its folder."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from gpruntime.files import LEDGER
from gpruntime.gpu.device import all_devices
from gpruntime.model.errors import BadInput
from gpruntime.processes import Lost, handling_signals, number_of_workers
from gpruntime.progress import StudyProgress
from gpruntime.study import provenance
from gpruntime.study.cell import Fixed
from gpruntime.study.chunk import Chunk, Computed
from gpruntime.study.cluster import Cluster
from gpruntime.study.executors import Executor, InProcess, processes
from gpruntime.study.files import check_names
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
_MAX_OVERHEAD = 30.0


@dataclass
class ProgressReport:
    """How far a study that is running has come.

    Attributes:
        schedule: its cells.
        computed: runs computed by this call, and `seconds` since it began.
        slots: chunks that are computed at once.
        stopping: whether it was interrupted and only finishes what is at hand.
    """

    schedule: Schedule
    computed: int = 0
    seconds: float = 0.0
    slots: int = 0
    stopping: bool = False
    _lines: set[str] = field(default_factory=set, repr=False)
    _looks: deque[tuple[float, float]] = field(default_factory=deque, repr=False)

    @property
    def stored(self) -> int:
        """Runs that are stored."""
        return sum(state.tally.runs for state in self.schedule.states.values())

    @property
    def wanted(self) -> int:
        """Runs that are stored, missing or under way; goals may ask for more."""
        return self.stored + sum(state.outstanding() for state in self.schedule.states.values())

    def notice_once(self, listener: Listener, line: str) -> None:
        """Passes a line on once: what is tried again fails again, in many cells and workers."""
        if line not in self._lines:
            self._lines.add(line)
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
        return min(max((now - begun) * self.slots / (busy - before), 1.0), _MAX_OVERHEAD) if busy > before else 1.0


@dataclass(frozen=True)
class StudyReport:
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


class Interrupted(KeyboardInterrupt):
    """Somebody interrupted a study; what was computed is stored, and the same call goes on.

    Attributes:
        report: how it ended.
    """

    def __init__(self, report: StudyReport) -> None:
        super().__init__(f"{report.stored:,} runs are stored in {report.folder}; the same call goes on from there")
        self.report = report


@dataclass
class Listener:
    """Who is called while a study runs; by default nobody."""

    notice: Callable[[str], None] = field(default=lambda _: None)
    progress: Callable[[ProgressReport], None] = field(default=lambda _: None)


def run_study(
    plan: Plan | None,
    folder: str | Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    part: tuple[int, int] = (1, 1),
    trust: bool = False,
    listener: Listener | None = None,
    progress: bool = False,
) -> StudyReport:
    """Runs a study in a folder, or goes on with it; with None for a plan, the folder's own.

    `workers` is the number of processes (all cores if None or −1), 0 to compute in this one; `cluster` the address of
    a Dask scheduler, or "local". `part` = (i, k) computes the i-th of k shares, to be merged later. With `trust`, code
    that the plan or the folder brings is run: user-defined components whose source it keeps (`gpruntime.study.trust`).

    `progress` shows how far it is, `listener` tells a program.

    Raises `Interrupted`, a KeyboardInterrupt, when somebody interrupts it; `BadInput` (`OtherPlan`, `Locked`,
    `NotTrusted`) if it cannot begin, `OSError` if the folder cannot be written to. Whatever ends it, all chunks that
    were stored stay, and the next call goes on from there.
    """
    if progress:
        with StudyProgress(quiet=False) as shown:
            return run_study(
                plan, folder, workers=workers, cluster=cluster, part=part, trust=trust, listener=shown.listener
            )
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
    number = number_of_workers(workers, 0)
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
            cells = cell_progress(folder, store.plan, store.ledger.entries.values())
            how_far = ProgressReport(Schedule(store.plan, cells, store.done(), provenance.source_hash(), part))
            if how_far.wanted == how_far.stored:
                return _end(how_far, folder, found)
            how = {"workers": number, "cluster": cluster, "part": list(part), "device": store.plan.device}
            provenance.note_event(folder, "begin", **provenance.circumstances(), found=found, **how)
            computers = computers or (processes(number) if number > 0 else InProcess())
            with _interruptible(how_far):
                _loop(store, computers, how_far, listener)
            computers.close(now=how_far.stopping)
            computers = None
            report = _end(how_far, folder, found)
            outcome = {"computed": report.computed, "stored": report.stored, "failures": report.failures}
            provenance.note_event(folder, "interrupted" if report.interrupted else "end", **outcome)
            if report.interrupted:
                raise Interrupted(report)
            return report
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
        provenance.note_event(folder, "plan", plan=wanted.text)
    others = {entry.sources for entry in store.ledger.entries.values()} - {provenance.source_hash()}
    if others:
        how = "`study replay` tells if they agree"
        listener.notice(f"some runs here were computed by another version of the sources; {how}")
    return store, found


def _check_data(store: Store, plan: Plan) -> None:
    """Raises `BadInput` if a problem has other data now than when the runs of its cells were made."""
    for id_, digest in store.ledger.data.items():
        spec = plan.by_id[id_].spec
        if spec.problem.data_digest(spec.n) != digest:
            runs = f"its runs of {spec.problem} at n = {spec.n}"
            raise BadInput("folder", str(store.folder), f"{runs} were made with other data than {spec.problem} has now")


def _check_part(plan: Plan, part: tuple[int, int]) -> None:
    number, of = part
    if not 1 <= number <= of:
        raise BadInput("part", f"{number}/{of}", "must be I/K with I from 1 to K")
    if of > 1 and not all(isinstance(cell.rule, Fixed) for cell in plan.cells):
        raise BadInput("part", f"{number}/{of}", "needs a number of runs: a goal looks at all runs of a cell")


def _loop(store: Store, computers: Executor, progress: ProgressReport, listener: Listener) -> None:
    schedule, begun = progress.schedule, time.monotonic()
    while True:
        progress.slots = computers.slots()
        progress.seconds = time.monotonic() - begun
        ahead = 2 * progress.slots  # a worker that is done finds the next chunk waiting
        while not progress.stopping and computers.pending() < ahead:
            chunk = schedule.next_chunk(progress.slots)
            if chunk is None:
                break
            computers.submit(chunk)
        listener.progress(progress)
        if progress.slots == 0:  # a cluster whose workers have not come yet, or are gone
            if progress.stopping:
                return
            time.sleep(_TICK)
        elif computers.pending() == 0:
            assert progress.stopping or progress.wanted == progress.stored, "runs are missing and nobody computes them"
            return
        for chunk, result in computers.wait(_TICK):
            _take_in(store, chunk, result, progress, listener)


def _take_in(store: Store, chunk: Chunk, result: Computed | Lost, progress: ProgressReport, listener: Listener) -> None:
    if isinstance(result, Lost):
        progress.schedule.lose(chunk, result.why, result.suspect and not progress.stopping)
        if result.suspect:
            progress.notice_once(listener, f"a chunk was lost: {result.why}")
        return
    why = trouble_of_result(chunk, result, store.plan)
    if why is not None:
        result = Computed(b"", (), {part.spec.cell_id: why for part in chunk.parts})
    if result.finished:
        data = [(done.piece.cell, done.data) for done in result.finished if done.data is not None]
        store.add(result.pieces, result.content, data)
    progress.schedule.finish(chunk, result)
    progress.computed += sum(finished.piece.count for finished in result.finished)
    for cell, why in result.failed.items():
        progress.notice_once(listener, f"an error in {store.plan.by_id[cell].words()}: {why}")


def _interruptible(progress: ProgressReport) -> AbstractContextManager[None]:
    """The first Ctrl-C, or SIGTERM or SIGHUP, lets the chunks at hand finish; the second ends at once."""

    def stop(*_: object) -> None:
        if progress.stopping:
            raise KeyboardInterrupt
        progress.stopping = True

    return handling_signals(stop)


def _end(progress: ProgressReport, folder: Path, found: list[str]) -> StudyReport:
    states = progress.schedule.states.values()
    failures = [f"{state.cell.words()}: {state.failure}" for state in states if state.failure is not None]
    missing = any(state.outstanding() for state in states)
    return StudyReport(folder, progress.computed, progress.stored, progress.stopping and missing, failures, found)
