"""Proposal by proposal: the same run as `gpruntime.model.run`, draw by draw, with constant work per operation.

One operation is judged first and made only if it is accepted. Several are made one after the other, and undone if their
offspring is rejected; undoing restores the register too, so the next draw means the same node as in the model.
"""

from __future__ import annotations

from typing import Any

from numpy import float64, int64, uint64

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, OUTCOME, PROPOSED
from gpruntime.engine.frame import accept, begin, must_stop, note, outcome_of
from gpruntime.engine.gliding import make_glide
from gpruntime.engine.hopeful import SIZE
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, inlined, kernel
from gpruntime.engine.law import DELETE, INSERT, UNDECIDED, can_delete
from gpruntime.engine.problem import Stepping
from gpruntime.engine.random import below, word
from gpruntime.engine.trace import BEGUN, DONE, LOG_KIND, NOTED, ROW, SLICE, trace_offspring, trace_operation

_U11 = uint64(11)


@inlined
def draw_place(rng, leaves):
    """Where to insert: a uniform node and a side, in one draw; (−1, −1) on the empty tree."""
    if leaves == 0:
        return MINUS_ONE, MINUS_ONE
    place = below(rng, 2 * (2 * leaves - 1))
    return place >> 1, place & 1


@inlined
def draw(law, rng, leaves):
    """Draws an operation: (kind, site, side, code), with −1 for what it does not have."""
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    site, side, code = MINUS_ONE, MINUS_ONE, MINUS_ONE
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        code = below(rng, 2 * law.n)
    elif leaves > 0:
        site = below(rng, 2 * leaves - 1 if law.nodes and kind != DELETE else leaves)
        if kind != DELETE and site < leaves:
            code = below(rng, 2 * law.n)
    return kind, site, side, code


@inlined
def growth(law, leaves, kind):
    """How many leaves an operation adds to a tree with so many: 1, 0 or −1."""
    if kind == INSERT:
        return ONE
    return MINUS_ONE if kind == DELETE and can_delete(law, leaves) else ZERO


@inlined
def least_gain(law, new_leaves):
    """What an offspring with so many leaves must add to the fitness to be accepted: too much, if it is too large."""
    return law.n + 1 if new_leaves > law.limit else int64(law.strict)


def make_stepping(name: str, problem: Stepping) -> Any:
    """The kernel that steps through the runs of a problem."""
    start, is_stuck, make, note_operation, undo, attempt, _ = problem
    glide = make_glide(problem)

    def advance(
        law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improvements, room, steps
    ):
        """Goes on with the runs from row `stand[ROW]` for at most `steps` offspring of at most `room` leaves.

        Returns why it stopped: DONE, SLICE, GROW_TREE or TRACE_FULL.
        """
        tracing, first = trace.shape[0] > 0, True
        gliding = not (law.multi or law.nodes or tracing) and (law.strict or not law.can_stick)
        while stand[ROW] < out.shape[0]:
            row = stand[ROW]
            changed = stand[BEGUN] == 0
            if changed:
                if (steps == 0 and not first) or (stand[NOTED] > 0 and stand[NOTED] == improvements.shape[0]):
                    return SLICE
                rng[0], rng[1], rng[2], rng[3] = seeds[row, 0], seeds[row, 1], seeds[row, 2], seeds[row, 3]
                leaves, fitness = start(law, at, cells, wide, drawing, rng)
                begin(out, row, stand, leaves, fitness)
                first = False  # planting takes time too: leaves count as steps, so that a slice has an end
                steps = max(steps - leaves, 0) if note(improvements, stand, row, out) else ZERO
            while True:
                leaves, evaluations = out[row, LEAVES], out[row, EVALUATIONS]
                stuck = changed and law.can_stick and is_stuck(law, at, cells, leaves, out[row, FITNESS])
                out[row, OUTCOME] = outcome_of(law, out, row, stuck)
                if out[row, OUTCOME] != UNDECIDED:
                    break
                reason = must_stop(law, out, row, stand, trace, room, steps)
                if reason != DONE:
                    return reason
                if gliding:
                    most = min(min(steps, law.budget - evaluations), min(room, law.limit) - leaves)
                    made, gain = glide(law, at, cells, wide, rng, most, out, row)
                    steps -= made
                    changed = gain > 0
                    if changed and not note(improvements, stand, row, out):
                        steps = ZERO
                    if made > 0:
                        continue
                steps -= 1
                evaluations += 1
                out[row, EVALUATIONS] = evaluations
                operations, gain, new_leaves = ONE, ZERO, leaves
                if law.multi:
                    bits = float64(word(rng) >> _U11)
                    while bits >= plan[operations - 1, SIZE]:
                        operations += 1
                for j in range(operations):
                    kind, site, side, code = draw(law, rng, new_leaves)
                    out[row, PROPOSED + kind] += 1
                    if tracing:
                        trace_operation(trace, stand, kind, site, side, code, MINUS_ONE)
                    before, new_leaves = new_leaves, new_leaves + growth(law, new_leaves, kind)
                    if operations > 1:
                        note_operation(law, at, cells, wide, before, kind, site, code, log, j)
                        gain += make(law, at, cells, wide, before, kind, site, side, code)
                    elif kind == INSERT or new_leaves < leaves or code >= 0:
                        least = least_gain(law, new_leaves)
                        gain = attempt(law, at, cells, wide, leaves, kind, site, side, code, least)
                changed = gain >= least_gain(law, new_leaves)
                if tracing:
                    trace_offspring(trace, stand, operations, evaluations, changed, gain, new_leaves)
                if changed:
                    if operations == 1:
                        out[row, ACCEPTED + kind] += 1
                    else:
                        for j in range(operations):
                            out[row, ACCEPTED + log[j, LOG_KIND]] += 1
                    accept(out, row, new_leaves, gain)
                    if gain > 0 and not note(improvements, stand, row, out):
                        steps = ZERO
                elif operations > 1:
                    for j in range(operations):
                        new_leaves = undo(law, at, cells, wide, new_leaves, log, operations - 1 - j)
            stand[ROW], stand[BEGUN] = row + 1, 0
        return DONE

    return kernel(advance, name)
