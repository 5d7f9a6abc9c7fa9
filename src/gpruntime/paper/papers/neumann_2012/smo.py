"""N2, N3: SMO-GP finds the whole front in O(n·T_init + n² log n), and in O(n³) with weights from a single leaf."""

from __future__ import annotations

import math
from typing import Any

from gpruntime.paper.claim import REPORTED, THEOREM, Change
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.scale import Scale, by_scale


def smo_lines(scale: Scale, problems: dict[str, str], **more: Any) -> list[Line]:
    """SMO-GP-single over n, a line for each problem."""
    sizes = by_scale(
        scale, quick=(5, 7, 10, 14, 20, 28, 40), full=(5, 7, 10, 14, 20, 28, 40, 57), tiny=(3, 4, 6, 8, 12)
    )
    runs = by_scale(scale, quick=100, full=400, tiny=40)
    return [
        over_n(name, sizes, runs, problem=problem, algorithm="smo-single", **more) for name, problem in problems.items()
    ]


FRONT = line_claim(
    "N2",
    "SMO-GP, the whole front",
    THEOREM,
    "SMO-GP with one operation finds the whole front of ORDER and of MAJORITY in an expected time of "
    "O(n·T_init + n² log n).",
    lines=lambda scale: smo_lines(scale, {"ORDER": "order", "MAJORITY": "majority"}),
    bound=lambda n, leaves: n * leaves + n * n * math.log(n),
    formula="n·T_init + n²·ln n",
    setting="From 2n random leaves.",
    wording=REPORTED,
    place="theorem",
    exponents=True,
)
WEIGHTED = line_claim(
    "N3",
    "SMO-GP with weights",
    THEOREM,
    "SMO-GP with one operation finds the whole front of WORDER and of WMAJORITY, from a tree without redundant leaves, "
    "in an expected time of O(n³).",
    lines=lambda scale: smo_lines(
        scale,
        {"WORDER": "worder:weights=powers", "WMAJORITY": "wmajority:weights=powers"},
        init="unity:leaves=1",
    ),
    bound=lambda n, _: n**3,
    formula="n³",
    setting="Weights 2^(i−1), from a single random leaf, until the whole front.",
    changes=(
        Change(
            "2026-11-17",
            "setting",
            "runs end with the whole front; they had ended with the first optimal tree, as the best fitness for each "
            "size was not known to the laboratory.",
        ),
    ),
    wording=REPORTED,
    place="theorem",
    exponents=True,
)
