"""The main loop of all kernels: runs one after the other, in slices, each from verdict to verdict.

A kernel returns after some offspring, or when the memory is too small for the next one, and goes on where it stopped
when it is called again. In between Python can stop it, show progress, or make room. What the present run has come to
is kept in its row of the results. What is done between two verdicts is the method's (`Method`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gpruntime.engine.columns import (
    EVALUATIONS,
    FITNESS,
    I_EVALUATIONS,
    I_ROW,
    IMPROVEMENT_WIDTH,
    LEAVES,
    MAX_LEAVES,
    OUTCOME,
    PROPOSED,
    WIDTH,
)
from gpruntime.engine.jit import ONE, ZERO, helper, inlined_once, kernel, missing
from gpruntime.engine.memory import tail, unchecked
from gpruntime.engine.params import BUDGET, OPTIMUM, STUCK, UNDECIDED
from gpruntime.engine.run_state import (
    BEGUN,
    DONE,
    GO_ON,
    GROW_TREE,
    LOOKED,
    NOTE_ROOM,
    NOTED,
    OVER,
    PROPOSED_THEN,
    ROOM,
    ROW,
    SINCE,
    SLICE,
    STEPS,
    TRACE_FULL,
    TRACE_ROOM,
    TRACED,
)


class Method(NamedTuple):
    """What a method does for one problem, put into the main loop.

    Its functions share their arguments: `params`, the numbers of the spec (`params.Params`); `tree`, the arrays of the
    tree, or of the population; `run`, the arrays of the run (`run_state.Run`); `result`, its row of the results.

    Attributes:
        start(params, tree, run): draws what a run begins with; returns (leaves, fitness).
        is_stuck(params, tree, run, result, changed): whether the run is seen to be stuck; `changed` if its parent is a
            new one.
        offspring(params, tree, run, result): makes the next offspring, or some; returns whether the parent is a new
            one. Each takes one from `run.cursor[STEPS]`.
        conclude(params, tree, run, result): enters what is left when a run is over.
        has_won(params, tree, result): whether the optimum is reached.
        lacks(params, tree, run, result): what must grow before the next offspring, or GO_ON.
        width: numbers in a row of the results.
    """

    start: Any
    is_stuck: Any
    offspring: Any
    conclude: Any
    has_won: Any
    lacks: Any
    width: int = WIDTH


@inlined_once
def may_begin(run, seeds, first):
    """Whether the next run can begin in this slice; if so, its random stream does. The first of a slice always can."""
    cursor = run.cursor
    if (cursor[STEPS] == 0 and first == 0) or (cursor[NOTE_ROOM] > 0 and cursor[NOTED] == cursor[NOTE_ROOM]):
        return False
    for i in range(4):
        run.rng[i] = seeds[4 * cursor[ROW] + i]
    return True


@inlined_once
def begin(run, result, leaves, fitness):
    """Enters a run that begins with such a tree.

    To draw it takes time too: leaves count as steps, so that a slice has an end.
    """
    result[EVALUATIONS], result[FITNESS], result[LEAVES], result[MAX_LEAVES] = 1, fitness, leaves, leaves
    run.cursor[BEGUN] = 1
    run.cursor[STEPS] -= leaves if leaves < run.cursor[STEPS] else run.cursor[STEPS]
    note_improvement(run, result)


@helper
def note_improvement(run, result):
    """Notes that a run has begun or improved, if that is asked for; when there is no room left, the slice ends."""
    cursor = run.cursor
    if cursor[NOTE_ROOM] == 0:
        return
    begin = IMPROVEMENT_WIDTH * cursor[NOTED]
    run.improvements[begin + I_ROW] = cursor[ROW]
    for i in range(3):  # evaluations, fitness and leaves stand side by side in both
        run.improvements[begin + I_EVALUATIONS + i] = result[EVALUATIONS + i]
    cursor[NOTED] += 1
    if cursor[NOTED] == cursor[NOTE_ROOM]:
        cursor[STEPS] = 0


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
        cursor[SINCE], cursor[LOOKED] = result[EVALUATIONS], 0
        for kind in range(3):
            cursor[PROPOSED_THEN + kind] = result[PROPOSED + kind]
    waited = result[EVALUATIONS] - cursor[SINCE]
    early = waited < wait and result[EVALUATIONS] < params.budget
    if cursor[LOOKED] == 1 or early or result[FITNESS] >= params.best:
        return False
    cursor[LOOKED] = 1
    return True


@helper
def take_back(params, run, result):
    """Enters when a run that is stuck got stuck."""
    if params.stuck_wait > 0:
        result[EVALUATIONS] = run.cursor[SINCE]
        for kind in range(3):
            result[PROPOSED + kind] = run.cursor[PROPOSED_THEN + kind]


@inlined_once
def verdict(params, run, result, won, stuck):
    """OVER if the run is, and then its outcome is entered; why the kernel must return first; or GO_ON."""
    cursor = run.cursor
    result[OUTCOME] = UNDECIDED
    if won:
        result[OUTCOME] = OPTIMUM
    elif stuck:
        result[OUTCOME] = STUCK
    elif result[EVALUATIONS] >= params.budget:
        result[OUTCOME] = BUDGET
    elif cursor[STEPS] == 0:
        return SLICE
    elif cursor[TRACE_ROOM] > 0 and cursor[TRACED] + params.max_operations * params.max_new_leaves > cursor[TRACE_ROOM]:
        return TRACE_FULL
    else:
        return GO_ON
    return OVER


@inlined_once
def is_best(params, tree, result):
    """Whether the tree is."""
    return result[FITNESS] >= params.best


@inlined_once
def lacks_room(params, tree, run, result):
    """For the leaves of an offspring."""
    leaves = result[LEAVES] + params.max_operations * params.max_new_leaves
    return GROW_TREE if leaves > run.cursor[ROOM] else GO_ON


@inlined_once
def accept(result, new_leaves, gain):
    """Enters that an offspring takes the place of its parent."""
    result[LEAVES] = new_leaves
    if new_leaves > result[MAX_LEAVES]:
        result[MAX_LEAVES] = new_leaves
    result[FITNESS] += gain


@inlined_once
def nothing_more(params, tree, run, result):
    """All is entered."""


# Put in by `make_kernel`.
start = is_stuck = offspring = conclude = has_won = lacks = missing
width = WIDTH


def advance(params, tree, run, seeds, out):
    """Goes on with the runs from row `run.cursor[ROW]` on, for at most `run.cursor[STEPS]` offspring.

    `seeds` has four words for each run, `out` a row of results; all arrays have one dimension. Returns why it stopped:
    DONE, SLICE, TRACE_FULL, GROW_TREE or GROW_POOL.
    """
    runs, first = out.size // width, ONE
    tree, run, seeds, out = unchecked(tree), unchecked(run), tail(seeds, 0), tail(out, 0)
    while run.cursor[ROW] < runs:
        result = tail(out, width * run.cursor[ROW])
        changed = run.cursor[BEGUN] == 0
        if changed:
            if not may_begin(run, seeds, first):
                return SLICE
            leaves, fitness = start(params, tree, run)
            begin(run, result, leaves, fitness)
            first = ZERO
        while True:
            stuck = is_stuck(params, tree, run, result, changed)
            reason = verdict(params, run, result, has_won(params, tree, result), stuck)
            if reason == GO_ON:
                reason = lacks(params, tree, run, result)
            if reason != GO_ON:
                break
            changed = offspring(params, tree, run, result)
        if reason != OVER:
            return reason
        conclude(params, tree, run, result)
        run.cursor[ROW] += 1
        run.cursor[BEGUN] = 0
    return DONE


def make_kernel(name: str, method: Method) -> Any:
    """The kernel of a method."""
    return kernel(advance, name, **method._asdict())
