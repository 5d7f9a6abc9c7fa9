"""A study that was run, or is running: its table, as Arrow, pandas or SQL; or its summaries."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime.files import LEDGER, SHARDS
from gpruntime.model.errors import BadInput, require
from gpruntime.model.face import facts
from gpruntime.model.representations.representation import MORE_COLUMNS
from gpruntime.model.row import schema
from gpruntime.study import provenance, shard, summaries
from gpruntime.study.cell import Cell
from gpruntime.study.errors import StudyWarning
from gpruntime.study.ledger import Entry
from gpruntime.study.plan import Plan
from gpruntime.study.progress import CellProgress, cell_progress
from gpruntime.study.shard import Piece
from gpruntime.study.store import Store

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

    from gpruntime.engine.summary import RunsSummary


_REMEMBERED, _REMEMBERED_ROWS = 32, 1_000_000  # shards, and rows of them
_BATCH = 10_000  # rows
_MAX_SHOWN = 20  # cells, in a notebook
_PATTERN = re.compile(r"[*?\[\]{}]")


class Study:
    """The runs in a study's folder, as they were when it was loaded.

    Attributes:
        folder: where it is.
        plan: what it is asked to be.
        entries: its shards.
        damaged: those that cannot be used, one line each; `gpruntime study run` computes their runs again.
    """

    def __init__(self, folder: Path, plan: Plan, entries: list[Entry], damaged: list[str]) -> None:
        self.folder, self.plan, self.entries, self.damaged = folder, plan, entries, damaged

    @classmethod
    def load(cls, folder: str | Path) -> Study:
        """The study in this folder. Every shard is checked; a damaged one is left out, with a `StudyWarning`."""
        folder = Path(folder).absolute()
        store = Store(folder)
        sound, damaged = [], [line for line in [store.ledger.damage()] if line is not None]
        for entry in store.ledger.entries.values():
            if store.is_arriving(entry):
                continue
            why = store.trouble(entry)
            if why is None:
                sound.append(entry)
            else:
                damaged.append(f"{SHARDS}/{entry.name}: {why}; its runs are left out")
        lost = store.unentered()
        if lost:
            missing = f"{len(lost):,} shards are not entered in it, {lost[0]} among them; their runs are left out"
            damaged.append(f"{LEDGER}: was cut off or emptied: {missing}")
        for line in damaged:
            warnings.warn(f"{folder}: {line}", StudyWarning, stacklevel=2)
        return cls(folder, store.plan, sound, damaged)

    @cached_property
    def provenance(self) -> list[dict[str, Any]]:
        """Who computed what, when, with which versions: one record for each begin and each end of a call."""
        return provenance.read(self.folder)

    def account(self) -> dict[str, Any]:
        """Where the runs come from, for a report: the plan, and the calls of `run_study` with their circumstances."""
        begins = [record for record in self.provenance if record.get("event") == "begin"]
        return {
            "name": self.folder.name,
            "plan": self.plan.text,
            "runs": len(self),
            "shards": len(self.entries),
            "sources": sorted({entry.sources for entry in self.entries}),
            "sittings": begins,
            **({"damaged": self.damaged} if self.damaged else {}),
        }

    def failures(self) -> list[str]:
        """The cells that the last call gave up, in words, with the reason."""
        ends = [record for record in self.provenance if "failures" in record]
        return list(ends[-1]["failures"]) if ends else []

    def __len__(self) -> int:
        return sum(piece.count for entry in self.entries for piece in entry.pieces)

    def __repr__(self) -> str:
        summarised = self.plan.summarised
        how = ", added up" if summarised else ""
        how += f", {len(self.damaged):,} damaged" if self.damaged else ""
        rows = ".table(), .to_pandas(), .sql(query): the runs"
        ways = ".summaries, .summary(cell): what the runs add up to" if summarised else rows
        return (
            f"<{self._title()}{how}\n {ways}; .progress(): how far it is;\n"
            f" gpruntime.analysis.summarise(study): what {'they' if summarised else 'the runs'} say>"
        )

    def _title(self) -> str:
        return f"Study {self.folder.name}: {len(self):,} runs in {len(self.plan.cells):,} cells"

    def _repr_html_(self) -> str:
        stored = Counter[str]()
        for entry in self.entries:
            for piece in entry.pieces:
                stored[piece.cell] += piece.count
        cells = self.plan.cells
        rows = [(f"{stored[cell.id]:,} runs", cell.words()) for cell in cells[:_MAX_SHOWN]]
        left = f"… and {len(cells) - len(rows):,} more cells. " if len(cells) > len(rows) else ""
        ways = ".summaries, .summary(cell)" if self.plan.summarised else ".to_pandas(), .sql(query)"
        more = f"{left}More: {ways}, .progress(), gpruntime.analysis.summarise(study)"
        return facts(self._title(), [*rows, *(("damaged", line) for line in self.damaged)], more=more)

    # ---- the summaries

    @cached_property
    def summaries(self) -> dict[str, RunsSummary]:
        """What is stored of each cell that has runs, added up, by the cell's id, in the order of the plan.

        While the study runs, or where a part is damaged, there are gaps among the numbers of the runs.
        Raises `BadInput` if the study stores rows.
        """
        if not self.plan.summarised:
            raise BadInput("folder", str(self.folder), 'stores rows, not summaries; a plan asks: store = "summaries"')
        parts: dict[str, dict[Piece, RunsSummary]] = {cell.id: {} for cell in self.plan.cells}
        for entry in self.entries:
            for piece, summary in summaries.read(self.folder, entry, self.plan):
                parts[piece.cell][piece] = summary
        for pieces in parts.values():
            for piece, following in itertools.pairwise(sorted(pieces, key=lambda piece: piece.first)):
                if following.first < piece.end:
                    allowed = f"its run {following.cell}:{following.first} is in two summaries"
                    raise BadInput("folder", str(self.folder), allowed)
        joined = {cell: summaries.joined(of_cell.values(), self.plan.extremes) for cell, of_cell in parts.items()}
        return {cell: summary for cell, summary in joined.items() if summary is not None}

    def summary(self, cell: Cell | str) -> RunsSummary:
        """That of one cell, of which the first digits of its id are enough. Raises `BadInput` if there is none."""
        id_ = self.plan.find(cell).id if isinstance(cell, str) else cell.id
        if id_ not in self.summaries:
            raise BadInput("cell", id_, "the study has no runs of it (yet)")
        return self.summaries[id_]

    # ---- the table

    def check_rows(self) -> None:
        """Raises `BadInput` unless the study has a table of runs."""
        if self.plan.summarised:
            allowed = "stores summaries, and this needs the rows of a table of runs; `study show` works without"
            raise BadInput("folder", str(self.folder), allowed)

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema of the table; without a problem that says whether a fitness is a float, it is as in a shard."""
        self.check_rows()
        real = self.plan.is_real
        if real is None:
            real = bool(self.entries and shard.is_real(self.path_of(self.entries[0])))
        more = {name for cell in self.plan.cells for name in cell.spec.more_columns}
        return schema(self.plan.improvements, real, more)

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """The runs as an Arrow table, in the order of the plan's cells and the runs' numbers."""
        import pyarrow as pa

        schema = self.schema if columns is None else pa.schema([self.schema.field(name) for name in columns])
        order = {cell.id: number for number, cell in enumerate(self.plan.cells)}
        parts = []
        for entry in self.entries:
            table = self._read(entry, columns)
            parts += [(order[piece.cell], piece.first, table.slice(at, piece.count)) for at, piece in entry.places()]
        parts.sort(key=lambda part: part[:2])
        return canonical(pa.concat_tables([schema.empty_table(), *(rows for _, _, rows in parts)]))

    def tables(self, cells: Sequence[Cell] | None = None) -> Iterator[pa.Table]:
        """The same runs in the same order, a piece at a time; of some cells, if so asked."""
        pieces: dict[str, list[tuple[Entry, Piece]]] = {}
        for entry in self.entries:
            for piece in entry.pieces:
                pieces.setdefault(piece.cell, []).append((entry, piece))
        for cell in self.plan.cells if cells is None else cells:
            for entry, piece in sorted(pieces.get(cell.id, []), key=lambda of_cell: of_cell[1].first):
                yield self.rows(entry, [piece])

    def rows(self, entry: Entry, pieces: list[Piece]) -> pa.Table:
        """The rows of a shard that belong to these pieces, or parts of pieces, of it."""
        import pyarrow as pa

        table = self._read_whole(entry)
        parts = [
            table.slice(at + piece.first - stored.first, piece.count)
            for at, stored in entry.places()
            for piece in pieces
            if piece.is_within(stored)
        ]
        return pa.concat_tables(parts)

    def to_pandas(self) -> pd.DataFrame:
        """The runs as a pandas data frame. Raises `NotInstalled` where pandas is not."""
        require("pandas", "to_pandas()")
        return self.table().to_pandas()

    def _read(self, entry: Entry, columns: list[str] | None) -> pa.Table:
        """The rows of a shard; one without a column has nothing to say there, in a study that has it."""
        import pyarrow as pa

        wanted = self.schema.names if columns is None else columns
        if not set(MORE_COLUMNS) & set(wanted):
            return shard.read(self.path_of(entry), columns)
        rows = shard.read(self.path_of(entry))
        for name in MORE_COLUMNS:
            if name in wanted and name not in rows.column_names:
                rows = rows.append_column(name, pa.nulls(len(rows), pa.int64()))
        return rows.select(wanted)

    @cached_property
    def _read_whole(self) -> Callable[[Entry], pa.Table]:
        """Reads shards, and remembers some: one that holds many cells is asked for many times in a row."""
        largest = max((sum(piece.count for piece in entry.pieces) for entry in self.entries), default=1)
        size = max(1, min(_REMEMBERED, _REMEMBERED_ROWS // largest))
        return functools.lru_cache(maxsize=size)(lambda entry: self._read(entry, None))

    def path_of(self, entry: Entry) -> Path:
        """Where a shard lies."""
        return self.folder / SHARDS / entry.name

    # ---- SQL

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A duckdb connection with the view `runs`, which can read nothing else and write nothing at all."""
        import pyarrow.dataset as ds

        from gpruntime.study.sql import connect, connect_files

        paths = [str(self.path_of(entry)) for entry in self.entries]
        if not paths:
            return connect(self.schema.empty_table())
        if _PATTERN.search(str(self.folder)):  # duckdb would look for files that match the name
            return connect(ds.dataset(paths, schema=self.schema, format="parquet"))
        return connect_files(paths, differ=bool(set(MORE_COLUMNS) & set(self.schema.names)))

    def sql(self, query: str) -> pa.Table:
        """The answer to one SELECT over the table `runs`. Raises `BadInput` with duckdb's words."""
        with self.sql_reader(query) as reader:
            return reader.read_all()

    @contextlib.contextmanager
    def sql_reader(self, query: str) -> Iterator[pa.RecordBatchReader]:
        """The same, some rows at a time, for answers that are larger than the memory."""
        import duckdb
        import pyarrow as pa

        try:
            query.encode()
        except UnicodeEncodeError:
            raise BadInput("query", query, "is not UTF-8 text") from None
        connection = self.connect()
        try:
            statements = connection.extract_statements(query)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise BadInput("query", query, "must be one SELECT")
            yield connection.sql(query).to_arrow_reader(_BATCH)
        except (duckdb.Error, pa.ArrowException) as error:
            raise BadInput("query", query, str(error).splitlines()[0]) from None
        finally:
            connection.close()

    # ---- how far it has come

    def progress(self) -> list[CellProgress]:
        """How far each cell has come, in the order of the plan."""
        return cell_progress(self.folder, self.plan, self.entries)


def canonical(table: pa.Table) -> pa.Table:
    """The same table whatever shards it came from: one dictionary for a column, in order of the words."""
    import pyarrow as pa

    table = table.unify_dictionaries()
    columns = [_in_order(column) if pa.types.is_dictionary(column.type) else column for column in table.columns]
    return pa.Table.from_arrays(columns, schema=table.schema)


def _in_order(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import numpy as np
    import pyarrow as pa

    chunks = [chunk for chunk in column.chunks if len(chunk)]
    words = chunks[0].dictionary.to_pylist() if chunks else []
    used = {index for chunk in chunks for index in np.unique(chunk.indices.to_numpy()).tolist()}
    ordered = sorted(words[index] for index in used)
    place = np.array([ordered.index(word) if index in used else 0 for index, word in enumerate(words)], np.int32)
    dictionary = pa.array(ordered, pa.string())
    moved = [pa.DictionaryArray.from_arrays(place[chunk.indices.to_numpy()], dictionary) for chunk in chunks]
    return pa.chunked_array(moved, column.type)
