"""Who computes the chunks: this process, processes of this machine, or a Dask cluster (`gpruntime.study.cluster`).

All have the same face: `submit` a chunk, `wait` for what has come back, `close`. A chunk that comes back as `Lost`
was not computed and may be submitted again. Results are written by the study's own process alone, so workers need no
common disk.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
from collections import deque
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from gpruntime.study.chunk import Chunk, Computed, compute
from gpruntime.study.worker import handling_signals, starting, work
from gpruntime.systems import MAX_PROCESSES

_AHEAD = 2  # chunks a process has: the one it computes, and the next


@dataclass(frozen=True)
class Lost:
    """A chunk that was not computed: why, and whether it may be the chunk's own fault."""

    why: str
    suspect: bool = True


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
        """What has come back, after at most this number of seconds, or a little more."""

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
        return [(chunk, attempt(chunk))]

    def close(self, now: bool) -> None:
        """Nothing to end."""


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: Any
    chunks: deque[Chunk] = field(default_factory=deque)  # the first is being computed, the next waits in the pipe


class Processes:
    """Computes in processes of this machine. They end with the study's own process, however that ends.

    A process that dies loses the chunks it had, and a new one takes its place. Python's own pool would lose all that
    was pending and could not say which chunk was being computed.
    """

    def __init__(self, workers: int) -> None:
        self._waiting: deque[Chunk] = deque()
        self._workers = [_start() for _ in range(min(workers, MAX_PROCESSES))]

    def slots(self) -> int:
        """The number of processes."""
        return len(self._workers)

    def pending(self) -> int:
        """How many chunks have not come back."""
        return len(self._waiting) + sum(len(worker.chunks) for worker in self._workers)

    def submit(self, chunk: Chunk) -> None:
        """Takes a chunk."""
        self._waiting.append(chunk)
        self._hand_out()

    def wait(self, seconds: float) -> list[Returned]:
        """What has come back."""
        ready = set(wait([worker.pipe for worker in self._workers], seconds))
        returned: list[Returned] = []
        for number, worker in enumerate(self._workers):
            if worker.pipe not in ready:
                continue
            try:
                result = worker.pipe.recv()
                returned.append((worker.chunks.popleft(), result))
            except (EOFError, OSError):
                returned += self._bury(number)
        self._hand_out()
        return returned

    def _hand_out(self) -> None:
        """Gives waiting chunks to the workers that have least."""
        for ahead in range(_AHEAD):
            for worker in self._workers:
                if self._waiting and len(worker.chunks) == ahead:
                    chunk = self._waiting.popleft()
                    worker.chunks.append(chunk)
                    with contextlib.suppress(OSError):  # dead: the next `wait` finds out, and what it had
                        worker.pipe.send_bytes(pickle.dumps(chunk))

    def _bury(self, number: int) -> list[Returned]:
        worker = self._workers[number]
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        self._workers[number] = _start()
        why = f"a worker process died (exit code {worker.process.exitcode})"
        return [(chunk, Lost(why, suspect=place == 0)) for place, chunk in enumerate(worker.chunks)]

    def close(self, now: bool) -> None:
        """Ends the workers; at once, or when they have nothing left to do."""
        for worker in self._workers:
            with contextlib.suppress(OSError):
                worker.process.kill() if now else worker.pipe.send_bytes(b"")
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()


def attempt_pickled(content: bytes) -> Computed | Lost:
    """The same of a chunk that was sent: to receive it runs the sources of its parts, and that may fail here alone."""
    try:
        chunk = pickle.loads(content)  # noqa: S301  # written by the process that started this one, or a cluster's
    except Exception as error:
        return Lost(f"{type(error).__name__}: {error}")
    return attempt(chunk)


def attempt(chunk: Chunk) -> Computed | Lost:
    """Computes a chunk; an error comes back in words, since not every exception survives the way between processes."""
    try:
        return compute(chunk)
    except Exception as error:
        return Lost(f"{type(error).__name__}: {error}")


def _start() -> _Worker:
    # spawn, not fork: a forked child would inherit locks that threads of ours, or of Arrow's, hold
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, os.getpid()), daemon=True)
    with starting(), ignoring_signals():
        process.start()
    theirs.close()
    return _Worker(process, ours)


def ignoring_signals() -> AbstractContextManager[None]:
    """A process that is started meanwhile ignores Ctrl-C and its kin from its first moment on."""
    return handling_signals(signal.SIG_IGN)
