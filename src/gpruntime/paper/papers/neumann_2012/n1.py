"""N1: with parsimony GP-single solves WORDER and WMAJORITY in O(T_init + n log n)."""

from __future__ import annotations

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, THEOREM
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.papers.doerr_2017.control import bound
from gpruntime.paper.scale import Scale, by_scale, doubling

_PROBLEMS = {"WORDER": "worder:weights=drawn:1", "WMAJORITY": "wmajority:weights=drawn:1"}


def _lines(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=doubling(25, 1600), full=doubling(25, 12_800), tiny=doubling(10, 160))
    squares = by_scale(scale, quick=(10, 14, 20, 28, 40, 57, 80), full=doubling(10, 320), tiny=(4, 6, 8, 11, 16))
    runs = by_scale(scale, quick=100, full=400, tiny=40)
    found = []
    for name, problem in _PROBLEMS.items():
        setting = {"problem": problem, "algorithm": "gp-single", "accept": "parsimony"}
        found.append(over_n(f"{name}, T_init = n", sizes, runs, **setting, init="unity:leaves=n"))
        specs = tuple(RunSpec(n=n, init=f"unity:leaves={n * n}", **setting) for n in squares)  # type: ignore[arg-type]
        found.append(Line(f"{name}, T_init = n²", "T_init", specs, runs // 2))
    return found


CLAIM = line_claim(
    "N1",
    "WORDER and WMAJORITY with parsimony",
    THEOREM,
    "With parsimony, (1+1) GP-single solves WORDER and WMAJORITY in an expected time of O(T_init + n log n).",
    lines=_lines,
    bound=bound,
    formula="T_init + n·ln n",
    setting="Weights are drawn uniformly from 1 … 10⁶, once; random initial trees with n and with n² leaves.",
    wording=REPORTED,
    place="theorem",
    over_leaves=True,
)
