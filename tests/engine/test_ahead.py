"""Hopeful offspring tried several at a time are those tried one after the other, to the last random number.

A traced run tries them one after the other, any other one several at a time once the tree is large.
"""

from __future__ import annotations

import numpy as np
import pytest

from gpruntime import RunSpec
from gpruntime.engine.execute import Execution

N = 60_000  # 120,000 leaves


def _run(spec: RunSpec, tracing: bool, slice_: int) -> Execution:
    execution = Execution(spec, 7, np.arange(2), "skipping", tracing=tracing)
    while not execution.done:
        execution.slice(slice_)
    return execution


@pytest.mark.parametrize("init", ["unity", "bad"])
@pytest.mark.parametrize("budget", [2, 3, 1000, 200_000_000])
def test_the_same_as_one_after_the_other(init, budget):
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=N, init=init, budget=budget)
    traced = _run(spec, True, 1_000_000)
    for slice_ in (1_000_000, 30_011):  # a slice may end within a row of offspring
        ahead = _run(spec, False, slice_)
        assert ahead.out.tolist() == traced.out.tolist()
        assert ahead.work.rng.tolist() == traced.work.rng.tolist()
        assert ahead.work.state.sizes.tolist() == traced.work.state.sizes.tolist()
