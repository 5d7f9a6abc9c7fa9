"""Claims about how often a run reaches the optimum within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec import RunSpec
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED
from gpruntime.show.drawing import Drawing


def reached(evidence: Evidence, spec: RunSpec) -> Estimate:
    """P(optimum within the budget), with Wilson's interval."""
    return evidence.cell(spec).chance


def above(share: Estimate, level: float) -> str:
    """Whether a probability is above a level: supported, contradicted or open."""
    if share.low is None or share.high is None:
        return OPEN
    if share.low > level:
        return SUPPORTED
    return CONTRADICTED if share.high < level else OPEN


def below(share: Estimate, level: float) -> str:
    """Whether it is below."""
    return {SUPPORTED: CONTRADICTED, CONTRADICTED: SUPPORTED, OPEN: OPEN}[above(share, level)]


def share_records(evidence: Evidence, lines: Mapping[str, Line]) -> list[dict[str, Any]]:
    """P(optimum) at each cell."""
    return [
        {
            "curve": label,
            "n": spec.n,
            "budget": spec.budget,
            "runs": evidence.cell(spec).runs,
            "p_optimum": reached(evidence, spec).value,
            "low": reached(evidence, spec).low,
            "high": reached(evidence, spec).high,
        }
        for label, line in lines.items()
        for spec in line.specs
    ]


def shares_figure(
    name: str, evidence: Evidence, lines: Mapping[str, Line], title: str, caption: str, ylabel: str
) -> Drawing:
    """P(optimum within the budget) over n."""
    series = [Series(label, one.x, [reached(evidence, spec) for spec in one.specs]) for label, one in lines.items()]
    return series_figure(name, series, title=title, ylabel=ylabel, caption=caption, logy=False, ylim=(-0.02, 1.02))


def asked_of(lines: Mapping[str, Line]) -> Sequence[Any]:
    """The runs they need."""
    return [one for line in lines.values() for one in line.asked]
