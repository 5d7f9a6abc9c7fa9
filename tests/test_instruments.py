"""Instruments: worst trees by hand, and drift that agrees with exact probabilities."""

import math

import pytest

from gpruntime import RunSpec
from gpruntime.instruments import drift, worst
from gpruntime.instruments.worst import trees_of
from gpruntime.model.errors import BadInput


def test_the_worst_tree_of_majority_has_most_complements():
    spec = RunSpec(problem="majority", algorithm="gp-single", n=1, max_leaves_allowed=8)
    found = worst(spec, 3, first=10)
    assert len(found) == len(trees_of(spec, 3)) == 4  # multisets of x1, !x1
    assert found[0].tree.count("!") == 3
    times = [one.time.value for one in found]
    assert times == sorted(times, reverse=True)
    assert times[-1] == 1.0  # optimal from the start


def test_a_trap_is_the_worst_of_all():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=2)
    found = worst(spec, 4)
    assert found[0].time.value == math.inf


def test_too_many_trees_are_refused():
    with pytest.raises(BadInput, match="race"):
        worst(RunSpec(problem="order", algorithm="gpstar-single", n=50), 100)


def test_drift_of_one_variable():
    # n = 1 from !x1: x1 is inserted in front (1/3 · 1/2 · 1/2), or written over it (1/3 · 1/2)
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1, init="!x1")
    (level,) = drift(spec, runs=400, seed=3)
    exact = 1 / 12 + 1 / 6
    assert level.level == 0
    for estimate in (level.drift, level.improvement):
        error = math.sqrt(exact * (1 - exact) / level.evaluations)
        assert abs(estimate.value - exact) < 5 * error
        assert estimate.low < estimate.value < estimate.high
    assert level.leaves.value == 1.0


def test_a_potential_of_ones_own():
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1, init="!x1")
    (level,) = drift(spec, runs=20, potential=lambda tree, n: 10.0 * len(tree.leaves))
    assert 0 < level.drift.value < 10
