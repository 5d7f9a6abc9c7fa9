"""Strict runs without their hopeless offspring: the same law as stepping, not the same random numbers.

`hopeful` has the mathematics. The budget and `stuck` are exact, and the operations of skipped offspring are counted.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, OUTCOME, PROPOSED
from gpruntime.engine.frame import accept, begin, must_stop, note, outcome_of
from gpruntime.engine.hopeful import (
    FLAG,
    chance_of,
    flagged_size,
    kind_given_flag,
    prepare,
    share_out,
    skipped_offspring,
)
from gpruntime.engine.kernel import ZERO, kernel
from gpruntime.engine.law import UNDECIDED
from gpruntime.engine.problem import Skipping
from gpruntime.engine.random import uniform
from gpruntime.engine.stepping import growth, least_gain
from gpruntime.engine.trace import BEGUN, DONE, LOG_KIND, NOTED, ROW, SKIPPED, SLICE, trace_offspring, trace_operation


def make_skipping(name: str, problem: Skipping) -> Any:
    """The kernel that skips through the runs of a problem."""
    start, is_stuck, make, note_operation, undo = problem[:5]
    measure, draw_hopeful, draw_hopeless, is_vain, terminal_of, judge, foresee_change, refile = problem[5:]

    def skip_ahead(
        law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improvements, room, steps
    ):
        """Goes on with the runs from row `stand[ROW]`, as `stepping.advance` does; a step is a hopeful offspring."""
        tracing, first = trace.shape[0] > 0, True
        while stand[ROW] < out.shape[0]:
            row = stand[ROW]
            changed = stand[BEGUN] == 0
            if changed:
                if (steps == 0 and not first) or (stand[NOTED] > 0 and stand[NOTED] == improvements.shape[0]):
                    return SLICE
                rng[0], rng[1], rng[2], rng[3] = seeds[row, 0], seeds[row, 1], seeds[row, 2], seeds[row, 3]
                leaves, fitness = start(law, at, cells, wide, tiny, drawing, rng)
                begin(out, row, stand, leaves, fitness)
                first = False
                steps = max(steps - leaves, 0) if note(improvements, stand, row, out) else ZERO
            while True:
                leaves = out[row, LEAVES]
                if changed:
                    pool, blocking, twos, drift, least = measure(law, at, wide)
                    prepare(law, plan, leaves, pool, blocking, twos, drift, least)
                stuck = changed and is_stuck(law, at, cells, leaves, out[row, FITNESS])
                out[row, OUTCOME] = outcome_of(law, out, row, stuck)
                if out[row, OUTCOME] != UNDECIDED:
                    break
                reason = must_stop(law, out, row, stand, trace, room, steps)
                if reason != DONE:
                    return reason
                steps -= 1
                changed = False
                skipped = min(skipped_offspring(rng, plan), law.budget - out[row, EVALUATIONS])
                stand[SKIPPED] += skipped
                out[row, EVALUATIONS] += skipped
                if out[row, EVALUATIONS] == law.budget:
                    continue
                out[row, EVALUATIONS] += 1
                operations, first_flag = flagged_size(rng, plan)
                gain, new_leaves = ZERO, leaves
                kind, site, side, code = ZERO, ZERO, ZERO, ZERO
                for j in range(operations):
                    flagged = j == first_flag or (j > first_flag and uniform(rng) < plan[j, FLAG])
                    kind = kind_given_flag(law, rng, plan, j, flagged)
                    hopeful = flagged
                    if flagged and j > 0:
                        pool, blocking, twos, drift, least = measure(law, at, wide)
                        true = chance_of(law, kind, new_leaves, pool, blocking, twos)
                        hopeful = uniform(rng) * plan[j, kind] < true
                    if hopeful:
                        site, side, code, which = draw_hopeful(law, at, cells, wide, tiny, rng, new_leaves, kind)
                    else:
                        site, side, code, which = draw_hopeless(law, at, cells, wide, tiny, rng, new_leaves, kind)
                    out[row, PROPOSED + kind] += 1
                    if operations == 1 and not tracing and is_vain(law, at, cells, tiny, leaves, kind, site, which):
                        continue
                    code = terminal_of(at, cells, code, which)
                    if tracing:
                        trace_operation(trace, stand, kind, site, side, code, which)
                    if operations == 1:
                        gain = judge(law, at, cells, wide, tiny, leaves, kind, site, side, code)
                    else:
                        note_operation(law, at, cells, wide, tiny, new_leaves, kind, site, code, log, j)
                        gain += make(law, at, cells, wide, tiny, new_leaves, kind, site, side, code)
                    new_leaves += growth(law, new_leaves, kind)
                changed = gain >= least_gain(law, new_leaves)
                if tracing:
                    trace_offspring(trace, stand, operations, out[row, EVALUATIONS], changed, gain, new_leaves)
                if changed:
                    if operations == 1:
                        foresee_change(at, cells, tiny, leaves, kind, site, side, code)  # its memory comes meanwhile
                    share_out(law, rng, plan, stand[SKIPPED], measure(law, at, wide)[4], out, row)
                    stand[SKIPPED] = 0
                    if operations == 1:
                        note_operation(law, at, cells, wide, tiny, leaves, kind, site, code, log, ZERO)
                        make(law, at, cells, wide, tiny, leaves, kind, site, side, code)
                    for j in range(operations):
                        out[row, ACCEPTED + log[j, LOG_KIND]] += 1
                    refile(law, at, cells, wide, tiny, log, operations)
                    accept(out, row, new_leaves, gain)
                    if not note(improvements, stand, row, out):
                        steps = ZERO
                elif operations > 1:
                    for j in range(operations):
                        new_leaves = undo(law, at, cells, wide, tiny, new_leaves, log, operations - 1 - j)
            share_out(law, rng, plan, stand[SKIPPED], measure(law, at, wide)[4], out, row)
            stand[ROW], stand[BEGUN], stand[SKIPPED] = row + 1, 0, 0
        return DONE

    return kernel(skip_ahead, name)
