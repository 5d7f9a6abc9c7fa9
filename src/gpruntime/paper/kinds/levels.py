"""Estimates above or below a level: shares of runs, ratios of means, sizes of populations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Check, Request
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, Lines, requests_of
from gpruntime.paper.phrases import share_words, stated
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import several
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import OPEN, SUPPORTED, Layout, Numbers, Record, Verdict, record
from gpruntime.show.drawing import Drawing

SHARE_AXIS: dict[str, Any] = {"logy": False, "ylim": (-0.02, 1.02)}


class Quantity(NamedTuple):
    """What is estimated at each cell.

    Attributes:
        column, heading: in tables.
        of: the estimate.
        words: how sentences put it.
        before, after: other columns of the table, before and after it.
        layout: of the table.
        twin: what else is run for each cell, and compared with it.
    """

    column: str
    heading: str
    of: Callable[[Evidence, RunSpec], Estimate]
    words: Callable[[Estimate], str] = stated
    before: Callable[[Evidence, RunSpec], Record] = lambda *_: {}
    after: Callable[[RunSpec], Record] = lambda _: {}
    layout: Layout | None = None
    twin: Callable[[RunSpec], RunSpec] | None = None


P_OPTIMUM = Quantity(
    "p_optimum",
    "P(optimum)",
    lambda evidence, spec: evidence.cell(spec).chance,
    share_words,
    lambda evidence, spec: {"budget": spec.budget, "runs": evidence.cell(spec).runs},
)
"""P(optimum within the budget), with its exact interval."""


class Ask(NamedTuple):
    """One thing that is asked, of an estimate and a level.

    Attributes:
        rule: `rules.above`, `rules.below`, or any other.
        level: which it is held against.
        line: whose estimate, or a name for `of`; each line's, if there is none.
        place: at which cell of the line.
        of: another estimate than those of the lines.
    """

    rule: Callable[[Estimate, float], str]
    level: float
    line: str = ""
    place: int = -1
    of: Callable[[Evidence], Estimate] | None = None


class Facts:
    """What a sentence may tell: the estimates that were asked for, by line, in words; the last n; where lines end."""

    def __init__(self, words: Mapping[str, str], line: Line, statuses: Mapping[str, str]) -> None:
        self.words, self.n, self._statuses = words, line.specs[-1].n, statuses
        self.first, self.last = line.x[0], line.x[-1]

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    def holds(self, name: str) -> bool:
        """Whether another statement holds."""
        return self._statuses[name] == SUPPORTED

    def each(self, form: str = "{0} {1}", between: str = "; ") -> str:
        """All of them, each with the name of its line."""
        return between.join(form.format(name, text) for name, text in self.words.items())


Statement: TypeAlias = Callable[[Evidence, Sequence[Line]], str]


@dataclass(frozen=True, eq=False)
class Levels(Check):
    """Estimates held against levels.

    Attributes:
        name: of its files.
        lines: the cells.
        asks: what is asked of the estimates.
        sentence: of the verdict.
        number, quantity: the line whose estimate is the one to remember (the largest, if none), and what it is.
        caption: of the table.
        figure: what `series_figure` needs to know.
        of: what is estimated.
        others: other statements about the lines, each with a name.
        combine: how the statuses become one.
        unknown: the sentence if an estimate cannot be made.
        series: what is drawn, if not the estimates along each line.
        more_news: what the paper does not have.
    """

    name: str
    lines: Lines
    asks: Sequence[Ask]
    sentence: Callable[[Facts], str]
    number: str
    quantity: str | Callable[[int], str]
    caption: str
    figure: Mapping[str, Any]
    of: Quantity = P_OPTIMUM
    others: Mapping[str, Statement] = field(default_factory=dict)
    combine: Callable[[Iterable[str]], str] = several
    unknown: str = ""
    series: Callable[[Evidence, Sequence[Line]], Sequence[Series]] | None = None
    more_news: Callable[[Evidence, Sequence[Line]], Sequence[str]] = lambda *_: ()

    def cells(self, scale: Scale) -> Sequence[Request]:
        """Those of the lines, and their twins."""
        lines, twin = self.lines(scale), self.of.twin
        if twin is None:
            return requests_of(lines)
        return [Request(each, line.runs) for line in lines for spec in line.specs for each in (twin(spec), spec)]

    def __call__(self, evidence: Evidence) -> Verdict:
        """By what is asked."""
        lines = self.lines(evidence.scale)
        headings = {self.of.column: self.of.heading}
        records = self._records(evidence, lines)
        tables = (Numbers(f"{self.name}-numbers", self.caption, records, headings, self.of.layout),)
        estimates = {line.name: self.of.of(evidence, line.specs[-1]) for line in lines}
        words = {name: self.of.words(estimate) for name, estimate in estimates.items()}
        statuses = []
        for ask in self.asks:
            if ask.of is not None:
                estimate = ask.of(evidence)
                words[ask.line] = stated(estimate)
                statuses.append(ask.rule(estimate, ask.level))
                continue
            for line in lines:
                if ask.line in ("", line.name):
                    estimates[line.name] = self.of.of(evidence, line.specs[ask.place])
                    words[line.name] = self.of.words(estimates[line.name])
                    statuses.append(ask.rule(estimates[line.name], ask.level))
        n = lines[0].specs[-1].n
        if self.unknown and any(estimate.value is None for estimate in estimates.values()):
            return Verdict(OPEN, self.unknown, tables=tables)
        others = {name: statement(evidence, lines) for name, statement in self.others.items()}
        largest = max(estimates, key=lambda name: estimates[name].value or 0.0)
        return Verdict(
            self.combine([*statuses, *others.values()]),
            self.sentence(Facts(words, lines[0], others)),
            self.quantity if isinstance(self.quantity, str) else self.quantity(n),
            estimates[self.number or largest],
            tables=tables,
        )

    def _records(self, evidence: Evidence, lines: Sequence[Line]) -> list[Record]:
        return [
            record(
                self.of.column,
                curve=line.name,
                n=spec.n,
                **self.of.before(evidence, spec),
                **{self.of.column: self.of.of(evidence, spec)},
                **self.of.after(spec),
            )
            for line in lines
            for spec in line.specs
        ]

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        """The estimates over what grows."""
        lines = self.lines(evidence.scale)
        series = (
            self.series(evidence, lines)
            if self.series
            else [Series(line.name, line.x, [self.of.of(evidence, spec) for spec in line.specs]) for line in lines]
        )
        return [series_figure(self.name, series, **self.figure)]

    def news(self, evidence: Evidence, _: Verdict) -> Sequence[str]:
        """What the claim says besides."""
        return self.more_news(evidence, self.lines(evidence.scale))
