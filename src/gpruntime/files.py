"""Writing a file whole: the one way, for every command.

A file has its name only once all of it is on the disk. Until then it lies beside it under a name that nobody can guess
and that is made, never found: so nothing that somebody put there is written to. What is no ordinary file (a link, a
pipe, a device, a folder) and what belongs to a study is refused. A stream that is open already, /dev/stdout say or
/dev/fd/63, is written to as it is.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gpruntime.model.errors import BadInput
from gpruntime.systems import Folder, is_link, path_to_disk, to_disk

# The names in a study's folder (gpruntime.study.store says what they are).
LEDGER, SHARDS, PLAN, PROVENANCE, SET_ASIDE, LOCK = (
    "ledger",
    "shards",
    "plan.toml",
    "provenance.jsonl",
    "set-aside",
    ".gpruntime-lock",
)
_STREAM = re.compile(r"/dev/(?:stdout|stderr|fd/([0-9]{1,6}))")
_HALF = re.compile(r"\.gpruntime-[0-9a-f]{16}\.half")
_ODD = {
    stat.S_IFLNK: "is a link",
    stat.S_IFDIR: "is a folder",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
}


def write_whole(path: str | Path, content: bytes, name: str = "output") -> Path:
    """Writes a file that is there whole or not at all. Raises `BadInput` as `check_target` does, naming `name`."""
    with whole_file(path, name) as file:
        file.write(content)
    return Path(path)


@contextlib.contextmanager
def whole_file(path: str | Path, name: str = "output", *, new: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name at the end; with `new`, there may be none of that name yet."""
    stream = _STREAM.fullmatch(str(path))
    if stream is not None:
        number = {"/dev/stdout": 1, "/dev/stderr": 2}.get(str(path))
        with os.fdopen(os.dup(int(stream[1]) if number is None else number), "wb") as file:
            yield file
        return
    check_target(path, name, new=new)
    with replacing(Path(path)) as file:
        yield file


@contextlib.contextmanager
def whole_folder(path: Path, name: str = "output") -> Iterator[Path]:
    """A folder to fill, which gets its name at the end; there may be nothing of that name yet."""
    if os.path.lexists(path):
        raise BadInput(name, str(path), "exists already; give another name")
    _check_is_no_studys(path, name)
    path.absolute().parent.mkdir(parents=True, exist_ok=True)
    parent = path.absolute().parent.resolve()  # it may be reached by a link, the user's own
    half = parent / _half()
    half.mkdir()
    try:
        yield half
        for folder, _, files in os.walk(half):
            for file in files:
                path_to_disk(Path(folder) / file)
            path_to_disk(Path(folder))
        half.replace(parent / path.name)
        path_to_disk(parent)
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        raise


def check_target(path: str | Path, name: str = "output", *, new: bool = False) -> None:
    """Raises `BadInput` unless a file can be written there; for a check before the work as well."""
    path = Path(path)
    if _STREAM.fullmatch(str(path)):
        return
    if path.is_dir() and not path.is_symlink():
        raise BadInput(name, str(path), "is a folder; give a file")
    if not path.absolute().parent.is_dir():
        raise BadInput(name, str(path), f"the folder {path.absolute().parent} does not exist")
    odd = oddity(path)
    if odd is not None:
        raise BadInput(name, str(path), f"{odd}; give a file, or a name that is not there yet")
    if new and path.exists():
        raise BadInput(name, str(path), "exists already; give another name")
    _check_is_no_studys(path, name)


def _check_is_no_studys(path: Path, name: str) -> None:
    folder = Path(os.path.realpath(path.absolute().parent))
    own = path.name in (LEDGER, SHARDS, PLAN, PROVENANCE, SET_ASIDE, LOCK) and _is_study(folder)
    if own or any(above.name in (SHARDS, SET_ASIDE) and _is_study(above.parent) for above in (folder, *folder.parents)):
        raise BadInput(name, str(path), "belongs to a study, which alone writes it; give another name")


def _is_study(folder: Path) -> bool:
    return os.path.lexists(folder / LEDGER) and os.path.lexists(folder / SHARDS)


def oddity(path: Path) -> str | None:
    """What is there instead of an ordinary file, in words; None if it is one, or nothing is there. Follows no link."""
    try:
        status = path.lstat()
        return "is a link" if is_link(status) else odd_kind(status.st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None


def odd_kind(mode: int) -> str | None:
    """The kind of a file in words; None for an ordinary one."""
    return None if stat.S_ISREG(mode) else _ODD.get(stat.S_IFMT(mode), "is no ordinary file")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Whatever has this name is replaced at the end, without looking at it; links are replaced, not followed."""
    try:
        with Folder(path.parent, follow=True) as folder:
            with new_file(_half(), folder, becomes=path.name) as file:
                yield file
            folder.to_disk()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextlib.contextmanager
def new_file(name: str, inside: Folder, becomes: str | None = None) -> Iterator[BinaryIO]:
    """A file to write to in an open folder: on the disk at the end, with another name if so asked, or not there."""
    try:
        handle = inside.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            to_disk(handle)
        if becomes is not None:
            inside.rename(name, becomes)
    except BaseException:
        with contextlib.suppress(OSError):
            inside.unlink(name)
        raise


def is_half(name: str) -> bool:
    """Whether a name is one that a file has before it is whole."""
    return _HALF.fullmatch(name) is not None


def _half() -> str:
    return f".gpruntime-{os.urandom(8).hex()}.half"
