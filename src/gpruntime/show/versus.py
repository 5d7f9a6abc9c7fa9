"""Figures of one thing against another: two algorithms, time and bound, evaluations and fitness."""

from __future__ import annotations

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.compare import Comparison
from gpruntime.analysis.trajectories import Trajectories
from gpruntime.show.axes import is_finite, log_times, log_values, new_figure, over_n, points, with_intervals, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.style import FAINT, INK, look, styled


def comparison_figure(comparison: Comparison) -> Drawing:
    """Ratio of means, and P(A faster than B), over n."""
    ns = [cell.n for cell in comparison.cells]
    with styled():
        figure, (upper, lower) = new_figure(4.6, 2, [1.4, 1])
        ratios = [cell.ratio for cell in comparison.cells]
        points(upper, ns, ratios, look(0), linestyle="-", linewidth=0.7)
        points(lower, ns, [cell.a_faster for cell in comparison.cells], look(0), linestyle="-", linewidth=0.7)
        upper.axhline(1, color=INK, linewidth=1.0)
        lower.axhline(0.5, color=INK, linewidth=1.0)
        log_values(upper)
        for crossover in comparison.crossovers:
            upper.axvspan(crossover.after, crossover.before, color=FAINT, alpha=0.15, linewidth=0)
            upper.annotate("crossover", (crossover.estimate, 1), xytext=(4, 6), textcoords="offset points", fontsize=8)
        lower.set_ylim(-0.04, 1.04)
        over_n(upper, ns, label=False)
        over_n(lower, ns)
        restricted = any("restricted" in ratio.remark for ratio in ratios)
        upper.set_ylabel("ratio of restricted means" if restricted else "ratio of means")
        lower.set_ylabel("P(A faster)")
        upper.set_title(wrapped(f"A = {comparison.a}, B = {comparison.b}") + "\n" + wrapped(comparison.where))
        if not any(is_finite(ratio.value) for ratio in ratios):
            upper.text(0.5, 0.6, ratios[-1].remark, transform=upper.transAxes, ha="center")
            upper.set_yticks([1], ["1"])
            upper.set_yticks([], minor=True)
    known = with_intervals([*ratios, *(cell.a_faster for cell in comparison.cells)], comparison.cells[0].a_faster.level)
    caption = f"{comparison.name}. Mean time of A ÷ mean time of B, and P(A faster than B){known}."
    if restricted:
        caption += " Runs were stopped: means of min(time, budget), which tend to 1 where hardly any run ends."
    return Drawing(f"compare-{slug(comparison.name)}", figure, caption, comparison.to_records())


def bounds_figure(checks: list[BoundCheck]) -> Drawing:
    """Measured ÷ bound over n, for the bounds on one curve."""
    curve = checks[0].curve
    drawn = [check for check in checks if check.ratios]
    with styled():
        figure, (axes,) = new_figure(3.8)
        sizes = []
        for position, check in enumerate(drawn):
            how = look(position)
            ns, ratios = [n for n, _ in check.ratios], [ratio for _, ratio in check.ratios]
            points(
                axes,
                ns,
                ratios,
                how,
                f"{check.bound.kind} bound ${check.bound.tex}$",
                linestyle=how.line,
                linewidth=0.9,
            )
            sizes += ns
        over_n(axes, sizes)
        log_values(axes)
        axes.set(ylabel="measured ÷ bound (constant 1)", title=wrapped(curve.name))
        if drawn:
            axes.legend(loc="best")
    level = "; a level line means a tight bound" if len(set(sizes)) > 1 else ""
    caption = f"{curve.name}. Measured mean ÷ bound, with the measured T_max{level}."
    records = [record for check in drawn for record in check.to_records()]
    return Drawing(f"bounds-{slug(curve.name)}", figure, caption, records)


def trajectories_figure(course: Trajectories) -> Drawing:
    """Evaluations to reach fitness k, and the size of the tree over the evaluations."""
    with styled():
        panels = 2 if course.has_trees else 1
        figure, (upper, *lower) = new_figure(2.7 * panels, panels, share=False)
        low, middle, high = (np.where(np.isfinite(band), band, np.nan) for band in course.bands)
        colour = look(0).colour
        upper.fill_between(course.targets, low, high, color=colour, alpha=0.18, linewidth=0, label="80 % of the runs")
        upper.plot(course.targets, middle, color=colour, label="median")
        log_values(upper)
        upper.set(xlabel="fitness k", ylabel="evaluations to reach k", title=wrapped(course.name))
        upper.legend(loc="upper left" if course.targets[0] <= course.targets[-1] else "upper right")
        for axes in lower:
            axes.fill_between(course.times, course.leaves[0], course.leaves[2], color=colour, alpha=0.18, linewidth=0)
            axes.step(course.times, course.leaves[1], where="post", color=colour)
            log_times(axes)
            axes.set(xlabel="evaluations", ylabel="leaves at the last improvement")
    trees = ", and leaves of the tree over the evaluations" if course.has_trees else ""
    caption = (
        f"{course.name}. {formatting.plural(course.runs, 'run')}: evaluations to reach each fitness{trees}; median and "
        "the band that holds 80 %."
    )
    return Drawing(f"inside-{slug(course.name)}", figure, caption, course.to_records())
