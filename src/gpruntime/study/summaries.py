"""Summaries in place of rows: a shard then holds a part of a cell's runs, added up (`gpruntime.engine.summary`).

All numbers are integers and adding them up is exact, so it does not matter who made a part, or when.

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
from gpruntime.study.cell import Tally
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


def tally_of(summary: RunsSummary) -> Tally:
    """What a goal wants to know of it."""
    return Tally(summary.runs, summary.optima, summary.total, summary.squares)


def joined(parts: Iterable[RunsSummary], keep: int) -> RunsSummary | None:
    """The sum of some parts of a cell; None if there are none."""
    from gpruntime.engine.summary import RunsSummary

    total: RunsSummary | None = None
    for part in parts:
        total = total or RunsSummary(part.spec, part.seed, part.first)
        total.merge(part, keep)
    return total


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


def row_of(summary: RunsSummary) -> dict[str, Any]:
    """Its numbers, by the names of the columns. Devices are left out: they are no part of it."""
    import numpy as np

    summary = as_earlier(summary) if summary.unbinned else summary
    bins = np.flatnonzero(summary.histogram)
    extremes = {"largest": summary.largest, "smallest": summary.smallest}
    return {
        "cell": summary.spec.cell_id,
        "first": summary.first,
        "runs": summary.runs,
        **{str(outcome): number for outcome, number in summary.outcomes.items()},
        **{name: getattr(summary, name) for name in _SUMS},
        "bins": bins.tolist(),
        "counts": summary.histogram[bins].tolist(),
        **{f"{name}_evaluations": [time for time, _ in runs] for name, runs in extremes.items()},
        **{f"{name}_runs": [run for _, run in runs] for name, runs in extremes.items()},
    }


def as_earlier(summary: RunsSummary) -> RunsSummary:
    """The same with the bins of earlier versions, of which the last had no end."""
    from gpruntime.engine.summary import OPEN_BIN

    histogram = summary.histogram.copy()
    histogram[OPEN_BIN] = histogram[OPEN_BIN:].sum() + summary.unbinned
    histogram[OPEN_BIN + 1 :] = 0
    return dataclasses.replace(summary, histogram=histogram, unbinned=0)


def are_equal(a: RunsSummary, b: RunsSummary) -> bool:
    """Whether two say the same of the same runs, as far as both know it."""
    if a.unbinned or b.unbinned:
        a, b = as_earlier(a), as_earlier(b)
    return row_of(a) == row_of(b)


def encode(summary: RunsSummary) -> bytes:
    """A part as the bytes of a shard."""
    from decimal import Context

    import pyarrow as pa

    exact = Context(prec=76)
    row = row_of(summary)
    row |= {name: exact.create_decimal(row[name]) for name in _SUMS}
    piece = Piece(row["cell"], summary.first, summary.runs)
    return shard.encode(pa.Table.from_pylist([row], summary_schema()), [piece], summary.seed)


def read(folder: Path, entry: Entry, plan: Plan) -> Iterator[tuple[Piece, RunsSummary]]:
    """The parts that a shard holds. Raises `BadInput` if it holds anything else."""
    from gpruntime.files import SHARDS

    stored = decoded(folder / SHARDS / entry.name, entry.pieces, plan)
    if stored is None:
        raise BadInput("folder", str(folder), f"{SHARDS}/{entry.name} is no summary of the runs that it should hold")
    yield from zip(entry.pieces, stored, strict=True)


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
        with pq.ParquetFile(file) as parquet:
            like_ours = parquet.schema_arrow.remove_metadata().equals(summary_schema())
            if not like_ours or parquet.metadata.num_rows != len(pieces):
                return None
            if shard.seed_of(parquet.schema_arrow) not in ((plan.seed,) if fresh else (plan.seed, None)):
                return None
            groups = [parquet.metadata.row_group(number) for number in range(parquet.metadata.num_row_groups)]
            values = max((group.column(i).num_values for group in groups for i in range(group.num_columns)), default=0)
            if values > len(pieces) * max(BINS, plan.extremes):  # lists that no summary has
                return None
            rows = parquet.read(use_threads=False).to_pylist()
        return [_summary(row, piece, plan) for row, piece in zip(rows, pieces, strict=True)]
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, ArithmeticError):
        return None


def _summary(row: dict[str, Any], piece: Piece, plan: Plan) -> RunsSummary:
    """From a row; raises TypeError or ValueError if it is not what the runs of a piece could add up to."""
    import numpy as np

    from gpruntime.engine.summary import OPEN_BIN, RunsSummary, bin_begins, bin_ends
    from gpruntime.model.run import Outcome

    summary = RunsSummary(plan.by_id[piece.cell].spec, plan.seed, piece.first, piece.count)
    summary.outcomes = {outcome: int(row[str(outcome)]) for outcome in Outcome}
    for name in _SUMS:
        setattr(summary, name, int(row[name]))
    bins, counts = (np.array(row[name], np.int64) for name in ("bins", "counts"))
    sums = [summary.runs, *summary.outcomes.values(), summary.total, summary.squares]
    if min(sums) < 0 or sum(summary.outcomes.values()) != summary.runs or counts.sum() != summary.optima:
        raise ValueError
    if len(bins) and (bins.min() < 0 or bins.max() >= len(summary.histogram) or counts.min() < 1):
        raise ValueError
    summary.histogram[bins] = counts
    begins, ends = bin_begins(), bin_ends()
    # An earlier version's last bin may hold longer times. It does not, if the longest run is known to end within it.
    longest = max(row["largest_evaluations"], default=math.inf)
    is_open = OPEN_BIN in bins and bins.max() == OPEN_BIN and longest > ends[OPEN_BIN]
    if is_open:
        ends[OPEN_BIN] = ends[-1]
    least, largest = (sum(map(mul, times[bins].tolist(), counts.tolist())) for times in (begins, ends))
    if (
        not least <= summary.total <= min(largest, summary.evaluations)
        or summary.squares * summary.optima < summary.total**2
    ):
        raise ValueError
    for name in ("largest", "smallest"):
        times, runs = row[f"{name}_evaluations"], row[f"{name}_runs"]
        within = {run for run in runs if piece.first <= run < piece.end}
        if len(within) < len(runs) or min(times, default=1) < 1:
            raise ValueError
        setattr(summary, name, list(zip(times, runs, strict=True)))
    summary.merge(RunsSummary(summary.spec, plan.seed, piece.first), plan.extremes)  # puts the extreme runs in order
    if row != row_of(summary) or {len(summary.largest), len(summary.smallest)} != {min(plan.extremes, summary.runs)}:
        raise ValueError
    if is_open:
        summary.unbinned, summary.histogram[OPEN_BIN] = int(summary.histogram[OPEN_BIN]), 0
    return summary
