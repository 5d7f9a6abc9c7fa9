"""The frame of both methods: runs one after the other, in slices.

A kernel returns after so many offspring, or when the memory is too small for the next one, and goes on where it stopped
when it is called again. In between Python can stop it, show progress, or make room. What the present run has come to
is kept in its row of the results.
"""

from __future__ import annotations

from gpruntime.engine.columns import EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME
from gpruntime.engine.improvements import note_improvement
from gpruntime.engine.kernel import helper, inlined
from gpruntime.engine.law import BUDGET, OPTIMUM, STUCK, UNDECIDED
from gpruntime.engine.trace import BEGUN, DONE, GROW_TREE, SLICE, TRACE_FULL, TRACED


@helper
def begin(out, row, stand, leaves, fitness):
    """Enters a run that begins with such a tree."""
    out[row, OUTCOME], out[row, EVALUATIONS], out[row, FITNESS] = UNDECIDED, 1, fitness
    out[row, LEAVES] = out[row, MAX_LEAVES] = leaves
    stand[BEGUN] = 1


@inlined
def outcome_of(law, out, row, stuck):
    """The outcome as things stand."""
    if out[row, FITNESS] == law.n:
        return OPTIMUM
    if stuck:
        return STUCK
    return BUDGET if out[row, EVALUATIONS] >= law.budget else UNDECIDED


@inlined
def must_stop(law, out, row, stand, trace, room, steps):
    """Why a kernel must return before the next offspring, or DONE if it need not."""
    if steps == 0:
        return SLICE
    if out[row, LEAVES] + law.most > room:
        return GROW_TREE
    if trace.shape[0] > 0 and stand[TRACED] + law.most > trace.shape[0]:
        return TRACE_FULL
    return DONE


@inlined
def accept(out, row, new_leaves, gain):
    """Enters that an offspring takes the place of its parent."""
    out[row, LEAVES], out[row, MAX_LEAVES] = new_leaves, max(out[row, MAX_LEAVES], new_leaves)
    out[row, FITNESS] += gain


@helper
def note(improvements, stand, row, out):
    """Notes an improvement, if that is asked for; returns whether there is room for another."""
    if improvements.shape[0] == 0:
        return True
    return not note_improvement(improvements, stand, row, out[row, EVALUATIONS], out[row, FITNESS], out[row, LEAVES])
