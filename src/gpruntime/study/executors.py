"""Who computes the chunks: this process, processes of this machine, or a Dask cluster.

All have the same face: `submit` a chunk, `wait` for what has come back, `close`. A chunk that comes back as `Lost`
was not computed and may be submitted again. Results are written by the study's own process alone, so workers need no
common disk.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Protocol

from gpruntime.study.chunk import Chunk, Computed, OtherSources, compute


@dataclass(frozen=True)
class Lost:
    """A chunk that was not computed, and why."""

    why: str


Returned = tuple[Chunk, Computed | Lost]


class Executor(Protocol):
    """What computes chunks."""

    def slots(self) -> int:
        """How many chunks are computed at once; 0 while there is no worker."""

    def pending(self) -> int:
        """How many chunks have not come back."""

    def submit(self, chunk: Chunk) -> None:
        """Takes a chunk."""

    def wait(self, seconds: float) -> list[Returned]:
        """What has come back, after at most so many seconds, or a little more."""

    def close(self, now: bool) -> None:
        """Ends the workers; at once, or when they have nothing left to do."""


class InProcess:
    """Computes in this very process, one chunk after the other."""

    def __init__(self) -> None:
        self._chunks: deque[Chunk] = deque()

    def slots(self) -> int:
        """One."""
        return 1

    def pending(self) -> int:
        """How many chunks have not come back."""
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        """Takes a chunk."""
        self._chunks.append(chunk)

    def wait(self, seconds: float) -> list[Returned]:
        """Computes one chunk, however long it takes."""
        del seconds
        chunk = self._chunks.popleft()
        return [(chunk, _attempt(chunk))]

    def close(self, now: bool) -> None:
        """Nothing to end."""


class Processes:
    """Computes in processes of this machine. They end with the study's own process, however that ends."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._chunks: dict[concurrent.futures.Future[Computed | Lost], Chunk] = {}
        self._pool = self._new_pool()

    def _new_pool(self) -> concurrent.futures.ProcessPoolExecutor:
        # spawn, not fork: a forked child would inherit locks that threads of ours, or of Arrow's, hold
        context = multiprocessing.get_context("spawn")
        return concurrent.futures.ProcessPoolExecutor(self._workers, context, _begin_worker, (os.getpid(),))

    def slots(self) -> int:
        """The number of processes."""
        return self._workers

    def pending(self) -> int:
        """How many chunks have not come back."""
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        """Takes a chunk."""
        with _main_left_alone():
            try:
                future = self._pool.submit(_attempt, chunk)
            except BrokenProcessPool:  # a worker was killed since the last `wait`
                self._pool.shutdown(wait=False)
                self._pool = self._new_pool()
                future = self._pool.submit(_attempt, chunk)
        self._chunks[future] = chunk

    def wait(self, seconds: float) -> list[Returned]:
        """What has come back. When a worker dies its pool is made anew, and all that was pending is lost."""
        first = concurrent.futures.FIRST_COMPLETED
        returned: list[Returned] = []
        for future in concurrent.futures.wait(self._chunks, seconds, first).done:
            chunk = self._chunks.pop(future)
            try:
                returned.append((chunk, future.result()))
            except BrokenProcessPool:
                returned.append((chunk, Lost("a worker process died")))
        return returned

    def close(self, now: bool) -> None:
        """Ends the workers; at once, or when they have nothing left to do."""
        if now:
            for process in list((self._pool._processes or {}).values()):
                process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)


class Cluster:
    """Computes on a Dask cluster: the scheduler at this address, or one of this machine for "local"."""

    def __init__(self, address: str, workers: int) -> None:
        from gpruntime.study.cluster import connect

        self._client, self._local = connect(address, workers)
        self._chunks: dict[Any, Chunk] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._number = 0

    def slots(self) -> int:
        """The threads of all workers there are now."""
        return sum(self._client.nthreads().values())

    def pending(self) -> int:
        """How many chunks have not come back."""
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        """Takes a chunk."""
        self._number += 1
        future = self._client.submit(_attempt, chunk, key=f"gpruntime-{os.getpid()}-{self._number}", pure=False)
        self._chunks[future] = chunk
        future.add_done_callback(self._done.put)

    def wait(self, seconds: float) -> list[Returned]:
        """What has come back. Dask itself gives the chunks of a worker that died to another."""
        from gpruntime.study.cluster import check_alive

        check_alive(self._client)
        returned: list[Returned] = []
        with contextlib.suppress(queue.Empty):
            future = self._done.get(timeout=seconds)
            while True:
                returned.append((self._chunks.pop(future), _gathered(future)))
                future = self._done.get_nowait()
        return returned

    def close(self, now: bool) -> None:
        """Leaves the cluster; ends it if it is our own."""
        if now:
            self._client.cancel(list(self._chunks), force=True)
        self._client.close()
        if self._local is not None:
            self._local.close()


def _gathered(future: Any) -> Computed | Lost:
    """What a future of Dask's holds; "KilledWorker" and the like are losses."""
    try:
        result: Computed | Lost = future.result()
    except Exception as error:
        return Lost(f"{type(error).__name__}: {error}")
    finally:
        future.release()
    return result


def _attempt(chunk: Chunk) -> Computed | Lost:
    """Computes a chunk; an error comes back in words, since not every exception survives the way between processes."""
    try:
        return compute(chunk)
    except OtherSources as error:
        return Lost(str(error))
    except Exception as error:
        return Lost(f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def _main_left_alone() -> Iterator[None]:
    """A worker that is spawned would first run the user's script again, for names we do not need: it does not.

    So `run_study` can be called from a script without a guard, from a notebook, or from standard input.
    """
    names = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: names[name] for name in ("__file__", "__spec__") if name in names}
    names.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        names.update(hidden)


def _begin_worker(parent: int) -> None:
    """Ctrl-C is for the study's own process, which lets workers finish; and a worker does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):  # Linux: the kernel sees to it
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
