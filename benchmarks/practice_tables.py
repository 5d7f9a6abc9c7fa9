"""What the results of `./run bench practice` say: tables, for a terminal and for a page, and the figure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

from benchmarks.practice_results import BUDGET, THEIRS, Arm, Results
from gpruntime import RunSpec
from gpruntime.analysis.estimates import LEVEL, Estimate, proportion, ratio_of_sums
from gpruntime.analysis.formatting import Above, number
from gpruntime.analysis.runs import BUDGET as STOPPED
from gpruntime.analysis.runs import OPTIMUM, RowTimes
from gpruntime.analysis.times import time_quantile
from gpruntime.show.axes import log_times
from gpruntime.show.drawing import Drawing, colours, for_page
from gpruntime.show.style import WIDTH, look, styled

_ASKED = RunSpec(problem="parity", algorithm="gp-single", n=4, budget=BUDGET)  # any: only its budget is asked for
_POINTS = 50  # of a curve
_FEWEST = 100  # evaluations that the figure begins with


class Sheet(NamedTuple):
    """A table: a row for each problem, a column for each side."""

    title: str
    head: list[str]
    rows: list[list[str]]

    def show(self) -> None:
        """Prints it."""
        table = Table(title=self.title)
        for place, name in enumerate(self.head):
            table.add_column(name, justify="right" if place else "left")
        for row in self.rows:
            table.add_row(*row)
        Console(width=118).print(table)

    def markdown(self) -> str:
        """As a page has it."""
        lines = [self.head, ["---", *["---:"] * (len(self.head) - 1)], *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def sheets(results: Results) -> list[Sheet]:
    """All tables."""
    level = f"{100 * LEVEL:g} % intervals"
    runs = {name: f"{name}: {len(arm.leaves)} runs" for name, arm in next(iter(results.values())).items()}
    first = _sheet(f"P(optimum within {BUDGET:,} evaluations), {level}", results, lambda arm, _: _share(solved(arm)))
    return [
        first._replace(head=[runs.get(name, name) for name in first.head]),
        _sheet(
            f"P(optimum) less DEAP's, {level}", results, lambda arm, deap: _share(difference(arm, deap)), theirs=False
        ),
        _sheet(f"evaluations, the median of all runs, {level}", results, lambda arm, _: _time(median_time(arm))),
        _sheet("processor seconds a run, and µs an evaluation", results, lambda arm, _: _seconds(arm)),
        _sheet(f"seconds to a success, failed runs included, {level}", results, lambda arm, _: _success(arm)),
        _sheet("leaves of the best tree: median, quartiles", results, lambda arm, _: _quartiles(arm.leaves)),
        _sheet(
            "fitness of the best tree, the median; 0 is the optimum",
            results,
            lambda arm, _: number(float(np.median(arm.fitness)), digits=3),
        ),
    ]


def with_tables(page: str, tables: list[Sheet]) -> str:
    """A page with these tables in place of those it has, one after the other."""
    waiting = iter(tables)
    return re.sub(r"^\| problem .*\n(?:\|.*\n)+", lambda _: next(waiting).markdown() + "\n", page, flags=re.MULTILINE)


def _sheet(title: str, results: Results, cell: Callable[[Arm, Arm], str], theirs: bool = True) -> Sheet:
    sides = [name for name in next(iter(results.values())) if theirs or name != THEIRS]
    rows = [[problem, *(cell(arms[name], arms[THEIRS]) for name in sides)] for problem, arms in results.items()]
    return Sheet(title, ["problem", *sides], rows)


# ---- the numbers


def solved(arm: Arm, by: float = math.inf) -> Estimate:
    """P(optimum), and within so many evaluations."""
    found = sum(fitness == 0 and time <= by for fitness, time in zip(arm.fitness, arm.evaluations, strict=True))
    return proportion(found, len(arm.fitness))


def difference(arm: Arm, other: Arm) -> Estimate:
    """P(optimum) of one less that of the other; Newcombe's interval, from the two of Wilson (1998, method 10)."""
    (p, low, high), (q, other_low, other_high) = map(_wilson, (arm, other))
    below, above = math.hypot(p - low, other_high - q), math.hypot(high - p, q - other_low)
    return Estimate(p - q, p - q - below, p - q + above, LEVEL, "Newcombe")


def _wilson(arm: Arm) -> tuple[float, float, float]:
    found = stats.binomtest(arm.fitness.count(0), len(arm.fitness))
    return found.statistic, *found.proportion_ci(LEVEL, "wilson")


def median_time(arm: Arm) -> Estimate:
    """Of all runs; above the budget where that is all one knows."""
    outcome = np.where(np.array(arm.fitness) == 0, OPTIMUM, STOPPED)
    return time_quantile(RowTimes(_ASKED, outcome, np.array(arm.evaluations)))


def seconds_to_success(arm: Arm) -> Estimate:
    """Of runs one after the other until one finds the optimum; the time of an evaluation is taken as known."""
    solved_ = np.array(arm.fitness) == 0
    found = ratio_of_sums(np.array(arm.evaluations, float), solved_.astype(float))
    value, low, high = (_step(arm) * e if e is not None else None for e in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def _step(arm: Arm) -> float:
    """Seconds of an evaluation, with all that belongs to it."""
    return arm.seconds / sum(arm.evaluations)


def _share(estimate: Estimate) -> str:
    value, low, high = (f"{part:.2f}".replace("-", "−") for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]"


def _time(estimate: Estimate) -> str:
    known = not isinstance(estimate.value, Above) or not isinstance(estimate.low, Above)
    return f"{estimate.short()} {estimate.bracket() if known else ''}".strip()


def _success(arm: Arm) -> str:
    found = seconds_to_success(arm)
    if found.value is None:
        return f"none in {number(arm.seconds, digits=2)}"
    value, low, high = (number(part, digits=2) for part in (found.value, found.low, found.high))
    return f"{value} [{low}, {high}]"


def _seconds(arm: Arm) -> str:
    return f"{number(arm.seconds / len(arm.leaves), digits=2)}, {number(1e6 * _step(arm), digits=2)}"


def _quartiles(values: list[int]) -> str:
    lower, middle, upper = (number(float(value), digits=3) for value in np.quantile(values, (0.25, 0.5, 0.75)))
    return f"{middle} ({lower} to {upper})"


# ---- the figure


def draw(results: Results) -> str:
    """The share of runs that have found the optimum, over evaluations: a panel a problem, as an SVG file.

    Its colours are others where the reader's screen is dark, as in our reports.
    """
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(WIDTH, 8.4), layout="constrained")
        panels = figure.subplots(math.ceil(len(results) / 2), 2, sharex=True, sharey=True, squeeze=False)
        times = np.unique(np.geomspace(_FEWEST, BUDGET, _POINTS).round())
        for axes, (problem, arms) in zip(panels.flat, results.items(), strict=False):
            for place, (name, arm) in enumerate(arms.items()):
                _curve(axes, times, arm, place, name)
            axes.set_title(problem)
        for axes in panels[:, 0]:
            axes.set_ylabel("share of runs")
        for axes in panels[-1]:
            axes.set_xlabel("evaluations")
            log_times(axes)
            axes.minorticks_off()
        panels[0, 0].set_ylim(-0.02, 1.02)
        figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
        drawn = Drawing("practice", figure, "", [])
        return _file(for_page(drawn.to_bytes("svg").decode("utf-8"), "practice"))


def _curve(axes: Any, times: Any, arm: Arm, place: int, name: str) -> None:
    how = look(place)
    shares = [solved(arm, time) for time in times]
    axes.plot(times, [share.value for share in shares], color=how.colour, linestyle=how.line, label=name)
    ends = [share.low for share in shares], [share.high for share in shares]
    axes.fill_between(times, *ends, color=how.colour, alpha=0.13, linewidth=0)


def _file(element: str) -> str:
    """An element of a page as a file that stands by itself."""
    title = "<title>The share of runs that have found the optimum, over evaluations, for each problem</title>"
    element = re.sub(r"<title>.*?</title>", f"{title}<style>{colours([element])}</style>", element, count=1)
    return element.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" role="img"', 1) + "\n"
