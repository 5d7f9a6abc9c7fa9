"""Processes of ours: they import nothing from the current folder, and end with the one that started them.

This file imports nothing heavy, so that a worker knows within a moment to whom it belongs. It also says how many
workers there are, wherever somebody may choose.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

from gpruntime.model.errors import whole
from gpruntime.systems import MAX_PROCESSES, SIGNALS, available_cores, end_with

SAFE_PATH = {"PYTHONSAFEPATH": "1"}
MAX_WORKERS = 1024
_AHEAD = 2  # tasks a process has: the one it does, and the next

Task = TypeVar("Task")


def number_of_workers(asked: int | None, least: int = 1) -> int:
    """How many workers: all cores for None and for −1."""
    if asked is None or asked == -1:
        return available_cores()
    return whole("workers", asked, least, MAX_WORKERS, ", or -1 for all cores")


def is_a_worker() -> bool:
    """Whether this is a process that another one of Python's started, which has its own plans for the cores."""
    return multiprocessing.parent_process() is not None


@dataclass(frozen=True)
class Lost:
    """A task that was not done: why, and whether it may be the task's own fault."""

    why: str
    suspect: bool = True


@dataclass(eq=False)
class _Worker(Generic[Task]):
    process: BaseProcess
    pipe: Any
    tasks: deque[Task] = field(default_factory=deque)  # the first is being done, the next waits in the pipe


class Processes(Generic[Task]):
    """Processes of this machine that do tasks. They end with this process, however that ends.

    A process that dies loses the tasks it had, and a new one takes its place. Python's own pool would lose all that
    was pending and could not say which task was being done.
    """

    def __init__(self, workers: int, does: str) -> None:
        """`does` names the function, MODULE:NAME, which gets a task as it is pickled."""
        self._does = does
        self._waiting: deque[Task] = deque()
        self._workers: list[_Worker[Task]] = [self._start() for _ in range(min(workers, MAX_PROCESSES))]

    def slots(self) -> int:
        """The number of processes."""
        return len(self._workers)

    def pending(self) -> int:
        """How many tasks have not come back."""
        return len(self._waiting) + sum(len(worker.tasks) for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Takes a task."""
        self._waiting.append(task)
        self._hand_out()

    def wait(self, seconds: float) -> list[tuple[Task, Any]]:
        """What has come back, after at most this number of seconds: tasks, with what was returned or `Lost`."""
        ready = set(wait([worker.pipe for worker in self._workers], seconds))
        returned: list[tuple[Task, Any]] = []
        for number, worker in enumerate(self._workers):
            if worker.pipe not in ready:
                continue
            try:
                result = worker.pipe.recv()
                returned.append((worker.tasks.popleft(), result))
            except (EOFError, OSError):
                returned += self._bury(number)
        self._hand_out()
        return returned

    def _hand_out(self) -> None:
        """Gives waiting tasks to the workers that have least."""
        for ahead in range(_AHEAD):
            for worker in self._workers:
                if self._waiting and len(worker.tasks) == ahead:
                    task = self._waiting.popleft()
                    worker.tasks.append(task)
                    with contextlib.suppress(OSError):  # dead: the next `wait` finds out, and what it had
                        worker.pipe.send_bytes(pickle.dumps(task))

    def _bury(self, number: int) -> list[tuple[Task, Any]]:
        worker = self._workers[number]
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        self._workers[number] = self._start()
        why = f"a worker process died (exit code {worker.process.exitcode})"
        return [(task, Lost(why, suspect=place == 0)) for place, task in enumerate(worker.tasks)]

    def close(self, now: bool) -> None:
        """Ends the workers; at once, or when they have nothing left to do."""
        for worker in self._workers:
            with contextlib.suppress(OSError):
                worker.process.kill() if now else worker.pipe.send_bytes(b"")
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()

    def _start(self) -> _Worker[Task]:
        # spawn, not fork: a forked child would inherit locks that threads of ours, or of Arrow's, hold
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, os.getpid(), self._does), daemon=True)
        with starting(), ignoring_signals():
            process.start()
        theirs.close()
        return _Worker(process, ours)


def work(pipe: Connection, parent: int, does: str) -> None:
    """A worker's life. Signals are for the process that started it, which lets workers finish; without it they end."""
    end_with(parent)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        module, _, name = does.partition(":")
        do = getattr(importlib.import_module(module), name)
        while task := pipe.recv_bytes():
            pipe.send(do(task))


def ignoring_signals() -> AbstractContextManager[None]:
    """A process that is started meanwhile ignores Ctrl-C and its kin from its first moment on."""
    return handling_signals(signal.SIG_IGN)


@contextlib.contextmanager
def handling_signals(handler: Any) -> Iterator[None]:
    """Ctrl-C and its kin meanwhile go to this handler; outside the main thread, where none comes, nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(number, handler) for number in SIGNALS]
    try:
        yield
    finally:
        for number, previous in zip(SIGNALS, before, strict=True):
            signal.signal(number, previous)


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """A process that is spawned meanwhile imports nothing from the current folder, and leaves the user's script alone.

    Python would run that script again first, for names we do not need. So `run_study` can be called from a script
    without a guard, from a notebook, or from standard input.
    """
    names, environment, path = vars(sys.modules["__main__"]), dict(os.environ), sys.path
    hidden: dict[str, Any] = {name: names[name] for name in ("__file__", "__spec__") if name in names}
    names.update(dict.fromkeys(hidden))
    os.environ.update(SAFE_PATH)
    sys.path = safe(path)
    try:
        yield
    finally:
        sys.path = path
        for name in SAFE_PATH:
            os.environ.pop(name) if name not in environment else os.environ.update({name: environment[name]})
        names.update(hidden)


def safe(path: list[str]) -> list[str]:
    """The folders to import from, without the current one, unless it is where this package is."""
    ours = str(Path(__file__).parents[1])
    here = os.path.realpath(os.curdir)
    return [folder for folder in path if folder == ours or os.path.realpath(folder) != here]
