"""A user's function, compiled: as it is, with Python's errors.

It is compiled by itself, indices are checked and a division by zero raises, as in the model: a kernel that it is called
from ends with the error. What it returns is made a whole number (`law.score`), larger for better.
"""

from __future__ import annotations

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


def compiled(problem: Problem, n: int) -> Any:
    """The function of a problem with its parameters, for kernels: what it returns as a score."""
    function, values = standing_alone(problem), tuple(problem.parameters.values())
    direction = np.int64(problem.direction)
    with jit_enabled():
        one = numba.njit(boundscheck=True, error_model="python")(function)
        try:
            one.compile((*_SIGNATURES[problem.sees], *(numba.typeof(value) for value in values)))
        except NumbaError as error:
            raise CannotCompile(_reason(error)) from None
    (returned,) = {signature.return_type for signature in one.nopython_signatures}
    real = problem.is_real(n)
    if not isinstance(returned, types.Integer | types.Boolean) and not (real and isinstance(returned, types.Float)):
        raise CannotCompile(f"it returns {returned}, not {'a number' if real else 'a whole number'}")
    called = _bound(one, problem.sees, values)
    return _real(called, direction) if real else _whole(called, direction)


def _bound(one: Any, sees: str, values: tuple[Any, ...]) -> Any:
    """The function with its parameters put in; arguments as the model gives them."""
    if sees == "counts":

        @inlined
        def called(i, plain, bar, n):
            return one(i, plain, bar, n, *values)

    elif sees == "first":

        @inlined
        def called(i, sign, n):
            return one(i, sign, n, *values)

    else:

        @inlined
        def called(array, n):
            return one(array, n, *values)

    return called


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
