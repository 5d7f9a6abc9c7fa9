"""B1, B2: with bloat control ORDER and MAJORITY take Θ(T_init + n log n)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.paper.claim import ABSTRACT, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import BOTH_RULE, MARGIN_CHANGED, Line, LineCheck, SizeBound, constants, hold_line, plane
from gpruntime.paper.papers.doerr_2017.drawing import lines_figure
from gpruntime.paper.rules import CANNOT_PROVE, said
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_ALGORITHMS = ("gp-single", "gp-multi")


def bound(n: float, leaves: float) -> float:
    """T_init + n·ln n."""
    return leaves + n * math.log(n)


_TERMS: dict[str, SizeBound] = {
    "T_init": lambda _, leaves: leaves,
    "n·ln n": lambda n, _: n * math.log(n),
    "n": lambda n, _: n,
}


def _claim(identifier: str, problem: str) -> Claim:
    name = identifier.lower()

    def lines(scale: Scale) -> dict[str, tuple[Line, ...]]:
        return {algorithm: plane(scale, problem, algorithm, "parsimony") for algorithm in _ALGORITHMS}

    def cells(scale: Scale) -> Sequence[Asked]:
        return [one for some in lines(scale).values() for line in some for one in line.asked]

    def checks_of(evidence: Evidence) -> list[LineCheck]:
        return [hold_line(evidence, line, bound) for some in lines(evidence.scale).values() for line in some]

    def check(evidence: Evidence) -> Verdict:
        checks = checks_of(evidence)
        status = all_of(word for one in checks for word in (one.upper(), one.lower()))
        powers = sorted(
            ((one.label, one.trend) for one in checks if one.trend is not None),
            key=lambda pair: abs(pair[1].value or 0),
        )
        tables = (
            Numbers(f"{name}-numbers", "E[time] ÷ (T_init + n·ln n)", [r for one in checks for r in one.records()]),
        )
        if not powers:
            return Verdict(status, "No mean is known along some line: no verdict.", tables=tables)
        which, power = powers[-1]
        moves = "neither grows nor falls on any line" if status == SUPPORTED else "moves"
        sentence = (
            f"E[time] ÷ (T_init + n·ln n) {moves}: the power that is furthest from 0 is {said(power)} ({which}). "
            f"{CANNOT_PROVE}"
        )
        remarks = []
        for algorithm, some in lines(evidence.scale).items():
            found = constants(evidence, some, _TERMS)
            sums = " + ".join(f"{said(c)}·{term}" for term, c in found.items())
            if sums:
                remarks.append(f"{algorithm.upper().replace('SINGLE', 'single').replace('MULTI', 'multi')}: {sums}.")
        return Verdict(status, sentence, "power furthest from 0", power, tuple(remarks), tables)

    def figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        title = f"{problem.upper()}, bloat control: E[time] ÷ (T_init + n·ln n)"
        return [lines_figure(name, checks_of(evidence), title)]

    return Claim(
        id=identifier,
        title=f"{problem.upper()} with bloat control",
        kind=THEOREM,
        place="abstract",
        statement=f"With bloat control, (1+1) GP-single and GP-multi solve {problem.upper()} in Θ(T_init + n log n) "
        "evaluations in expectation, T_init being the leaves of the initial tree.",
        rule=f"Bloat control is the rule parsimony: of equal fitness, not larger. Random initial trees; three lines in "
        f"(n, T_init): T_init = n, T_init = n², n fixed. {BOTH_RULE}",
        check=check,
        figures=figures,
        cells=cells,
        changes=(MARGIN_CHANGED,),
        wording=ABSTRACT,
    )


ORDER = _claim("B1", "order")
MAJORITY = _claim("B2", "majority")
