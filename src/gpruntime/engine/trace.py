"""What kernels write down besides results: where they stand, the operations of an offspring, and the trace of a run."""

from __future__ import annotations

from gpruntime.engine.kernel import helper, pasted

# why a kernel returned, and two verdicts of its own
DONE, SLICE, GROW_TREE, TRACE_FULL, GO_ON, OVER, GROW_POOL = range(7)

# Where a kernel stands, in the array `stand`: the row of the run, whether it has begun, rows of the trace and of the
# improvements written, and for `skipping` the offspring skipped since the parent last changed.
ROW, BEGUN, TRACED, NOTED, SKIPPED = range(5)
# And for runs that are seen to be stuck by trying all proposals, which takes long: the evaluations and the proposed
# operations by kind when the parent last changed, and whether it has been looked at since.
SINCE, PROPOSED_THEN, LOOKED = 5, 6, 9
STAND_WIDTH = 10

# The columns of the log of an offspring, one row an operation: what it takes to take it back, and to file the variables
# it touched. OLD is the terminal that went, or −1; the rest is for a deletion in a planted tree: all that the leaf and
# its join knew.
(
    LOG_KIND,
    LOG_SITE,
    LOG_OLD,
    LOG_NEW,
    LOG_BEFORE,
    LOG_AFTER,
    LOG_EARLIER,
    LOG_LATER,
    LOG_LABEL,
    LOG_LEFT,
    LOG_RIGHT,
    LOG_ABOVE,
    LOG_PLACE,
) = range(13)
LOG_WIDTH = 13

# What an operation brings, as one number: a terminal and, above these bits, the function of its join.
FUNCTION_BITS = 32
TERMINAL_BITS = 2**FUNCTION_BITS - 1

# The columns of a trace, one row an operation; EVALUATIONS and the last three are the offspring's, the same for each of
# its operations. RANK is −1, or AT_JOIN where a join gets a function. But where only counts are kept, in `skipping`,
# SITE is the terminal taken out, RANK which of them. Where functions have not two arguments, SIDE is a place among the
# arguments, and an insertion has a row for each terminal that it brings: from the second on, of the kind MORE.
MORE = 3
AT_JOIN = -2
T_EVALUATIONS, T_KIND, T_SITE, T_SIDE, T_CODE, T_RANK, T_ACCEPTED, T_GAIN, T_NEW_LEAVES = range(9)
TRACE_WIDTH = 9


@helper
def trace_operation(trace, stand, kind, site, side, code, rank):  # type: ignore[no-untyped-def]
    """Notes an operation; `trace_offspring` fills in what became of it."""
    row = TRACE_WIDTH * stand[TRACED]
    trace[row + T_KIND], trace[row + T_SITE], trace[row + T_SIDE] = kind, site, side
    trace[row + T_CODE], trace[row + T_RANK] = code, rank
    stand[TRACED] += 1


@pasted
def trace_offspring(trace, stand, rows, evaluations, accepted, gain, new_leaves):  # type: ignore[no-untyped-def]
    """Notes for the operations in the last rows that they made up an offspring, and what became of it."""
    for i in range(stand[TRACED] - rows, stand[TRACED]):
        row = TRACE_WIDTH * i
        trace[row + T_EVALUATIONS], trace[row + T_ACCEPTED] = evaluations, accepted
        trace[row + T_GAIN], trace[row + T_NEW_LEAVES] = gain, new_leaves
