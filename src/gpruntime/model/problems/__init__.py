"""The model problems, one file each.

order       ORDER: x_i before x̄_i
majority    MAJORITY: x_i at least as often as x̄_i
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gpruntime.model.errors import own
from gpruntime.model.problems.majority import Majority
from gpruntime.model.problems.order import Order

Problem = Order | Majority

ORDER = Order()
MAJORITY = Majority()
_OURS: dict[str, Problem] = {ORDER.id: ORDER, MAJORITY.id: MAJORITY}
PROBLEMS: Mapping[str, Problem] = MappingProxyType(dict(_OURS))


def problem_named(name: object) -> Problem:
    """The problem with this id."""
    return own("problem", name, PROBLEMS, _OURS)


__all__ = ["MAJORITY", "ORDER", "PROBLEMS", "Majority", "Order", "Problem", "problem_named"]
