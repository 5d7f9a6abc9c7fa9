"""Summaries in place of rows: a shard then holds a part of a cell's runs, added up (`gpruntime.engine.summary`).

All numbers are whole and adding them up is exact, so it does not matter who made a part, or when.

**Parts** begin and end at fixed run numbers: a part that begins at run r has as many runs as the largest power of two
that is at most r/16, but from 2¹⁰ to 2²⁰ of them, on a GPU from 2¹⁶ to 2²⁴. So each doubling of the runs is 16 parts,
up to the largest. A cell's last run, or a goal's look, ends a part early.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from gpruntime.model.errors import BadInput
from gpruntime.study import shard
from gpruntime.study.goal import Tally
from gpruntime.study.shard import Piece

if TYPE_CHECKING:
    import pyarrow as pa

    from gpruntime.engine.summary import RunsSummary
    from gpruntime.study.ledger import Entry
    from gpruntime.study.plan import Plan

_SIZES, _SIZES_ON_GPU = (2**10, 2**20), (2**16, 2**24)
_SHARE = 4  # bits: a part is at most 1/16 of the runs before it

# What may be larger than 64 bits: sums, and sums of squares.
_SUMS = ("evaluations", "total", "squares")
_LISTS = ("bins", "counts", "largest_evaluations", "largest_runs", "smallest_evaluations", "smallest_runs")


def part_end(first: int, on_gpu: bool) -> int:
    """The run after the last of the part that run `first` is in."""
    least, most = _SIZES_ON_GPU if on_gpu else _SIZES
    size = min(max(1 << max(first.bit_length() - 1 - _SHARE, 0), least), most)
    return (first // size + 1) * size


def tally_of(found: RunsSummary) -> Tally:
    """What a goal wants to know of it."""
    return Tally(found.runs, found.optima, found.total, found.squares)


def joined(parts: Iterable[RunsSummary], keep: int) -> RunsSummary | None:
    """The sum of some parts of a cell; None if there are none."""
    from gpruntime.engine.summary import RunsSummary

    found: RunsSummary | None = None
    for part in parts:
        found = found or RunsSummary(part.spec, part.seed, part.first)
        found.merge(part, keep)
    return found


# ---- as a shard: a row for each piece, of these columns


def summary_schema() -> pa.Schema:
    """The columns."""
    import pyarrow as pa

    counts = [(name, pa.int64()) for name in ("first", "runs", *_outcomes())]
    sums = [(name, pa.decimal256(76)) for name in _SUMS]
    return pa.schema([("cell", pa.string()), *counts, *sums, *((name, pa.list_(pa.int64())) for name in _LISTS)])


def _outcomes() -> list[str]:
    from gpruntime.model.run import Outcome

    return [str(outcome) for outcome in Outcome]


def row_of(found: RunsSummary) -> dict[str, Any]:
    """Its numbers, by the names of the columns. Devices are left out: they are no part of it."""
    import numpy as np

    found = as_earlier(found) if found.unbinned else found
    bins = np.flatnonzero(found.histogram)
    extremes = {"largest": found.largest, "smallest": found.smallest}
    return {
        "cell": found.spec.cell_id,
        "first": found.first,
        "runs": found.runs,
        **{str(outcome): number for outcome, number in found.outcomes.items()},
        **{name: getattr(found, name) for name in _SUMS},
        "bins": bins.tolist(),
        "counts": found.histogram[bins].tolist(),
        **{f"{name}_evaluations": [time for time, _ in runs] for name, runs in extremes.items()},
        **{f"{name}_runs": [run for _, run in runs] for name, runs in extremes.items()},
    }


def as_earlier(found: RunsSummary) -> RunsSummary:
    """The same with the bins of earlier versions, of which the last had no end."""
    from gpruntime.engine.summary import OPEN_BIN

    histogram = found.histogram.copy()
    histogram[OPEN_BIN] = histogram[OPEN_BIN:].sum() + found.unbinned
    histogram[OPEN_BIN + 1 :] = 0
    return dataclasses.replace(found, histogram=histogram, unbinned=0)


def are_equal(a: RunsSummary, b: RunsSummary) -> bool:
    """Whether two say the same of the same runs, as far as both know it."""
    if a.unbinned or b.unbinned:
        a, b = as_earlier(a), as_earlier(b)
    return row_of(a) == row_of(b)


def encode(found: RunsSummary) -> bytes:
    """A part as the bytes of a shard."""
    from decimal import Context

    import pyarrow as pa

    exact = Context(prec=76)
    row = row_of(found)
    row |= {name: exact.create_decimal(row[name]) for name in _SUMS}
    piece = Piece(row["cell"], found.first, found.runs)
    return shard.encode(pa.Table.from_pylist([row], summary_schema()), [piece], found.seed)


def read(folder: Path, entry: Entry, plan: Plan) -> Iterator[tuple[Piece, RunsSummary]]:
    """The parts that a shard holds. Raises `BadInput` if it holds anything else."""
    from gpruntime.files import SHARDS

    found = decoded(folder / SHARDS / entry.name, entry.pieces, plan)
    if found is None:
        raise BadInput("folder", str(folder), f"{SHARDS}/{entry.name} is no summary of the runs that it should hold")
    yield from zip(entry.pieces, found, strict=True)


def decoded(
    file: Path | BinaryIO, pieces: Sequence[Piece], plan: Plan, fresh: bool = False
) -> list[RunsSummary] | None:
    """The summaries of these pieces; None if the file holds anything else: it may come from somebody else.

    A `fresh` one says of which seed it is; older ones do not.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from gpruntime.engine.summary import BINS

    try:
        with pq.ParquetFile(file) as found:
            like_ours = found.schema_arrow.remove_metadata().equals(summary_schema())
            if not like_ours or found.metadata.num_rows != len(pieces):
                return None
            if shard.seed_of(found.schema_arrow) not in ((plan.seed,) if fresh else (plan.seed, None)):
                return None
            groups = [found.metadata.row_group(number) for number in range(found.metadata.num_row_groups)]
            values = max((group.column(i).num_values for group in groups for i in range(group.num_columns)), default=0)
            if values > len(pieces) * max(BINS, plan.extremes):  # lists that no summary has
                return None
            rows = found.read(use_threads=False).to_pylist()
        return [_summary(row, piece, plan) for row, piece in zip(rows, pieces, strict=True)]
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, ArithmeticError):
        return None


def _summary(row: dict[str, Any], piece: Piece, plan: Plan) -> RunsSummary:
    """From a row; raises TypeError or ValueError if it is not what the runs of a piece could add up to."""
    import numpy as np

    from gpruntime.engine.summary import OPEN_BIN, RunsSummary, bin_begins, bin_ends
    from gpruntime.model.run import Outcome

    found = RunsSummary(plan.by_id[piece.cell].spec, plan.seed, piece.first, piece.count)
    found.outcomes = {outcome: int(row[str(outcome)]) for outcome in Outcome}
    for name in _SUMS:
        setattr(found, name, int(row[name]))
    bins, counts = (np.array(row[name], np.int64) for name in ("bins", "counts"))
    sums = [found.runs, *found.outcomes.values(), found.total, found.squares]
    if min(sums) < 0 or sum(found.outcomes.values()) != found.runs or counts.sum() != found.optima:
        raise ValueError
    if len(bins) and (bins.min() < 0 or bins.max() >= len(found.histogram) or counts.min() < 1):
        raise ValueError
    found.histogram[bins] = counts
    begins, ends = bin_begins(), bin_ends()
    # An earlier version's last bin may hold longer times. It does not, if the longest run is known to end within it.
    longest = max(row["largest_evaluations"], default=math.inf)
    is_open = OPEN_BIN in bins and bins.max() == OPEN_BIN and longest > ends[OPEN_BIN]
    if is_open:
        ends[OPEN_BIN] = ends[-1]
    least, largest = (sum(map(mul, times[bins].tolist(), counts.tolist())) for times in (begins, ends))
    if not least <= found.total <= min(largest, found.evaluations) or found.squares * found.optima < found.total**2:
        raise ValueError
    for name in ("largest", "smallest"):
        times, runs = row[f"{name}_evaluations"], row[f"{name}_runs"]
        within = {run for run in runs if piece.first <= run < piece.end}
        if len(within) < len(runs) or min(times, default=1) < 1:
            raise ValueError
        setattr(found, name, list(zip(times, runs, strict=True)))
    found.merge(RunsSummary(found.spec, plan.seed, piece.first), plan.extremes)  # puts the extreme runs in order
    if row != row_of(found) or {len(found.largest), len(found.smallest)} != {min(plan.extremes, found.runs)}:
        raise ValueError
    if is_open:
        found.unbinned, found.histogram[OPEN_BIN] = int(found.histogram[OPEN_BIN]), 0
    return found
