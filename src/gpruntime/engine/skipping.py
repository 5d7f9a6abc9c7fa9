"""Strict runs without their hopeless offspring: the same law as stepping, not the same random numbers.

`hopeful` has the mathematics. The budget and `stuck` are exact, and the operations of skipped offspring are counted.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, LEAVES, PROPOSED
from gpruntime.engine.frame import Method, accept, make_kernel
from gpruntime.engine.hopeful import (
    FLAG,
    PLAN_WIDTH,
    chance_of,
    flagged_size,
    kind_given_flag,
    prepare,
    share_out,
    skipped_offspring,
)
from gpruntime.engine.kernel import ONE, ZERO, helper, inlined
from gpruntime.engine.memory import tail
from gpruntime.engine.problem import Skipping
from gpruntime.engine.random import uniform
from gpruntime.engine.stepping import growth, least_gain
from gpruntime.engine.trace import LOG_KIND, LOG_WIDTH, SKIPPED, trace_offspring, trace_operation


def make_skipping(name: str, problem: Skipping) -> Any:
    """The kernel that skips through the runs of a problem."""
    start, is_stuck, make, note, undo = problem[:5]
    measure, draw_hopeful, draw_hopeless, is_vain, terminal_of, judge, foresee_change, refile = problem[5:]

    @inlined
    def look(law, at, cells, wide, plan, leaves, fitness):
        pool, blocking, twos, drift, least = measure(law, at, wide)
        prepare(law, plan, leaves, pool, blocking, twos, drift, least)
        return is_stuck(law, at, cells, leaves, fitness)

    @inlined
    def breed(law, at, cells, wide, tiny, rng, plan, log, result, stand, trace, tracing, room, steps):
        leaves = result[LEAVES]
        left = law.budget - result[EVALUATIONS]
        skipped = min(skipped_offspring(law, rng, plan), left)
        stand[SKIPPED] += skipped
        if skipped == left:
            result[EVALUATIONS] = law.budget
            return ONE, False, ZERO
        result[EVALUATIONS] += skipped + 1
        operations, first_flag = flagged_size(law, rng, plan)
        gain, new_leaves = ZERO, leaves
        kind, site, side, code = ZERO, ZERO, ZERO, ZERO
        for j in range(operations):
            flagged = j == first_flag or (j > first_flag and uniform(rng) < plan[PLAN_WIDTH * j + FLAG])
            kind = kind_given_flag(law, rng, plan, j, flagged)
            hopeful = flagged
            if flagged and j > 0:
                pool, blocking, twos, _, _ = measure(law, at, wide)
                true = chance_of(law, kind, new_leaves, pool, blocking, twos)
                hopeful = uniform(rng) * plan[PLAN_WIDTH * j + kind] < true
            if hopeful:
                site, side, code, which = draw_hopeful(law, at, cells, wide, tiny, rng, new_leaves, kind)
            else:
                site, side, code, which = draw_hopeless(law, at, cells, wide, tiny, rng, new_leaves, kind)
            result[PROPOSED + kind] += 1
            if operations == 1 and tracing == 0 and is_vain(law, at, cells, tiny, leaves, kind, site, which):
                return ONE, False, ZERO
            code = terminal_of(at, cells, code, which)
            if tracing > 0:
                trace_operation(trace, stand, kind, site, side, code, which)
            if operations == 1:
                gain = judge(law, at, cells, wide, tiny, leaves, kind, site, side, code)
            else:
                note(law, at, cells, wide, tiny, new_leaves, kind, site, code, tail(log, LOG_WIDTH * j))
                gain += make(law, at, cells, wide, tiny, new_leaves, kind, site, side, code)
            new_leaves += growth(law, new_leaves, kind)
        accepted = gain >= least_gain(law, new_leaves)
        if tracing > 0:
            trace_offspring(trace, stand, operations, result[EVALUATIONS], accepted, gain, new_leaves)
        if accepted:
            if operations == 1:
                foresee_change(at, cells, tiny, leaves, kind, site, side, code)  # its memory comes meanwhile
            close(law, at, wide, rng, plan, result, stand)
            if operations == 1:
                note(law, at, cells, wide, tiny, leaves, kind, site, code, log)
                make(law, at, cells, wide, tiny, leaves, kind, site, side, code)
            for j in range(operations):
                result[ACCEPTED + log[LOG_WIDTH * j + LOG_KIND]] += 1
            refile(law, at, cells, wide, tiny, log, operations)
            accept(result, new_leaves, gain)
        elif operations > 1:
            for j in range(operations - 1, -1, -1):
                new_leaves = undo(law, at, cells, wide, tiny, new_leaves, tail(log, LOG_WIDTH * j))
        return ONE, accepted, gain

    @helper
    def close(law, at, wide, rng, plan, result, stand):
        """The kinds of the offspring skipped since the parent last changed."""
        share_out(law, rng, plan, stand[SKIPPED], measure(law, at, wide)[4], result)
        stand[SKIPPED] = 0

    return make_kernel(name, Method(start, look, breed, close))
