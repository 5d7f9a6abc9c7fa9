"""When a run is stuck: nothing that it can draw will ever be accepted; and when that is looked for (`is_time_to_look`).

`gpruntime.model.stuck` says so in the model.

With one operation it is a question of what a single one can gain: each kind of tree answers that for itself. With
several, and for problems that count expressed variables, `model/problems/expressing.py` has the proof of what is here.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.jit import helper, inlined_once
from gpruntime.engine.params import NO_LIMIT, can_delete


@helper
def is_time_to_look(params, run, result, changed, wait):
    """Whether it is time to look whether a run is stuck: when its parent has changed, or only after a while.

    To try all proposals takes as long as some offspring. So it is done after as many in vain, `wait`, or at the end of
    the budget. A run that turns out to be stuck has been so since its parent last changed: it ends there (`take_back`).
    """
    if params.stuck_wait == 0:
        return changed
    cursor = run.cursor
    if changed:
        cursor.since, cursor.looked = result.evaluations, 0
        for kind in range(3):
            cursor.proposed_then[kind] = result.proposed[kind]
    waited = result.evaluations - cursor.since
    early = waited < wait and result.evaluations < params.budget
    if cursor.looked == 1 or early or result.fitness >= params.best:
        return False
    cursor.looked = 1
    return True


@helper
def take_back(params, run, result):
    """Enters when a run that is stuck got stuck."""
    if params.stuck_wait > 0:
        result.evaluations = run.cursor.since
        for kind in range(3):
            result.proposed[kind] = run.cursor.proposed_then[kind]


@helper
def vain_is_accepted(params, leaves):
    """Whether an operation that changes nothing can be drawn for a tree with this many leaves, and is accepted."""
    keeps = params.p_delete > 0 and not can_delete(params, leaves)
    renews = params.p_substitute > 0
    return params.min_gain_same <= 0 and (keeps or renews)


@inlined_once
def weakly_stuck(params, leaves, fitness):
    """Stuck though neutral moves are accepted: only insertions, or only deletions."""
    if params.p_substitute > 0 or (params.p_insert > 0 and params.p_delete > 0):
        return False
    if params.p_insert > 0:
        return leaves == params.max_leaves
    return leaves == fitness and fitness > 0 and (leaves > 1 or params.may_be_empty)


def make_stuck_with_many(can_be_expressed: Any) -> Any:
    """For strict runs with any number of operations.

    `can_be_expressed(params, tree, variable, room)` says whether a variable that is not expressed can be, by insertions
    alone while there is `room`, or by deletions alone.
    """

    @helper
    def stuck_with_many(params, tree, leaves, fitness):
        if params.p_substitute > 0:
            return leaves == fitness and params.p_insert == 0
        if params.p_insert > 0 and (params.p_delete > 0 or params.max_leaves == NO_LIMIT):
            return False
        for variable in range(params.n):
            if can_be_expressed(params, tree, variable, params.max_leaves - leaves):
                return False
        return True

    return stuck_with_many


def make_is_stuck(can_improve: Any, can_be_expressed: Any) -> Any:
    """For problems that count expressed variables, see `stepping.Stepping`.

    `can_improve(params, tree, leaves, fitness)` says whether one operation can, under the strict rule.
    """
    stuck_with_many = make_stuck_with_many(can_be_expressed)

    @helper
    def is_stuck(params, tree, leaves, fitness):
        if not params.strict:
            return weakly_stuck(params, leaves, fitness)
        if params.max_operations > 1:
            return stuck_with_many(params, tree, leaves, fitness)
        return not can_improve(params, tree, leaves, fitness)

    return is_stuck
