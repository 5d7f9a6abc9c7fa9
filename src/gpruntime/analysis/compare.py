"""Two algorithms over n: which is faster, by how much, from which n on."""

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
from gpruntime.analysis.estimates import LEVEL, Estimate
from gpruntime.analysis.fitting import slope
from gpruntime.analysis.pairs import ComparedCell, compare_cells, side
from gpruntime.analysis.runs import CellRuns
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.spec import RunSpec


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
            f"{crossover.faster_below} is faster at n = {crossover.after:,}, {crossover.faster_above} at "
            f"n = {crossover.before:,}; they cross near n = {words.number(crossover.estimate, digits=2)}."
            for crossover in self.crossovers
        ]
        unclear = [cell.n for cell in self.cells if not cell.side and cell.ratio.value is not None]
        if unclear and len(self.cells) > 1:
            sentences.append(f"The ratio is not clearly on either side of 1 at n = {words.sizes(unclear)}.")
        elif not self.crossovers and len(self.cells) > 1 and all(cell.side for cell in self.cells):
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

    def __repr__(self) -> str:
        return f"<Comparison of {self.name}: {self.answer()}>"

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
    own = ("algorithm", "n", "max_leaves_allowed", "poisson_mean")
    for curve in curves:
        law = {key: value for key, value in curve.spec.law().items() if key not in own}
        groups.setdefault(tuple(sorted(law.items())), []).append(curve)
    order = list(ALGORITHMS)
    found = []
    for group in groups.values():
        group.sort(key=lambda curve: order.index(curve.spec.algorithm))
        found += [compare(a, b, runs, level) for a, b in combinations(group, 2) if _comparable(a.spec, b.spec)]
    return _with_holm([comparison for comparison in found if comparison is not None])


def _comparable(a: RunSpec, b: RunSpec) -> bool:
    """Whether two settings of a group differ in the algorithm alone; λ counts where both have one."""
    both = a.algorithm_.multi and b.algorithm_.multi
    return a.algorithm != b.algorithm and (not both or a.poisson_mean == b.poisson_mean)


def compare(a: Curve, b: Curve, runs: Mapping[RunSpec, CellRuns], level: float = LEVEL) -> Comparison | None:
    """Two curves at the sizes they share, with the same limit on leaves; None if they share none."""
    of_a, of_b = ({(cell.n, cell.spec.max_leaves_allowed): runs[cell.spec] for cell in curve.cells} for curve in (a, b))
    shared = [key for key in of_a if key in of_b]
    cells = tuple(compare_cells(of_a[key], of_b[key], level, len(shared)) for key in shared)
    if not cells:
        return None
    names = _side(a.spec), _side(b.spec)
    limits = words.limit_on_leaves({limit for _, limit in shared})
    setting = words.setting(a.spec, with_algorithm=False) + (f", {limits}" if limits else "")
    found = tuple(crossovers([(cell.n, cell.sure) for cell in cells], *names))
    return Comparison(*names, setting, cells, found, _trend(cells, level))


def _side(spec: RunSpec) -> str:
    """The algorithm's name, with its λ where that is not 1."""
    own = spec.algorithm_.multi and spec.poisson_mean != 1.0
    return f"{spec.algorithm_.name} with λ = {words.exact(spec.poisson_mean)}" if own else spec.algorithm_.name


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
