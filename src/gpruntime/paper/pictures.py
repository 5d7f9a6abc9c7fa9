"""Figures that several claims share: estimates over n, ratios to bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.estimates import Estimate
from gpruntime.paper.known import Known, setting_of
from gpruntime.paper.verdict import Record
from gpruntime.show.axes import log_values, new_figure, over_n, points, rings
from gpruntime.show.drawing import Drawing
from gpruntime.show.markup import tex
from gpruntime.show.style import INK, look, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.6
_COMPARE = (":", (0, (6, 2)))  # lines of guides and levels


@dataclass(frozen=True)
class Series:
    """Estimates over n (or over whatever `x` is), with a name.

    Attributes:
        label: for the legend.
        x, y: where and what.
        line: whether the points are joined.
        hollow: for exact values, drawn over the others.
        marker: of hollow ones.
    """

    label: str
    x: Sequence[float]
    y: Sequence[Estimate]
    line: bool = True
    hollow: bool = False
    marker: str = "o"


@dataclass(frozen=True)
class Guide:
    """A line to compare with, between two points: level, or on logarithmic axes a power."""

    label: str
    x: tuple[float, float]
    y: tuple[float, float]


def power_guide(label: str, power: float, start: tuple[float, float], end: float) -> Guide:
    """What goes like x^power, from a point to another x."""
    x, y = start
    return Guide(label, (x, end), (y, y * (end / x) ** power))


def exactly(value: float, of: str = "") -> Estimate:
    """A number without an interval, because it is exact."""
    return Estimate(value, remark=f"exact: {of}" if of else "exact")


def drawn(
    records: Iterable[Record],
    y: str,
    label: str = "",
    *,
    x: str = "n",
    line: bool = True,
    exact: bool = False,
    rings: bool = False,
) -> Series:
    """A column of a table with its interval, if it is not exact; what is not known is left out."""
    known = [record for record in records if record[y] is not None]

    def estimate(record: Record) -> Estimate:
        ends = (f"{y}_low", f"{y}_high") if f"{y}_low" in record else ("low", "high")
        return exactly(record[y]) if exact or rings else Estimate(record[y], *(record[end] for end in ends))

    x_values = [record[x] for record in known]
    return Series(label, x_values, [estimate(record) for record in known], line and not rings, rings)  # fmt: skip


def drawn_by(records: Sequence[Record], by: str, y: str, **how: Any) -> list[Series]:
    """A column of a table, a series for each value of another column."""
    labels = dict.fromkeys(record[by] for record in records)
    return [drawn([record for record in records if record[by] == label], y, str(label), **how) for label in labels]


def ring(x: Sequence[float], y: Iterable[float], label: str = "exact") -> Series:
    """Exact values, drawn over the others."""
    return Series(label, x, [exactly(value) for value in y], line=False, hollow=True)


def exact_series(known: Sequence[Known], power: int = 0) -> list[Series]:
    """Exact means over n, each ÷ a power of n: rings, and diamonds for those under a limit on the leaves."""
    series = []
    for label, marker, limited in (("exact", "o", False), ("exact, limited leaves", "D", True)):
        drawn_here = [solved for solved in known if (solved.spec.max_leaves_allowed is not None) == limited]
        values = [exactly(solved.mean / solved.spec.n**power, setting_of(solved.spec)) for solved in drawn_here]
        if drawn_here:
            series.append(Series(label, [solved.spec.n for solved in drawn_here], values, False, True, marker))
    return series


def series_figure(
    name: str,
    series: Sequence[Series],
    *,
    title: str,
    ylabel: str,
    caption: str,
    xlabel: str = "n, number of variables",
    logy: bool = True,
    logx: bool = True,
    levels: Mapping[str, float] | None = None,
    guides: Sequence[Guide] = (),
    ylim: tuple[float | None, float | None] | None = None,
    legend: Literal["best", "lower right"] = "best",
) -> Drawing:
    """Several series in one panel, with lines at `levels` and along `guides` to compare them with."""
    levels = levels or {}
    with styled():
        figure, (axes,) = new_figure(HEIGHT)
        draw_series(axes, series)
        for line, (label, level) in zip(_COMPARE, levels.items(), strict=False):
            axes.axhline(level, color=INK, linewidth=1.0, linestyle=line, label=label)
        for line, guide in zip(_COMPARE, guides, strict=False):
            axes.plot(guide.x, guide.y, color=INK, linewidth=1.0, linestyle=line, label=guide.label)
        finish(axes, series, logx=logx, logy=logy, xlabel=tex(xlabel))
        axes.set_ylabel(tex(ylabel))
        axes.set_title(tex(title))
        if ylim is not None:
            axes.set_ylim(*ylim)
        if len(series) > 1 or levels or guides or series[0].label:
            axes.legend(loc=legend)
    return Drawing(name, figure, caption, records_of(series))


def draw_series(axes: Axes, series: Sequence[Series]) -> None:
    """Points with intervals, joined where that is asked for."""
    for position, part in enumerate(series):
        how = look(position)
        if part.hollow:
            rings(axes, part.x, [math.nan if y.value is None else y.value for y in part.y], part.label, part.marker)
            continue
        more: dict[str, Any] = {"linestyle": how.line, "linewidth": 0.8} if part.line else {}
        points(axes, [*part.x], list(part.y), how, tex(part.label), **more)  # x may be any number


def finish(axes: Axes, series: Sequence[Series], *, logx: bool, logy: bool, xlabel: str) -> None:
    """Scales and the label below."""
    xs = [x for part in series for x in part.x]
    if logx:
        over_n(axes, [round(x) for x in xs], label=False)
    elif all(float(x).is_integer() for x in xs):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.set_xlabel(xlabel)
    if logy:
        log_values(axes)
    elif axes.get_ylim()[1] >= 1000:
        axes.yaxis.set_major_formatter("{x:,.0f}")


def records_of(series: Sequence[Series]) -> list[dict[str, Any]]:
    """The numbers drawn."""
    return [
        {"series": part.label, "x": x, "value": y.value, "low": y.low, "high": y.high, "remark": y.remark}
        for part in series
        for x, y in zip(part.x, part.y, strict=True)
    ]


def ratios_figure(
    name: str, checks: Mapping[str, Sequence[BoundCheck]], title: str, caption: str, exact: Sequence[Series] = ()
) -> Drawing:
    """Measured ÷ bound over n, each with its label; its sizes may come from several checks."""
    series = []
    for label, parts in checks.items():
        ratios = sorted((pair for check in parts for pair in check.ratios), key=lambda pair: pair[0])
        series.append(Series(label, [n for n, _ in ratios], [ratio for _, ratio in ratios]))
    return series_figure(name, [*series, *exact], title=title, ylabel="measured ÷ bound (constant 1)", caption=caption)
