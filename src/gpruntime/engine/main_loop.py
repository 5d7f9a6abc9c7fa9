"""The main loop of all kernels: runs one after the other, in slices, each from verdict to verdict.

A kernel returns after some offspring, or when the memory is too small for the next one, and goes on where it stopped
when it is called again. In between Python can stop it, show progress, or make room. What the present run has come to
is kept in its row of the results. What is done between two verdicts is the method's (`Method`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gpruntime.engine.jit import ONE, ZERO, helper, inlined_once, kernel, missing
from gpruntime.engine.memory import tail, unchecked
from gpruntime.engine.params import BUDGET, OPTIMUM, STUCK, UNDECIDED
from gpruntime.engine.run_state import DONE, GO_ON, GROW_TREE, OVER, SLICE, TRACE_FULL


@inlined_once
def is_best(params, tree, result):
    """Whether the tree is."""
    return result.fitness >= params.best


@inlined_once
def lacks_room(params, tree, run, result):
    """For the leaves of an offspring."""
    leaves = result.leaves + params.max_operations * params.max_new_leaves
    return GROW_TREE if leaves > run.cursor.room else GO_ON


@inlined_once
def nothing_more(params, tree, run, result):
    """All is entered."""


@inlined_once
def lacks_nothing(params, tree, run, result):
    """For programs whose size is fixed."""
    return GO_ON


class Method(NamedTuple):
    """What a method does for one problem, put into the main loop.

    Its functions share their arguments: `params`, the numbers of the spec (`params.Params`); `tree`, the arrays of the
    tree, or of the population; `run`, the arrays of the run (`run_state.Run`); `result`, its row of the results.
    """

    start: Any  # (params, tree, run): draws what a run begins with; returns (leaves, fitness)
    is_stuck: Any  # (params, tree, run, result, changed): whether the run is seen to be stuck; `changed` if its parent
    # is a new one
    offspring: Any  # (params, tree, run, result): makes the next offspring, or some; returns whether the parent is a
    # new one. Each takes one from `run.cursor.steps`.
    conclude: Any = nothing_more  # (params, tree, run, result): enters what is left when a run is over
    has_won: Any = is_best  # (params, tree, result): whether the optimum is reached
    lacks: Any = lacks_room  # (params, tree, run, result): what must grow before the next offspring, or GO_ON


@inlined_once
def may_begin(run, seeds, first):
    """Whether the next run can begin in this slice; if so, its random stream does. The first of a slice always can."""
    cursor = run.cursor
    if (cursor.steps == 0 and first == 0) or (cursor.note_room > 0 and cursor.noted == cursor.note_room):
        return False
    for i in range(4):
        run.rng[i] = seeds[4 * cursor.row + i]
    return True


@inlined_once
def begin(run, result, leaves, fitness):
    """Enters a run that begins with such a tree.

    To draw it takes time too: leaves count as steps, so that a slice has an end.
    """
    result.evaluations, result.fitness, result.leaves, result.max_leaves = 1, fitness, leaves, leaves
    run.cursor.begun = 1
    run.cursor.steps -= leaves if leaves < run.cursor.steps else run.cursor.steps
    note_improvement(run, result)


@helper
def note_improvement(run, result):
    """Notes that a run has begun or improved, if that is asked for; when there is no room left, the slice ends."""
    cursor = run.cursor
    if cursor.note_room == 0:
        return
    noted = run.improvements[cursor.noted]
    noted.row, noted.evaluations, noted.fitness = cursor.row, result.evaluations, result.fitness
    noted.leaves = result.leaves
    cursor.noted += 1
    if cursor.noted == cursor.note_room:
        cursor.steps = 0


@inlined_once
def verdict(params, run, result, won, stuck):
    """OVER if the run is, and then its outcome is entered; why the kernel must return first; or GO_ON."""
    cursor = run.cursor
    result.outcome = UNDECIDED
    if won:
        result.outcome = OPTIMUM
    elif stuck:
        result.outcome = STUCK
    elif result.evaluations >= params.budget:
        result.outcome = BUDGET
    elif cursor.steps == 0:
        return SLICE
    elif cursor.trace_room > 0 and cursor.traced + params.max_operations * params.max_new_leaves > cursor.trace_room:
        return TRACE_FULL
    else:
        return GO_ON
    return OVER


@inlined_once
def accept(result, new_leaves, gain):
    """Enters that an offspring takes the place of its parent."""
    result.leaves = new_leaves
    if new_leaves > result.max_leaves:
        result.max_leaves = new_leaves
    result.fitness += gain


# Put in by `make_kernel`.
start = is_stuck = offspring = conclude = has_won = lacks = missing


def advance(params, tree, run, seeds, out):
    """Goes on with the runs from row `run.cursor.row` on, for at most `run.cursor.steps` offspring.

    `seeds` has four words for each run, `out` a record of results. Returns why it stopped:
    DONE, SLICE, TRACE_FULL, GROW_TREE or GROW_POOL.
    """
    runs, first = out.size, ONE
    tree, run, seeds, out = unchecked(tree), unchecked(run), tail(seeds, 0), tail(out, 0)
    while run.cursor.row < runs:
        result = out[run.cursor.row]
        changed = run.cursor.begun == 0
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
        run.cursor.row += 1
        run.cursor.begun = 0
    return DONE


def make_kernel(name: str, method: Method) -> Any:
    """The kernel of a method."""
    return kernel(advance, name, **method._asdict())
