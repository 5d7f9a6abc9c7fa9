"""Compiled code on disk: the code of these sources, whole, or compiled anew.

Numba's own cache looks only at the file a function stands in, so after a change to a helper in another file it would
run old code. Here the folder is named after a hash of all sources of the engine and the model, the versions below them
and the settings that make other code: an upgrade finds an empty folder.

Numba's files are pickles without a checksum: a flipped bit in one may crash, hang or give other numbers. So each has
its checksum in `SEALS`, and one that does not fit is thrown away before Numba looks at it. One process at a time
compiles and seals: Numba would let two of them give the same file name to different functions, and others need not
compile what one has. A disk that is full costs the cache, not the run.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import hashlib
import json
import multiprocessing
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np

from gpruntime.engine.private import code_folder

SEALS = "seals.json"
_LOCK = "lock"
_COMPILED = "compiled"  # in place of a checksum: nothing but the words at a terminal depends on it
_DAMAGED = "compiled code that is damaged is thrown away, and compiled anew"

Answer = TypeVar("Answer")


def _version() -> str:
    """A digest of what determines the compiled code."""
    digest = hashlib.sha256()
    for version in (sys.version, numba.__version__, llvmlite.__version__, np.__version__):
        digest.update(version.encode())
    config: Any = numba.config
    settings = config.BOUNDSCHECK, int(config.OPT), config.DEBUGINFO_DEFAULT  # they make other code
    digest.update(repr(settings).encode())
    here = Path(__file__).parent
    for folder in (here, here.parent / "model"):  # numbers of the model are part of the code
        for source in sorted(folder.glob("**/*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


class CodeCache:
    """The compiled code of one version of the engine.

    Attributes:
        folder: where it is kept, or None where nothing can be kept.
    """

    def __init__(self, name: str) -> None:
        self.folder = code_folder(name)
        self._called: set[str] = set()
        self._said: set[str] = set()

    def call(self, name: str, kernel: Callable[..., Answer], *args: Any) -> Answer:
        """Calls a kernel that Numba may have to load or compile first; `name` is the kernel's with its problem's."""
        if name in self._called:
            return kernel(*args)
        with self._locked(), _compiling():
            checked = self._throw_away_what_does_not_fit()
            if name not in self._read_seals() and _at_a_terminal():
                self._say("compiling the engine, once: some seconds")
            try:
                answer = kernel(*args)
            except OSError as error:  # a kernel opens no file: it is compiled, but could not be kept
                self._say(
                    f"the compiled engine could not be kept in {self.folder} ({error.strerror}); going on without"
                )
                answer = kernel(*args)
            finally:
                self._seal(name, checked)
        self._called.add(name)
        return answer

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        if self.folder is None:
            yield
            return
        with contextlib.ExitStack() as open_files:
            with contextlib.suppress(OSError):  # a full disk, or a file system without locks
                flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
                lock = open_files.enter_context(os.fdopen(os.open(self.folder / _LOCK, flags, 0o600), "r+"))
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _files(self) -> Iterator[Path]:
        """Numba's files. It writes to other names first, so one with such a name is whole."""
        if self.folder is not None:
            yield from (path for path in sorted(self.folder.glob("*/*")) if path.suffix in (".nbi", ".nbc"))

    def _read_seals(self) -> dict[str, Any]:
        if self.folder is None:
            return {}
        try:
            seals = json.loads((self.folder / SEALS).read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            seals = None
        if isinstance(seals, dict):
            return seals
        self._say(_DAMAGED)
        return {}

    def _throw_away_what_does_not_fit(self) -> dict[tuple[Path, int], str]:
        """The checksums of the files that are as they were sealed, by path and inode; the others are gone.

        A file without a seal is from a process that was ended while it compiled: nothing to speak of.
        """
        seals, fitting = self._read_seals(), {}
        for path in self._files():
            checksum, seal = _checksum(path), seals.get(self._relative(path))
            if checksum is not None and seal == checksum:
                fitting[path, path.stat().st_ino] = checksum
                continue
            if seal is not None:
                self._say(_DAMAGED)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return fitting

    def _seal(self, name: str, checked: dict[tuple[Path, int], str]) -> None:
        """Seals what the call has written. Numba puts new files in place of old ones, so others are as checked."""
        if self.folder is None:
            return
        before = self._read_seals()
        seals: dict[str, Any] = {
            self._relative(path): checked.get((path, path.stat().st_ino)) or _checksum(path) for path in self._files()
        }
        seals |= {kernel: _COMPILED for kernel, words in before.items() if words == _COMPILED} | {name: _COMPILED}
        if seals == before:
            return
        with contextlib.suppress(OSError):
            handle, half = tempfile.mkstemp(dir=self.folder, prefix=f".{SEALS}.")
            with os.fdopen(handle, "w") as file:
                json.dump(seals, file)
            Path(half).replace(self.folder / SEALS)

    def _relative(self, path: Path) -> str:
        assert self.folder is not None
        return str(path.relative_to(self.folder))

    def _say(self, words: str) -> None:
        if words not in self._said and sys.stderr is not None:
            print(f"gpruntime: {words}", file=sys.stderr, flush=True)
        self._said.add(words)


def _at_a_terminal() -> bool:
    """Whether a line can be said there: a worker's would go into the middle of the progress that its parent shows."""
    return multiprocessing.parent_process() is None and sys.stderr is not None and sys.stderr.isatty()


def _checksum(path: Path) -> str | None:
    """Of a plain file; None for anything else, which is not even opened."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        pass
    return None


@contextlib.contextmanager
def jit_enabled() -> Iterator[None]:
    """Numba compiles, whatever NUMBA_DISABLE_JIT says."""
    config: Any = numba.config
    disabled = config.DISABLE_JIT
    config.DISABLE_JIT = 0
    try:
        yield
    finally:
        config.DISABLE_JIT = disabled


@contextlib.contextmanager
def _compiling() -> Iterator[None]:
    """Compiling makes many objects and little garbage: without looking for it, it takes a tenth less."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with jit_enabled():
            yield
    finally:
        if gc.get_freeze_count() == 0:
            gc.freeze()  # and back: all objects count as old ones, and are not looked through at once
            gc.unfreeze()
        if collecting:
            gc.enable()


CODE = CodeCache(f"engine-{_version()}")


def kept_on_disk(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    """What `compiler` makes of a function, kept in our folder and not in Numba's."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(CODE.folder or "")  # read when the function is decorated, not when it is compiled
    try:
        with jit_enabled():
            return compiler(cache=CODE.folder is not None)(function)
    finally:
        config.CACHE_DIR = before
