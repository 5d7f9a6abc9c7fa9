"""Many runs of one spec on GPUs, as rows or added up there: the same numbers as the engine's stepping, run by run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine import run_many, unsupported
from gpruntime.engine.columns import EVALUATIONS, OUTCOMES, WIDTH
from gpruntime.engine.dispatch import form_of
from gpruntime.engine.summary import RunsSummary, joined_squares
from gpruntime.gpu.batch import Batch, Numbers, batch_size, batches
from gpruntime.gpu.device import DeviceFailed, all_devices, why_none
from gpruntime.gpu.layout import MAX_OPERATIONS, Layout, counts_layout, planted_layout
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import MAX_RUN, MAX_SEED

DEVICES = ("cpu", "gpu", "auto")
LAYOUTS = {"majority": counts_layout, "order": planted_layout}
_MIN_RUNS = 2_000  # fewer are done before a GPU has begun
_MAX_OUTGROWN = 0.01  # of a batch: beyond that the next one gets twice the room
_MAX_LARGER = 6
_LOOK_SECONDS = 0.1
_FIRST_RUNS = 2**18  # few at first, to know what is extreme
_MAX_EXTREME = 100_000  # of a batch

Progress = Callable[[int, int], None]


def why_not(spec: RunSpec) -> str | None:
    """Why the kernels cannot run this spec, or None if they can."""
    if spec.problem.id not in LAYOUTS:
        return f"there are kernels for {' and '.join(LAYOUTS)} only"
    if spec.has_population:
        return "there are kernels for the (1+1) GP only"
    if spec.operator.id != "hvl-prime":
        return "there are kernels for hvl-prime only"
    if spec.substitute == "functions":
        return "the kernels substitute leaves, or any node"
    if (why := unsupported(spec)) is not None:
        return why
    if spec.operations.most > MAX_OPERATIONS:
        return f"at most {MAX_OPERATIONS} operations an offspring have room"
    if form_of(spec, "stepping").function or form_of(spec, "stepping").tries:
        return "the kernels do not try all proposals to see whether a run is stuck"
    return None


def device_for(spec: RunSpec, runs: int, device: str, method: str | None, improvements: bool) -> str:
    """ "cpu" or "gpu": the one asked for; for "auto" the GPU if there is one, it can, and there are runs enough for it.

    Raises `BadInput` where a GPU was asked for and cannot be had.
    """
    known("device", device, DEVICES)
    if device == "cpu":
        return device
    reasons = (
        "kernels make every proposal: method must be stepping" if method == "skipping" else None,
        "kernels do not note improvements" if improvements else None,
        why_not(spec),
        why_none(),
    )
    why = next((reason for reason in reasons if reason is not None), None)
    if device == "gpu" and why is not None:
        raise BadInput("device", device, why)
    skips = spec.can_skip and method is None  # which takes less than a GPU would
    return "gpu" if device == "gpu" or (why is None and runs >= _MIN_RUNS and not skips) else "cpu"


class Finished(NamedTuple):
    """A batch whose runs have all ended.

    Attributes:
        begin: where it begins among all runs.
        numbers: of its runs.
        batch: its table `out` has one row a run, in the memory of the machine.
        by_the_engine: how many of them had no room on the device and were made by the engine.
    """

    begin: int
    numbers: Numbers
    batch: Batch
    by_the_engine: int


def finished_batches(
    machine: Any,
    spec: RunSpec,
    seed: int,
    numbers: Numbers,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Finished]:
    """The runs in batches, as they end. `progress` is told runs and evaluations; `stop` ends it between two slices."""
    layout_of: Callable[..., Layout] = LAYOUTS[spec.problem.id]
    larger, begin, ended, evaluations, most = 0, 0, 0, 0, 0
    while begin < len(numbers):
        layout = layout_of(spec, machine.machine, larger)
        size = most or batch_size(machine, layout)
        part = next(batches(numbers[begin:], size))[1]
        try:
            batch = Batch(machine, spec, seed, part, layout)
            while not batch.done:
                batch.slice()
                if stop is not None and stop.is_set():
                    return
                if progress is not None:
                    progress(ended + batch.ended, evaluations + batch.evaluations())
        except machine.out_of_memory as error:
            if len(part) == 1:
                raise DeviceFailed(f"{machine.name} has not enough memory: {error}") from error
            most = max(1, len(part) // 2)
            continue
        except machine.failures as error:
            raise DeviceFailed(f"{machine.name}: {error}") from error
        rows = batch.outgrown()
        if len(rows):
            again = np.asarray(part)[rows] if not isinstance(part, range) else part.start + rows
            table = run_many(spec, seed=seed, runs=again, method="stepping").table
            batch.out[machine.arrays.asarray(rows)] = machine.arrays.asarray(table)
        if len(rows) > _MAX_OUTGROWN * len(part) and len(part) >= layout.lanes and larger < _MAX_LARGER:
            larger += 1
        yield Finished(begin, part, batch, len(rows))
        begin, ended = begin + len(part), ended + len(part)
        evaluations += batch.evaluations() if progress is not None else 0


def run_on_gpu(
    spec: RunSpec, seed: int, numbers: Numbers, progress: Progress | None = None, machines: list[Any] | None = None
) -> tuple[NDArray[np.int64], str, int]:
    """The table of results, the device's name, and how many runs the engine had to finish.

    Raises `BadInput` where there is no device or no kernel for the spec, `DeviceFailed` if the device fails.
    """
    if (why := why_not(spec)) is not None:
        raise BadInput("device", "gpu", why)
    machines = machines or all_devices()
    table = np.zeros((len(numbers), WIDTH), np.int64)
    outgrown = [0] * len(machines)

    def work(place: int, share: slice, tell: Progress | None, stop: threading.Event | None) -> None:
        machine, rows = machines[place], table[share]
        with machine.current():
            for done in finished_batches(machine, spec, seed, numbers[share], tell, stop):
                rows[done.begin : done.begin + len(done.numbers)] = machine.to_host(done.batch.out)
                outgrown[place] += done.by_the_engine

    name = machines[0].name if len(machines) == 1 else f"{len(machines)} × {machines[0].name}"
    if len(machines) == 1 or len(numbers) < len(machines):
        work(0, slice(0, len(numbers)), progress, None)
        return table, name, outgrown[0]
    _side_by_side(len(numbers), len(machines), work, progress)
    return table, name, sum(outgrown)


def _side_by_side(runs: int, machines: int, work: Callable[..., None], progress: Progress | None) -> None:
    """Each machine an equal share of the runs, in a thread of its own; this one waits, and is open to Ctrl-C."""
    stop, counts = threading.Event(), [(0, 0)] * machines

    def make_share(place: int) -> None:
        share = slice(runs * place // machines, runs * (place + 1) // machines)
        work(place, share, lambda *now: counts.__setitem__(place, now), stop)

    def tell() -> None:
        if progress is not None:
            progress(*(sum(numbers) for numbers in zip(*counts, strict=True)))

    with ThreadPoolExecutor(machines) as pool:
        shares = [pool.submit(make_share, place) for place in range(machines)]
        try:
            while (now := wait(shares, _LOOK_SECONDS, FIRST_EXCEPTION)).not_done:
                if any(share.exception() for share in now.done):
                    break
                tell()
        finally:
            stop.set()
    tell()  # they may all have ended since
    for share in shares:
        share.result()


# ---- added up there


def summarise_runs(
    spec: RunSpec,
    seed: int = 0,
    runs: int | range = 1,
    keep: int = 20,
    progress: Progress | None = None,
    machine: Any = None,
) -> RunsSummary:
    """Runs on a GPU, added up there: for 10⁹ of them nobody wants the rows.

    `runs` is how many, numbered from 0, or their numbers as a range without gaps. The `keep` longest and shortest runs
    are kept by number, so that they can be repeated. Raises as `run_many` does with device = "gpu".
    """
    whole("seed", seed, 0, MAX_SEED)
    whole("keep", keep, 0, 1_000_000)
    numbers = runs if isinstance(runs, range) else range(whole("runs", runs, 1, MAX_RUN))
    if numbers.step != 1 or len(numbers) == 0 or numbers.start < 0 or numbers.stop > MAX_RUN + 1:
        raise BadInput("runs", str(runs), f"must be run numbers without gaps, from 0 to {MAX_RUN}")
    if (why := why_not(spec)) is not None:
        raise BadInput("device", "gpu", why)
    machine = machine or all_devices()[0]
    summary = RunsSummary(spec, seed, numbers.start, device=machine.name)
    with machine.current():
        for part in (numbers[:_FIRST_RUNS], numbers[_FIRST_RUNS:]):
            for done in finished_batches(machine, spec, seed, part, _later(progress, summary)):
                _add_batch(summary, done, keep, machine.arrays)
    return summary


def _add_batch(summary: RunsSummary, done: Finished, keep: int, arrays: Any) -> None:
    """Adds runs up by a kernel; by arrays where that cannot be, as at first for the extremes."""
    first, table = int(done.numbers[0]), done.batch.out
    summary.by_the_engine += done.by_the_engine
    if keep > 0 and len(summary.largest) == keep:
        sums, histogram, rows = done.batch.add_up(summary.smallest[-1][0], summary.largest[-1][0], _MAX_EXTREME)
        if rows is not None and sums[-1] == 0:
            *outcomes, _, evaluations, total, low, mixed, high, _ = (int(number) for number in sums)
            for outcome, number in zip(OUTCOMES, outcomes, strict=True):
                summary.outcomes[outcome] += number
            summary.runs, summary.evaluations = summary.runs + len(table), summary.evaluations + evaluations
            summary.total, summary.squares = summary.total + total, summary.squares + joined_squares(low, mixed, high)
            summary.histogram += histogram.astype(np.int64)
            times = table[:, EVALUATIONS][arrays.asarray(rows)].tolist()
            extremes = list(zip(times, (first + rows).tolist(), strict=True))
            summary.keep_extremes(extremes, extremes, keep)
            return
    summary.add(table, first, keep, arrays)


def _later(progress: Progress | None, before: RunsSummary) -> Progress | None:
    """Tells of runs that come after these."""
    if progress is None:
        return None
    runs, evaluations = before.runs, before.evaluations
    return lambda ended, made: progress(runs + ended, evaluations + made)
