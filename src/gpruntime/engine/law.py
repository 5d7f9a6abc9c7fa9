"""A RunSpec as the numbers the kernels need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import helper, inlined, pasted
from gpruntime.engine.random import thresholds
from gpruntime.engine.score import score
from gpruntime.model.initial import Initial
from gpruntime.model.populations.concatenation import steps_of
from gpruntime.model.spec import MOST_BUDGET, RunSpec
from gpruntime.model.stream import weight_table
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import walk

NO_LIMIT = MOST_BUDGET  # 2⁶²: more than any run has of anything
_LONGEST_PATIENCE = 2**30
_FUNCTIONS = 8

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
        arities: how many arguments each has, with zeros behind, so that one kernel serves any few.
        binary: whether all have two.
        fills: whether a deletion fills its holes in the register with the last leaf and join: HVL-Prime, all binary.
        width: numbers in the row of a join (`any_planting`).
        fresh: leaves that an insertion brings, at most, and rows of a trace that it takes.
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
        glides: whether proposals can be made in a row until one improves (`gliding`).
        patience: how many offspring a leaf a run waits before it looks whether it is stuck; 0 for no wait.
        function, desk: where the compiled function of the problem is, if it is called, and its desk (`own`).
        init, planted, join: the kind of initial tree, its leaves, and the threshold of J for GROW.
        family: of algorithms with populations, by its number; −1 for a (1+1) GP.
        many: its μ, its λ, or the offspring of a local search.
        crossover: the threshold of a crossing.
        front: how many sizes are on the front, if that is the goal; else 0.
    """

    n: int
    size: int
    codes: int
    double: int
    functions: int
    arities: tuple[int, ...]
    binary: bool
    fills: bool
    width: int
    fresh: int
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
    glides: bool
    patience: int
    function: int
    desk: int
    init: int
    planted: int
    join: np.uint64
    family: int
    many: int
    crossover: np.uint64
    front: int


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


@pasted
def weakly_stuck(law, leaves, fitness):  # type: ignore[no-untyped-def]
    """Stuck though neutral moves are accepted, see `gpruntime.model.stuck`: only insertions, or only deletions."""
    if law.substitute > 0 or (law.insert > 0 and law.delete > 0):
        return False
    if law.insert > 0:
        return leaves == law.limit
    return leaves == fitness and fitness > 0 and (leaves > 1 or law.empty)


def law_of(spec: RunSpec, tries: bool = False, tracing: bool = False, function: int = 0, desk: int = 0) -> Law:
    """The numbers of a spec. `tries`: it is seen to be stuck by trying all proposals, and later where nobody looks."""
    primitives, same = spec.primitives, spec.accept_.least_gain(0)
    grow, shrink = spec.accept_.least_gain(1), spec.accept_.least_gain(-1)
    weights = np.array(spec.proportions)
    substitute, insert, delete = (weights / weights.sum()).tolist()
    first, second, _ = thresholds(weight_table(spec.proportions))
    return Law(
        n=primitives.variables,
        size=spec.n,
        codes=primitives.size,
        double=int(not primitives.signed),
        functions=len(primitives.functions),
        arities=_padded(primitives.arities or (2,) * len(primitives.functions)),
        binary=primitives.is_binary,
        fills=primitives.is_binary and spec.operator == "hvl-prime",
        width=1 + primitives.most_arguments,
        fresh=most_fresh(primitives),
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
        glides=not tracing and _can_glide(spec, same, grow, shrink),
        patience=_patience(spec) if tries and not tracing else 0,
        function=function,
        desk=desk,
        init=_init_of(spec),
        planted=_planted(spec.initial),
        join=thresholds([spec.initial.join])[0],
        family=-1 if spec.family is None else spec.family.number,
        many=_many(spec),
        crossover=thresholds([float(spec.algorithm_.values.get("crossover", 0.0))])[0],
        front=len(spec.front) if spec.goal == "front" else 0,
    )


def _padded(arities: tuple[int, ...]) -> tuple[int, ...]:
    return arities + (0,) * (-len(arities) % _FUNCTIONS)


def _patience(spec: RunSpec) -> int:
    """What it takes to look whether a tree is stuck, in offspring, divided by its leaves."""
    primitives = spec.primitives
    if spec.family is not None and spec.problem_.adds_up:  # `breeding` adds n, which is what counts take
        return 1 if spec.problem_.sees == "counts" else primitives.size + 1
    return _proposals(primitives)


def _proposals(primitives: Primitives) -> int:
    """How many there are for a tree, divided by its leaves: about, where functions have not two arguments."""
    if primitives.is_binary:
        return primitives.size * (1 + 4 * len(primitives.functions)) + 1
    insertions = sum(arity * primitives.size ** (arity - 1) for arity in primitives.arities)
    return int(min(primitives.size + len(primitives.functions) + 2 * insertions, _LONGEST_PATIENCE))


def most_fresh(primitives: Primitives) -> int:
    """How many leaves an insertion brings, at most; 1 also where it brings none."""
    return max(primitives.most_arguments - 1, 1)


def _planted(initial: Initial) -> int:
    """The leaves of an initial tree, or its joins, if it has more."""
    return initial.leaves if initial.tree is None else max(initial.leaves, len(initial.tree.joins))


def _many(spec: RunSpec) -> int:
    values = spec.algorithm_.values
    if "steps" in values:
        return steps_of(spec)
    return int(values.get("mu", values.get("lambda", 1)))


def _can_glide(spec: RunSpec, same: int, grow: int, shrink: int) -> bool:
    """Single operations of J, of which none but one that improves changes a verdict.

    That is, every better offspring is accepted, no accepted one is worse than its parent, and none but a better one can
    be stuck.
    """
    operations, least, most = spec.operations_, min(same, grow, shrink), max(same, grow, shrink)
    single = operations.fewest == 1 and not operations.is_drawn and spec.substitute != "nodes"
    return single and most <= 1 and (least > 0 or (least == 0 and not _can_stick(spec, same)))


def _can_stick(spec: RunSpec, same: int) -> bool:
    """By proof: if strict, or only insertions or deletions. By trial: unless a substitution in vain is accepted.

    Populations, where their family decides it from that.
    """
    if spec.family is not None and not spec.family.decides(spec):
        return False
    if spec.proof is not None:
        return spec.accept_.is_strict or spec.proportions in ((0, 1, 0), (0, 0, 1))
    return spec.operations_.most == 1 and not (same <= 0 < spec.weights[0])


def sizes_of(spec: RunSpec) -> NDArray[np.uint64]:
    """How many operations an offspring has beyond the fewest: thresholds."""
    return thresholds(spec.operations_.table)


def least_gains(spec: RunSpec, fall: int) -> NDArray[np.int64]:
    """What an offspring must gain to be accepted, by its growth, from `fall` leaves less."""
    most = spec.operations_.most * most_fresh(spec.primitives)
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
    nodes in pre-order, 0 for a leaf, else 1 more than the function's number, and room for `planting`. Where functions
    have not two arguments, `any_planting` needs nothing but a TREE's nodes in pre-order: after an unused number, 1 more
    than a function's, and for a leaf its terminal times −1.
    """
    if not spec.primitives.is_binary:
        return _nodes_of(spec)
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


def _nodes_of(spec: RunSpec) -> NDArray[np.int32]:
    tree, names = spec.initial.tree, spec.primitives.functions
    nodes = [] if tree is None or tree.root is None else list(walk(tree.root))
    numbers = [1 + names.index(node.function) if node.terminal is None else -node.terminal.code for node in nodes]
    return np.array([0, *numbers], np.int32)
