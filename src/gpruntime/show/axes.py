"""Parts that several figures share: axes over n, points with intervals."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.words import Above
from gpruntime.show.style import INK, WIDTH, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MANY_DECADES = 1.3


def new_figure(
    height: float, rows: int = 1, ratios: Sequence[float] | None = None, share: bool = True
) -> tuple[Figure, list[Axes]]:
    """A figure with panels below each other, and its panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = {"height_ratios": list(ratios)} if ratios else None
    axes = figure.subplots(rows, 1, sharex=share, squeeze=False, gridspec_kw=grid)
    return figure, [row[0] for row in axes]


def wrapped(text: str, width: int = 74) -> str:
    """A title in lines that fit into the figure."""
    return "\n".join(textwrap.wrap(text, width))


def over_n(axes: Axes, sizes: Sequence[int], label: bool = True) -> None:
    """A logarithmic axis of sizes with plain numbers on it."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_xscale("log")
    if sizes and min(sizes) > 0 and math.log10(max(sizes) / min(sizes)) < _MANY_DECADES:
        axes.xaxis.set_major_locator(FixedLocator(spread_out(sorted(set(sizes)))))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    if len(set(sizes)) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)
    if label:
        axes.set_xlabel("n, number of variables")


def spread_out(sizes: Sequence[int], most: int = 7, apart: float = 1.18) -> list[int]:
    """Sizes to label, none too near its neighbour on a logarithmic axis."""
    kept: list[int] = []
    for size in sizes:
        if not kept or size / kept[-1] >= apart:
            kept.append(size)
    step = math.ceil(len(kept) / most)
    return kept[::step]


def short(value: float) -> str:
    """0.5, 10, 1,000, 10⁵, 2·10⁵."""
    from gpruntime.analysis.words import superscript

    if value < 1e5:
        return f"{value:,.0f}" if value >= 100 else f"{value:g}"
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = f"{value / 10**exponent:.3g}"
    power = f"10{superscript(exponent)}"
    return power if mantissa == "1" else f"{mantissa}·{power}"


def log_values(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis of values; with plain numbers where it spans little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    axes.set_yscale("log")
    finite = [value for value in values if value > 0 and math.isfinite(value)]
    if finite and max(finite) / min(finite) < 30:
        narrow = max(finite) / min(finite) < 4  # few or none of 1, 2 and 5 may lie between
        axes.yaxis.set_major_locator(MaxNLocator(5) if narrow else LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
        axes.yaxis.set_minor_formatter(NullFormatter())


def is_finite(value: float | None) -> bool:
    """Whether a value can be drawn."""
    return value is not None and math.isfinite(value) and not isinstance(value, Above)


def points(
    axes: Axes, sizes: Sequence[int], estimates: Sequence[Estimate], how: Look, label: str = "", **more: Any
) -> None:
    """Estimates with their intervals; those that cannot be drawn are left out."""
    known = [(n, estimate) for n, estimate in zip(sizes, estimates, strict=True) if is_finite(estimate.value)]
    if not known:
        return
    values = [estimate.value or 0.0 for _, estimate in known]
    below = [_arm(estimate.value, estimate.low) for _, estimate in known]
    above = [_arm(estimate.high, estimate.value) for _, estimate in known]
    style: dict[str, Any] = {"color": how.colour, "marker": how.marker, "linestyle": "none", "label": label} | more
    axes.errorbar([n for n, _ in known], values, yerr=[below, above], elinewidth=1.0, **style)


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
