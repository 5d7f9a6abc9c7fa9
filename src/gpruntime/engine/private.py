"""A folder for compiled code that is the user's alone: whoever can write there runs code here.

It lies below the user's cache folder. Where that cannot be had, or others can write to it, it is a fresh one for this
process and those it starts.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

SETTING = "GPRUNTIME_CACHE"  # a folder of the user's choice; also how a process tells those it starts of a fresh one


def code_folder(name: str) -> Path | None:
    """A folder of this name that nobody else can write to; None if there is no place for one at all."""
    for base in _bases():
        with contextlib.suppress(OSError):
            return _private(base, name)
    try:
        fresh = Path(tempfile.mkdtemp(prefix="gpruntime-"))
    except OSError:
        return None
    os.environ[SETTING] = str(fresh)
    atexit.register(_remove, fresh, os.getpid())
    return _private(fresh, name)


def _bases() -> Iterator[Path]:
    if chosen := os.environ.get(SETTING):
        yield Path(chosen)
    elif cache := os.environ.get("XDG_CACHE_HOME"):
        yield Path(cache) / "gpruntime"
    else:
        with contextlib.suppress(RuntimeError):  # no HOME, and nobody in the list of users
            yield Path.home() / ".cache" / "gpruntime"


def _private(base: Path, name: str) -> Path:
    """The folder `name` in `base`, both made if they are missing; an OSError where others could write into it."""
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    base = base.resolve()
    folder = base / name
    for place in base.parents:
        if not _is_safe_above(place.stat()):
            raise PermissionError(f"{place} can be written to by others")
    folder.mkdir(mode=0o700, exist_ok=True)
    for place in (base, folder):
        if not _is_private(place.lstat()):
            raise PermissionError(f"{place} is not this user's alone")
    with tempfile.TemporaryFile(dir=folder):  # a file system that is read only has told nothing so far
        return folder


def _is_private(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not _others_write(found)


def _is_safe_above(found: os.stat_result) -> bool:
    """Whether nobody but this user and root can put another folder in the place of one below."""
    return found.st_uid in (0, os.geteuid()) and (bool(found.st_mode & stat.S_ISVTX) or not _others_write(found))


def _others_write(found: os.stat_result) -> bool:
    own_group = found.st_gid == os.getegid()
    return bool(found.st_mode & (stat.S_IWOTH if own_group else stat.S_IWOTH | stat.S_IWGRP))


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
