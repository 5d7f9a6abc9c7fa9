"""`gpruntime atlas`: grid → study → entries → files → page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpruntime.analysis.cells import CellEstimate, estimate_cell
from gpruntime.atlas.entry import Entry, entry_of
from gpruntime.atlas.exact import solve_all
from gpruntime.atlas.grid import Scale, Setting, settings_of
from gpruntime.atlas.page import page_html
from gpruntime.files import write_whole
from gpruntime.paper.claim import Asked
from gpruntime.paper.evidence import seen_runs
from gpruntime.paper.studies import make_runs
from gpruntime.show.drawing import csv_text
from gpruntime.study import Study, provenance
from gpruntime.study.execute import Listener

PAGE, ENTRIES, CELLS = "atlas.html", "atlas.csv", "cells.csv"


@dataclass(frozen=True)
class Executed:
    """How `execute` ended.

    Attributes:
        entries: the atlas; empty if it was interrupted.
        interrupted: whether Ctrl-C ended the runs.
        stored: runs that are stored.
        failures: cells that were given up, in words.
        page: its file.
    """

    entries: list[Entry] = field(default_factory=list)
    interrupted: bool = False
    stored: int = 0
    failures: tuple[str, ...] = ()
    page: Path | None = None


def execute(
    scale: Scale,
    seed: int,
    folder: Path,
    *,
    only: Sequence[str] = (),
    workers: int | None = None,
    listener: Listener | None = None,
    estimated: Callable[[int, int], None] | None = None,
) -> Executed:
    """Runs the standard study, or its part on some problems, and writes the page with its data beside it.

    `workers` is as for `run_study`; `estimated` is called with the number of entries that are done, and of all.

    Raises:
        BadInput: a problem is unknown, or the folder holds a study with another seed.
    """
    settings = settings_of(scale, only)
    asked = [Asked(spec, setting.runs) for setting in settings for spec in setting.specs]
    made = make_runs(asked, seed, folder, workers=workers, listener=listener)
    if made.interrupted or made.failures:
        return Executed(interrupted=made.interrupted, stored=made.stored, failures=made.failures)
    exact = solve_all(settings, scale, folder)
    entries = []
    for setting, values in zip(settings, exact, strict=True):
        entries.append(entry_of(_cells(setting, made.studies, seed), values))
        if estimated is not None:
            estimated(len(entries), len(settings))
    write_whole(folder / ENTRIES, csv_text([entry.record() for entry in entries]).encode("utf-8"))
    cells = [{"entry": entry.id, **cell.to_record()} for entry in entries for cell in entry.curve.cells]
    write_whole(folder / CELLS, csv_text(cells).encode("utf-8"))
    here = provenance.circumstances()
    kept = {name: here[name] for name in ("gpruntime", "sources", "python", "numpy", "numba", "platform", "cores")}
    page = page_html(entries, scale, seed, {"written": provenance.now(), **kept})
    return Executed(entries, stored=made.stored, page=write_whole(folder / PAGE, page.encode("utf-8")))


def _cells(setting: Setting, studies: Sequence[Study], seed: int) -> list[CellEstimate]:
    runs = seen_runs([Asked(spec, setting.runs) for spec in setting.specs], studies, seed)
    return [estimate_cell(one) for one in runs.values()]
