"""Runs of one spec on several cores.

Kernels run without the interpreter's lock, so threads are enough. Whoever has nothing to do takes the next block of
runs: a large one at first, smaller ones towards the end, so that all end together. A run has a random stream of its
own, so the table does not depend on who made what. What only the model can run holds the lock: its blocks go to
processes.
"""

from __future__ import annotations

import math
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.processes import Lost, Processes
from gpruntime.progress import Progress

if TYPE_CHECKING:
    from gpruntime.engine.execute import Execution

Numbers = NDArray[np.int64]

# Where nobody says how many cores: after how many seconds more of them are worth it. A process has to import Numba.
WORTH_THREADS, WORTH_PROCESSES = 0.1, 3.0
_LOOK_SECONDS = 0.1
_END_SECONDS = 1.0  # slices are shorter, but a user's function may never end
_BLOCKS = 2  # for each worker, of what is left
_MAX_BLOCK = 64  # runs of the model: their progress is told when they are back


class Block(NamedTuple):
    """The rows first … end − 1 of the table."""

    first: int
    end: int


class Blocks:
    """The blocks of the rows from `first` on, one after the other."""

    def __init__(self, first: int, end: int, workers: int, most: int) -> None:
        self.left, self._end, self._workers, self._most = end - first, end, workers, most

    def take(self, asked: int = 0) -> Block | None:
        """The next one, of the size that is asked for, if any; a single worker takes all it can."""
        if self.left == 0:
            return None
        share = self.left if self._workers == 1 else asked or self.left // (_BLOCKS * self._workers)
        first, size = self._end - self.left, min(max(share, 1), self._most, self.left)
        self.left -= size
        return Block(first, first + size)


# ---- threads


@dataclass
class _Maker:
    """Who makes one block after the other."""

    execution: Execution
    block: Block


class Threads:
    """Runs under way in threads of this process: `run` makes them.

    Attributes:
        table: their rows.
        noted: when they improved, as kernels note it, by the first row of each block.
    """

    def __init__(self, numbers: Numbers, width: int, workers: int, begin: Callable[[Numbers], Execution]) -> None:
        self.table = np.zeros((len(numbers), width), np.int64)
        self.noted: dict[int, NDArray[Any]] = {}
        self._numbers, self._begin, self._workers = numbers, begin, max(min(workers, len(numbers)), 1)
        self._blocks = Blocks(0, len(numbers), self._workers, len(numbers))
        self._makers: list[_Maker] = []
        self._size = 1  # of the next block while one thread is alone, twice that of the last: perhaps for good
        self._ended, self._evaluations = 0, 0  # of the blocks that are done
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._error: BaseException | None = None

    def run(self, progress: Progress | None, patience: float) -> None:
        """In this thread; what is left after so many seconds, compilation apart, in several."""
        maker, end = self._next(None), math.inf
        while maker is not None and (self._blocks.left == 0 or time.monotonic() < end):
            maker = self._go_on(maker)
            end = min(end, time.monotonic() + patience)
            self._tell(progress)
        if maker is not None:
            self._run_in_threads(maker, progress)

    def _run_in_threads(self, maker: _Maker, progress: Progress | None) -> None:
        """This thread looks on, and is open to Ctrl-C."""
        self._size = 0
        makers = [maker, *[None] * min(self._workers - 1, self._blocks.left)]
        threads = [threading.Thread(target=self._work, args=(one,), daemon=True) for one in makers]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive() and self._error is None:
                    thread.join(_LOOK_SECONDS)
                    self._tell(progress)
        finally:
            self._stop.set()
            end = time.monotonic() + _END_SECONDS
            for thread in threads:
                if thread.ident is not None:
                    thread.join(max(end - time.monotonic(), 0.0))
        if self._error is not None:
            raise self._error

    def _work(self, maker: _Maker | None) -> None:
        try:
            maker = maker or self._next(None)
            while maker is not None and not self._stop.is_set():
                maker = self._go_on(maker)
        except BaseException as error:
            self._error = self._error or error

    def _go_on(self, maker: _Maker) -> _Maker | None:
        """A slice; then the next block, if this one is done."""
        maker.execution.slice()
        return self._next(maker) if maker.execution.done else maker

    def _next(self, maker: _Maker | None) -> _Maker | None:
        """Enters what a maker has made, and gives it the next block, or a new one that."""
        notes, evaluations = None, 0
        if maker is not None:
            first, end = maker.block
            self.table[first:end] = maker.execution.out
            notes, evaluations = maker.execution.notes(), maker.execution.evaluations()
            notes["row"] += first
        with self._lock:
            if maker is not None and notes is not None:
                self._makers.remove(maker)
                self._ended, self._evaluations = (
                    self._ended + maker.block.end - maker.block.first,
                    self._evaluations + evaluations,
                )
                self.noted[maker.block.first] = notes
            block = self._blocks.take(self._size)
            self._size *= 2
        if block is None:
            return None
        numbers = self._numbers[block.first : block.end]
        if maker is None:
            maker = _Maker(self._begin(numbers), block)
        else:
            maker.execution.take(numbers)
            maker.block = block
        with self._lock:
            self._makers.append(maker)
        return maker

    def _tell(self, progress: Progress | None) -> None:
        if progress is not None:
            with self._lock:
                running = [maker.execution for maker in self._makers]
                ended = self._ended + sum(execution.ended for execution in running)
                evaluations = self._evaluations + sum(execution.evaluations() for execution in running)
            progress(ended, evaluations)


# ---- processes

Made = tuple[list[list[int]], list[tuple[int, int, int, int]]]
"""What the model makes of a block: its rows, and when runs improved."""
Make = Callable[..., Made]


def by_the_model(
    make: Make, words: tuple[Any, ...], numbers: Numbers, workers: int, patience: float, progress: Progress | None
) -> Made:
    """Runs that hold the lock: in this process; what is left after so many seconds in several.

    `make(numbers, *words)` makes runs, in any process.
    """
    rows: list[list[int]] = []
    noted: list[tuple[int, int, int, int]] = []
    evaluations, end = 0, time.monotonic() + patience

    def enter(made: Made) -> None:
        nonlocal evaluations
        noted.extend((len(rows) + row, *more) for row, *more in made[1])  # type: ignore[misc]
        rows.extend(made[0])
        evaluations += sum(row[1] for row in made[0])
        if progress is not None:
            progress(len(rows), evaluations)

    while len(rows) < len(numbers) and (workers == 1 or time.monotonic() < end):
        enter(make(numbers[len(rows) : len(rows) + 1], *words))
    for made in _by_processes(make, words, numbers[len(rows) :], workers):
        enter(made)
    return rows, noted


def _by_processes(make: Make, words: tuple[Any, ...], numbers: Numbers, workers: int) -> Iterator[Made]:
    """In their order. What fails there is made again here, where the error is its own."""
    if len(numbers) == 0:
        return
    blocks = Blocks(0, len(numbers), workers, _MAX_BLOCK)
    processes: Processes[tuple[Block, Any]] = Processes(min(workers, len(numbers)), f"{__name__}:{made_there.__name__}")
    made: dict[int, Made] = {}
    first, finished = 0, False
    try:
        while first < len(numbers):
            while processes.pending() < 2 * processes.slots() and (block := blocks.take()) is not None:
                processes.submit((block, (make, numbers[block.first : block.end], *words)))
            for (block, call), result in processes.wait(_LOOK_SECONDS):
                made[block.first] = make(*call[1:]) if isinstance(result, Lost) else result
            while first in made:
                yield made[first]
                first += len(made.pop(first)[0])
        finished = True
    finally:
        processes.close(now=not finished)


def made_there(content: bytes) -> Made | Lost:
    """What such a process does."""
    try:
        _, (make, *call) = pickle.loads(content)  # noqa: S301  # written by the process that started this one
        made: Made = make(*call)
    except Exception as error:
        return Lost(f"{type(error).__name__}: {error}")
    return made
