"""How far the cells of a study have come: from its shards to tallies and targets.

The target of a cell with a goal is found by looking again as the study itself looked: after 32, 40, 50, … of its
first runs. What is stored beyond the last look has no part in it, so an interruption changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpruntime.files import SHARDS
from gpruntime.study import shard, summaries
from gpruntime.study.cell import Cell, Goal, Tally
from gpruntime.study.ledger import Entry
from gpruntime.study.plan import Plan
from gpruntime.study.shard import Span, Times, gaps


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


def cell_progress(folder: Path, plan: Plan, entries: Iterable[Entry]) -> list[CellProgress]:
    """How far each cell has come, in the order of the plan."""
    tallies = {cell.id: Tally() for cell in plan.cells}
    stored: dict[str, list[Span]] = {cell.id: [] for cell in plan.cells}
    kept: dict[str, dict[int, Times]] = {cell.id: {} for cell in plan.cells if isinstance(cell.rule, Goal)}
    sums: dict[str, dict[Span, Tally]] = {cell.id: {} for cell in plan.cells}
    for entry in entries:
        if plan.summarised:
            for piece, summary in summaries.read(folder, entry, plan):
                tallies[piece.cell].add(summaries.tally_of(summary))
                sums[piece.cell][piece.span] = summaries.tally_of(summary)
        else:
            table = shard.read(folder / SHARDS / entry.name, ["outcome", "evaluations"])
            for piece, times in shard.times_of(table, entry.pieces):
                tallies[piece.cell].add(Tally.of(*times))
                if piece.cell in kept:
                    kept[piece.cell].setdefault(piece.first, times)
        for piece in entry.pieces:
            stored[piece.cell].append(piece.span)
    targets = {
        cell.id: _target(cell, _in_sums(sums[cell.id]) if plan.summarised else _in_rows(kept.get(cell.id, {})))
        for cell in plan.cells
    }
    return [
        CellProgress(cell, tallies[cell.id], targets[cell.id], not gaps((0, targets[cell.id]), stored[cell.id]))
        for cell in plan.cells
    ]


def _target(cell: Cell, of_first: Callable[[int], Tally | None]) -> int:
    """Looks at the goal again and again, as far as the tally of this many first runs is known."""
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


def _in_rows(kept: dict[int, Times]) -> Callable[[int], Tally | None]:
    """Of rows, by their first run: as far as there is none missing."""
    runs, evaluations, optimal = 0, [np.zeros(0, np.int64)], [np.zeros(0, bool)]
    for first, (some_evaluations, some_optimal) in sorted(kept.items(), key=lambda item: item[0]):
        if first == runs:
            evaluations.append(some_evaluations)
            optimal.append(some_optimal)
            runs += len(some_evaluations)
    times = np.concatenate(evaluations), np.concatenate(optimal)
    return lambda first: Tally.of(times[0][:first], times[1][:first]) if first <= runs else None
