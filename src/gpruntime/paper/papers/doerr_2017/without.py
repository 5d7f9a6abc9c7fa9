"""B3, B4: without bloat control MAJORITY takes O(T_init log T_init + n log³ n) and Ω(T_init + n log n)."""

from __future__ import annotations

import math

from gpruntime.paper.claim import ABSTRACT, THEOREM
from gpruntime.paper.line_claim import LOWER as FROM_BELOW
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import MARGIN_CHANGED, Line, plane
from gpruntime.paper.papers.doerr_2017.control import bound as lower_bound
from gpruntime.paper.scale import Scale

_SETTING = (
    "Random initial trees and trees of x̄₁ alone; three lines in (n, T_init) for each: T_init = n, T_init = n², n fixed."
)


def upper_bound(n: float, leaves: float) -> float:
    """T_init·ln T_init + n·ln³ n."""
    return leaves * math.log(leaves) + n * math.log(n) ** 3


def lines(scale: Scale) -> list[Line]:
    """Random trees, and trees of x̄₁ alone, which are worse."""
    both = ("gp-single", "gp-multi")
    return [line for init in ("unity", "bad") for name in both for line in plane(scale, "majority", name, init=init)]


UPPER = line_claim(
    "B3",
    "MAJORITY without bloat control, from above",
    THEOREM,
    "Without bloat control, the (1+1) GP solves MAJORITY in an expected time of O(T_init log T_init + n log³ n).",
    lines=lines,
    bound=upper_bound,
    formula="T_init·ln T_init + n·ln³ n",
    setting=_SETTING,
    wording=ABSTRACT,
    changes=(MARGIN_CHANGED,),
    over_leaves=True,
)
LOWER = line_claim(
    "B4",
    "MAJORITY without bloat control, from below",
    THEOREM,
    "Without bloat control, the (1+1) GP needs an expected time of Ω(T_init + n log n) on MAJORITY.",
    lines=lines,
    bound=lower_bound,
    formula="T_init + n·ln n",
    side=FROM_BELOW,
    setting=_SETTING,
    wording=ABSTRACT,
    changes=(MARGIN_CHANGED,),
    over_leaves=True,
)
