"""Mean times against numbers: printed means of some runs, and means that a formula gives exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.estimates import Estimate
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import CheckOfLines
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import ERRORS, HEADINGS
from gpruntime.paper.lines import Lines
from gpruntime.paper.phrases import stated
from gpruntime.paper.pictures import Series, exactly, ring, series_figure
from gpruntime.paper.rules import decide, several
from gpruntime.paper.verdict import OPEN, Numbers, Verdict, record
from gpruntime.show.drawing import Drawing

MISSES = 4.0
"""Standard errors by which a printed mean misses ours."""


def _off(cell: CellEstimate, value: float, runs: int) -> float:
    """How many standard errors of a mean of this number of runs a value is from the mean of a cell."""
    error, apart = (cell.deviation or 0.0) / math.sqrt(runs), value - (cell.given_optimum.value or math.inf)
    return apart / error if error else math.copysign(math.inf, apart) if apart else 0.0


@dataclass(frozen=True, eq=False)
class PrintedMeans(CheckOfLines):
    """Whether printed means are such as a mean of that many runs can be.

    Attributes:
        name: of its files.
        lines: the cells; a line is a row of the printed table.
        printed: the means by line and n, in evaluations.
        trials: the runs that a printed mean is of.
        exact: the exact mean, where it is known.
        line, quantity: whose estimate at the middle size is the number to remember, and what it is.
        figure: what `series_figure` needs to know.
    """

    name: str
    lines: Lines
    printed: Mapping[str, Mapping[int, float]]
    line: str
    quantity: str
    figure: Mapping[str, Any]
    trials: Callable[[str, int], int] = lambda *_: 30
    exact: Callable[[RunSpec], float | None] = lambda _: None

    def __call__(self, evidence: Evidence) -> Verdict:
        """Line by line, by the printed mean that is furthest from ours."""
        lines = self.lines(evidence.scale)
        records, statuses, texts = [], [], []
        for line in lines:
            offs = {}
            for spec in line.specs:
                cell, printed = evidence.cell(spec), self.printed[line.name][spec.n]
                offs[spec] = _off(cell, printed, self.trials(line.name, spec.n))
                row = record(
                    "mean",
                    curve=line.name,
                    n=spec.n,
                    runs=cell.runs,
                    mean=cell.given_optimum,
                    exact=self.exact(spec),
                    printed=printed,
                    trials=self.trials(line.name, spec.n),
                    standard_errors_off=offs[spec],
                )
                records.append(row)
            worst = max(line.specs, key=lambda spec: abs(offs[spec]))
            statuses.append(decide(abs(offs[worst]) <= MISSES, True))
            texts.append(
                f"{line.name}: the furthest is {self.printed[line.name][worst.n]:,.0f} at n = {worst.n}, "
                f"{abs(offs[worst]):.1f} off ours, {stated(evidence.cell(worst).given_optimum)}"
            )
        headings = HEADINGS | {"printed": "printed mean", "trials": "runs in print"}
        tables = (Numbers(f"{self.name}-numbers", "mean evaluations: ours and printed", records, headings),)
        for row in records:
            if row["exact"] is not None and not _meets(row):
                exact = f"is not the exact {row['exact']:.4g}: no verdict."
                return Verdict(OPEN, f"At n = {row['n']} our mean over {row['runs']:,} runs {exact}", tables=tables)
        sentence = f"The printed means, in their standard errors from ours. {'; '.join(texts)}."
        specs = next(line.specs for line in lines if line.name == self.line)
        number = evidence.cell(specs[len(specs) // 2]).given_optimum
        return Verdict(several(statuses), sentence, self.quantity, number, tables=tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        """Ours and the printed ones over n."""
        series = []
        for line in self.lines(evidence.scale):
            means, printed = [evidence.cell(spec).given_optimum for spec in line.specs], self.printed[line.name]
            series.append(Series(f"{line.name}, ours", line.x, means))
            printed_means = [exactly(printed[n]) for n in line.x]
            series.append(Series(f"{line.name}, printed", line.x, printed_means, line=False))
        return [series_figure(self.name, series, ylabel="mean evaluations", **self.figure)]


def _meets(row: Mapping[str, Any]) -> bool:
    """Whether our mean is within five standard errors of the exact one."""
    spread = ERRORS * (row["high"] - row["low"]) / 3.92 if row["high"] is not None else 0.0
    return bool(abs((row["mean"] or math.inf) - row["exact"]) <= spread)


@dataclass(frozen=True, eq=False)
class ExactMeans(CheckOfLines):
    """Whether a formula gives the mean exactly: as a fraction where the chain is solved, and within noise elsewhere.

    Attributes:
        name: of its files.
        lines: the cells; none of their runs may fail.
        formula, words: the mean, as code and in words.
        solved: whether the chain of a cell is solved.
        figure: what `series_figure` needs to know.
    """

    name: str
    lines: Lines
    formula: Callable[[RunSpec], Fraction]
    words: str
    solved: Callable[[RunSpec], bool]
    figure: Mapping[str, Any]

    def __call__(self, evidence: Evidence) -> Verdict:
        """Contradicted by a single fraction or mean that misses."""
        records, wrong, offs = [], [], [0.0]
        for line in self.lines(evidence.scale):
            for spec in line.specs:
                cell, value = evidence.cell(spec), self.formula(spec)
                exact = solve(spec, rational=True).mean if self.solved(spec) else None
                off = -_off(cell, float(value), cell.runs)
                where = f"{line.name}, n = {spec.n}"
                if exact is not None and exact != value:
                    wrong.append(f"At {where} the chain's mean is {exact}, the formula's {value}.")
                if not cell.complete or not abs(off) <= ERRORS:
                    mean = stated(cell.mean)
                    wrong.append(f"At {where} the mean {mean} is not the formula's {float(value):.5g}.")
                offs.append(abs(off))
                records.append(
                    record(
                        "mean",
                        curve=line.name,
                        n=spec.n,
                        runs=cell.runs,
                        mean=cell.mean,
                        formula_value=float(value),
                        exact=None if exact is None else float(exact),
                        standard_errors_off=off,
                    )
                )
        headings = HEADINGS | {"formula_value": self.words}
        tables = (Numbers(f"{self.name}-numbers", "mean evaluations", records, headings),)
        count = sum(row["exact"] is not None for row in records)
        sentence = (
            wrong[0]
            if wrong
            else f"{self.words} is the chain's mean in all {count} cells that were solved, as a fraction, and the "
            f"simulated means of all {len(records)} are within {max(offs):.1f} standard errors of it."
        )
        last = records[-1]
        number = Estimate(last["mean"], last["low"], last["high"])
        quantity = f"mean, {last['curve']}, n = {last['n']}"
        return Verdict(decide(not wrong, True), sentence, quantity, number, tables=tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        """Simulated means, and the formula as rings."""
        lines = self.lines(evidence.scale)
        series = [
            Series(line.name, line.x, [evidence.cell(spec).mean for spec in line.specs], line=False) for line in lines
        ]
        specs = [spec for line in lines for spec in line.specs]
        series.append(ring([spec.n for spec in specs], [float(self.formula(spec)) for spec in specs], "formula"))
        return [series_figure(self.name, series, ylabel="mean evaluations", **self.figure)]
