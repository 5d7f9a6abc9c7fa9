"""What a run knows besides its trees: where it stands, how it is accepted, and what kernels write down about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpruntime.engine.jit import helper, inlined_once

# why a kernel returned, and two verdicts of its own
DONE, SLICE, GROW_TREE, TRACE_FULL, GO_ON, OVER, GROW_POOL = range(7)

# kinds of operations
SUBSTITUTE, INSERT, DELETE = range(3)

# Where a kernel stands, in the array `cursor`: the row of the run; whether that has begun; how many steps (offspring)
# are
# left in this slice; how many leaves there is room for; rows of the trace and of the improvements written, and room for
# them (0 if nobody asks); and, rejection-free, the offspring skipped since the parent last changed.
ROW, BEGUN, STEPS, ROOM, TRACED, TRACE_ROOM, NOTED, NOTE_ROOM, SKIPPED = range(9)
# And for runs that are seen to be stuck by trying all proposals, which takes long: the evaluations and the proposed
# operations by kind when the parent last changed, and whether it has been looked at since.
SINCE, PROPOSED_THEN, LOOKED = 9, 10, 13
CURSOR_WIDTH = 14


class Run(NamedTuple):
    """What travels with a run through a kernel, as arrays.

    Attributes:
        rng: the four words of its random stream.
        initial: the initial tree as it is given, and room to draw it in (`params.initial_of`).
        operations: the law of k: with a word's upper 53 bits below operations[j], an offspring has at most j + the
            fewest operations.
        min_gain: the acceptance rule: what an offspring must gain, by its growth: see `min_gain_of`.
        plan: of the rejection-free method (`rejection_free.Plan`).
        log: the operations of the present offspring, one record each (`LOG`).
        cursor: where the kernel stands, by the names above.
        trace: the operations of a run that is watched, TRACE_WIDTH numbers each.
        improvements: when runs improved, IMPROVEMENT_WIDTH numbers each (`columns`).
    """

    rng: Any
    initial: Any
    operations: Any
    min_gain: Any
    plan: Any
    log: Any
    cursor: Any
    trace: Any
    improvements: Any


class Operation(NamedTuple):
    """One operation, drawn but not made; −1 for what it does not have.

    Attributes:
        kind: SUBSTITUTE, INSERT or DELETE.
        site: the node, leaves first, by its place in the register.
        side: 0 if a new leaf comes to the left, 1 to the right; in a postfix tree the place of a child.
        code: the terminal that comes in, 2·variable + (1 for a complement); in a postfix tree perhaps a function.
    """

    kind: Any
    site: Any
    side: Any
    code: Any


# What it takes to take an operation back, and to know which variables it touched. `old` is the terminal that went, or
# −1; the rest is for a deletion in a linked tree: all that the leaf and its join knew.
LOG = np.dtype(
    [
        (name, np.int64)
        for name in (
            "kind", "site", "old", "new", "before", "after", "earlier", "later", "label", "left", "right", "above",
            "place"
        )
    ]
)  # fmt: skip

# An operation to be made again.
BORN = np.dtype([(name, np.int64) for name in Operation._fields])

# What an operation brings, as one number: a terminal and, above these bits, the function of its join.
FUNCTION_BITS = 32
TERMINAL_BITS = 2**FUNCTION_BITS - 1

# The columns of a trace, one row an operation; EVALUATIONS and the last three are the offspring's, the same for each of
# its operations. RANK is −1, or AT_JOIN where a join gets a function. But where only counts are kept, in
# `rejection_free`, SITE is the terminal taken out, RANK which of them. Where functions have not two arguments, SIDE is
# a place among the arguments, and an insertion has a row for each terminal that it brings: from the second on, of the
# kind MORE.
MORE = 3
AT_JOIN = -2
T_EVALUATIONS, T_KIND, T_SITE, T_SIDE, T_CODE, T_RANK, T_ACCEPTED, T_GAIN, T_NEW_LEAVES = range(9)
TRACE_WIDTH = 9


@helper
def trace_operation(run, operation, rank):  # type: ignore[no-untyped-def]
    """Notes an operation; `trace_offspring` fills in what became of it."""
    row = TRACE_WIDTH * run.cursor[TRACED]
    run.trace[row + T_KIND], run.trace[row + T_SITE] = operation.kind, operation.site
    run.trace[row + T_SIDE], run.trace[row + T_CODE] = operation.side, operation.code
    run.trace[row + T_RANK] = rank
    run.cursor[TRACED] += 1


@inlined_once
def trace_offspring(run, rows, evaluations, accepted, gain, new_leaves):  # type: ignore[no-untyped-def]
    """Notes for the operations in the last rows that they made up an offspring, and what became of it."""
    for i in range(run.cursor[TRACED] - rows, run.cursor[TRACED]):
        row = TRACE_WIDTH * i
        run.trace[row + T_EVALUATIONS], run.trace[row + T_ACCEPTED] = evaluations, accepted
        run.trace[row + T_GAIN], run.trace[row + T_NEW_LEAVES] = gain, new_leaves
