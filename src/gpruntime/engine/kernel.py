"""What is compiled, and how: Numba's `njit`, as it is.

A *kernel* is called from Python, runs without the GIL and is kept on disk. A *helper* is a function that kernels call:
compiled once, without an entry from Python, which takes longer to compile than the function itself; `py_func` is the
plain function. LLVM puts `inlined` helpers into their callers.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from gpruntime.engine.cache import jit_enabled, kept_on_disk


def helper(function: Callable[..., Any]) -> Any:
    """A function that kernels call."""
    return _without_entry(function, forceinline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """A function that kernels call, put into its caller."""
    return _without_entry(function, forceinline=True)


def _without_entry(function: Callable[..., Any], forceinline: bool) -> Any:
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": forceinline}
    with jit_enabled():
        return numba.njit(error_model="numpy", **options)(function)


# Numba compiles a helper anew for every constant it is given as an argument; these are int64 like any other number.
ZERO, ONE, MINUS_ONE = np.int64(0), np.int64(1), np.int64(-1)


def kernel(function: Callable[..., Any], name: str = "", **parts: Any) -> Any:
    """Compiles a function that is called from Python, in which `parts` stand for the names they have.

    They are globals of the function, not cells around it: Numba would file the code under what is in the cells, and a
    compiled helper is another one in every process.
    """
    bound = types.FunctionType(function.__code__, {**function.__globals__, **parts}, function.__name__)
    bound.__qualname__ = name or function.__qualname__
    return kept_on_disk(functools.partial(numba.njit, nogil=True, error_model="numpy"), bound)
