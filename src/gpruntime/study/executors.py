"""Who computes the chunks: this process, processes of this machine, or a Dask cluster (`gpruntime.study.cluster`).

All have the same face: `submit` a chunk, `wait` for what has come back, `close`. A chunk that comes back as `Lost`
was not computed and may be submitted again. Results are written by the study's own process alone, so workers need no
common disk.
"""

from __future__ import annotations

import pickle
from collections import deque
from typing import Protocol

from gpruntime.processes import Lost, Processes
from gpruntime.study.chunk import Chunk, Computed, compute

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


def processes(workers: int) -> Processes[Chunk]:
    """This number of processes of this machine."""
    return Processes(workers, f"{__name__}:{attempt_pickled.__name__}")


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
