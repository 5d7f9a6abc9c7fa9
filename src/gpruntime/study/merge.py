"""Folders of the same plan, run on different machines, joined into one.

Shards are copied as they are. Where two hold the same run they must agree on it (it is the same run, so they do,
unless something is wrong), and it is taken once. What was added up cannot be taken apart: a summary of which the other
folder has some runs and not others is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gpruntime.files import whole_folder
from gpruntime.model.errors import BadInput
from gpruntime.model.row import NOT_REPEATABLE
from gpruntime.study import provenance, summaries
from gpruntime.study.ledger import Entry
from gpruntime.study.plan import Plan
from gpruntime.study.shard import Piece, encode, gaps
from gpruntime.study.store import Store
from gpruntime.study.study import Study, canonical

if TYPE_CHECKING:
    import pyarrow as pa


def merge(folders: list[Path], output: Path, notice: Callable[[str], None] = lambda _: None) -> Study:
    """Joins studies into a new folder, which appears when it is whole. Raises `BadInput` if they do not fit."""
    if output.exists():
        raise BadInput("output", str(output), "exists already; give another name")
    studies = [Study.load(folder) for folder in folders]
    plan = _common_plan(studies)
    with whole_folder(output) as half:
        store = Store.create(half, plan)
        for study in studies:
            _add(store, study)
            for record in study.provenance:
                provenance.note(half, {**record, "folder": str(study.folder)})
    merged = Study.load(output)
    notice(f"{len(merged):,} runs of {len(studies)} folders in {output}")
    return merged


def _common_plan(studies: list[Study]) -> Plan:
    """The plan that all others are part of."""
    for study in studies:
        if not any(study.plan.contradictions(other.plan) for other in studies):
            return study.plan
    largest = max((study.plan for study in studies), key=lambda plan: plan.most_runs())
    other, why = next((s, d[0]) for s in studies if (d := largest.contradictions(s.plan)))
    raise BadInput("folder", str(other.folder), f"its plan does not fit the others': {why}")


def _add(store: Store, study: Study) -> None:
    done = {cell: [piece.span for piece in pieces] for cell, pieces in store.done().items()}
    for entry in study.entries:
        _check_same_data(store, study, entry)
        new = [
            Piece(piece.cell, first, end - first)
            for piece in entry.pieces
            for first, end in gaps(piece.span, done.get(piece.cell, []))
        ]
        if tuple(new) == entry.pieces:
            store.add(new, study.path_of(entry).read_bytes(), entry.data, entry.sources)
            continue
        if study.plan.summarised:
            _check_same_sums(store, study, entry)
            continue
        _check_equal(store, study, entry)
        if new:
            store.add(new, encode(study.rows(entry, new), new, store.plan.seed), _data_of(entry, new), entry.sources)


def _data_of(entry: Entry, pieces: list[Piece]) -> list[tuple[str, str]]:
    cells = {piece.cell for piece in pieces}
    return [(cell, digest) for cell, digest in entry.data if cell in cells]


def _check_same_data(store: Store, study: Study, entry: Entry) -> None:
    """Raises if a problem had other data in another folder: then its runs are not of one problem."""
    for cell, digest in entry.data:
        if store.ledger.data.get(cell, digest) != digest:
            allowed = f"its runs of {store.plan.by_id[cell].words()} were made with other data than another folder's"
            raise BadInput("folder", str(study.folder), allowed)


def _check_same_sums(store: Store, study: Study, entry: Entry) -> None:
    """Raises unless all runs of a summary are stored already, and add up to the same."""
    for piece, theirs in summaries.read(study.folder, entry, study.plan):
        within = [
            summary
            for other in store.ledger.entries.values()
            if any(there.is_within(piece) for there in other.pieces)
            for there, summary in summaries.read(store.folder, other, store.plan)
            if there.is_within(piece)
        ]
        ours = summaries.joined(within, store.plan.extremes)
        if ours is None or ours.runs != piece.count:
            allowed = f"its runs {piece.words()} are added up, and another folder has some of them and not others"
            raise BadInput("folder", str(study.folder), allowed)
        if not summaries.are_equal(ours, theirs):
            raise BadInput("folder", str(study.folder), f"its runs {piece.words()} differ from another folder's")


def _check_equal(store: Store, study: Study, entry: Entry) -> None:
    """Raises unless the runs that are stored already are the same as the shard's."""
    stored = Study(store.folder, store.plan, list(store.ledger.entries.values()), [])
    cells = {piece.cell for piece in entry.pieces}
    kept = [(other, piece) for other in stored.entries for piece in other.pieces if piece.cell in cells]
    for piece in entry.pieces:
        for other, there in kept:
            first, end = max(piece.first, there.first), min(piece.end, there.end)
            if there.cell == piece.cell and first < end:
                both = Piece(piece.cell, first, end - first)
                _compare(study.rows(entry, [both]), stored.rows(other, [both]), study.folder)


def _compare(theirs: pa.Table, ours: pa.Table, folder: Path) -> None:
    theirs, ours = (canonical(rows.drop_columns(list(NOT_REPEATABLE))) for rows in (theirs, ours))
    if not theirs.equals(ours):
        pairs = zip(theirs.to_pylist(), ours.to_pylist(), strict=True)
        run = next(row for row, other in pairs if row != other)
        raise BadInput("folder", str(folder), f"its run {run['cell']}:{run['run']} differs from another folder's")
