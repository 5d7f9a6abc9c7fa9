"""The model problems, one file each.

order       ORDER: x_i before x̄_i
majority    MAJORITY: x_i at least as often as x̄_i
"""

from __future__ import annotations

from gpruntime.model.problems.majority import Majority
from gpruntime.model.problems.order import Order

Problem = Order | Majority

ORDER = Order()
MAJORITY = Majority()
PROBLEMS: dict[str, Problem] = {ORDER.id: ORDER, MAJORITY.id: MAJORITY}

__all__ = ["MAJORITY", "ORDER", "PROBLEMS", "Majority", "Order", "Problem"]
