"""The kernels and states of all problems and methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpruntime.engine import majority, majority_skipping, order, order_skipping
from gpruntime.engine.ordered import OrderState
from gpruntime.engine.skipping import make_skipping
from gpruntime.engine.state import State
from gpruntime.engine.stepping import make_stepping


class Compiled(NamedTuple):
    """How runs of a problem are made: its state, and the kernel, see `frame`."""

    state: type[State]
    kernel: Callable[..., int]


COMPILED = {
    ("majority", "stepping"): Compiled(majority.MajorityState, make_stepping("majority_stepping", majority.STEPPING)),
    ("majority", "skipping"): Compiled(
        majority_skipping.MajoritySkip, make_skipping("majority_skipping", majority_skipping.SKIPPING)
    ),
    ("order", "stepping"): Compiled(OrderState, make_stepping("order_stepping", order.STEPPING)),
    ("order", "skipping"): Compiled(order_skipping.OrderSkip, make_skipping("order_skipping", order_skipping.SKIPPING)),
}
