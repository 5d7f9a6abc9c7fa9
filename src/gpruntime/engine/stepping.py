"""Proposal by proposal: the same run as `gpruntime.model.run`, draw by draw, with constant work per operation.

Operations are made one after the other, and undone if their offspring is rejected; undoing restores the register too,
so the next draw means the same node as in the model.

**Single operations.** Where a run of (1+1) GP-single spends its time, proposals are made in a row until one improves
(`single_operations`). They are judged first, and made only if they are accepted. The processor cannot guess which kind
comes next, and a wrong guess throws away what it has begun. So all three words that an operation may take are drawn
ahead, and the kind selects, without a branch, how many of them count: a deletion takes two, the others three. The rare
proposal for which that is not so, because a draw has to be repeated, is left to the other loop. Counts are kept in one
word, 21 bits for each kind. Since the words are known ahead, so is what the next operation will look at, up to whether
this one is accepted: the site depends on how many leaves there will be. Under strict acceptance most operations are
rejected, otherwise most are accepted; so expected, `foresee` asks for the memory of the next operation while this one
is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, accept, make_kernel, note_improvement
from gpruntime.engine.params import can_delete, min_gain_of
from gpruntime.engine.random import below, sfc64, word
from gpruntime.engine.run_state import DELETE, INSERT, SUBSTITUTE, Operation, trace_offspring, trace_operation
from gpruntime.engine.stuck import is_time_to_look, take_back
from gpruntime.engine.user_function import UserCall

_ONE, _U11, _U32 = (np.uint64(number) for number in (1, 11, 32))
_LOW = np.uint64(0xFFFFFFFF)
_BITS = 21
_MAX_COUNT = 2**_BITS - 1


class Stepping(NamedTuple):
    """What a problem brings for this method. Its functions share `params` and `tree` with `main_loop.Method`."""

    start: Any  # (params, tree, run): draws the initial tree; returns (leaves, fitness)
    is_stuck: Any  # (params, tree, leaves, fitness): whether nothing can be accepted again: `gpruntime.model.stuck` has
    # the criteria
    make: Any  # (params, tree, leaves, operation): makes an operation; returns what it adds to the fitness
    note: Any  # (params, tree, leaves, operation, entry): notes in `entry`, a record of the log, before the operation
    # is made, what `undo` will need
    undo: Any  # (params, tree, leaves, entry): takes back the operation of `entry`, the last one made; returns the
    # number of leaves before it was made
    attempt: Any  # (call, tree, leaves, operation, min_gain): makes the operation, one that does something, if it adds
    # at least `min_gain`; returns what it adds. Of the params it may only ask what a `UserCall` has.
    foresee: Any  # (tree, leaves, site, code): asks for the memory that an operation at this node with this terminal,
    # likely the next, will look at first


@inlined
def draw_kind(params, rng):
    """The kind of an operation."""
    bits = word(rng) >> _U11
    return int64(bits >= params.substitute_below) + int64(bits >= params.insert_below)


@inlined
def draw_substituted(params, rng, leaves, joins):
    """Where a substitution is: a leaf's place in the register, a join's from `leaves` on, −1 if there is none."""
    if params.substitutes_functions:
        return leaves + below(rng, joins) if joins > 0 else MINUS_ONE
    return below(rng, leaves + joins if params.substitutes_nodes else leaves)


@inlined
def draw(params, rng, leaves):
    """Draws an operation.

    For an insertion a uniform node and a side are one draw. There is one function; several are drawn by
    `postfix_operators`.
    """
    kind = draw_kind(params, rng)
    inserts, site, side, code = kind == INSERT, MINUS_ONE, MINUS_ONE, MINUS_ONE
    if leaves > 0:
        if kind == SUBSTITUTE:
            site = draw_substituted(params, rng, leaves, leaves - 1)
        else:
            site = below(rng, 2 * (2 * leaves - 1) if inserts else leaves)
        if inserts:
            site, side = site >> 1, site & 1
    if inserts or (kind == SUBSTITUTE and 0 <= site < leaves):
        code = below(rng, params.terminals) << params.code_shift
    return Operation(kind, site, side, code)


@inlined_once
def draw_number_of_operations(params, run):
    """How many operations an offspring gets: k."""
    operations = params.min_operations
    if params.draws_k:
        bits = word(run.rng) >> _U11
        while bits >= run.operations[operations - params.min_operations]:
            operations += 1
    return operations


@inlined
def growth_of(params, leaves, kind):
    """How many leaves an operation adds to a tree with this number: 1, 0 or −1."""
    if kind == INSERT:
        return ONE
    return MINUS_ONE if kind == DELETE and can_delete(params, leaves) else ZERO


@inlined
def _three_words(a, b, c, counter):
    """The next three words of the stream, and its state after two of them and after all."""
    word1, a, b, c = sfc64(a, b, c, counter)
    word2, a2, b2, c2 = sfc64(a, b, c, counter + _ONE)
    word3, a3, b3, c3 = sfc64(a2, b2, c2, counter + _ONE + _ONE)
    return word1, word2, word3, a2, b2, c2, a3, b3, c3


def _make_single_operations(problem: Stepping) -> Any:
    attempt, foresee = problem.attempt, problem.foresee

    @helper
    def single_operations(params, tree, run, result, limit):
        """Makes at most `limit` proposals, until one improves or must be left, or the tree has one leaf only.

        Returns (proposals, gain of the last one), and writes to `result` what has become of the tree.
        """
        rng, leaves, max_leaves = run.rng, result.leaves, result.max_leaves
        a, b, c, counter = rng[0], rng[1], rng[2], rng[3]
        substitute_below, insert_below = params.substitute_below, params.insert_below
        terminals, shift, strict = np.uint64(params.terminals), params.code_shift, params.strict
        same, larger, smaller = params.min_gain_same, params.min_gain_larger, params.min_gain_smaller
        call = UserCall(params.spec_n, params.user_function, params.user_frame)  # nothing in memory is read again
        proposed, accepted, gain = int64(0), int64(0), int64(0)
        limit = limit if limit < _MAX_COUNT else int64(_MAX_COUNT)
        left = limit
        while left > 0 and leaves > 1 and gain <= 0:
            word1, word2, word3, a2, b2, c2, a3, b3, c3 = _three_words(a, b, c, counter)
            bits = word1 >> _U11
            kind = int64(bits >= substitute_below) + int64(bits >= insert_below)
            places = np.uint64(4 * leaves - 2 if kind == INSERT else leaves)
            place, code = (word2 >> _U32) * places, (word3 >> _U32) * terminals
            if (place & _LOW) < places or (code & _LOW) < terminals:
                break
            two = kind == DELETE
            a, b, c = a2 if two else a3, b2 if two else b3, c2 if two else c3
            counter += _ONE + _ONE + np.uint64(not two)

            word1, word2, word3, _, _, _, _, _, _ = _three_words(a, b, c, counter)
            bits = word1 >> _U11
            expected = leaves + (int64(0) if strict else int64(kind == INSERT) - int64(two))
            nodes = np.uint64(2 * expected - 1 if bits >= substitute_below and bits < insert_below else expected)
            next_site, next_code = ((word2 >> _U32) * nodes) >> _U32, ((word3 >> _U32) * terminals) >> _U32
            foresee(tree, expected, int64(next_site), int64(next_code) << shift)

            site = int64(place >> _U32)
            side = site & 1
            site = site >> 1 if kind == INSERT else site
            min_gain = larger if kind == INSERT else smaller if two else same
            operation = Operation(kind, site, side, int64(code >> _U32) << shift)
            gain = attempt(call, tree, leaves, operation, min_gain)
            left -= 1
            proposed += int64(1) << (_BITS * kind)
            if gain >= min_gain:
                accepted += int64(1) << (_BITS * kind)
                leaves += int64(kind == INSERT) - int64(two)
                max_leaves = leaves if leaves > max_leaves else max_leaves
        rng[0], rng[1], rng[2], rng[3] = a, b, c, counter
        for kind in range(3):
            result.proposed[kind] += (proposed >> (_BITS * kind)) & _MAX_COUNT
            result.accepted[kind] += (accepted >> (_BITS * kind)) & _MAX_COUNT
        result.leaves, result.max_leaves = leaves, max_leaves
        result.evaluations += limit - left
        result.fitness += gain if gain > 0 else ZERO
        return limit - left, gain

    return single_operations


@inlined_once
def _proposals_in_a_row(params, run, result):
    """How many single operations can be made before somebody must look: at the budget, the room, or for `stuck`."""
    cursor, leaves = run.cursor, result.leaves
    limit, room = params.budget - result.evaluations, min(params.max_leaves, cursor.room)
    limit = min(limit, cursor.steps, room - leaves)
    return params.stuck_wait * leaves if 0 < params.stuck_wait * leaves < limit else limit


def make_stepping(name: str, problem: Stepping, tries: bool) -> Any:
    """The kernel that steps through the runs of a problem; `tries`: stuck runs are found by trying all proposals."""
    sees_stuck, make, note, undo = problem.is_stuck, problem.make, problem.note, problem.undo
    single_operations = _make_single_operations(problem)

    @inlined_once
    def is_stuck(params, tree, run, result, changed):
        """By a criterion, for each new parent; or looked for, from time to time."""
        leaves, due = result.leaves, changed
        if tries and params.can_stick:
            due = is_time_to_look(params, run, result, changed, params.stuck_wait * leaves)
        stuck = params.can_stick and due and sees_stuck(params, tree, leaves, result.fitness)
        if tries and stuck:
            take_back(params, run, result)
        return stuck

    @inlined_once
    def offspring(params, tree, run, result):
        cursor, leaves, made, gain = run.cursor, result.leaves, ZERO, ZERO
        if params.single_loop:
            made, gain = single_operations(params, tree, run, result, _proposals_in_a_row(params, run, result))
            cursor.steps -= made
        changed = gain > 0
        if made == 0:
            cursor.steps -= 1
            result.evaluations += 1
            operations, gain, new_leaves = draw_number_of_operations(params, run), ZERO, leaves
            for j in range(operations):
                operation = draw(params, run.rng, new_leaves)
                result.proposed[operation.kind] += 1
                if cursor.trace_room > 0:
                    trace_operation(run, operation, MINUS_ONE)
                before, new_leaves = new_leaves, new_leaves + growth_of(params, new_leaves, operation.kind)
                note(params, tree, before, operation, run.log[j])
                gain += make(params, tree, before, operation)
            changed = gain >= min_gain_of(params, run, leaves, new_leaves)
            if cursor.trace_room > 0:
                trace_offspring(run, operations, result.evaluations, changed, gain, new_leaves)
            if changed:
                for j in range(operations):
                    result.accepted[run.log[j].kind] += 1
                accept(result, new_leaves, gain)
            else:
                for j in range(operations - 1, -1, -1):
                    new_leaves = undo(params, tree, new_leaves, run.log[j])
        if changed and gain > 0:
            note_improvement(run, result)
        return changed

    return make_kernel(name, Method(problem.start, is_stuck, offspring))
