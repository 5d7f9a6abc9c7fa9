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
from gpruntime.systems import Folder, open_file, to_disk


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
    descriptor = open_file(path, flags)
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
                to_disk(descriptor)
        except BaseException:
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


# ---- shards/ and set-aside/: held open, so that a name put in their place meanwhile changes nothing


@contextlib.contextmanager
def held(folder: Path, *, make: bool = False) -> Iterator[Folder]:
    """A folder inside a study's folder, for the functions below."""
    if make:
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
    try:
        inside = Folder(folder)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise BadInput("folder", str(folder.parent), f"{folder.name} is a link or a file, not a folder") from None
        raise
    with inside:
        yield inside


def half_of(name: str) -> str:
    """What a shard is called before it gets its name: the ledger has it by then, so it can be found again."""
    return f".{name}.half"


def write_half(name: str, content: bytes, inside: Folder, where: Path) -> None:
    """Writes a file that is not there yet, and brings it to the disk; leaves nothing behind if that fails."""
    with contextlib.suppress(FileNotFoundError):
        inside.unlink(name)
    with naming(where), new_file(name, inside) as file:
        file.write(content)


def finish(half: str, name: str, inside: Folder) -> None:
    """Gives a file that is on the disk its name, and tells the disk so."""
    inside.rename(half, name)
    inside.to_disk()


def names_in(folder: Path | Folder) -> list[str]:
    """The names in a folder, in order."""
    return sorted(folder.names() if isinstance(folder, Folder) else (path.name for path in folder.iterdir()))


def is_there(name: str, inside: Folder) -> bool:
    """Whether there is anything of that name, be it a link that leads nowhere."""
    try:
        inside.status(name)
    except FileNotFoundError:
        return False
    return True


def is_folder(name: str, inside: Folder) -> bool:
    """Whether a folder has this name."""
    return stat.S_ISDIR(inside.status(name).st_mode)
