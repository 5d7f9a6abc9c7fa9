"""The size of the tree over time: leaves after t evaluations, over runs.

A run that has ended counts with its last tree, so that every time speaks of the same runs; `going` says how many have
not. Times are a fixed sequence, four for each doubling: what is said of a time does not depend on how long runs take.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate, mean
from gpruntime.instruments.steps import check_steps, offspring_of, start_of
from gpruntime.model.errors import whole
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.model.spec_text import sentence

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.tables import Table

BAND = (0.1, 0.5, 0.9)
_DOUBLINGS = MAX_BUDGET.bit_length() - 1
TIMES = np.unique(np.round(2.0 ** np.arange(0, _DOUBLINGS, 0.25)).astype(np.int64))


@dataclass(frozen=True)
class Size:
    """One time.

    Attributes:
        evaluations: the time t.
        runs, going: how many runs there are, and how many of them have not ended.
        leaves: E[T] at that time.
        band: 10 %, 50 % and 90 % of T.
    """

    evaluations: int
    runs: int
    going: int
    leaves: Estimate
    band: tuple[float, ...]

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        return {
            "evaluations": self.evaluations,
            "runs": self.runs,
            "going": self.going,
            **self.leaves.columns("leaves"),
            **{f"leaves_quantile_{p:g}": value for p, value in zip(BAND, self.band, strict=True)},
        }


def size_over_time(spec: RunSpec, runs: int = 100, seed: int = 1) -> list[Size]:
    """Leaves at ever later times, until the last run has ended.

    Args:
        spec: the setting, of a (1+1) GP; a run that may not end needs a budget.
        runs, seed: the addresses of the runs.

    Raises:
        BadInput: a number is not allowed, or the setting has no steps of one tree.
    """
    whole("runs", runs, 2, 10**6)
    check_steps(spec)
    courses, ends = [], []
    for run in range(runs):
        course, end = _course(spec, seed, run)
        courses.append(course)
        ends.append(end)
    last = int(np.searchsorted(TIMES, max(ends))) + 1
    table = np.array([np.pad(course[:last], (0, max(last - len(course), 0)), mode="edge") for course in courses])
    ended = np.array(ends)
    return [
        Size(
            time,
            runs,
            int((ended > time).sum()),
            mean(column.astype(float)),
            tuple(np.quantile(column, BAND, method="inverted_cdf").tolist()),
        )
        for time, column in zip(TIMES[:last].tolist(), table.T, strict=True)
    ]


def _course(spec: RunSpec, seed: int, run: int) -> tuple[Any, int]:
    """The leaves of a run at the times until its end, and when that is."""
    _, leaves = start_of(spec, seed, run)
    pieces, done, end = [], 0, 1
    for some in offspring_of(spec, seed, run):
        end = int(some.evaluations[-1])
        until = int(np.searchsorted(TIMES, end, side="right"))
        place = np.searchsorted(some.evaluations, TIMES[done:until], side="right") - 1
        pieces.append(np.where(place >= 0, some.leaves_after[place], leaves))
        leaves, done = int(some.leaves_after[-1]), until
    return np.concatenate([*pieces, [leaves]]), end


def table(sizes: list[Size]) -> Table:
    """A row for each time."""
    from gpruntime.show.tables import Table, with_interval

    rows = (
        (f"{one.evaluations:,}", f"{one.going:,}", with_interval(one.leaves), *(f"{value:,.0f}" for value in one.band))
        for one in sizes
    )
    return Table(("evaluations", "runs going", "leaves", *(f"{share:.0%}" for share in BAND)), tuple(rows))


def figure(spec: RunSpec, sizes: list[Size]) -> Drawing:
    """The leaves over time."""
    from gpruntime.show.axes import log_times, new_figure, points, wrapped
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.style import look, styled

    at, how = [size.evaluations for size in sizes], look(0)
    with styled():
        drawn, (axes,) = new_figure(3.6)
        low, middle, high = zip(*(size.band for size in sizes), strict=True)
        axes.fill_between(at, low, high, color=how.colour, alpha=0.2, linewidth=0, label="10 % to 90 % of the runs")
        axes.plot(at, middle, color=how.colour, linewidth=1.0, linestyle="--", label="median")
        points(axes, at, [size.leaves for size in sizes], how, "mean", markersize=3)
        log_times(axes)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("evaluations")
        axes.set_ylabel("leaves")
        axes.set_title(wrapped(f"Size over time: {sentence(spec)}, n = {spec.n:,}"))
        axes.legend()
    runs = formatting.plural(sizes[0].runs if sizes else 0, "run")
    caption = f"Means with 95 % intervals over {runs}; a run that has ended counts with its last tree."
    return Drawing("size", drawn, caption, [size.to_record() for size in sizes])
