"""D1: with at most ℓ ≥ n leaves AND_n is found from AND and OR in O(ℓ·n·log² n). Is the ℓ paid?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from gpruntime.paper.claim import ABSTRACT, THEOREM
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.rules import said
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.verdict import Verdict

FACTORS = (1, 2, 4, 8)


def _lines(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(3, 4, 5, 6, 8, 10, 12), full=(3, 4, 6, 7, 9, 12, 14), tiny=(2, 3, 4, 6, 8))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return [
        over_n(
            f"ℓ = {'' if factor == 1 else factor}n",
            sizes,
            runs,
            problem="and-or",
            algorithm="gp-multi",
            init="unity:leaves=1",
            max_leaves_allowed=lambda n, factor=factor: factor * n,
            budget=lambda n: 100_000 * n,
        )
        for factor in FACTORS
    ]


def _news(evidence: Evidence, _: Verdict) -> Sequence[str]:
    cells = [evidence.cell(line.specs[-1]) for line in _lines(evidence.scale)]
    if not all(cell.complete for cell in cells):
        return []
    times = ", ".join(f"{said(cell.mean)} at ℓ = {cell.spec.max_leaves_allowed}" for cell in cells)
    return [f"AND from AND and OR, n = {cells[0].n}: E[time] by the limit on leaves is {times}."]


CLAIM = dataclasses.replace(
    line_claim(
        "D1",
        "AND from AND and OR, with at most ℓ leaves",
        THEOREM,
        "With F = {AND, OR} and offspring of more than ℓ ≥ n leaves rejected, the (1+1) GP finds AND_n exactly in an "
        "expected time of O(ℓ·n·log² n).",
        lines=_lines,
        bound=lambda n, _: n * n * math.log(n) ** 2,
        formula="n²·ln² n",
        setting="k = 1 + Poisson(1), neutral moves accepted, from one leaf, complete table; ℓ = n, 2n, 4n and 8n, so "
        "the bound is n²·log² n along each line.",
        wording=ABSTRACT,
    ),
    news=_news,
)
