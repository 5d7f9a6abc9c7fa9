"""Two settings at one size: which is faster, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpruntime.analysis.estimates import (
    LEVEL,
    Estimate,
    Values,
    on_log_odds,
    on_logarithms,
    proportion,
    student_quantile,
)
from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK, CellRuns

_BEYOND = 1e300  # above every budget


@dataclass(frozen=True)
class ComparedCell:
    """Two settings at one size.

    Attributes:
        n: the size.
        ratio: mean time of A ÷ mean time of B.
        sure: the same with an interval that holds at all sizes of the comparison together (Bonferroni).
        error: the standard error of log(ratio), None where there is none.
        a_faster: P(time of A < time of B), ties counted half.
        p_value: of the Mann–Whitney test.
        p_holm: the same after Holm's correction for all tests of the study.
    """

    n: int
    ratio: Estimate
    sure: Estimate
    error: float | None
    a_faster: Estimate
    p_value: float
    p_holm: float

    @property
    def side(self) -> int:
        """−1 where A is clearly faster on average, 1 where B is, 0 where that is not clear."""
        return side(self.sure)


def side(ratio: Estimate) -> int:
    """On which side of 1 the whole interval lies; 0 where it does not, or where there is none."""
    if ratio.low is None or ratio.high is None:
        return 0
    return int(ratio.low > 1) - int(ratio.high < 1)


def compare_cells(a: CellRuns, b: CellRuns, level: float, sizes: int, names: tuple[str, str]) -> ComparedCell:
    """Two cells of the same n, of a comparison over this number of sizes, with the names of its sides."""
    budgets = [cell.spec.budget for cell in (a, b) if cell.spec.budget is not None]
    common = min(budgets) if budgets else None
    x, y = (_ranked(cell, common) for cell in (a, b))
    p_value = _mann_whitney(x, y)
    samples, remark = _samples(a, b, common, names)
    if samples is None:
        ratio = sure = Estimate(None, level=level, remark=remark)
        error = None
    else:
        ratio = ratio_of_means(*samples, level, remark)
        sure = ratio_of_means(*samples, 1 - (1 - level) / sizes, remark)
        error = None if ratio.low is None else log_error(*samples)
    return ComparedCell(a.spec.n, ratio, sure, error, chance_less(x, y, level), p_value, p_value)


def _ranked(runs: CellRuns, common: int | None) -> Values:
    """Times up to the smaller of two budgets. Beyond it all are alike, and so are stuck runs: nobody knows whether a
    stopped run would have ended."""
    times = runs.evaluations.astype(float)
    beyond = runs.outcome != OPTIMUM
    times[beyond if common is None else beyond | (times > common)] = _BEYOND
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
        return Estimate(value, bound.low, bound.high, level, "Clopper–Pearson")
    error = math.sqrt(float(of_x.var(ddof=1)) / len(x) + float(of_y.var(ddof=1)) / len(y))
    if error < 1e-12:
        return Estimate(value, level=level, remark="all runs tie alike, no interval")
    return on_log_odds(value, error, min(len(x), len(y)) - 1, level, "DeLong")


def _samples(
    a: CellRuns, b: CellRuns, common: int | None, names: tuple[str, str]
) -> tuple[tuple[Values, Values] | None, str]:
    """The times whose means can be compared, and what has to be said; None where there is no ratio."""
    stopped = any((cell.outcome == BUDGET).any() for cell in (a, b))
    if stopped and common is not None:
        if not any(((cell.outcome == OPTIMUM) & (cell.evaluations <= common)).any() for cell in (a, b)):
            return None, "no run of either ended within the budget"
        cut = [bool(((cell.outcome != OPTIMUM) | (cell.evaluations > common)).any()) for cell in (a, b)]
        bound = {(True, False): "at least this, ", (False, True): "at most this, "}.get((cut[0], cut[1]), "")
        return (a.until(common), b.until(common)), f"{bound}of means restricted to the budget {common:,}"
    stuck = [name for cell, name in zip((a, b), names, strict=True) if (cell.outcome == STUCK).any()]
    if stuck:
        return None, f"{' and '.join(stuck)} {'has' if len(stuck) == 1 else 'have'} an infinite mean"
    return (a.evaluations.astype(float), b.evaluations.astype(float)), ""


def log_error(x: Values, y: Values) -> float:
    """The standard error of log(x̄/ȳ) by the delta method."""
    return math.sqrt(sum(float(sample.var(ddof=1) / sample.mean() ** 2) / len(sample) for sample in (x, y)))


def ratio_of_means(x: Values, y: Values, level: float = LEVEL, remark: str = "") -> Estimate:
    """x̄/ȳ with Student's interval on logarithms.

    It has the freedom of the smaller sample. Welch's, which may be that of both, is too narrow for skewed times.
    """
    value, fewer = float(x.mean() / y.mean()), min(len(x), len(y))
    if fewer < 2:
        return Estimate(value, level=level, remark=remark or "one run, no interval")
    error = log_error(x, y)
    if error == 0:
        return Estimate(value, level=level, remark=remark or "all runs alike, no interval")
    spread = min(student_quantile(fewer - 1, level) * error, 700.0)
    return on_logarithms(value, spread, level, "delta method", remark)
