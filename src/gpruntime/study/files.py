"""The files in a study's folder, which may come from somebody else and hold anything under the names we use.

Nothing outside the folder is opened for writing, moved or deleted: links are not followed, and what is no ordinary
file, or has a second name elsewhere, is not opened. A crash, a kill or a full disk leaves the old state or the new
one, and nothing between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from gpruntime.files import LEDGER, LOCK, PLAN, PROVENANCE, SET_ASIDE, SHARDS, new_file, odd_kind, oddity, replacing
from gpruntime.model.errors import BadInput


def check_names(folder: Path) -> None:
    """Raises `BadInput` if one of our names in the folder is a link or the like, or the folder cannot be named."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise BadInput("folder", str(folder), "its name is not UTF-8 text; give it another") from None
    for name in (LEDGER, PLAN, PROVENANCE, LOCK):
        _refuse(folder / name, oddity(folder / name))
    for name in (SHARDS, SET_ASIDE):
        odd = oddity(folder / name)
        if odd != "is a folder" and os.path.lexists(folder / name):
            raise BadInput("folder", str(folder), f"{name} {odd or 'is a file'}, not a folder")


def _refuse(path: Path, odd: str | None) -> None:
    if odd is not None:
        raise BadInput("folder", str(path.parent), f"{path.name} {odd}, not an ordinary file")


def open_plain(path: Path, flags: int) -> int:
    """A descriptor of an ordinary file; raises `BadInput` if it is anything else. Never waits, follows no link."""
    _refuse(path, oddity(path))  # opening a device may do something already
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    status = os.fstat(descriptor)
    odd = odd_kind(status.st_mode)
    if odd is None and flags & (os.O_WRONLY | os.O_RDWR) and status.st_nlink > 1:
        odd = "has a second name (a hard link)"
    if odd is not None:
        os.close(descriptor)
        _refuse(path, odd)
    return descriptor


def read_plain(path: Path) -> bytes:
    """What an ordinary file holds."""
    with os.fdopen(open_plain(path, os.O_RDONLY), "rb") as file:
        return file.read()


@contextlib.contextmanager
def naming(folder: Path) -> Iterator[None]:
    """An error of the system names the folder, not the file that was being written."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


def write_plain(path: Path, content: bytes) -> None:
    """Replaces a file of the folder itself: it appears under its name only when all of it is on the disk."""
    with naming(path.parent), replacing(path) as file:
        file.write(content)


def append_line(path: Path, line: bytes) -> None:
    """Appends a line, its end included, and brings it to the disk; takes back what was written of it if that fails."""
    descriptor = open_plain(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        before = os.fstat(descriptor).st_size
        try:
            with naming(path.parent):
                rest = memoryview(line)
                while len(rest) > 0:
                    rest = rest[os.write(descriptor, rest) :]
                os.fsync(descriptor)
        except BaseException:
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


# ---- shards/ and set-aside/: held open, so that a name put in their place meanwhile changes nothing


@contextlib.contextmanager
def held(folder: Path, *, make: bool = False) -> Iterator[int]:
    """A descriptor of a folder inside a study's folder, for the functions below."""
    if make:
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise BadInput("folder", str(folder.parent), f"{folder.name} is a link or a file, not a folder") from None
        raise
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def half_of(name: str) -> str:
    """What a shard is called before it gets its name: the ledger has it by then, so it can be found again."""
    return f".{name}.half"


def write_half(name: str, content: bytes, inside: int, where: Path) -> None:
    """Writes a file that is not there yet, and brings it to the disk; leaves nothing behind if that fails."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=inside)
    with naming(where), new_file(name, inside) as file:
        file.write(content)


def finish(half: str, name: str, inside: int) -> None:
    """Gives a file that is on the disk its name, and tells the disk so."""
    os.replace(half, name, src_dir_fd=inside, dst_dir_fd=inside)
    os.fsync(inside)


def names_in(folder: Path | int) -> list[str]:
    """The names in a folder, in order."""
    return sorted(os.listdir(folder))  # noqa: PTH208  # of a descriptor too


def is_there(name: str, inside: int) -> bool:
    """Whether there is anything of that name, be it a link that leads nowhere."""
    try:
        os.stat(name, dir_fd=inside, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def is_folder(name: str, inside: int) -> bool:
    """Whether a folder has this name."""
    return stat.S_ISDIR(os.stat(name, dir_fd=inside, follow_symlinks=False).st_mode)
