"""The figure of a bound along lines in (n, T_init)."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.paper.lines import LineCheck
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.show.drawing import Drawing


def lines_figure(name: str, checks: Sequence[LineCheck], title: str) -> Drawing:
    """E[time] ÷ bound over the leaves of the initial tree, a series for each line."""
    series = [Series(one.label, [spec.initial.leaves for spec in one.line.specs], list(one.ratios)) for one in checks]
    return series_figure(
        name,
        series,
        title=title,
        xlabel="T_init, leaves of the initial tree",
        ylabel="measured ÷ bound (constant 1)",
        caption="Along three lines in (n, T_init), with 95 % intervals. A line that ends level has the bound's growth; "
        "one that falls stays ever further below it. Where both terms matter a line passes from one constant to the "
        "other.",
    )
