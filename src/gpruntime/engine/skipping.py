"""Strict runs without their hopeless offspring: the same law as stepping, not the same random numbers.

`hopeful` has the mathematics. The budget and `stuck` are exact, and the operations of skipped offspring are counted.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, PROPOSED, WIDTH
from gpruntime.engine.frame import accept, begin, end, may_begin, note_improvement, verdict
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
from gpruntime.engine.improvements import IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import ONE, ZERO, kernel, missing
from gpruntime.engine.memory import tail
from gpruntime.engine.problem import Skipping
from gpruntime.engine.random import uniform
from gpruntime.engine.stepping import growth
from gpruntime.engine.trace import (
    BEGUN,
    DONE,
    GO_ON,
    LOG_KIND,
    LOG_NEW,
    LOG_OLD,
    LOG_WIDTH,
    OVER,
    ROW,
    SKIPPED,
    SLICE,
    TRACE_WIDTH,
    trace_offspring,
    trace_operation,
)

# What a problem brings, put in by `make_skipping`.
start = is_stuck = make = note = undo = missing
measure = draw_hopeful = draw_hopeless = is_vain = terminal_of = judge = foresee_change = missing
file = settle = missing


def skip_ahead(law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improved, room, steps):
    """Goes on with the runs from row `stand[ROW]`, as `stepping.advance` does; a step is a hopeful offspring."""
    runs, tracing, noting = out.size // WIDTH, trace.size // TRACE_WIDTH, improved.size // IMPROVEMENT_WIDTH
    cells, wide, tiny, drawing = tail(cells, 0), tail(wide, 0), tail(tiny, 0), tail(drawing, 0)
    seeds, rng, plan, log, out = tail(seeds, 0), tail(rng, 0), tail(plan, 0), tail(log, 0), tail(out, 0)
    stand, trace, improved = tail(stand, 0), tail(trace, 0), tail(improved, 0)
    first = ONE
    while stand[ROW] < runs:
        result = tail(out, WIDTH * stand[ROW])
        changed = stand[BEGUN] == 0
        if changed:
            if not may_begin(stand, seeds, rng, noting, steps, first):
                return SLICE
            leaves, fitness = start(law, at, cells, wide, tiny, drawing, rng)
            steps = begin(result, stand, improved, noting, leaves, fitness, steps)
            first = ZERO
        while True:
            leaves, stuck = result[LEAVES], False
            if changed:
                pool, blocking, twos, drift, least = measure(law, at, wide)
                prepare(law, plan, leaves, pool, blocking, twos, drift, least)
                stuck = is_stuck(law, at, cells, wide, leaves, result[FITNESS])
            reason = verdict(law, result, stand, stuck, tracing, room, steps)
            if reason != GO_ON:
                break
            steps -= 1
            changed = False
            left = law.budget - result[EVALUATIONS]
            skipped = min(skipped_offspring(law, rng, plan), left)
            stand[SKIPPED] += skipped
            if skipped == left:
                result[EVALUATIONS] = law.budget
                continue
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
        if reason != OVER:
            return reason
        share_out(law, rng, plan, result, stand)
        end(stand)
    return DONE


def make_skipping(name: str, problem: Skipping) -> Any:
    """The kernel that skips through the runs of a problem."""
    return kernel(skip_ahead, name, **problem._asdict())
