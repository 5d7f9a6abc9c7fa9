"""M1: GP and GP* find AND_n on the complete truth table in O(n log n)."""

from __future__ import annotations

import math

from gpruntime.paper.claim import READ, THEOREM
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.scale import Scale, by_scale, doubling


def _lines(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=doubling(10, 2560), full=doubling(10, 40_960), tiny=doubling(10, 160))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return [
        over_n("AND", sizes, runs, problem="and", algorithm=algorithm, init="unity:leaves=1")
        for algorithm in ("gp-single", "gpstar-single")
    ]


CLAIM = line_claim(
    "M1",
    "AND in O(n log n)",
    THEOREM,
    "With the complete truth table, (1+1) GP-single and GP*-single find the conjunction of n variables, from AND "
    "alone, in an expected time of O(n log n).",
    lines=_lines,
    bound=lambda n, _: n * math.log(n),
    formula="n·ln n",
    setting="From a single random leaf.",
    wording=READ,
    place="theorem",
)
