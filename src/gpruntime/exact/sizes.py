"""How many states there can be, before any is built.

MAJORITY: multisets of n pairs (c(x_i), c(x̄_i)) with t leaves in total, that is multisets of at most n pairs other than
(0, 0). There are k + 1 pairs with k leaves, so the number is the coefficient of y^≤n z^t in ∏_k (1 − y z^k)^−(k+1).

ORDER: the Catalan number C_(t−1) of shapes times the sequences of t terminals up to renaming: with v variables in
use, a further leaf is one of 2v terminals known or one of 2 new.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from gpruntime.exact.kernel import neglected, operation_weights
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec

_MOST_STRICT = 3_000_000
_MOST_WEAK = 300_000
_MOST_MULTI = {"majority": 400_000, "order": 120_000}  # with intermediate trees; rows of ORDER are longer
_MOST_MULTI_WEAK = 1_500  # without them: P is dense there
_MOST_RATIONAL_STRICT = 150_000
_MOST_RATIONAL_WEAK = 200
_MOST_INITIAL_LEAVES = 300
_BYTES = {"majority": 1000, "order": 1000}  # a state with its row, measured
_MOST_ORDER_LEAVES = 40

MOST_COUNTED = 12  # variables of MAJORITY; beyond, the count itself takes long, and it is astronomic


@cache
def majority_states(n: int, most_leaves: int) -> tuple[int, ...]:
    """The number of states with t leaves, for t = 0 … most_leaves."""
    ways = [[0] * (most_leaves + 1) for _ in range(n + 1)]  # by pairs in use and leaves
    ways[0][0] = 1
    for size in range(1, most_leaves + 1):
        for _ in range(size + 1):
            for used in range(1, n + 1):
                for leaves in range(size, most_leaves + 1):
                    ways[used][leaves] += ways[used - 1][leaves - size]
    return tuple(sum(row[t] for row in ways) for t in range(most_leaves + 1))


@cache
def order_states(n: int, most_leaves: int) -> tuple[int, ...]:
    """The number of states with t leaves, for t = 0 … most_leaves."""
    sequences = [1] + [0] * n  # by variables in use
    numbers = [1]
    for leaves in range(1, most_leaves + 1):
        sequences = [sequences[v] * 2 * v + (2 * sequences[v - 1] if v else 0) for v in range(n + 1)]
        numbers.append(math.comb(2 * leaves - 2, leaves - 1) // leaves * sum(sequences))
    return tuple(numbers)


def states_by_leaves(problem: str, n: int, most_leaves: int) -> tuple[int, ...]:
    """The number of states with t leaves, for t = 0 … most_leaves, as far as counting is quick.

    Where it stops, numbers are beyond every limit; only for n = 1 they are not, and the explorer counts itself.
    """
    if problem == "order":
        return order_states(n, min(most_leaves, _MOST_ORDER_LEAVES))
    variables = min(n, MOST_COUNTED)
    return majority_states(variables, min(most_leaves, int((4e6 / variables) ** (1 / 3))))


@dataclass(frozen=True)
class Plan:
    """How far the chain will be built.

    Attributes:
        most_states: more are refused on the way, where no estimate could be made before.
        operations: K, for multi.
        most_leaves: L, for multi.
    """

    most_states: int
    operations: int = 1
    most_leaves: int = 0


def plan_for(spec: RunSpec, rational: bool) -> Plan:
    """The plan for a spec that can be solved; raises `BadInput`, before anything is built, for one that cannot."""
    _check_supported(spec, rational)
    most = _most_states(spec, rational)
    if spec.algorithm_.multi:
        return _multi_plan(spec, most)
    states = estimate(spec, spec.n)
    if states > most:
        raise _too_large(spec, states, most)
    return Plan(most)


def estimate(spec: RunSpec, n: int) -> int:
    """About how many states a single-operation algorithm has to deal with, for n variables and else this spec.

    Weak acceptance: all states within the size limit. Strict acceptance from a random tree: what was counted is below
    n times the number of initial states (MAJORITY n ≤ 8: 1.8 to 5.6 times). From one tree it cannot be told before.
    """
    limit = spec.max_leaves_allowed
    if not spec.algorithm_.strict:
        assert limit is not None
        return sum(states_by_leaves(spec.problem, n, limit))
    if spec.initial.name not in ("unity", "insertion"):
        return _from_one_tree(spec, n)
    leaves = 2 * n if spec.initial.leaves == 2 * spec.n else spec.initial.leaves
    return states_by_leaves(spec.problem, n, leaves)[-1] * max(n, 2)


def _from_one_tree(spec: RunSpec, n: int) -> int:
    """MAJORITY has few states then, and they are counted on the way.

    On ORDER the ways to improve a tree of T leaves are about 5T, and the order in which n − 2 of them were taken does
    not show; the last step needs no states of its own. From `bad` with n = 3, 4, 5 there are 54, 1,041 and 30,105
    states, where twice this rule says 60, 1,800 and 55,000.
    """
    if spec.problem == "majority":
        return 1
    steps = max(n - 2, 0)
    return 2 * math.prod(5 * (spec.initial.leaves + i) for i in range(steps)) // math.factorial(steps)


def _check_supported(spec: RunSpec, rational: bool) -> None:
    if spec.operator != "hvl-prime":
        raise BadInput("operator", spec.operator, "exact answers exist for hvl-prime only")
    if spec.initial.name == "grow":
        raise BadInput("init", spec.init, "exact answers exist for unity, bad, tlopt, insertion and explicit trees")
    if not spec.algorithm_.strict and spec.max_leaves_allowed is None:
        allowed = (
            f"must be a whole number, {spec.n} or more: with neutral moves and no limit the states are infinitely many"
        )
        raise BadInput("max_leaves_allowed", "none", allowed)
    if rational and spec.algorithm_.multi:
        raise BadInput("rational", spec.algorithm, "the probabilities of 1 + Pois(λ) operations are not rational")
    if spec.initial.leaves > _MOST_INITIAL_LEAVES:
        raise BadInput("init", spec.init, f"exact answers exist for at most {_MOST_INITIAL_LEAVES} leaves")


def _most_states(spec: RunSpec, rational: bool) -> int:
    strict, multi = spec.algorithm_.strict, spec.algorithm_.multi
    if rational:
        return _MOST_RATIONAL_STRICT if strict else _MOST_RATIONAL_WEAK
    if multi:
        return _MOST_MULTI[spec.problem]
    return _MOST_STRICT if strict else _MOST_WEAK


def _multi_plan(spec: RunSpec, most: int) -> Plan:
    """K such that P(k > K) < 10⁻¹⁶, and L such that the trees beyond it hardly ever come up, if there is room for it.

    One offspring of a tree with T leaves passes L only by more than L − T insertions. L makes that less likely than
    10⁻¹⁰ from the size limit or, without one, from somewhat above the initial tree: a random one leaves more to do,
    and accepted trees grow on the way. What it costs in fact is in the answer.
    """
    mean, limit = spec.poisson_mean, spec.max_leaves_allowed
    operations = next(k for k in range(1, 1000) if k >= mean and neglected(mean, k) < 1e-16)
    growth = spec.n if spec.initial.name in ("unity", "insertion") else 1
    largest = spec.initial.leaves + growth if limit is None else limit
    if not spec.algorithm_.strict:
        run_states = sum(states_by_leaves(spec.problem, spec.n, largest))
        if run_states > _MOST_MULTI_WEAK:
            raise _too_large(spec, run_states, _MOST_MULTI_WEAK)
    wanted = largest + _insertions(spec, operations) if spec.weights[1] else spec.initial.leaves
    total, leaves = 0, -1
    for count in states_by_leaves(spec.problem, spec.n, wanted):
        if total + count > most:
            break
        total, leaves = total + count, leaves + 1
    least = min(wanted, max(spec.initial.leaves, limit or 0) + 3)
    if leaves < least:
        raise _too_large(spec, sum(states_by_leaves(spec.problem, spec.n, least)), most)
    return Plan(most, operations, leaves)


def _insertions(spec: RunSpec, operations: int) -> int:
    """The smallest j with P(an offspring has more than j insertions) < 10⁻¹⁰."""
    chance = spec.weights[1] / sum(spec.weights)
    numbers = [0.0] * (operations + 1)  # P(j insertions)
    for k, weight in enumerate(operation_weights(spec.poisson_mean, operations), 1):
        for j in range(k + 1):
            numbers[j] += weight * math.comb(k, j) * chance**j * (1 - chance) ** (k - j)
    return next((j for j in range(operations) if sum(numbers[j + 1 :]) < 1e-10), operations)


def _too_large(spec: RunSpec, states: int, most: int) -> BadInput:
    fitting = 0
    if not spec.algorithm_.multi:
        while fitting < spec.n and estimate(spec, fitting + 1) <= most:
            fitting += 1
    memory = states * _BYTES[spec.problem] / 2**30
    amount = f"about {states:.1e} states and {memory:.1e} GiB" if states > 10**6 else f"about {states:,} states"
    if spec.problem == "majority" and spec.n > MOST_COUNTED:
        amount = f"more than {states:.1e} states"
    hint = f"; the largest n that fits is {fitting}" if fitting else "; take fewer variables or leaves"
    return BadInput("n", spec.n, f"too large: {amount}, where {most:,} states are the most{hint}")
