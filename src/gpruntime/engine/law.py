"""A RunSpec as the numbers the kernels need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import helper, inlined
from gpruntime.engine.random import thresholds
from gpruntime.model.spec import MOST_BUDGET, RunSpec
from gpruntime.model.stream import poisson_table, weight_table
from gpruntime.model.tree import walk

NO_LIMIT = MOST_BUDGET  # 2⁶²: more than any run has of anything

# outcomes, as kernels write them; UNDECIDED while a run goes on
UNDECIDED, OPTIMUM, STUCK, BUDGET = -1, 0, 1, 2

# kinds of initial trees
TREE, UNITY, BALANCED, INSERTION, GROW = range(5)

# kinds of operations
SUBSTITUTE, INSERT, DELETE = range(3)


class Law(NamedTuple):
    """Everything but the random stream that a run depends on, as numbers.

    Attributes:
        n: variables.
        strict, multi: the algorithm.
        nodes: substitution picks any node.
        empty: the last leaf may be deleted.
        limit: leaves of an offspring, at most.
        budget: evaluations, at most.
        substitute, insert, delete: probabilities of the kinds of operations.
        first, second: their thresholds: a word's upper 53 bits below the first mean a substitution, and so on.
        most: operations of an offspring, at most.
        can_stick: whether a run can be stuck at all: if it is strict, or can only insert, or only delete.
        init, planted, join: the kind of initial tree, its leaves, and the threshold of J for GROW.
    """

    n: int
    strict: bool
    multi: bool
    nodes: bool
    empty: bool
    limit: int
    budget: int
    substitute: float
    insert: float
    delete: float
    first: np.uint64
    second: np.uint64
    most: int
    can_stick: bool
    init: int
    planted: int
    join: np.uint64


@inlined
def can_delete(law, leaves):  # type: ignore[no-untyped-def]
    """Whether a deletion takes a leaf out: not from the empty tree, and the last leaf only in the dialect "empty"."""
    return leaves > 1 or (leaves == 1 and law.empty)


@helper
def weakly_stuck(law, leaves, fitness):  # type: ignore[no-untyped-def]
    """Stuck though neutral moves are accepted, see `gpruntime.model.stuck`: only insertions, or only deletions."""
    if law.substitute > 0 or (law.insert > 0 and law.delete > 0):
        return False
    if law.insert > 0:
        return leaves == law.limit
    return leaves == fitness and fitness > 0 and (leaves > 1 or law.empty)


def law_of(spec: RunSpec) -> Law:
    """The numbers of a spec."""
    weights = np.array(spec.proportions)
    substitute, insert, delete = (weights / weights.sum()).tolist()
    first, second, _ = thresholds(weight_table(spec.proportions))
    return Law(
        n=spec.n,
        strict=spec.algorithm_.strict,
        multi=spec.algorithm_.multi,
        nodes=spec.substitute == "nodes",
        empty=spec.last_leaf == "empty",
        limit=spec.max_leaves_allowed or NO_LIMIT,
        budget=spec.budget or MOST_BUDGET,
        substitute=substitute,
        insert=insert,
        delete=delete,
        first=first,
        second=second,
        most=len(sizes_of(spec)),
        can_stick=spec.algorithm_.strict or spec.proportions in ((0, 1, 0), (0, 0, 1)),
        init=_init_of(spec),
        planted=spec.initial.leaves,
        join=thresholds([spec.initial.join])[0],
    )


def sizes_of(spec: RunSpec) -> NDArray[np.uint64]:
    """How many operations an offspring has: thresholds of the number beyond the first; one for single algorithms."""
    return thresholds(poisson_table(spec.poisson_mean if spec.algorithm_.multi else 0.0))


def _init_of(spec: RunSpec) -> int:
    if spec.initial.tree is not None:
        return TREE
    return {"bad": BALANCED, "tlopt": BALANCED, "unity": UNITY, "insertion": INSERTION, "grow": GROW}[spec.initial.name]


def drawing_of(spec: RunSpec) -> NDArray[np.int32]:
    """The initial tree as it is given, and room to draw it in.

    First terminals from left to right, for TREE and BALANCED. ORDER needs the rest: for TREE the nodes in pre-order, 1
    for a join and 0 for a leaf, and room for `order_initial`.
    """
    initial, leaves = spec.initial, spec.initial.leaves
    drawing = np.zeros(8 * leaves + 6 if spec.problem == "order" else leaves, np.int32)
    if initial.tree is not None:
        nodes = [] if initial.tree.root is None else list(walk(initial.tree.root))
        drawing[:leaves] = [node.terminal.code for node in nodes if node.terminal is not None]
        drawing[leaves : leaves + len(nodes)] = [not node.is_leaf for node in nodes] if spec.problem == "order" else 0
    elif initial.name == "bad":
        drawing[:leaves] = 1
    elif initial.name == "tlopt":
        drawing[:leaves] = 2 * spec.n - 1
        drawing[: spec.n - 1] = np.arange(0, 2 * spec.n - 2, 2)
    return drawing
