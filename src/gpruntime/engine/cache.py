"""Compiled code on disk: what this process would compile itself, whole, or compiled anew.

A file is named after its kernel and the fingerprint of all that it is compiled from, so code of other sources is never
found, and a file never has to change. It is written beside and renamed, and begins with a checksum: Numba's own files
are pickles without one, and a flipped bit in them may crash, hang or give other numbers. One that does not fit is
thrown away before anything in it is looked at. A disk that is full costs the cache, not the run. What was not used for
a month goes, and the oldest where there is too much (`_remove_old`).

While one process compiles, others that need the same wait for it, but not for ever: nothing depends on the lock but
their time. It is held while Numba compiles, and never while a kernel runs.

**The fingerprint** is a digest of all that Numba reads when it compiles a kernel: what this process has loaded, not
what lies on the disk. That is the bytecode of the kernel and of every function that it reaches, the constants and the
globals that they name, options, argument types, versions, and settings that make other code. Whoever edits a source
while a process runs changes nothing of what that process has loaded, and so not its digests. Comments, line numbers and
folders are no part of it: clones of one version have the same digests.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import hashlib
import multiprocessing
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.serialize import dumps
from numba.core.types import BaseNamedTuple, Type

from gpruntime.progress import in_a_notebook
from gpruntime.systems import cache_home, is_safe_above, is_this_users, open_file, read_beginning, rewrite, try_lock

KEPT, LOCK, HALF = ".kernel", ".lock", ".half"
_EARLIER = re.compile(r"engine-[0-9a-f]{16}")  # folders of versions that had one for each state of their sources
_DAMAGED = "what is damaged in the cache is thrown away, and made anew"
_DAY = 24 * 60 * 60.0
_MAX_DAYS, _MAX_BYTES = 30, 500_000_000

# How many seconds a process waits for another that compiles the same: before it says so at a terminal, before it says
# so elsewhere, where whoever reads it has no use for what is over soon, and before it compiles for itself.
SAY_AFTER, LOG_AFTER, WAIT = 2.0, 20.0, 60.0
_LOOK = 0.05

Answer = TypeVar("Answer")


_said: set[str] = set()


def say_once(words: str) -> None:
    """A line for whoever looks, once a process."""
    if words not in _said and sys.stderr is not None:
        print(f"gpruntime: {words}", file=sys.stderr, flush=True)
    _said.add(words)


class CodeCache:
    """The compiled code of this user.

    Attributes:
        folder: where it is kept, or None where nothing can be kept.
    """

    def __init__(self, name: str) -> None:
        self.folder = code_folder(name)
        self._ready: set[str] = set()

    def call(self, name: str, kernel: Callable[..., Answer], *args: Any) -> Answer:
        """Calls a kernel, which is loaded or compiled first; `name` stands for it and its types of arguments."""
        if name not in self._ready and hasattr(kernel, "compile"):  # else it is plain Python: `jit`
            self.prepare(kernel, tuple(map(numba.typeof, args)))
            self._ready.add(name)
        return kernel(*args)

    def prepare(self, kernel: Any, types: tuple[Any, ...]) -> None:
        """Loads or compiles a kernel for these types of arguments."""
        path = kernel._cache.path(types)
        if path is None or path.exists():
            with _compiling():
                kernel.compile(types)
            return
        with self._turn(path), _compiling():
            if not path.exists() and (_at_a_terminal() or in_a_notebook()):
                say_once("compiling the engine, once: some seconds")
            kernel.compile(types)

    @contextlib.contextmanager
    def _turn(self, path: Path) -> Iterator[None]:
        """One process at a time compiles what will be kept there; the others wait, as long as they have patience."""
        lock, is_ours = path.with_suffix(LOCK), False
        try:
            with contextlib.ExitStack() as held:
                with contextlib.suppress(OSError):  # a full disk, or a file system without locks
                    file = open_file(lock, os.O_RDWR | os.O_CREAT, 0o600)
                    held.callback(os.close, file)
                    if is_ours := self._has_lock(file, path):
                        rewrite(file, str(os.getpid()).encode())
                yield
        finally:
            if is_ours:
                _remove(lock)  # it is closed by now, as Windows wants it; whoever waits has it open

    def _has_lock(self, file: int, path: Path) -> bool:
        """Waits for the lock; False if what it is for is there, or patience is over."""
        begun, said_after = time.monotonic(), SAY_AFTER if _at_a_terminal() else LOG_AFTER
        while True:
            if try_lock(file):
                return True
            if path.exists():
                return False
            waited = time.monotonic() - begun
            if waited > said_after and (holder := _holder(file)) is not None:
                say_once(f"waiting for {holder}, which compiles {_kernel_of(path)}")
            if waited > WAIT:
                say_once(f"{_kernel_of(path)} is not compiled after {WAIT:g} s of waiting: compiling it here, too")
                return False
            time.sleep(_LOOK)

    def read(self, path: Path) -> Any:
        """What is kept there; None if there is nothing, or nothing whole: then it is thrown away."""
        code = self.read_bytes(path)
        return None if code is None else pickle.loads(code)  # noqa: S301  # in a folder of this user's alone

    def read_bytes(self, path: Path) -> bytes | None:
        """The same, as it lies there."""
        try:
            with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
                status = os.fstat(file.fileno())
                content = file.read() if stat.S_ISREG(status.st_mode) else b""
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        checksum, _, code = content.partition(b"\n")
        if checksum != _checksum(path, code):
            self.throw_away(path)
            return None
        if time.time() - status.st_mtime > _DAY:
            with contextlib.suppress(OSError):
                os.utime(path)  # in use: see `_remove_old`
        return code

    def throw_away(self, path: Path) -> None:
        """Removes what is damaged, and says so."""
        say_once(_DAMAGED)
        _remove(path)

    def write(self, path: Path, data: Any) -> None:
        """Keeps it there, if there is room."""
        self.write_bytes(path, dumps(data))  # type: ignore[no-untyped-call]

    def write_bytes(self, path: Path, code: bytes) -> None:
        """The same of bytes."""
        try:
            handle, half = tempfile.mkstemp(HALF, f".{path.stem}", path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_checksum(path, code) + b"\n" + code)
                Path(half).replace(path)
            except BaseException:
                Path(half).unlink(missing_ok=True)
                raise
        except OSError as error:
            say_once(f"nothing could be kept in {path.parent} ({error.strerror}); going on without")
            return
        _remove_old(path.parent)


class _Kept(NullCache):
    """What Numba asks before it compiles a kernel, and tells after."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._paths: dict[Any, Path | None] = {}

    def path(self, types: tuple[Any, ...]) -> Path | None:
        """Where code for these types of arguments is kept; None where it cannot be."""
        if CODE.folder is None:
            return None
        if types not in self._paths:
            self._paths[types] = None
            with contextlib.suppress(NoFingerprint):
                name, digest = self._kernel.py_func.__qualname__, fingerprint(self._kernel, types)
                self._paths[types] = CODE.folder / f"{name}-{digest}{KEPT}"
        return self._paths[types]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature; None if there is nothing."""
        path = self.path(sig)
        if path is None:
            return None
        target_context.refresh()
        try:
            content = CODE.read(path)
            rebuild: Any = CompileResult._rebuild
            return None if content is None else rebuild(target_context, *content)
        except Exception:
            CODE.throw_away(path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps what was compiled, unless it holds addresses of this process."""
        path = self.path(sig)
        if path is not None and not data.library.has_dynamic_globals:
            CODE.write(path, data._reduce())


def kept_on_disk(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    """What `compiler` makes of a function, kept in our folder and not in Numba's."""
    with jit_enabled():
        kernel = compiler()(function)
    kernel._cache = _Kept(kernel)
    return kernel


def _checksum(path: Path, code: bytes) -> bytes:
    """Of a file's code, and of the name it is kept under."""
    return hashlib.sha256(path.name.encode() + code).hexdigest().encode()


def _kernel_of(path: Path) -> str:
    return path.name.rpartition("-")[0]


def _holder(lock: int) -> str | None:
    """Who has a lock, in words; None if it is a thread of this process."""
    number = read_beginning(lock, 20).decode(errors="replace")
    if number == str(os.getpid()):
        return None
    return f"process {number}" if number.isdecimal() else "another process"


def _remove_old(folder: Path) -> None:
    """What was not used for long, and the rest of it where there is too much, the oldest first."""
    now, size = time.time(), 0
    with contextlib.suppress(OSError):  # others do the same
        files = [path for path in folder.iterdir() if path.suffix in (KEPT, LOCK, HALF)]
        earlier = [path for path in folder.parent.iterdir() if _EARLIER.fullmatch(path.name)]
        for path in sorted([*files, *earlier], key=lambda path: -path.lstat().st_mtime):
            status = path.lstat()
            size += status.st_size
            if now - status.st_mtime > _MAX_DAYS * _DAY or size > _MAX_BYTES:
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _at_a_terminal() -> bool:
    """Whether a line can be said there: a worker's would go into the middle of the progress that its parent shows."""
    return multiprocessing.parent_process() is None and sys.stderr is not None and sys.stderr.isatty()


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


# ---- the folder: whoever can write there runs code here, so it is this user's alone


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
    atexit.register(_remove_own, fresh, os.getpid())
    return _private(fresh, name)


def _bases() -> Iterator[Path]:
    if chosen := os.environ.get(SETTING):
        yield Path(chosen)
    elif cache := os.environ.get("XDG_CACHE_HOME"):
        yield Path(cache) / "gpruntime"
    else:
        with contextlib.suppress(RuntimeError):  # no HOME, and nobody in the list of users
            yield cache_home() / "gpruntime"


def _private(base: Path, name: str) -> Path:
    """The folder `name` in `base`, both made if they are missing; an OSError where others could write into it."""
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    base = base.resolve()
    folder = base / name
    for place in base.parents:
        if not is_safe_above(place.stat()):
            raise PermissionError(f"{place} can be written to by others")
    folder.mkdir(mode=0o700, exist_ok=True)
    for place in (base, folder):
        if not is_this_users(place.lstat()):
            raise PermissionError(f"{place} is not this user's alone")
    with tempfile.TemporaryFile(dir=folder):  # a file system that is read only has told nothing so far
        return folder


def _remove_own(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


CODE = CodeCache("kernels")


# ---- the fingerprint


_VERSIONS = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
_BY_VERSION = frozenset((*sys.stdlib_module_names, "numba", "llvmlite", "numpy"))  # a name and the version say it all
_SETTINGS = ("OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
_OF_CODE = (
    "co_name", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount",
    "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_exceptiontable",
)  # fmt: skip

# What each function named when it was first read: from then on Numba may have compiled it.
_first_read: dict[FunctionType, tuple[Any, ...]] = {}


class NoFingerprint(Exception):
    """Code that cannot be told from other code, and so cannot be kept."""


def fingerprint(kernel: Dispatcher, arguments: tuple[Type, ...]) -> str:
    """The digest of a kernel, compiled for these types of arguments; raises `NoFingerprint`."""
    config: Any = numba.config
    if config.BOUNDSCHECK:
        raise NoFingerprint("what checks an index is found by its type, and so not seen here (`memory`)")
    digest = hashlib.sha256()
    for line in (*description(kernel), *map(_argument, arguments), *_surroundings(kernel)):
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()[:32]


def description(kernel: Dispatcher) -> Iterator[str]:
    """A line for the kernel, and for each function that it reaches."""
    return _Reader().read(kernel)


class _Reader:
    """Reads functions, each once; where one is named, its number stands for it."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._functions: list[Any] = []

    def read(self, kernel: Any) -> Iterator[str]:
        self._number(kernel)
        for function in self._functions:  # it grows as they are read
            yield self._line(function)

    def _number(self, function: Any) -> int:
        if function not in self._numbers:
            self._numbers[function] = len(self._functions)
            self._functions.append(function)
        return self._numbers[function]

    def _line(self, compiled: Any) -> str:
        """A function, and how it is compiled."""
        options: list[Any] = []
        function = compiled
        if isinstance(compiled, Dispatcher):
            function, options = compiled.py_func, [*sorted(compiled.targetoptions.items()), *compiled.locals.items()]
        elif isinstance(compiled, _Intrinsic):
            function, options = compiled._defn, [("literal", compiled._prefer_literal)]
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        named = [name for name in _names(function.__code__) if name in function.__globals__]
        values = [function.__globals__[name] for name in named]
        _must_not_have_changed(function, (function.__code__, *cells, *values))
        kind, defaults = type(compiled).__name__, (function.__defaults__, function.__kwdefaults__)
        words = [kind, function.__module__, function.__code__, defaults, options, cells, named, values]
        return " ".join(map(self._describe, words))

    def _describe(self, value: Any) -> str:
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, CodeType):
            return self._describe([getattr(value, name) for name in _OF_CODE] + list(value.co_consts))
        if isinstance(value, tuple | list):
            fields = _fields(type(value)) if hasattr(value, "_fields") else ""
            return f"{fields}({', '.join(map(self._describe, value))})"
        if isinstance(value, frozenset):
            return f"{{{', '.join(sorted(map(self._describe, value)))}}}"
        if isinstance(value, dict):
            return self._describe(sorted(value.items()))
        if isinstance(value, np.generic | np.ndarray):
            return f"{np.shape(value)} {value.dtype.descr} {value.tobytes().hex()}"
        if isinstance(value, np.dtype | Type):
            return f"{type(value).__name__} {value}"
        if isinstance(value, ModuleType) and _package(value.__name__) in _BY_VERSION:
            return value.__name__
        if _package(getattr(value, "__module__", None) or "") in _BY_VERSION and hasattr(value, "__name__"):
            return f"{value.__module__}.{getattr(value, '__qualname__', value.__name__)}"
        if isinstance(value, BuiltinFunctionType | np.ufunc):
            return value.__name__
        if isinstance(value, type) and (hasattr(value, "_fields") or issubclass(value, BaseException | Type)):
            return _fields(value)
        if isinstance(value, Dispatcher | _Intrinsic | FunctionType):
            return f"function {self._number(value)}"
        raise NoFingerprint(f"compiled code refers to {value!r}")


def _names(code: CodeType) -> list[str]:
    """All names in a function and those inside it; what is no global among them is passed over by who asks."""
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _must_not_have_changed(function: FunctionType, values: tuple[Any, ...]) -> None:
    """A function whose module was loaded again may be compiled already, from what it named before."""
    before = _first_read.setdefault(function, values)
    if len(before) != len(values) or any(old is not new for old, new in zip(before, values, strict=True)):
        raise NoFingerprint(f"{function.__qualname__} has changed since it was loaded")


def _package(module: str) -> str:
    return module.partition(".")[0]


def _fields(kind: Any) -> str:
    """A class of ours: an error, a type of Numba's, or a named tuple with its fields."""
    fields = [getattr(kind, name, None) for name in ("_fields", "_field_defaults")]
    return f"{kind.__module__}.{kind.__qualname__}{fields}"


def _argument(kind: Any) -> str:
    """A type; where it is a named tuple's, Numba's own words leave out the names of the fields."""
    is_named = isinstance(kind, BaseNamedTuple)
    return f"{_fields(kind.instance_class)}({', '.join(map(_argument, kind.types))})" if is_named else str(kind)


def _surroundings(kernel: Any) -> Iterator[str]:
    """Versions, the processor, and settings."""
    yield repr(_VERSIONS)
    yield repr(kernel.targetctx.codegen().magic_tuple())
    config: Any = numba.config
    yield repr([getattr(config, name, None) for name in _SETTINGS])
