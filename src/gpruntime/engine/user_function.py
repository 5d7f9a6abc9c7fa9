"""A problem's function, compiled: as it is, with Python's errors, and called by its address.

It is compiled by itself, with the plain functions that it calls, so that the loops are compiled once for all problems
that see the same of a tree, and a new function is ready in a fraction of a second. A division by zero raises, as in the
model, and of a user's own indices are checked. Its data cannot be written to. What it returns is made an integer
(`score`), larger for better; it is refused if a sum over all variables might not fit 60 bits, so loops add up freely.

An error cannot pass from one to the other: the function then gives FAILED, and what it was asked is in its call frame.
The loop ends with `PartFailed`, and the question is put again, from Python, for the error itself: to the model, whose
words it is told in, and to the compiled function if the model has an answer.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from gpruntime.engine.cache import jit_enabled
from gpruntime.engine.jit import PLAIN, ZERO, inlined
from gpruntime.engine.memory import address_of, call_at, words_at
from gpruntime.model.errors import BadInput, BadPart
from gpruntime.model.part import standing_alone
from gpruntime.model.problem import Problem

FAILED = np.int64(-(2**63))  # no fitness: those have 60 bits, and floats 63
_MAGNITUDE = np.int64(2**63 - 1)
_WORD: Any = types.int64
_ENTRY = _WORD(_WORD, _WORD, _WORD, _WORD, types.CPointer(types.int64))
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "counts": (_WORD, _WORD, _WORD, _WORD),
    "first": (_WORD, _WORD, _WORD),
    "leaves": (types.int64[::1], _WORD),
    "program": (types.int64[::1], _WORD),
}

# a call frame: the question at which a function failed, (i, plain, bar), (i, sign) or (where the tokens are, how
# many); the largest number that it may return; how many numbers of data it has; the data
LARGEST, DATA_SIZE, DATA = 3, 4, 5


class CannotCompile(Exception):
    """A function outside Numba's subset; the model can run it."""


class PartFailed(Exception):
    """A problem's function raised an error, in a kernel."""


class UserFunction(NamedTuple):
    """A problem's function, compiled."""

    scored: Callable[..., int]  # what it returns as a score, from what it sees, n, the largest number it may return,
    # and the data; called from Python
    entry: Any  # the same for kernels
    sees: str  # what it sees of a tree

    @property
    def address(self) -> int:
        """Where kernels find it."""
        return int(self.entry.address)

    def raise_again(self, problem: Problem, frame: NDArray[np.int64], n: int) -> None:
        """Puts the question again at which it failed; tokens are still where they were."""
        question: list[Any] = frame[:LARGEST].tolist()
        if self.sees == "first":
            question.pop()
        elif self.sees != "counts":
            where, size, _ = question
            question = [np.array((ctypes.c_int64 * size).from_address(where) if size > 0 else [], np.int64)]
        problem.answer(*question, n)
        self.scored(tuple(question), n, frame[LARGEST], frame[DATA:])
        raise RuntimeError("an error that does not come again for the same tree")


def frame_of(problem: Problem, n: int) -> NDArray[np.int64]:
    """A call frame for a problem's function; data that are floats stand there as the integers of their bits."""
    data = problem.data(n).view(np.int64)
    return np.concatenate([np.zeros(LARGEST, np.int64), [problem.largest(n), len(data)], data])


def answers_of(problem: Problem, n: int, questions: Sequence[Sequence[Any]]) -> list[int | None]:
    """What the compiled function says, as scores; None where it is refused."""
    function, frame, answers = compiled(problem, n), frame_of(problem, n), list[int | None]()
    for question in questions:
        try:
            answers.append(int(function.scored(tuple(question), n, frame[LARGEST], frame[DATA:])))
        except Exception:
            answers.append(None)
    return answers


def _always_compiled(function: Any) -> Any:
    """Compiled where kernels are plain Python, too: they call a user's function by its address."""
    with jit_enabled():
        return numba.njit(function)


_known: dict[tuple[Any, ...], UserFunction | CannotCompile] = {}  # problems that differ in their data alone share one


def compiled(problem: Problem, n: int) -> UserFunction:
    """The function of a problem, or `CannotCompile`."""
    real, data = problem.is_real(n), problem.data(n).dtype if problem.has_data else None
    key = problem.compiled_as, problem.is_own, real, data
    if key not in _known:
        try:
            _known[key] = _compile(problem, real, None if data is None else numba.from_dtype(data))
        except CannotCompile as error:
            _known[key] = error
    function = _known[key]
    if isinstance(function, CannotCompile):
        raise function
    return function


def _compile(problem: Problem, real: bool, data: Any) -> UserFunction:
    values = problem.values
    given = tuple(map(numba.typeof, values)) if data is None else (types.Array(data, 1, "C", readonly=True),)
    with jit_enabled():
        function = _with_helpers(standing_alone(problem), problem.is_own, {})
        try:
            function.compile((*_SIGNATURES[problem.sees], *given))
        except Exception as error:  # Numba's own, or one of those it does not make its own
            raise CannotCompile(_reason(error)) from None
        function.disable_compile()  # its data cannot be written to, and never will
        (returned,) = {signature.return_type for signature in function.nopython_signatures}
        if not isinstance(returned, types.Integer | types.Boolean) and not (real and isinstance(returned, types.Float)):
            raise CannotCompile(f"it returns {returned}, not {'a number' if real else 'a whole number'}")
        parameters = _parameters(values) if data is None else _floats if data is types.float64 else _integers
        score = (_real if real else _integer)(np.int64(problem.direction))
        return UserFunction(*_entries(function, parameters, score, _QUESTIONS[problem.sees]), problem.sees)


def _with_helpers(function: Any, checked: bool, known: dict[Any, Any]) -> Any:
    """The function compiled, and with it the plain functions that it calls by their names."""
    if function not in known:
        known[function] = numba.njit(function)  # for one that calls itself
        called = {name: function.__globals__.get(name) for name in function.__code__.co_names}
        plain = {name: value for name, value in called.items() if isinstance(value, FunctionType)}
        compiled_ = {name: _with_helpers(value, checked, known) for name, value in plain.items()}
        twin = FunctionType(
            function.__code__, {**function.__globals__, **compiled_}, function.__name__, None, function.__closure__
        )
        twin.__defaults__, twin.__module__ = function.__defaults__, function.__module__
        known[function] = numba.njit(boundscheck=checked, error_model="python")(twin if compiled_ else function)
    return known[function]


# ---- from what is asked to a score


def _parameters(values: tuple[Any, ...]) -> Any:
    @numba.njit
    def parameters(data):
        return values

    return parameters


@_always_compiled
def _integers(data):
    return (data,)


@_always_compiled
def _floats(data):
    return (data.view(np.float64),)


# What it sees of a tree, from the three words that a kernel gives.
_QUESTIONS = {
    "counts": _always_compiled(lambda i, plain, bar: (i, plain, bar)),
    "first": _always_compiled(lambda i, sign, nothing: (i, sign)),
    "leaves": _always_compiled(lambda tokens, size, nothing: (numba.carray(words_at(tokens), size),)),  # type: ignore
}
_QUESTIONS["program"] = _QUESTIONS["leaves"]


def _integer(direction: Any) -> Any:
    @numba.njit
    def score(answer, largest):
        if answer > largest or answer < -largest:
            raise ValueError("gave a number that is too large")
        return direction * np.int64(answer)

    return score


def _real(direction: Any) -> Any:
    """See `params.score`."""

    @numba.njit
    def score(given, largest):
        answer = np.float64(given)
        if not np.isfinite(answer):
            raise ValueError("gave a fitness that is no finite number")
        bits = np.int64(answer.view(np.int64))
        return direction * (bits >> 1 if bits >= 0 else -((bits & _MAGNITUDE) >> 1))

    return score


def _entries(function: Any, parameters_of: Any, score: Any, question_of: Any) -> tuple[Any, Any]:
    """The function for Python, which gives it what it sees, and for kernels, which give it three words."""

    @numba.njit
    def scored(question, n, largest, data):
        return score(function(*(question + (n,) + parameters_of(data))), largest)  # noqa: RUF005  # Numba adds tuples

    @numba.cfunc(_ENTRY)
    def entry(first, second, third, n, address):
        frame = numba.carray(address, DATA)
        try:
            data = numba.carray(address, DATA + frame[DATA_SIZE])[DATA:]
            return scored(question_of(first, second, third), n, frame[LARGEST], data)
        except Exception:
            frame[0], frame[1], frame[2] = first, second, third
            return FAILED

    return scored, entry


# ---- as kernels call it


class UserCall(NamedTuple):
    """The params with which a problem's function is called."""

    spec_n: int
    user_function: int
    user_frame: int


def _plain_call_at(address, *words):
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5)(int(address))(*map(int, words)))


_call_at, _address_of = (_plain_call_at, lambda array: array.ctypes.data) if PLAIN else (call_at, address_of)


@inlined
def _answer(params, first, second, third):
    """What the problem's function says to these three words; `params` has what a `UserCall` has."""
    answer = _call_at(params.user_function, first, second, third, params.spec_n, params.user_frame)
    if answer == FAILED:
        raise PartFailed
    return answer


@inlined
def value_by_counts(params, i, plain, bar):
    """What a variable adds to the fitness, by its counts."""
    return _answer(params, i, plain, bar)


@inlined
def value_by_first(params, i, sign):
    """What a variable adds to the fitness, by the sign of its first leaf."""
    return _answer(params, i, sign, ZERO)


@inlined
def value_of_array(params, tokens, size):
    """The fitness of a tree, by this many tokens."""
    return _answer(params, _address_of(tokens), size, ZERO)


def _reason(error: Exception) -> str:
    """The line of Numba's message that says what it does not know."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    plain = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", "-", "["))]
    return (plain or lines or [type(error).__name__])[0]


# ---- calls from Python: the function may raise, and it may never end


Answer = TypeVar("Answer")
_LOOK_SECONDS = 0.1


def guarded(problem: Problem, call: Callable[[], Answer]) -> Answer:
    """What the call returns; an error of the user's function in one line."""
    ended: list[Any] = []

    def run() -> None:
        try:
            ended.append((call(), None))
        except BaseException as error:
            ended.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
    answer, error = ended[0]
    if isinstance(error, BadInput):
        raise error
    if isinstance(error, ArithmeticError | LookupError | ValueError | TypeError | AssertionError | RuntimeError):
        raise BadPart(problem.field, problem.id, f"raised {type(error).__name__}: {error}") from error
    if error is not None:
        raise error
    result: Answer = answer
    return result
