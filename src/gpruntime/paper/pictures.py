"""Figures that several claims share: estimates over n, ratios to bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.estimates import Estimate
from gpruntime.show.axes import is_finite, log_values, new_figure, over_n, points
from gpruntime.show.drawing import Drawing
from gpruntime.show.style import INK, look, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.6


@dataclass(frozen=True)
class Series:
    """Estimates over n (or over whatever `x` is), with a name.

    Attributes:
        label: for the legend.
        x, y: where and what.
        line: whether the points are joined.
        hollow: for exact values, drawn over the others.
    """

    label: str
    x: Sequence[float]
    y: Sequence[Estimate]
    line: bool = True
    hollow: bool = False
    records: list[dict[str, Any]] = field(default_factory=list)


def exactly(value: float) -> Estimate:
    """A number without an interval, because it is exact."""
    return Estimate(value, remark="exact")


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
    level: float | None = None,
    level_label: str = "",
    ylim: tuple[float | None, float | None] | None = None,
) -> Drawing:
    """Several series in one panel."""
    with styled():
        figure, (axes,) = new_figure(HEIGHT)
        draw_series(axes, series)
        if level is not None:
            axes.axhline(level, color=INK, linewidth=1.0, linestyle=":", label=level_label or None)
        finish(axes, series, logx=logx, logy=logy, xlabel=xlabel)
        axes.set_ylabel(ylabel)
        axes.set_title(title)
        if ylim is not None:
            axes.set_ylim(*ylim)
        if len(series) > 1 or level_label or series[0].label:
            axes.legend(loc="best")
    return Drawing(name, figure, caption, records_of(series))


def draw_series(axes: Axes, series: Sequence[Series]) -> None:
    """Points with intervals, joined where that is asked for."""
    for position, one in enumerate(series):
        how = look(position)
        more: dict[str, Any] = {"linestyle": how.line, "linewidth": 0.8} if one.line else {}
        if one.hollow:
            more |= {"markerfacecolor": "none", "markersize": 8, "color": INK, "linestyle": "none", "marker": "o"}
        points(axes, [*one.x], list(one.y), how, one.label, **more)  # type: ignore[list-item]  # x may be any number


def finish(axes: Axes, series: Sequence[Series], *, logx: bool, logy: bool, xlabel: str) -> None:
    """Scales and the label below."""
    xs = [x for one in series for x in one.x]
    if logx:
        over_n(axes, [round(x) for x in xs], label=False)
    elif all(float(x).is_integer() for x in xs):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(xlabel)
    if logy:
        log_values(axes, [y.value or math.nan for one in series for y in one.y if is_finite(y.value)])


def records_of(series: Sequence[Series]) -> list[dict[str, Any]]:
    """The numbers drawn."""
    return [
        {"series": one.label, "x": x, "value": y.value, "low": y.low, "high": y.high, "remark": y.remark}
        for one in series
        for x, y in zip(one.x, one.y, strict=True)
    ]


def ratios_figure(name: str, checks: Sequence[tuple[str, BoundCheck]], title: str, caption: str) -> Drawing:
    """Measured ÷ bound over n, each with its label."""
    series = [Series(label, [n for n, _ in check.ratios], [r for _, r in check.ratios]) for label, check in checks]
    return series_figure(name, series, title=title, ylabel="measured ÷ bound (constant 1)", caption=caption)
