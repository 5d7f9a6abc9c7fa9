"""When runs improved: as the model's steps say for stepping, as the watched run's say for skipping."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gpruntime import ALGORITHMS, Run, RunSpec, run_many
from gpruntime.engine import WatchedRun, execute, unsupported
from tests import parts
from tests.engine.test_lockstep import INITS, specs

CASES = list(itertools.product(["order", "majority"], ALGORITHMS))
STRICT = [(problem, algorithm) for problem, algorithm in CASES if algorithm.startswith("gpstar")]


def by_steps(run) -> list[tuple[int, int, int]]:
    """(evaluations, fitness, leaves) at each new best fitness, from a run that has not begun."""
    found = [(1, run.fitness, len(run.tree.leaves))]
    for step in run:
        if step.fitness > found[-1][1]:
            found.append((step.evaluations, step.fitness, step.leaves))
    return found


def check(columns, expected) -> None:
    """Equal to these lists, one a run, and what must hold of all improvements does."""
    found = columns.improvements
    assert len(found) == len(columns) == len(expected)
    assert found.offsets[0] == 0
    for row, events in enumerate(expected):
        evaluations, fitness, leaves = found.of(row)
        assert list(zip(evaluations.tolist(), fitness.tolist(), leaves.tolist(), strict=True)) == events
        assert evaluations[0] == 1
        assert (np.diff(fitness) > 0).all()
        assert (np.diff(evaluations) > 0).all()
        assert fitness[-1] == columns.fitness[row]
        if str(columns.outcome[row]) == "optimum":
            assert evaluations[-1] == columns.evaluations[row]


@pytest.mark.parametrize(("problem", "algorithm"), CASES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_stepping(problem, algorithm, data):
    spec = data.draw(specs(problem, algorithm, data.draw(st.sampled_from(INITS))))
    seed, rows = data.draw(st.integers(0, 2**63 - 1)), data.draw(st.sampled_from([1, 2, 3, 65_536]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "_IMPROVEMENT_ROWS", rows)  # a small array is full, and emptied, again and again
        columns = run_many(spec, seed=seed, runs=4, method="stepping", improvements=True)
    check(columns, [by_steps(Run(spec, seed, run)) for run in range(4)])
    assert columns.table.tolist() == run_many(spec, seed=seed, runs=4, method="stepping").table.tolist()


@pytest.mark.parametrize(("problem", "algorithm"), STRICT)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_skipping(problem, algorithm, data):
    spec = data.draw(specs(problem, algorithm, data.draw(st.sampled_from(INITS))))
    assume(spec.can_skip)
    seed, rows = data.draw(st.integers(0, 2**63 - 1)), data.draw(st.sampled_from([1, 2, 3, 65_536]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "_IMPROVEMENT_ROWS", rows)
        columns = run_many(spec, seed=seed, runs=4, method="skipping", improvements=True)
    check(columns, [by_steps(WatchedRun(spec, seed, run, "skipping")) for run in range(4)])
    assert columns.table.tolist() == run_many(spec, seed=seed, runs=4, method="skipping").table.tolist()


def test_the_model_where_the_engine_cannot():
    fields = {"algorithm": "gp-multi", "n": 3, "budget": 100}
    spec = RunSpec(problem=parts.majority_with_proof, **fields)
    assert unsupported(spec) is not None
    columns = run_many(spec, seed=2, runs=[5, 1, 5], improvements=True)
    check(columns, [by_steps(Run(spec, 2, run)) for run in (5, 1, 5)])


def test_the_original_HVL():
    spec = RunSpec(problem="majority", algorithm="gp-multi", n=3, operator="hvl", budget=300)
    columns = run_many(spec, seed=2, runs=[5, 1, 5], improvements=True)
    check(columns, [by_steps(Run(spec, 2, run)) for run in (5, 1, 5)])


def test_large_runs():
    """More improvements than the array holds, in one run and in many."""
    one = run_many(RunSpec(problem="order", algorithm="gpstar-single", n=200_000), seed=1, runs=1, improvements=True)
    evaluations, fitness, _ = one.improvements.of(0)
    assert execute._IMPROVEMENT_ROWS < len(fitness) <= 200_001
    assert (fitness[-1], evaluations[-1]) == (200_000, one.evaluations[0])
    many = run_many(RunSpec(problem="majority", algorithm="gp-single", n=10), seed=1, runs=20_000, improvements=True)
    ends = many.improvements.offsets[1:] - 1
    assert len(many.improvements.fitness) > execute._IMPROVEMENT_ROWS
    assert (many.improvements.fitness[ends] == 10).all()
    assert (many.improvements.evaluations[ends] == many.evaluations).all()


def test_nobody_asks():
    spec = RunSpec(problem="order", algorithm="gp-single", n=3)
    assert run_many(spec, seed=1, runs=2).improvements is None
    assert len(run_many(spec, seed=1, runs=0, improvements=True).improvements) == 0
