"""Designs in two factors, n and T_init: lines through their plane, and what a bound says along each of them.

A bound f(n, T_init) hides a constant, so what counts is how E[time] ÷ f moves. Along a line one number grows, n or
T_init; a power of it is fitted to E[time] ÷ f over the larger half of the line. Lower-order terms make that power
differ from 0, and a logarithm too much or too little would make it 1 ÷ ln x, x being the middle of that half: that is
the line's *margin*. An upper bound is supported if the 95 % interval of the power ends below the margin, contradicted
if it begins above; a lower bound the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.estimates import LEVEL, Estimate, normal_quantile
from gpruntime.analysis.fitting import slope
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Asked, Change
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.rules import no_growth
from gpruntime.paper.scale import Scale, by_scale, doubling

SizeBound: TypeAlias = "Callable[[float, float], float]"
"""f(n, T_init)."""


@dataclass(frozen=True)
class Line:
    """Cells along which one number grows.

    Attributes:
        name: the line in words, such as T_init = n².
        factor: what grows, "n", "T_init" or "2^n".
        specs: the cells.
        runs: of each.
    """

    name: str
    factor: str
    specs: tuple[RunSpec, ...]
    runs: int

    @property
    def x(self) -> list[int]:
        """What grows, at each cell."""
        if self.factor == "2^n":
            return [2**spec.n for spec in self.specs]
        return [spec.n if self.factor == "n" else spec.init.leaves for spec in self.specs]

    @property
    def asked(self) -> list[Asked]:
        """The runs it needs."""
        return [Asked(spec, self.runs) for spec in self.specs]


def plane(scale: Scale, problem: str, algorithm: str, accept: str = "", init: str = "unity") -> tuple[Line, ...]:
    """Three lines: T_init = n, T_init = n², and a small n with ever larger trees."""
    along = by_scale(scale, quick=doubling(50, 3200), full=doubling(50, 25_600), tiny=doubling(10, 160))
    squares = by_scale(
        scale, quick=(10, 14, 20, 28, 40, 57, 80, 113, 160), full=(*range(20, 81, 20), 113, 160, 226, 320, 452),
        tiny=(4, 6, 8, 11, 16),
    )  # fmt: skip
    small = by_scale(scale, quick=50, full=50, tiny=5)
    trees = by_scale(scale, quick=doubling(400, 25_600), full=doubling(400, 204_800), tiny=doubling(10, 320))
    many = by_scale(scale, quick=120, full=400, tiny=40)
    few = by_scale(scale, quick=80, full=200, tiny=40)

    def specs(sizes: Sequence[tuple[int, int]]) -> tuple[RunSpec, ...]:
        return tuple(
            RunSpec(problem=problem, algorithm=algorithm, n=n, init=f"{init}:leaves={leaves}", accept=accept)
            for n, leaves in sizes
        )

    return (
        Line("T_init = n", "n", specs([(n, n) for n in along]), many),
        Line("T_init = n²", "T_init", specs([(n, n * n) for n in squares]), few),
        Line(f"n = {small}", "T_init", specs([(small, leaves) for leaves in trees]), few),
    )


@dataclass(frozen=True)
class LineCheck:
    """A bound held against the times along a line.

    Attributes:
        line: which.
        label: the algorithm and the line.
        ratios: E[time] ÷ bound at each cell.
        trend: the power of what grows, over the larger half; None where no mean is known.
    """

    line: Line
    label: str
    ratios: tuple[Estimate, ...]
    trend: Estimate | None

    @property
    def margin(self) -> float:
        """The power that a logarithm has in the middle of the larger half."""
        x = self.line.x[len(self.line.x) // 2 :]
        return 2 / math.log(x[0] * x[-1])

    def upper(self) -> str:
        """Whether the ratio does not grow."""
        return no_growth(self.trend, self.margin)

    def lower(self) -> str:
        """Whether the ratio does not fall."""
        return no_growth(None if self.trend is None else _negated(self.trend), self.margin)

    def records(self) -> list[dict[str, Any]]:
        """One row a cell."""
        return [
            {
                "curve": self.label,
                "n": spec.n,
                "initial_leaves": spec.init.leaves,
                "measured_over_bound": ratio.value,
                "low": ratio.low,
                "high": ratio.high,
            }
            for spec, ratio in zip(self.line.specs, self.ratios, strict=True)
        ]


def _negated(power: Estimate) -> Estimate:
    value, low, high = (None if end is None else -end for end in (power.value, power.high, power.low))
    return Estimate(value, low, high, power.level)


def hold_line(evidence: Evidence, line: Line, bound: SizeBound) -> LineCheck:
    """The times along a line ÷ a bound."""
    ratios, errors = [], []
    for spec in line.specs:
        ratio, error = _ratio(evidence, spec, bound(float(spec.n), float(spec.init.leaves)))
        ratios.append(ratio)
        errors.append(error)
    trend = None
    if all(math.isfinite(error) for error in errors):
        upper = slice(len(ratios) // 2, None)
        x, values = np.array(line.x, float), np.array([ratio.value for ratio in ratios], float)
        trend = slope(x[upper], values[upper], np.array(errors)[upper])
    spec = line.specs[0]
    start = "" if spec.init.name == "unity" else f" from {spec.init.name}"
    label = f"{spec.algorithm.name.removeprefix('(1+1) ').partition(',')[0]}{start}, {line.name}"
    return LineCheck(line, label, tuple(ratios), trend)


def _ratio(evidence: Evidence, spec: RunSpec, bound: float) -> tuple[Estimate, float]:
    """E[time] ÷ bound, and its relative error; infinite where no mean is known."""
    cell = evidence.cell(spec)
    mean, variance = cell.given_optimum.value, cell.relative_variance
    if not cell.complete or mean is None or variance is None:
        return Estimate(None, remark="no mean is known"), math.inf
    error = math.sqrt(variance / cell.optimum)
    spread = math.exp(normal_quantile(LEVEL) * error)
    value = mean / bound
    return Estimate(value, value / spread, value * spread, LEVEL, "delta method"), error


def ratio_of_means(above: CellEstimate, below: CellEstimate) -> Estimate:
    """E[time] of one cell ÷ E[time] of another, by the delta method; unknown where a mean is."""
    cells = (above, below)
    if not all(cell.complete and cell.relative_variance is not None for cell in cells):
        return Estimate(None, remark="no mean is known")
    value = (above.mean.value or math.nan) / (below.mean.value or math.nan)
    error = math.sqrt(sum((cell.relative_variance or 0.0) / cell.optimum for cell in cells))
    spread = math.exp(normal_quantile(LEVEL) * error)
    return Estimate(value, value / spread, value * spread, LEVEL, "delta method")


def constants(evidence: Evidence, lines: Sequence[Line], terms: Mapping[str, SizeBound]) -> dict[str, Estimate]:
    """E[time] ≈ Σ c·term over all cells of the lines: each c with its interval, widened where the sum does not fit."""
    rows, weights = [], []
    for spec in (spec for line in lines for spec in line.specs):
        cell = evidence.cell(spec)
        mean, variance = cell.given_optimum.value, cell.relative_variance
        if cell.complete and mean is not None and variance:
            size = float(spec.n), float(spec.init.leaves)
            rows.append([term(*size) / mean for term in terms.values()])
            weights.append(math.sqrt(cell.optimum / variance))
    design, weight = np.array(rows), np.array(weights)
    if len(rows) <= len(terms):
        return {}
    weighted = design * weight[:, None]
    found, *_ = np.linalg.lstsq(weighted, weight, rcond=None)
    freedom = len(rows) - len(terms)
    dispersion = max(float(((weighted @ found - weight) ** 2).sum()) / freedom, 1.0)
    errors = np.sqrt(np.diag(np.linalg.inv(weighted.T @ weighted)) * dispersion) * normal_quantile(LEVEL)
    return {
        name: Estimate(float(c), float(c - e), float(c + e), LEVEL, "weighted least squares")
        for name, c, e in zip(terms, found, errors, strict=True)
    }


RULE = (
    "Along each line a power of what grows is fitted to E[time] ÷ bound over the larger half. Its margin is the power "
    "that one logarithm more would have there. Supported if every 95 % interval {side}; contradicted if one lies "
    "wholly beyond; open otherwise."
)
UPPER_RULE = RULE.format(side="ends below the margin")
LOWER_RULE = RULE.format(side="begins above minus the margin")
BOTH_RULE = RULE.format(side="lies within the margin on both sides")
MARGIN_CHANGED = Change(
    "2026-11-16", "rule", "the margin is the power of one logarithm; it had been 0.05, which lower-order terms exceed."
)


def over_n(name: str, sizes: Sequence[int], runs: int, **fields: Any) -> Line:
    """A line over n; fields of the spec may be functions of n."""
    specs = tuple(
        RunSpec(n=n, **{field: value(n) if callable(value) else value for field, value in fields.items()})
        for n in sizes
    )
    return Line(name, "n", specs, runs)
