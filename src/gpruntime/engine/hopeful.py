"""Which offspring of a strict run are worth making: the mathematics of skipping.

Let U be the unexpressed variables of the parent X. An offspring improves only if it expresses some i in U. That takes
an operation that either **brings in** x_i with i in U, or **takes out** a *blocking* leaf; call such an operation
hopeful. Which leaves block depends on the problem (see its `skipping`); what is brought in
need not help, so a hopeful offspring is tried, not accepted.

With T leaves, β of them blocking, and g = |U|/2n, an operation of each kind is hopeful with chance

    insertion g        deletion β/T        substitution g + (1 − g)·β/T + β₂/(2nT)

where β₂ counts leaves that help only as the substitution x̄_i → x_i (where counts decide, single; 0 otherwise). In
the dialect `substitute="nodes"` a substitution finds a leaf with chance T/(2T − 1) only, which multiplies its chance.

**Several operations.** At the j-th operation (from 0) T and β have drifted, but T is at least T − j and β at most β +
j (or β, as the problem says), so the chances with those numbers are bounds that do not depend on the operations
before. Draw for each operation its kind and then a *flag* with the bound of its kind. Offspring without a flag have
no hopeful operation and cannot improve. They are skipped: their number before the next flagged one is geometric. In a
flagged offspring an operation with a flag is hopeful with chance (true chance)/(bound), and an operation without one
is drawn from those that are not hopeful. So every operation has the law it should have.

**Too few operations.** Where counts decide, an operation lowers a deficit by at most 2. If all unexpressed variables
have large deficits, offspring with fewer operations than `least`, half the smallest deficit, cannot improve either
and are skipped as well, flags or not.

Given that an offspring has no flag, the kinds of its operations are independent with known chances, since the bounds
are. So the kinds of all skipped operations are multinomial, and are drawn when the parent changes (`share_out`).

The plan of a parent is one row per operation: the bounds by kind, the chance of a flag, the chance that this and all
operations before it have none, and cumulatively the chance that an offspring of up to k operations is flagged;
in the last row also the rate −ln(1 − p) of the geometric law, p being the chance that any offspring is flagged, and
`least`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.binomial import binomial
from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.kernel import ONE, ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE
from gpruntime.engine.random import uniform, word
from gpruntime.engine.trace import SKIPPED

# Columns of a plan; the first three are the bounds of SUBSTITUTE, INSERT and DELETE. SIZE is not the parent's but the
# law's: with a word's upper 53 bits below it, an offspring has at most this number of operations.
FLAG, UNFLAGGED, CAUGHT, TOTAL, RATE, LEAST, SIZE = range(3, 10)
PLAN_WIDTH = 10

_U11 = np.uint64(11)
_UNIT = 2.0**-53


@inlined
def chance_of(law, kind, leaves, pool, blocking, twos):
    """The chance that an operation of this kind is hopeful, with `pool` = |U|."""
    if kind == INSERT:
        return pool / (2.0 * law.n)
    if leaves <= 0:
        return 0.0
    out = min(1.0, blocking / leaves)
    if kind == DELETE:
        return out
    into = pool / (2.0 * law.n)
    found = leaves / (2.0 * leaves - 1.0) if law.nodes else 1.0
    return min(1.0, found * (into + (1.0 - into) * out + twos / (2.0 * law.n * leaves)))


@inlined
def chance_of_size(plan, j):
    """The chance that an offspring has j + 1 operations."""
    return (plan[PLAN_WIDTH * j + SIZE] - (plan[PLAN_WIDTH * (j - 1) + SIZE] if j > 0 else 0.0)) * _UNIT


def plan_of(sizes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """A plan of which only the sizes of offspring are known yet."""
    plan = np.zeros((len(sizes), PLAN_WIDTH))
    plan[:, SIZE] = sizes
    return plan


@inlined
def weight_of(law, kind):
    """The chance that an operation is of this kind."""
    if kind == SUBSTITUTE:
        return law.substitute
    return law.insert if kind == INSERT else law.delete


@helper
def prepare(law, plan, leaves, pool, blocking, twos, drift, least):
    """Writes the plan of a parent: β may grow by `drift` per operation; fewer than `least` operations are too few."""
    unflagged, caught, total = 1.0, 0.0, 0.0
    single = law.most == 1
    for j in range(law.most):
        flag = 0.0
        for kind in range(3):
            if kind != INSERT and leaves - j <= 0 and j > 0:
                bound = 1.0  # the tree may be down to any size
            elif kind == INSERT and single and leaves >= law.limit:
                bound = 0.0  # too large, whatever it brings in
            else:
                bound = chance_of(law, kind, leaves - j, pool, blocking + j * drift, twos)
            plan[PLAN_WIDTH * j + kind] = bound
            flag += weight_of(law, kind) * bound
        caught += unflagged * flag
        unflagged *= 1.0 - flag
        if j + 1 >= least:
            total += chance_of_size(plan, j) * caught
        (
            plan[PLAN_WIDTH * j + FLAG],
            plan[PLAN_WIDTH * j + UNFLAGGED],
            plan[PLAN_WIDTH * j + CAUGHT],
            plan[PLAN_WIDTH * j + TOTAL],
        ) = flag, unflagged, caught, total
    plan[PLAN_WIDTH * (law.most - 1) + LEAST] = least
    plan[PLAN_WIDTH * (law.most - 1) + RATE] = -math.log1p(-total) if 0.0 < total < 1.0 else 0.0


@inlined
def skipped_offspring(law, rng, plan):
    """How many offspring without a flag come before the next flagged one: geometric."""
    last = law.most - 1
    if plan[PLAN_WIDTH * last + TOTAL] >= 1.0:
        return np.int64(0)
    if plan[PLAN_WIDTH * last + TOTAL] <= 0.0:
        return np.int64(NO_LIMIT)
    exponential = -math.log((np.float64(word(rng) >> _U11) + 1.0) * _UNIT)
    return np.int64(min(exponential / plan[PLAN_WIDTH * last + RATE], float(NO_LIMIT)))


@inlined
def flagged_size(law, rng, plan):
    """The number of operations of a flagged offspring, and which is the first with a flag."""
    x = uniform(rng) * plan[PLAN_WIDTH * (law.most - 1) + TOTAL] if law.most > 1 else 0.0
    size = 0
    while size < law.most - 1 and x >= plan[PLAN_WIDTH * size + TOTAL]:
        size += 1
    y = uniform(rng) * plan[PLAN_WIDTH * size + CAUGHT] if size > 0 else 0.0
    first = 0
    while first < size and y >= plan[PLAN_WIDTH * first + CAUGHT]:
        first += 1
    return size + 1, first


@inlined
def kind_given_flag(law, rng, plan, j, flagged):
    """The kind of an operation with, or without, a flag."""
    one = law.substitute * (plan[PLAN_WIDTH * j + 0] if flagged else 1.0 - plan[PLAN_WIDTH * j + 0])
    two = law.insert * (plan[PLAN_WIDTH * j + 1] if flagged else 1.0 - plan[PLAN_WIDTH * j + 1])
    three = law.delete * (plan[PLAN_WIDTH * j + 2] if flagged else 1.0 - plan[PLAN_WIDTH * j + 2])
    x = uniform(rng) * (one + two + three)
    if x < one:
        return SUBSTITUTE
    return INSERT if x < one + two or three == 0.0 else DELETE


@helper
def share_out(law, rng, plan, result, stand):
    """Adds the operations of the offspring skipped since the parent last changed to the proposed ones, by kind.

    First those of at least `least` operations, which have no flag, then the smaller ones, about which nothing is known.
    """
    skipped, least = stand[SKIPPED], np.int64(plan[PLAN_WIDTH * (law.most - 1) + LEAST])
    stand[SKIPPED] = 0
    everything = 1.0 - plan[PLAN_WIDTH * (law.most - 1) + TOTAL]
    small = 0.0
    for j in range(least - 1):
        small += chance_of_size(plan, j)
    small_ones = binomial(rng, skipped, small / everything) if small < everything else skipped
    _share_out(law, rng, plan, skipped - small_ones, everything - small, least - 1, ONE, result)
    _share_out(law, rng, plan, small_ones, small, ZERO, ZERO, result)


@helper
def _share_out(law, rng, plan, left, rest, first, unflagged, result):
    """Offspring with more than `first` operations, whose sizes have chances that add up to `rest`."""
    for j in range(law.most):
        if left == 0:
            return
        # all that are left have a j-th operation
        of_kind = left
        whole = 1.0 - plan[PLAN_WIDTH * j + FLAG] if unflagged else 1.0
        for kind in range(2):
            part = weight_of(law, kind) * (1.0 - plan[PLAN_WIDTH * j + kind] if unflagged else 1.0)
            drawn = binomial(rng, of_kind, part / whole) if part < whole else of_kind
            result[PROPOSED + kind] += drawn
            of_kind -= drawn
            whole -= part
        result[PROPOSED + DELETE] += of_kind
        if j >= first:
            ends = chance_of_size(plan, j) * (plan[PLAN_WIDTH * j + UNFLAGGED] if unflagged else 1.0)
            left -= binomial(rng, left, ends / rest) if ends < rest else left
            rest -= ends
