"""Which states a problem has: its own first."""

from gpruntime.exact.counts import CountStates
from gpruntime.exact.kinds import kind_of
from gpruntime.exact.problems.order import OrderStates
from gpruntime.exact.trees import TreeStates
from gpruntime.model.problems import PROBLEMS
from tests.exact import parts


def test_own_states_come_first():
    assert kind_of(PROBLEMS["order"]) is OrderStates
    assert kind_of(PROBLEMS["majority"]) is CountStates
    assert kind_of(parts.order_by_first) is TreeStates
