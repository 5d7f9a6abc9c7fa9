"""Weighted problems: a bound for many operations has log w_max in it. Does the largest weight matter at all?

An upper bound does not say that it does, so the question is ours.
"""

from __future__ import annotations

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import FOURTH, OURS, QUESTION, Change, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels
from gpruntime.paper.kinds.levels import Quantity
from gpruntime.paper.kinds.line_bound import ratio_of_means
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.rules import below
from gpruntime.paper.scale import Scale, by_scale

_FACTOR = 1.25


def _lines(scale: Scale) -> list[Line]:
    """With weights 2^i."""
    sizes = by_scale(scale, quick=(5, 10, 20, 30, 40, 50, 60), full=(5, 10, 20, 30, 40, 50, 60), tiny=(5, 10, 20, 40))
    runs = by_scale(scale, quick=400, full=4000, tiny=60)
    return [
        over_n(f"{name}, {kind}", sizes, runs, problem=f"{name.lower()}:weights=powers", algorithm=kind.lower())
        for name in ("WORDER", "WMAJORITY")
        for kind in ("GP-single", "GP-multi")
    ]


def _equal(spec: RunSpec) -> RunSpec:
    """The same with equal weights."""
    return spec.replace(problem=f"{spec.problem.id.partition(':')[0]}:weights=equal")


def _ratio(evidence: Evidence, spec: RunSpec) -> Estimate:
    """E[time] with weights 2^i ÷ E[time] with equal ones."""
    return ratio_of_means(evidence.cell(spec), evidence.cell(_equal(spec)))


PAPER = Paper(
    name="nguyen-2013",
    authors="Nguyen, Urli, Wagner",
    title="Single- and Multi-objective Genetic Programming: New Bounds for Weighted Order and Majority",
    venue="FOGA 2013",
    year=2013,
    seen="abstract read; bounds reported",
    claims=(
        Claim(
            id="W1",
            title="The largest weight and the time",
            kind=QUESTION,
            place="our question to the bounds",
            statement="Reported upper bounds for many operations grow with log w_max. Yet the largest weight does not "
            "matter to the time: with it a problem takes no longer, but for a small factor, than with equal weights.",
            rule="At the largest n, for each of four curves: supported if E[time] with weights 2^i is less than "
            f"{_FACTOR} times that with equal weights (95 % interval), contradicted if it is more. Of the four: in "
            "part if some hold and some fail; open otherwise.",
            check=Levels(
                name="w1",
                lines=_lines,
                of=Quantity("ratio", "ratio of means", _ratio, twin=_equal),
                asks=[Ask(below, _FACTOR)],
                sentence=lambda facts: (
                    f"E[time] with weights 2^i ÷ E[time] with equal weights at n = {facts.n}: {facts.each()}."
                ),
                number="",
                quantity="largest ratio",
                caption="E[time] with weights 2^i ÷ with equal weights",
                figure={
                    "title": "Weights 2^i against equal weights",
                    "ylabel": "ratio of mean times",
                    "caption": "With 95 % intervals. w_max is 2^(n−1): a factor log w_max would make the ratio grow "
                    "like n.",
                    "logy": False,
                    "levels": {"weights do not matter": 1.0},
                },
            ),
            wording=OURS,
            changes=(
                Change(
                    FOURTH,
                    "rule",
                    "it is a question of ours; it had been put as if the theorem said that the largest weight matters, "
                    "and called contradicted.",
                ),
            ),
        ),
    ),
)
