"""Order labels under the insertions that use them up fastest."""

import numpy as np
import pytest

from gpruntime import RunSpec
from gpruntime.engine.law import DELETE, INSERT, drawing_of, law_of
from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.trace import LOG_WIDTH
from tests.engine.compiled import delete_leaf, insert_leaf, make, note, place_of, plant_initial_tree, undo
from tests.engine.trees import check_order, tree_of

SPEC = RunSpec(problem="order", algorithm="gp-single", n=3, init="(x1 (!x2 x3))")


def arrays(state: OrderedState) -> tuple[object, ...]:
    return state.at, state.cells, state.wide


@pytest.mark.parametrize("where", ["front", "back", "same gap", "random"])
def test_labels_stay_in_order(where):
    """1,000 insertions at one place: gaps of 2⁶⁰/3 are halved sixty times, then spread out again and again."""
    law = law_of(SPEC)
    state = OrderedState(law)
    leaves, _ = plant_initial_tree(
        law, *arrays(state), state.tiny, drawing_of(SPEC, planted=True), np.ones(4, np.uint64)
    )
    numbers = np.random.default_rng(1)
    for _ in range(1_000):
        if leaves + 1 > state.room:
            state.grow()
        if where == "front":
            site, side = (leaves - 1 if leaves > 3 else 0), 0
        elif where == "back":
            site, side = leaves - 1, 1
        elif where == "same gap":
            site, side = 0, 1
        else:
            site, side = int(numbers.integers(2 * leaves - 1)), int(numbers.integers(2))
        node, beside = place_of(state.at, state.cells, leaves, site, side)
        insert_leaf(*arrays(state), leaves, node, beside, side, int(numbers.integers(6)))
        leaves += 1
    check_order(state, SPEC, leaves)
    while leaves > 1:
        delete_leaf(*arrays(state), leaves, int(numbers.integers(leaves)))
        leaves -= 1
    check_order(state, SPEC, leaves)


@pytest.mark.parametrize("crowd", range(50, 75))
def test_operations_are_taken_back_even_when_labels_were_spread_in_between(crowd):
    """Leaves crowd to the right of the first until there is no room; one goes, others come and labels are spread out

    again, so that the label it had may be another's; then all is taken back.
    """
    spec = RunSpec(problem="order", algorithm="gp-multi", n=3, init="((x1 !x2) (x3 !x1))", poisson_mean=60.0)
    law = law_of(spec)
    state, log = OrderedState(law), np.zeros((law.most, LOG_WIDTH), np.int64)
    leaves, _ = plant_initial_tree(
        law, *arrays(state), state.tiny, drawing_of(spec, planted=True), np.ones(4, np.uint64)
    )
    for i in range(crowd):
        while leaves + 100 > state.room:
            state.grow()
        insert_leaf(*arrays(state), leaves, *place_of(state.at, state.cells, leaves, 0, 1), 1, i % 6)
        leaves += 1
    crowded, before = leaves, str(tree_of(state, leaves))
    operations = [(DELETE, leaves - 1, -1, -1)] + [(INSERT, 0, 1, i % 6) for i in range(40)]
    for j, (kind, site, side, code) in enumerate(operations):
        note(law, *arrays(state), leaves, kind, site, code, log[j])
        make(law, *arrays(state), leaves, kind, site, side, code)
        leaves += 1 if kind == INSERT else -1
    check_order(state, spec, leaves)
    for j in range(len(operations) - 1, -1, -1):
        leaves = undo(law, *arrays(state), leaves, log[j])
    assert leaves == crowded
    check_order(state, spec, leaves)
    assert str(tree_of(state, leaves)) == before
