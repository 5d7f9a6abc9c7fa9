"""Which kernel makes the runs of a spec, and on what memory: for our problems and for a user's own.

Some of our problems bring a faster form along (`problems`). All others have a loop by what they see of a tree, one for
all of them, which calls the problem's function (`user_function`).
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine import problems
from gpruntime.engine.circuits import CIRCUIT_KERNEL, circuit_memory, circuit_params
from gpruntime.engine.counts import BY_COUNTS, COUNTS_TREE
from gpruntime.engine.first import BY_FIRST
from gpruntime.engine.linked_tree import LINKED_TREE
from gpruntime.engine.params import NO_LIMIT, Params, params_of, score
from gpruntime.engine.populations import (
    CONCATENATION,
    LAMBDA,
    MU,
    SLOT_TOOLS,
    SMO,
    PopulationMemory,
    make_by_copy,
    make_in_place,
    make_population_kernel,
)
from gpruntime.engine.postfix_operators import OPERATORS
from gpruntime.engine.postfix_tree import POSTFIX_TREES
from gpruntime.engine.rejection_free import RejectionFree, make_rejection_free
from gpruntime.engine.rewriting import Seen, make_rewriting, sees_array, sees_variables
from gpruntime.engine.stepping import Stepping, make_stepping
from gpruntime.engine.tree_memory import ProgramMemory, TreeKind, TreeMemory
from gpruntime.engine.truth_tables import TABLE_KERNEL, table_memory, table_params
from gpruntime.engine.user_function import CannotCompile, UserFunction, compiled
from gpruntime.model.spec import RunSpec

_SLOTS = 8  # of a pool that grows with its population
_BRING_FORMS = frozenset(module.name for module in pkgutil.iter_modules(problems.__path__))


class Form(NamedTuple):
    """One way to make runs: a kernel for one problem, or for all that see the same of a tree."""

    name: str  # of the kernel
    kind: TreeKind  # of its trees
    kernel: Callable[..., int]  # see `main_loop`
    tries: bool = True  # whether a stuck run is found by trying proposals
    calls: bool = True  # whether it calls the problem's function
    function: UserFunction | None = None  # that function
    subtrees: bool = False  # whether the loop knows of operations that take out more than a leaf

    @property
    def has_shape(self) -> bool:
        """Whether the memory holds the shape of the tree."""
        return "nodes" in self.kind.fields._fields

    @property
    def linear(self) -> bool:
        """Whether an offspring takes time in proportion to its size."""
        return self.kind is POSTFIX_TREES

    def params(self, spec: RunSpec, tracing: bool, function: int, frame: int) -> Params:
        """The numbers of a spec."""
        return params_of(spec, self.tries, tracing, function, frame)

    def memory(self, spec: RunSpec, params: Params) -> TreeMemory | PopulationMemory:
        """The memory of a run."""
        if spec.family is None:
            return TreeMemory(self.kind, params)
        mu = int(spec.algorithm.values.get("mu", 1))
        slots = {SMO: _SLOTS, LAMBDA: 1 + self.linear, MU: mu, CONCATENATION: 3}[spec.family.number]
        return PopulationMemory(self.kind, params, slots, front_scores(spec))


@dataclass(frozen=True)
class ProgramForm:
    """One way to make runs of programs other than trees. It looks like a `Form`."""

    name: str
    kernel: Callable[..., int]
    params: Callable[[RunSpec, bool, int, int], Any]
    memory: Callable[[RunSpec, Any], ProgramMemory]
    function: UserFunction | None = None

    tries = has_shape = subtrees = False
    linear = True


PROGRAMS = {
    "circuit": ProgramForm("circuits", CIRCUIT_KERNEL, circuit_params, circuit_memory),
    "truth-table": ProgramForm("truth_tables", TABLE_KERNEL, table_params, table_memory),
}


def form_of(spec: RunSpec, method: str) -> Form | ProgramForm:
    """The form for a spec; raises `CannotCompile` if its problem's function is outside Numba's subset."""
    problem = spec.problem
    if not spec.representation.is_tree:
        program = PROGRAMS[spec.representation.id]
        return dataclasses.replace(program, function=None if _has_table(spec) else compiled(problem, spec.n))
    if spec.family is not None:
        by_copy = not problem.adds_up or spec.algorithm.values.get("crossover")
        form = (_by_copy if by_copy else _in_place)(problem.sees)
    elif spec.operator.id != "hvl-prime" or not (spec.primitives.is_binary and problem.adds_up):
        form = _rewriting(problem.sees, spec.operator.id, not problem.arities)
    else:
        form = _faster(spec, method) or _stepping(problem.sees)
    return form._replace(function=compiled(problem, spec.n)) if form.calls else form


def _faster(spec: RunSpec, method: str) -> Form | None:
    """The faster form that its problem brings along, where it is what the spec asks for."""
    looks = spec.operations.most == 1 and not (spec.weights[0] > 0 and spec.accept.accepts(0, 0))
    is_plain = spec.family is None and spec.operator.id == "hvl-prime"
    return faster(spec.problem.id, method) if is_plain and (spec.proof is not None or not looks) else None


@cache
def faster(problem: str, method: str) -> Form | None:
    """The faster form of the problem with this id, if it brings one for this method."""
    brings = problem in _BRING_FORMS
    forms = importlib.import_module(f"{problems.__name__}.{problem}").FORMS if brings else {}
    if method not in forms:
        return None
    name, (kind, parts) = f"{problem}_{method}", forms[method]
    free = isinstance(parts, RejectionFree)
    kernel = make_rejection_free(name, parts) if free else make_stepping(name, parts, tries=False)
    return Form(name, kind, kernel, tries=False, calls=False)


_ONE_TREE: dict[str, tuple[TreeKind, Stepping]] = {
    "counts": (COUNTS_TREE, BY_COUNTS),
    "first": (LINKED_TREE, BY_FIRST),
}


@cache
def _stepping(sees: str) -> Form:
    name, (kind, parts), tries = f"{sees}_stepping", _ONE_TREE[sees], sees != "counts"  # counts have a criterion
    return Form(name, kind, make_stepping(name, parts, tries), tries)


def _seen(sees: str) -> Seen:
    return sees_variables(sees) if sees in _ONE_TREE else sees_array(sees)


@cache
def _rewriting(sees: str, operator: str, binary: bool) -> Form:
    name = f"{sees}_{operator.replace('-', '_')}_{'binary' if binary else 'any'}"
    kernel = make_rewriting(name, _seen(sees), OPERATORS[operator], binary)
    return Form(name, POSTFIX_TREES, kernel, subtrees=True)


@cache
def _in_place(sees: str) -> Form:
    """A population whose offspring are judged in place."""
    name, (kind, parts) = f"{sees}_population", _ONE_TREE[sees]
    return Form(name, kind, make_population_kernel(name, make_in_place(parts, SLOT_TOOLS[sees])))


@cache
def _by_copy(sees: str) -> Form:
    """One with subtree crossover, or where a problem sees leaves, or the program."""
    name = f"{sees}_by_copy"
    return Form(name, POSTFIX_TREES, make_population_kernel(name, make_by_copy(_seen(sees).evaluate)))


def front_scores(spec: RunSpec) -> NDArray[np.int64]:
    """The scores of the front by the number of leaves, if that is the goal; one that no tree has where it has none."""
    front = spec.front if spec.goal == "front" else {}
    scores = np.full(max(front, default=-1) + 1, NO_LIMIT, np.int64)
    for leaves, fitness in front.items():
        scores[leaves] = score(fitness, spec)
    return scores


def _has_table(spec: RunSpec) -> bool:
    """Whether programs are held against a table, and the problem's function is not called."""
    return not spec.representation.is_tree and spec.problem.table(spec.n) is not None


def why_not(spec: RunSpec) -> str | None:
    """Why the problem's function cannot be compiled, or None if it can, or is not called."""
    if _faster(spec, "stepping") is not None or _has_table(spec):
        return None
    try:
        compiled(spec.problem, spec.n)
    except CannotCompile as error:
        return str(error)
    return None
