"""The report: one HTML page that needs nothing else, the same bytes for the same runs and provenance."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime.analysis.curves import Curve
from gpruntime.analysis.profiles import profile_of
from gpruntime.analysis.summary import Summary
from gpruntime.analysis.trajectories import courses, trajectories_of
from gpruntime.files import write_whole
from gpruntime.progress import Shown, simple_bar, telling
from gpruntime.show.drawing import FORMATS, Drawing, colours, csv_text
from gpruntime.show.figures import curve_figure, overview_figure
from gpruntime.show.page import Plate, environment, numbered, plate_of
from gpruntime.show.profiles import profile_figure
from gpruntime.show.repeat import commands, numbers
from gpruntime.show.tables import Table, answers, cells_table, comparison_table, ranking_table, shape_table
from gpruntime.show.times import chance_figure, operations_figure, times_figure
from gpruntime.show.versus import bounds_figure, comparison_figure, trajectories_figure

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

_MAX_INSIDE = 12
_MAX_CURVES = 30  # with more, a curve has the figures only that its law and its failures need
_TEMPLATE = "report.html.j2"


@dataclass(frozen=True)
class CurvePart:
    """What the page says of one curve."""

    curve: Curve
    cells: Table
    ranking: Table | None
    shape: Table | None
    caveats: list[str]
    plates: list[Plate]


def drawings(summary: Summary, runs: RunsLike | None = None) -> dict[str, list[Drawing]]:
    """All figures of a study, by part: "overview", "curve 1" and so on, "comparisons", "bounds",
    "inside", "profiles".
    """
    parts: dict[str, list[Drawing]] = {"overview": [overview_figure(summary)] if len(summary.curves) > 1 else []}
    for number, curve in enumerate(summary.curves, 1):
        part = parts[f"curve {number}"] = [curve_figure(curve)]
        if len(summary.curves) <= _MAX_CURVES:
            part.append(times_figure(curve))
        if any(not cell.complete for cell in curve.cells):
            part.append(chance_figure(curve))
        if len(summary.curves) <= _MAX_CURVES:
            part.append(operations_figure(curve))
    parts["comparisons"] = [comparison_figure(comparison) for comparison in summary.comparisons]
    checks = [[check for check in summary.bounds if check.curve is curve and check.ratios] for curve in summary.curves]
    parts["bounds"] = [bounds_figure(of_curve) for of_curve in checks if of_curve]
    inside = [] if runs is None else courses(runs)[-_MAX_INSIDE:]
    parts["inside"] = [trajectories_figure(trajectories_of(course)) for course in inside]
    parts["profiles"] = [profile_figure(profile_of(course, summary.level)) for course in inside]
    return _with_own_names(parts)


def _with_own_names(parts: dict[str, list[Drawing]]) -> dict[str, list[Drawing]]:
    """No two figures may have the same file name: what would be written second would replace the first."""
    taken: set[str] = set()

    def renamed(drawing: Drawing) -> Drawing:
        names = itertools.chain([drawing.name], (f"{drawing.name}-{number}" for number in itertools.count(2)))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        return dataclasses.replace(drawing, name=name)

    return {part: [renamed(drawing) for drawing in drawn] for part, drawn in parts.items()}


def write_figures(
    summary: Summary,
    folder: str | os.PathLike[str],
    runs: RunsLike | None = None,
    formats: Sequence[str] = FORMATS,
    parts: Mapping[str, list[Drawing]] | None = None,
    note: Callable[[], None] = lambda: None,
    medium: str | None = None,
) -> list[Path]:
    """Writes every figure in each format (SVG, PDF, PNG), with the CSV behind it, and the tables as CSV.

    With `parts`, figures that are drawn already. `note` is called for each figure. With a `medium` (acm, lncs, ieee)
    figures are as wide as a column there, without titles.
    """
    paper: dict[str, Any] = (
        {} if medium is None else {"width": "column", "medium": medium, "title": False, "font": "serif"}
    )
    parts = drawings(summary, runs) if parts is None else parts
    written = []
    for drawing in (drawing for part in parts.values() for drawing in part):
        written += drawing.save(folder, formats, **paper)
        note()
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, records in summary.to_records().items():
        written.append(write_whole(Path(folder) / f"{name}.csv", csv_text(records).encode("utf-8")))
    return written


def report_html(
    summary: Summary,
    runs: RunsLike | None = None,
    provenance: Mapping[str, Any] | None = None,
    parts: Mapping[str, list[Drawing]] | None = None,
    note: Callable[[], None] = lambda: None,
) -> str:
    """The page as text; with `parts`, figures that are drawn already. `note` is called for each figure."""
    parts = drawings(summary, runs) if parts is None else parts
    made = []
    for drawing in (drawing for part in parts.values() for drawing in part):
        made.append(plate_of(drawing))
        note()
    shown = iter(numbered(made))
    plates = {name: [next(shown) for _ in part] for name, part in parts.items()}
    curves = [
        CurvePart(
            curve,
            cells_table(curve),
            ranking_table(curve.fit) if curve.fit else None,
            shape_table(curve.fit) if curve.fit else None,
            curve.caveats(),
            plates[f"curve {number}"],
        )
        for number, curve in enumerate(summary.curves, 1)
    ]
    known = provenance or {}
    study = str(known["name"]) if {"name", "shards"} <= known.keys() else None  # it is `Study.account`
    tables = {name: csv_text(records) for name, records in summary.to_records().items() if records}
    return (
        environment("gpruntime.show")
        .get_template(_TEMPLATE)
        .render(
            summary=summary,
            curves=curves,
            matrix=answers(summary.curves),
            plates=plates,
            colours=colours([plate.svg for part in plates.values() for plate in part]),
            comparisons=[(comparison, comparison_table(comparison)) for comparison in summary.comparisons],
            tables=tables,
            repeat=[
                (cell, [numbers(address) for address in cell.addresses], commands(cell, study))
                for cell in summary.cells
            ],
            is_own=any(part.is_own for cell in summary.cells for part in cell.spec.parts),
            provenance=[(key, _shown(value)) for key, value in known.items()],
            title=known.get("name") or "Study",
        )
        + "\n"
    )


def write_report(
    summary: Summary,
    runs: RunsLike | None,
    provenance: Mapping[str, Any],
    path: str | os.PathLike[str],
    data_folder: str | os.PathLike[str] | None = None,
    progress: Shown = None,
    medium: str | None = None,
) -> Path:
    """Writes the page, and with `data_folder` all figures and tables as files too.

    Args:
        summary: what `gpruntime.analysis.summarise` found.
        runs: the table, for the course inside the runs; None leaves that part out.
        provenance: what is to stand under "Provenance", in this order; the only place a date can come from. The entry
            "name", if there is one, is the title.
        path: of the page.
        data_folder: where SVG, PDF, PNG and CSV files go.
        progress: called with the number of figures that are drawn, once for the page and once for files, and of all;
            True shows a bar.
        medium: for a paper, see `write_figures`.
    """
    parts = drawings(summary, runs)
    total = sum(len(part) for part in parts.values()) * (1 if data_folder is None else 2)
    drawn = itertools.count(1)

    with telling(progress, lambda: simple_bar("figures", asked=True)) as tell:

        def note() -> None:
            if tell is not None:
                tell(next(drawn), total)

        page = report_html(summary, runs, provenance, parts, note)
        if data_folder is not None:
            write_figures(summary, data_folder, parts=parts, note=note, medium=medium)
    return write_whole(Path(path), page.encode("utf-8", "backslashreplace"))


def _shown(value: object) -> str:
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
