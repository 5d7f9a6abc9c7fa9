"""One process at a time writes to a study's folder.

The system lets go of the file's lock when the process dies, however it dies; what the file says is who holds it. Some
network file systems keep locks to one machine, so the lock of another host is respected too: its holder touches it
every few seconds. One that was touched within the last two minutes is held. Of one with another date, be it in the
future, the hosts' clocks may be to blame: it is held if it is touched while we look.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from gpruntime.files import LOCK
from gpruntime.model.errors import BadInput
from gpruntime.study.errors import Locked
from gpruntime.study.files import naming, open_plain
from gpruntime.systems import is_locked, read_beginning, rewrite, touch, try_lock, unlock

_TOUCH_SECONDS, _STALE_SECONDS = 5.0, 120.0
_LOOK_SECONDS = 12.0
_MAX_BYTES = 4096
_TRY_SECONDS = 1.0  # one who only looks holds it for an instant


class _Holder(NamedTuple):
    """Who holds a lock, or held it, as the lock says: its host, and the process in words, without and with a date."""

    host: str
    process: str
    process_since: str


class FolderLock:
    """Held from `__enter__` to `__exit__`; raises `Locked` if another process holds it.

    Attributes:
        taken_over_from: the dead process that held it before, in words, or None.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / LOCK
        self._over = threading.Event()
        self.taken_over_from: str | None = None

    def __enter__(self) -> FolderLock:
        with naming(self._folder):
            self._descriptor = open_plain(self._path, os.O_RDWR | os.O_CREAT)
            try:
                self._take()
                since = datetime.now(UTC).isoformat(timespec="seconds")
                holder = {"host": socket.gethostname(), "pid": os.getpid(), "since": since}
                rewrite(self._descriptor, json.dumps(holder).encode())
            except BaseException:
                os.close(self._descriptor)
                raise
        self._toucher = threading.Thread(target=self._touch, daemon=True)
        self._toucher.start()
        return self

    def _take(self) -> None:
        end = time.monotonic() + _TRY_SECONDS
        while not try_lock(self._descriptor):
            if time.monotonic() > end:
                raise self._refusal(holder_of(self._folder) or "another process")
            time.sleep(0.02)
        before = _read(self._descriptor)
        if before is not None:
            if before.host != socket.gethostname() and self._is_held_elsewhere():
                raise self._refusal(f"{before.process_since}; if that is gone, delete {self._path} and try again")
            self.taken_over_from = before.process

    def _is_held_elsewhere(self) -> bool:
        touched = self._touched()
        if 0 <= time.time() - touched / 1e9 < _STALE_SECONDS:
            return True
        end = time.monotonic() + _LOOK_SECONDS
        while time.monotonic() < end:
            time.sleep(_LOOK_SECONDS / 20)
            if self._touched() != touched:
                return True
        return False

    def _touched(self) -> int:
        """When the lock was last touched, in nanoseconds; opened anew, since a network's file system may remember."""
        descriptor = open_plain(self._path, os.O_RDONLY)
        try:
            return os.fstat(descriptor).st_mtime_ns
        finally:
            os.close(descriptor)

    def _touch(self) -> None:
        while not self._over.wait(_TOUCH_SECONDS):
            with contextlib.suppress(OSError):
                touch(self._descriptor, self._path)

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._toucher.join()  # or it might touch whatever gets the descriptor's number next
        with contextlib.suppress(OSError):
            rewrite(self._descriptor, b"")
            unlock(self._descriptor)
        os.close(self._descriptor)

    def _refusal(self, holder: str) -> Locked:
        return Locked("folder", str(self._folder), f"is in use by {holder}")


def holder_of(folder: Path) -> str | None:
    """Who is at work in the folder, in words; None if nobody is."""
    try:
        descriptor = open_plain(folder / LOCK, os.O_RDONLY)
    except (OSError, BadInput):
        return None
    try:
        if not is_locked(descriptor):
            return None
        holder = _read(descriptor)
        return "another process" if holder is None else holder.process_since
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> _Holder | None:
    try:
        record = json.loads(read_beginning(descriptor, _MAX_BYTES))
        host, pid, since = record["host"], record["pid"], record.get("since")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(host, str) or not isinstance(pid, int) or not (since is None or isinstance(since, str)):
        return None
    process = f"process {pid} on {host}"
    return _Holder(host, process, process if since is None else f"{process} since {since}")
