"""What tells one piece of compiled code from another: a digest of all that Numba reads when it compiles a kernel.

That is what this process has loaded, not what lies on the disk: the bytecode of the kernel and of every function that
it reaches, the constants and the globals that they name, options, argument types, versions, and settings that make
other code. Whoever edits a source while a process runs changes nothing of what that process has loaded, and so not its
digests. Comments, line numbers and folders are no part of it: clones of one version have the same digests.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.types import BaseNamedTuple, Type

_VERSIONS = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
_BY_VERSION = frozenset((*sys.stdlib_module_names, "numba", "llvmlite", "numpy"))  # a name and the version say it all
_SETTINGS = ("OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
_CODE = (
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
            return self._describe([getattr(value, name) for name in _CODE] + list(value.co_consts))
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
