"""How the runs of a spec are made: the state of a run and the kernel, for our problems and for a user's own.

Some of our problems bring a faster form along (`kernels`). All others are compiled from their function, by what it
sees. A kernel is made when it is first needed, and kept under the name of the part, which holds the digest of its
source: an edited function is another kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.breeding import make_breeding
from gpruntime.engine.counts import CountsState, make_counts
from gpruntime.engine.first import make_first
from gpruntime.engine.grafting import make_grafting
from gpruntime.engine.hvl import make_hvl, sees_array, sees_variables
from gpruntime.engine.kernels import faster
from gpruntime.engine.law import NO_LIMIT, Law
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.own import CannotCompile, compiled
from gpruntime.engine.pool import Pool
from gpruntime.engine.problem import Stepping
from gpruntime.engine.rearing import (
    copy_counts,
    copy_planted,
    copy_whole,
    make_append_counts,
    make_append_first,
    make_append_whole,
    make_rearing,
)
from gpruntime.engine.score import score
from gpruntime.engine.state import State
from gpruntime.engine.stepping import make_stepping
from gpruntime.engine.survival import CONCATENATION, LAMBDA, MU, SMO
from gpruntime.engine.two_trees import TwoTrees
from gpruntime.engine.whole import WholeState, make_whole, read_leaves, read_program
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec

_SLOTS = 8  # of a pool that grows with its population


class Form(NamedTuple):
    """One way to make runs.

    Attributes:
        name: of the kernel.
        state: the memory of a run, from its law.
        kernel: see `frame`.
        planted: whether the state holds the shape of the tree.
        tries: whether a stuck run is found by trying proposals.
        own: whether a user's function is called.
        linear: whether an offspring takes time in proportion to its size.
        subtrees: whether an operation can take out more than a leaf.
    """

    name: str
    state: Callable[[Law], State | Pool]
    kernel: Callable[..., int]
    planted: bool
    tries: bool
    own: bool
    linear: bool
    subtrees: bool = False


def form_of(spec: RunSpec, method: str) -> Form:
    """The form for a spec; raises `CannotCompile` if its problem's function is outside Numba's subset."""
    real = spec.problem_.is_real(spec.n)
    if spec.family is not None:
        made = _crossed if spec.algorithm_.values.get("crossover") else _bred
        return _pooled(spec, made(spec.problem_, real, spec.n if real else 1))
    if spec.operator == "hvl":
        return _made_for_hvl(spec.problem_, real, spec.n if real else 1)
    fast = faster(spec.problem, method)
    if fast is not None and (spec.proof is not None or not _looks(spec)):
        state, kernel = fast
        planted = issubclass(state, OrderedState)
        return Form(f"{spec.problem}-{method}", state, kernel, planted, tries=False, own=False, linear=False)
    return _made(spec.problem_, real, spec.n if real else 1)


def _looks(spec: RunSpec) -> bool:
    """Whether a run has to look for an accepted proposal to know that it is not stuck."""
    return spec.operations_.most == 1 and not (spec.weights[0] > 0 and spec.accept_.accepts(0, 0))


def _parts(problem: Problem, value: Any) -> tuple[type[State], Stepping]:
    """The state and the functions of a problem, by what it sees, from its compiled function."""
    if problem.sees == "counts":
        return CountsState, make_counts(value)
    if problem.sees == "first":
        return OrderedState, make_first(value)
    return WholeState, make_whole(value, read_leaves if problem.sees == "leaves" else read_program)


@lru_cache(maxsize=64)
def _made(problem: Problem, real: bool, n: int) -> Form:
    state, parts = _parts(problem, compiled(problem, n))
    name = f"{problem.id}-{problem.sees}{'-real' if real else ''}"
    kernel = make_stepping(name, parts)
    tries, linear = problem.sees != "counts", not problem.adds_up
    return Form(name, state, kernel, state is not CountsState, tries, problem.is_own, linear)


@lru_cache(maxsize=64)
def _bred(problem: Problem, real: bool, n: int) -> Form:
    """The form for populations; its state is that of one tree."""
    value = compiled(problem, n)
    state, parts = _parts(problem, value)
    if problem.sees == "counts":
        rearing = make_rearing(parts, copy_counts, make_append_counts(value))
    elif problem.sees == "first":
        rearing = make_rearing(parts, copy_planted, make_append_first(value))
    else:
        rearing = make_rearing(parts, copy_whole, make_append_whole(parts.settle))
    name = f"{problem.id}-population{'-real' if real else ''}"
    kernel = make_breeding(name, rearing)
    return Form(name, state, kernel, state is not CountsState, False, problem.is_own, not problem.adds_up)


@lru_cache(maxsize=64)
def _crossed(problem: Problem, real: bool, n: int) -> Form:
    """The form for populations with subtree crossover; its state is that of one tree."""
    seen = (sees_variables if problem.adds_up else sees_array)(problem.sees, compiled(problem, n))
    name = f"{problem.id}-crossover{'-real' if real else ''}"
    kernel = make_breeding(name, make_grafting(seen.evaluate))
    return Form(name, TwoTrees, kernel, True, False, problem.is_own, linear=True)


def _pooled(spec: RunSpec, form: Form) -> Form:
    """The form with a pool of the spec's size in place of one tree."""
    assert spec.family is not None
    slots = {SMO: _SLOTS, LAMBDA: 1, MU: int(spec.algorithm_.values.get("mu", 1)), CONCATENATION: 3}[spec.family.number]
    tree = cast("type[State]", form.state)
    return form._replace(state=lambda law: Pool(law, tree, slots, front_scores(spec)))


def front_scores(spec: RunSpec) -> NDArray[np.int64]:
    """The scores of the front by the number of leaves, if that is the goal; one that no tree has where it has none."""
    front = spec.front if spec.goal == "front" else {}
    scores = np.full(max(front, default=-1) + 1, NO_LIMIT, np.int64)
    for leaves, fitness in front.items():
        scores[leaves] = score(fitness, spec)
    return scores


@lru_cache(maxsize=64)
def _made_for_hvl(problem: Problem, real: bool, n: int) -> Form:
    seen = (sees_variables if problem.adds_up else sees_array)(problem.sees, compiled(problem, n))
    name = f"{problem.id}-hvl{'-real' if real else ''}"
    return Form(name, TwoTrees, make_hvl(name, seen), True, True, problem.is_own, linear=True, subtrees=True)


@lru_cache(maxsize=256)
def why_not(problem: Problem, n: int) -> str | None:
    """Why a problem cannot be compiled, or None if it can."""
    try:
        compiled(problem, n)
    except CannotCompile as error:
        return str(error)
    return None
