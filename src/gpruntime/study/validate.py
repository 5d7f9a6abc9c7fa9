"""Whether a shard holds the runs it should: of the plan's seed, its cells and their settings, by the right numbers.

A checksum says that a shard is as it was entered, not what it is of. So every one is looked at when a worker brings it
and whenever the folder is read: a row of another seed, cell or number is never used.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from gpruntime.model.representations.representation import MORE_COLUMNS
from gpruntime.model.row import schema
from gpruntime.model.spec_text import SPEC_COLUMNS, columns_of
from gpruntime.study import summaries
from gpruntime.study.cell import Tally
from gpruntime.study.shard import Piece, is_possible, times_of

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from gpruntime.study.chunk import Chunk, Computed
    from gpruntime.study.plan import Plan

_NO_SUMMARY = "is no summary of the runs that it should hold"
_ADDRESS = ("seed", "cell")  # held row by row; the other columns follow from the cell
_NO_TABLE = "is no table of the runs that it should hold"


def trouble_of(file: BinaryIO, pieces: Sequence[Piece], plan: Plan, real: bool | None = None) -> str | None:
    """What is wrong with the content of a shard of these pieces, in words; None if it holds their runs.

    `real` says whether a fitness is a float in the study, where the plan does not say so.
    """
    if plan.summarised:
        return _NO_SUMMARY if summaries.decoded(file, pieces, plan) is None else None
    methods = None if plan.method == "auto" else dict.fromkeys(plan.by_id, plan.method)
    return _trouble_of_rows(file, pieces, plan, methods, real)


def _trouble_of_rows(
    file: BinaryIO,
    pieces: Sequence[Piece],
    plan: Plan,
    methods: Mapping[str, str] | None,
    real: bool | None = None,
) -> str | None:
    """The same of rows; `methods` says how those of each cell were to be made, if that is known."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as shard:
            _check_table(shard, sum(piece.count for piece in pieces), plan, real)
            wrong = _wrong_column(shard, pieces, plan, methods)
    except (pa.ArrowException, OSError, ValueError):
        return _NO_TABLE
    return None if wrong is None else f"holds runs that are not the plan's: their {wrong} is another"


def _check_table(shard: pq.ParquetFile, runs: int, plan: Plan, real: bool | None) -> None:
    """Raises ValueError if a file is no table of this many runs, or says of its values what no run has."""
    is_like = shard.schema_arrow.remove_metadata().equals
    if (
        shard.metadata.num_rows != runs
        or not any(map(is_like, _schemas(plan, real)))
        or not is_possible(shard.metadata)
    ):
        raise ValueError


def _wrong_column(
    shard: pq.ParquetFile, pieces: Sequence[Piece], plan: Plan, methods: Mapping[str, str] | None
) -> str | None:
    """The first column that is not as the plan has it."""
    counts = np.array([piece.count for piece in pieces])
    expected = [{**columns_of(plan.by_id[piece.cell].spec), "cell": piece.cell} for piece in pieces]
    columns: dict[str, list[Any]] = {name: [values[name] for values in expected] for name in (*SPEC_COLUMNS, "cell")}
    columns["seed"] = [plan.seed] * len(pieces)
    if methods is not None:
        columns["method"] = [methods[piece.cell] for piece in pieces]
    names = shard.schema_arrow.names
    places = {name: names.index(name) for name in columns if name not in _ADDRESS}
    known = {name for name, place in places.items() if _is_constant(shard.metadata, place, columns[name])}
    table = shard.read([name for name in (*columns, "run") if name not in known])
    for name, values in columns.items():
        if name not in known and not _is_column(table[name], values, counts):
            return name
    begins = np.cumsum(counts) - counts
    numbers = np.arange(counts.sum()) + np.repeat([piece.first for piece in pieces] - begins, counts)
    return None if not table["run"].null_count and np.array_equal(table["run"].to_numpy(), numbers) else "number"


def _schemas(plan: Plan, real: bool | None) -> list[pa.Schema]:
    """What a shard may look like: a study has integers or floats as fitness; columns that some runs have, or not."""
    real = real if plan.is_real is None else plan.is_real
    kinds = [False, True] if real is None else [real]
    more = [MORE_COLUMNS[:count] for count in range(len(MORE_COLUMNS) + 1)]
    return [schema(plan.improvements, real, names) for real in kinds for names in more]


def _is_constant(metadata: pq.FileMetaData, place: int, values: list[Any]) -> bool:
    """Whether a file says of a column that it has one value throughout, and the right one: so it need not be read."""
    value = values[0]
    if len(set(values)) > 1:
        return False
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        statistics = group.column(place).statistics
        if statistics is None or statistics.null_count != (group.num_rows if value is None else 0):
            return False
        if value is not None and not (statistics.has_min_max and statistics.min == statistics.max == value):
            return False
    return True


def _is_column(column: pa.ChunkedArray, values: list[Any], counts: NDArray[np.int64]) -> bool:
    """Whether a column has these values one after the other, each as often as it should."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        words = column.unify_dictionaries().combine_chunks()
        places = {word: place for place, word in enumerate(words.dictionary.to_pylist())}
        column, values = words.indices, [places.get(value) for value in values]
        if None in values:
            return False
    nothing = [value is None for value in values]
    if column.null_count != counts[nothing].sum():
        return False
    if column.null_count:
        if not np.array_equal(column.is_null().to_numpy(zero_copy_only=False), np.repeat(nothing, counts)):
            return False
        column, values = column.fill_null(0), [0 if value is None else value for value in values]
    wanted = values[0] if len(set(values)) == 1 else np.repeat(values, counts)
    return bool((column.to_numpy() == wanted).all())


# ---- what a worker brings


def trouble_of_result(chunk: Chunk, computed: Computed, plan: Plan) -> str | None:
    """What is wrong with what a worker returned for a chunk, in words; None if it is some of what it was asked for."""
    try:
        return _trouble_of_result(chunk, computed, plan)
    except (AttributeError, KeyError, TypeError, ValueError):
        return "a worker returned something else than runs"


def _trouble_of_result(chunk: Chunk, computed: Computed, plan: Plan) -> str | None:
    import pyarrow.parquet as pq

    from gpruntime.study.chunk import study_method

    expected = {(part.spec.cell_id, part.first): part for part in chunk.parts}
    cells = {cell for cell, _ in expected}
    if not all(cell in cells and isinstance(why, str) for cell, why in computed.failed.items()):
        return "a worker returned an error in runs that it was not asked for"
    for done in computed.finished:
        part = expected.pop((done.piece.cell, done.piece.first), None)
        least = 1 if part is None or not plan.summarised else part.count  # what was added up has a fixed end
        if part is None or not least <= done.piece.count <= part.count:
            return "a worker returned runs that it was not asked for"
        if done.data != part.data:
            return f"a worker returned runs of {part.spec.problem} with other data than the study's"
    if not computed.finished:
        return None
    file, pieces = io.BytesIO(computed.content), computed.pieces
    if plan.summarised:
        stored = summaries.decoded(file, pieces, plan, fresh=True)
        why, tallies = (_NO_SUMMARY, []) if stored is None else (None, list(map(summaries.tally_of, stored)))
    else:
        methods = {cell: study_method(plan.by_id[cell].spec, plan.method, plan.device) for cell in cells}
        why = _trouble_of_rows(file, pieces, plan, methods)
    if why is not None:
        return f"what a worker returned {why}"
    if not plan.summarised:
        with pq.ParquetFile(file) as rows:
            table = rows.read(["outcome", "evaluations"], use_threads=False)
        tallies = [Tally.of(*times) for _, times in times_of(table, pieces)]
    if tallies != [done.tally for done in computed.finished]:
        return "a worker returned runs, and other numbers of them"
    return None
