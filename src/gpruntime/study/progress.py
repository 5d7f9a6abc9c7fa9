"""How far the cells of a study have come: from its shards to tallies and targets.

The target of a cell with a goal is found by looking again as the study itself looked: after 32, 40, 50, … of its
first runs. What is stored beyond the last look has no part in it, so an interruption changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpruntime.files import SHARDS
from gpruntime.study import shard, summaries
from gpruntime.study.cell import Cell
from gpruntime.study.goal import Goal, Tally
from gpruntime.study.ledger import Entry
from gpruntime.study.plan import Plan
from gpruntime.study.shard import Piece, Span, gaps

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CellProgress(NamedTuple):
    """How far a cell has come.

    Attributes:
        tally: of the runs that are stored.
        target: how many there are to be, as far as its goal is known.
        complete: whether all those are there.
    """

    cell: Cell
    tally: Tally
    target: int
    complete: bool


class _Times(NamedTuple):
    """Consecutive runs: their evaluations, and which reached the optimum."""

    first: int
    evaluations: NDArray[np.int64]
    optimal: NDArray[np.bool_]


def cell_progress(folder: Path, plan: Plan, entries: Iterable[Entry]) -> list[CellProgress]:
    """How far each cell has come, in the order of the plan."""
    tallies = {cell.id: Tally() for cell in plan.cells}
    stored: dict[str, list[Span]] = {cell.id: [] for cell in plan.cells}
    kept: dict[str, list[_Times]] = {cell.id: [] for cell in plan.cells if isinstance(cell.rule, Goal)}
    sums: dict[str, dict[Span, Tally]] = {cell.id: {} for cell in plan.cells}
    for entry in entries:
        if plan.summarised:
            for piece, found in summaries.read(folder, entry, plan):
                tallies[piece.cell].add(summaries.tally_of(found))
                sums[piece.cell][piece.first, piece.end] = summaries.tally_of(found)
        else:
            for piece, times in _read(folder / SHARDS / entry.name, entry):
                tallies[piece.cell].add(Tally.of(times.evaluations, times.optimal))
                if piece.cell in kept:
                    kept[piece.cell].append(times)
        for piece in entry.pieces:
            stored[piece.cell].append((piece.first, piece.end))
    targets = {
        cell.id: _target(cell, _in_sums(sums[cell.id]) if plan.summarised else _in_rows(kept.get(cell.id, [])))
        for cell in plan.cells
    }
    return [
        CellProgress(cell, tallies[cell.id], targets[cell.id], not gaps((0, targets[cell.id]), stored[cell.id]))
        for cell in plan.cells
    ]


def _target(cell: Cell, of_first: Callable[[int], Tally | None]) -> int:
    """Looks at the goal again and again, as far as the tally of so many first runs is known."""
    target = cell.rule.first_target()
    while (tally := of_first(target)) is not None:
        wanted = cell.rule.next_target(tally)
        if wanted == target:
            break
        target = wanted
    return target


def _in_sums(parts: dict[Span, Tally]) -> Callable[[int], Tally | None]:
    """Of parts that were added up: every look ends one."""
    known, so_far = {}, Tally()
    for (first, end), tally in sorted(parts.items()):
        if first == so_far.runs:
            so_far.add(tally)
            known[end] = dataclasses.replace(so_far)
    return known.get


def _in_rows(kept: list[_Times]) -> Callable[[int], Tally | None]:
    there, evaluations, optimal = 0, np.zeros(0, np.int64), np.zeros(0, bool)
    for times in sorted(kept, key=lambda times: times.first):
        if times.first == there:
            evaluations = np.concatenate((evaluations, times.evaluations))
            optimal = np.concatenate((optimal, times.optimal))
            there = len(evaluations)
    return lambda runs: Tally.of(evaluations[:runs], optimal[:runs]) if runs <= there else None


def _read(path: Path, entry: Entry) -> Iterator[tuple[Piece, _Times]]:
    import pyarrow.compute as pc

    table = shard.read(path, ["outcome", "evaluations"])
    optimal = pc.equal(table["outcome"].cast("string"), "optimum").to_numpy(zero_copy_only=False)
    evaluations = table["evaluations"].to_numpy()
    at = 0
    for piece in entry.pieces:
        rows = slice(at, at + piece.count)
        yield piece, _Times(piece.first, evaluations[rows], optimal[rows])
        at += piece.count
