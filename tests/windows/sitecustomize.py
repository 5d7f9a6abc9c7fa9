"""Windows, as far as it can be had on Linux: Python imports this by itself where this folder is on PYTHONPATH.

Two things are made so. gpruntime's own modules get `sys`, `os`, `signal`, `socket` and `ctypes` as they are there, with
what CPython lacks on Windows taken away, no `fcntl`, and an `msvcrt` that locks: so they go the ways they go there.
Everybody, libraries too, gets the manners of its files: one that is open, or mapped, is neither replaced nor removed;
some names cannot be; a folder cannot be opened; text without a word on its encoding is cp1252, with \\r\\n at the ends
of lines. Streams are cp1252, as they are where output goes into a file or a pipe.

What is not here: backslashes and drives, names that differ in case only, the console, how processes end, speed.
"""

import builtins
import errno
import fcntl
import io
import os
import pathlib
import re
import sys
import types

LACKS = {
    "sys": {"getdlopenflags", "setdlopenflags", "abiflags"},
    "os": {
        *("O_CLOEXEC", "O_DIRECTORY", "O_DSYNC", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "O_PATH"),
        *(
            "chown",
            "fchmod",
            "fchown",
            "fchdir",
            "fork",
            "forkpty",
            "getegid",
            "geteuid",
            "getgid",
            "getgroups",
            "getpgid",
        ),
        *("getpgrp", "getpriority", "getsid", "getuid", "initgroups", "killpg", "lchown", "lockf", "major", "minor"),
        *("mkfifo", "mknod", "nice", "openpty", "pread", "preadv", "pwrite", "pwritev", "readv", "register_at_fork"),
        *("sched_getaffinity", "sched_setaffinity", "sched_yield", "sendfile", "setsid", "statvfs", "fstatvfs", "sync"),
        *("sysconf", "tcgetpgrp", "uname", "wait", "wait3", "wait4", "writev", "WNOHANG", "ttyname", "posix_fallocate"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGTSTP", "SIGUSR1", "SIGUSR2", "SIGWINCH"),
        *("alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "siginterrupt", "sigwait"),
    },
    "socket": {"AF_UNIX", "SO_REUSEPORT", "socketpair"},
    "ctypes": set(),
}
MISSING = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]|[ .]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)', re.IGNORECASE)
FROM_FOLDERS = ("/proc/", "/dev/", "/sys/")


# ---- files, for everybody


def refuse(number, path):
    raise OSError(number, os.strerror(number), os.fspath(path))


def has_name(path):
    """Refuses names that Windows does not have; not the ones of a system's own folders."""
    text = path if isinstance(path, str) else os.fsdecode(path) if isinstance(path, bytes | os.PathLike) else ""
    if (
        text
        and not text.startswith(FROM_FOLDERS)
        and FORBIDDEN.search(os.path.basename(text).rstrip())
        and text not in (".", "..")
    ):
        if os.path.basename(text) not in (".", ".."):
            refuse(errno.EINVAL, path)


def is_in_use(path, folder=None):
    """Whether this process has a file open or mapped, which is not to be replaced then."""
    try:
        looked = os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    key = looked.st_dev, looked.st_ino
    for number in real["listdir"]("/proc/self/fd"):
        try:
            status = os.fstat(int(number))
        except OSError:
            continue
        if (status.st_dev, status.st_ino) == key:
            return True
    with real["open"]("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        whole = os.path.realpath(path)
        return any(line.rstrip("\n").endswith(f" {whole}") for line in maps)


real = {name: getattr(os, name) for name in ("open", "listdir", "replace", "rename", "unlink", "remove", "mkdir")}
real["open"], real["os_open"] = io.open, os.open


def removing(name):
    def act(path, *, dir_fd=None):
        if is_in_use(path, dir_fd):
            refuse(errno.EACCES, path)
        real[name](path, dir_fd=dir_fd)

    return act


def renaming(name):
    def act(source, target, *, src_dir_fd=None, dst_dir_fd=None):
        has_name(target)
        for path, folder in ((source, src_dir_fd), (target, dst_dir_fd)):
            if is_in_use(path, folder):
                refuse(errno.EACCES, path)
        if name == "rename" and os.path.lexists(target):
            refuse(errno.EEXIST, target)
        real[name](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    return act


def open_descriptor(path, flags, mode=0o777, *, dir_fd=None):
    if flags & os.O_CREAT:
        has_name(path)
    return real["os_open"](path, flags, mode, dir_fd=dir_fd)


def open_file(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    if "b" not in mode:
        encoding = "cp1252" if encoding in (None, "locale") else encoding
        if newline is None and set(mode) & set("wax+"):
            newline = "\r\n"
    if set(mode) & set("wax") and not isinstance(file, int):
        has_name(file)
    return real["open"](file, mode, buffering, encoding, errors, newline, closefd, opener)


def make_folder(path, mode=0o777, *, dir_fd=None):
    has_name(path)
    real["mkdir"](path, mode, dir_fd=dir_fd)


# ---- modules, for gpruntime


class Msvcrt(types.ModuleType):
    """Its locks: of one open file, whoever opened it, until it is closed."""

    LK_UNLCK, LK_LOCK, LK_NBLCK = 0, 1, 2

    @staticmethod
    def locking(descriptor, mode, number):
        assert number == 1
        flags = fcntl.LOCK_UN if mode == Msvcrt.LK_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB
        try:
            fcntl.flock(descriptor, flags)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None


class Seen(types.ModuleType):
    """A module as Windows has it. What is set there is set in the module itself, so that a test can."""

    def __init__(self, module, **others):
        super().__init__(module.__name__)
        vars(self).update(_module=module, _others=others)

    def __getattr__(self, name):
        if name in self._others:
            return self._others[name]
        if name in LACKS[self._module.__name__]:
            raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r} (on Windows)", name=name)
        return getattr(self._module, name)

    def __setattr__(self, name, value):
        setattr(self._module, name, value)

    def __delattr__(self, name):
        delattr(self._module, name)

    def __dir__(self):
        return sorted((set(dir(self._module)) | set(self._others)) - LACKS[self._module.__name__])


def without_folders(name):
    """A function of `os` that takes no `dir_fd`, no descriptor in place of a path, and of folders opens none."""

    def act(path, *arguments, **options):
        if any(options.get(word) is not None for word in ("dir_fd", "src_dir_fd", "dst_dir_fd")):
            raise NotImplementedError("dir_fd unavailable on this platform")
        if isinstance(path, int) and name != "stat":
            raise TypeError(f"{name}: path should be string, bytes or os.PathLike, not int")
        if name == "open" and os.path.isdir(path):
            refuse(errno.EACCES, path)
        return getattr(os, name)(path, *arguments, **options)

    return act


def to_disk(descriptor):
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    os.fsync(descriptor)


def library(name, *arguments, **options):
    import ctypes

    if name is None:
        raise TypeError("LoadLibrary() argument 1 must be str, not None")
    return ctypes.CDLL(name, *arguments, **options)


PATHS = ("open", "replace", "rename", "unlink", "remove", "listdir", "utime", "mkdir", "rmdir", "stat", "lstat")


def seen(module):
    others = {
        "sys": {"platform": "win32"},
        "os": {"name": "nt", "O_BINARY": 0, "fsync": to_disk} | {name: without_folders(name) for name in PATHS},
        "signal": {"SIGBREAK": getattr(module, "SIGUSR2", None)},
        "socket": {"SO_EXCLUSIVEADDRUSE": getattr(module, "SO_REUSEADDR", None)},
        "ctypes": {"CDLL": library},
    }
    return Seen(module, **others[module.__name__])


def import_as_there(name, names=None, local=None, fromlist=(), level=0):
    asks = (names or {}).get("__name__", "")
    if level == 0 and (asks == "gpruntime" or asks.startswith("gpruntime.")):
        top = name.partition(".")[0]
        if top in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r} (on Windows)", name=name)
        if name == "msvcrt":
            return MSVCRT
        if name in LACKS:
            if name not in SEEN:
                SEEN[name] = seen(real_import(name))
            return SEEN[name]
    return real_import(name, names, local, fromlist, level)


SEEN, MSVCRT, real_import = {}, Msvcrt("msvcrt"), builtins.__import__
builtins.__import__ = import_as_there
builtins.open = io.open = open_file
pathlib.io.open = open_file
os.open, os.mkdir = open_descriptor, make_folder
os.unlink, os.remove, os.replace, os.rename = (
    removing("unlink"),
    removing("remove"),
    renaming("replace"),
    renaming("rename"),
)
os.environ["LOCALAPPDATA"] = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
for stream in (sys.stdin, sys.stdout, sys.stderr):
    if stream is not None:
        stream.reconfigure(encoding="cp1252")
