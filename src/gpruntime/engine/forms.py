"""How the runs of a spec are made: the state of a run and the kernel, for our problems and for a user's own.

Some of our problems bring a faster form along (`kernels`). All others are compiled from their function, by what it
sees. A kernel is made when it is first needed, and kept under the name of the part, which holds the digest of its
source: an edited function is another kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numba
from numba import types

from gpruntime.engine.counts import CountsState, make_counts
from gpruntime.engine.first import FirstState, make_first
from gpruntime.engine.hvl import make_hvl, sees_array, sees_variables
from gpruntime.engine.kernels import faster
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.own import CannotCompile, compiled
from gpruntime.engine.state import State
from gpruntime.engine.stepping import make_stepping
from gpruntime.engine.two_trees import TwoTrees
from gpruntime.engine.whole import WholeState, make_whole, read_leaves, read_program
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec


class Form(NamedTuple):
    """One way to make runs.

    Attributes:
        name: of the kernel.
        state: the memory of a run.
        kernel: see `frame`.
        planted: whether the state holds the shape of the tree.
        tries: whether a stuck run is found by trying proposals.
        own: whether a user's function is called.
        linear: whether an offspring takes time in proportion to its size.
        subtrees: whether an operation can take out more than a leaf.
    """

    name: str
    state: type[State]
    kernel: Callable[..., int]
    planted: bool
    tries: bool
    own: bool
    linear: bool
    subtrees: bool = False


def form_of(spec: RunSpec, method: str) -> Form:
    """The form for a spec; raises `CannotCompile` if its problem's function is outside Numba's subset."""
    real = spec.problem_.is_real(spec.n)
    if spec.operator == "hvl":
        return _made_for_hvl(_same(spec.problem_, real), real, _kind_of_data(spec.problem_, spec.n))
    fast = faster(spec.problem, method)
    if fast is not None and (spec.proof is not None or not _looks(spec)):
        state, kernel = fast
        planted = issubclass(state, OrderedState)
        return Form(f"{spec.problem}-{method}", state, kernel, planted, tries=False, own=False, linear=False)
    return _made(_same(spec.problem_, real), real, _kind_of_data(spec.problem_, spec.n))


def _looks(spec: RunSpec) -> bool:
    """Whether a run has to look for an accepted proposal to know that it is not stuck."""
    return spec.operations_.most == 1 and not (spec.weights[0] > 0 and spec.accept_.accepts(0, 0))


def _same(problem: Problem, real: bool) -> Problem:
    """The first of the problems that are compiled alike."""
    return _firsts.setdefault((problem.compiled_as, problem.is_own, real), problem)


_firsts: dict[tuple[str, bool, bool], Problem] = {}


def _kind_of_data(problem: Problem, n: int) -> types.Type | None:
    return numba.from_dtype(problem.data(n).dtype) if problem.has_data else None


@lru_cache(maxsize=64)
def _made(problem: Problem, real: bool, data: types.Type | None) -> Form:
    value = compiled(problem, real, data)
    state: type[State] = CountsState
    if problem.sees == "counts":
        parts = make_counts(value)
    elif problem.sees == "first":
        state, parts = FirstState, make_first(value)
    else:
        state, parts = WholeState, make_whole(value, read_leaves if problem.sees == "leaves" else read_program)
    name = f"{problem.compiled_as}-{problem.sees}{'-real' if real else ''}"
    kernel = make_stepping(name, parts)
    tries, linear = problem.sees != "counts", not problem.adds_up
    return Form(name, state, kernel, state is not CountsState, tries, problem.is_own, linear)


@lru_cache(maxsize=64)
def _made_for_hvl(problem: Problem, real: bool, data: types.Type | None) -> Form:
    seen = (sees_variables if problem.adds_up else sees_array)(problem.sees, compiled(problem, real, data))
    name = f"{problem.compiled_as}-hvl{'-real' if real else ''}"
    return Form(name, TwoTrees, make_hvl(name, seen), True, True, problem.is_own, linear=True, subtrees=True)


@lru_cache(maxsize=256)
def why_not(problem: Problem, n: int) -> str | None:
    """Why a problem cannot be compiled, or None if it can."""
    try:
        compiled(_same(problem, real := problem.is_real(n)), real, _kind_of_data(problem, n))
    except CannotCompile as error:
        return str(error)
    return None
