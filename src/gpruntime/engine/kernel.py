"""What is compiled, and how: Numba with documented options only.

A *kernel* is called from Python, runs without the GIL and is kept on disk. A *helper* is a plain function that kernels
call: Numba compiles it where it is used, and Python can call it as it is. LLVM puts `inlined` helpers into their
callers.

Numba counts references to arrays, which costs more than a step does. LLVM takes the counting out again where an array
is an argument of a function, but not where it is taken out of a tuple within a loop. So kernels are given tuples of
numbers, and few arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.extending import register_jitable

from gpruntime.engine.cache import kept_on_disk

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}


def helper(function: Callable[..., Any]) -> Any:
    """A function that kernels call."""
    return register_jitable(**_OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A function that kernels call, put into its caller."""
    return register_jitable(**_OPTIONS, forceinline=True)(function)


# Numba compiles a helper anew for every constant it is given as an argument; these are int64 like any other number.
ZERO, ONE, MINUS_ONE = np.int64(0), np.int64(1), np.int64(-1)


def kernel(function: Callable[..., Any], name: str = "") -> Any:
    """Compiles a function that is called from Python; `name` tells apart those that one function makes."""
    function.__qualname__ = name or function.__qualname__
    return kept_on_disk(functools.partial(numba.njit, nogil=True, **_OPTIONS), function)
