"""From the same address the engine, stepping, and the model make the same run: every draw, verdict and tree."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpruntime import ALGORITHMS, Run, RunSpec, Tree
from gpruntime.engine import WatchedRun, run_many
from gpruntime.engine.columns import row_of
from gpruntime.engine.execute import Execution
from gpruntime.model.run import simulate
from tests.engine.trees import check_state, tree_of

INITS = ["unity", "bad", "tlopt", "insertion", "grow:join=0.6", "((!x1 x2) (!x2 (x1 !x1)))"]
CASES = list(itertools.product(["order", "majority"], ALGORITHMS, INITS))
DIALECTS = list(itertools.product(["leaves", "nodes", "functions"], ["keep", "empty"]))
WEIGHTS = [(1, 1, 1), (1, 1, 1), (0, 1, 1), (2, 1, 0.5), (1, 3, 1), (1, 0, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0)]


def lockstep(spec: RunSpec, seed: int, run: int) -> int:
    """Compares one run step by step; returns how many steps it had."""
    model, watched = Run(spec, seed, run), WatchedRun(spec, seed, run, "stepping")
    assert watched.initial_tree == model.initial_tree
    assert watched.fitness == model.fitness
    steps = 0
    for ours, theirs in zip(watched, model, strict=True):
        assert ours == theirs
        steps += 1
    assert watched.result() == model.result()
    state = watched._execution.memory
    check_state(state, spec, len(model.tree.leaves))
    if spec.problem.id == "order":  # the engine's own tree, read from its arrays, register and all
        tree = tree_of(state, len(model.tree.leaves))
        assert tree == model.tree
        assert register_of(tree) == register_of(model.tree)
    else:
        register = [leaf.terminal.code for leaf in model.tree.leaves]
        assert state["register"][: len(register)].tolist() == register
    return steps


def register_of(tree: Tree) -> list[object]:
    """All that the register says: the terminals of the leaves, and the children of the joins by their places in it."""
    children = [(join.left.is_leaf, join.left.index, join.right.is_leaf, join.right.index) for join in tree.joins]
    return [[leaf.terminal for leaf in tree.leaves], children]


@st.composite
def specs(draw, problem, algorithm, init):
    substitute, last_leaf = draw(st.sampled_from(DIALECTS))
    n = draw(st.integers(2, 6))
    leaves = RunSpec(problem=problem, algorithm=algorithm, n=n, init=init).init.leaves
    room = draw(st.sampled_from([None, None, 0, 1, 5]))
    return RunSpec(
        problem=problem,
        algorithm=algorithm,
        n=n,
        init=init,
        weights=draw(st.sampled_from(WEIGHTS)),
        poisson_mean=draw(st.sampled_from([1.0, 1.0, 0.0, 4.0])),
        substitute=substitute,
        last_leaf=last_leaf,
        max_leaves_allowed=None if room is None else max(n, leaves) + room,
        budget=draw(st.integers(1, 400)),
    )


@pytest.mark.parametrize(("problem", "algorithm", "init"), CASES)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_lockstep(problem, algorithm, init, data):
    spec = data.draw(specs(problem, algorithm, init))
    lockstep(spec, data.draw(st.integers(0, 2**63 - 1)), data.draw(st.integers(0, 2**32 - 1)))


@pytest.mark.long
@pytest.mark.parametrize(("problem", "algorithm", "init"), CASES)
@pytest.mark.parametrize(("substitute", "last_leaf"), DIALECTS)
def test_lockstep_over_100000_steps(problem, algorithm, init, substitute, last_leaf):
    """The paper's own weights, n from 3 to 9, run after run."""
    steps = run = 0
    while steps < 100_000:
        spec = RunSpec(
            problem=problem,
            algorithm=algorithm,
            n=3 + run % 7,
            init=init,
            substitute=substitute,
            last_leaf=last_leaf,
            budget=5_000,
        )
        steps += 1 + lockstep(spec, 2026, run)
        run += 1
        if (
            spec.init.tree is None
            and spec.algorithm.id == "gpstar-single"
            and init == "tlopt"
            and problem == "majority"
        ):
            assert steps == run, "stuck at once"
            return


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_many_runs_in_one_call_are_the_models_runs(problem, algorithm):
    spec = RunSpec(problem=problem, algorithm=algorithm, n=7, budget=2000)
    columns = run_many(spec, seed=11, runs=40, method="stepping")
    assert [row_of(simulate(spec, 11, run)) for run in range(40)] == columns.table.tolist()


@pytest.mark.parametrize("problem", ["order", "majority"])
def test_a_tree_that_outgrows_its_arrays(problem):
    """From one leaf to hundreds: the arrays are made larger on the way, and nothing else changes."""
    spec = RunSpec(problem=problem, algorithm="gp-multi", n=20, init="x1", weights=(1, 3, 1), budget=500)
    execution = Execution(spec, 3, np.array([0]), "stepping")
    room = execution.memory.room
    while not execution.done:
        execution.slice(100)
    assert execution.memory.room > room
    result = simulate(spec, 3, 0)
    assert execution.out[0].tolist() == row_of(result)
    if problem == "order":
        assert tree_of(execution.memory, result.leaves) == Tree.parse(result.tree)


def test_slices_do_not_matter():
    for problem in ("order", "majority"):
        for algorithm in ("gp-single", "gpstar-multi"):
            spec = RunSpec(problem=problem, algorithm=algorithm, n=6, budget=10**5)
            for method in ("stepping", "skipping") if spec.algorithm.strict else ("stepping",):
                execution = Execution(spec, 5, np.arange(20), method)
                while not execution.done:
                    execution.slice(1)
                assert execution.out.tolist() == run_many(spec, seed=5, runs=20, method=method).table.tolist()
