"""Work in threads that ends when nobody waits for it any more, and never more of it at once than the machine can bear.

The engine's kernels run without the GIL and in slices of milliseconds. In between a job asks its `Stop`, which is set
when the reader of the answer goes away, the server ends, or the job has had its time.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from gpruntime.watch.choice import Choice
from gpruntime.watch.recording import Recording, Stop, Stopped

Answer = TypeVar("Answer")

AT_ONCE = 6  # two runs side by side, each with its course and its steps, and many runs
READ_AT_ONCE = 2  # requests: each may need half a gigabyte for a table
MAX_WAITING = 16
CONNECTIONS = 64  # of the server, all in all
TURN_SECONDS = 60.0  # a job that took longer gives up its place when others wait for one
JOB_SECONDS = 900.0
_LATE = "stopped: it took long, and others wait or a quarter of an hour is over; load the page again to go on"
_ENDS = "the server ends"
_BATCH_SECONDS = 0.03
_CACHE_BYTES = 200_000_000
_MAX_RECORDINGS = 12


class Busy(Exception):
    """Too many wait already."""


class Jobs:
    """Runs jobs in threads, a few at a time."""

    def __init__(self, at_once: int = AT_ONCE, most_waiting: int = MAX_WAITING) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._waiting, self._most_waiting = 0, most_waiting
        self._stops: set[Stop] = set()
        self._has_ended = False

    def stop_all(self) -> None:
        """The server ends: so do its jobs."""
        self._has_ended = True
        for stop in self._stops:
            stop.set(_ENDS)

    def check_room(self) -> None:
        """Raises `Busy` if too many wait."""
        if self._waiting >= self._most_waiting:
            raise Busy

    @contextlib.asynccontextmanager
    async def _place(self) -> AsyncIterator[Stop]:
        self.check_room()
        stop = Stop()
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        if self._has_ended:
            self._places.release()
            raise Stopped(_ENDS)
        self._stops.add(stop)
        turn = asyncio.ensure_future(self._end_in_time(stop))
        try:
            yield stop
        finally:
            turn.cancel()
            stop.set()
            self._stops.discard(stop)
            self._places.release()

    async def _end_in_time(self, stop: Stop) -> None:
        end = time.monotonic() + JOB_SECONDS
        await asyncio.sleep(TURN_SECONDS)
        while not self._waiting and time.monotonic() < end:
            await asyncio.sleep(min(TURN_SECONDS, 1.0))
        stop.set(_LATE)

    async def answer(self, job: Callable[[Stop], Answer]) -> Answer:
        """What the job returns. If this is cancelled, so is the job. Raises `Stopped` if it took too long."""
        async with self._place() as stop:
            thread = asyncio.ensure_future(asyncio.to_thread(job, stop))
            try:
                return await asyncio.shield(thread)
            except asyncio.CancelledError:
                stop.set()
                with contextlib.suppress(Stopped):
                    await thread  # a slice later; only then is the place free
                raise

    async def pieces(self, job: Callable[[Stop], Iterator[Any]]) -> AsyncGenerator[list[Any], None]:
        """What the job yields, those of a few hundredths of a second together. If this is closed, the job stops.

        Raises `Stopped` if it took too long.
        A reader who does not read holds the job up: at most 64 pieces wait.
        """
        async with self._place() as stop:
            waiting: queue.Queue[Any] = queue.Queue(maxsize=64)
            thread = asyncio.ensure_future(asyncio.to_thread(_put_all, job, stop, waiting))
            try:
                ended = False
                while not ended:
                    ended = thread.done()
                    batch = []
                    with contextlib.suppress(queue.Empty):
                        while True:
                            batch.append(waiting.get_nowait())
                    if batch:
                        yield batch
                    if not ended:
                        await asyncio.sleep(_BATCH_SECONDS)
                thread.result()
            finally:
                stop.set()
                with contextlib.suppress(Stopped):
                    await thread


def _put_all(job: Callable[[Stop], Iterator[Any]], stop: Stop, waiting: queue.Queue[Any]) -> None:
    for piece in job(stop):
        placed = False
        while not placed:
            stop.check()
            with contextlib.suppress(queue.Full):
                waiting.put(piece, timeout=_BATCH_SECONDS)
                placed = True


class Recordings:
    """The recordings that were asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Choice, Recording] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, choice: Choice) -> Recording:
        """The recording of this choice, begun if it is not known; to be called in a job."""
        with self._lock:
            recording = self._kept.get(choice)
            if recording is None:
                recording = self._kept[choice] = Recording(choice.watched, choice.seed, choice.run)
            self._kept.move_to_end(choice)
            while len(self._kept) > 1 and (len(self._kept) > _MAX_RECORDINGS or self._bytes() > _CACHE_BYTES):
                self._kept.popitem(last=False)
            return recording

    def _bytes(self) -> int:
        return sum(kept.bytes() for kept in self._kept.values())
