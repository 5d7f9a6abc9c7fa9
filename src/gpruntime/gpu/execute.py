"""Many runs of one spec on GPUs: the same numbers as the engine's stepping, run by run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine import run_many, unsupported
from gpruntime.engine.columns import WIDTH
from gpruntime.engine.dispatch import form_of
from gpruntime.gpu.batch import Batch, Numbers, batch_size, batches
from gpruntime.gpu.device import DeviceFailed, all_devices
from gpruntime.gpu.layout import MOST_OPERATIONS, Layout, counts_layout, planted_layout
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec

LAYOUTS = {"majority": counts_layout, "order": planted_layout}
_MOST_OUTGROWN = 0.01  # of a batch: beyond that the next one gets twice the room
_MOST_LARGER = 6
_LOOK_SECONDS = 0.1

Progress = Callable[[int, int], None]


def why_not(spec: RunSpec) -> str | None:
    """Why the kernels cannot run this spec, or None if they can."""
    if spec.problem.id not in LAYOUTS:
        return f"there are kernels for {' and '.join(LAYOUTS)} only"
    if spec.has_population:
        return "there are kernels for the (1+1) GP only"
    if spec.operator.id != "hvl-prime":
        return "there are kernels for hvl-prime only"
    if (why := unsupported(spec)) is not None:
        return why
    if spec.operations.most > MOST_OPERATIONS:
        return f"at most {MOST_OPERATIONS} operations an offspring have room"
    if form_of(spec, "stepping").function or form_of(spec, "stepping").tries:
        return "the kernels do not try all proposals to see whether a run is stuck"
    return None


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
            table = run_many(spec, seed, again, "stepping").table
            batch.out[machine.arrays.asarray(rows)] = machine.arrays.asarray(table)
        if len(rows) > _MOST_OUTGROWN * len(part) and len(part) >= layout.lanes and larger < _MOST_LARGER:
            larger += 1
        yield Finished(begin, part, batch, len(rows))
        begin, ended = begin + len(part), ended + len(part)
        evaluations += batch.evaluations() if progress is not None else 0


def run_on_gpu(
    spec: RunSpec,
    seed: int,
    numbers: Numbers,
    progress: Progress | None = None,
    machines: list[Any] | None = None,
) -> tuple[NDArray[np.int64], str, int]:
    """The table of results, the device's name, and how many runs the engine had to finish.

    Raises `BadInput` where there is no device or no kernel for the spec, `DeviceFailed` if the device fails.
    """
    if (why := why_not(spec)) is not None:
        raise BadInput("device", "gpu", why)
    machines = machines or all_devices()
    table = np.zeros((len(numbers), WIDTH), np.int64)
    found = [0] * len(machines)

    def work(place: int, share: slice, tell: Progress | None, stop: threading.Event | None) -> None:
        machine, rows = machines[place], table[share]
        with machine.current():
            for done in finished_batches(machine, spec, seed, numbers[share], tell, stop):
                rows[done.begin : done.begin + len(done.numbers)] = machine.to_host(done.batch.out)
                found[place] += done.by_the_engine

    name = machines[0].name if len(machines) == 1 else f"{len(machines)} × {machines[0].name}"
    if len(machines) == 1 or len(numbers) < len(machines):
        work(0, slice(0, len(numbers)), progress, None)
        return table, name, found[0]
    _side_by_side(len(numbers), len(machines), work, progress)
    return table, name, sum(found)


def _side_by_side(runs: int, machines: int, work: Callable[..., None], progress: Progress | None) -> None:
    """Each machine an equal share of the runs, in a thread of its own; this one waits, and is open to Ctrl-C."""
    stop, failed = threading.Event(), []
    told = [(0, 0)] * machines

    def one(place: int) -> None:
        share = slice(runs * place // machines, runs * (place + 1) // machines)
        try:
            work(place, share, lambda *now: told.__setitem__(place, now), stop)
        except BaseException as error:
            failed.append(error)
            stop.set()

    def tell() -> None:
        if progress is not None:
            progress(*(sum(numbers) for numbers in zip(*told, strict=True)))

    threads = [threading.Thread(target=one, args=(place,), daemon=True) for place in range(machines)]
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads):
            threads[0].join(_LOOK_SECONDS)
            for thread in threads[1:]:
                thread.join(0)
            tell()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    tell()  # they may all have ended since
    if failed:
        raise failed[0]
