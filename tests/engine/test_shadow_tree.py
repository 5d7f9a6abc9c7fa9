"""A tree that follows a trace, and an execution that forks, against the model's run."""

import itertools

import numpy as np
import pytest

from gpruntime import Run, RunSpec
from gpruntime.engine.execute import Execution
from gpruntime.engine.watched import ShadowTree

SETTINGS = [
    RunSpec(problem=problem, algorithm=algorithm, n=n, budget=600, **more)
    for problem, algorithm, (n, more) in itertools.product(
        ("order", "majority"),
        ("gp-single", "gp-multi", "gpstar-single"),
        (
            (12, {}),
            (2, {"last_leaf": "empty", "init": "x1", "weights": (1, 1, 3)}),
            (9, {"substitute": "nodes"}),
            (30, {"init": "grow:join=0.45", "weights": (1, 9, 1)}),  # outgrows its first room
        ),
    )
]


def register_of(tree):
    """Everything there is to know: terminals and places of leaves and joins."""

    def name(node):
        return None if node is None else (node.is_leaf, node.index)

    return (
        str(tree),
        [leaf.terminal for leaf in tree.leaves],
        [(name(join.left), name(join.right), name(join.parent)) for join in tree.joins],
    )


@pytest.mark.parametrize("spec", SETTINGS, ids=lambda spec: f"{spec.problem.id}-{spec.algorithm.id}-{spec.n}")
def test_the_tree_is_the_models_after_every_slice(spec):
    run = Run(spec, seed=3)
    execution = Execution(spec, 3, np.array([0], np.int64), "stepping", tracing=True)
    shadow = ShadowTree(execution)
    assert register_of(shadow.tree()) == register_of(run.tree)
    while not execution.done:
        before = shadow.copy(), register_of(run.tree)
        shadow.follow(execution.slice(7))
        while run.outcome is None and run.evaluations < execution.out[0, 1]:
            run.step()
        assert register_of(shadow.tree()) == register_of(run.tree)
        assert register_of(before[0].tree()) == before[1]
    assert run.outcome is not None


@pytest.mark.parametrize(
    "spec", SETTINGS[:3] + SETTINGS[-3:], ids=lambda spec: f"{spec.problem.id}-{spec.algorithm.id}-{spec.n}"
)
def test_a_fork_goes_on_alike_and_on_its_own(spec):
    execution = Execution(spec, 5, np.array([0], np.int64), "stepping", tracing=True)
    execution.slice(40)
    fork = execution.fork()
    first, second = ([one.slice(25) for _ in range(20)] for one in (execution, fork))
    for ours, theirs in zip(first, second, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(execution.out, fork.out)
