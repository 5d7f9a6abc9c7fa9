"""What differs between operating systems: locks, files that are opened safely, owners, signals, processes.

The rest of gpruntime asks this file. What is promised, and where (docs/reliability.md says what it means for a user):

|                                            | Linux           | macOS            | Windows                           |
|--------------------------------------------|-----------------|------------------|-----------------------------------|
| a lock ends with its process               | yes             | yes              | yes; who looks has it, an instant |
| no link is followed, no pipe waited for    | yes             | yes              | if nobody puts it there meanwhile |
| names are of the very folder that is held  | yes             | yes              | if nobody puts another there      |
| content is on the disk when we say so      | yes             | yes, F_FULLFSYNC | yes                               |
| a name in a folder is, too                 | yes             | yes              | soon: Windows writes it           |
| a folder's owner and mode are checked      | yes             | yes, not ACLs    | no: a profile is its user's alone |
| a child ends with its parent               | by the kernel   | by a thread      | by a thread                       |
| a child ignores Ctrl-C                     | from its start  | from its start   | once Python runs in it            |
| the cores that this process may use        | its affinity    | all              | all                               |
| a port belongs to who took it              | yes             | yes              | yes                               |
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import errno
import multiprocessing
import os
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

_LOOK_SECONDS = 0.5
_NEW = 0o666  # less what the umask takes
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT

if sys.platform == "win32":
    import msvcrt

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
    MAX_PROCESSES = 60  # more than some 60 cannot be waited for at once
    PORT_OF_OUR_OWN = socket.SO_EXCLUSIVEADDRUSE  # with SO_REUSEADDR two programs may have one port
    _LOCKED_BYTE = 2**30  # far beyond what a lock file holds: nobody can read a byte that is locked
    _PATIENCE = 1.0  # seconds, while a scanner of viruses, say, has a file open

    def open_file(path: Path, flags: int, mode: int = _NEW) -> int:
        """A descriptor of what has this name, which is made with O_CREAT; an OSError if it is a link."""
        with contextlib.suppress(FileNotFoundError):
            if is_link(path.lstat()):
                number = errno.EEXIST if flags & os.O_EXCL else errno.ELOOP
                raise OSError(number, os.strerror(number), str(path))
        return os.open(path, flags | os.O_BINARY, mode)

    def to_disk(descriptor: int) -> None:
        """Brings what was written to the disk."""
        os.fsync(descriptor)

    def path_to_disk(path: Path) -> None:
        """The same of a file that is closed; the names in a folder Windows writes by itself."""
        if not path.is_dir():
            descriptor = open_file(path, os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    class Folder:
        """The folder of this name: a link to one only if `follow`, else an OSError."""

        def __init__(self, path: Path, *, follow: bool = False) -> None:
            if not path.is_dir() or (not follow and is_link(path.lstat())):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
            self._path = path

        def __enter__(self) -> Folder:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def open(self, name: str, flags: int) -> int:
            """As `open_file`, of a name in this folder."""
            return open_file(self._path / name, flags)

        def rename(self, name: str, becomes: str, into: Folder | None = None) -> None:
            """Gives a file another name, in this folder or in another, in place of whatever has it."""
            target = (into or self)._path / becomes
            _patiently(lambda: os.replace(self._path / name, target))

        def unlink(self, name: str) -> None:
            """Removes a file, or a link."""
            _patiently(lambda: os.unlink(self._path / name))

        def status(self, name: str) -> os.stat_result:
            """Of what has this name, be it a link."""
            return os.lstat(self._path / name)

        def names(self) -> list[str]:
            """What is in it."""
            return os.listdir(self._path)

        def to_disk(self) -> None:
            """Windows writes names by itself."""

    def _patiently(act: Callable[[], None]) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                act()
            except PermissionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
            else:
                return

    def touch(descriptor: int, path: Path) -> None:
        """Sets the date of an open file to now; its name is taken, which nothing else can get while it is open."""
        del descriptor
        os.utime(path)

    def try_lock(descriptor: int) -> bool:
        """Takes the lock of a file, until `unlock` or the end of the process; False if another has it."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

    def unlock(descriptor: int) -> None:
        """Gives it back."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    def is_locked(descriptor: int) -> bool:
        """Whether another has the lock. Two who look at once may take each other for a holder: so it looks twice."""
        for _ in range(2):
            if try_lock(descriptor):
                unlock(descriptor)
                return False
            time.sleep(0.02)
        return True

    def is_this_users(status: os.stat_result) -> bool:
        """Whether it is a folder: Python sees neither owner nor permissions."""
        return stat.S_ISDIR(status.st_mode)

    def is_safe_above(status: os.stat_result) -> bool:
        """Whether it is a folder: Python sees neither owner nor permissions."""
        return stat.S_ISDIR(status.st_mode)

    def cache_home() -> Path:
        """Where programs of this user keep what they can make again."""
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"

    def terminate_gently() -> None:
        """SIGTERM, for the handler of this very process; os.kill would end it at once."""
        _thread.interrupt_main(signal.SIGTERM)

    def is_reader_gone(error: OSError) -> bool:
        """Whether nobody reads our output any more."""
        return isinstance(error, BrokenPipeError) or (error.errno == errno.EINVAL and error.filename is None)

else:
    import fcntl

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    MAX_PROCESSES = 10_000
    PORT_OF_OUR_OWN = socket.SO_REUSEADDR  # also while old connections of it die away
    _SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK

    def open_file(path: Path, flags: int, mode: int = _NEW) -> int:
        """A descriptor of what has this name, which is made with O_CREAT; an OSError if it is a link."""
        return os.open(path, flags | _SAFELY, mode)

    def to_disk(descriptor: int) -> None:
        """Brings what was written to the disk; on macOS fsync alone leaves it in the memory of the drive."""
        if sys.platform == "darwin":
            with contextlib.suppress(OSError):  # a file system that knows no such thing
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
                return
        os.fsync(descriptor)

    def path_to_disk(path: Path) -> None:
        """The same of a file that is closed, or of the names in a folder."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            to_disk(descriptor)
        finally:
            os.close(descriptor)

    class Folder:
        """The folder of this name: a link to one only if `follow`, else an OSError."""

        def __init__(self, path: Path, *, follow: bool = False) -> None:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW))

        def __enter__(self) -> Folder:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self._descriptor)

        def open(self, name: str, flags: int) -> int:
            """As `open_file`, of a name in this folder."""
            return os.open(name, flags | _SAFELY, _NEW, dir_fd=self._descriptor)

        def rename(self, name: str, becomes: str, into: Folder | None = None) -> None:
            """Gives a file another name, in this folder or in another, in place of whatever has it."""
            target = (into or self)._descriptor
            os.replace(name, becomes, src_dir_fd=self._descriptor, dst_dir_fd=target)

        def unlink(self, name: str) -> None:
            """Removes a file, or a link."""
            os.unlink(name, dir_fd=self._descriptor)

        def status(self, name: str) -> os.stat_result:
            """Of what has this name, be it a link."""
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

        def names(self) -> list[str]:
            """What is in it."""
            return os.listdir(self._descriptor)

        def to_disk(self) -> None:
            """Brings its names to the disk."""
            to_disk(self._descriptor)

    def touch(descriptor: int, path: Path) -> None:
        """Sets the date of an open file to now."""
        del path
        os.utime(descriptor)

    def try_lock(descriptor: int) -> bool:
        """Takes the lock of a file, until `unlock` or the end of the process; False if another has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Gives it back."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def is_locked(descriptor: int) -> bool:
        """Whether another has the lock."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        unlock(descriptor)
        return False

    def is_this_users(status: os.stat_result) -> bool:
        """Whether it is a folder of this user's, and nobody else can write to it."""
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not _others_write(status)

    def is_safe_above(status: os.stat_result) -> bool:
        """Whether nobody but this user and root can put another folder in the place of one below."""
        return status.st_uid in (0, os.geteuid()) and (bool(status.st_mode & stat.S_ISVTX) or not _others_write(status))

    def _others_write(status: os.stat_result) -> bool:
        # on macOS all users are of one group, on Linux as a rule each is of a group of their own
        own_group = status.st_gid == os.getegid() and sys.platform != "darwin"
        return bool(status.st_mode & (stat.S_IWOTH if own_group else stat.S_IWOTH | stat.S_IWGRP))

    def cache_home() -> Path:
        """Where programs of this user keep what they can make again."""
        return Path.home() / ".cache"

    def terminate_gently() -> None:
        """SIGTERM, for the handler of this very process; it interrupts whatever the process waits for."""
        os.kill(os.getpid(), signal.SIGTERM)

    def is_reader_gone(error: OSError) -> bool:
        """Whether nobody reads our output any more."""
        return isinstance(error, BrokenPipeError)


def has_screen() -> bool:
    """Whether a browser opens in a window of its own, and not in this terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def is_link(status: os.stat_result) -> bool:
    """Whether a status is a link's, or a Windows junction's, which Python takes for a folder."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


def read_beginning(descriptor: int, size: int) -> bytes:
    """The first bytes of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, size)


def rewrite(descriptor: int, content: bytes) -> None:
    """Puts some bytes in the place of all that an open file holds."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, content)


def available_cores() -> int:
    """How many cores this process may use: the one place that counts them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with(parent: int) -> None:
    """From now on this process ends when the one that started it does, however that ends, also amid a computation."""
    if not _is_killed_with_parent():
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    elif os.getppid() != parent:  # it was gone before we asked
        os._exit(1)


def _is_killed_with_parent() -> bool:
    """Asks Linux to kill this process when its parent dies; False elsewhere."""
    set_signal_at_parents_death, kill = 1, 9
    try:
        return bool(ctypes.CDLL(None).prctl(set_signal_at_parents_death, kill) == 0)
    except (OSError, AttributeError, TypeError):
        return False


def _watch(parent: int) -> None:
    if (process := multiprocessing.parent_process()) is not None:
        process.join()
    else:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
    os._exit(1)
