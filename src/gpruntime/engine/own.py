"""The function of a problem, compiled: as it is, with Python's errors.

It is compiled by itself, with the plain functions that it calls. A division by zero raises, as in the model, and of a
user's own indices are checked: a kernel that it is called from ends with the error. What it returns is made a whole
number (`law.score`), larger for better.
"""

from __future__ import annotations

from functools import lru_cache
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from gpruntime.engine.cache import jit_enabled
from gpruntime.engine.kernel import inlined
from gpruntime.model.part import standing_alone
from gpruntime.model.problem import MOST_FITNESS, Problem

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "counts": (types.int64, types.int64, types.int64, types.int64),
    "first": (types.int64, types.int64, types.int64),
    "leaves": (types.int64[::1], types.int64),
    "program": (types.int64[::1], types.int64),
}
_MAGNITUDE = np.int64(2**63 - 1)


class CannotCompile(Exception):
    """A function outside Numba's subset; the model can run it."""


@lru_cache(maxsize=64)
def compiled(problem: Problem, real: bool, data: types.Type | None = None) -> Any:
    """The function of a problem, for kernels: what it returns as a score, a float if `real`.

    It takes what the problem sees, n, and the data; without data it has its parameters put in.
    """
    function, values = standing_alone(problem), problem.values
    direction = np.int64(problem.direction)
    more = tuple(numba.typeof(value) for value in values) if data is None else (types.Array(data, 1, "C"),)
    with jit_enabled():
        one = _with_helpers(function, problem.is_own, {})
        try:
            one.compile((*_SIGNATURES[problem.sees], *more))
        except NumbaError as error:
            raise CannotCompile(_reason(error)) from None
    (returned,) = {signature.return_type for signature in one.nopython_signatures}
    if not isinstance(returned, types.Integer | types.Boolean) and not (real and isinstance(returned, types.Float)):
        raise CannotCompile(f"it returns {returned}, not {'a number' if real else 'a whole number'}")
    called = _with_data(one, problem.sees, data is types.float64) if data else _bound(one, problem.sees, values)
    return _real(called, direction) if real else _whole(called, direction)


def _with_helpers(function: Any, checked: bool, known: dict[Any, Any]) -> Any:
    """The function compiled, and with it the plain functions that it calls by their names."""
    if function not in known:
        known[function] = numba.njit(function)  # for one that calls itself
        called = {name: function.__globals__.get(name) for name in function.__code__.co_names}
        plain = {name: one for name, one in called.items() if isinstance(one, FunctionType)}
        compiled_ = {name: _with_helpers(one, checked, known) for name, one in plain.items()}
        twin = FunctionType(
            function.__code__, {**function.__globals__, **compiled_}, function.__name__, None, function.__closure__
        )
        twin.__defaults__, twin.__module__ = function.__defaults__, function.__module__
        known[function] = numba.njit(boundscheck=checked, error_model="python")(twin if compiled_ else function)
    return known[function]


def _bound(one: Any, sees: str, values: tuple[Any, ...]) -> Any:
    """The function with its parameters put in; arguments as the model gives them, and data that is none."""
    if sees == "counts":

        @inlined
        def called(i, plain, bar, n, data):
            return one(i, plain, bar, n, *values)

    elif sees == "first":

        @inlined
        def called(i, sign, n, data):
            return one(i, sign, n, *values)

    else:

        @inlined
        def called(array, n, data):
            return one(array, n, *values)

    return called


def _with_data(one: Any, sees: str, floats: bool) -> Any:
    """The function, given the data as the numbers they are: a state keeps them as whole ones."""
    read = _as_floats if floats else _as_they_are
    if sees == "counts":

        @inlined
        def called(i, plain, bar, n, data):
            return one(i, plain, bar, n, read(data))

    elif sees == "first":

        @inlined
        def called(i, sign, n, data):
            return one(i, sign, n, read(data))

    else:

        @inlined
        def called(array, n, data):
            return one(array, n, read(data))

    return called


@inlined
def _as_they_are(data):
    return data


@inlined
def _as_floats(data):
    return data.view(np.float64)


def _whole(called: Any, direction: Any) -> Any:
    @inlined
    def value(*arguments):
        found = np.int64(called(*arguments))
        if found > MOST_FITNESS or found < -MOST_FITNESS:
            raise ValueError("gave a fitness of more than 60 bits")
        return direction * found

    return value


def _real(called: Any, direction: Any) -> Any:
    """See `law.score`."""

    @inlined
    def value(*arguments):
        found = np.float64(called(*arguments))
        if not np.isfinite(found):
            raise ValueError("gave a fitness that is no finite number")
        bits = np.int64(found.view(np.int64))
        return direction * (bits >> 1 if bits >= 0 else -((bits & _MAGNITUDE) >> 1))

    return value


def _reason(error: NumbaError) -> str:
    """The line of Numba's message that says what it does not know."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    plain = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", "-", "["))]
    return (plain or lines or [type(error).__name__])[0]
