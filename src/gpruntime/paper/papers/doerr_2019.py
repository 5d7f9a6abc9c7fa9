"""Conjunctions from AND and OR, with a limit on the leaves: is the ℓ in O(ℓ·n·log² n) paid?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.paper.claim import ABSTRACT, THIRD, Change, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.phrases import stated
from gpruntime.paper.scale import Scale, by_scale


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
        for factor in (1, 2, 4, 8)
    ]


def _times_by_limit(evidence: Evidence) -> Sequence[str]:
    cells = [evidence.cell(line.specs[-1]) for line in _lines(evidence.scale)]
    if not all(cell.complete for cell in cells):
        return []
    times = ", ".join(f"{stated(cell.mean)} at ℓ = {cell.spec.max_leaves_allowed}" for cell in cells)
    return [f"AND from AND and OR, n = {cells[0].n}: E[time] by the limit on leaves is {times}."]


PAPER = Paper(
    name="doerr-2019",
    authors="Doerr, Lissovoi, Oliveto",
    title="Evolving Boolean functions with conjunctions and disjunctions via genetic programming",
    venue="GECCO 2019, arXiv 1903.11936; AIJ 319, 2023, arXiv 2303.07455",
    year=2019,
    seen="abstracts read",
    claims=(
        line_claim(
            "D1",
            "AND from AND and OR, with at most ℓ leaves",
            "With F = {AND, OR} and offspring of more than ℓ ≥ n leaves rejected, the (1+1) GP finds AND_n exactly in "
            "an expected time of O(ℓ·n·log² n).",
            lines=_lines,
            bound=lambda n, _: n * n * math.log(n) ** 2,
            formula="n²·ln² n",
            setting="k = 1 + Poisson(1), neutral moves accepted, from one leaf, complete table; ℓ = n, 2n, 4n and 8n, "
            "so the bound is n²·log² n along each line.",
            wording=ABSTRACT,
            changes=(
                Change(THIRD, "setting", "n = 3 to 12 with wider steps: half of a line must span a factor of two."),
            ),
            more_news=_times_by_limit,
        ),
    ),
)
