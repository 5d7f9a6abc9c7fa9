"""The lumped chain is the unlumped one, built by brute force from `model`."""

import math

import pytest

from gpruntime import RunSpec, Tree
from gpruntime.exact import solve
from gpruntime.exact.chain import states_of
from tests.exact import brute

DIALECTS = [
    {},
    {"weights": (1, 2, 5)},
    {"last_leaf": "empty"},
    {"substitute": "nodes", "last_leaf": "empty", "weights": (3, 1, 1)},
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_one_operation_on_every_small_tree(problem, n, dialect):
    """From every tree of 1, 2 or 3 leaves (and the empty one) into every class, for all trees of a class alike."""
    spec = RunSpec(problem=problem, algorithm="gpstar-multi", n=n, **dialect)
    states = states_of(spec)
    small = ["()"] if spec.last_leaf == "empty" else []
    for leaves in (1, 2, 3):
        small += brute.initial_law(RunSpec(**{**spec.law(), "init": f"unity:leaves={leaves}"}).initial)
    for text in small:
        lumped: dict = {}
        for result, chance in brute.moves(spec, text).items():
            state = states.of(Tree.parse(result))
            lumped[state] = lumped.get(state, 0) + chance
        state = states.of(Tree.parse(text))
        assert states.moves(state, 0) == pytest.approx(lumped, rel=1e-12)
        assert states.fitness(state) == brute.fitness(spec, text)
        assert states.of(states.tree(state)) == state
        better = states.moves(state, 1)
        assert better == {s: p for s, p in states.moves(state, 0).items() if states.fitness(s) >= 1}


@pytest.mark.parametrize("init", ["unity", "insertion:leaves=3", "unity:leaves=3", "bad", "tlopt", "(x1 (!x2 x2))"])
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_the_initial_law(problem, init):
    spec = RunSpec(problem=problem, algorithm="gpstar-multi", n=2, init=init)
    states = states_of(spec)
    lumped: dict = {}
    for text, chance in brute.initial_law(spec.initial).items():
        state = states.of(Tree.parse(text))
        lumped[state] = lumped.get(state, 0) + chance
    law = {state: float(chance) for state, chance in states.initial_law(spec.initial)}
    assert law == pytest.approx(lumped, rel=1e-12)
    assert math.isclose(sum(law.values()), 1)


WHOLE_RUNS = [
    {"algorithm": "gpstar-single", "n": 1},
    {"algorithm": "gpstar-single", "n": 2, "init": "unity:leaves=3"},
    {"algorithm": "gpstar-single", "n": 2, "init": "((!x1 !x2) (!x2 x1))", "weights": (1, 2, 3)},
    {"algorithm": "gpstar-single", "n": 2, "init": "((!x1 !x1) (!x1 x1))", "max_leaves_allowed": 4},
    {"algorithm": "gpstar-single", "n": 2, "init": "!x1", "substitute": "nodes", "last_leaf": "empty"},
    {"algorithm": "gp-single", "n": 1, "max_leaves_allowed": 3},
    {"algorithm": "gp-single", "n": 1, "max_leaves_allowed": 2, "last_leaf": "empty", "substitute": "nodes"},
    {"algorithm": "gp-single", "n": 2, "init": "(!x1 !x1)", "max_leaves_allowed": 3},
    {
        "algorithm": "gp-multi",
        "n": 2,
        "init": "(!x1 (!x1 !x2))",
        "weights": (2, 0, 1),
        "max_leaves_allowed": 3,
        "budget": 9,
    },
    {"algorithm": "gpstar-multi", "n": 2, "init": "unity:leaves=3", "weights": (2, 0, 1), "poisson_mean": 0.5},
]


@pytest.mark.parametrize("setting", WHOLE_RUNS, ids=str)
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_whole_runs(problem, setting):
    spec = RunSpec(problem=problem, **setting)
    start = brute.initial_law(spec.initial)
    rows = (brute.multi_rows if spec.algorithm_.multi else brute.single_rows)(spec, start)
    optimum, mean, within = brute.answers(spec, start, rows)
    result = solve(spec)
    assert result.lost < 1e-12
    assert float(result.optimum) == pytest.approx(optimum, rel=1e-10)
    assert float(result.mean) == pytest.approx(mean, rel=1e-10)
    assert result.times.at_most(7) == pytest.approx(within, rel=1e-10)
