"""What the kernels are given, as NumPy lays it out: the same fields in the same order as in `source/`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.params import NO_LIMIT, initial_of, min_gains, operations_law, params_of
from gpruntime.engine.random import mixed_pool
from gpruntime.model.spec import RunSpec

_MAX_NUMBER = 2**31 - 1  # stands for "no limit" where the kernels have 32 bits

LAW = np.dtype(
    [
        ("first", np.uint64),
        ("second", np.uint64),
        ("join", np.uint64),
        ("budget", np.int64),
        *((name, np.uint64) for name in ("sizes", "least", "given")),
        *((name, np.uint32) for name in ("n", "best", "planted", "init", "fewest", "most", "limit", "drawn", "nodes")),
        *((name, np.uint32) for name in ("empty", "can_stick", "substitutes", "inserts", "deletes")),
        ("pool", np.uint32, 4),
        ("constant", np.uint32),
        ("room", np.uint32),
        ("places", np.uint32, 4),
    ],
    align=True,
)
JOB = np.dtype(
    [
        *((name, np.uint64) for name in ("lanes", "trees", "seedlings", "scratch", "out", "queue", "numbers")),
        *((name, np.uint32) for name in ("first", "runs", "number_of_lanes", "steps")),
        *((name, np.uint32) for name in ("tree_words", "seedling_words", "scratch_words", "number_of_planters")),
    ],
    align=True,
)
TALLY = np.dtype(
    [
        *((name, np.uint64) for name in ("out", "sums", "histogram", "extremes")),
        ("least", np.int64),
        ("most", np.int64),
        *((name, np.uint32) for name in ("rows", "room", "bins", "unused")),
    ],
    align=True,
)
SUMS = 10  # outcomes with `OUTGROWN`, evaluations, total, low squares, mixed, high squares, huge times
LANE_WORDS = 16  # of 64 bits
LANE_ROW = 4  # where in them the row of the run is, −1 for none
SEEDLING_WORDS = 12  # of 32 bits, before the tree

OUTGROWN = 3  # an outcome that only kernels know: the run has outgrown its lane's memory


def law_numbers(spec: RunSpec, seed: int) -> NDArray[Any]:
    """The law as the kernels take it, but for pointers and what the layout says: an array with one item."""
    params = params_of(spec)
    numbers = {
        "first": params.substitute_below,
        "second": params.insert_below,
        "join": params.join_below,
        "budget": params.budget,
        "n": params.n,
        "best": params.best,
        "planted": params.initial_leaves,
        "init": params.initial,
        "fewest": params.min_operations,
        "most": params.max_operations,
        "nodes": params.substitutes_nodes,
        "empty": params.may_be_empty,
        "limit": _MAX_NUMBER if params.max_leaves == NO_LIMIT else params.max_leaves,
        "drawn": params.draws_k,
        "can_stick": params.can_stick,
        "substitutes": params.p_substitute > 0,
        "inserts": params.p_insert > 0,
        "deletes": params.p_delete > 0,
    }
    law = np.zeros(1, LAW)
    for name, number in numbers.items():
        law[name] = number
    law["pool"][0], law["constant"] = mixed_pool(seed, spec.cell)
    return law


def tables(spec: RunSpec, planted: bool) -> dict[str, NDArray[Any]]:
    """What the law points to."""
    least = np.clip(min_gains(spec, spec.operations.most), -_MAX_NUMBER, _MAX_NUMBER).astype(np.int32)
    given = initial_of(spec, planted).astype(np.int32)
    return {"sizes": operations_law(spec), "least": least, "given": given if len(given) else np.zeros(1, np.int32)}
