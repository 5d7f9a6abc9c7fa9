"""Order labels under the insertions that use them up fastest."""

import numpy as np
import pytest

from gpruntime import RunSpec
from gpruntime.engine.execute import Execution
from gpruntime.engine.params import record_of
from gpruntime.engine.run_state import DELETE, INSERT, Operation
from tests.engine.compiled import delete_leaf, insert_leaf, make, note, place_of, plant_initial_tree, undo
from tests.engine.trees import check_order, tree_of

SPEC = RunSpec(problem="order", algorithm="gp-single", n=3, init="(x1 (!x2 x3))")


def planted(spec):
    """Params, memory and arrays of a run whose initial tree has been planted, and its leaves."""
    execution = Execution(spec, 0, np.array([0]), "stepping")
    params, memory, run = record_of(execution.params), execution.memory, execution.run
    run.rng[:], run.cursor.room = 1, memory.room
    leaves, _ = plant_initial_tree(params, memory.tree, run)
    return params, memory, run, leaves


@pytest.mark.parametrize("where", ["front", "back", "same gap", "random"])
def test_labels_stay_in_order(where):
    """1,000 insertions at one place: gaps of 2⁶⁰/3 are halved sixty times, then spread out again and again."""
    _, state, _, leaves = planted(SPEC)
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
        node, beside = place_of(state.tree, leaves, site, side)
        insert_leaf(state.tree, leaves, node, beside, side, int(numbers.integers(6)))
        leaves += 1
    check_order(state, SPEC, leaves)
    while leaves > 1:
        delete_leaf(state.tree, leaves, int(numbers.integers(leaves)))
        leaves -= 1
    check_order(state, SPEC, leaves)


@pytest.mark.parametrize("crowd", range(50, 75))
def test_operations_are_taken_back_even_when_labels_were_spread_in_between(crowd):
    """Leaves crowd to the right of the first until there is no room; one goes, others come and labels are spread out

    again, so that the label it had may be another's; then all is taken back.
    """
    spec = RunSpec(problem="order", algorithm="gp-multi", n=3, init="((x1 !x2) (x3 !x1))", poisson_mean=60.0)
    params, state, run, leaves = planted(spec)
    log = run.log
    for i in range(crowd):
        while leaves + 100 > state.room:
            state.grow()
        insert_leaf(state.tree, leaves, *place_of(state.tree, leaves, 0, 1), 1, i % 6)
        leaves += 1
    crowded, before = leaves, str(tree_of(state, leaves))
    operations = [Operation(DELETE, leaves - 1, -1, -1)] + [Operation(INSERT, 0, 1, i % 6) for i in range(40)]
    for j, operation in enumerate(operations):
        note(params, state.tree, leaves, operation, log[j])
        make(params, state.tree, leaves, operation)
        leaves += 1 if operation.kind == INSERT else -1
    check_order(state, spec, leaves)
    for j in range(len(operations) - 1, -1, -1):
        leaves = undo(params, state.tree, leaves, log[j])
    assert leaves == crowded
    check_order(state, spec, leaves)
    assert str(tree_of(state, leaves)) == before
