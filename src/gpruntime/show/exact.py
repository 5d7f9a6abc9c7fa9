"""The law of the time until the optimum, as it was solved."""

from __future__ import annotations

import numpy as np

from gpruntime.exact.solve import ExactResult
from gpruntime.model.spec_text import sentence
from gpruntime.show.axes import log_times, new_figure, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.style import look, styled

_REACHED = 0.995  # of P(optimum): where the figure ends
_MAX_EVALUATIONS = 1_000_000
_STEPS = 200


def exact_figure(result: ExactResult) -> Drawing:
    """P(time ≤ t); between two lines where a truncated answer cannot tell."""
    last = 1
    while result.times.at_most_bounds(last)[0] < _REACHED * result.optimum_at_least and last < _MAX_EVALUATIONS:
        last *= 2
    times = np.unique(np.geomspace(1, last, _STEPS).round().astype(np.int64)).tolist()
    low, high = zip(*map(result.times.at_most_bounds, times), strict=True)
    name = f"{sentence(result.spec)}, n = {result.spec.n:,}"
    with styled():
        figure, (axes,) = new_figure(3.6)
        axes.step(times, low, where="post", color=look(0).colour)
        if result.is_truncated:
            axes.step(times, high, where="post", color=look(0).colour, linestyle="--")
            axes.fill_between(times, low, high, step="post", color=look(0).colour, alpha=0.18, linewidth=0)
        log_times(axes)
        axes.set(ylim=(0, 1.02), xlabel="evaluations", ylabel="P(optimum reached by then)", title=wrapped(name))
    between = " It lies between the two lines." if result.is_truncated else ""
    caption = f"{name}. The probability of having reached the optimum, {result.kind}.{between}"
    records = [
        {"evaluations": t, "p_optimum_by_then": a if a == b else None, "low": a, "high": b}
        for t, a, b in zip(times, low, high, strict=True)
    ]
    return Drawing(f"exact-{slug(name)}", figure, caption, records)
