"""The figures of a limit: what happens over time, what that says over n, and Gumbel's plot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.show.axes import log_values, new_figure, over_n, wrapped
from gpruntime.show.drawing import Drawing
from gpruntime.show.markup import tex
from gpruntime.show.style import FAINT, INK, WIDTH, look, styled
from gpruntime.theory.gumbel_law import SKEWNESS, Gumbel, quantiles

if TYPE_CHECKING:
    from gpruntime.theory.limits import Limit

_SIZES = [10**power for power in range(1, 16)]


def figure(limit: Limit) -> Drawing:
    """u and leaves over time; where u falls, the time and its skewness over n."""
    from matplotlib.figure import Figure

    course, records = limit.course, list[dict[str, Any]]()
    sizes = sorted({*_SIZES, *limit.sizes, *(one.n for one in limit.compared)})
    if limit.compared and not limit.course.falls:
        sizes = sorted(one.n for one in limit.compared)
    said = [limit.at(n) for n in sizes]
    shares = np.maximum(limit.variables.shares, 0)
    runs = [one for one in limit.compared if one.what == "mean evaluations"]
    with styled():
        drawn = Figure(figsize=(WIDTH, 4.8), layout="constrained")
        (share, leaves), (left, right) = drawn.subplots(2, 2)
        inside = course.times <= _shown_until(limit)
        share.plot(course.times[inside], (course.u @ shares)[inside], color=look(0).colour)
        share.set_title("suboptimal share u")
        log_values(share)
        leaves.plot(course.times[inside], course.leaves[inside], color=look(1).colour)
        leaves.set_title("leaves ÷ n")
        if limit.leaves is not None and course.falls:
            leaves.axhline(limit.leaves, color=FAINT, linestyle="--", label=f"limit {limit.leaves:.4f}")
            leaves.legend()
        for axes in (share, leaves):
            axes.set_xlabel("evaluations ÷ n")
        if course.falls:
            left.plot(sizes, [one.constant for one in said], color=look(0).colour, label="mean field")
            scale = [one.n * np.log(one.n) for one in runs]
            _points(left, runs, [r.simulated / s for r, s in zip(runs, scale, strict=True)],
                    [1.96 * r.error / s for r, s in zip(runs, scale, strict=True)])  # fmt: skip
            if limit.constant is not None:
                left.axhline(limit.constant, color=FAINT, linestyle="--", label=f"limit {limit.constant:.4f}")
            left.set_title(tex("E[T] ÷ (n ln n)"))
            right.plot(sizes, [one.skewness for one in said], color=look(0).colour, label="mean field")
            laws = [one.law for one in runs if one.law is not None]
            _points(right, runs, [law.skewness for law in laws], [1.96 * law.skewness_error for law in laws])
            right.axhline(SKEWNESS, color=FAINT, linestyle="--", label="Gumbel 1.1395")
            right.set_title("skewness of T")
        else:
            left.plot(sizes, [one.chance for one in said], color=look(0).colour, label="mean field")
            _points(left, limit.compared, [one.simulated for one in limit.compared],
                    [1.96 * one.error for one in limit.compared])  # fmt: skip
            left.set_title("P(optimum)")
            right.plot(sizes, [one.leaves for one in said], color=look(0).colour, label="mean field")
            right.set_title("leaves ÷ n at the end")
        for axes in (left, right):
            over_n(axes, sizes, label=False)
            axes.set_xlabel("n")
            axes.legend()
        drawn.suptitle(wrapped(tex(limit.title)), fontsize=9.5, x=0.02, ha="left")
    records += [{"time": float(s), "u": float(u), "leaves": float(t)}
                for s, u, t in zip(course.times, course.u @ shares, course.leaves, strict=True)]  # fmt: skip
    records += [*(one.to_record() for one in said), *(one.to_record() for one in limit.compared)]
    points = " Points are runs, with intervals of 95 %." if limit.compared else ""
    keys = dict.fromkeys(key for record in records for key in record)
    records = [{key: record.get(key) for key in keys} for record in records]
    return Drawing("limit", drawn, f"{' '.join(limit.sentences())}{points}", records)


def gumbel_plot(laws: Mapping[str, Gumbel]) -> Drawing:
    """Standardised times over the quantiles of Gumbel's law."""
    records: list[dict[str, Any]] = []
    with styled():
        drawn, (axes,) = new_figure(4.0)
        for place, (name, law) in enumerate(laws.items()):
            at, how = quantiles(len(law.standardised)), look(place)
            axes.plot(at, law.standardised, linestyle="none", marker=how.marker, markersize=3, color=how.colour,
                      label=f"{name}: p = {law.p:.3f}")  # fmt: skip
            records += [{"of": name, "quantile": float(x), "time": float(y)}
                        for x, y in zip(at, law.standardised, strict=True)]  # fmt: skip
        ends = [min(r["quantile"] for r in records), max(r["quantile"] for r in records)]
        axes.plot(ends, ends, color=INK, linewidth=0.8, linestyle="--", label="Gumbel")
        axes.set_xlabel("quantiles of Gumbel's law, standardised")
        axes.set_ylabel("times, standardised")
        axes.legend()
    caption = "Times minus their mean over their deviation: on the line, they follow Gumbel's law. p is of its test."
    return Drawing("gumbel", drawn, caption, records)


def _points(axes: Any, runs: Any, values: list[float], arms: list[float]) -> None:
    if runs:
        how = look(1)
        axes.errorbar([one.n for one in runs], values, yerr=arms, color=how.colour, marker=how.marker,
                      linestyle="none", label="runs")  # fmt: skip


def _shown_until(limit: Limit) -> float:
    """The time by which u is a millionth, or at rest."""
    low = np.flatnonzero(limit.course.u.max(axis=1) < 1e-6)
    return float(limit.course.times[low[0] if len(low) else -1])
