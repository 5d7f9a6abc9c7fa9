"""The original HVL on every problem, under every rule and law of k: the engine and the model make the same run.

Problems and rules come from the registries and from tests/parts.py: one that is added has its tests.
"""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpruntime import Run, RunSpec, run_many
from gpruntime.engine.columns import row_of
from gpruntime.engine.execute import Execution
from gpruntime.model.run import Outcome, simulate
from tests import parts
from tests.engine.test_parts import EVERY, RULES, WEIGHTS, lockstep
from tests.shares import long_case

# Each takes seconds to compile: one that sees counts, one that sees all; the others with `-m long`.
QUICK = ("majority", parts.wrong_rows)
TRIED = [case if case.values[0] in QUICK else long_case(case) for case in EVERY]
INITS = ["unity", "insertion", "grow:join=0.5", "unity:leaves=1", "unity:leaves=9"]


@pytest.mark.parametrize("problem", TRIED, ids=str)
def test_the_engine_and_the_model_make_the_same_run(problem):
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def check(data):
        spec = RunSpec(
            problem=problem,
            algorithm="gp-single",
            n=data.draw(st.integers(1, 4)),
            init=data.draw(st.sampled_from(INITS)),
            accept=data.draw(st.sampled_from(RULES)),
            operations=data.draw(st.sampled_from(parts.LAWS)),
            weights=data.draw(st.sampled_from(WEIGHTS)),
            operator="hvl",
            max_leaves_allowed=data.draw(st.sampled_from([None, None, 9, 12])),
            budget=data.draw(st.sampled_from([1, 10, 60])),
        )
        lockstep(spec, data.draw(st.integers(0, 1000)))

    check()


@pytest.mark.parametrize("problem", TRIED, ids=str)
def test_each_rule_and_law(problem):
    for number, (rule, law) in enumerate(itertools.product(RULES, parts.LAWS)):
        spec = RunSpec(
            problem=problem, algorithm="gp-single", n=3, operator="hvl", accept=rule, operations=law, budget=40
        )
        columns = run_many(spec, seed=number, runs=3)
        assert columns.table.tolist() == [row_of(simulate(spec, number, run)) for run in range(3)]


@pytest.mark.parametrize("problem", TRIED, ids=str)
@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)])
def test_a_run_is_stuck_when_the_model_says_so(problem, weights):
    for algorithm, limit in itertools.product(("gpstar-single", "gpstar-multi", "gp-multi"), (None, 6)):
        spec = RunSpec(
            problem=problem,
            algorithm=algorithm,
            n=3,
            operator="hvl",
            weights=weights,
            max_leaves_allowed=limit,
            budget=3000 if algorithm == "gpstar-single" else 50,
        )
        columns = run_many(spec, seed=7, runs=4)
        assert columns.table.tolist() == [row_of(simulate(spec, 7, run)) for run in range(4)]


def test_some_runs_are_stuck():
    spec = RunSpec(problem="order", algorithm="gpstar-multi", n=3, operator="hvl", weights=(0, 0, 1))
    assert Outcome.STUCK in run_many(spec, seed=7, runs=20).outcome


def test_a_tree_that_outgrows_its_room():
    """Much insertion: the memory grows in the middle of a run, and with it the table of an own rule."""
    fields = {"problem": "order", "algorithm": "gp-multi", "n": 30, "init": "unity:leaves=4", "operator": "hvl"}
    for rule in ("weak", parts.not_much_larger, parts.small_losses):
        spec = RunSpec(**fields, accept=rule, weights=(1, 9, 1), budget=400)
        columns = run_many(spec, seed=3, runs=[4])
        assert columns.max_leaves[0] > 100
        assert columns.table.tolist() == [row_of(simulate(spec, 3, 4))]


def test_slices_make_no_difference():
    spec = RunSpec(problem="majority", algorithm="gp-multi", n=5, operator="hvl", budget=400)
    execution = Execution(spec, 2, np.arange(3), "stepping")
    while not execution.done:
        execution.slice(7)
    assert execution.out.tolist() == [row_of(Run(spec, 2, run).result()) for run in range(3)]
