"""A bound in n and the measured T_max on E[time], over n: one curve for each algorithm or initial tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.model.bound import Bound
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Check, Request
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    Known,
    caption_words,
    known_order,
    known_table,
    small_order,
    small_order_requests,
    unmet,
)
from gpruntime.paper.lines import Line, requests_of
from gpruntime.paper.phrases import how_far, law_of, stated
from gpruntime.paper.pictures import exact_series, ratios_figure
from gpruntime.paper.rules import CANNOT_PROVE, Powers, all_of, hold, no_growth, powers_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

Curves = Callable[[Scale], dict[str, Line]]


@dataclass(frozen=True, eq=False)
class CurveBound(Check):
    """E[time] is O of a bound, from each start or for each algorithm.

    Attributes:
        name: of its files.
        curves: the cells, by what the curve is called.
        bound: of all curves, or of each.
        ratio: what is measured ÷ bound, in words.
        quantity: what the number is.
        level, grows: the sentence if the ratio grows nowhere, and otherwise, from the powers and the checks.
        remark: how a remark puts what is before the ratio.
        title, caption: of the figure.
        small: curves on ORDER that have small sizes, too, which are solved: algorithm and initial tree. The verdict's
            number is not made of them.
        rings: whether they are drawn, ÷ n².
        also: another statement about the runs: its status, and its sentence.
    """

    name: str
    curves: Curves
    bound: Bound | Mapping[str, Bound]
    ratio: str
    quantity: str
    level: Callable[[Powers, Mapping[str, BoundCheck]], str]
    grows: Callable[[Powers, Mapping[str, BoundCheck]], str]
    remark: str
    title: str
    caption: str
    small: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    rings: bool = False
    also: Callable[[Evidence, Sequence[Line]], tuple[str, str]] | None = None

    def cells(self, scale: Scale) -> Sequence[Request]:
        """The curves, and the small sizes."""
        small = [request for setting in self.small.values() for request in small_order_requests(scale, *setting)]
        return [*requests_of(self.curves(scale).values()), *small]

    def _known(self, scale: Scale) -> list[Known]:
        return [exact for setting in self.small.values() for exact in known_order(scale, *setting)]

    def _checks(self, evidence: Evidence) -> dict[str, BoundCheck]:
        return {name: self._hold(evidence, name, line.specs) for name, line in self.curves(evidence.scale).items()}

    def _hold(self, evidence: Evidence, name: str, specs: Sequence[RunSpec]) -> BoundCheck:
        return hold(evidence.curve(specs), self.bound if isinstance(self.bound, Bound) else self.bound[name])

    def __call__(self, evidence: Evidence) -> Verdict:
        """By the powers of n in the ratios."""
        solved: tuple[Numbers, ...] = ()
        if self.small:
            known = self._known(evidence.scale)
            solved = (known_table(f"{self.name}-exact", evidence, known),)
            if off := unmet(evidence, known, solved):
                return off
        checks = self._checks(evidence)
        powers = powers_of({name: check.trend for name, check in checks.items()})
        status = all_of(no_growth(check.trend) for check in checks.values())
        sentence = (self.level if status == SUPPORTED else self.grows)(powers, checks)
        if self.also:
            other, text = self.also(evidence, list(self.curves(evidence.scale).values()))
            status, sentence = all_of([other, status]), f"{sentence} {text}"
        remarks = tuple(
            f"{name[0].upper()}{name[1:]}: {law_of(check.curve)}; {self.remark} {how_far(check)}."
            for name, check in checks.items()
        )
        records = [row for check in checks.values() for row in check.to_records()]
        tables = (Numbers(f"{self.name}-numbers", self.ratio, records), *solved)
        return Verdict(status, f"{sentence} {CANNOT_PROVE}", self.quantity, powers.largest[1], remarks, tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        """The ratios, and exact ones where they are drawn."""
        checks = {name: [check] for name, check in self._checks(evidence).items()}
        caption, exact = self.caption, []
        if self.rings:
            known = self._known(evidence.scale)
            caption, exact = f"{caption} {caption_words(known)}", exact_series(known, power=2)
            for name, setting in self.small.items():
                checks[name].insert(0, self._hold(evidence, name, small_order(evidence.scale, *setting)))
        return [ratios_figure(self.name, checks, self.title, caption, exact)]


def largest_ratio(powers: Powers, checks: Mapping[str, BoundCheck]) -> str:
    """The last ratio of the curve with the largest power, in words."""
    n, ratio = checks[powers.largest[0]].ratios[-1]
    return f"{stated(ratio)} at n = {n:,}"
