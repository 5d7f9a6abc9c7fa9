"""A RunSpec as the numbers the kernels need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import helper, inlined
from gpruntime.engine.random import thresholds
from gpruntime.engine.score import score
from gpruntime.model.spec import MOST_BUDGET, RunSpec
from gpruntime.model.stream import weight_table
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
        size: n as the problem's function is told it: the same but for problems with more or fewer variables.
        codes: terminals; a draw among them is shifted by `double`, 1 where there are no complements.
        functions: how many there are.
        best: the best fitness, times −1 where smaller is better (`score`).
        strict: whether only improvements are accepted.
        same, grow, shrink: the least gain that is accepted, by the growth of one operation.
        multi: whether the number of operations is drawn.
        fewest: the least number of operations.
        nodes: substitution picks any node.
        empty: the last leaf may be deleted.
        limit: leaves of an offspring, at most.
        budget: evaluations, at most.
        substitute, insert, delete: probabilities of the kinds of operations.
        first, second: their thresholds: a word's upper 53 bits below the first mean a substitution, and so on.
        most: operations of an offspring, at most.
        can_stick: whether a run can be seen to be stuck at all.
        patience: how many offspring a leaf a run waits before it looks whether it is stuck; 0 for no wait.
        init, planted, join: the kind of initial tree, its leaves, and the threshold of J for GROW.
        data: how many numbers the problem's data has.
    """

    n: int
    size: int
    codes: int
    double: int
    functions: int
    best: int
    strict: bool
    same: int
    grow: int
    shrink: int
    multi: bool
    fewest: int
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
    patience: int
    init: int
    planted: int
    join: np.uint64
    data: int


@inlined
def can_delete(law, leaves):  # type: ignore[no-untyped-def]
    """Whether a deletion takes a leaf out: not from the empty tree, and the last leaf only in the dialect "empty"."""
    return leaves > 1 or (leaves == 1 and law.empty)


@helper
def vainly_accepted(law, leaves):  # type: ignore[no-untyped-def]
    """Whether an operation that changes nothing can be drawn, and is accepted."""
    keeps = law.delete > 0 and not can_delete(law, leaves)
    renews = law.substitute > 0
    return law.same <= 0 and (keeps or renews)


@helper
def weakly_stuck(law, leaves, fitness):  # type: ignore[no-untyped-def]
    """Stuck though neutral moves are accepted, see `gpruntime.model.stuck`: only insertions, or only deletions."""
    if law.substitute > 0 or (law.insert > 0 and law.delete > 0):
        return False
    if law.insert > 0:
        return leaves == law.limit
    return leaves == fitness and fitness > 0 and (leaves > 1 or law.empty)


def law_of(spec: RunSpec, tries: bool = False, tracing: bool = False) -> Law:
    """The numbers of a spec. `tries`: it is seen to be stuck by trying all proposals, and later where nobody looks."""
    primitives, same = spec.primitives, spec.accept_.least_gain(0)
    grow, shrink = spec.accept_.least_gain(1), spec.accept_.least_gain(-1)
    proposals = primitives.size * (1 + 4 * len(primitives.functions)) + 1  # a leaf, at most
    weights = np.array(spec.proportions)
    substitute, insert, delete = (weights / weights.sum()).tolist()
    first, second, _ = thresholds(weight_table(spec.proportions))
    return Law(
        n=primitives.variables,
        size=spec.n,
        codes=primitives.size,
        double=int(not primitives.signed),
        functions=len(primitives.functions),
        best=score(spec.best, spec),
        strict=min(same, grow, shrink) > 0,
        same=same,
        grow=grow,
        shrink=shrink,
        multi=spec.operations_.is_drawn,
        fewest=spec.operations_.fewest,
        nodes=spec.substitute == "nodes",
        empty=spec.last_leaf == "empty",
        limit=spec.max_leaves_allowed or NO_LIMIT,
        budget=spec.budget or MOST_BUDGET,
        substitute=substitute,
        insert=insert,
        delete=delete,
        first=first,
        second=second,
        most=spec.operations_.most,
        can_stick=_can_stick(spec, same),
        patience=proposals if tries and not tracing else 0,
        init=_init_of(spec),
        planted=spec.initial.leaves,
        join=thresholds([spec.initial.join])[0],
        data=len(spec.problem_.data(spec.n)),
    )


def _can_stick(spec: RunSpec, same: int) -> bool:
    """By proof: if strict, or only insertions or deletions. By trial: unless a substitution in vain is accepted."""
    if spec.proof is not None:
        return spec.accept_.is_strict or spec.proportions in ((0, 1, 0), (0, 0, 1))
    return spec.operations_.most == 1 and not (same <= 0 < spec.weights[0])


def sizes_of(spec: RunSpec) -> NDArray[np.uint64]:
    """How many operations an offspring has beyond the fewest: thresholds."""
    return thresholds(spec.operations_.table)


def least_gains(spec: RunSpec, fall: int) -> NDArray[np.int64]:
    """What an offspring must gain to be accepted, by its growth, from `fall` leaves less."""
    most = spec.operations_.most
    rule = spec.accept_
    if rule.is_own:
        return np.array([rule.least_gain(growth) for growth in range(-fall, most + 1)], np.int64)
    shrink, same, grow = (rule.least_gain(growth) for growth in (-1, 0, 1))  # ours look at the sign alone
    return np.array([shrink] * fall + [same] + [grow] * most, np.int64)


def _init_of(spec: RunSpec) -> int:
    if spec.initial.tree is not None:
        return TREE
    return {"bad": BALANCED, "tlopt": BALANCED, "unity": UNITY, "insertion": INSERTION, "grow": GROW}[spec.initial.name]


def drawing_of(spec: RunSpec, planted: bool) -> NDArray[np.int32]:
    """The initial tree as it is given, and room to draw it in.

    First terminals from left to right, for TREE and BALANCED. A tree that is `planted` needs the rest: for TREE the
    nodes in pre-order, 0 for a leaf, else 1 more than the function's number, and room for `planting`.
    """
    initial, leaves = spec.initial, spec.initial.leaves
    drawing = np.zeros(9 * leaves + 6 if planted else leaves, np.int32)
    if initial.tree is not None:
        nodes = [] if initial.tree.root is None else list(walk(initial.tree.root))
        drawing[:leaves] = [node.terminal.code for node in nodes if node.terminal is not None]
        if planted:
            names = spec.primitives.functions
            kinds = [0 if node.is_leaf else 1 + names.index(node.function) for node in nodes]
            drawing[leaves : leaves + len(nodes)] = kinds
    elif initial.name == "bad":
        drawing[:leaves] = 1
    elif initial.name == "tlopt":
        drawing[:leaves] = 2 * spec.n - 1
        drawing[: spec.n - 1] = np.arange(0, 2 * spec.n - 2, 2)
    return drawing
