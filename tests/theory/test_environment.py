"""Runs in which an agent makes the choices."""

import math

import numpy as np
import pytest

from gpruntime import BadInput, Run, RunSpec
from gpruntime.theory import Environment

SPEC = RunSpec(problem="majority", algorithm="gp-single", accept="parsimony", n=3, init="unity:leaves=3")


def returns(environment, choose, episodes, seed=3):
    found = []
    for episode in range(episodes):
        _, info = environment.reset(seed=seed if episode == 0 else None)
        total, ended = 0.0, info["outcome"] is not None
        while not ended:
            _, reward, terminated, truncated, info = environment.step(choose(info))
            total, ended = total + reward, terminated or truncated
        assert info["outcome"] == "optimum"
        assert total == 1 - info["evaluations"]
        found.append(total)
    return np.array(found)


@pytest.mark.statistical
def test_the_optimal_policy_has_the_optimal_value():
    environment = Environment(SPEC)
    policy = environment.policy

    def optimal(info):
        return environment.actions.index(next(iter(policy.choice(info["tree"]))))

    found = returns(environment, optimal, 1500)
    assert environment.optimal_value == 1 - policy.optimal.mean
    assert abs(found.mean() - environment.optimal_value) < 4 * found.std() / math.sqrt(len(found))
    sampled = np.random.default_rng(1)
    random = returns(environment, lambda _: int(sampled.integers(3)), 400)
    assert abs(random.mean() - (1 - policy.fixed.mean)) < 4 * random.std() / math.sqrt(len(random))
    assert random.mean() < environment.optimal_value


def test_episodes_can_be_repeated_and_begin_as_runs_do():
    environment = Environment(SPEC)
    first, second = [[environment.reset(seed)[1]["tree"] for seed in (9, None, None)] for _ in range(2)]
    assert first == second
    assert first == [Run(SPEC, seed=9, run=run).initial_tree for run in range(3)]


def test_an_action_is_what_it_says():
    environment = Environment(RunSpec(problem="order", algorithm="gp-single", n=9, init="unity:leaves=9"))
    assert environment.actions == ("substitute", "insert", "delete")
    for action, growth in enumerate((0, 1, -1)):
        environment.reset(seed=1)
        (fitness, leaves), _ = environment.reset()
        while True:
            (after, grown), reward, *_, info = environment.step(action)
            assert reward == -1.0
            if info["accepted"]:
                assert grown == leaves + growth
                assert after >= fitness
                break
            assert (after, grown) == (fitness, leaves)


def test_numbers_of_operations_are_actions():
    environment = Environment(SPEC.replace(operations="table:p=0.5/0/0.5", budget=50))
    assert environment.actions == ("k = 1", "k = 3")
    environment.reset(seed=2)
    before = environment._run.proposed.copy()
    environment.step(1)
    assert sum(environment._run.proposed.values()) - sum(before.values()) == 3


def test_budget_and_stuck_truncate():
    environment = Environment(SPEC.replace(budget=3, init="(!x1 (!x2 !x3))"))
    environment.reset(seed=1)
    assert environment.step(2)[2:4] == (False, False)
    assert environment.step(2)[2:4] == (False, True)
    with pytest.raises(BadInput, match="call reset"):
        environment.step(0)
    stuck = Environment(RunSpec(problem="majority", algorithm="gpstar-single", n=2, init="(!x1 (!x1 !x1))"))
    assert stuck.reset(seed=1)[1]["outcome"] is None  # x2 can come
    stuck = Environment(RunSpec(problem="majority", algorithm="gpstar-single", n=1, init="(!x1 (!x1 !x1))"))
    assert stuck.reset(seed=1)[1]["outcome"] == "stuck"


def test_what_is_refused():
    environment = Environment(SPEC)
    with pytest.raises(BadInput, match="call reset"):
        environment.step(0)
    environment.reset(seed=1)
    for action in (3, -1, "insert", 0.5):
        with pytest.raises(BadInput, match="action"):
            environment.step(action)
    with pytest.raises(BadInput, match="one tree"):
        Environment(RunSpec(problem="majority", algorithm="smo-single", n=3))
