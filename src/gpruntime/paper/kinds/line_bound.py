"""A bound f(n, T_init) along lines through the plane of n and T_init.

A bound hides a constant, so what counts is how E[time] ÷ f moves. Along a line one number grows, n or T_init; a power
of it is fitted to E[time] ÷ f over the larger half of the line, for all lines of a claim together. Lower-order terms
make that power differ from 0, and a logarithm too much or too little would make it 1 ÷ ln x, x being the middle of
that half: half of that is the line's *margin*. An upper bound is supported if the 95 % interval of every power ends
below the margin, and other runs would end so, too, with a chance of 90 %. It is contradicted if an interval begins
above three quarters of that power, after Holm's correction for the number of lines: a lower-order term that is at
most half of the bound at the smallest size, and less beyond, makes 0.69 of it at most, on all lines that claims have.
A lower bound the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.estimates import LEVEL, Estimate, normal_quantile, on_logarithms
from gpruntime.analysis.fitting import slopes
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import FOURTH, SECOND, THEOREM, Change, CheckOfLines, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, Lines
from gpruntime.paper.phrases import stated
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import AGAIN, CANNOT_PROVE, Trend, judged, power_of_a_logarithm
from gpruntime.paper.verdict import OPEN, SUPPORTED, Numbers, Record, Verdict, record
from gpruntime.show.drawing import Drawing

SizeBound: TypeAlias = Callable[[float, float], float]
"""f(n, T_init)."""

UPPER, LOWER, BOTH = "upper", "lower", "both"
_ENDS = {
    UPPER: "ends below the margin",
    LOWER: "begins above minus the margin",
    BOTH: "lies within the margin on both sides",
}
RULES = {
    side: "Along each line a power of what grows is fitted to E[time] ÷ bound over the larger half, with one "
    "dispersion for all lines. Its margin is half of the power that one logarithm more would have there. Supported if "
    f"every 95 % interval {ends}, and other runs would say so, too, with a chance of {AGAIN:.0%}; contradicted if one "
    "lies wholly beyond one and a half margins (Holm's correction over the lines); open otherwise."
    for side, ends in _ENDS.items()
}
# Which of the powers is reported.
_REPORTED: dict[str, tuple[str, Callable[[float], float]]] = {
    UPPER: ("largest power", lambda power: power),
    LOWER: ("smallest power", lambda power: -power),
    BOTH: ("power furthest from 0", abs),
}
_MAX_SERIES = 6
CONTRADICTS = 0.75  # of a logarithm's power

MARGIN_CHANGED = Change(
    SECOND, "rule", "the margin is the power of one logarithm; it had been 0.05, which lower-order terms exceed."
)
_HALVED = Change(
    FOURTH,
    "rule",
    "the margin is half of the power of one logarithm, and had been the whole, so that a bound off by a logarithm "
    "ended open; one dispersion for all lines, and Holm's correction.",
)


@dataclass(frozen=True)
class LineCheck:
    """A bound held against the times along a line.

    Attributes:
        line: which.
        ratios: E[time] ÷ bound at each cell.
        trend: the power of what grows, over the larger half; None where no mean is known.
        sure: the same with an interval that holds for all lines together.
        error: the standard error of both.
    """

    line: Line
    ratios: tuple[Estimate, ...]
    trend: Estimate | None
    sure: Estimate | None
    error: float

    @property
    def label(self) -> str:
        """The algorithm and the line."""
        spec = self.line.specs[0]
        start = "" if spec.init.name == "unity" else f" from {spec.init.name}"
        return f"{spec.algorithm.name.removeprefix('(1+1) ').partition(',')[0]}{start}, {self.line.name}"

    def trends(self, side: str) -> list[Trend]:
        """That the ratio does not grow, does not fall, or neither; none where no mean is known."""
        if self.trend is None or self.sure is None:
            return []
        power = power_of_a_logarithm(self.line.x)
        rest = (self.error, power / 2, CONTRADICTS * power, power)
        falling, sure = (one.transformed(lambda end: -end) for one in (self.trend, self.sure))
        upper, lower = Trend(self.trend, self.sure, *rest), Trend(falling, sure, *rest)
        return {UPPER: [upper], LOWER: [lower], BOTH: [upper, lower]}[side]

    def records(self) -> list[Record]:
        """One row a cell."""
        return [
            record(
                "measured_over_bound",
                curve=self.label,
                n=spec.n,
                initial_leaves=spec.init.leaves,
                measured_over_bound=ratio,
            )
            for spec, ratio in zip(self.line.specs, self.ratios, strict=True)
        ]


def hold_lines(evidence: Evidence, lines: Sequence[Line], bound: SizeBound) -> list[LineCheck]:
    """The times along lines ÷ a bound; where no mean is known, there is no power."""
    ratios, halves = [], []
    for line in lines:
        pairs = [_ratio(evidence, spec, bound(float(spec.n), float(spec.init.leaves))) for spec in line.specs]
        ratios.append(tuple(ratio for ratio, _ in pairs))
        upper = slice(len(pairs) // 2, None) if all(math.isfinite(error) for _, error in pairs) else slice(0)
        columns = (line.x, [ratio.value for ratio, _ in pairs], [error for _, error in pairs])
        x, values, errors = (np.array(column[upper], float) for column in columns)
        halves.append((x, values, errors))
    found = zip(*(slopes(halves, level) for level in (LEVEL, 1 - (1 - LEVEL) / len(lines))), strict=True)
    powers = ((None, None, math.inf) if one is None or sure is None else (*one[:1], *sure) for one, sure in found)
    return [LineCheck(line, some, *power) for line, some, power in zip(lines, ratios, powers, strict=True)]


def _ratio(evidence: Evidence, spec: RunSpec, bound: float) -> tuple[Estimate, float]:
    """E[time] ÷ bound, and its relative error; infinite where no mean is known."""
    cell = evidence.cell(spec)
    mean, variance = cell.given_optimum.value, cell.relative_variance
    if not cell.complete or mean is None or variance is None:
        return Estimate(None, remark="no mean is known"), math.inf
    error = math.sqrt(variance / cell.optimum)
    return on_logarithms(mean / bound, normal_quantile(LEVEL) * error, LEVEL, "delta method"), error


def ratio_of_means(above: CellEstimate, below: CellEstimate) -> Estimate:
    """E[time] of one cell ÷ E[time] of another, by the delta method; unknown where a mean is."""
    cells = (above, below)
    if not all(cell.complete and cell.relative_variance is not None for cell in cells):
        return Estimate(None, remark="no mean is known")
    error = math.sqrt(sum((cell.relative_variance or 0.0) / cell.optimum for cell in cells))
    ratio = (above.mean.value or math.nan) / (below.mean.value or math.nan)
    return on_logarithms(ratio, normal_quantile(LEVEL) * error, LEVEL, "delta method")


def constants(evidence: Evidence, lines: Sequence[Line], terms: Mapping[str, SizeBound]) -> dict[str, Estimate]:
    """E[time] ≈ Σ c·term over all cells of the lines: each c with its interval, widened where the sum does not fit."""
    rows, weights = [], []
    for spec in (spec for line in lines for spec in line.specs):
        cell = evidence.cell(spec)
        mean, variance = cell.given_optimum.value, cell.relative_variance
        if cell.complete and mean is not None and variance:
            rows.append([term(float(spec.n), float(spec.init.leaves)) / mean for term in terms.values()])
            weights.append(math.sqrt(cell.optimum / variance))
    freedom = len(rows) - len(terms)
    if freedom <= 0:
        return {}
    weight = np.array(weights)
    weighted = np.array(rows) * weight[:, None]
    fitted, *_ = np.linalg.lstsq(weighted, weight, rcond=None)
    dispersion = max(float(((weighted @ fitted - weight) ** 2).sum()) / freedom, 1.0)
    errors = np.sqrt(np.diag(np.linalg.inv(weighted.T @ weighted)) * dispersion) * normal_quantile(LEVEL)
    return {
        name: Estimate(float(c), float(c - e), float(c + e), LEVEL, "weighted least squares")
        for name, c, e in zip(terms, fitted, errors, strict=True)
    }


@dataclass(frozen=True, eq=False)
class LineBound(CheckOfLines):
    """E[time] is O, Ω or Θ of a bound.

    Attributes:
        name, title: of its files, and of its figure.
        lines: the cells.
        bound, formula: f(n, T_init), as code and in words.
        side: "upper" for O, "lower" for Ω, "both" for Θ.
        terms: of a sum that is fitted to all cells of an algorithm: their constants are remarked on.
        over_leaves: whether the figure is drawn over T_init and not over n.
        exponents: whether the power with which E[time] itself grows is news, too.
        more_news: other news.
    """

    name: str
    title: str
    lines: Lines
    bound: SizeBound
    formula: str
    side: str = UPPER
    terms: Mapping[str, SizeBound] = field(default_factory=dict)
    over_leaves: bool = False
    exponents: bool = False
    more_news: Callable[[Evidence], Sequence[str]] = lambda _: ()

    def _checks(self, evidence: Evidence) -> list[LineCheck]:
        return hold_lines(evidence, self.lines(evidence.scale), self.bound)

    def __call__(self, evidence: Evidence) -> Verdict:
        """By the powers along the lines."""
        checks = self._checks(evidence)
        records = [row for check in checks for row in check.records()]
        tables = (Numbers(f"{self.name}-numbers", f"E[time] ÷ ({self.formula})", records),)
        powers = [(check.label, check.trend) for check in checks if check.trend is not None]
        if not powers or len(powers) < len(checks):
            return Verdict(OPEN, "Along some line a mean is not known: no verdict.", tables=tables)
        status, words = judged([trend for check in checks for trend in check.trends(self.side)])
        which, size = _REPORTED[self.side]
        line, power = max(powers, key=lambda pair: size(pair[1].value or 0.0))
        loose = status == SUPPORTED and self.side == UPPER and (power.high or 0.0) < -0.2
        sentence = (
            f"The {which} in E[time] ÷ ({self.formula}) is {stated(power)} ({line})"
            f"{': the bound is loose' if loose else ''}. {CANNOT_PROVE}"
        )
        remarks = (words, *self._remarks(evidence))
        return Verdict(status, sentence, f"{which} in E[time] ÷ bound", power, remarks, tables)

    def _remarks(self, evidence: Evidence) -> tuple[str, ...]:
        by_algorithm: dict[str, list[Line]] = {}
        for line in self.lines(evidence.scale) if self.terms else ():
            by_algorithm.setdefault(line.specs[0].algorithm.name, []).append(line)
        sums = {name: constants(evidence, lines, self.terms) for name, lines in by_algorithm.items()}
        return tuple(
            f"{name}: E[time] ≈ {' + '.join(f'{stated(c)}·{term}' for term, c in fitted.items())} over all lines, each "
            "constant with its interval."
            for name, fitted in sums.items()
            if fitted
        )

    def news(self, evidence: Evidence, _: Verdict) -> Sequence[str]:
        """The power with which E[time] itself grows, if that is wanted."""
        times = hold_lines(evidence, self.lines(evidence.scale), lambda *_: 1.0) if self.exponents else []
        powers = [
            f"{time.label}: E[time] goes like {time.line.factor}^{stated(time.trend)} at the larger sizes."
            for time in times
            if time.trend is not None
        ]
        return [*powers, *self.more_news(evidence)]

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        """E[time] ÷ bound along the lines."""

        def x(line: Line) -> list[int]:
            return [spec.init.leaves if self.over_leaves else spec.n for spec in line.specs]

        figure = series_figure(
            self.name,
            [Series(check.label, x(check.line), check.ratios) for check in self._checks(evidence)[:_MAX_SERIES]],
            title=f"{self.title}: E[time] ÷ ({self.formula})",
            xlabel="T_init, leaves of the initial tree" if self.over_leaves else "n, number of variables",
            ylabel="measured ÷ bound (constant 1)",
            caption="With 95 % intervals. A line that ends level has the bound's growth; one that falls stays ever "
            "further below it.",
        )
        return [figure]


def line_claim(
    identifier: str,
    title: str,
    statement: str,
    *,
    setting: str,
    wording: str,
    place: str = "abstract",
    slip: str = "",
    changes: tuple[Change, ...] = (),
    **bound: Any,
) -> Claim:
    """A theorem that is decided by `LineBound`, of which `bound` has the attributes; `setting` says what is run."""
    check = LineBound(identifier.lower(), title, **bound)
    rule = f"{setting} {RULES[check.side]}"
    return Claim(identifier, title, THEOREM, place, statement, rule, check, slip, (*changes, _HALVED), wording)
