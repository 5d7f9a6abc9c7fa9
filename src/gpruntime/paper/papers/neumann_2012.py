"""Multi-objective genetic programming, and parsimony."""

from __future__ import annotations

import math
from typing import Any

from gpruntime.paper.claim import REPORTED, THIRD, Change, Paper
from gpruntime.paper.kinds import line_claim
from gpruntime.paper.lines import Line, over_leaves, over_n
from gpruntime.paper.papers.doerr_2017 import linear
from gpruntime.paper.scale import Scale, by_scale, doubling

POWERS = {"WORDER": "worder:weights=powers", "WMAJORITY": "wmajority:weights=powers"}


def _parsimony(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=doubling(25, 1600), full=doubling(25, 12_800), tiny=doubling(10, 160))
    squares = by_scale(scale, quick=(10, 14, 20, 28, 40, 57, 80), full=doubling(10, 320), tiny=(4, 6, 8, 11, 16))
    runs = by_scale(scale, quick=100, full=400, tiny=40)
    lines = []
    for name in ("WORDER", "WMAJORITY"):
        setting = {"problem": f"{name.lower()}:weights=drawn:1", "algorithm": "gp-single", "accept": "parsimony"}
        lines.append(over_n(f"{name}, T_init = n", sizes, runs, init="unity:leaves=n", **setting))
        lines.append(over_leaves(f"{name}, T_init = n²", [(n, n * n) for n in squares], runs // 2, **setting))
    return lines


def smo_lines(scale: Scale, problems: dict[str, str], **more: Any) -> list[Line]:
    """SMO-GP-single over n, a line for each problem."""
    sizes = by_scale(
        scale, quick=(5, 7, 10, 14, 20, 28, 40), full=(5, 7, 10, 14, 20, 28, 40, 57), tiny=(3, 4, 6, 8, 12)
    )
    runs = by_scale(scale, quick=100, full=400, tiny=40)
    return [
        over_n(name, sizes, runs, problem=problem, algorithm="smo-single", **more) for name, problem in problems.items()
    ]


PAPER = Paper(
    name="neumann-2012",
    authors="Neumann",
    title="Computational Complexity Analysis of Multi-Objective Genetic Programming",
    venue="GECCO 2012, arXiv 1203.4881",
    year=2012,
    seen="abstract read; bounds reported",
    claims=(
        line_claim(
            "N1",
            "WORDER and WMAJORITY with parsimony",
            "With parsimony, (1+1) GP-single solves WORDER and WMAJORITY in an expected time of O(T_init + n log n).",
            lines=_parsimony,
            bound=linear,
            formula="T_init + n·ln n",
            setting="Weights are drawn uniformly from 1 … 10⁶, once; random initial trees with n and with n² leaves.",
            wording=REPORTED,
            place="theorem",
            over_leaves=True,
        ),
        line_claim(
            "N2",
            "SMO-GP, the whole front",
            "SMO-GP with one operation finds the whole front of ORDER and of MAJORITY in an expected time of "
            "O(n·T_init + n² log n).",
            lines=lambda scale: smo_lines(scale, {"ORDER": "order", "MAJORITY": "majority"}),
            bound=lambda n, leaves: n * leaves + n * n * math.log(n),
            formula="n·T_init + n²·ln n",
            setting="From 2n random leaves.",
            wording=REPORTED,
            place="theorem",
            exponents=True,
        ),
        line_claim(
            "N3",
            "SMO-GP with weights",
            "SMO-GP with one operation finds the whole front of WORDER and of WMAJORITY, from a tree without redundant "
            "leaves, in an expected time of O(n³).",
            lines=lambda scale: smo_lines(scale, POWERS, init="unity:leaves=1"),
            bound=lambda n, _: n**3,
            formula="n³",
            setting="Weights 2^(i−1), from a single random leaf, until the whole front.",
            changes=(
                Change(
                    THIRD,
                    "setting",
                    "runs end with the whole front; they had ended with the first optimal tree, as the best fitness "
                    "for each size was not known to the laboratory.",
                ),
            ),
            wording=REPORTED,
            place="theorem",
            exponents=True,
        ),
    ),
)
