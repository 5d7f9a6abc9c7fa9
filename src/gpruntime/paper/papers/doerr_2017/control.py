"""B1, B2: with bloat control ORDER and MAJORITY take Θ(T_init + n log n)."""

from __future__ import annotations

import math

from gpruntime.paper.claim import ABSTRACT, THEOREM, Claim
from gpruntime.paper.line_claim import BOTH, line_claim
from gpruntime.paper.lines import MARGIN_CHANGED, SizeBound, plane

_TERMS: dict[str, SizeBound] = {
    "T_init": lambda _, leaves: leaves,
    "n·ln n": lambda n, _: n * math.log(n),
    "n": lambda n, _: n,
}


def bound(n: float, leaves: float) -> float:
    """T_init + n·ln n."""
    return leaves + n * math.log(n)


def _claim(identifier: str, problem: str) -> Claim:
    return line_claim(
        identifier,
        f"{problem.upper()} with bloat control",
        THEOREM,
        f"With bloat control, (1+1) GP-single and GP-multi solve {problem.upper()} in an expected time of "
        "Θ(T_init + n log n), T_init being the leaves of the initial tree.",
        lines=lambda scale: [line for a in ("gp-single", "gp-multi") for line in plane(scale, problem, a, "parsimony")],
        bound=bound,
        formula="T_init + n·ln n",
        side=BOTH,
        setting="Bloat control is the rule parsimony: better, or equal and not larger. Random initial trees; three "
        "lines in (n, T_init): T_init = n, T_init = n², n fixed.",
        wording=ABSTRACT,
        terms=_TERMS,
        changes=(MARGIN_CHANGED,),
        over_leaves=True,
    )


ORDER = _claim("B1", "order")
MAJORITY = _claim("B2", "majority")
