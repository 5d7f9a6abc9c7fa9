"""Writing so that a crash, a kill or a full disk leaves the old state or the new one, and nothing between."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """The file appears under its name only when all of it is on the disk."""
    half = half_of(path)
    write_half(half, content)
    finish(half, path)


def half_of(path: Path) -> Path:
    """Where a file is written before it gets its name."""
    return path.with_name(f".{path.name}.half")


def write_half(half: Path, content: bytes) -> None:
    """Writes a file under its temporary name, and to the disk; leaves nothing behind if that fails."""
    try:
        with half.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        half.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(half.parent)) from None
        raise


def finish(half: Path, path: Path) -> None:
    """Gives a file that is on the disk its name, and tells the disk so."""
    half.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Brings a file to the disk, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_line(path: Path, line: bytes) -> None:
    """Appends a line, its end included, and brings it to the disk; takes back what was written of it if that fails."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = os.fstat(descriptor).st_size
        try:
            rest = memoryview(line)
            while len(rest) > 0:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        except BaseException as error:
            os.ftruncate(descriptor, before)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(path.parent)) from None
            raise
    finally:
        os.close(descriptor)
