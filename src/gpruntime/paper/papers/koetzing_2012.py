"""MAX: the largest value within a depth, on {+} and on {+, ×}."""

from __future__ import annotations

import math

from gpruntime.paper.claim import REPORTED, THIRD, Change, Claim, Paper
from gpruntime.paper.kinds import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.scale import Scale, by_scale


def _nodes(depth: float) -> float:
    """Of the full tree."""
    return float(2.0 ** (depth + 1) - 1)


def _claim(
    identifier: str, title: str, statement: str, problem: str, depths: dict[str, tuple[int, ...]], *changes: Change
) -> Claim:
    def lines(scale: Scale) -> list[Line]:
        runs = by_scale(scale, quick=100, full=500, tiny=40)
        setting = {"problem": problem, "init": "unity:leaves=1", "budget": 10_000_000}
        over_depths = (
            over_n("MAX", depths[scale.name], runs, algorithm=algorithm, **setting)
            for algorithm in ("gp-single", "gp-multi")
        )
        return [Line(line.name, "2^n", line.specs, runs) for line in over_depths]

    return line_claim(
        identifier,
        title,
        statement,
        lines=lines,
        bound=lambda depth, _: _nodes(depth) * math.log(_nodes(depth)),
        formula="N·ln N",
        setting="n is the depth limit D, N = 2^(D+1) − 1; from one leaf. What grows is 2^D.",
        wording=REPORTED,
        place="theorem",
        changes=changes,
    )


PAPER = Paper(
    name="koetzing-2012",
    authors="Kötzing, Sutton, Neumann, O'Reilly",
    title="The Max Problem Revisited: The Importance of Mutation in Genetic Programming",
    venue="GECCO 2012, TCS 545, 2014",
    year=2012,
    seen="abstract read; bounds reported",
    claims=(
        _claim(
            "X1",
            "MAX with sums",
            "On MAX with F = {+} the (1+1) GP takes an expected time of O(N log N), N being the nodes of the full "
            "tree.",
            "max",
            {"quick": (2, 3, 4, 5, 6, 7, 8), "full": (2, 3, 4, 5, 6, 7, 8, 9, 10), "tiny": (2, 3, 4, 5, 6)},
        ),
        _claim(
            "X2",
            "MAX with sums and products",
            "On MAX with F = {+, ×} and t = 2 the (1+1) GP takes an expected time of O(N log N).",
            "max:functions=+*,t=2",
            {"quick": (1, 2, 3, 4, 5, 6, 7), "full": (1, 2, 3, 4, 5, 6, 7, 8), "tiny": (1, 2, 3, 4, 5)},
            Change(THIRD, "setting", "depths 1 to 7, not 2 to 6: too few for the interval of a power."),
        ),
    ),
)
