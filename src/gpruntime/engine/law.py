"""A RunSpec as the numbers the kernels need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import inlined, njit
from gpruntime.engine.random import thresholds
from gpruntime.model.spec import MOST_BUDGET, RunSpec
from gpruntime.model.stream import poisson_table, weight_table
from gpruntime.model.tree import walk

NO_LIMIT = 2**62

# outcomes, as kernels write them; UNDECIDED while a run goes on
UNDECIDED, OPTIMUM, STUCK, BUDGET = -1, 0, 1, 2

# kinds of initial trees
TREE, UNITY, BALANCED, INSERTION, GROW = range(5)

# kinds of operations
SUBSTITUTE, INSERT, DELETE = range(3)


class Law(NamedTuple):
    """Everything but the random stream that a run depends on.

    Attributes:
        n: variables.
        strict, multi: the algorithm.
        nodes: substitution picks any node.
        empty: the last leaf may be deleted.
        limit: leaves of an offspring, at most.
        budget: evaluations, at most.
        weights: probabilities of substitution, insertion, deletion.
        kinds: their thresholds for `pick`.
        extra: thresholds of the number of operations beyond the first; one entry for single algorithms.
        most: operations of an offspring, at most.
        can_stick: whether a run can be stuck at all: if it is strict, or can only insert, or only delete.
    """

    n: int
    strict: bool
    multi: bool
    nodes: bool
    empty: bool
    limit: int
    budget: int
    weights: NDArray[np.float64]
    kinds: NDArray[np.uint64]
    extra: NDArray[np.uint64]
    most: int
    can_stick: bool


@inlined
def can_delete(law, leaves):  # type: ignore[no-untyped-def]
    """Whether a deletion takes a leaf out: not from the empty tree, and the last leaf only in the dialect "empty"."""
    return leaves > 1 or (leaves == 1 and law.empty)


@njit
def weakly_stuck(law, leaves, fitness):  # type: ignore[no-untyped-def]
    """Stuck though neutral moves are accepted, see `gpruntime.model.stuck`: only insertions, or only deletions."""
    if law.weights[SUBSTITUTE] > 0 or (law.weights[INSERT] > 0 and law.weights[DELETE] > 0):
        return False
    if law.weights[INSERT] > 0:
        return leaves == law.limit
    return leaves == fitness and fitness > 0 and (leaves > 1 or law.empty)


class Given(NamedTuple):
    """The initial tree, and room to work in while it is made.

    Attributes:
        kind, leaves, join: the kind of tree, its leaves, and the threshold of J for GROW.
        codes: terminals from left to right, for TREE and BALANCED; empty otherwise.
        nodes: for TREE the nodes in pre-order, 1 for a join, 0 for a leaf.
        shape, stack: for `order_initial`.
        left_end: the first leaf below each join, for `order_skipping`.
    """

    kind: int
    leaves: int
    join: np.uint64
    codes: NDArray[np.int32]
    nodes: NDArray[np.int8]
    shape: NDArray[np.int32]
    stack: NDArray[np.int32]
    left_end: NDArray[np.int32]


def given_of(spec: RunSpec) -> Given:
    """The initial tree of a spec."""
    initial = spec.initial
    codes, in_pre_order = np.zeros(0, np.int32), np.zeros(0, np.int8)
    if initial.tree is not None:
        kind = TREE
        nodes = [] if initial.tree.root is None else list(walk(initial.tree.root))
        in_pre_order = np.array([not node.is_leaf for node in nodes], np.int8)
        codes = np.array([node.terminal.code for node in nodes if node.terminal is not None], np.int32)
    elif initial.name == "bad":
        kind, codes = BALANCED, np.ones(initial.leaves, np.int32)
    elif initial.name == "tlopt":
        kind, codes = BALANCED, np.full(initial.leaves, 2 * spec.n - 1, np.int32)
        codes[: spec.n - 1] = np.arange(0, 2 * spec.n - 2, 2)
    else:
        kind = {"unity": UNITY, "insertion": INSERTION, "grow": GROW}[initial.name]
    room = initial.leaves if spec.problem == "order" else 0
    return Given(
        kind=kind,
        leaves=initial.leaves,
        join=thresholds([initial.join])[0],
        codes=codes,
        nodes=in_pre_order,
        shape=np.zeros(2 * room + 2, np.int32),
        stack=np.zeros(2 * room + 4, np.int32),
        left_end=np.zeros(room, np.int32),
    )


def law_of(spec: RunSpec) -> Law:
    """The numbers of a spec."""
    weights = np.array(spec.proportions)
    extra = thresholds(poisson_table(spec.poisson_mean if spec.algorithm_.multi else 0.0))
    return Law(
        n=spec.n,
        strict=spec.algorithm_.strict,
        multi=spec.algorithm_.multi,
        nodes=spec.substitute == "nodes",
        empty=spec.last_leaf == "empty",
        limit=spec.max_leaves_allowed or NO_LIMIT,
        budget=spec.budget or MOST_BUDGET,
        weights=weights / weights.sum(),
        kinds=thresholds(weight_table(spec.proportions)),
        extra=extra,
        most=len(extra),
        can_stick=spec.algorithm_.strict or spec.proportions in ((0, 1, 0), (0, 0, 1)),
    )
