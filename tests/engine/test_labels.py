"""Order labels under the insertions that use them up fastest."""

import numpy as np
import pytest

from gpruntime import RunSpec
from gpruntime.engine.law import DELETE, INSERT, given_of, law_of
from gpruntime.engine.workspace import Workspace
from tests.engine.compiled import delete_leaf, insert_leaf, make_one_of_many, place_of, plant_initial_tree, undo
from tests.engine.trees import check_order, tree_of

SPEC = RunSpec(problem="order", algorithm="gp-single", n=3, init="(x1 (!x2 x3))")


@pytest.mark.parametrize("where", ["front", "back", "same gap", "random"])
def test_labels_stay_in_order(where):
    """3,000 insertions at one place: gaps of 2⁶⁰/3 are halved sixty times, then spread out again and again."""
    law, given = law_of(SPEC), given_of(SPEC)
    work = Workspace(law, given, "order", skipping=False)
    leaves, _ = plant_initial_tree(law, given, work.state, np.ones(4, np.uint64))
    numbers = np.random.default_rng(1)
    for _ in range(3_000):
        if leaves + 1 > work.room:
            work.grow()
        state = work.state
        if where == "front":
            site, side = (leaves - 1 if leaves > 3 else 0), 0
        elif where == "back":
            site, side = leaves - 1, 1
        elif where == "same gap":
            site, side = 0, 1
        else:
            site, side = int(numbers.integers(2 * leaves - 1)), int(numbers.integers(2))
        node, beside = place_of(state, leaves, site, side)
        insert_leaf(state, leaves, node, beside, side, int(numbers.integers(6)))
        leaves += 1
    check_order(work.state, SPEC, leaves)
    while leaves > 1:
        delete_leaf(work.state, leaves, int(numbers.integers(leaves)))
        leaves -= 1
    check_order(work.state, SPEC, leaves)


@pytest.mark.parametrize("crowd", range(50, 75))
def test_operations_are_taken_back_even_when_labels_were_spread_in_between(crowd):
    """Leaves crowd to the right of the first until there is no room; one goes, others come and labels are spread out

    again, so that the label it had may be another's; then all is taken back.
    """
    spec = RunSpec(problem="order", algorithm="gp-multi", n=3, init="((x1 !x2) (x3 !x1))", poisson_mean=60.0)
    law, given = law_of(spec), given_of(spec)
    work = Workspace(law, given, "order", skipping=False)
    leaves, _ = plant_initial_tree(law, given, work.state, np.ones(4, np.uint64))
    for i in range(crowd):
        while leaves + 100 > work.room:
            work.grow()
        insert_leaf(work.state, leaves, *place_of(work.state, leaves, 0, 1), 1, i % 6)
        leaves += 1
    crowded, before = leaves, str(tree_of(work.state, leaves))
    operations = [(DELETE, leaves - 1, -1, -1)] + [(INSERT, 0, 1, i % 6) for i in range(40)]
    for j, (kind, site, side, code) in enumerate(operations):
        make_one_of_many(law, work.state, leaves, kind, site, side, code, work.log, j)
        leaves += 1 if kind == INSERT else -1
    check_order(work.state, spec, leaves)
    for j in range(len(operations) - 1, -1, -1):
        leaves = undo(law, work.state, leaves, work.log, j)
    assert leaves == crowded
    check_order(work.state, spec, leaves)
    assert str(tree_of(work.state, leaves)) == before
