"""Figures of the runs at several n: how their times are distributed, how many end, what they accept."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.survival import thinned
from gpruntime.model.mutation import KINDS
from gpruntime.model.spec_text import sentence
from gpruntime.show.axes import log_times, log_values, new_figure, over_n, points, with_intervals, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.style import look, shades, styled

_MAX_SIZES = 7
_MAX_STEPS = 200


def times_figure(curve: Curve) -> Drawing:
    """P(time ≤ t) for several n: how the times are distributed, and what part never ends."""
    chosen = tuple(curve.cells[place] for place in thinned(len(curve.cells), _MAX_SIZES))
    return _distribution(chosen, curve.name, f"distribution-{slug(curve.name)}")


def cell_figure(cell: CellEstimate) -> Drawing:
    """P(time ≤ t) of one cell."""
    name = f"{sentence(cell.spec)}, n = {cell.n:,}"
    return _distribution((cell,), name, f"distribution-{slug(name)}")


def _distribution(cells: tuple[CellEstimate, ...], title: str, name: str) -> Drawing:
    records: list[dict[str, Any]] = []
    with styled():
        figure, (axes,) = new_figure(3.6)
        lines = ["-", "--", "-.", ":"]
        drawn = [cell for cell in cells if len(cell.survival.times)]
        for position, (cell, shade) in enumerate(zip(drawn, shades(len(drawn)), strict=True)):
            curve = cell.survival
            keep = thinned(len(curve.times), _MAX_STEPS)
            times, chance, low, high = (values[keep] for values in (curve.times, curve.chance, curve.low, curve.high))
            end = curve.horizon or (times[-1] * (3 if cell.stuck else 1))
            xs = np.concatenate([[times[0]], times, [max(end, times[-1])]])
            ys, lows, highs = (np.concatenate([[0], 1 - v, [1 - v[-1]]]) for v in (chance, high, low))
            label = f"n = {cell.n:,}"
            axes.step(xs, ys, where="post", color=shade, linestyle=lines[position % len(lines)], label=label)
            axes.fill_between(xs[1:], lows[1:], highs[1:], step="post", color=shade, alpha=0.18, linewidth=0)
            if curve.horizon is not None:
                axes.plot([curve.horizon], [ys[-1]], marker="|", markersize=11, color=shade)
            records += [
                {"n": cell.n, "evaluations": float(t), "p_optimum_by_then": float(1 - c),
                 "low": float(1 - h), "high": float(1 - lo)}
                for t, c, lo, h in zip(times, chance, low, high, strict=True)
            ]  # fmt: skip
        log_times(axes)
        axes.set(ylim=(0, 1.02), xlabel="evaluations", ylabel="P(optimum reached by then)", title=wrapped(title))
        if drawn:
            figure.legend(loc="outside right upper")
        else:
            axes.set_xlim(1, 10)
            axes.text(0.5, 0.5, "no run reached the optimum", transform=axes.transAxes, ha="center")
    caption = f"{title}."
    if drawn:
        level = formatting.level(cells[0].chance.level)
        intervals = f"{level} intervals (Clopper–Pearson)"
        caption += f" The share of runs that have reached the optimum, with {intervals}."
    never = [cell.n for cell in cells if not cell.optimum]
    if never:
        caption += f" No run reached it at n = {formatting.sizes(never)}."
    if any(cell.stuck for cell in drawn):
        stopped = " or was stopped" if any(cell.budget for cell in drawn) else ""
        caption += f" Curves that level off below 1: the rest is stuck for ever{stopped}."
    if any(cell.survival.horizon is not None for cell in drawn):
        caption += " A bar marks the budget, beyond which nothing is known."
    return Drawing(name, figure, caption, records)


def chance_figure(curve: Curve) -> Drawing:
    """P(optimum) over n."""
    ns = [cell.n for cell in curve.cells]
    with styled():
        figure, (axes,) = new_figure(3.0)
        points(axes, ns, [cell.chance for cell in curve.cells], look(0), linestyle="-", linewidth=0.7)
        over_n(axes, ns)
        axes.set(ylim=(-0.03, 1.03), ylabel="P(optimum)", title=wrapped(curve.name))
    chance = curve.cells[0].chance
    intervals = f"{chance.method} {formatting.level(chance.level)} intervals"
    within = " within the budget" if any(cell.budget for cell in curve.cells) else ""
    records = [
        {"n": c.n, "runs": c.runs, "optimum": c.optimum, "stuck": c.stuck, "stopped_by_budget": c.budget,
         **c.chance.columns("p_optimum", "")}
        for c in curve.cells
    ]  # fmt: skip
    return Drawing(
        f"chance-{slug(curve.name)}", figure,
        f"{curve.name}. Probability of reaching the optimum{within}, with {intervals}.", records,
    )  # fmt: skip


def operations_figure(curve: Curve) -> Drawing:
    """Which operations are accepted, and how large the tree becomes."""
    ns = [cell.n for cell in curve.cells]
    records = []
    with styled():
        figure, (upper, lower) = new_figure(4.4, 2, [1.4, 1])
        for position, kind in enumerate(KINDS):
            how = look(position)
            points(upper, ns, [c.acceptance[kind] for c in curve.cells], how, kind, linestyle=how.line, linewidth=0.8)
        sizes = [_per_variable(cell) for cell in curve.cells]
        points(lower, ns, sizes, look(0), linestyle="-", linewidth=0.8)
        accepted = [c.acceptance[kind].value for c in curve.cells for kind in KINDS]
        positive = [value for value in accepted if value]
        if positive and max(positive) / min(positive) > 30:
            log_values(upper)
        else:
            upper.set_ylim(0, None)
        over_n(upper, ns, label=False)
        over_n(lower, ns)
        lower.margins(y=0.25)
        upper.set_ylabel("accepted ÷ proposed")
        lower.set_ylabel(r"$\mathrm{E}[T_{\max}] \div n$")
        upper.set_title(wrapped(curve.name))
        if positive:
            upper.legend(loc="best", ncols=3)
        for cell, size in zip(curve.cells, sizes, strict=True):
            records.append(
                {"n": cell.n, **size.columns("mean_max_leaves_per_variable", "")}
                | {f"acceptance_{kind}": cell.acceptance[kind].value for kind in KINDS}
            )
    estimates = [*sizes, *(cell.acceptance[kind] for cell in curve.cells for kind in KINDS)]
    caption = (
        f"{curve.name}. Acceptance by operation, and the largest tree of a run in leaves per variable"
        f"{with_intervals(estimates, curve.cells[0].chance.level)}."
    )
    return Drawing(f"operations-{slug(curve.name)}", figure, caption, records)


def _per_variable(cell: CellEstimate) -> Estimate:
    return cell.max_leaves.transformed(lambda end: end / cell.n)
