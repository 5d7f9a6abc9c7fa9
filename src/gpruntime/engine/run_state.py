"""What a run knows besides its trees: where it stands, how it is accepted, and what kernels write down about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpruntime.engine.jit import helper, inlined_once

# why a kernel returned, and two verdicts of its own
DONE, SLICE, GROW_TREE, TRACE_FULL, GO_ON, OVER, GROW_POOL = range(7)

# kinds of operations
SUBSTITUTE, INSERT, DELETE = range(3)


def record_type(*fields: str | tuple[str, Any]) -> np.dtype[Any]:
    """A record of 64-bit integers, or of what is said beside a field."""
    return np.dtype([(field, np.int64) if isinstance(field, str) else field for field in fields])


# Where a kernel stands: the row of the run; whether that has begun; the steps (offspring) left in this slice; how many
# leaves there is room for; rows of the trace and of the improvements written, and room for them (0 if nobody asks);
# rejection-free, the offspring skipped since the parent last changed. For runs that are seen to be stuck by trying all
# proposals, which takes long: the evaluations and the proposed operations by kind when the parent last changed, and
# whether it has been looked at since.
CURSOR = record_type(
    "row", "begun", "steps", "room", "traced", "trace_room", "noted", "note_room", "skipped", "since", "looked",
    ("proposed_then", (np.int64, 3)),
)  # fmt: skip


class Run(NamedTuple):
    """What travels with a run through a kernel."""

    rng: Any  # the four words of its random stream
    initial: Any  # the initial tree as it is given, and room to draw it in (`initial.Planting`)
    operations: Any  # the law of k: with a word's upper 53 bits below operations[j], an offspring has at most j + the
    # fewest operations
    min_gain: Any  # the acceptance rule: what an offspring must gain, by its growth (`min_gain_of`)
    plan: Any  # of the rejection-free method (`rejection_free.Plan`)
    log: Any  # the operations of the present offspring, one record each (`LOG`)
    cursor: Any  # where the kernel stands, one record (`CURSOR`)
    trace: Any  # the operations of a run that is watched, one record each (`TRACE`)
    improvements: Any  # when runs improved (`columns.IMPROVEMENT`)


class Operation(NamedTuple):
    """One operation, drawn but not made; −1 for what it does not have."""

    kind: Any  # SUBSTITUTE, INSERT or DELETE
    site: Any  # the node, leaves first, by its place in the register
    side: Any  # 0 if a new leaf comes to the left, 1 to the right; in a postfix tree the place of a child
    code: Any  # the terminal that comes in, 2·variable + (1 for a complement); in a postfix tree perhaps a function


# What it takes to take an operation back, and to know which variables it touched. `old` is the terminal that went, or
# −1; from `before` on, for a deletion in a linked tree: all that the leaf and its join knew.
LOG = record_type(
    "kind", "site", "old", "new",
    "before", "after", "earlier", "later", "label", "left", "right", "above", "place",
)  # fmt: skip

# An operation to be made again.
BORN = record_type(*Operation._fields)

# What an operation brings, as one number: a terminal and, above these bits, the function of its join.
FUNCTION_BITS = 32
TERMINAL_BITS = 2**FUNCTION_BITS - 1


class Traced(NamedTuple):
    """A row of a trace, one for an operation. `evaluations` and the last three are the offspring's, in all its rows.

    Where only counts are kept, in `rejection_free`, `site` is the terminal taken out, and `rank` which of its leaves.
    Where functions have not two arguments, `side` is a place among the arguments, and an insertion has a row for each
    terminal that it brings: from the second on, of the kind MORE.
    """

    evaluations: int
    kind: int
    site: int
    side: int
    code: int
    rank: int  # −1, or AT_JOIN where a join gets a function
    accepted: int
    gain: int
    new_leaves: int


TRACE = record_type(*Traced._fields)
MORE = 3
AT_JOIN = -2


@helper
def trace_operation(run, operation, rank):  # type: ignore[no-untyped-def]
    """Notes an operation; `trace_offspring` fills in what became of it."""
    row = run.trace[run.cursor.traced]
    row.kind, row.site, row.side, row.code = operation
    row.rank = rank
    run.cursor.traced += 1


@inlined_once
def trace_offspring(run, rows, evaluations, accepted, gain, new_leaves):  # type: ignore[no-untyped-def]
    """Notes for the operations in the last `rows` that they made up an offspring, and what became of it."""
    for i in range(run.cursor.traced - rows, run.cursor.traced):
        row = run.trace[i]
        row.evaluations, row.accepted, row.gain, row.new_leaves = evaluations, accepted, gain, new_leaves
