"""When parsimony destroys, and when it helps: MAJORITY with plateaus."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.analysis.estimates import Estimate
from gpruntime.paper.claim import IN_CODE, THEOREM, THIRD, Change, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels
from gpruntime.paper.kinds.levels import P_OPTIMUM
from gpruntime.paper.kinds.line_bound import ratio_of_means
from gpruntime.paper.lines import Line, over_leaves
from gpruntime.paper.pictures import Series
from gpruntime.paper.rules import SEVERAL_RULE, above, below
from gpruntime.paper.scale import Scale, by_scale, doubling

_HALF, _N = 0.5, 20
_FREE, _FATAL, _SLOW, _FAST = (
    f"{problem}-MAJORITY, {rule}" for problem in ("+c", "2/3") for rule in ("no control", "parsimony")
)
_SETTINGS = {
    _FREE: ("plus-c-majority", "weak"),
    _FATAL: ("plus-c-majority", "parsimony"),
    _SLOW: ("two-thirds-majority", "weak"),
    _FAST: ("two-thirds-majority", "parsimony"),
}


def _lines(scale: Scale) -> list[Line]:
    factors = by_scale(scale, quick=doubling(2, 64), full=doubling(2, 256), tiny=doubling(2, 64))
    return [
        over_leaves(
            name,
            [(_N, factor * _N) for factor in factors],
            by_scale(scale, quick=200, full=1000, tiny=40),
            problem=problem,
            algorithm="gp-single",
            accept=rule,
            budget=lambda leaves: round(100 * (leaves * math.log(leaves) + _N * math.log(_N))),
        )
        for name, (problem, rule) in _SETTINGS.items()
    ]


def _gain(evidence: Evidence) -> Estimate:
    """E[time] without control ÷ with control on 2/3-MAJORITY, from the largest trees."""
    *_, slow, fast = _lines(evidence.scale)
    return ratio_of_means(evidence.cell(slow.specs[-1]), evidence.cell(fast.specs[-1]))


def _costs(evidence: Evidence, lines: Sequence[Line]) -> list[Series]:
    """Evaluations ÷ successes, where there is a success."""
    series = []
    for line in lines:
        costs = [(x, evidence.cell(spec).expected_running_time) for x, spec in zip(line.x, line.specs, strict=True)]
        known = [(x, cost) for x, cost in costs if cost.value is not None]
        series.append(Series(line.name, [x for x, _ in known], [cost for _, cost in known]))
    return series


PAPER = Paper(
    name="koetzing-2018",
    authors="Kötzing, Lagodzinski, Lengler, Melnichenko",
    title="Destructiveness of Lexicographic Parsimony Pressure and Alleviation by a Concatenation Crossover in Genetic "
    "Programming",
    venue="PPSN 2018, arXiv 1805.10169, TCS 816, 2020",
    year=2018,
    seen="abstract read; definitions read in code by one of the authors (melnan/1-1-GP, 2019)",
    claims=(
        Claim(
            id="K1",
            title="Bloat control: fatal on +c-MAJORITY, of help on 2/3-MAJORITY",
            kind=THEOREM,
            place="abstract; on 2/3 as reported",
            statement="Local search is not efficient on all MAJORITY variants with plateaus, with or without bloat "
            "control: with control it fails on +c-MAJORITY, c ≥ 2, and without control it is slower on 2/3-MAJORITY.",
            rule=f"Three things are asked: from 2n random leaves, P(optimum within the budget) on +c above {_HALF} "
            "without control and below with it (95 % intervals); from the largest random trees, a mean time on 2/3 "
            f"that is longer without control than with it (interval above 1). {SEVERAL_RULE}",
            check=Levels(
                name="k1",
                lines=_lines,
                of=P_OPTIMUM._replace(after=lambda spec: {"initial_leaves": spec.init.leaves}),
                asks=[Ask(above, _HALF, _FREE, 0), Ask(below, _HALF, _FATAL, 0), Ask(above, 1.0, "gain", of=_gain)],
                sentence=lambda facts: (
                    f"n = {_N}. From {facts.first} random leaves +c-MAJORITY is solved within the budget with "
                    f"probability {facts[_FREE]} without control and {facts[_FATAL]} with it; from {facts.last:,} "
                    f"leaves 2/3-MAJORITY takes {facts['gain']} times as long without control as with it."
                ),
                number=_FATAL,
                quantity="P(optimum), +c, parsimony",
                caption="P(optimum within the budget)",
                series=_costs,
                figure={
                    "title": f"The reversal: bloat control on two variants of MAJORITY, n = {_N}",
                    "xlabel": "T_init, leaves of the initial tree",
                    "ylabel": "evaluations ÷ successes",
                    "caption": "With 95 % intervals; GP-single from random trees, budget 100·(T_init·ln T_init + "
                    "n·ln n); no point where no run succeeds. On +c-MAJORITY (c = 2) parsimony takes away the leaves "
                    "that a variable needs to gather: from small trees no run succeeds. On 2/3-MAJORITY parsimony is "
                    "faster, the more so the larger the tree.",
                },
            ),
            changes=(
                Change(
                    THIRD,
                    "rule",
                    "on 2/3 the times are compared: within any budget of this size all runs succeed, with and without "
                    "control; on +c the smallest trees count: from large ones parsimony often succeeds.",
                ),
            ),
            wording=IN_CODE,
        ),
    ),
)
