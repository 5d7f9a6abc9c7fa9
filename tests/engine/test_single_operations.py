"""Single operations in a row: the runs of the model, though words are drawn ahead."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpruntime import Run, RunSpec
from gpruntime.engine.columns import LEAVES, row_of
from gpruntime.engine.execute import Execution
from tests.engine.test_lockstep import INITS, register_of, specs
from tests.engine.trees import check_state, tree_of


def finished(spec: RunSpec, seed: int, run: int, tracing: bool = False) -> Execution:
    execution = Execution(spec, seed, np.array([run]), "stepping", tracing=tracing)
    while not execution.done:
        execution.slice()
    return execution


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("algorithm", ["gp-single", "gpstar-single"])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_run_and_the_last_tree_are_the_models(problem, algorithm, data):
    spec = data.draw(specs(problem, algorithm, data.draw(st.sampled_from(INITS))))
    seed, run = data.draw(st.integers(0, 2**63 - 1)), data.draw(st.integers(0, 2**32 - 1))
    model, execution = Run(spec, seed, run), finished(spec, seed, run)
    assert execution.out[0].tolist() == row_of(model.result())
    state, leaves = execution.memory, len(model.tree.leaves)
    check_state(state, spec, leaves)
    if problem == "order":
        assert register_of(tree_of(state, leaves)) == register_of(model.tree)
    else:
        assert state["register"][:leaves].tolist() == [leaf.terminal.code for leaf in model.tree.leaves]


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("algorithm", ["gp-single", "gpstar-single"])
def test_draws_that_have_to_be_repeated(problem, algorithm):
    """With 2n = 2·10⁶ terminals one draw in 2,000 may have to be repeated; traced runs make proposal by proposal."""
    spec = RunSpec(problem=problem, algorithm=algorithm, n=10**6, init="bad:leaves=1000", budget=60_000)
    traced, execution = finished(spec, 1, 0, tracing=True), finished(spec, 1, 0)
    assert execution.out.tolist() == traced.out.tolist()
    assert execution.run.rng.tolist() == traced.run.rng.tolist()
    leaves = int(traced.out[0, LEAVES])
    ours, theirs = execution.memory, traced.memory
    if problem == "order":
        assert register_of(tree_of(ours, leaves)) == register_of(tree_of(theirs, leaves))
    else:
        assert np.array_equal(ours["register"][:leaves], theirs["register"][:leaves])
