"""WMAJORITY: MAJORITY with weights. The fitness is the sum of w_i ≥ 0 over the expressed variables.

`weighted` says what is known of it. Besides, without parsimony, one operation takes O(n²·T_max·log n) (Nguyen, Urli,
Wagner, FOGA 2013; reported, text not seen).
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.problems.expressing import log_n
from gpruntime.model.problems.weighted import Weighted, without_control


def _worth(i: int, plain: int, bar: int, n: int, weights: Any) -> Any:  # noqa: ARG001
    return weights[i - 1] if plain >= bar and plain >= 1 else 0


PROBLEM = Weighted(
    "wmajority",
    "WMAJORITY",
    _worth,
    sees="counts",
    number=4,
    line="MAJORITY with weights: the sum of w_i over variables at least as frequent as their complements",
    bound=without_control(
        "wmajority",
        "WMAJORITY",
        "O(n²·T_max·log n)",
        r"n^2\,T_{\max}\log n",
        lambda n, t_max, _: math.log(n * n * t_max * log_n(n)),
    ),
)
