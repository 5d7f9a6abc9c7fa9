"""A RunSpec as the numbers the kernels need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.jit import inlined
from gpruntime.engine.random import thresholds
from gpruntime.engine.run_state import DELETE, SUBSTITUTE
from gpruntime.model.initial import Initial
from gpruntime.model.populations.concatenation import steps_of
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.model.stream import weight_table
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import walk

NO_LIMIT = MAX_BUDGET  # 2⁶²: more than any run has of anything
_MAX_WAIT = 2**30
_FUNCTIONS = 8

# outcomes, as kernels write them; UNDECIDED while a run goes on
UNDECIDED, OPTIMUM, STUCK, BUDGET = -1, 0, 1, 2

# kinds of initial trees
TREE, UNITY, BALANCED, INSERTION, GROW = range(5)


@dataclass(frozen=True, kw_only=True)
class RunParams:
    """What every run depends on, besides its stream, as numbers."""

    spec_n: int  # n as the problem's function is told it
    best: int  # the best fitness, as a score (`score`): times −1 where smaller is better
    budget: int  # evaluations, at most
    min_gain_same: int  # the least gain that is accepted, by the growth of one operation; of any growth: `min_gain_of`
    min_gain_larger: int
    min_gain_smaller: int
    initial_leaves: int  # where an offspring takes time in proportion to its size, about what it takes
    user_function: int = 0  # where the compiled function of the problem is, if it is called
    user_frame: int = 0  # where its call frame is (`user_function`)
    arities: tuple[int, ...] = (0,) * _FUNCTIONS  # how many arguments each function has; zeros behind, so that one
    # kernel serves any few
    max_operations: int = 1  # of an offspring
    max_new_leaves: int = 1  # leaves that an insertion brings, at most, and rows of a trace that it takes
    max_shrink: int = 0  # leaves that an offspring can lose, at most


@dataclass(frozen=True, kw_only=True)
class Params(RunParams):
    """The same for trees."""

    n: int  # variables: the same as n but for problems with more or fewer of them
    terminals: int  # how many there are; a draw among them is shifted by `code_shift`, 1 where there are no complements
    code_shift: int
    functions: int  # how many functions there are
    binary: bool  # whether all functions have two arguments
    fills_holes: bool  # whether a deletion fills its holes in the register with the last leaf and join: HVL-Prime, all
    # binary
    join_width: int  # numbers in the row of a join (`initial`)
    strict: bool  # whether only improvements are accepted
    draws_k: bool  # whether the number of operations of an offspring is drawn
    min_operations: int  # of an offspring
    substitutes_nodes: bool  # substitution picks any node
    substitutes_functions: bool  # it picks joins only
    may_be_empty: bool  # the last leaf may be deleted
    max_leaves: int  # of an offspring
    p_substitute: float  # probabilities of the kinds of operations; 0 for substitutions that are all in vain
    p_insert: float
    p_delete: float
    substitute_below: np.uint64  # with a word's upper 53 bits below the first an operation is a
    # substitution, below the second an insertion, else a deletion
    insert_below: np.uint64
    can_stick: bool  # whether a run can be seen to be stuck at all
    single_loop: bool  # whether proposals can be made in a row until one improves (`stepping.single_operations`)
    stuck_wait: int  # how many offspring a leaf a run waits before it looks whether it is stuck; 0 for no wait
    initial: int  # the kind of initial tree
    join_below: np.uint64  # the threshold of J for GROW
    family: int  # of algorithms with populations, by its number; −1 for a (1+1) GP
    family_size: int  # its μ, its λ, or the offspring of a local search
    crossover_below: np.uint64  # the threshold of a crossing
    front_size: int  # how many sizes are on the front, if that is the goal; else 0


def shared_params(spec: RunSpec) -> dict[str, Any]:
    """The first of `RunParams`."""
    rule = spec.accept
    return {
        "spec_n": spec.n,
        "best": score(spec.best, spec),
        "budget": spec.budget or MAX_BUDGET,
        "min_gain_same": rule.least_gain(0),
        "min_gain_larger": rule.least_gain(1),
        "min_gain_smaller": rule.least_gain(-1),
    }


@inlined
def can_delete(params, leaves):  # type: ignore[no-untyped-def]
    """Whether a deletion takes a leaf out: not from the empty tree, and the last leaf only in the dialect "empty"."""
    return leaves > 1 or (leaves == 1 and params.may_be_empty)


@inlined
def takes_out(params, leaves, operation):  # type: ignore[no-untyped-def]
    """Whether an operation takes a leaf out of a tree with this many leaves, or gives it another terminal."""
    return (operation.kind == DELETE and can_delete(params, leaves)) or (
        operation.kind == SUBSTITUTE and operation.code >= 0
    )


@inlined
def min_gain_of(params, run, leaves, new_leaves):  # type: ignore[no-untyped-def]
    """What an offspring with this many leaves must gain to be accepted: more than there is, if it is too large."""
    growth = new_leaves - leaves
    return NO_LIMIT if new_leaves > params.max_leaves else run.min_gain[params.max_shrink + growth]


@inlined
def min_gain_by_size(params, size, new_size):  # type: ignore[no-untyped-def]
    """What an offspring of this size must gain to be accepted, where the rule looks at the sign of its growth alone."""
    if new_size == size:
        return params.min_gain_same
    return params.min_gain_larger if new_size > size else params.min_gain_smaller


def params_of(spec: RunSpec, tries: bool = False, tracing: bool = False, function: int = 0, frame: int = 0) -> Params:
    """The numbers of a spec. `tries`: it is seen to be stuck by trying all proposals, and later where nobody looks."""
    primitives, shared = spec.primitives, shared_params(spec)
    same, grow, shrink = (shared[f"min_gain_{size}"] for size in ("same", "larger", "smaller"))
    weights, at_joins = np.array(spec.proportions), spec.substitute == "functions"
    substitute, insert, delete = (weights / weights.sum()).tolist()
    first, second, _ = thresholds(weight_table(spec.proportions))
    return Params(
        **shared,
        n=primitives.variables,
        terminals=primitives.size,
        code_shift=int(not primitives.signed),
        functions=len(primitives.functions),
        arities=_padded(primitives.arities or (2,) * len(primitives.functions)),
        binary=primitives.is_binary,
        fills_holes=primitives.is_binary and spec.operator.id == "hvl-prime",
        join_width=1 + primitives.most_arguments,
        max_new_leaves=max_new_leaves(primitives),
        strict=min(same, grow, shrink) > 0,
        draws_k=spec.operations.is_drawn,
        min_operations=spec.operations.fewest,
        substitutes_nodes=spec.substitute == "nodes",
        substitutes_functions=at_joins,
        may_be_empty=spec.last_leaf == "empty",
        max_leaves=spec.max_leaves_allowed or NO_LIMIT,
        p_substitute=0.0 if at_joins and len(primitives.functions) == 1 else substitute,
        p_insert=insert,
        p_delete=delete,
        substitute_below=first,
        insert_below=second,
        max_operations=spec.operations.most,
        can_stick=_can_stick(spec, same),
        single_loop=not tracing and _has_single_loop(spec, same, grow, shrink),
        stuck_wait=_stuck_wait(spec) if tries and not tracing else 0,
        user_function=function,
        user_frame=frame,
        initial=_init_of(spec),
        initial_leaves=_planted(spec.init),
        join_below=thresholds([spec.init.join])[0],
        family=-1 if spec.family is None else spec.family.number,
        family_size=_many(spec),
        crossover_below=thresholds([float(spec.algorithm.values.get("crossover", 0.0))])[0],
        front_size=len(spec.front) if spec.goal == "front" else 0,
    )


_NUMBERS = {bool: np.bool_, int: np.int64, float: np.float64, np.uint64: np.uint64}


def record_of(params: RunParams) -> Any:
    """The params in memory, under the same names, as kernels are given them."""
    values = vars(params)
    kinds = tuple(len(value) if isinstance(value, tuple) else type(value) for value in values.values())
    memory = np.zeros(1, _layout(tuple(values), kinds)).view(np.recarray)
    memory[0] = tuple(values.values())
    return memory[0]


@cache
def _layout(fields: tuple[str, ...], kinds: tuple[Any, ...]) -> np.dtype[Any]:
    numbers = [np.dtype((np.int64, kind)) if isinstance(kind, int) else _NUMBERS[kind] for kind in kinds]
    return np.dtype(list(zip(fields, numbers, strict=True)), align=True)


def _padded(arities: tuple[int, ...]) -> tuple[int, ...]:
    return arities + (0,) * (-len(arities) % _FUNCTIONS)


def _stuck_wait(spec: RunSpec) -> int:
    """What it takes to look whether a tree is stuck, in offspring, divided by its leaves."""
    primitives = spec.primitives
    if spec.family is not None and spec.problem.adds_up:  # `populations` adds n, which is what counts take
        return 1 if spec.problem.sees == "counts" else primitives.size + 1
    return _proposals(primitives)


def _proposals(primitives: Primitives) -> int:
    """How many there are for a tree, divided by its leaves: about, where functions have not two arguments."""
    if primitives.is_binary:
        return primitives.size * (1 + 4 * len(primitives.functions)) + 1
    insertions = sum(arity * primitives.size ** (arity - 1) for arity in primitives.arities)
    return int(min(primitives.size + len(primitives.functions) + 2 * insertions, _MAX_WAIT))


def max_new_leaves(primitives: Primitives) -> int:
    """How many leaves an insertion brings, at most; 1 also where it brings none."""
    return max(primitives.most_arguments - 1, 1)


def _planted(initial: Initial) -> int:
    """The leaves of an initial tree, or its joins, if it has more."""
    return initial.leaves if initial.tree is None else max(initial.leaves, len(initial.tree.joins))


def _many(spec: RunSpec) -> int:
    values = spec.algorithm.values
    if "steps" in values:
        return steps_of(spec)
    return int(values.get("mu", values.get("lambda", 1)))


def _has_single_loop(spec: RunSpec, same: int, grow: int, shrink: int) -> bool:
    """Single operations of J, of which none but one that improves changes a verdict.

    That is, every better offspring is accepted, no accepted one is worse than its parent, and none but a better one can
    be stuck.
    """
    operations, least, most = spec.operations, min(same, grow, shrink), max(same, grow, shrink)
    single = operations.fewest == 1 and not operations.is_drawn and spec.substitute == "leaves"
    return single and most <= 1 and (least > 0 or (least == 0 and not _can_stick(spec, same)))


def _can_stick(spec: RunSpec, same: int) -> bool:
    """By proof: if strict, or only insertions or deletions. By trial: unless a substitution in vain is accepted.

    Populations, where their family decides it from that.
    """
    if spec.family is not None and not spec.family.decides(spec):
        return False
    if spec.proof is not None:
        return spec.accept.is_strict or spec.proportions in ((0, 1, 0), (0, 0, 1))
    return spec.operations.most == 1 and not (same <= 0 < spec.weights[0])


def operations_law(spec: RunSpec) -> NDArray[np.uint64]:
    """How many operations an offspring has beyond the fewest: thresholds."""
    return thresholds(spec.operations.table)


def min_gains(spec: RunSpec, fall: int) -> NDArray[np.int64]:
    """What an offspring must gain to be accepted, by its growth, from `fall` leaves less."""
    most = spec.operations.most * max_new_leaves(spec.primitives)
    rule = spec.accept
    if rule.is_own:
        return np.array([rule.least_gain(growth) for growth in range(-fall, most + 1)], np.int64)
    shrink, same, grow = (rule.least_gain(growth) for growth in (-1, 0, 1))  # ours look at the sign alone
    return np.array([shrink] * fall + [same] + [grow] * most, np.int64)


def _init_of(spec: RunSpec) -> int:
    if spec.init.tree is not None:
        return TREE
    return {"bad": BALANCED, "tlopt": BALANCED, "unity": UNITY, "insertion": INSERTION, "grow": GROW}[spec.init.name]


def initial_of(spec: RunSpec, has_shape: bool) -> NDArray[np.int32]:
    """The initial tree as it is given: for TREE and BALANCED its terminals from left to right.

    Where memory `has_shape`, for TREE the nodes in pre-order follow: 0 for a leaf, else 1 more than the function's
    number. Where functions have not two arguments, `plant_any` needs nothing but a TREE's nodes in pre-order:
    after an unused number, 1 more than a function's, and for a leaf its terminal times −1.
    """
    if not spec.primitives.is_binary:
        return _nodes_of(spec)
    initial, leaves = spec.init, spec.init.leaves
    initial_numbers = np.zeros(3 * leaves if has_shape else leaves, np.int32)
    if initial.tree is not None:
        nodes = [] if initial.tree.root is None else list(walk(initial.tree.root))
        initial_numbers[:leaves] = [node.terminal.code for node in nodes if node.terminal is not None]
        if has_shape:
            names = spec.primitives.functions
            kinds = [0 if node.is_leaf else 1 + names.index(node.function) for node in nodes]
            initial_numbers[leaves : leaves + len(nodes)] = kinds
    elif initial.name == "bad":
        initial_numbers[:leaves] = 1
    elif initial.name == "tlopt":
        initial_numbers[:leaves] = 2 * spec.n - 1
        initial_numbers[: spec.n - 1] = np.arange(0, 2 * spec.n - 2, 2)
    return initial_numbers


def _nodes_of(spec: RunSpec) -> NDArray[np.int32]:
    tree, names = spec.init.tree, spec.primitives.functions
    nodes = [] if tree is None or tree.root is None else list(walk(tree.root))
    numbers = [1 + names.index(node.function) if node.terminal is None else -node.terminal.code for node in nodes]
    return np.array([0, *numbers], np.int32)


# ---- a fitness as the integer that kernels compare, its *score*: larger for better
#
# An integer is itself, times −1 where smaller is better. A float is its place among all floats of 52 significant bits,
# to which the model rounds it (`gpruntime.model.problem.rounded`): so differences fit 64 bits, too.


def score(fitness: Fitness, spec: RunSpec) -> int:
    """The score of a fitness."""
    direction = spec.problem.direction
    if isinstance(fitness, int):
        return fitness * direction
    bits = int(np.float64(fitness).view(np.int64))
    return direction * (bits >> 1 if bits >= 0 else -((bits & (2**63 - 1)) >> 1))


def fitness_of(scores: NDArray[np.int64], spec: RunSpec) -> NDArray[Any]:
    """The fitness of each score."""
    directed = scores * spec.problem.direction
    if not spec.problem.is_real(spec.n):
        return directed
    magnitudes = (np.abs(directed) << 1).view(np.float64)
    floats: NDArray[np.float64] = np.where(directed < 0, -magnitudes, magnitudes)
    return floats
