"""Parts that several figures share: axes over n, points with intervals."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.formatting import Above
from gpruntime.show.style import INK, WIDTH, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MANY_DECADES = 1.3
_LABEL = 0.12  # the share of an axis that a label needs


def new_figure(
    height: float, rows: int = 1, ratios: Sequence[float] | None = None, share: bool = True, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """A figure with panels below each other, and its panels; with several columns, row by row on the same axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = {"height_ratios": list(ratios)} if ratios else None
    axes = figure.subplots(rows, columns, sharex=share, sharey=columns > 1, squeeze=False, gridspec_kw=grid)
    return figure, list(axes.flat)


def wrapped(text: str, width: int = 74) -> str:
    """A title in lines that fit into the figure."""
    return "\n".join(textwrap.wrap(text, width))


def over_n(axes: Axes, sizes: Sequence[int], label: bool = True) -> None:
    """A logarithmic axis of sizes with plain numbers on it: the sizes themselves, where they are few decades."""
    from matplotlib.ticker import FixedLocator

    from gpruntime.show.ticks import label_major

    axes.set_xscale("log")
    label_major(axes.xaxis)
    if sizes and min(sizes) > 0 and math.log10(max(sizes) / min(sizes)) < _MANY_DECADES:
        axes.xaxis.set_major_locator(FixedLocator(spread_out(sorted(set(sizes)))))
        axes.xaxis.minorticks_off()
    if len(set(sizes)) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)
    if label:
        axes.set_xlabel("n, number of variables")


def spread_out(sizes: Sequence[int]) -> list[int]:
    """Sizes to label, in order, none too near its neighbour on a logarithmic axis that they fill."""
    apart = (sizes[-1] / sizes[0]) ** _LABEL
    kept = [sizes[0]]
    for size in sizes[1:]:
        if size >= kept[-1] * apart:
            kept.append(size)
    return kept


def log_times(axes: Axes) -> None:
    """A logarithmic axis of evaluations below."""
    from gpruntime.show.ticks import label_major

    axes.set_xscale("log")
    label_major(axes.xaxis, plain=False)


def log_values(axes: Axes) -> None:
    """A logarithmic axis of values at the side."""
    from gpruntime.show.ticks import label_major

    axes.set_yscale("log")
    label_major(axes.yaxis, plain=False)


def is_finite(value: float | None) -> bool:
    """Whether a value can be drawn."""
    return value is not None and math.isfinite(value) and not isinstance(value, Above)


def points(
    axes: Axes, sizes: Sequence[float], estimates: Sequence[Estimate], how: Look, label: str = "", **more: Any
) -> None:
    """Estimates with their intervals; those that cannot be drawn are left out."""
    known = [(n, estimate) for n, estimate in zip(sizes, estimates, strict=True) if is_finite(estimate.value)]
    if not known:
        return
    values = [estimate.value or 0.0 for _, estimate in known]
    below = [_arm(estimate.value, estimate.low) for _, estimate in known]
    above = [_arm(estimate.high, estimate.value) for _, estimate in known]
    style: dict[str, Any] = {"color": how.colour, "marker": how.marker, "linestyle": "none", "label": label} | more
    arms = [below, above] if any(below + above) else None  # without any, the legend must not show them either
    axes.errorbar([n for n, _ in known], values, yerr=arms, elinewidth=1.0, **style)


def arrows(axes: Axes, sizes: Sequence[float], estimates: Sequence[Estimate]) -> None:
    """Where the interval of a value that is drawn goes on beyond the axis."""
    low, high = axes.get_ylim()
    for n, estimate in zip(sizes, estimates, strict=True):
        if is_finite(estimate.value):
            style: dict[str, Any] = {"color": INK, "linestyle": "none", "clip_on": False, "zorder": 4}
            if estimate.high is not None and estimate.high > high:
                axes.plot([n], [high], marker="^", markersize=5, **style)
            if estimate.low is not None and estimate.low < low:
                axes.plot([n], [low], marker="v", markersize=5, **style)


def with_intervals(estimates: Iterable[Estimate], level: float) -> str:
    """For a caption: that there are intervals, where some are drawn."""
    drawn = any(is_finite(e.value) and _arm(e.value, e.low) + _arm(e.high, e.value) for e in estimates)
    return f", with {formatting.level(level)} intervals" if drawn else ""


def rings(axes: Axes, sizes: Sequence[float], values: Sequence[float], label: str = "exact", marker: str = "o") -> None:
    """Exact values, drawn hollow over the estimates they belong to."""
    style: dict[str, Any] = {"color": INK, "marker": marker, "markerfacecolor": "none", "linestyle": "none"}
    size = 8 if marker == "o" else 7
    axes.errorbar(
        sizes, values, label=label, markersize=size, **style
    )  # as such, the legend has it after the estimates


def _arm(upper: float | None, lower: float | None) -> float:
    if upper is None or lower is None or not (is_finite(upper) and is_finite(lower)):
        return 0.0
    return max(upper - lower, 0.0)
