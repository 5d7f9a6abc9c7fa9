"""How far a chain will be built: which states, how many, and what is refused before any is made.

**Trees that can grow.** Under a size limit, and where only improvements may grow a tree, a run has finitely many
states. Otherwise a limit of L leaves is chosen, as large as is quick, and the runs that leave it are lost (`kernel`):
what that costs is in the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpruntime.exact.counts import MAX_COUNTED
from gpruntime.exact.kinds import is_multi, kind_for, kind_of
from gpruntime.exact.law import number_law, poisson_neglected
from gpruntime.exact.population import population_of
from gpruntime.exact.proposed import ProposedStates
from gpruntime.model.errors import BadInput
from gpruntime.model.problems import problem_named
from gpruntime.model.spec import RunSpec

_MAX_STATES_CUT_OFF = 20_000  # where the size is ours to choose
_MAX_MULTI_WEAK = 1_500  # without intermediate trees: P is dense there
_MAX_RATIONAL_STRICT = 150_000
_MAX_RATIONAL_WEAK = 200
_MAX_INITIAL_LEAVES = 300
_MAX_OPERATIONS = 300
_MAX_LEAVES_CUT_OFF = 400  # leaves
_BYTES = 1000  # a state with its row, measured
_MIN_LOSS = -5e-324  # the smallest loss of fitness that there is


def states_by_leaves(problem: str, n: int, most_leaves: int) -> tuple[int, ...]:
    """The number of states with t leaves, for t = 0 … most_leaves, as far as counting is quick."""
    named = problem_named(problem)
    return kind_of(named).counted(named, n, most_leaves)


@dataclass(frozen=True)
class Plan:
    """How far the chain will be built.

    Attributes:
        most_states: more are refused on the way, where no estimate could be made before.
        operations: K, for many operations.
        most_leaves: L; None where all states are built.
        finite: whether, for many operations, there are finitely many states, though L may cut some off.
        nothing_lost: whether L is beyond all trees that come up if the fitness improves n + 1 times at most.
    """

    most_states: int
    operations: int = 1
    most_leaves: int | None = None
    finite: bool = False
    nothing_lost: bool = False


def plan_for(spec: RunSpec, rational: bool) -> Plan:
    """The plan for a spec that can be solved; raises `BadInput`, before anything is built, for one that cannot."""
    _check_supported(spec, rational)
    most = _most_states(spec, rational)
    population = population_of(spec)
    if is_multi(spec):
        return _multi_plan(spec, most)
    if grows(spec):
        if rational:
            allowed = "must be an integer: fractions need finitely many states, and here trees grow without end"
            raise BadInput("max_leaves_allowed", "none", allowed)
        few = min(_MAX_STATES_CUT_OFF, most)
        return Plan(most, most_leaves=_cut_off(spec, few if population is None else population.most_trees(spec, few)))
    if population is not None:
        if _initial_states(spec) > most:
            raise too_many(spec, most)
        return Plan(most)  # the others are counted on the way
    states = estimate(spec, spec.n)
    if states > most:
        raise _too_large(spec, states, most)
    return Plan(most)


def grows(spec: RunSpec) -> bool:
    """Whether accepted trees can grow without end.

    They can only grow while the fitness improves if no neutral offspring is accepted that is larger, and no worse one
    at all: after that, the same improvement could be made again. (A rule is monotone in the gain.)
    """
    if spec.max_leaves_allowed is not None or (spec.weights[1] == 0 and not spec.operator.is_own):
        return False
    population = population_of(spec)
    if population is not None and (answer := population.grows(spec)) is not None:
        return answer
    rule, loss = spec.accept, _MIN_LOSS if spec.problem.is_real(spec.n) else -1
    most = spec.operations.most if kind_for(spec) is not ProposedStates else _MAX_LEAVES_CUT_OFF
    most = min(most, _MAX_LEAVES_CUT_OFF)  # leaves that come or go at once
    larger, any_ = range(1, most + 1), range(-most, most + 1)
    if not rule.is_own:
        larger, any_ = range(1, 2), range(-1, 2)  # ours look at the sign alone
    return any(rule.accepts(0, growth) for growth in larger) or any(rule.accepts(loss, growth) for growth in any_)


def estimate(spec: RunSpec, n: int) -> int:
    """About how many states one operation per offspring has to deal with, for n variables and else this spec.

    Strict acceptance from a random tree: what was counted is below n times the number of initial states (on pairs of
    counts, n ≤ 8: 1.8 to 5.6 times). From one tree it may not be told before. Otherwise: all states within the size
    limit or, where there is none, of no more leaves than the initial tree; growth by improvements comes on top.
    """
    leaves = 2 * n if spec.init.leaves == 2 * spec.n else spec.init.leaves
    kind, problem = kind_for(spec), spec.problem
    if not spec.accept.is_strict:
        return sum(kind.counted(problem, n, spec.max_leaves_allowed or leaves))
    if spec.init.name not in ("unity", "insertion", "grow"):
        return kind.from_one_tree(spec, n)
    return kind.counted(problem, n, leaves)[-1] * max(n, 2)


def _initial_states(spec: RunSpec) -> int:
    """About how many states an initial tree can have."""
    if spec.init.name not in ("unity", "insertion", "grow"):
        return 1
    return kind_for(spec).counted(spec.problem, spec.n, spec.init.leaves)[-1]


def _check_supported(spec: RunSpec, rational: bool) -> None:
    spec.require_parts()
    if rational and spec.operator.is_own:
        raise BadInput("rational", spec.operator.id, "a user-defined operator gives its probabilities as floats")
    if 1 in spec.primitives.arities and spec.representation.is_tree:
        unary = next(name for name in spec.primitives.functions if spec.primitives.arity(name) == 1)
        allowed = f"a tree can hold any number of {unary}, whatever its leaves: the chain is not finite"
        raise BadInput("problem", spec.problem.name, allowed)
    if population_of(spec) is not None and is_multi(spec):
        multi = spec.algorithm.multi
        name, value = ("algorithm", spec.algorithm.id) if multi else ("operations", spec.operations.id)
        raise BadInput(name, value, "exact answers for several trees exist for one operation per offspring")
    if rational and spec.algorithm.multi:
        raise BadInput("rational", spec.algorithm.id, "the probabilities of 1 + Pois(λ) operations are not rational")
    if rational and is_multi(spec):
        raise BadInput("rational", spec.operations.id, "fractions exist for one operation per offspring")
    if spec.init.leaves > _MAX_INITIAL_LEAVES:
        raise BadInput("init", str(spec.init), f"exact answers exist for at most {_MAX_INITIAL_LEAVES} leaves")
    if not spec.algorithm.multi and spec.operations.most > _MAX_OPERATIONS:
        allowed = f"exact answers exist for at most {_MAX_OPERATIONS} operations per offspring"
        raise BadInput("operations", spec.operations.id, allowed)


def _most_states(spec: RunSpec, rational: bool) -> int:
    strict, kind = spec.accept.is_strict and not spec.has_population, kind_for(spec)
    if rational:
        return _MAX_RATIONAL_STRICT if strict else _MAX_RATIONAL_WEAK
    if is_multi(spec):
        return kind.most_multi
    if (population := population_of(spec)) is not None:
        return population.most_states
    return kind.most_strict if strict else kind.most_weak


def _largest(spec: RunSpec, most: int, wanted: int) -> int:
    """The most leaves, at most as wanted, with no more states than these."""
    total, leaves = 0, -1
    for count in kind_for(spec).counted(spec.problem, spec.n, wanted):
        if total + count > most:
            break
        total, leaves = total + count, leaves + 1
    return leaves


def _cut_off(spec: RunSpec, most: int) -> int:
    """L where trees grow without end: a run must at least be able to grow by a leaf."""
    leaves = _largest(spec, most, _MAX_LEAVES_CUT_OFF)
    if leaves > spec.init.leaves:
        return leaves
    if spec.has_population:
        raise too_many(spec, _most_states(spec, rational=False))
    states = sum(kind_for(spec).counted(spec.problem, spec.n, spec.init.leaves + 1))
    raise _too_large(spec, states, most)


def _multi_plan(spec: RunSpec, most: int) -> Plan:
    """The plan for many operations per offspring.

    If k is bounded and trees cannot grow without end, there are finitely many states. An L that cuts off none of them
    is chosen where that is quick.
    """
    operations = spec.operations.most
    if spec.algorithm.multi:
        mean = spec.poisson_mean
        operations = next(k for k in range(1, 1000) if k >= mean and poisson_neglected(mean, k) < 1e-16)
    finite = not spec.algorithm.multi and not grows(spec)
    try:
        leaves = _intermediate_leaves(spec, operations, most)
    except BadInput:
        if not finite:
            raise
        return Plan(most, operations, finite=True)
    if not finite:
        return Plan(most, operations, leaves)
    reached = _most_reached(spec, operations)
    enough = _largest(spec, min(most, _MAX_STATES_CUT_OFF if spec.accept.is_strict else _MAX_MULTI_WEAK), reached)
    return Plan(most, operations, max(leaves, enough), finite=True, nothing_lost=enough == reached)


def _most_reached(spec: RunSpec, operations: int) -> int:
    """The most leaves that an offspring, or an intermediate tree, can have if the fitness improves n + 1 times."""
    if not spec.weights[1]:
        return spec.init.leaves
    if spec.max_leaves_allowed is not None:
        return spec.max_leaves_allowed + operations
    return spec.init.leaves + operations * (spec.n + 1)


def _intermediate_leaves(spec: RunSpec, operations: int, most: int) -> int:
    """L such that the trees beyond it hardly ever come up, if there is room for it.

    One offspring of a tree with T leaves passes L only by more than L − T insertions. L makes that less likely than
    10⁻¹⁰ from the size limit or, without one, from somewhat above the initial tree: a random one leaves more to do,
    and accepted trees grow on the way. What it costs in fact is in the answer.
    """
    limit = spec.max_leaves_allowed
    if not spec.accept.is_strict and limit is None and spec.weights[1]:
        return _cut_off(spec, _MAX_MULTI_WEAK)
    growth = spec.n if spec.init.name in ("unity", "insertion") else 1
    largest = spec.init.leaves + growth if limit is None else limit
    if not spec.weights[1]:
        largest = spec.init.leaves
    if not spec.accept.is_strict:
        run_states = sum(kind_for(spec).counted(spec.problem, spec.n, largest))
        if run_states > _MAX_MULTI_WEAK:
            raise _too_large(spec, run_states, _MAX_MULTI_WEAK)
    wanted = largest + _insertions(spec, operations) if spec.weights[1] else largest
    leaves = _largest(spec, most, wanted)
    least = min(wanted, max(spec.init.leaves, limit or 0) + 3)
    if leaves < least:
        raise _too_large(spec, sum(kind_for(spec).counted(spec.problem, spec.n, least)), most)
    return leaves


def _insertions(spec: RunSpec, operations: int) -> int:
    """The smallest j with P(an offspring has more than j insertions) < 10⁻¹⁰."""
    chance = spec.weights[1] / sum(spec.weights)
    numbers = [0.0] * (operations + 1)  # P(j insertions)
    for k, weight in enumerate(number_law(spec, operations).weights, 1):
        for j in range(k + 1):
            numbers[j] += weight * math.comb(k, j) * chance**j * (1 - chance) ** (k - j)
    return next((j for j in range(operations) if sum(numbers[j + 1 :]) < 1e-10), operations)


def _too_large(spec: RunSpec, states: int, most: int) -> BadInput:
    memory = states * _BYTES / 2**30
    amount = f"about {states:.1e} states and {memory:.1e} GiB" if states > 10**6 else f"about {states:,} states"
    if spec.n > MAX_COUNTED:
        amount = f"more than {states:.1e} states"
    words = f"too large: {amount}, where {most:,} states are the most"
    return BadInput("n", spec.n, words + f"; {_what_would_fit(spec, most)}")


def too_many(spec: RunSpec, most: int) -> BadInput:
    """For what turned out to be too large on the way."""
    if spec.has_population:
        fewer = "take fewer variables or a smaller initial tree, as in --init unity:leaves=1"
        return BadInput("n", spec.n, f"too large: more than {most:,} states of {spec.algorithm.name}; {fewer}")
    return BadInput("n", spec.n, f"too large: more than {most:,} states; {_what_limit_would_fit(spec, most)}")


def _what_would_fit(spec: RunSpec, most: int) -> str:
    if not is_multi(spec) and not grows(spec):
        fitting = 0
        while fitting < spec.n and estimate(spec, fitting + 1) <= most:
            fitting += 1
        if fitting:
            return f"the largest n that fits is {fitting}"
    return _what_limit_would_fit(spec, _most_states(spec, rational=False) if grows(spec) else most)


def _what_limit_would_fit(spec: RunSpec, most: int) -> str:
    leaves = _largest(spec, most, spec.max_leaves_allowed or _MAX_LEAVES_CUT_OFF)
    if leaves >= max(spec.init.leaves, 1) and not is_multi(spec):
        return f"a size limit of {leaves} leaves would fit"
    if leaves > 0 and not is_multi(spec):
        return f"a smaller initial tree with a size limit of {leaves} leaves would fit"
    return "take fewer variables or leaves"
