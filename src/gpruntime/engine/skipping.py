"""Strict runs without their hopeless offspring: the same law as stepping, not the same random numbers.

`hopeful` has the mathematics. The budget and `stuck` are exact, and the operations of skipped offspring are counted.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, PROPOSED
from gpruntime.engine.frame import Method, accept, is_best, lacks_room, make_kernel, note_improvement
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
from gpruntime.engine.kernel import ZERO, pasted
from gpruntime.engine.memory import tail
from gpruntime.engine.problem import Skipping
from gpruntime.engine.random import uniform
from gpruntime.engine.stepping import growth
from gpruntime.engine.trace import (
    LOG_KIND,
    LOG_NEW,
    LOG_OLD,
    LOG_WIDTH,
    SKIPPED,
    trace_offspring,
    trace_operation,
)


def make_skipping(name: str, problem: Skipping) -> Any:
    """The kernel that skips through the runs of a problem."""
    sees_stuck, make, note, undo = problem.is_stuck, problem.make, problem.note, problem.undo
    measure, draw_hopeful, draw_hopeless = problem.measure, problem.draw_hopeful, problem.draw_hopeless
    is_vain, terminal_of, judge = problem.is_vain, problem.terminal_of, problem.judge
    foresee_change, file, settle = problem.foresee_change, problem.file, problem.settle

    @pasted
    def is_stuck(law, at, cells, wide, plan, log, result, stand, room, changed):
        """By a criterion, for each new parent; with its plan."""
        if not changed:
            return False
        pool, blocking, twos, drift, least = measure(law, at, wide)
        prepare(law, plan, result[LEAVES], pool, blocking, twos, drift, least)
        return sees_stuck(law, at, cells, wide, result[LEAVES], result[FITNESS])

    @pasted
    def offspring(
        law, at, cells, wide, tiny, drawing, rng, plan, log, result, stand, trace, improved,
        tracing, noting, room, steps,
    ):  # fmt: skip
        """The next hopeful one, which is a step."""
        steps -= 1
        leaves, left = result[LEAVES], law.budget - result[EVALUATIONS]
        skipped = min(skipped_offspring(law, rng, plan), left)
        stand[SKIPPED] += skipped
        if skipped == left:
            result[EVALUATIONS] = law.budget
            return steps, False
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
                continue
            code = terminal_of(at, cells, code, which)
            if tracing > 0:
                trace_operation(trace, stand, kind, site, side, code, which)
            if operations == 1:
                gain = judge(law, at, cells, wide, tiny, leaves, kind, site, side, code)
            else:
                note(law, at, cells, wide, tiny, new_leaves, kind, site, code, tail(log, LOG_WIDTH * j))
                gain += make(law, at, cells, wide, tiny, new_leaves, kind, site, side, code)
            new_leaves += growth(law, new_leaves, kind)
        changed = gain > 0 and new_leaves <= law.limit
        if tracing > 0:
            trace_offspring(trace, stand, operations, result[EVALUATIONS], changed, gain, new_leaves)
        if changed:
            if operations == 1:
                foresee_change(at, cells, tiny, leaves, kind, site, side, code)  # its memory comes meanwhile
            share_out(law, rng, plan, result, stand)
            if operations == 1:
                note(law, at, cells, wide, tiny, leaves, kind, site, code, log)
                make(law, at, cells, wide, tiny, leaves, kind, site, side, code)
            for j in range(operations):
                entry = tail(log, LOG_WIDTH * j)
                result[ACCEPTED + entry[LOG_KIND]] += 1
                for code in (entry[LOG_OLD], entry[LOG_NEW]):
                    if code >= 0:
                        file(law, at, cells, wide, tiny, code >> 1)
            settle(law, at, cells, wide)
            accept(result, new_leaves, gain)
            steps = note_improvement(improved, noting, stand, result, steps)
        elif operations > 1:
            for j in range(operations - 1, -1, -1):
                new_leaves = undo(law, at, cells, wide, tiny, new_leaves, tail(log, LOG_WIDTH * j))
        return steps, changed

    @pasted
    def conclude(law, at, wide, rng, plan, result, stand):
        share_out(law, rng, plan, result, stand)

    return make_kernel(name, Method(problem.start, is_stuck, offspring, conclude, is_best, lacks_room))
