"""How the runs of a spec are made: the state of a run and the kernel, for our problems and for a user's own.

Some of our problems bring a faster form along (`problems`). All others have a loop by what they see of a tree, one for
all of them, which calls the problem's function (`own`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine import problems
from gpruntime.engine.breeding import make_breeding
from gpruntime.engine.copying import Seen, make_copying, sees_array, sees_variables
from gpruntime.engine.counts import BY_COUNTS, CountsState
from gpruntime.engine.first import BY_FIRST
from gpruntime.engine.grafting import make_grafting
from gpruntime.engine.law import NO_LIMIT, Law
from gpruntime.engine.operators import HVL, HVL_PRIME
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.own import CannotCompile, Own, compiled
from gpruntime.engine.pool import Pool
from gpruntime.engine.problem import Skipping, Stepping
from gpruntime.engine.rearing import APPEND, COPY, make_rearing
from gpruntime.engine.score import score
from gpruntime.engine.skipping import make_skipping
from gpruntime.engine.state import State
from gpruntime.engine.stepping import make_stepping
from gpruntime.engine.survival import CONCATENATION, LAMBDA, MU, SMO
from gpruntime.engine.two_trees import TwoTrees
from gpruntime.model.spec import RunSpec

_SLOTS = 8  # of a pool that grows with its population
_BRING_FORMS = frozenset(module.name for module in pkgutil.iter_modules(problems.__path__))


class Form(NamedTuple):
    """One way to make runs.

    Attributes:
        name: of the kernel.
        state: the memory of a run, from its law.
        kernel: see `frame`.
        planted: whether the state holds the shape of the tree.
        tries: whether a stuck run is found by trying proposals.
        own: the function of the problem, if it is called.
        linear: whether an offspring takes time in proportion to its size.
        subtrees: whether the loop knows of operations that take out more than a leaf.
        skips: whether hopeless offspring are skipped.
    """

    name: str
    state: Callable[[Law], State | Pool]
    kernel: Callable[..., int]
    planted: bool
    tries: bool
    own: Own | None
    linear: bool
    subtrees: bool = False
    skips: bool = False


def form_of(spec: RunSpec, method: str) -> Form:
    """The form for a spec; raises `CannotCompile` if its problem's function is outside Numba's subset."""
    problem = spec.problem_
    if spec.family is not None:
        grafts = not problem.adds_up or spec.algorithm_.values.get("crossover")
        loop = (_grafting if grafts else _breeding)(problem.sees)
        planted, linear = loop.state is not CountsState, loop.state is TwoTrees
        return _pooled(spec, Form(*loop, planted, True, compiled(problem, spec.n), linear))
    if spec.operator == "hvl" or not (spec.primitives.is_binary and problem.adds_up):
        loop = _copying(problem.sees, spec.operator, not problem.arities)
        return Form(*loop, True, True, compiled(problem, spec.n), linear=True, subtrees=True)
    if (fast := _faster(spec, method)) is not None:
        planted, skips = issubclass(fast.state, OrderedState), method == "skipping"
        return Form(*fast, planted, tries=False, own=None, linear=False, skips=skips)
    loop = _stepping(problem.sees)
    planted = loop.state is not CountsState
    return Form(*loop, planted, _tries(problem.sees), compiled(problem, spec.n), linear=False)


def _faster(spec: RunSpec, method: str) -> _Loop | None:
    """The faster form that its problem brings along, where it is what the spec asks for."""
    is_plain = spec.family is None and spec.operator == "hvl-prime"
    return faster(spec.problem, method) if is_plain and (spec.proof is not None or not _looks(spec)) else None


def _looks(spec: RunSpec) -> bool:
    """Whether a run has to look for an accepted proposal to know that it is not stuck."""
    return spec.operations_.most == 1 and not (spec.weights[0] > 0 and spec.accept_.accepts(0, 0))


class _Loop(NamedTuple):
    """A loop for one problem, or for all that see the same of a tree."""

    name: str
    state: type[State]
    kernel: Callable[..., int]


@cache
def faster(problem: str, method: str) -> _Loop | None:
    """The faster form of the problem with this id, if it brings one for this method."""
    brings = problem in _BRING_FORMS
    forms = importlib.import_module(f"{problems.__name__}.{problem}").FORMS if brings else {}
    if method not in forms:
        return None
    name, (state, parts) = f"{problem}_{method}", forms[method]
    kernel = make_skipping(name, parts) if isinstance(parts, Skipping) else make_stepping(name, parts, tries=False)
    return _Loop(name, state, kernel)


_ONE_TREE: dict[str, tuple[type[State], Stepping]] = {
    "counts": (CountsState, BY_COUNTS),
    "first": (OrderedState, BY_FIRST),
}


@cache
def _stepping(sees: str) -> _Loop:
    state, parts = _ONE_TREE[sees]
    name = f"{sees}_stepping"
    return _Loop(name, state, make_stepping(name, parts, _tries(sees)))


def _tries(sees: str) -> bool:
    """Whether a stuck run of one tree is found by trying proposals: for counts there is a criterion."""
    return sees != "counts"


def _seen(sees: str) -> Seen:
    return sees_variables(sees) if sees in _ONE_TREE else sees_array(sees)


@cache
def _copying(sees: str, operator: str, binary: bool) -> _Loop:
    name = f"{sees}_{operator.replace('-', '_')}_{'binary' if binary else 'any'}"
    seen = _seen(sees)
    return _Loop(name, TwoTrees, make_copying(name, seen, HVL if operator == "hvl" else HVL_PRIME, binary))


@cache
def _breeding(sees: str) -> _Loop:
    """For populations; its state is that of one tree."""
    state, parts = _ONE_TREE[sees]
    name = f"{sees}_population"
    return _Loop(name, state, make_breeding(name, make_rearing(parts, COPY[sees], APPEND[sees])))


@cache
def _grafting(sees: str) -> _Loop:
    """The same with subtree crossover, or where a problem sees leaves, or the program."""
    name = f"{sees}_grafting"
    return _Loop(name, TwoTrees, make_breeding(name, make_grafting(_seen(sees).evaluate)))


def _pooled(spec: RunSpec, form: Form) -> Form:
    """The form with a pool of the spec's size in place of one tree."""
    assert spec.family is not None
    tree, mu = cast("type[State]", form.state), int(spec.algorithm_.values.get("mu", 1))
    slots = {SMO: _SLOTS, LAMBDA: 1 + (tree is TwoTrees), MU: mu, CONCATENATION: 3}[spec.family.number]
    return form._replace(state=lambda law: Pool(law, tree, slots, front_scores(spec)))


def front_scores(spec: RunSpec) -> NDArray[np.int64]:
    """The scores of the front by the number of leaves, if that is the goal; one that no tree has where it has none."""
    front = spec.front if spec.goal == "front" else {}
    scores = np.full(max(front, default=-1) + 1, NO_LIMIT, np.int64)
    for leaves, fitness in front.items():
        scores[leaves] = score(fitness, spec)
    return scores


def why_not(spec: RunSpec) -> str | None:
    """Why the problem's function cannot be compiled, or None if it can, or is not called."""
    if _faster(spec, "stepping") is not None:
        return None
    try:
        compiled(spec.problem_, spec.n)
    except CannotCompile as error:
        return str(error)
    return None
