"""A process of ours: it imports nothing from the current folder, and ends with the one that started it.

This file imports nothing heavy, so that a worker knows within a moment to whom it belongs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gpruntime.systems import SIGNALS, end_with

SAFE_PATH = {"PYTHONSAFEPATH": "1"}


def work(pipe: Connection, parent: int) -> None:
    """A worker's life. Signals are for the study's own process, which lets workers finish; without it they end."""
    end_with(parent)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        from gpruntime.study.executors import attempt_pickled

        while chunk := pipe.recv_bytes():
            pipe.send(attempt_pickled(chunk))


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
    ours = str(Path(__file__).parents[2])
    here = os.path.realpath(os.curdir)
    return [folder for folder in path if folder == ours or os.path.realpath(folder) != here]
