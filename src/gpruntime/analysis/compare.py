"""Two curves over n that differ in one setting: which is faster, by how much, from which n on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import (
    LEVEL,
    Estimate,
    Values,
    on_log_odds,
    on_logarithms,
    proportion,
    student_quantile,
)
from gpruntime.analysis.fitting import slope
from gpruntime.analysis.plotting import Result
from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK, CellRuns
from gpruntime.analysis.settings import LIMIT, differences, differing_in_one
from gpruntime.analysis.table import RunTable
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import sentence, words_for

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

MAX_COMPARISONS = 60
_BEYOND = 1e300  # above every budget


# ---- two settings at one size: which is faster, and by how much


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


# ---- over n


@dataclass(frozen=True)
class Crossover:
    """Between which sizes the slower side becomes the faster, and where the ratio is estimated to pass 1."""

    after: int
    before: int
    estimate: float
    faster_below: str
    faster_above: str


@dataclass(frozen=True)
class Comparison(Result):
    """Two curves over n.

    Attributes:
        a, b: the sides: what they differ in, in words.
        differ: the names of those settings; one, where `summarise` chose the curves.
        setting: what they have in common.
        cells: the sizes that both were run on.
        crossovers: where they change places.
        trend: α if the ratio of means behaves like n^α; None with fewer than three sizes.
    """

    a: str
    b: str
    differ: tuple[str, ...]
    setting: str
    cells: tuple[ComparedCell, ...]
    crossovers: tuple[Crossover, ...]
    trend: Estimate | None

    @property
    def name(self) -> str:
        """Both, and the setting."""
        return f"{self.a} against {self.b} {self.where}"

    @property
    def where(self) -> str:
        """The setting, after the names of the sides."""
        return f"{'on' if 'algorithm' in self.differ else 'for'} {self.setting}"

    def sentences(self) -> list[str]:
        """Who is faster, in words."""
        first, last = self.cells[0], self.cells[-1]
        sentences = [_at(self, last)] if first is last else [_at(self, first), _at(self, last)]
        sentences += [
            f"{crossover.faster_below} is faster at n = {crossover.after:,}, {crossover.faster_above} at "
            f"n = {crossover.before:,}; they cross near n = {formatting.number(crossover.estimate, digits=2)}."
            for crossover in self.crossovers
        ]
        unclear = [cell.n for cell in self.cells if not cell.side and cell.ratio.value is not None]
        if unclear and len(self.cells) > 1:
            sentences.append(f"The ratio is not clearly on either side of 1 at n = {formatting.sizes(unclear)}.")
        elif not self.crossovers and len(self.cells) > 1 and all(cell.side for cell in self.cells):
            sentences.append("No crossover between these sizes.")
        if self.trend is not None:
            between = formatting.interval(self.trend.low, self.trend.high)
            sentences.append(f"The ratio behaves like n^{self.trend.short()} (interval {between}).")
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
                "difference": ", ".join(self.differ),
                "setting": self.setting,
                "n": cell.n,
                **cell.ratio.columns("ratio"),
                **cell.a_faster.columns("p_a_faster"),
                "p_mann_whitney": cell.p_value,
                "p_holm": cell.p_holm,
                "remark": cell.ratio.remark,
            }
            for cell in self.cells
        ]

    def __repr__(self) -> str:
        return f"<Comparison of {self.name}: {self.answer()}>"


def _at(comparison: Comparison, cell: ComparedCell) -> str:
    chance = cell.a_faster.transformed(lambda share: 100 * share)
    text = f"At n = {cell.n:,}: P({comparison.a} faster) = {chance.short()} % {chance.bracket()}".rstrip()
    if cell.ratio.value is not None:
        text += f", ratio of means {cell.ratio}"
    elif cell.ratio.remark:
        text += f", {cell.ratio.remark}"
    return f"{text}; Mann–Whitney p {_p(cell.p_holm)} after Holm's correction."


def _p(value: float) -> str:
    return "below 10⁻⁶" if value < 1e-6 else f"= {formatting.number(value, digits=2)}"


def compare_curves(
    curves: Iterable[Curve], runs: Mapping[RunSpec, CellRuns], level: float = LEVEL, most: int = MAX_COMPARISONS
) -> tuple[tuple[Comparison, ...], int]:
    """Compares curves that differ in one setting alone, and says how many pairs are left out.

    Of more than `most` pairs each setting gets its share, and within it the default against the others comes first.
    """
    by_setting = [[pair for pair in pairs if shared_cells(*pair)] for pairs in differing_in_one(curves).values()]
    turns = [pair for turn in zip_longest(*by_setting) for pair in turn if pair is not None]
    chosen = {(id(a), id(b)) for a, b in turns[:most]}
    compared = [compare(a, b, runs, level) for pairs in by_setting for a, b in pairs if (id(a), id(b)) in chosen]
    return _with_holm([comparison for comparison in compared if comparison is not None]), len(turns) - len(chosen)


def compare(a: Curve, b: Curve, runs: Mapping[RunSpec, CellRuns] | RunsLike, level: float = LEVEL) -> Comparison | None:
    """Two curves at the sizes they share, with the same limit on leaves unless they differ in it alone.

    They may differ in more than one setting. `runs` are theirs: by spec, or whatever `summarise` takes. None if they
    share no size.
    """
    shared = shared_cells(a, b)
    if not shared:
        return None
    if not isinstance(runs, Mapping):
        runs = {cell.spec: cell for cell in RunTable(runs).cells()}
    differ = differences(a, b)
    if differ:
        names = _side(a, differ), _side(b, differ)
        limits = formatting.limit_on_leaves(of_a.spec for of_a, _ in shared)
    else:
        names = _limit([of_a for of_a, _ in shared]), _limit([of_b for _, of_b in shared])
        limits = ""
    setting = sentence(a.spec, differ, a.init) + (f", {limits}" if limits else "")
    cells = tuple(compare_cells(runs[of_a.spec], runs[of_b.spec], level, len(shared), names) for of_a, of_b in shared)
    crossings = tuple(crossovers([(cell.n, cell.sure) for cell in cells], *names))
    return Comparison(*names, tuple(differ) or (LIMIT,), setting, cells, crossings, _trend(cells, level))


def shared_cells(a: Curve, b: Curve) -> list[tuple[CellEstimate, CellEstimate]]:
    """The cells that are held against each other: with one limit on leaves, or with two where that is the difference.

    Cells that differ in the budget alone hold the same runs.
    """
    of_limit = not differences(a, b)
    of_b = {cell.n: cell for cell in b.cells}
    pairs = [(cell, of_b[cell.n]) for cell in a.cells if cell.n in of_b]
    return [pair for pair in pairs if (getattr(pair[0].spec, LIMIT) != getattr(pair[1].spec, LIMIT)) == of_limit]


def _side(curve: Curve, differ: Sequence[str]) -> str:
    return ", ".join(words_for(name, curve.spec, curve.init) for name in differ)


def _limit(cells: Sequence[CellEstimate]) -> str:
    return formatting.limit_on_leaves(cell.spec for cell in cells) or "no limit on leaves"


def crossovers(ratios: Iterable[tuple[int, Estimate]], a: str, b: str) -> Iterable[Crossover]:
    """Changes of sign of log(ratio) between neighbours among the sizes where it is clearly not 1.

    The intervals must hold at all sizes together: with one for each size alone, a crossover would be found somewhere.
    """
    clear = [(n, ratio) for n, ratio in ratios if side(ratio)]
    for (left, below), (right, above) in pairwise(clear):
        first, second = math.log(below.value or 1), math.log(above.value or 1)
        if first * second < 0:
            share = first / (first - second)
            estimate = math.exp((1 - share) * math.log(left) + share * math.log(right))
            yield Crossover(left, right, estimate, *((a, b) if first < 0 else (b, a)))


def _trend(cells: Sequence[ComparedCell], level: float) -> Estimate | None:
    known = [cell for cell in cells if cell.error is not None and not cell.ratio.remark and cell.n > 1]
    columns = ([cell.n for cell in known], [cell.ratio.value for cell in known], [cell.error for cell in known])
    n, values, errors = (np.array(column, float) for column in columns)
    return slope(n, values, errors, level)


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
