"""The frame of both methods: runs one after the other, in slices.

A kernel returns after some offspring, or when the memory is too small for the next one, and goes on where it stopped
when it is called again. In between Python can stop it, show progress, or make room. What the present run has come to
is kept in its row of the results. The loop itself stands in both kernels: a function around what they do between two
verdicts would be compiled twice, by itself and in its place, which takes a tenth of the first call.
"""

from __future__ import annotations

from gpruntime.engine.columns import EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, PROPOSED
from gpruntime.engine.improvements import I_EVALUATIONS, I_ROW, IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.law import BUDGET, OPTIMUM, STUCK, UNDECIDED
from gpruntime.engine.trace import (
    BEGUN,
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
    TRACED,
)


@inlined
def may_begin(stand, seeds, rng, noting, steps, first):
    """Whether the next run can begin in this slice; if so, its random stream does. The first of a slice always can."""
    if (steps == 0 and first == 0) or (noting > 0 and stand[NOTED] == noting):
        return False
    for i in range(4):
        rng[i] = seeds[4 * stand[ROW] + i]
    return True


@helper
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


@inlined
def verdict(law, result, stand, stuck, tracing, room, steps):
    """OVER if the run is, and then its outcome is entered; why the kernel must return first; or GO_ON."""
    result[OUTCOME] = UNDECIDED
    if result[FITNESS] >= law.best:
        result[OUTCOME] = OPTIMUM
    elif stuck:
        result[OUTCOME] = STUCK
    elif result[EVALUATIONS] >= law.budget:
        result[OUTCOME] = BUDGET
    elif steps == 0:
        return SLICE
    elif result[LEAVES] + law.most * law.fresh > room:
        return GROW_TREE
    elif tracing > 0 and stand[TRACED] + law.most * law.fresh > tracing:
        return TRACE_FULL
    else:
        return GO_ON
    return OVER


@inlined
def accept(result, new_leaves, gain):
    """Enters that an offspring takes the place of its parent."""
    result[LEAVES] = new_leaves
    if new_leaves > result[MAX_LEAVES]:
        result[MAX_LEAVES] = new_leaves
    result[FITNESS] += gain


@inlined
def end(stand):
    """The next run."""
    stand[ROW] += 1
    stand[BEGUN] = 0
