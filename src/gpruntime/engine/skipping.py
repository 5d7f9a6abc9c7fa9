"""Strict runs without their hopeless offspring: the same law as stepping, not the same random numbers.

`hopeful` has the mathematics. The budget and `stuck` are exact, and the operations of skipped offspring are counted.
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, PROPOSED
from gpruntime.engine.hopeful import (
    FLAG,
    chance_of,
    flagged_size,
    kind_given_flag,
    prepare,
    share_out,
    skipped_offspring,
)
from gpruntime.engine.improvements import NOTED, note_improvement
from gpruntime.engine.kernel import ZERO, inlined, kernel
from gpruntime.engine.law import UNDECIDED
from gpruntime.engine.problem import (
    draw_hopeful,
    draw_hopeless,
    foresee_change,
    is_vain,
    judge,
    measure,
    refile,
    start,
    terminal_of,
    undo,
)
from gpruntime.engine.random import uniform
from gpruntime.engine.stepping import (
    BEGUN,
    DONE,
    GROW_TREE,
    ROW,
    SLICE,
    TRACE_FULL,
    TRACED,
    accepts,
    growth,
    make_one_of_many,
    trace_offspring,
    trace_operation,
    verdict,
)

SKIPPED = 3  # in the array `at`: offspring skipped since the parent last changed


@inlined
def try_flagged(law, state, rng, plan, leaves, log, out, row, at, trace):
    """Tries an offspring with a flag; returns (operations, gain, its leaves), and the operation if it is the only one.

    Several operations are made, and taken back if the offspring is rejected; a single one is not made yet.
    """
    tracing = trace.shape[0] > 0
    operations, first_flag = flagged_size(rng, plan)
    gain, new_leaves = np.int64(0), leaves
    kind, site, side, code = ZERO, ZERO, ZERO, ZERO
    for j in range(operations):
        flagged = j == first_flag or (j > first_flag and uniform(rng) < plan[j, FLAG])
        kind = kind_given_flag(law, rng, plan, j, flagged)
        hopeful = flagged
        if flagged and j > 0:
            pool, blocking, twos, _, _ = measure(law, state)
            true = chance_of(law, kind, new_leaves, pool, blocking, twos)
            hopeful = uniform(rng) * plan[j, kind] < true
        if hopeful:
            site, side, code, which = draw_hopeful(law, state, rng, new_leaves, kind)
        else:
            site, side, code, which = draw_hopeless(law, state, rng, new_leaves, kind)
        out[row, PROPOSED + kind] += 1
        if operations == 1 and not tracing and is_vain(law, state, leaves, kind, site, which):
            continue
        code = terminal_of(state, code, which)
        if tracing:
            trace_operation(trace, at, kind, site, side, code, which)
        if operations > 1:
            gain += make_one_of_many(law, state, new_leaves, kind, site, side, code, log, j)
            new_leaves += growth(law, new_leaves, kind)
            continue
        gain = judge(law, state, leaves, kind, site, side, code)
        new_leaves += growth(law, leaves, kind)
    if operations > 1 and not accepts(law, gain, new_leaves):
        back = new_leaves
        for j in range(operations - 1, -1, -1):
            back = undo(law, state, back, log, j)
    return operations, gain, new_leaves, kind, site, side, code


@kernel
def skip_ahead(law, given, state, seeds, rng, plan, log, out, at, trace, improvements, room, steps):
    """Goes on with the runs from row `at[ROW]` for at most `steps` hopeful offspring of at most `room` leaves.

    Returns why it stopped, as `stepping.advance` does.
    """
    tracing, noting = trace.shape[0] > 0, improvements.shape[0] > 0
    begun = 0  # runs begun in this call; the leaves of their initial trees count as steps, so that a slice has an end
    while at[ROW] < out.shape[0]:
        row = at[ROW]
        changed = at[BEGUN] == 0
        if changed:
            if (begun > 0 and steps == 0) or (noting and at[NOTED] == improvements.shape[0]):
                return SLICE
            begun += 1
            for i in range(4):
                rng[i] = seeds[row, i]
            leaves, fitness = start(law, given, state, rng)
            steps = max(steps - leaves, 0)
            evaluations, max_leaves = np.int64(1), leaves
            at[BEGUN], at[SKIPPED] = 1, 0
            if noting and note_improvement(improvements, at, row, evaluations, fitness, leaves):
                steps = 0
            pool, blocking, twos, drift, least = measure(law, state)
            prepare(law, plan, leaves, pool, blocking, twos, drift, least)
        else:
            leaves, fitness = out[row, LEAVES], out[row, FITNESS]
            evaluations, max_leaves = out[row, EVALUATIONS], out[row, MAX_LEAVES]
        stopped = DONE
        while True:
            outcome = verdict(law, state, leaves, fitness, evaluations, changed)
            if outcome != UNDECIDED:
                break
            if steps == 0:
                stopped = SLICE
            elif leaves + law.most > room:
                stopped = GROW_TREE
            elif tracing and at[TRACED] + law.most > trace.shape[0]:
                stopped = TRACE_FULL
            if stopped != DONE:
                break
            steps -= 1
            skipped = min(skipped_offspring(rng, plan), law.budget - evaluations)
            at[SKIPPED] += skipped
            evaluations += skipped
            changed = False
            if evaluations == law.budget:
                continue
            evaluations += 1
            operations, gain, new_leaves, kind, site, side, code = try_flagged(
                law, state, rng, plan, leaves, log, out, row, at, trace
            )
            changed = accepts(law, gain, new_leaves)
            if tracing:
                trace_offspring(trace, at, operations, evaluations, changed, gain, new_leaves)
            if not changed:
                continue
            if operations == 1:
                foresee_change(state, leaves, kind, site, side, code)  # its memory comes in the meantime
            share_out(law, rng, plan, at[SKIPPED], measure(law, state)[4], out, row)
            at[SKIPPED] = 0
            if operations == 1:
                make_one_of_many(law, state, leaves, kind, site, side, code, log, ZERO)
            for j in range(operations):
                out[row, ACCEPTED + log[j, 0]] += 1
            refile(law, state, log, operations)
            leaves, fitness = new_leaves, fitness + gain
            max_leaves = max(max_leaves, leaves)
            if noting and note_improvement(improvements, at, row, evaluations, fitness, leaves):
                steps = 0
            pool, blocking, twos, drift, least = measure(law, state)
            prepare(law, plan, leaves, pool, blocking, twos, drift, least)
        if outcome != UNDECIDED:
            share_out(law, rng, plan, at[SKIPPED], measure(law, state)[4], out, row)
        out[row, OUTCOME], out[row, EVALUATIONS], out[row, FITNESS] = outcome, evaluations, fitness
        out[row, LEAVES], out[row, MAX_LEAVES] = leaves, max_leaves
        if stopped != DONE:
            return stopped
        at[ROW], at[BEGUN] = row + 1, 0
    return DONE
