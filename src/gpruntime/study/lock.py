"""One process at a time writes to a study's folder.

The lock file is held with flock(2), which the system lets go of when the process dies, however it dies; what it says
is who holds it. Some network file systems keep flock to one machine, so a lock that another host has touched within
the last two minutes is respected too: its holder touches it every few seconds.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import threading
import time
from pathlib import Path
from types import TracebackType

from gpruntime.study.errors import Locked

NAME = ".gpruntime-lock"
_TOUCH_SECONDS, _STALE_SECONDS = 5.0, 120.0
_TRY_SECONDS = 1.0  # one who only looks holds it for an instant


class FolderLock:
    """Held from `__enter__` to `__exit__`; raises `Locked` if another process holds it.

    Attributes:
        taken_over_from: the dead process that held it before, in words, or None.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / NAME
        self._over = threading.Event()
        self.taken_over_from: str | None = None

    def __enter__(self) -> FolderLock:
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._folder)) from None
        try:
            self._take()
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, json.dumps({"host": socket.gethostname(), "pid": os.getpid()}).encode(), 0)
        except BaseException as error:
            os.close(self._descriptor)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self._folder)) from None
            raise
        threading.Thread(target=self._touch, daemon=True).start()
        return self

    def _take(self) -> None:
        end = time.monotonic() + _TRY_SECONDS
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise self._refusal(holder_of(self._folder) or "another process") from None
                time.sleep(0.02)
        before = _read(self._path)
        if before is not None:
            host, _ = before
            age = time.time() - self._path.stat().st_mtime
            if host != socket.gethostname() and age < _STALE_SECONDS:
                wait = f"; if that is gone, try again in {_STALE_SECONDS - age:.0f} s"
                raise self._refusal(_words(before) + wait)
            self.taken_over_from = _words(before)

    def _touch(self) -> None:
        while not self._over.wait(_TOUCH_SECONDS):
            with contextlib.suppress(OSError):
                os.utime(self._path)

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._over.set()
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def _refusal(self, holder: str) -> Locked:
        return Locked("folder", str(self._folder), f"is in use by {holder}")


def holder_of(folder: Path) -> str | None:
    """Who is at work in the folder, in words; None if nobody is."""
    try:
        descriptor = os.open(folder / NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        said = _read(folder / NAME)
        return "another process" if said is None else _words(said)
    finally:
        os.close(descriptor)
    return None


def _read(path: Path) -> tuple[str, int] | None:
    try:
        said = json.loads(path.read_bytes())
        return str(said["host"]), int(said["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _words(said: tuple[str, int]) -> str:
    return f"process {said[1]} on {said[0]}"
