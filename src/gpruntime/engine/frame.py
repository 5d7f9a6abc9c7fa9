"""The frame of both methods: runs one after the other, in slices.

A kernel returns after so many offspring, or when the memory is too small for the next one, and goes on where it stopped
when it is called again. In between Python can stop it, show progress, or make room. What the present run has come to
is kept in its row of the results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gpruntime.engine.columns import EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, WIDTH
from gpruntime.engine.improvements import I_EVALUATIONS, I_ROW, IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import ZERO, helper, inlined, kernel
from gpruntime.engine.law import BUDGET, OPTIMUM, STUCK, UNDECIDED
from gpruntime.engine.memory import tail
from gpruntime.engine.problem import Part
from gpruntime.engine.trace import BEGUN, DONE, GROW_TREE, NOTED, ROW, SLICE, TRACE_FULL, TRACE_WIDTH, TRACED


class Method(NamedTuple):
    """What a method does between two verdicts. All are given the numbers and memory of the run first.

    Attributes:
        start(law, at, cells, wide, tiny, drawing, rng): draws the initial tree; returns (leaves, fitness).
        look(law, at, cells, wide, plan, leaves, fitness): looks at a new parent; returns whether it is stuck.
        breed(law, at, cells, wide, tiny, rng, plan, log, result, stand, trace, tracing, room, steps): makes one
            offspring, or some, at most `steps`; returns (how many, whether the parent has changed, gain).
        close(law, at, wide, rng, plan, result, stand): what is left to do at the end of a run.
    """

    start: Part
    look: Part
    breed: Part
    close: Part


def make_kernel(name: str, method: Method) -> Any:
    """The kernel that goes through runs by a method."""
    start, look, breed, close = method

    def go_on(law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improved, room, steps):
        """Goes on with the runs from row `stand[ROW]` for at most `steps` offspring of at most `room` leaves.

        Returns why it stopped: DONE, SLICE, GROW_TREE or TRACE_FULL. All arrays have one dimension.
        """
        runs, tracing, noting = out.size // WIDTH, trace.size // TRACE_WIDTH, improved.size // IMPROVEMENT_WIDTH
        cells, wide, tiny, drawing = tail(cells, 0), tail(wide, 0), tail(tiny, 0), tail(drawing, 0)
        seeds, rng, plan, log, out = tail(seeds, 0), tail(rng, 0), tail(plan, 0), tail(log, 0), tail(out, 0)
        stand, trace, improved = tail(stand, 0), tail(trace, 0), tail(improved, 0)
        first = True
        while stand[ROW] < runs:
            result = tail(out, WIDTH * stand[ROW])
            changed = stand[BEGUN] == 0
            if changed:
                if (steps == 0 and not first) or (noting > 0 and stand[NOTED] == noting):
                    return SLICE
                for i in range(4):
                    rng[i] = seeds[4 * stand[ROW] + i]
                leaves, fitness = start(law, at, cells, wide, tiny, drawing, rng)
                begin(result, stand, leaves, fitness)
                first = False  # planting takes time too: leaves count as steps, so that a slice has an end
                steps = max(steps - leaves, 0) if note_improvement(improved, noting, stand, result) else ZERO
            while True:
                stuck = changed and look(law, at, cells, wide, plan, result[LEAVES], result[FITNESS])
                result[OUTCOME] = outcome_of(law, result, stuck)
                if result[OUTCOME] != UNDECIDED:
                    break
                reason = must_stop(law, result, stand, tracing, room, steps)
                if reason != DONE:
                    return reason
                made, changed, gain = breed(
                    law, at, cells, wide, tiny, rng, plan, log, result, stand, trace, tracing, room, steps
                )
                steps -= made
                if changed and gain > 0 and not note_improvement(improved, noting, stand, result):
                    steps = ZERO
            close(law, at, wide, rng, plan, result, stand)
            stand[ROW] += 1
            stand[BEGUN] = 0
        return DONE

    return kernel(go_on, name)


@inlined
def begin(result, stand, leaves, fitness):
    """Enters a run that begins with such a tree."""
    result[EVALUATIONS], result[FITNESS] = 1, fitness
    result[LEAVES] = result[MAX_LEAVES] = leaves
    stand[BEGUN] = 1


@helper
def note_improvement(improved, room, stand, result):
    """Notes that a run has begun or improved, if that is asked for; returns whether there is room for another."""
    if room == 0:
        return True
    begin = IMPROVEMENT_WIDTH * stand[NOTED]
    improved[begin + I_ROW] = stand[ROW]
    for i in range(3):  # evaluations, fitness and leaves stand side by side in both
        improved[begin + I_EVALUATIONS + i] = result[EVALUATIONS + i]
    stand[NOTED] += 1
    return stand[NOTED] < room


@inlined
def outcome_of(law, result, stuck):
    """The outcome as things stand."""
    if result[FITNESS] == law.n:
        return OPTIMUM
    if stuck:
        return STUCK
    return BUDGET if result[EVALUATIONS] >= law.budget else UNDECIDED


@inlined
def must_stop(law, result, stand, tracing, room, steps):
    """Why a kernel must return before the next offspring, or DONE if it need not."""
    if steps == 0:
        return SLICE
    if result[LEAVES] + law.most > room:
        return GROW_TREE
    return TRACE_FULL if tracing > 0 and stand[TRACED] + law.most > tracing else DONE


@inlined
def accept(result, new_leaves, gain):
    """Enters that an offspring takes the place of its parent."""
    result[LEAVES], result[MAX_LEAVES] = new_leaves, max(result[MAX_LEAVES], new_leaves)
    result[FITNESS] += gain
