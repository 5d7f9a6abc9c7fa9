"""Two algorithms on the same cells: which is faster, by how much, from which n on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from gpruntime.analysis import words
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import LEVEL, Estimate, Values, normal_quantile, proportion
from gpruntime.analysis.fitting import Points, free_power
from gpruntime.analysis.runs import BUDGET, STUCK, CellRuns
from gpruntime.analysis.survival import ranked_times, restricted_times
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.spec import RunSpec

_BEYOND = 1e300


@dataclass(frozen=True)
class ComparedCell:
    """Two algorithms at one size.

    Attributes:
        n: the size.
        ratio: mean time of A ÷ mean time of B.
        a_faster: P(time of A < time of B), ties counted half.
        p_value: of the Mann–Whitney test.
        p_holm: the same after Holm's correction for all tests of the study.
    """

    n: int
    ratio: Estimate
    a_faster: Estimate
    p_value: float
    p_holm: float


@dataclass(frozen=True)
class Crossover:
    """Between which sizes the slower algorithm becomes the faster, and where the ratio is estimated to pass 1."""

    after: int
    before: int
    estimate: float
    faster_below: str
    faster_above: str


@dataclass(frozen=True)
class Comparison:
    """Two algorithms over n.

    Attributes:
        a, b: the algorithms' names.
        setting: what they have in common.
        cells: the sizes that both were run on.
        crossovers: where they change places.
        trend: α if the ratio of means goes like n^α; None with fewer than three sizes.
    """

    a: str
    b: str
    setting: str
    cells: tuple[ComparedCell, ...]
    crossovers: tuple[Crossover, ...]
    trend: Estimate | None

    @property
    def name(self) -> str:
        """Both, and the setting."""
        return f"{self.a} against {self.b} on {self.setting}"

    def sentences(self) -> list[str]:
        """Who is faster, in words."""
        first, last = self.cells[0], self.cells[-1]
        sentences = [_at(self, last)] if first is last else [_at(self, first), _at(self, last)]
        sentences += [
            f"{crossover.faster_below} is faster up to n = {crossover.after:,}, {crossover.faster_above} from "
            f"n = {crossover.before:,} on; they cross near n = {words.number(crossover.estimate, digits=2)}."
            for crossover in self.crossovers
        ]
        if not self.crossovers and len(self.cells) > 1:
            sentences.append("No crossover between these sizes.")
        if self.trend is not None:
            between = words.interval(self.trend.low, self.trend.high)
            sentences.append(f"The ratio goes like n^{self.trend.short()} (interval {between}).")
        return sentences

    def answer(self) -> str:
        """The shortest answer: where they cross, or how they compare at the largest size."""
        sentences = self.sentences()
        return " ".join([sentences[0 if len(self.cells) == 1 else 1], *sentences[2:]])

    def to_records(self) -> list[dict[str, Any]]:
        """One row for each size."""
        return [
            {
                "a": self.a,
                "b": self.b,
                "setting": self.setting,
                "n": cell.n,
                "ratio": cell.ratio.value,
                "ratio_low": cell.ratio.low,
                "ratio_high": cell.ratio.high,
                "p_a_faster": cell.a_faster.value,
                "p_a_faster_low": cell.a_faster.low,
                "p_a_faster_high": cell.a_faster.high,
                "p_mann_whitney": cell.p_value,
                "p_holm": cell.p_holm,
                "remark": cell.ratio.remark,
            }
            for cell in self.cells
        ]

    def plot(self) -> Any:
        """The ratio over n (matplotlib)."""
        from gpruntime.analysis.plotting import plot

        return plot(self)

    def _repr_html_(self) -> str:
        from gpruntime.analysis.plotting import html_table

        return html_table(self.name, self.sentences(), self.to_records())


def _at(comparison: Comparison, cell: ComparedCell) -> str:
    chance = words.percent(cell.a_faster.value, cell.a_faster.low, cell.a_faster.high)
    text = f"At n = {cell.n:,}: P({comparison.a} faster) = {chance}"
    if cell.ratio.value is not None:
        text += f", ratio of means {cell.ratio}"
    elif cell.ratio.remark:
        text += f", {cell.ratio.remark}"
    return f"{text}; Mann–Whitney p {_p(cell.p_holm)} after Holm's correction."


def _p(value: float) -> str:
    return "below 10⁻⁶" if value < 1e-6 else f"= {words.number(value, digits=2)}"


def compare_curves(
    curves: Iterable[Curve], runs: Mapping[RunSpec, CellRuns], level: float = LEVEL
) -> tuple[Comparison, ...]:
    """Compares all curves that differ in the algorithm alone."""
    groups: dict[tuple[Any, ...], list[Curve]] = {}
    for curve in curves:
        law = {
            key: value for key, value in curve.spec.law().items() if key not in ("algorithm", "n", "max_leaves_allowed")
        }
        law["limited"] = curve.name.rpartition("at most")[2] if curve.spec.max_leaves_allowed is not None else ""
        law.pop("poisson_mean", None)
        groups.setdefault(tuple(sorted(law.items())), []).append(curve)
    order = list(ALGORITHMS)
    found = []
    for group in groups.values():
        group.sort(key=lambda curve: order.index(curve.spec.algorithm))
        found += [compare(a, b, runs, level) for a, b in combinations(group, 2) if a.spec.algorithm != b.spec.algorithm]
    return _with_holm([comparison for comparison in found if comparison is not None])


def compare(a: Curve, b: Curve, runs: Mapping[RunSpec, CellRuns], level: float = LEVEL) -> Comparison | None:
    """Two curves at the sizes they share; None if they share none."""
    of_a, of_b = ({cell.n: runs[cell.spec] for cell in curve.cells} for curve in (a, b))
    cells = tuple(_compare_cells(n, of_a[n], of_b[n], level) for n in sorted(of_a.keys() & of_b.keys()))
    if not cells:
        return None
    names = a.spec.algorithm_.name, b.spec.algorithm_.name
    setting = words.setting(a.spec, with_algorithm=False)
    return Comparison(*names, setting, cells, tuple(_crossovers(cells, *names)), _trend(cells, level))


def _compare_cells(n: int, a: CellRuns, b: CellRuns, level: float) -> ComparedCell:
    budgets = [cell.spec.budget for cell in (a, b) if cell.spec.budget is not None]
    common = min(budgets) if budgets else None
    x, y = (_ranked(cell, common) for cell in (a, b))
    p_value = _mann_whitney(x, y)
    return ComparedCell(n, _ratio(a, b, common, level), chance_less(x, y, level), p_value, p_value)


def _ranked(runs: CellRuns, common: int | None) -> Values:
    """Times up to the smaller of two budgets; beyond it all are alike, but for the stuck runs, which are infinite."""
    times = ranked_times(runs, _BEYOND)
    if common is not None:
        times[(times > common) & (times < math.inf)] = _BEYOND
    return times


def _mann_whitney(x: Values, y: Values) -> float:
    from scipy import stats

    if min(x.min(), y.min()) == max(x.max(), y.max()):
        return 1.0
    return float(stats.mannwhitneyu(x, y, alternative="two-sided").pvalue)


def chance_less(x: Values, y: Values, level: float = LEVEL) -> Estimate:
    """P(X < Y) + P(X = Y)/2 with DeLong's variance, on the scale of log odds."""
    x, y = np.sort(x), np.sort(y)
    of_x = 1 - (np.searchsorted(y, x, "left") + np.searchsorted(y, x, "right")) / (2 * len(y))
    of_y = (np.searchsorted(x, y, "left") + np.searchsorted(x, y, "right")) / (2 * len(x))
    value = float(of_x.mean())
    if min(len(x), len(y)) < 2:
        return Estimate(value, level=level, remark="one run, no interval")
    if value in (0.0, 1.0):  # no overlap: as many pairs as the smaller sample has runs, all one way
        smaller = min(len(x), len(y))
        bound = proportion(round(value * smaller), smaller, level)
        return Estimate(value, bound.low, bound.high, level, "Wilson")
    error = math.sqrt(float(of_x.var(ddof=1)) / len(x) + float(of_y.var(ddof=1)) / len(y))
    centre, spread = math.log(value / (1 - value)), normal_quantile(level) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-min(max(end, -700.0), 700.0))) for end in (centre - spread, centre + spread))
    return Estimate(value, low, high, level, "DeLong")


def _ratio(a: CellRuns, b: CellRuns, common: int | None, level: float) -> Estimate:
    stuck = [cell.spec.algorithm_.name for cell in (a, b) if (cell.outcome == STUCK).any()]
    stopped = any((cell.outcome == BUDGET).any() for cell in (a, b))
    if stopped and common is not None:
        samples = [restricted_times(cell, float(common)) for cell in (a, b)]
        remark = f"of means restricted to the budget {common:,}"
    elif stuck:
        verb = "has" if len(stuck) == 1 else "have"
        return Estimate(None, level=level, remark=f"{' and '.join(stuck)} {verb} an infinite mean")
    else:
        samples, remark = [cell.evaluations.astype(float) for cell in (a, b)], ""
    value = float(samples[0].mean() / samples[1].mean())
    if min(len(sample) for sample in samples) < 2:
        return Estimate(value, level=level, remark=remark or "one run, no interval")
    relative = sum(float(sample.var(ddof=1) / sample.mean() ** 2) / len(sample) for sample in samples)
    if relative == 0:
        return Estimate(
            None, level=level, remark="no run of either ended within the budget" if stopped else "all runs alike"
        )
    spread = normal_quantile(level) * math.sqrt(relative)
    return Estimate(value, value * math.exp(-spread), value * math.exp(spread), level, "delta method", remark)


def _crossovers(cells: Sequence[ComparedCell], a: str, b: str) -> Iterable[Crossover]:
    """Changes of sign of log(ratio) between neighbours among the sizes where it is clearly not 1."""
    clear = [
        cell for cell in cells if cell.ratio.low is not None and (cell.ratio.low > 1 or (cell.ratio.high or 0) < 1)
    ]
    for left, right in pairwise(clear):
        first, second = math.log(left.ratio.value or 1), math.log(right.ratio.value or 1)
        if first * second < 0:
            share = first / (first - second)
            estimate = math.exp((1 - share) * math.log(left.n) + share * math.log(right.n))
            yield Crossover(left.n, right.n, estimate, *((a, b) if first < 0 else (b, a)))


def _trend(cells: Sequence[ComparedCell], level: float) -> Estimate | None:
    known = [cell for cell in cells if cell.ratio.low and cell.ratio.high and not cell.ratio.remark and cell.n > 1]
    if len(known) < 3:
        return None
    z = normal_quantile(level)
    errors = np.array([math.log((cell.ratio.high or 1) / (cell.ratio.low or 1)) / (2 * z) for cell in known])
    n, values = (
        np.array(column, float) for column in ([cell.n for cell in known], [cell.ratio.value for cell in known])
    )
    return slope(n, values, errors, level)


def slope(n: Values, values: Values, errors: Values, level: float = LEVEL) -> Estimate:
    """α if values go like n^α, weighted by the errors of their logarithms, widened where that does not fit."""
    least = max(0.05 * float(errors.max()), 1e-6)  # two runs that happened to be alike are no certainty
    points = Points(n, values, np.maximum(errors, least) ** 2, np.ones(len(n)))
    fit = free_power(points, with_log=False)
    assert fit is not None
    width = normal_quantile(level) * math.sqrt(fit.covariance[1, 1] * fit.dispersion)
    value = float(fit.parameters[1])
    return Estimate(value, value - width, value + width, level, "weighted least squares")


def _with_holm(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Holm's step-down correction over all tests of the study (scipy has only the false discovery rate)."""
    flat = [cell.p_value for comparison in comparisons for cell in comparison.cells]
    corrected = iter(holm(flat))
    return tuple(
        dataclasses.replace(
            comparison, cells=tuple(dataclasses.replace(cell, p_holm=next(corrected)) for cell in comparison.cells)
        )
        for comparison in comparisons
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: the i-th smallest of m times m − i + 1, never falling, at most 1."""
    order = np.argsort(p_values, kind="stable")
    stepped = np.asarray(p_values, float)[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0) if len(order) else stepped
    return [float(value) for value in adjusted]
