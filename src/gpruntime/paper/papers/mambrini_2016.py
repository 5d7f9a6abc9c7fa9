"""Conjunctions and parities, evolved from AND or XOR alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from gpruntime.paper.claim import READ, THEOREM, Claim, LeftOut, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels, line_claim
from gpruntime.paper.kinds.levels import SHARE_AXIS
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.rules import all_of, below, decide, high, low
from gpruntime.paper.scale import Scale, by_scale, doubling


def _complete(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=doubling(10, 2560), full=doubling(10, 40_960), tiny=doubling(10, 160))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return [
        over_n("AND", sizes, runs, problem="and", algorithm=algorithm, init="unity:leaves=1")
        for algorithm in ("gp-single", "gpstar-single")
    ]


def _sampled(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=doubling(8, 512), full=doubling(8, 512), tiny=doubling(8, 128))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    setting = {"algorithm": "gpstar-single", "init": "unity:leaves=1"}
    return [over_n("AND on n² rows", sizes, runs, problem=lambda n: f"and:rows={n * n}", **setting)]


def _parity(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(4, 8, 12, 16, 20, 24), full=(4, 8, 12, 16, 20, 24, 28, 32), tiny=(4, 8, 12, 16))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    setting = {"problem": "xor", "init": "unity:leaves=1", "budget": lambda n: n**3}
    return [over_n(name, sizes, runs, algorithm=name.lower(), **setting) for name in ("GP-single", "GP-multi")]


def _never_rises(evidence: Evidence, lines: Sequence[Line]) -> str:
    curves = [[evidence.cell(spec).chance for spec in line.specs] for line in lines]
    rises = any(low(later) > high(earlier) for shares in curves for earlier, later in pairwise(shares))
    return decide(not rises, rises)


_LEVEL = 0.05

PAPER = Paper(
    name="mambrini-2016",
    authors="Mambrini, Oliveto",
    title="On the Analysis of Simple Genetic Programming for Evolving Boolean Functions",
    venue="EuroGP 2016",
    year=2016,
    seen="abstract and statements read",
    claims=(
        line_claim(
            "M1",
            "AND in O(n log n)",
            "With the complete truth table, (1+1) GP-single and GP*-single find the conjunction of n variables, from "
            "AND alone, in an expected time of O(n log n).",
            lines=_complete,
            bound=lambda n, _: n * math.log(n),
            formula="n·ln n",
            setting="From a single random leaf.",
            wording=READ,
            place="theorem",
        ),
        line_claim(
            "M2",
            "AND on sampled rows in O(log n)",
            "Polynomially many rows of the truth table, sampled once, are fitted in an expected time of O(log n).",
            lines=_sampled,
            bound=lambda n, _: math.log(n),
            formula="ln n",
            setting="n² rows, drawn once for each n; GP*-single from a single random leaf.",
            wording=READ,
            place="theorem",
            slip="Fitting the sample is not finding the conjunction: a few variables are enough for it.",
        ),
        Claim(
            id="M4",
            title="XOR is out of reach",
            kind=THEOREM,
            place="theorem",
            statement="On the parity of n variables, from XOR alone, the (1+1) GP fails in polynomial time with a "
            "probability exponentially near 1.",
            rule=f"The budget is n³ evaluations. Supported if P(optimum) at the largest n has a 95 % interval below "
            f"{_LEVEL} and P(optimum) never rises with n (disjoint intervals); contradicted if it lies above, or "
            "P(optimum) rises; open otherwise.",
            check=Levels(
                name="m4",
                lines=_parity,
                asks=[Ask(below, _LEVEL)],
                others={"level": _never_rises},
                combine=all_of,
                sentence=lambda facts: (
                    f"P(XOR found within n³ evaluations) is {facts.each('{1} with {0}', ', ')} at n = {facts.n}, "
                    f"{'never rising' if facts.holds('level') else 'rising'}."
                ),
                number="GP-single",
                quantity=lambda n: f"P(optimum) of GP-single, n = {n}",
                caption="P(optimum within n³ evaluations)",
                figure={
                    "title": "XOR within n³ evaluations",
                    "ylabel": "P(optimum within n³ evaluations)",
                    "caption": "With 95 % intervals. A polynomial budget of n³ evaluations is soon of no use.",
                    **SHARE_AXIS,
                },
            ),
            wording=READ,
        ),
    ),
    left_out=(
        LeftOut(
            "M3",
            "With NOT among the functions, the (1+1) GP needs at least exponential time for the conjunction of n "
            "variables.",
            "the operator is that of functions of two arguments; how it inserts and deletes a NOT could not be read. "
            "The laboratory has a way of its own (docs/own-problem.md), and a verdict would be about that one.",
        ),
    ),
)
