"""Calls into code that a user wrote and Numba compiled: it may raise, and it may never end.

A kernel cannot be interrupted. So it runs in a thread of its own while this one waits and stays open to Ctrl-C; the
thread is left behind then, and ends with the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from gpruntime.model.errors import BadInput, BadPart
from gpruntime.model.problem import Problem

Answer = TypeVar("Answer")
_LOOK_SECONDS = 0.1
_said: set[str] = set()


def guarded(problem: Problem, call: Callable[[], Answer]) -> Answer:
    """What the call returns; an error of the user's function in one line."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append((call(), None))
        except BaseException as error:
            found.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
    answer, error = found[0]
    if isinstance(error, BadInput):
        raise error
    if isinstance(error, ArithmeticError | LookupError | ValueError | TypeError | AssertionError | RuntimeError):
        raise BadPart(problem.field, problem.id, f"raised {type(error).__name__}: {error}") from error
    if error is not None:
        raise error
    result: Answer = answer
    return result


def say_once(words: str) -> None:
    """A line for whoever looks, once a process."""
    if words not in _said and sys.stderr is not None:
        print(f"gpruntime: {words}", file=sys.stderr, flush=True)
    _said.add(words)
