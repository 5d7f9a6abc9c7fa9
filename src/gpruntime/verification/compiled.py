"""Holds the compiled function of a problem to what Python makes of the same text, for small values and for large ones.

Runs of a few steps see small numbers only. Compiled arithmetic wraps around at 64 bits, so large ones are asked for by
themselves: large n, many leaves of a variable, long trees. Values grow as long as an answer takes no time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpruntime.engine.params import fitness_of, score
from gpruntime.engine.user_function import answers_of, guarded
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.verification.finding import BAD, GOOD, Finding

_COUNTS = (0, 1, 2, 3, 5, 10, 40, 100, 1000, 10**4, 10**5, 10**6)
_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40, 50, 60, 63, 64, 65, 100, 1000, 10**4, 10**5, 10**6)
_LEAVES = (1, 2, 5)  # a variable, of the arrays that are tried
_MAX_LEAVES = 10**5
_MAX_NODES = 2000  # of a program: a tree is built for each
_SLOW, _SLOW_TO_MAKE = 0.002, 0.1  # seconds for an answer, and for its question, after which values grow no further
_SECONDS = 3.0  # for all; all of them of this thread's own time, whatever else goes on
_SHOWN = 40

Question = tuple[Any, ...]


def same_answers(problem: Problem) -> Finding:
    """Whether Python and compiled code say the same."""
    what, answers, largest, spent = "compiled = Python", 0, 0, 0.0
    for spec, questions in _grown(problem):
        in_python, took = list[int | None](), 0.0
        for question in questions:
            answer, took = _timed(problem, question, spec)
            if took > _SLOW:  # the first time, perhaps, only
                took = min(took, _timed(problem, question, spec)[1])
            in_python.append(answer)
            spent += took
            if took > _SLOW:
                break
        compiled = _compiled_answers(problem, questions[: len(in_python)], spec)
        for question, answer, other in zip(questions, in_python, compiled, strict=False):
            if answer != other:
                both = f"Python says {_python(problem, question, spec.n)}, compiled code {_shown(other, spec)}"
                return Finding(BAD, what, f"given {_words(problem, question, spec.n)} {both}: see docs/own-problem.md")
        answers, largest = answers + len(in_python), max(largest, spec.n)
        if took > _SLOW or spent > _SECONDS:
            break
    return Finding(GOOD, what, f"{answers:,} answers, of small and large values, n up to {largest:,}")


def _timed(problem: Problem, question: Question, spec: RunSpec) -> tuple[int | None, float]:
    begun = time.thread_time()
    return _answer(problem, question, spec), time.thread_time() - begun


def _compiled_answers(problem: Problem, questions: list[Question], spec: RunSpec) -> list[int | None]:
    return guarded(problem, lambda: answers_of(problem, spec.n, questions))


def _grown(problem: Problem) -> Iterator[tuple[RunSpec, list[Question]]]:
    """Questions to ask, the smaller ones first."""
    for step, n in enumerate(_SIZES):
        begun = time.thread_time()
        try:
            spec = RunSpec(problem=problem.id, algorithm="gp-single", n=n, budget=1)
        except BadInput:  # not every n has a meaning
            continue
        questions = _questions(problem, spec, step)
        took = time.thread_time() - begun
        yield spec, questions
        if took > _SLOW_TO_MAKE:
            break


def _questions(problem: Problem, spec: RunSpec, step: int) -> list[Question]:
    primitives = spec.primitives
    if problem.adds_up:
        last = primitives.variables
        variables = sorted({min(i, last) for i in (1, 2, 3, max(last // 2, 1), last)})
        if problem.sees == "first":
            return list(itertools.product(variables, (1, 0, -1) if primitives.signed else (1, -1)))
        counts = _COUNTS[: step + 3]
        return list(itertools.product(variables, counts, counts if primitives.signed else (0,)))
    if problem.sees == "leaves":
        random = np.random.default_rng(0)
        sizes = [min(many * primitives.variables, _MAX_LEAVES) for many in _LEAVES]
        return [(random.integers(0, primitives.size, size),) for size in sizes]
    programs = []
    for number, many in enumerate(_LEAVES):
        init = f"insertion:leaves={min(many * primitives.variables, _MAX_NODES)}"
        tree = Initial.parse(init, spec.n, primitives).build(Stream(number, (0, 0, 0, 1), step))
        programs.append((problem.program(tree, spec.n),))
    return programs


def _answer(problem: Problem, question: Question, spec: RunSpec) -> int | None:
    """What Python says, as a score; None if that is refused, or if one of NumPy's integers wrapped around."""
    try:
        with np.errstate(over="warn" if problem.is_real(spec.n) else "raise"):
            return score(problem.answer(*_copied(question), spec.n), spec)
    except BadInput:
        return None


def _copied(question: Question) -> list[Any]:
    """A function may write over its array."""
    return [part.copy() if isinstance(part, np.ndarray) else part for part in question]


# ---- in words


def _python(problem: Problem, question: Question, n: int) -> str:
    try:
        with np.errstate(over="warn" if problem.is_real(n) else "raise"):
            value = str(problem(*_copied(question), n))
    except FloatingPointError as error:  # NumPy's word for it, of integers too
        return str(error)
    except Exception as error:
        return type(error).__name__
    return value if len(value) <= _SHOWN else f"a number of {len(value)} digits"


def _shown(score: int | None, spec: RunSpec) -> str:
    if score is None:
        return "nothing: it is refused"
    return str(fitness_of(np.array([score]), spec)[0])


def _words(problem: Problem, question: Question, n: int) -> str:
    names = {"counts": ("i", "plain", "bar"), "first": ("i", "sign")}.get(problem.sees)
    if names is None:
        return f"{len(question[0]):,} {'tokens' if problem.sees == 'program' else 'leaves'} and n = {n}"
    return ", ".join(f"{name} = {value}" for name, value in zip((*names, "n"), (*question, n), strict=True))
