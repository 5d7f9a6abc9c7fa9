"""Proposal by proposal: the same run as `gpruntime.model.run`, draw by draw, with constant work per operation.

Operations are made one after the other, and undone if their offspring is rejected; undoing restores the register too,
so the next draw means the same node as in the model. Single operations in a row are made in `gliding`, which judges
them first.
"""

from __future__ import annotations

from typing import Any

from numpy import float64, int64, uint64

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, PROPOSED, WIDTH
from gpruntime.engine.frame import accept, begin, end, is_due, may_begin, note_improvement, take_back, verdict
from gpruntime.engine.gliding import make_glide
from gpruntime.engine.hopeful import PLAN_WIDTH, SIZE
from gpruntime.engine.improvements import IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper, inlined, kernel, missing
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import tail
from gpruntime.engine.problem import Stepping
from gpruntime.engine.random import below, word
from gpruntime.engine.trace import (
    BEGUN,
    DONE,
    GO_ON,
    LOG_KIND,
    LOG_WIDTH,
    OVER,
    ROW,
    SLICE,
    TRACE_WIDTH,
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


@inlined
def growth(law, leaves, kind):
    """How many leaves an operation adds to a tree with this number: 1, 0 or −1."""
    if kind == INSERT:
        return ONE
    return MINUS_ONE if kind == DELETE and can_delete(law, leaves) else ZERO


@inlined
def least_gain(law, log, leaves, new_leaves):
    """What an offspring with this many leaves must add to the fitness to be accepted: too much, if it is too large.

    By growth it stands behind the rows of the log.
    """
    growth = new_leaves - leaves
    return NO_LIMIT if new_leaves > law.limit else log[LOG_WIDTH * law.most + law.most + growth]


# What a problem brings, put in by `make_stepping`.
start = is_seen_stuck = make = note = undo = glide = missing


def advance(law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improved, room, steps):
    """Goes on with the runs from row `stand[ROW]` for at most `steps` offspring of at most `room` leaves.

    Returns why it stopped: DONE, SLICE, GROW_TREE or TRACE_FULL. All arrays have one dimension.
    """
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
            leaves = result[LEAVES]
            stuck = law.can_stick and is_seen_stuck(law, at, cells, wide, leaves, result, stand, changed)
            reason = verdict(law, result, stand, stuck, tracing, room, steps)
            if reason != GO_ON:
                break
            if law.glides:
                most, larger = law.budget - result[EVALUATIONS], law.limit if law.limit < room else room
                most = most if most < steps else steps
                most = most if most < larger - leaves else larger - leaves
                most = law.patience * leaves if 0 < law.patience * leaves < most else most
                made, gain = glide(law, at, cells, wide, rng, most, result)
                steps -= made
                changed = gain > 0
                if changed:
                    steps = note_improvement(improved, noting, stand, result, steps)
                if made > 0:
                    continue
            steps -= 1
            result[EVALUATIONS] += 1
            operations, gain, new_leaves = law.fewest, ZERO, leaves
            if law.multi:
                bits = float64(word(rng) >> _U11)
                while bits >= plan[PLAN_WIDTH * (operations - law.fewest) + SIZE]:
                    operations += 1
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
                if gain > 0:
                    steps = note_improvement(improved, noting, stand, result, steps)
            else:
                for j in range(operations - 1, -1, -1):
                    new_leaves = undo(law, at, cells, wide, new_leaves, tail(log, LOG_WIDTH * j))
        if reason != OVER:
            return reason
        end(stand)
    return DONE


def _make_is_seen_stuck(is_stuck: Any, tries: bool) -> Any:
    if tries:

        @helper
        def is_seen_stuck(law, at, cells, wide, leaves, result, stand, changed):
            """Looked for from time to time."""
            due = is_due(law, result, stand, changed, law.patience * leaves)
            stuck = due and is_stuck(law, at, cells, wide, leaves, result[FITNESS])
            if stuck:
                take_back(law, result, stand)
            return stuck

    else:

        @inlined
        def is_seen_stuck(law, at, cells, wide, leaves, result, stand, changed):
            """By a criterion, for each new parent."""
            return changed and is_stuck(law, at, cells, wide, leaves, result[FITNESS])

    return is_seen_stuck


def make_stepping(name: str, problem: Stepping, tries: bool) -> Any:
    """The kernel that steps through the runs of a problem; `tries`: stuck runs are found by trying all proposals."""
    seen = _make_is_seen_stuck(problem.is_stuck, tries)
    return kernel(advance, name, **problem._asdict(), is_seen_stuck=seen, glide=make_glide(problem))
