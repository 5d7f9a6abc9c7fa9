"""What rejection-free runs keep up, the lists and the sums in blocks, is what the tree says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import RunSpec
from gpruntime.engine.execute import Execution
from gpruntime.engine.linked_tree import NOBODY
from gpruntime.engine.problems.majority import BLOCK, BLOCKING, TWOS
from gpruntime.engine.problems.order import ABSENT, EXPRESSED, FAST, LOOSE
from gpruntime.engine.tree_memory import TreeMemory

INITS = ["unity", "insertion", "bad", "grow", "insertion:leaves=1"]


def _run(spec: RunSpec, seed: int, tracing: bool, slice_: int = 1_000_000) -> Execution:
    execution = Execution(spec, seed, np.arange(2), "skipping", tracing=tracing)
    while not execution.done:
        execution.slice(slice_)
    return execution


def _same(one: Execution, other: Execution) -> None:
    assert one.out.tolist() == other.out.tolist()
    assert one.run.rng.tolist() == other.run.rng.tolist()
    assert one.memory["sizes"].tolist() == other.memory["sizes"].tolist()


def _check_lists(memory: TreeMemory) -> None:
    """What is filed of the variables, against the tree."""
    later, terminal = memory["nodes"]["later"], memory["nodes"]["terminal"]
    first = {int(x) for x in memory["first"] if x != NOBODY}
    assert set(memory["seat"][: memory["sizes"][LOOSE]].tolist()) <= first
    for variable, leaf in enumerate(memory["first"].tolist()):
        then = int(later[leaf]) if leaf != NOBODY else NOBODY
        positive, then_positive = (x != NOBODY and terminal[x] & 1 == 0 for x in (leaf, then))
        if positive:
            assert memory["status"][variable] == EXPRESSED
            continue
        assert memory["status"][variable] == (ABSENT if leaf == NOBODY else LOOSE if then_positive else FAST)
        assert memory["listed"][memory["place"][variable]] == variable


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60),
    init=st.sampled_from(INITS),
    budget=st.integers(2, 100_000),
    limit=st.sampled_from([None, 200]),
    seed=st.integers(0, 2**32),
)
def test_lists_are_kept_up(n, init, budget, limit, seed):
    """In whatever slices, and watched or not, it is the same run."""
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=n, init=init, budget=budget, max_leaves_allowed=limit)
    plain = _run(spec, seed, tracing=False)
    _same(plain, _run(spec, seed, tracing=True, slice_=77))
    _check_lists(plain.memory)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 100),
    algorithm=st.sampled_from(["gpstar-single", "gpstar-multi"]),
    init=st.sampled_from(INITS),
    budget=st.integers(1, 5_000),
    seed=st.integers(0, 2**32),
)
def test_blocks_add_up(n, algorithm, init, budget, seed):
    state = _run(
        RunSpec(problem="majority", algorithm=algorithm, n=n, init=init, budget=budget), seed, tracing=False
    ).memory
    bars = state["counts"][1 : 2 * n : 2]
    assert state["sizes"][BLOCKING] == bars[state["filed"] == BLOCKING].sum()
    assert state["sizes"][TWOS] == bars[state["filed"] == TWOS].sum()
    for sums, weights in (
        (state["leaves_of"], state["counts"][: 2 * n : 2] + bars),
        (state["blocking_of"], np.where(state["filed"] == BLOCKING, bars, 0)),
        (state["twos_of"], np.where(state["filed"] == TWOS, bars, 0)),
    ):
        blocks = np.add.reduceat(weights, np.arange(0, n, BLOCK))
        up_to = np.concatenate([[0], np.cumsum(blocks)])
        for i in range(1, len(sums)):
            assert sums[i] == up_to[i] - up_to[i - (i & -i)]
