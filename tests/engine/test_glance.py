"""What skipping sees at a glance, and adds up in blocks, is what the tree says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import RunSpec
from gpruntime.engine.columns import LEAVES
from gpruntime.engine.execute import Execution
from gpruntime.engine.labels import MIDDLE, SPAN
from gpruntime.engine.nodes import HALF, LABEL, LATER, LEFT, NOBODY, RIGHT, ROW, TERMINAL
from gpruntime.engine.problems.majority.skipping import BLOCK, BLOCKING, TWOS
from gpruntime.engine.problems.order.skipping import ABSENT, EXPRESSED, FAST, LOOSE, OrderSkip

INITS = ["unity", "insertion", "bad", "grow", "insertion:leaves=1"]


def _run(spec: RunSpec, seed: int, tracing: bool, slice_: int = 1_000_000) -> Execution:
    execution = Execution(spec, seed, np.arange(2), "skipping", tracing=tracing)
    while not execution.done:
        execution.slice(slice_)
    return execution


def _same(one: Execution, other: Execution) -> None:
    assert one.out.tolist() == other.out.tolist()
    assert one.rng.tolist() == other.rng.tolist()
    assert one.state["sizes"].tolist() == other.state["sizes"].tolist()


def _stretch(state: OrderSkip, leaf: int) -> int:
    return min(max(int(state.wide[HALF * leaf + LABEL]) - MIDDLE, 0) // (SPAN // 256), 255)


def _check_where(state: OrderSkip, leaves: int) -> None:
    """Places, stretches, blocking leaves and what is filed of the variables, against the tree."""
    node, register = state["node"], state["register"]
    first = {int(x) for x in state["first"] if x != NOBODY}
    loose = set(state["seat"][: state["sizes"][LOOSE]].tolist())
    assert loose <= first
    for place in range(leaves):
        leaf = int(register[2 * place])
        assert state["where"][place] == _stretch(state, leaf) >= state["near_where"][place // 8 * 2]
        assert state["near_where"][place // 8 * 2 + 1] >> place % 8 & 1 == (leaf in loose)
    for place in range(leaves - 1):
        assert state["near_below"][place // 8] <= state["below"][place]
        waiting = [int(register[2 * place + 1])]
        while waiting:
            x = waiting.pop()
            if x & 1:
                waiting += [int(node[ROW * x + LEFT]), int(node[ROW * x + RIGHT])]
            else:
                assert state["below"][place] <= _stretch(state, x)
    for variable, leaf in enumerate(state["first"].tolist()):
        then = int(node[ROW * leaf + LATER]) if leaf != NOBODY else NOBODY
        positive, then_positive = (x != NOBODY and node[ROW * x + TERMINAL] & 1 == 0 for x in (leaf, then))
        if positive:
            assert state["status"][variable] == EXPRESSED
            continue
        assert state["status"][variable] == (ABSENT if leaf == NOBODY else LOOSE if then_positive else FAST)
        place = int(state["place"][variable])
        assert state["listed"][place] == variable
        assert state["wanted_before"][place] == (255 if leaf == NOBODY else _stretch(state, leaf))


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60),
    init=st.sampled_from(INITS),
    budget=st.integers(2, 100_000),
    limit=st.sampled_from([None, 200]),
    seed=st.integers(0, 2**32),
)
def test_a_glance_is_right(n, init, budget, limit, seed):
    """A traced run judges every offspring; any other one leaves out those that are seen to be vain."""
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=n, init=init, budget=budget, max_leaves_allowed=limit)
    plain = _run(spec, seed, tracing=False)
    _same(plain, _run(spec, seed, tracing=True))
    _check_where(plain.state, int(plain.out[-1, LEAVES]))


@pytest.mark.parametrize("init", ["unity", "bad"])
def test_a_glance_is_right_in_large_trees(init):
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=60_000, init=init, budget=200_000_000)
    traced = _run(spec, 7, tracing=True)
    _same(_run(spec, 7, tracing=False), traced)
    _same(_run(spec, 7, tracing=False, slice_=30_011), traced)


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
    ).state
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
