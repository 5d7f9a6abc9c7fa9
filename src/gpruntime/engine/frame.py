"""The loop of all kernels: runs one after the other, in slices, each from verdict to verdict.

A kernel returns after some offspring, or when the memory is too small for the next one, and goes on where it stopped
when it is called again. In between Python can stop it, show progress, or make room. What the present run has come to
is kept in its row of the results. What is done between two verdicts is the method's (`Method`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gpruntime.engine.columns import EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, PROPOSED, WIDTH
from gpruntime.engine.improvements import I_EVALUATIONS, I_ROW, IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import ONE, ZERO, helper, kernel, missing, pasted
from gpruntime.engine.law import BUDGET, OPTIMUM, STUCK, UNDECIDED
from gpruntime.engine.memory import tail
from gpruntime.engine.trace import (
    BEGUN,
    DONE,
    GO_ON,
    GROW_TREE,
    LOOKED,
    NOTED,
    OVER,
    PROPOSED_THEN,
    ROW,
    SINCE,
    SLICE,
    TRACE_FULL,
    TRACE_WIDTH,
    TRACED,
)


class Method(NamedTuple):
    """What a method does for one problem, `pasted` into the loop.

    Attributes:
        start(law, at, cells, wide, tiny, drawing, rng): draws what a run begins with; returns (leaves, fitness).
        is_stuck(law, at, cells, wide, plan, log, result, stand, room, changed): whether the run is seen to be stuck;
            `changed` if its parent is a new one.
        offspring(law, at, cells, wide, tiny, drawing, rng, plan, log, result, stand, trace, improved, tracing, noting,
            room, steps): makes the next offspring, or some; returns how many steps are left, and whether the parent is
            a new one. There is room for `tracing` rows of a trace, and for `noting` improvements.
        conclude(law, at, wide, rng, plan, result, stand): enters what is left when a run is over.
        has_won(law, at, wide, result): whether the optimum is reached.
        lacks(law, at, wide, result, room): what must grow before the next offspring, or GO_ON.
        width: numbers in a row of the results.
    """

    start: Any
    is_stuck: Any
    offspring: Any
    conclude: Any
    has_won: Any
    lacks: Any
    width: int = WIDTH


@pasted
def may_begin(stand, seeds, rng, noting, steps, first):
    """Whether the next run can begin in this slice; if so, its random stream does. The first of a slice always can."""
    if (steps == 0 and first == 0) or (noting > 0 and stand[NOTED] == noting):
        return False
    for i in range(4):
        rng[i] = seeds[4 * stand[ROW] + i]
    return True


@pasted
def begin(result, stand, improved, noting, leaves, fitness, steps):
    """Enters a run that begins with such a tree; returns how many steps are left.

    Planting takes time too: leaves count as steps, so that a slice has an end.
    """
    result[EVALUATIONS], result[FITNESS], result[LEAVES], result[MAX_LEAVES] = 1, fitness, leaves, leaves
    stand[BEGUN] = 1
    return note_improvement(improved, noting, stand, result, steps - leaves if leaves < steps else ZERO)


@helper
def note_improvement(improved, room, stand, result, steps):
    """Notes that a run has begun or improved, if that is asked for; returns the steps left: 0 if there is no room."""
    if room == 0:
        return steps
    begin = IMPROVEMENT_WIDTH * stand[NOTED]
    improved[begin + I_ROW] = stand[ROW]
    for i in range(3):  # evaluations, fitness and leaves stand side by side in both
        improved[begin + I_EVALUATIONS + i] = result[EVALUATIONS + i]
    stand[NOTED] += 1
    return steps if stand[NOTED] < room else ZERO


@helper
def is_due(law, result, stand, changed, wait):
    """Whether it is time to look whether a run is stuck: when its parent has changed, or only after a while.

    To try all proposals takes as long as some offspring. So it is done after as many in vain, `wait`, or at the end of
    the budget. A run that turns out to be stuck has been so since its parent last changed: it ends there (`take_back`).
    """
    if law.patience == 0:
        return changed
    if changed:
        stand[SINCE], stand[LOOKED] = result[EVALUATIONS], 0
        for kind in range(3):
            stand[PROPOSED_THEN + kind] = result[PROPOSED + kind]
    waited = result[EVALUATIONS] - stand[SINCE]
    early = waited < wait and result[EVALUATIONS] < law.budget
    if stand[LOOKED] == 1 or early or result[FITNESS] >= law.best:
        return False
    stand[LOOKED] = 1
    return True


@helper
def take_back(law, result, stand):
    """Enters when a run that is stuck got stuck."""
    if law.patience > 0:
        result[EVALUATIONS] = stand[SINCE]
        for kind in range(3):
            result[PROPOSED + kind] = stand[PROPOSED_THEN + kind]


@pasted
def verdict(law, result, stand, won, stuck, tracing, steps):
    """OVER if the run is, and then its outcome is entered; why the kernel must return first; or GO_ON."""
    result[OUTCOME] = UNDECIDED
    if won:
        result[OUTCOME] = OPTIMUM
    elif stuck:
        result[OUTCOME] = STUCK
    elif result[EVALUATIONS] >= law.budget:
        result[OUTCOME] = BUDGET
    elif steps == 0:
        return SLICE
    elif tracing > 0 and stand[TRACED] + law.most * law.fresh > tracing:
        return TRACE_FULL
    else:
        return GO_ON
    return OVER


@pasted
def is_best(law, at, wide, result):
    """Whether the tree is."""
    return result[FITNESS] >= law.best


@pasted
def lacks_room(law, at, wide, result, room):
    """For the leaves of an offspring."""
    return GROW_TREE if result[LEAVES] + law.most * law.fresh > room else GO_ON


@pasted
def accept(result, new_leaves, gain):
    """Enters that an offspring takes the place of its parent."""
    result[LEAVES] = new_leaves
    if new_leaves > result[MAX_LEAVES]:
        result[MAX_LEAVES] = new_leaves
    result[FITNESS] += gain


@pasted
def nothing_more(law, at, wide, rng, plan, result, stand):
    """All is entered."""


# Put in by `make_kernel`.
start = is_stuck = offspring = conclude = has_won = lacks = missing
width = WIDTH


def advance(law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improved, room, steps):
    """Goes on with the runs from row `stand[ROW]` for at most `steps` offspring of at most `room` leaves.

    Returns why it stopped: DONE, SLICE, TRACE_FULL, GROW_TREE or GROW_POOL. All arrays have one dimension.
    """
    runs, tracing, noting = out.size // width, trace.size // TRACE_WIDTH, improved.size // IMPROVEMENT_WIDTH
    cells, wide, tiny, drawing = tail(cells, 0), tail(wide, 0), tail(tiny, 0), tail(drawing, 0)
    seeds, rng, plan, log, out = tail(seeds, 0), tail(rng, 0), tail(plan, 0), tail(log, 0), tail(out, 0)
    stand, trace, improved = tail(stand, 0), tail(trace, 0), tail(improved, 0)
    first = ONE
    while stand[ROW] < runs:
        result = tail(out, width * stand[ROW])
        changed = stand[BEGUN] == 0
        if changed:
            if not may_begin(stand, seeds, rng, noting, steps, first):
                return SLICE
            leaves, fitness = start(law, at, cells, wide, tiny, drawing, rng)
            steps = begin(result, stand, improved, noting, leaves, fitness, steps)
            first = ZERO
        while True:
            stuck = is_stuck(law, at, cells, wide, plan, log, result, stand, room, changed)
            reason = verdict(law, result, stand, has_won(law, at, wide, result), stuck, tracing, steps)
            if reason == GO_ON:
                reason = lacks(law, at, wide, result, room)
            if reason != GO_ON:
                break
            steps, changed = offspring(
                law, at, cells, wide, tiny, drawing, rng, plan, log, result, stand, trace, improved,
                tracing, noting, room, steps,
            )  # fmt: skip
        if reason != OVER:
            return reason
        conclude(law, at, wide, rng, plan, result, stand)
        stand[ROW] += 1
        stand[BEGUN] = 0
    return DONE


def make_kernel(name: str, method: Method) -> Any:
    """The kernel of a method."""
    return kernel(advance, name, **method._asdict())
