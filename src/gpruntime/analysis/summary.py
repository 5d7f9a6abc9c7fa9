"""Everything a study says, in one object: runs in, answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpruntime.analysis import formatting
from gpruntime.analysis.bounds import BoundCheck, check_bounds
from gpruntime.analysis.cells import CellEstimate, estimate_cell
from gpruntime.analysis.compare import MAX_COMPARISONS, Comparison, compare_curves
from gpruntime.analysis.curves import Curve, curves_of
from gpruntime.analysis.estimates import LEVEL, checked_level
from gpruntime.analysis.growth import LAWS, Law
from gpruntime.analysis.plotting import Result, latex, summary_html, text
from gpruntime.analysis.runs import CellRuns, SummaryTimes
from gpruntime.analysis.sources import study_of
from gpruntime.analysis.table import RunTable
from gpruntime.model.errors import whole
from gpruntime.model.spec import RunSpec

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

EMPTY = "No runs yet: there is nothing to estimate."


@dataclass(frozen=True)
class Summary(Result):
    """What the runs say.

    Attributes:
        level: the confidence of all intervals.
        cells: every cell with its estimates.
        curves: settings over n, with their laws.
        comparisons: pairs of curves that differ in one setting.
        bounds: the theory's bounds that apply, held against the curves.
        not_compared: how many more such pairs there are.
    """

    level: float
    cells: tuple[CellEstimate, ...]
    curves: tuple[Curve, ...]
    comparisons: tuple[Comparison, ...]
    bounds: tuple[BoundCheck, ...]
    not_compared: int = 0

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(cell.runs for cell in self.cells)

    def headline(self) -> str:
        """How much there is, and how it ended, in one sentence."""
        if not self.cells:
            return EMPTY
        ends = [
            f"{sum(getattr(cell, name) for cell in self.cells):,} {text}"
            for name, text in (
                ("optimum", "reached the optimum"),
                ("stuck", "stuck for ever"),
                ("budget", "stopped by the budget"),
            )
            if any(getattr(cell, name) for cell in self.cells)
        ]
        runs, cells = formatting.plural(self.runs, "run"), formatting.plural(len(self.cells), "cell")
        return f"{runs} in {cells}: {', '.join(ends)}."

    def sentences(self) -> list[str]:
        """The answers in words: a line for each curve, comparison and bound, the most important first."""
        lines = [self.headline()]
        lines += [f"{curve.name}: {curve.headline()}" for curve in self.curves]
        lines += [f"{comparison.name}: {comparison.answer()}" for comparison in self.comparisons]
        if self.not_compared:
            lines.append(self.left_out())
        lines += [f"{check.name}: {check.verdict()}." for check in self.bounds]
        return lines

    def left_out(self) -> str:
        """How many pairs of curves were not compared, and how to compare them."""
        every = len(self.comparisons) + self.not_compared
        return (
            f"Not compared: {formatting.plural(self.not_compared, 'more pair')} of curves that differ in one setting "
            f"(in Python, summarise(…, comparisons={every}) compares all)."
        )

    def open_questions(self) -> list[str]:
        """What the theory does not say about the curves at hand."""
        specs = {(curve.spec.problem.id, curve.spec.algorithm.id): curve.spec for curve in self.curves}
        return [
            f"{spec.algorithm.name} on {spec.problem.name}: {spec.problem.open_questions[spec.algorithm.id]}"
            for spec in specs.values()
            if spec.algorithm.id in spec.problem.open_questions
        ]

    def to_records(self) -> dict[str, list[dict[str, Any]]]:
        """All numbers, as tables: cells, laws, comparisons, bounds."""
        return {
            "cells": [cell.to_record() for cell in self.cells],
            "laws": [record for curve in self.curves for record in curve.to_records()],
            "comparisons": [record for comparison in self.comparisons for record in comparison.to_records()],
            "bounds": [record for check in self.bounds for record in check.to_records()],
        }

    def __repr__(self) -> str:
        parts = [formatting.plural(len(self.curves), "curve"), formatting.plural(len(self.comparisons), "comparison")]
        parts.append(formatting.plural(len(self.bounds), "check") + " of a bound")
        return (
            f"<Summary: {self.headline()}\n {formatting.listing(parts)}\n"
            " .sentences(): the answers; .text(): all tables and laws, to be printed; .plot(); .to_records();\n"
            " .curves, .cells, .comparisons, .bounds: one by one>"
        )

    def text(self) -> str:
        """The whole of it as text, tables included: what `gpruntime study show` prints."""
        return text(self)

    def to_latex(self) -> str:
        """Its tables for a paper, by booktabs, with the numbers of the report (`gpruntime.show.latex_tables`)."""
        return latex(self)

    def _repr_html_(self) -> str:
        return summary_html(self)


def summarise(
    runs: RunsLike,
    *,
    level: float = LEVEL,
    laws: Mapping[str, Law] = LAWS,
    comparisons: int = MAX_COMPARISONS,
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
    """All estimates, laws, comparisons and bounds of a table of runs.

    Args:
        runs: `Columns`, a `Study`, a pyarrow table, a pandas data frame, the path of a study's folder or of Parquet
            files, or a list of such; also a duckdb relation, or a connection with a view `runs`. Of a study that stores
            summaries, there is all but comparisons.
        level: the confidence of the intervals.
        laws: the growth laws that compete.
        comparisons: how many pairs of curves are compared at most.
        progress: called with the number of runs that have been estimated, and of all.

    Raises:
        BadInput: there are no runs to be read, a run stands there twice, or a number is not allowed.
    """
    checked_level(level)
    whole("comparisons", comparisons, 0)
    study = study_of(runs)
    if study is not None and study.plan.summarised:
        cells = [estimate_cell(SummaryTimes(runs.spec, runs), level) for runs in study.summaries.values()]
        curves = tuple(curves_of(cells, level, laws))
        return Summary(level, tuple(cells), curves, (), check_bounds(curves, level))
    table = RunTable(runs if study is None else study)
    total = table.rows("SELECT count(*) FROM runs")[0][0]
    cells = []
    kept: dict[RunSpec, CellRuns] = {}
    done = 0
    for cell_runs in table.cells():
        cells.append(estimate_cell(cell_runs, level))
        kept[cell_runs.spec] = cell_runs
        done += len(cell_runs)
        if progress is not None:
            progress(done, total)
    curves = tuple(curves_of(cells, level, laws))
    compared, left_out = compare_curves(curves, kept, level, comparisons)
    return Summary(level, tuple(cells), curves, compared, check_bounds(curves, level), left_out)
