"""Proposal by proposal: the same run as `gpruntime.model.run`, draw by draw, with constant work per operation.

Operations are made one after the other, and undone if their offspring is rejected; undoing restores the register too,
so the next draw means the same node as in the model. Single operations in a row are made in `gliding`, which judges
them first.
"""

from __future__ import annotations

from typing import Any

from numpy import float64, int64, uint64

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, PROPOSED
from gpruntime.engine.frame import (
    Method,
    accept,
    is_best,
    is_due,
    lacks_room,
    make_kernel,
    note_improvement,
    nothing_more,
    take_back,
)
from gpruntime.engine.gliding import make_glide
from gpruntime.engine.hopeful import PLAN_WIDTH, SIZE
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, inlined, pasted
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import tail
from gpruntime.engine.problem import Stepping
from gpruntime.engine.random import below, word
from gpruntime.engine.trace import (
    LOG_KIND,
    LOG_WIDTH,
    trace_offspring,
    trace_operation,
)

_U11 = uint64(11)


@inlined
def draw(law, rng, leaves):
    """Draws an operation: (kind, site, side, code), with −1 for what it does not have.

    For an insertion a uniform node and a side are one draw. There is one function; several are drawn by `operators`.
    """
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    inserts, site, side, code = kind == INSERT, MINUS_ONE, MINUS_ONE, MINUS_ONE
    if leaves > 0:
        nodes = 2 * leaves - 1
        site = below(rng, 2 * nodes if inserts else nodes if law.nodes and kind != DELETE else leaves)
        if inserts:
            site, side = site >> 1, site & 1
    if inserts or (kind == SUBSTITUTE and 0 <= site < leaves):
        code = below(rng, law.codes) << law.double
    return kind, site, side, code


@pasted
def drawn_operations(law, rng, plan):
    """How many operations an offspring gets."""
    operations = law.fewest
    if law.multi:
        bits = float64(word(rng) >> _U11)
        while bits >= plan[PLAN_WIDTH * (operations - law.fewest) + SIZE]:
            operations += 1
    return operations


@pasted
def growth(law, leaves, kind):
    """How many leaves an operation adds to a tree with this number: 1, 0 or −1."""
    if kind == INSERT:
        return ONE
    return MINUS_ONE if kind == DELETE and can_delete(law, leaves) else ZERO


@pasted
def least_gain(law, log, leaves, new_leaves):
    """What an offspring with this many leaves must add to the fitness to be accepted: too much, if it is too large.

    By growth it stands behind the rows of the log.
    """
    growth = new_leaves - leaves
    return NO_LIMIT if new_leaves > law.limit else log[LOG_WIDTH * law.most + law.most + growth]


def make_stepping(name: str, problem: Stepping, tries: bool) -> Any:
    """The kernel that steps through the runs of a problem; `tries`: stuck runs are found by trying all proposals."""
    sees_stuck, make, note, undo = problem.is_stuck, problem.make, problem.note, problem.undo
    glide = make_glide(problem)

    @pasted
    def is_stuck(law, at, cells, wide, plan, log, result, stand, room, changed):
        """By a criterion, for each new parent; or looked for, from time to time."""
        leaves = result[LEAVES]
        due = law.can_stick and (is_due(law, result, stand, changed, law.patience * leaves) if tries else changed)
        stuck = due and sees_stuck(law, at, cells, wide, leaves, result[FITNESS])
        if tries and stuck:
            take_back(law, result, stand)
        return stuck

    @pasted
    def offspring(
        law, at, cells, wide, tiny, drawing, rng, plan, log, result, stand, trace, improved,
        tracing, noting, room, steps,
    ):  # fmt: skip
        leaves, made, gain = result[LEAVES], ZERO, ZERO
        if law.glides:
            most, larger = law.budget - result[EVALUATIONS], law.limit if law.limit < room else room
            most = most if most < steps else steps
            most = most if most < larger - leaves else larger - leaves
            most = law.patience * leaves if 0 < law.patience * leaves < most else most
            made, gain = glide(law, at, cells, wide, rng, most, result)
            steps -= made
        changed = gain > 0
        if made == 0:
            steps -= 1
            result[EVALUATIONS] += 1
            operations, gain, new_leaves = drawn_operations(law, rng, plan), ZERO, leaves
            for j in range(operations):
                kind, site, side, code = draw(law, rng, new_leaves)
                result[PROPOSED + kind] += 1
                if tracing > 0:
                    trace_operation(trace, stand, kind, site, side, code, MINUS_ONE)
                before, new_leaves = new_leaves, new_leaves + growth(law, new_leaves, kind)
                note(law, at, cells, wide, before, kind, site, code, tail(log, LOG_WIDTH * j))
                gain += make(law, at, cells, wide, before, kind, site, side, code)
            changed = gain >= least_gain(law, log, leaves, new_leaves)
            if tracing > 0:
                trace_offspring(trace, stand, operations, result[EVALUATIONS], changed, gain, new_leaves)
            if changed:
                for j in range(operations):
                    result[ACCEPTED + log[LOG_WIDTH * j + LOG_KIND]] += 1
                accept(result, new_leaves, gain)
            else:
                for j in range(operations - 1, -1, -1):
                    new_leaves = undo(law, at, cells, wide, new_leaves, tail(log, LOG_WIDTH * j))
        if changed and gain > 0:
            steps = note_improvement(improved, noting, stand, result, steps)
        return steps, changed

    return make_kernel(name, Method(problem.start, is_stuck, offspring, nothing_more, is_best, lacks_room))
