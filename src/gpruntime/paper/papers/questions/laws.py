"""Questions about which law a time follows: Q1, Q2 and Q9. The laws compete as in every study (docs/analysis.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gpruntime.analysis.curves import Curve, make_curve
from gpruntime.analysis.growth import LAWS, MORE_LAWS, Law
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import OURS, QUESTION, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import law_of, said
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, majority_specs, order_asked, order_specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_SURE = 0.95


def _question(
    identifier: str,
    title: str,
    statement: str,
    wanted: tuple[str, ...],
    specs: Callable[[Scale], Sequence[RunSpec]],
    cells: Callable[[Scale], Sequence[Asked]],
    laws: Mapping[str, Law] = LAWS,
) -> Claim:
    """Whether the time of a curve follows one of some laws."""
    name = identifier.lower()

    def curve_of(evidence: Evidence) -> Curve:
        return make_curve((evidence.cell(spec) for spec in specs(evidence.scale)), laws=laws)

    def check(evidence: Evidence) -> Verdict:
        curve = curve_of(evidence)
        tables = (Numbers(f"{name}-numbers", "the laws, the likeliest first", _ranking(curve)),) if curve.fit else ()
        if curve.fit is None:
            return Verdict(OPEN, curve.why_not, tables=tables)
        weight = sum(law.weight for law in curve.fit.ranking if law.law.id in wanted)
        status = SUPPORTED if weight >= _SURE else CONTRADICTED if weight <= 1 - _SURE else OPEN
        names = " or ".join(laws[law].name for law in wanted)
        sizes = f"n = {curve.cells[0].n:,} to {curve.cells[-1].n:,}"
        power = curve.fit.power.alpha
        sentence = (
            f"{names} has {weight:.0%} of the evidence on {sizes}: {law_of(curve)}; a plain power would be "
            f"n^{said(power)}. This is evidence about these sizes, not a proof."
        )
        constant = curve.fit.best.constant
        return Verdict(status, sentence, f"constant of {curve.fit.best.law.name}", constant, tables=tables)

    def figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        curve = curve_of(evidence)
        sizes = [cell.n for cell in curve.cells]
        return [
            series_figure(
                name,
                [Series(curve.name.removeprefix("(1+1) "), sizes, [cell.mean for cell in curve.cells])],
                title=title,
                ylabel="mean evaluations",
                caption="Measured means with 95 % intervals.",
            )
        ]

    return Claim(
        id=identifier,
        title=title,
        kind=QUESTION,
        place="open in the papers",
        statement=statement,
        rule=f"The growth laws compete for the measured means. Supported if those named have {_SURE:.0%} of the "
        f"evidence, contradicted if they have {1 - _SURE:.0%} or less, open otherwise.",
        check=check,
        figures=figures,
        cells=cells,
        wording=OURS,
    )


def _ranking(curve: Curve) -> list[dict[str, object]]:
    assert curve.fit is not None
    return [{"law": law.law.name, "weight": law.weight, "law_fitted": law.equation()} for law in curve.fit.ranking]


ORDER_FREE = _question(
    "Q1",
    "ORDER without bloat control",
    "ORDER without bloat control takes a time of the order n log n (no bound without T_max is proved).",
    ("n log n",),
    lambda scale: order_specs(scale, "gp-single"),
    lambda scale: order_asked(scale, "gp-single"),
)
LOG_CUBED = _question(
    "Q2",
    "MAJORITY: is log³ n real?",
    "MAJORITY without bloat control takes a time of the order n log n, so that the log³ n of B3 is an artefact of its "
    "proof.",
    ("n log n", "n loglog n", "n"),
    lambda scale: majority_specs(scale, "gp-single"),
    lambda scale: asked(majority_specs(scale, "gp-single"), scale.runs),
)
ORDER_STRICT = _question(
    "Q9",
    "ORDER with strict acceptance: n² or n²/log n?",
    "ORDER with strict acceptance and one operation takes a time of the order n², and not n²/log n.",
    ("n^2", "n^2 log n"),
    lambda scale: order_specs(scale, "gpstar-single"),
    lambda scale: order_asked(scale, "gpstar-single"),
    MORE_LAWS,
)
