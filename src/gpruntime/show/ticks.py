"""Ticks of logarithmic axes, and numbers on them: none on another. Imports matplotlib, so import it when drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter

from gpruntime.analysis.formatting import superscript

_NARROW, _WIDE = 10.0, 300.0  # ends of an axis, one ÷ the other: too few of 1, 2 and 5 between; powers of ten will do
_SMALL, _LARGE = 1e-2, 1e5  # beyond these, numbers are powers of ten


class LogTicks(Locator):
    """By what the axis has to show: 1, 10, 100, or 1, 2, 5, 10, or evenly where these would be too few."""

    def __call__(self) -> Sequence[float]:
        """The ticks of the axis as it is now."""
        assert self.axis is not None
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """The ticks, some of them beyond the ends."""
        if vmax < _NARROW * vmin:
            return [float(tick) for tick in MaxNLocator(4).tick_values(vmin, vmax) if tick > 0]
        subs = (1.0, 2.0, 5.0) if vmax < _WIDE * vmin else (1.0,)
        return [float(tick) for tick in LogLocator(subs=subs, numticks=9).tick_values(vmin, vmax)]


def label_major(axis: Axis, plain: bool = True) -> None:
    """Labels at major ticks only; powers of ten throughout, if not `plain` and the axis is long and goes far.

    Matplotlib would label minor ticks too where it finds few major ones, however near they are to each other.
    """

    def label(value: float, _: object) -> str:
        low, high = axis.get_view_interval()
        if not plain and high >= _WIDE * low and (low < _SMALL or high >= _LARGE):
            return power_of_ten(round(math.log10(value)))
        return short(value)

    axis.set_major_locator(LogTicks())
    axis.set_major_formatter(FuncFormatter(label))
    axis.set_minor_formatter(NullFormatter())


def short(value: float) -> str:
    """0.5, 10, 1,000, 10⁵, 2·10⁵, 10⁻³."""
    if value == 0 or _SMALL * (1 - 1e-9) <= abs(value) < _LARGE:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:g}"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    mantissa = f"{value / 10.0**exponent:.3g}"
    return power_of_ten(exponent) if mantissa == "1" else f"{mantissa}·{power_of_ten(exponent)}"


def power_of_ten(exponent: int) -> str:
    """10⁵."""
    return f"10{superscript(exponent)}"
