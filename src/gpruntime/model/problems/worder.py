"""WORDER: ORDER with weights. The fitness is the sum of w_i ≥ 0 over the variables whose first occurrence is x_i.

`weighted` says what is known of it. Besides, without parsimony, one operation takes O(n·T_max), several O(n·T_max·(log
n + log w_max)) (Nguyen, Urli, Wagner, FOGA 2013; reported, text not seen). A missing x_i counts in front of everything.
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.problems.weighted import Weighted, without_control


def _worth(i: int, sign: int, n: int, weights: Any) -> Any:  # noqa: ARG001
    return weights[i - 1] if sign == 1 else 0


PROBLEM = Weighted(
    "worder",
    "WORDER",
    _worth,
    sees="first",
    number=3,
    line="ORDER with weights: the sum of w_i over variables that come before their complements",
    bound=without_control("worder", "WORDER", "O(n·T_max)", r"n\,T_{\max}", lambda n, t_max, _: math.log(n * t_max)),
)
