"""Figures of curves and their laws; `figure_of` draws any result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.compare import Comparison
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.fitting import local_exponents
from gpruntime.analysis.growth import MIN_SIZE
from gpruntime.analysis.laws import LawFit, RankedLaw
from gpruntime.analysis.profiles import Profile
from gpruntime.analysis.summary import Summary
from gpruntime.analysis.trajectories import Trajectories
from gpruntime.model.errors import BadInput
from gpruntime.model.spec_text import common_parts, short_labels, words_for
from gpruntime.show.axes import (
    arrows,
    is_finite,
    log_values,
    new_figure,
    over_n,
    points,
    rings,
    with_intervals,
    wrapped,
)
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.profiles import profile_figure
from gpruntime.show.style import FAINT, INK, Look, look, styled
from gpruntime.show.tables import setting_of
from gpruntime.show.times import cell_figure
from gpruntime.show.versus import bounds_figure, comparison_figure, trajectories_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_A_PANEL = 7  # as many as there are looks
_MAX_PANELS = 12
_BEYOND = 1.8  # how far an axis of times goes beyond the means


def figure_of(result: object) -> Drawing:
    """The figure of any result of the analysis."""
    kinds: list[tuple[type, Any]] = [
        (Curve, curve_figure),
        (Summary, overview_figure),
        (Comparison, comparison_figure),
        (BoundCheck, lambda check: bounds_figure([check])),
        (Trajectories, trajectories_figure),
        (Profile, profile_figure),
        (CellEstimate, cell_figure),
    ]
    for kind, draw in kinds:
        if isinstance(result, kind):
            drawing: Drawing = draw(result)
            return drawing
    raise BadInput("result", type(result).__name__, "must be a result of gpruntime.analysis")


def law_in_tex(law: RankedLaw) -> str:
    """The equation for a legend."""
    term = law.law.term.tex if law.law.term else rf"2^{{{formatting.number(law.beta, digits=3)}\,n}}"
    times = r"\," if law.law.term else r"\cdot "
    text = f"{_tex(law.constant.short())}{times}{term}"
    second, lower = law.fit.second, law.fit.lower
    if second is not None and lower is not None:
        sign = "+" if second >= 0 else "-"
        factor = "" if lower.formula == "1" else rf"\,{lower.tex}"
        text += f" {sign} {_tex(formatting.number(abs(second), digits=3))}{factor}"
    return f"${text}$"


def _tex(number: str) -> str:
    plain = number.replace("−", "-").replace(",", "{,}")
    if "·10" in plain:
        mantissa, exponent = plain.split("·10")
        digits = exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
        return rf"{mantissa}\cdot 10^{{{digits}}}"
    return plain


# ---- curves and laws


def overview_figure(summary: Summary) -> Drawing:
    """All curves: mean time over n, with the fitted laws; a panel for each setting, all on the same axes."""
    drawable = [curve for curve in summary.curves if any(is_finite(cell.given_optimum.value) for cell in curve.cells)]
    every = _panels(drawable)
    panels = every[:_MAX_PANELS] or [("", [])]
    drawn = [curve for _, curves in panels for curve in curves]
    means = [cell.given_optimum for curve in drawn for cell in curve.cells]
    known = [mean.value for mean in means if mean.value is not None and is_finite(mean.value)] or [1.0]
    low, high = min(known) / _BEYOND, max(known) * _BEYOND
    algorithms = list(dict.fromkeys(words_for("algorithm", curve.spec) for curve in drawn))
    with styled():
        columns = 1 if len(panels) == 1 else 2
        rows = -(-len(panels) // columns)
        height = 3.8 if rows == 1 else 2.6
        figure, axes = new_figure(height * rows, rows, columns=columns)
        for panel, (title, curves) in zip(axes, panels, strict=False):
            labels = short_labels([curve.name for curve in curves])
            ends = []
            for place, curve in enumerate(curves):
                name = words_for("algorithm", curve.spec)
                how = look(place if len(algorithms) > _A_PANEL or not title else algorithms.index(name))
                _overview_curve(panel, curve, how)
                label = (name if title else labels[curve.name]).removeprefix("(1+1) ")
                if columns == 1 and curve.fit is not None:
                    label += f":\n{law_in_tex(curve.fit.best)}"
                ends.append((_last(curve), how, label if "\n" in label else wrapped(label, 22)))
            panel.set_title(wrapped(title, 44))
            over_n(panel, [cell.n for curve in drawn for cell in curve.cells], label=panel in axes[-columns:])
            log_values(panel)
            panel.set_ylim(low, high)
            _label_ends(panel, ends, height)
            arrows(panel, [cell.n for curve in curves for cell in curve.cells], means_of(curves))
        for panel in axes[len(panels) :]:
            panel.remove()
        for panel in axes[: len(panels) : columns]:
            panel.set_ylabel("mean evaluations to the optimum" if rows == 1 else "mean evaluations")
    caption = f"Mean evaluations to the optimum over n{with_intervals(means, summary.level)}"
    caption += " and the fitted laws." if any(curve.fit is not None for curve in drawn) else "."
    hollow = [c for curve in drawn for c in curve.cells if not c.complete and is_finite(c.given_optimum.value)]
    if hollow:
        ways = {"are stuck": any(c.stuck for c in hollow), "were stopped": any(c.budget for c in hollow)}
        words = " or ".join(way for way, seen in ways.items() if seen)
        caption += f" Hollow: some runs {words}, and the mean is over the others."
    if any(mean.high is not None and is_finite(mean.value) and mean.high > high for mean in means):
        caption += " An arrow: the interval goes on."
    common = common_parts([curve.name for curve in drawn])
    if common and len(drawn) > 1:
        caption += f" All: {', '.join(common)}."
    never = [curve.name for curve in summary.curves if curve not in drawable]
    if never:
        caption += f" Not drawn, as no run reached the optimum: {'; '.join(never)}."
    if len(drawable) > len(drawn):
        caption += f" {len(drawable) - len(drawn):,} more have figures of their own only."
    records = [_mean_record(curve, cell) for curve in summary.curves for cell in curve.cells]
    return Drawing("overview", figure, caption, records)


def _panels(curves: Sequence[Curve]) -> list[tuple[str, list[Curve]]]:
    """Curves of one setting together, under its name; where no setting has two of them, all together."""
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(setting_of(curve), []).append(curve)
    if len(groups) == len(curves):
        groups = {"": list(curves)}
    labels = short_labels(list(groups))
    return [
        (labels[name], group[place : place + _A_PANEL])
        for name, group in groups.items()
        for place in range(0, len(group), _A_PANEL)
    ]


def _overview_curve(axes: Axes, curve: Curve, how: Look) -> None:
    for complete, style in ((True, {}), (False, {"markerfacecolor": "white"})):
        cells = [cell for cell in curve.cells if cell.complete == complete]
        points(axes, [c.n for c in cells], [c.given_optimum for c in cells], how, **style)
    if curve.fit is not None:
        _law_line(axes, curve.fit, how.colour, how.line, "")


def means_of(curves: Iterable[Curve]) -> list[Estimate]:
    """The means that are drawn of these curves."""
    return [cell.given_optimum for curve in curves for cell in curve.cells]


def _last(curve: Curve) -> float:
    """The last mean that is drawn."""
    return [cell.given_optimum.value or 1.0 for cell in curve.cells if is_finite(cell.given_optimum.value)][-1]


def _label_ends(axes: Axes, ends: Sequence[tuple[float, Look, str]], height: float) -> None:
    """Each curve's mark and name beside its end, from below; a name moves up where it would lie on another."""
    low, high = map(math.log, axes.get_ylim())
    free = 0.0
    line = 11.0 / (0.72 * 72 * height)  # as a share of what the panel has beside its labels
    for value, how, label in sorted(ends, key=lambda end: end[0]):
        lines = label.count("\n") + 1
        place = max((math.log(value) - low) / (high - low), free + line * lines / 2)
        free = place + line * lines / 2
        axes.plot([1.04], [place], color=how.colour, marker=how.marker, transform=axes.transAxes, clip_on=False)
        axes.text(1.07, place, label, transform=axes.transAxes, va="center", fontsize=8)


def curve_figure(curve: Curve, exact: Mapping[int, float] | None = None) -> Drawing:
    """Mean time over n with the law, and below it what needs no list: time ÷ g(n), and local exponents.

    Rings are at exact means, by n.
    """
    ns = [cell.n for cell in curve.cells]
    with styled():
        panels = 3 if curve.fit is not None else 1
        figure, axes = new_figure(6.2 if panels == 3 else 3.4, panels, [2.6, 1, 1] if panels == 3 else None)
        how = look(0)
        _spread(axes[0], curve)
        for cells, label, more in _classes(curve):
            points(axes[0], [c.n for c in cells], [c.given_optimum for c in cells], how, label, **more)
        if curve.fit is not None:
            _law_line(axes[0], curve.fit, INK, "-", law_in_tex(curve.fit.best))
            for rival, line in zip(curve.fit.rivals, ("--", ":"), strict=False):
                _law_line(axes[0], curve.fit, FAINT, line, f"not told apart: {law_in_tex(rival)}", rival)
            _over_law(axes[1], curve, curve.fit)
            _exponents(axes[2], curve.fit)
            over_n(axes[1], ns, label=False)
            over_n(axes[2], ns)
        if exact:
            rings(axes[0], [*exact], [*exact.values()])
        over_n(axes[0], ns, label=panels == 1)
        log_values(axes[0])
        axes[0].set_ylabel("evaluations to the optimum")
        axes[0].set_title(wrapped(curve.name))
        if axes[0].get_legend_handles_labels()[0]:
            axes[0].legend(loc="best")
        else:
            axes[0].text(0.5, 0.5, "no run reached the optimum", transform=axes[0].transAxes, ha="center")
    caption = f"{curve.name}. {curve.sentences()[0]}"
    records = [_mean_record(curve, cell) for cell in curve.cells]
    if exact:
        records = [record | {"exact": exact.get(record["n"])} for record in records]
    return Drawing(f"time-{slug(curve.name)}", figure, caption, records)


def _classes(curve: Curve) -> list[tuple[list[CellEstimate], str, dict[str, Any]]]:
    """Cells by what their mean is worth: in the fit, not in the fit, or only of the runs that ended."""
    fitted = {int(n) for n in curve.fit.points.n} if curve.fit else {c.n for c in curve.cells if c.complete}
    used = [c for c in curve.cells if c.n in fitted]
    whole = [c for c in curve.cells if c.n not in fitted and c.complete]
    lost, cut = ([c for c in curve.cells if c.n not in fitted and c.stuck + c.budget and bool(c.budget) == stopped]
                 for stopped in (False, True))  # fmt: skip
    level = formatting.level(curve.cells[0].chance.level)
    over = f"mean, {level} interval"
    if any(not cell.complete for cell in used):
        over = f"mean over the runs that ended, {level} interval"
    return [
        (used, over, {}),
        (whole, "not in the fit", {"markerfacecolor": "white"}),
        (lost, "mean of the runs that ended, others are stuck;\nnot in the fit", {"marker": "+"}),
        (cut, "mean of the runs that ended: too low, others were\nstopped", {"marker": "x"}),
    ]


def _spread(axes: Axes, curve: Curve) -> None:
    """Where 90 % of the runs lie, as far as it is finite."""
    ends = [(c.n, c.quantiles[0.05].value, c.quantiles[0.95].value) for c in curve.cells]
    known = [(n, low, high) for n, low, high in ends if is_finite(low) and is_finite(high)]
    if len(known) > 1:
        n, low, high = zip(*known, strict=True)
        axes.fill_between(n, low, high, color=look(0).colour, alpha=0.13, linewidth=0, label="90 % of the runs")


def _law_line(axes: Axes, fit: LawFit, colour: str, line: Any, label: str, law: RankedLaw | None = None) -> None:
    n = np.geomspace(fit.points.n[0], fit.points.n[-1], 200)
    axes.plot(n, np.exp((law or fit.best).fit.log_value(n)), color=colour, linestyle=line, label=label, zorder=2)


def _over_law(axes: Axes, curve: Curve, fit: LawFit) -> None:
    """Time ÷ g(n); in logarithms, as an exponential law overflows."""
    best = fit.best.fit
    for cells, _, more in _classes(curve):
        known = [cell for cell in cells if cell.n >= MIN_SIZE and cell.given_optimum.value is not None]
        logs = best.log_leading(np.array([cell.n for cell in known], float))
        over = [
            cell.given_optimum.transformed(lambda end, log=log: math.exp(math.log(end) - log) if end else None)  # type: ignore[misc]
            for cell, log in zip(known, logs, strict=True)
        ]
        points(axes, [cell.n for cell in known], over, look(0), **more)
    n = np.geomspace(fit.points.n[0], fit.points.n[-1], 200)
    axes.plot(n, np.exp(best.log_value(n) - best.log_leading(n)), color=INK, zorder=2)
    term = fit.best.law.term
    axes.set_ylabel(rf"time ÷ (${term.tex if term else '2^{βn}'}$)")


def _exponents(axes: Axes, fit: LawFit) -> None:
    """Between neighbouring sizes, and those of the law."""
    exponents = local_exponents(fit.measured, fit.level)
    points(axes, [n for n, _ in exponents], [exponent for _, exponent in exponents], look(0))
    n = np.geomspace(fit.points.n[0], fit.points.n[-1], 200)
    axes.plot(n, np.gradient(fit.best.fit.log_value(n), np.log(n)), color=INK, zorder=2)
    axes.set_ylabel("local exponent")


def _mean_record(curve: Curve, cell: CellEstimate) -> dict[str, Any]:
    fitted = None
    if curve.fit is not None and cell.n >= curve.fit.points.n[0]:
        fitted = math.exp(min(float(curve.fit.best.fit.log_value(np.array([cell.n], float))[0]), 700))
    low, high = cell.quantiles[0.05].value, cell.quantiles[0.95].value
    return {
        "curve": curve.name,
        "n": cell.n,
        "runs": cell.runs,
        "optimum": cell.optimum,
        **cell.given_optimum.columns("mean_given_optimum", ""),
        "quantile_0.05": low if is_finite(low) else None,
        "quantile_0.95": high if is_finite(high) else None,
        "law": fitted,
    }
