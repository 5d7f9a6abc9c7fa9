"""B3, B4: without bloat control MAJORITY takes O(T_init log T_init + n log³ n) and Ω(T_init + n log n)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.paper.claim import ABSTRACT, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import (
    LOWER_RULE,
    MARGIN_CHANGED,
    UPPER_RULE,
    Line,
    LineCheck,
    SizeBound,
    hold_line,
    plane,
    worst_of,
)
from gpruntime.paper.papers.doerr_2017.control import bound as lower_bound
from gpruntime.paper.papers.doerr_2017.drawing import lines_figure
from gpruntime.paper.rules import CANNOT_PROVE, said
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_ALGORITHMS = ("gp-single", "gp-multi")


def upper_bound(n: float, leaves: float) -> float:
    """T_init·ln T_init + n·ln³ n."""
    return leaves * math.log(leaves) + n * math.log(n) ** 3


def lines(scale: Scale) -> list[Line]:
    """Random trees, and trees of x̄₁ alone, which are worse."""
    return [
        line
        for init in ("unity", "bad")
        for algorithm in _ALGORITHMS
        for line in plane(scale, "majority", algorithm, init=init)
    ]


def cells(scale: Scale) -> Sequence[Asked]:
    """The runs of both claims."""
    return [one for line in lines(scale) for one in line.asked]


def _claim(identifier: str, title: str, statement: str, formula: str, bound: SizeBound, *, is_lower: bool) -> Claim:
    name = identifier.lower()

    def checks_of(evidence: Evidence) -> list[LineCheck]:
        return [hold_line(evidence, line, bound) for line in lines(evidence.scale)]

    def check(evidence: Evidence) -> Verdict:
        checks = checks_of(evidence)
        status = all_of(one.lower() if is_lower else one.upper() for one in checks)
        tables = (Numbers(f"{name}-numbers", f"E[time] ÷ ({formula})", [r for one in checks for r in one.records()]),)
        worst = worst_of(checks, falling=is_lower)
        if worst is None:
            return Verdict(status, "No mean is known along some line: no verdict.", tables=tables)
        side = "smallest" if is_lower else "largest"
        sentence = f"The {side} power in E[time] ÷ ({formula}) is {said(worst[1])} ({worst[0]}). {CANNOT_PROVE}"
        return Verdict(status, sentence, f"{side} power in E[time] ÷ bound", worst[1], tables=tables)

    def figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        checks = [one for one in checks_of(evidence) if one.line.specs[0].initial.name == "unity"]
        return [lines_figure(name, checks, f"MAJORITY, no bloat control: E[time] ÷ ({formula})")]

    return Claim(
        id=identifier,
        title=title,
        kind=THEOREM,
        place="abstract",
        statement=statement,
        rule="Random initial trees and trees of x̄₁ alone; three lines in (n, T_init) for each: T_init = n, "
        f"T_init = n², n fixed. {LOWER_RULE if is_lower else UPPER_RULE}",
        check=check,
        figures=figures,
        cells=cells,
        changes=(MARGIN_CHANGED,),
        wording=ABSTRACT,
    )


UPPER = _claim(
    "B3",
    "MAJORITY without bloat control, from above",
    "Without bloat control, the (1+1) GP solves MAJORITY in an expected time of O(T_init log T_init + n log³ n).",
    "T_init·ln T_init + n·ln³ n",
    upper_bound,
    is_lower=False,
)
LOWER = _claim(
    "B4",
    "MAJORITY without bloat control, from below",
    "Without bloat control, the (1+1) GP needs Ω(T_init + n log n) evaluations on MAJORITY in expectation.",
    "T_init + n·ln n",
    lower_bound,
    is_lower=True,
)
