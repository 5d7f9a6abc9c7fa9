"""Which law a time follows. The laws compete as in every study (docs/analysis.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpruntime.analysis import formatting
from gpruntime.analysis.curves import Curve, make_curve
from gpruntime.analysis.growth import LAWS, Law
from gpruntime.analysis.laws import EXCLUDING
from gpruntime.paper.claim import OURS, QUESTION, Check, Claim, Request
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line
from gpruntime.paper.phrases import law_of, stated
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import decide
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import OPEN, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_RULE = (
    "The growth laws compete for the measured means. Supported if the best is one of those named and fits (p ≥ 0.05), "
    "nothing speaks against the comparison, and every other law, and every power of n with free exponents that is not "
    f"the same, is {EXCLUDING:,.0f} times less likely or more. Contradicted if the best is another one of which all "
    "this holds; open otherwise."
)


@dataclass(frozen=True, eq=False)
class FollowsLaw(Check):
    """Whether the time along a line follows one of some laws, of those that compete."""

    name: str
    title: str
    wanted: tuple[str, ...]
    line: Callable[[Scale], Line]
    laws: Mapping[str, Law]

    def cells(self, scale: Scale) -> Sequence[Request]:
        """Those of the line."""
        return self.line(scale).requests

    def _curve(self, evidence: Evidence) -> Curve:
        return make_curve((evidence.cell(spec) for spec in self.line(evidence.scale).specs), laws=self.laws)

    def __call__(self, evidence: Evidence) -> Verdict:
        """By the evidence that the laws have, if one of them fits."""
        curve = self._curve(evidence)
        fit = curve.fit
        if fit is None:
            return Verdict(OPEN, curve.why_not)
        ranking, best = fit.ranking, fit.best
        weight = sum(law.weight for law in ranking if law.law.id in self.wanted)
        others = [law for law in ranking if law.law.id not in self.wanted]
        named = [law for law in ranking if law.law.id in self.wanted]
        clear = not fit.obstacles and not fit.rival_powers
        status = decide(*(clear and all(law.behind >= EXCLUDING for law in side) for side in (others, named)))
        against = [*fit.obstacles, *(f"the {power.name} cannot be told from it" for power in fit.rival_powers)]
        against += [f"{law.law.name} is not excluded" for law in others if law.behind < EXCLUDING and law is not best]
        why = f" No law is established: {formatting.listing(against)}." if status == OPEN and against else ""
        sentence = (
            f"{' or '.join(self.laws[law].name for law in self.wanted)} has {weight:.0%} of the evidence on n = "
            f"{curve.cells[0].n:,} to {curve.cells[-1].n:,}: {law_of(curve)}; a plain power would be "
            f"n^{stated(fit.power.alpha)}.{why} This is evidence about these sizes, not a proof."
        )
        records = [{"law": law.law.name, "weight": law.weight, "law_fitted": law.equation()} for law in ranking]
        tables = (Numbers(f"{self.name}-numbers", "the laws, the likeliest first", records),)
        return Verdict(status, sentence, f"constant of {best.law.name}", best.constant, tables=tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        """The means over n."""
        curve = self._curve(evidence)
        means = Series(
            curve.name.removeprefix("(1+1) "), [cell.n for cell in curve.cells], [cell.mean for cell in curve.cells]
        )
        caption = "Measured means with 95 % intervals."
        return [series_figure(self.name, [means], title=self.title, ylabel="mean evaluations", caption=caption)]


def law_question(
    identifier: str,
    title: str,
    statement: str,
    wanted: tuple[str, ...],
    line: Callable[[Scale], Line],
    laws: Mapping[str, Law] = LAWS,
) -> Claim:
    """A question of ours that is decided by `FollowsLaw`."""
    check = FollowsLaw(identifier.lower(), title, wanted, line, laws)
    return Claim(identifier, title, QUESTION, "open in the papers", statement, _RULE, check, wording=OURS)
