"""The bounds of the theory, which problems bring along, and how far the measured times are from them.

A bound O(f) hides a constant, so one number says nothing; how measured ÷ f changes with n does. If it falls like n^−x,
the bound is loose by about n^x on this range. If it rises, the bound is contradicted only if that goes on for ever:
simulation can make a bound implausible, and can never prove one.

T_max is the largest tree of a run; its measured mean stands in for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import LEVEL, Estimate, student_quantile
from gpruntime.analysis.fitting import slope
from gpruntime.analysis.plotting import Result
from gpruntime.model.bound import INFINITE, UPPER, Bound
from gpruntime.model.problems import PROBLEMS

_STEP = 1e-4
_FLAT = 0.05  # an exponent that logarithms and lower-order terms can make

BOUNDS: tuple[Bound, ...] = tuple(bound for problem in PROBLEMS.values() for bound in problem.bounds)
"""Those of our problems."""


@dataclass(frozen=True)
class BoundCheck(Result):
    """A curve held against a bound.

    Attributes:
        bound, curve: which.
        ratios: measured ÷ bound for each size, without the bound's hidden constant.
        trend: α if the ratio behaves like n^α over the larger half of the sizes; None with fewer than three.
        stuck, runs: for infinite bounds.
    """

    bound: Bound
    curve: Curve
    ratios: tuple[tuple[int, Estimate], ...]
    trend: Estimate | None
    stuck: int
    runs: int

    @property
    def name(self) -> str:
        """The curve and the bound."""
        return f"{self.curve.name}: {self.bound.formula}"

    def verdict(self) -> str:
        """How loose the bound is, in words."""
        if self.bound.kind == INFINITE:
            if self.stuck == 0:
                few = "too few runs, n too small to see it, or lost runs that still move"
                return f"none of {formatting.plural(self.runs, 'run')} was proved to be stuck: {few}"
            runs = formatting.plural(self.runs, "run")
            return f"{self.stuck:,} of {runs} stuck for ever: the mean is infinite, as the theory says"
        if not self.ratios:
            return "no size with a known mean"
        (first, start), (last, end) = self.ratios[0], self.ratios[-1]
        if self.trend is None:
            return f"measured ÷ bound is {end.short()} at n = {last:,}; three sizes would show a trend"
        moves = f"from {start.short()} at n = {first:,} to {end.short()} at n = {last:,}"
        low, high = self.trend.low or 0.0, self.trend.high or 0.0
        moves += f", at the larger sizes like n^{self.trend.short()} (interval {formatting.interval(low, high)})"
        falling, rising = high < 0, low > 0
        power = formatting.number(abs(self.trend.value or 0.0), formatting.half_width(low, high))
        if max(abs(low), abs(high)) < _FLAT:
            tight = f"tight up to n^±{_FLAT:g} on this range (a log log n could not be seen)"
            return f"measured ÷ bound hardly changes ({moves}): {tight}"
        if not (falling or rising):
            return f"measured ÷ bound goes {moves}: no clear trend, more runs or sizes would show it"
        if (self.bound.kind == UPPER) == falling:
            return f"measured ÷ bound {'falls' if falling else 'rises'} {moves}: loose by about n^{power} on this range"
        verb = "falls" if falling else "rises"
        but = "if that went on for ever the bound would be wrong; logarithms can do it too"
        return f"measured ÷ bound {verb} {moves}: {but}"

    def sentences(self) -> list[str]:
        """The verdict, and where the bound is from."""
        return [self.verdict(), f"{self.bound.source}; {self.bound.conditions}"]

    def to_records(self) -> list[dict[str, Any]]:
        """One row for each size."""
        return [
            {
                "curve": self.curve.name,
                "bound": self.bound.id,
                "formula": self.bound.formula,
                "source": self.bound.source,
                "certainty": self.bound.certainty,
                "n": n,
                **ratio.columns("measured_over_bound", ""),
            }
            for n, ratio in self.ratios
        ]

    def __repr__(self) -> str:
        return f"<BoundCheck of {self.name}: {self.verdict()}>"


def check_bounds(curves: Iterable[Curve], level: float = LEVEL) -> tuple[BoundCheck, ...]:
    """Every curve against every bound that is about it, where there is something to hold against it."""
    checks = (
        check_bound(bound, curve, level)
        for curve in curves
        for bound in curve.spec.problem.bounds
        if all(bound.applies(cell.spec) for cell in curve.cells)
    )
    return tuple(check for check in checks if check.ratios or check.bound.kind == INFINITE)


def check_bound(bound: Bound, curve: Curve, level: float = LEVEL) -> BoundCheck:
    """One curve against one bound. Sizes at which the budget stopped runs are left out: their mean is unknown."""
    stuck, runs = (sum(values) for values in zip(*((cell.stuck, cell.runs) for cell in curve.cells), strict=True))
    ratios, errors = [], []
    for cell in curve.cells:
        mean, variance = cell.given_optimum.value, cell.relative_variance
        if bound.log is None or cell.budget or mean is None or variance is None:
            continue
        leaves, initial = cell.max_leaves.value or 1.0, float(max(cell.spec.init.leaves, 1))
        log_bound = bound.log(float(cell.n), leaves, initial)
        above, below = (bound.log(float(cell.n), leaves * math.exp(step), initial) for step in (_STEP, -_STEP))
        power = (above - below) / (2 * _STEP)  # of T_max in the bound
        if power and cell.max_leaves.value is None:  # summaries do not keep it
            continue
        shared = power**2 * cell.leaves_variance - 2 * power * cell.leaves_covariance
        error = math.sqrt(max(variance / cell.optimum + shared, 0.0))
        spread = student_quantile(cell.optimum - 1, level) * error
        log_ratio = math.log(mean) - log_bound
        value, low, high = (math.exp(min(log_ratio + side * spread, 700.0)) for side in (0, -1, 1))
        ratios.append((cell.n, Estimate(value, low, high, level, "delta method")))
        errors.append(error)
    trend = None
    if len(ratios) >= 3:
        sizes, values = (np.array(column, float) for column in ([n for n, _ in ratios], [r.value for _, r in ratios]))
        upper = slice(min(len(ratios) // 2, len(ratios) - 3), None)  # lower-order terms matter at small sizes
        trend = slope(sizes[upper], values[upper], np.array(errors)[upper], level)
    return BoundCheck(bound, curve, tuple(ratios), trend, stuck, runs)
