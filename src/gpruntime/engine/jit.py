"""What is compiled, and how: Numba's `njit`, as it is; or nothing, for a debugger.

A *kernel* is called from Python, runs without the interpreter's lock and is kept on disk. A *helper* is a function that
kernels call: compiled once, without an entry from Python, which takes longer to compile than the function itself. LLVM
puts `inlined` helpers into their callers. An `inlined_once` one stands at one place only: Numba puts it there before it
compiles anything, so that it is compiled once and not by itself and again in its caller.

With `NUMBA_DISABLE_JIT=1` nothing is compiled: kernels and helpers are the plain functions of these files, on NumPy's
arrays, so that pdb stops in them, coverage counts their lines and an index out of range raises.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from gpruntime.engine.cache import kept_on_disk

PLAIN = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def helper(function: Callable[..., Any]) -> Any:
    """A function that kernels call."""
    return _without_entry(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A function that kernels call, put into its caller."""
    return _without_entry(function, forceinline=True)


def inlined_once(function: Callable[..., Any]) -> Any:
    """A part of one function that stands by itself."""
    return _without_entry(function, inline="always")


def _without_entry(function: Callable[..., Any], **more: Any) -> Any:
    if PLAIN:
        return function
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **more}
    return numba.njit(error_model="numpy", **options)(function)


# Numba compiles a helper anew for every constant it is given as an argument; these are int64 like any other number.
ZERO, ONE, MINUS_ONE = np.int64(0), np.int64(1), np.int64(-1)


def kernel(function: Callable[..., Any], name: str = "", **parts: Any) -> Any:
    """Compiles a function that is called from Python, with these parts in place of the globals of the same names.

    Globals, and not variables of a function around it: Numba's files would be found again only by a process that has
    the very same objects there. Here the name says what it is made of.
    """
    twin = types.FunctionType(function.__code__, {**function.__globals__, **parts}, function.__name__)
    twin.__qualname__, twin.__module__ = name or function.__qualname__, function.__module__
    if PLAIN:
        return _wrapping(twin)
    return kept_on_disk(functools.partial(numba.njit, nogil=True, error_model="numpy"), twin)


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with arithmetic that wraps around at 64 bits in silence, as compiled code's does."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return call


def missing(*_: Any) -> Any:
    """Stands for a part until a kernel is made."""
    raise NotImplementedError
