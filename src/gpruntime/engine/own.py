"""A problem's function, compiled: as it is, with Python's errors, and called by its address.

It is compiled by itself, so that the loops are compiled once for all problems that see the same of a tree, and a new
function is ready in a fraction of a second. Indices are checked and a division by zero raises, as in the model. What it
returns is made a whole number (`score`), larger for better.

An error cannot pass from one to the other: the function then gives FAILED, and what it was asked is kept in `Question`.
The loop ends with `PartFailed`, and the question is put again, from Python, for the error itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import NumbaError
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpruntime.engine.cache import jit_enabled
from gpruntime.engine.kernel import ZERO, inlined
from gpruntime.engine.memory import item
from gpruntime.model.part import standing_alone
from gpruntime.model.problem import MOST_FITNESS, Problem

FAILED = np.int64(-(2**63))  # no fitness: those have 60 bits, and floats 63
QUESTION = 3  # words of what a function is asked, n aside: (i, plain, bar), (i, sign, 0) or (where, how many, 0)
_MAGNITUDE = np.int64(2**63 - 1)
_WORD: Any = types.int64
_WORDS: Any = types.CPointer(types.int64)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "counts": (_WORD, _WORD, _WORD, _WORD),
    "first": (_WORD, _WORD, _WORD),
    "leaves": (types.int64[::1], _WORD),
    "program": (types.int64[::1], _WORD),
}


class CannotCompile(Exception):
    """A function outside Numba's subset; the model can run it."""


class PartFailed(Exception):
    """A problem's function raised an error, in a kernel."""


class Own(NamedTuple):
    """A problem's function, compiled.

    Attributes:
        scored: what it returns as a score; called from Python.
        entry: the same for kernels, with a place to write down a question it failed at.
        sees: what it sees of a tree.
    """

    scored: Callable[..., int]
    entry: Any
    sees: str

    @property
    def address(self) -> int:
        """Where kernels find it."""
        return int(self.entry.address)

    def raise_again(self, question: NDArray[np.int64], tokens: NDArray[np.int64] | None, n: int) -> None:
        """Puts the question again at which it failed; `tokens`: the room an array was read into."""
        if tokens is not None:
            self.scored(tokens[: question[1]], n)
        else:
            self.scored(*question[: 3 if self.sees == "counts" else 2].tolist(), n)
        raise RuntimeError("an error that does not come again for the same tree")


def compiled(problem: Problem, n: int) -> Own:
    """The function of a problem with its parameters."""
    function, values = standing_alone(problem), tuple(problem.parameters.values())
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
    make = {"counts": _of_counts, "first": _of_first}.get(problem.sees, _of_array)
    with jit_enabled():
        return Own(*make(one, values, (_real if real else _whole)(np.int64(problem.direction))), problem.sees)


# ---- from what it returns to a score


def _whole(direction: Any) -> Any:
    @numba.njit
    def score(found):
        if found > MOST_FITNESS or found < -MOST_FITNESS:
            raise ValueError("gave a fitness of more than 60 bits")
        return direction * np.int64(found)

    return score


def _real(direction: Any) -> Any:
    """See `score`."""

    @numba.njit
    def score(given):
        found = np.float64(given)
        if not np.isfinite(found):
            raise ValueError("gave a fitness that is no finite number")
        bits = np.int64(found.view(np.int64))
        return direction * (bits >> 1 if bits >= 0 else -((bits & _MAGNITUDE) >> 1))

    return score


# ---- with its parameters, for Python and for kernels


def _of_counts(one: Any, values: tuple[Any, ...], score: Any) -> tuple[Any, Any]:
    @numba.njit
    def scored(i, plain, bar, n):
        return score(one(i, plain, bar, n, *values))

    @numba.cfunc(_WORD(_WORD, _WORD, _WORD, _WORD, _WORDS))
    def entry(i, plain, bar, n, question):
        try:
            return scored(i, plain, bar, n)
        except Exception:
            asked = numba.carray(question, QUESTION)
            asked[0], asked[1], asked[2] = i, plain, bar
            return FAILED

    return scored, entry


def _of_first(one: Any, values: tuple[Any, ...], score: Any) -> tuple[Any, Any]:
    @numba.njit
    def scored(i, sign, n):
        return score(one(i, sign, n, *values))

    @numba.cfunc(_WORD(_WORD, _WORD, _WORD, _WORD, _WORDS))
    def entry(i, sign, nothing, n, question):
        try:
            return scored(i, sign, n)
        except Exception:
            asked = numba.carray(question, QUESTION)
            asked[0], asked[1] = i, sign
            return FAILED

    return scored, entry


def _of_array(one: Any, values: tuple[Any, ...], score: Any) -> tuple[Any, Any]:
    @numba.njit
    def scored(array, n):
        return score(one(array, n, *values))

    @numba.cfunc(_WORD(_WORDS, _WORD, _WORD, _WORD, _WORDS))
    def entry(tokens, size, nothing, n, question):
        try:
            return scored(numba.carray(tokens, size), n)
        except Exception:
            numba.carray(question, QUESTION)[1] = size
            return FAILED

    return scored, entry


# ---- as kernels call it


@intrinsic
def _call(typing: Any, address: Any, first: Any, second: Any, third: Any, n: Any, question: Any) -> Any:
    """Calls the entry of a problem's function at an address; pointers are words here."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        entry = builder.inttoptr(arguments[0], ir.FunctionType(word, [word] * 5).as_pointer())
        return builder.call(entry, arguments[1:])

    return _WORD(*[_WORD] * 6), generate


@intrinsic
def _address(typing: Any, array: Any, index: Any) -> Any:
    """Where array[index] is, as a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(item(context, builder, signature.args[0], *arguments), ir.IntType(64))

    return _WORD(array, types.intp), generate


@inlined
def _answer(law, first, second, third):
    found = _call(law.function, first, second, third, law.size, law.question)
    if found == FAILED:
        raise PartFailed
    return found


@inlined
def value_by_counts(law, i, plain, bar):
    """What a variable adds to the fitness, by its counts."""
    return _answer(law, i, plain, bar)


@inlined
def value_by_first(law, i, sign):
    """What a variable adds to the fitness, by the sign of its first leaf."""
    return _answer(law, i, sign, ZERO)


@inlined
def value_of_array(law, memory, begin, size):
    """The fitness of a tree that was read into memory."""
    return _answer(law, _address(memory, begin), size, ZERO)


def _reason(error: NumbaError) -> str:
    """The line of Numba's message that says what it does not know."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    plain = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", "-", "["))]
    return (plain or lines or [type(error).__name__])[0]
