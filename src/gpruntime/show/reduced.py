"""What summaries say besides: quantiles far into the tail, and the extreme runs, each with the words that repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import PROBABILITIES, CellEstimate
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.summary import Summary
from gpruntime.model.printable import printable
from gpruntime.show.tables import Table, with_interval
from gpruntime.show.terminal import WIDTH, table_lines

if TYPE_CHECKING:
    from gpruntime.gpu import RunsSummary

_SHOWN = 3  # of the longest, and of the shortest
_LEAST_BEYOND = 10  # runs, for a quantile in the tail to be shown


def extremes_text(summary: Summary, summaries: Mapping[str, RunsSummary], width: int = WIDTH) -> str:
    """Quantiles and extreme runs of each curve, as plain text."""
    lines = ["Quantiles of the time are known to the width of a bin: below 128 exactly, then to 1/64 of the time."]
    if any(found.unbinned for found in summaries.values()):
        lines.append(
            "An earlier version stored some of these summaries, with times from 2⁵³ on only as a sum: a quantile among "
            "those is only known to be above a number."
        )
    for curve in summary.curves:
        lines += [
            "",
            curve.name,
            *table_lines(_quantiles(curve), width),
            *table_lines(_extremes(curve, summaries), width),
        ]
    return "\n".join(printable(line) for line in lines)


def extremes_record(found: RunsSummary) -> dict[str, Any]:
    """The extreme runs for JSON: pairs of evaluations and run."""
    return {"largest": found.largest, "smallest": found.smallest}


def replay_words(found: RunsSummary) -> str | None:
    """The longest run as CELL:RUN; None if none is kept."""
    return f"{found.spec.cell_id[:8]}:{found.largest[0][1]}" if found.largest else None


def _quantiles(curve: Curve) -> Table:
    tail = [
        probability
        for probability in curve.cells[0].quantiles
        if probability in PROBABILITIES or any((1 - probability) * cell.runs >= _LEAST_BEYOND for cell in curve.cells)
    ]
    rows = tuple((f"{cell.n:,}", *(_told(cell, probability) for probability in tail)) for cell in curve.cells)
    return Table(("n", *(f"{100 * probability:.6g} %" for probability in tail)), rows)


def _told(cell: CellEstimate, probability: float) -> str:
    known = probability in PROBABILITIES or (1 - probability) * cell.runs >= _LEAST_BEYOND
    return with_interval(cell.quantiles[probability]) if known else ""


def _extremes(curve: Curve, summaries: Mapping[str, RunsSummary]) -> Table:
    rows = []
    for cell in curve.cells:
        found = summaries[cell.spec.cell_id]
        kept = (found.largest[:_SHOWN], found.smallest[:_SHOWN])
        rows.append((f"{cell.n:,}", cell.spec.cell_id[:8], *(_runs(runs) for runs in kept)))
    return Table(("n", "cell", "longest: evaluations (run)", "shortest: evaluations (run)"), tuple(rows))


def _runs(runs: list[tuple[int, int]]) -> str:
    return ", ".join(f"{formatting.number(time, digits=18)} ({run})" for time, run in runs) or "–"
