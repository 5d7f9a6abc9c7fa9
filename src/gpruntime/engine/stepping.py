"""Proposal by proposal: the same run as `gpruntime.model.run`, draw by draw, with constant work per operation.

One operation is judged first and made only if it is accepted. Several are made one after the other, and undone if their
offspring is rejected; undoing restores the register too, so the next draw means the same node as in the model.

A kernel works in slices: it returns after so many offspring, or when the arrays are too small for the next one, and
goes on where it stopped when it is called again. In between Python can stop it, show progress, or make room.
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, PROPOSED
from gpruntime.engine.gliding import glide
from gpruntime.engine.improvements import NOTED, note_improvement
from gpruntime.engine.kernel import inlined, kernel, njit
from gpruntime.engine.law import BUDGET, DELETE, INSERT, OPTIMUM, STUCK, UNDECIDED, can_delete
from gpruntime.engine.problem import attempt, is_stuck, make, note, start, undo
from gpruntime.engine.random import below, pick, pick_of_three

# why a kernel returned
DONE, SLICE, GROW_TREE, TRACE_FULL = range(4)

# where it stands, in the array `at`: the row of the run, whether it has begun, rows of the trace written; see also
# `skipping.SKIPPED` and `improvements.NOTED`
ROW, BEGUN, TRACED = range(3)
AT_WIDTH = 5

# The columns of a trace, one row an operation; EVALUATIONS and the last three are the offspring's, the same for each of
# its operations. RANK is −1 but for MAJORITY in `skipping`, where SITE is the terminal taken out, RANK which of them.
T_EVALUATIONS, T_KIND, T_SITE, T_SIDE, T_CODE, T_RANK, T_ACCEPTED, T_GAIN, T_NEW_LEAVES = range(9)
TRACE_WIDTH = 9


@inlined
def draw_place(rng, leaves):
    """Where to insert: a uniform node and a side, in one draw; (−1, −1) on the empty tree."""
    if leaves == 0:
        return np.int64(-1), np.int64(-1)
    place = below(rng, 2 * (2 * leaves - 1))
    return place >> 1, place & 1


@inlined
def draw(law, rng, leaves):
    """Draws an operation: (kind, site, side, code), with −1 for what it does not have."""
    kind = pick_of_three(rng, law.kinds)
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return kind, site, side, below(rng, 2 * law.n)
    if leaves == 0:
        return kind, np.int64(-1), np.int64(-1), np.int64(-1)
    if kind == DELETE:
        return kind, below(rng, leaves), np.int64(-1), np.int64(-1)
    site = below(rng, 2 * leaves - 1 if law.nodes else leaves)
    code = below(rng, 2 * law.n) if site < leaves else np.int64(-1)
    return kind, site, np.int64(-1), code


@inlined
def growth(law, leaves, kind):
    """How many leaves an operation adds to a tree with so many: 1, 0 or −1."""
    if kind == INSERT:
        return 1
    if kind == DELETE and can_delete(law, leaves):
        return -1
    return 0


@inlined
def least_gain(law, new_leaves):
    """What an operation must add to the fitness to be accepted; 2 is more than any can."""
    return np.int64(2) if new_leaves > law.limit else np.int64(law.strict)


@inlined
def accepts(law, gain, new_leaves):
    """The acceptance rule, with the size limit."""
    return (gain > 0 or (gain == 0 and not law.strict)) and new_leaves <= law.limit


@inlined
def verdict(law, state, leaves, fitness, evaluations, changed):
    """The outcome as things stand. Only a new tree can be stuck, and that not under every law."""
    if fitness == law.n:
        return OPTIMUM
    if changed and law.can_stick and is_stuck(law, state, leaves, fitness):
        return STUCK
    if evaluations >= law.budget:
        return BUDGET
    return UNDECIDED


@njit
def make_one_of_many(law, state, leaves, kind, site, side, code, log, j):
    """Makes an operation that may have to be taken back."""
    note(law, state, leaves, kind, site, code, log, j)
    return make(law, state, leaves, kind, site, side, code)


@njit
def trace_operation(trace, at, kind, site, side, code, rank):
    """Notes an operation; `trace_offspring` fills in what became of it."""
    i = at[TRACED]
    trace[i, T_KIND], trace[i, T_SITE], trace[i, T_SIDE] = kind, site, side
    trace[i, T_CODE], trace[i, T_RANK] = code, rank
    at[TRACED] = i + 1


@njit
def trace_offspring(trace, at, operations, evaluations, accepted, gain, new_leaves):
    """Notes for the last operations that they made up an offspring, and what became of it."""
    for i in range(at[TRACED] - operations, at[TRACED]):
        trace[i, T_EVALUATIONS], trace[i, T_ACCEPTED] = evaluations, accepted
        trace[i, T_GAIN], trace[i, T_NEW_LEAVES] = gain, new_leaves


@kernel
def advance(law, given, state, seeds, rng, log, out, at, trace, improvements, room, steps):
    """Goes on with the runs from row `at[ROW]` for at most `steps` offspring of at most `room` leaves.

    Returns why it stopped: DONE, SLICE, GROW_TREE or TRACE_FULL.
    """
    tracing, noting = trace.shape[0] > 0, improvements.shape[0] > 0
    gliding = not (law.multi or law.nodes or tracing) and (law.strict or not law.can_stick)
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
            at[BEGUN] = 1
            if noting and note_improvement(improvements, at, row, evaluations, fitness, leaves):
                steps = 0
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
            most = min(steps, law.budget - evaluations, room - leaves, law.limit - leaves)
            if gliding and leaves > 1 and most > 0:
                done, leaves, max_leaves, gain = glide(law, state, rng, leaves, max_leaves, most, out, row)
                steps -= done
                evaluations += done
                changed = gain > 0
                if changed:
                    fitness += gain
                    if noting and note_improvement(improvements, at, row, evaluations, fitness, leaves):
                        steps = 0
                if done > 0:
                    continue
            steps -= 1
            evaluations += 1
            operations = 1 + pick(rng, law.extra) if law.multi else 1
            if operations == 1:
                kind, site, side, code = draw(law, rng, leaves)
                out[row, PROPOSED + kind] += 1
                new_leaves = leaves + growth(law, leaves, kind)
                if tracing:
                    trace_operation(trace, at, kind, site, side, code, -1)
                gain = np.int64(0)
                if kind == INSERT or new_leaves < leaves or code >= 0:
                    gain = attempt(law, state, leaves, kind, site, side, code, least_gain(law, new_leaves))
                changed = accepts(law, gain, new_leaves)
                if changed:
                    out[row, ACCEPTED + kind] += 1
            else:
                gain, new_leaves = np.int64(0), leaves
                for j in range(operations):
                    kind, site, side, code = draw(law, rng, new_leaves)
                    out[row, PROPOSED + kind] += 1
                    gain += make_one_of_many(law, state, new_leaves, kind, site, side, code, log, j)
                    new_leaves += growth(law, new_leaves, kind)
                    if tracing:
                        trace_operation(trace, at, kind, site, side, code, -1)
                changed = accepts(law, gain, new_leaves)
                if changed:
                    for j in range(operations):
                        out[row, ACCEPTED + log[j, 0]] += 1
                else:
                    back = new_leaves
                    for j in range(operations - 1, -1, -1):
                        back = undo(law, state, back, log, j)
            if tracing:
                trace_offspring(trace, at, operations, evaluations, changed, gain, new_leaves)
            if changed:
                leaves, fitness = new_leaves, fitness + gain
                max_leaves = max(max_leaves, leaves)
                if gain > 0 and noting and note_improvement(improvements, at, row, evaluations, fitness, leaves):
                    steps = 0
        out[row, OUTCOME], out[row, EVALUATIONS], out[row, FITNESS] = outcome, evaluations, fitness
        out[row, LEAVES], out[row, MAX_LEAVES] = leaves, max_leaves
        if stopped != DONE:
            return stopped
        at[ROW], at[BEGUN] = row + 1, 0
    return DONE
