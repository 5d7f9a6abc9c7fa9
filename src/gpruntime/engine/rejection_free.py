"""Rejection-free runs (the n-fold way): strict runs that skip the offspring that cannot improve.

The law is that of stepping, the random numbers are not. The budget and `stuck` are exact, and the operations of skipped
offspring are counted.

Let U be the unexpressed variables of the parent X. An offspring improves only if it expresses some i in U. That takes
an operation that either **brings in** x_i with i in U, or **takes out** a *blocking* leaf; call such an operation
hopeful. Which leaves block depends on the problem (see its file in `problems`); what is brought in
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
have large deficits, offspring with fewer operations than `fewest`, half the smallest deficit, cannot improve either
and are skipped as well, flags or not.

Given that an offspring has no flag, the kinds of its operations are independent with known chances, since the bounds
are. So the kinds of all skipped operations are multinomial, and are drawn when the parent changes or the run ends
(`count_skipped`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, accept, make_kernel, note_improvement
from gpruntime.engine.params import NO_LIMIT
from gpruntime.engine.random import below, binomial, draw_place, uniform, word
from gpruntime.engine.run_state import DELETE, INSERT, SUBSTITUTE, Operation, trace_offspring, trace_operation
from gpruntime.engine.stepping import growth_of
from gpruntime.engine.stuck import make_stuck_with_many

_U11 = np.uint64(11)
_UNIT = 2.0**-53


class Plan(NamedTuple):
    """What is known of the offspring of a parent before they are drawn; j counts operations from 0."""

    size: Any  # the chance that an offspring has j + 1 operations, from the law of k
    bound: Any  # at 3·j + kind, the bound on the chance that the j-th operation, if it is of this kind, is hopeful
    flag: Any  # the chance that the j-th operation has a flag
    unflagged: Any  # the chance that it and all before it have none
    caught: Any  # the chance that one of them has
    total: Any  # the chance that an offspring has at most j + 1 operations, enough of them, and a flag
    rate: Any  # one number, −ln(1 − p) of the geometric law, p being the chance that any offspring is flagged
    fewest: Any  # one number, how many operations it takes at least to improve


def plan_of(thresholds: NDArray[np.uint64]) -> Plan:
    """A plan of which only the sizes of offspring are known yet, from the law of k (`run_state.Run`)."""
    operations = len(thresholds)
    size = np.diff(thresholds.astype(np.float64), prepend=0.0) * _UNIT
    bound, flag, unflagged, caught, total = (np.zeros(many) for many in (3 * operations, *[operations] * 4))
    return Plan(size, bound, flag, unflagged, caught, total, rate=np.zeros(1), fewest=np.zeros(1, np.int64))


class Hope(NamedTuple):
    """What an improvement can come from, in the present tree."""

    wanted: Any  # |U|, the unexpressed variables
    blocking: Any  # β, the leaves that block
    pairs: Any  # β₂
    drift: Any  # how much β can grow with each operation
    fewest: Any  # operations that it takes at least to improve


class RejectionFree(NamedTuple):
    """What a problem brings for this method. `start`, `make`, `note` and `undo` are as in `Stepping`."""

    start: Any
    can_be_expressed: Any  # see `stuck.make_stuck_with_many`
    make: Any
    note: Any
    undo: Any
    hope: Any  # (params, tree): a `Hope`
    is_wanted: Any  # (tree, code): whether this terminal is x_i for an i in U
    draw_wanted: Any  # (params, tree, rng): a uniform such terminal, and in a linked tree its rank, the place of the
    # variable in a list; else −1
    leaf_of: Any  # (params, tree, number): the leaf with this number, as (site, rank): where only counts are kept, the
    # site of an operation is a terminal, and the rank says which of its leaves. In a linked tree there is no rank: −1.
    draw_blocking: Any  # (params, tree, rng, as_pair): a uniform leaf that blocks, or counts for β₂
    draw_hopeless: Any  # (params, tree, rng, leaves, kind): a deletion or substitution in a tree that is not empty, and
    # the rank, of those that are not hopeful
    judge: Any  # (params, tree, leaves, operation): what the operation would add to the fitness; changes nothing
    foresee_change: Any  # (tree, leaves, operation): asks for the memory that `make` and `file` will need
    file: Any  # (params, tree, variable): brings U and the blocking leaves up to date for a variable that an accepted
    # offspring has touched
    settle: Any  # (params, tree): the rest of it, after all such variables


# ---- the mathematics


@inlined
def chance_of(params, kind, leaves, hope):
    """The chance that an operation of this kind is hopeful."""
    if kind == INSERT:
        return hope.wanted / (2.0 * params.n)
    if leaves <= 0:
        return 0.0
    out = min(1.0, hope.blocking / leaves)
    if kind == DELETE:
        return out
    into = hope.wanted / (2.0 * params.n)
    at_leaf = leaves / (2.0 * leaves - 1.0) if params.substitutes_nodes else 1.0
    return min(1.0, at_leaf * (into + (1.0 - into) * out + hope.pairs / (2.0 * params.n * leaves)))


@inlined
def probability_of(params, kind):
    """The chance that an operation is of this kind."""
    if kind == SUBSTITUTE:
        return params.p_substitute
    return params.p_insert if kind == INSERT else params.p_delete


@helper
def prepare(params, plan, leaves, hope):
    """Writes the plan of a parent."""
    unflagged, caught, total = 1.0, 0.0, 0.0
    single = params.max_operations == 1
    for j in range(params.max_operations):
        flag = 0.0
        later = Hope(hope.wanted, hope.blocking + j * hope.drift, hope.pairs, hope.drift, hope.fewest)
        for kind in range(3):
            if kind != INSERT and leaves - j <= 0 and j > 0:
                bound = 1.0  # the tree may be down to any size
            elif kind == INSERT and single and leaves >= params.max_leaves:
                bound = 0.0  # too large, whatever it brings in
            else:
                bound = chance_of(params, kind, leaves - j, later)
            plan.bound[3 * j + kind] = bound
            flag += probability_of(params, kind) * bound
        caught += unflagged * flag
        unflagged *= 1.0 - flag
        if j + 1 >= hope.fewest:
            total += plan.size[j] * caught
        plan.flag[j], plan.unflagged[j], plan.caught[j], plan.total[j] = flag, unflagged, caught, total
    plan.fewest[0] = hope.fewest
    plan.rate[0] = -math.log1p(-total) if 0.0 < total < 1.0 else 0.0


@inlined
def skipped_offspring(params, rng, plan):
    """How many offspring without a flag come before the next flagged one: geometric."""
    total = plan.total[params.max_operations - 1]
    if total >= 1.0:
        return int64(0)
    if total <= 0.0:
        return int64(NO_LIMIT)
    exponential = -math.log((np.float64(word(rng) >> _U11) + 1.0) * _UNIT)
    return int64(min(exponential / plan.rate[0], float(NO_LIMIT)))


@inlined
def flagged_size(params, rng, plan):
    """The number of operations of a flagged offspring, and which is the first with a flag."""
    last = params.max_operations - 1
    x = uniform(rng) * plan.total[last] if last > 0 else 0.0
    size = 0
    while size < last and x >= plan.total[size]:
        size += 1
    y = uniform(rng) * plan.caught[size] if size > 0 else 0.0
    first = 0
    while first < size and y >= plan.caught[first]:
        first += 1
    return size + 1, first


@inlined
def kind_given_flag(params, rng, plan, j, flagged):
    """The kind of the j-th operation, with or without a flag."""
    bound = plan.bound
    substitute = params.p_substitute * (bound[3 * j + SUBSTITUTE] if flagged else 1.0 - bound[3 * j + SUBSTITUTE])
    insert = params.p_insert * (bound[3 * j + INSERT] if flagged else 1.0 - bound[3 * j + INSERT])
    delete = params.p_delete * (bound[3 * j + DELETE] if flagged else 1.0 - bound[3 * j + DELETE])
    x = uniform(rng) * (substitute + insert + delete)
    if x < substitute:
        return SUBSTITUTE
    return INSERT if x < substitute + insert or delete == 0.0 else DELETE


@inlined
def can_improve(params, leaves, fitness, hope):
    """Whether some hopeful single operation improves."""
    inserts = params.p_insert > 0 and leaves < params.max_leaves and hope.wanted > 0
    deletes = params.p_delete > 0 and hope.blocking > 0
    onto_a_free_leaf = hope.wanted > 0 and leaves > fitness
    return inserts or deletes or (params.p_substitute > 0 and (hope.pairs > 0 or onto_a_free_leaf))


@helper
def count_skipped(params, run, result):
    """Adds the operations of the offspring skipped since the parent last changed to the proposed ones, by kind.

    First those of at least `fewest` operations, which have no flag, then the smaller ones, about which nothing is
    known.
    """
    plan, skipped = run.plan, run.cursor.skipped
    run.cursor.skipped = 0
    everything = 1.0 - plan.total[params.max_operations - 1]
    small = 0.0
    for j in range(plan.fewest[0] - 1):
        small += plan.size[j]
    small_ones = binomial(run.rng, skipped, small / everything) if small < everything else skipped
    _count_by_kind(params, run, result, skipped - small_ones, everything - small, ONE)
    _count_by_kind(params, run, result, small_ones, small, ZERO)


@helper
def _count_by_kind(params, run, result, left, rest, unflagged):
    """Counts the operations of `left` offspring, whose sizes have chances that add up to `rest`.

    They have no flag and at least `fewest` operations (`unflagged`), or any flags and fewer.
    """
    rng, plan = run.rng, run.plan
    first = plan.fewest[0] - 1 if unflagged else ZERO
    for j in range(params.max_operations):
        if left == 0:
            return
        # all that are left have a j-th operation
        of_kind = left
        whole = 1.0 - plan.flag[j] if unflagged else 1.0
        for kind in range(2):
            part = probability_of(params, kind) * (1.0 - plan.bound[3 * j + kind] if unflagged else 1.0)
            drawn = binomial(rng, of_kind, part / whole) if part < whole else of_kind
            result.proposed[kind] += drawn
            of_kind -= drawn
            whole -= part
        result.proposed[DELETE] += of_kind
        if j >= first:
            ends = plan.size[j] * (plan.unflagged[j] if unflagged else 1.0)
            left -= binomial(rng, left, ends / rest) if ends < rest else left
            rest -= ends


# ---- drawing: each returns an operation, and its rank, for the trace


def _make_draws(problem: RejectionFree) -> tuple[Any, Any]:
    """The functions that draw an operation of some kind that is hopeful, and one that is not."""
    hope_of, is_wanted, draw_wanted = problem.hope, problem.is_wanted, problem.draw_wanted
    leaf_of, draw_blocking, draw_other = problem.leaf_of, problem.draw_blocking, problem.draw_hopeless

    @inlined
    def draw_unwanted(params, tree, rng):
        """A uniform terminal that is not wanted."""
        code = below(rng, 2 * params.n)
        while is_wanted(tree, code):
            code = below(rng, 2 * params.n)
        return code

    @inlined
    def draw_hopeful(params, tree, rng, leaves, kind):
        none = MINUS_ONE
        if kind == INSERT:
            site, side = draw_place(rng, leaves)
            code, rank = draw_wanted(params, tree, rng)
            return Operation(kind, site, side, code), rank
        hope = hope_of(params, tree)
        into = hope.wanted / (2.0 * params.n)
        out = (1.0 - into) * hope.blocking / leaves
        both = hope.pairs / (2.0 * params.n * leaves)
        x = uniform(rng) * (into + out + both) if kind != DELETE else into
        if x < into:
            number = below(rng, leaves)
            code, place = draw_wanted(params, tree, rng)
            site, rank = leaf_of(params, tree, number)
            return Operation(kind, site, none, code), max(place, rank)
        as_pair = kind != DELETE and x >= into + out and hope.pairs > 0
        site, rank = draw_blocking(params, tree, rng, as_pair)
        if kind == DELETE:
            return Operation(kind, site, none, none), rank
        return Operation(kind, site, none, site - 1 if as_pair else draw_unwanted(params, tree, rng)), rank

    @helper
    def draw_hopeless(params, tree, rng, leaves, kind):
        none = MINUS_ONE
        if kind == INSERT:
            site, side = draw_place(rng, leaves)
            return Operation(kind, site, side, draw_unwanted(params, tree, rng)), none
        if leaves == 0:
            return Operation(kind, none, none, none), none
        return draw_other(params, tree, rng, leaves, kind)

    return draw_hopeful, draw_hopeless


# ---- the method


def make_rejection_free(name: str, problem: RejectionFree) -> Any:
    """The kernel that makes the hopeful offspring of a problem's runs only."""
    stuck_with_many = make_stuck_with_many(problem.can_be_expressed)
    make, note, undo, hope_of = problem.make, problem.note, problem.undo, problem.hope
    draw_hopeful, draw_hopeless = _make_draws(problem)
    judge, foresee_change, file, settle = problem.judge, problem.foresee_change, problem.file, problem.settle

    @inlined_once
    def is_stuck(params, tree, run, result, changed):
        """Asked for each new parent, whose plan is made here."""
        if not changed:
            return False
        hope, leaves, fitness = hope_of(params, tree), result.leaves, result.fitness
        prepare(params, run.plan, leaves, hope)
        if params.max_operations > 1:
            return stuck_with_many(params, tree, leaves, fitness)
        return not can_improve(params, leaves, fitness, hope)

    @inlined_once
    def offspring(params, tree, run, result):
        """The next hopeful one, which is a step."""
        cursor, rng, plan, log = run.cursor, run.rng, run.plan, run.log
        cursor.steps -= 1
        leaves, left = result.leaves, params.budget - result.evaluations
        skipped = min(skipped_offspring(params, rng, plan), left)
        cursor.skipped += skipped
        if skipped == left:
            result.evaluations = params.budget
            return False
        result.evaluations += skipped + 1
        operations, first_flag = flagged_size(params, rng, plan)
        gain, new_leaves = ZERO, leaves
        operation = Operation(ZERO, ZERO, ZERO, ZERO)
        for j in range(operations):
            flagged = j == first_flag or (j > first_flag and uniform(rng) < plan.flag[j])
            kind = int64(kind_given_flag(params, rng, plan, j, flagged))
            hopeful = flagged
            if flagged and j > 0:
                chance = chance_of(params, kind, new_leaves, hope_of(params, tree))
                hopeful = uniform(rng) * plan.bound[3 * j + kind] < chance
            if hopeful:
                operation, rank = draw_hopeful(params, tree, rng, new_leaves, kind)
            else:
                operation, rank = draw_hopeless(params, tree, rng, new_leaves, kind)
            result.proposed[kind] += 1
            if cursor.trace_room > 0:
                trace_operation(run, operation, rank)
            if operations == 1:
                gain = judge(params, tree, leaves, operation)
            else:
                note(params, tree, new_leaves, operation, log[j])
                gain += make(params, tree, new_leaves, operation)
            new_leaves += growth_of(params, new_leaves, kind)
        changed = gain > 0 and new_leaves <= params.max_leaves
        if cursor.trace_room > 0:
            trace_offspring(run, operations, result.evaluations, changed, gain, new_leaves)
        if changed:
            if operations == 1:
                foresee_change(tree, leaves, operation)  # its memory comes meanwhile
            count_skipped(params, run, result)
            if operations == 1:
                note(params, tree, leaves, operation, log[0])
                make(params, tree, leaves, operation)
            for j in range(operations):
                entry = log[j]
                result.accepted[entry.kind] += 1
                for code in (entry.old, entry.new):
                    if code >= 0:
                        file(params, tree, code >> 1)
            settle(params, tree)
            accept(result, new_leaves, gain)
            note_improvement(run, result)
        elif operations > 1:
            for j in range(operations - 1, -1, -1):
                new_leaves = undo(params, tree, new_leaves, log[j])
        return changed

    @inlined_once
    def conclude(params, tree, run, result):
        count_skipped(params, run, result)

    return make_kernel(name, Method(problem.start, is_stuck, offspring, conclude))
