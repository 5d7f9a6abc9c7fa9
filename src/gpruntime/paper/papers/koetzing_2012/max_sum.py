"""MAX on {+} and on {+, ×}: O(N log N), N = 2^(D+1) − 1 nodes."""

from __future__ import annotations

import math

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, THEOREM, Claim
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line
from gpruntime.paper.scale import Scale, by_scale

_BUDGET = 10_000_000


def nodes(depth: float) -> float:
    """Of the full tree."""
    return float(2.0 ** (depth + 1) - 1)


def _claim(identifier: str, title: str, statement: str, problem: str, sizes: tuple[tuple[int, ...], ...]) -> Claim:
    def lines(scale: Scale) -> list[Line]:
        depths = by_scale(scale, quick=sizes[0], full=sizes[1], tiny=sizes[2])
        runs = by_scale(scale, quick=100, full=500, tiny=40)
        return [
            Line(
                "MAX",
                "2^n",
                tuple(
                    RunSpec(problem=problem, algorithm=name, n=depth, init="unity:leaves=1", budget=_BUDGET)
                    for depth in depths
                ),
                runs,
            )
            for name in ("gp-single", "gp-multi")
        ]

    return line_claim(
        identifier,
        title,
        THEOREM,
        statement,
        lines=lines,
        bound=lambda depth, _: nodes(depth) * math.log(nodes(depth)),
        formula="N·ln N",
        setting="n is the depth limit D, N = 2^(D+1) − 1; from one leaf. What grows is 2^D.",
        wording=REPORTED,
        place="theorem",
    )


SUM = _claim(
    "X1",
    "MAX with sums",
    "On MAX with F = {+} the (1+1) GP takes an expected time of O(N log N), N being the nodes of the full tree.",
    "max",
    ((2, 3, 4, 5, 6, 7, 8), (2, 3, 4, 5, 6, 7, 8, 9, 10), (2, 3, 4, 5, 6)),
)
PRODUCT = _claim(
    "X2",
    "MAX with sums and products",
    "On MAX with F = {+, ×} and t = 2 the (1+1) GP takes an expected time of O(N log N).",
    "max:functions=+*,t=2",
    ((1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 3, 4, 5)),
)
