"""`gpruntime atlas`: grid → study → entries → files → page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from gpruntime.analysis.cells import CellEstimate, estimate_cell
from gpruntime.atlas.entry import Entry, entry_of
from gpruntime.atlas.exact import solve_all
from gpruntime.atlas.grid import Scale, Setting, settings_of
from gpruntime.atlas.page import page_html
from gpruntime.files import write_whole
from gpruntime.paper.claim import Request
from gpruntime.paper.evidence import seen_runs
from gpruntime.paper.frame import Executed, execute_over
from gpruntime.show.drawing import csv_text
from gpruntime.study import Study, provenance
from gpruntime.study.execute import Listener

PAGE, ENTRIES, CELLS = "atlas.html", "atlas.csv", "cells.csv"


def execute(
    scale: Scale,
    seed: int,
    folder: Path,
    *,
    only: Sequence[str] = (),
    known: Collection[str] = (),
    workers: int | None = None,
    listener: Listener | None = None,
    counted: Callable[[int, int], None] | None = None,
) -> Executed[Entry]:
    """Runs the standard study, or its part on some problems, and writes the page with its data beside it.

    Entries with an id in `known` are left out. `workers` is as for `run_study`; `counted` is called with the number of
    entries that are done, and of all.

    Raises:
        BadInput: a problem is unknown, or the folder holds a study with another seed.
    """
    settings = [setting for setting in settings_of(scale, only) if setting.specs[0].cell_id not in known]

    def look(studies: list[Study]) -> Iterator[Entry]:
        for setting, values in zip(settings, solve_all(settings, scale, folder), strict=True):
            yield entry_of(_cells(setting, studies, seed), values)

    return execute_over(
        (Request(spec, setting.runs) for setting in settings for spec in setting.specs),
        seed,
        folder,
        look,
        lambda entries: _write(entries, scale, seed, folder),
        len(settings),
        workers=workers,
        listener=listener,
        counted=counted,
    )


def _write(entries: Sequence[Entry], scale: Scale, seed: int, folder: Path) -> Path:
    """The page, and its numbers beside it."""
    write_whole(folder / ENTRIES, csv_text([entry.record() for entry in entries]).encode("utf-8"))
    cells = [{"entry": entry.id, **cell.to_record()} for entry in entries for cell in entry.curve.cells]
    write_whole(folder / CELLS, csv_text(cells).encode("utf-8"))
    page = page_html(entries, scale, seed, provenance.for_a_page())
    return write_whole(folder / PAGE, page.encode("utf-8"))


def _cells(setting: Setting, studies: Sequence[Study], seed: int) -> list[CellEstimate]:
    runs = seen_runs([Request(spec, setting.runs) for spec in setting.specs], studies, seed)
    return [estimate_cell(cell) for cell in runs.values()]
