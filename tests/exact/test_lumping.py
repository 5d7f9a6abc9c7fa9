"""The lumped chain is the unlumped one, built by brute force from `model`."""

import math

import pytest

from gpruntime import RunSpec, Tree
from gpruntime.exact import solve
from gpruntime.exact.kinds import states_of
from tests.exact import brute, parts
from tests.shares import one_in

DIALECTS = [
    {},
    {"weights": (1, 2, 5)},
    {"last_leaf": "empty"},
    {"substitute": "nodes", "last_leaf": "empty", "weights": (3, 1, 1)},
    {"substitute": "functions", "weights": (3, 2, 1)},
]


PROBLEMS = [
    "majority",
    "order",
    parts.two_thirds,
    parts.weighted_order,
    parts.order_by_first,
    parts.distinct,
    parts.differs_late,
    parts.twice_as_many,
    parts.wrong_rows,
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_one_operation_on_every_small_tree(problem, n, dialect):
    """From every tree of 1, 2 or 3 leaves (and the empty one) into every class, for all trees of a class alike."""
    spec = RunSpec(problem=problem, algorithm="gpstar-multi", n=n, budget=9, **dialect)
    states = states_of(spec)
    direction = spec.problem.direction
    small = ["()"] if spec.last_leaf == "empty" else []
    for leaves in (1, 2, 3) if problem in ("majority", "order") else (1, 2):
        small += brute.initial_law(spec.replace(init=f"unity:leaves={leaves}").init)
    for text in small:
        lumped: dict = {}
        for result, chance in brute.moves(spec, text).items():
            state = states.of(Tree.parse(result))
            lumped[state] = lumped.get(state, 0) + chance
        state = states.of(Tree.parse(text))
        moves = states.moves(state, -math.inf)
        assert moves == pytest.approx(lumped, rel=1e-12)
        assert states.fitness(state) == brute.fitness(spec, text)
        assert states.of(states.tree(state)) == state
        least = direction * brute.fitness(spec, text) + 1
        better = {s: p for s, p in moves.items() if direction * states.fitness(s) >= least}
        assert states.moves(state, least) == pytest.approx(better, rel=1e-12)


OURS = ["unity", "insertion:leaves=3", "unity:leaves=3", "bad", "tlopt", "(x1 (!x2 x2))"]
INITIAL = [(problem, init) for problem in ("majority", "order", parts.weighted_order) for init in OURS]
INITIAL += [(parts.distinct, "unity"), (parts.distinct, "x2"), (parts.twice_as_many, "insertion:leaves=2")]
INITIAL += [(parts.wrong_rows, f"{name}:leaves=3") for name in ("unity", "insertion")]


@pytest.mark.parametrize(("problem", "init"), INITIAL, ids=str)
def test_the_initial_law(problem, init):
    spec = RunSpec(problem=problem, algorithm="gpstar-multi", n=2, init=init, budget=9)
    states = states_of(spec)
    lumped: dict = {}
    for text, chance in brute.initial_law(spec.init).items():
        state = states.of(Tree.parse(text))
        lumped[state] = lumped.get(state, 0) + chance
    law: dict = {}
    for state, chance in states.initial_law(spec.init):
        law[state] = law.get(state, 0) + float(chance)
    assert law == pytest.approx(lumped, rel=1e-12)
    assert math.isclose(sum(law.values()), 1)


WHOLE_RUNS = [
    {"algorithm": "gpstar-single", "n": 1},
    {"algorithm": "gpstar-single", "n": 2, "init": "unity:leaves=3"},
    {"algorithm": "gpstar-single", "n": 2, "init": "((!x1 !x2) (!x2 x1))", "weights": (1, 2, 3)},
    {"algorithm": "gpstar-single", "n": 2, "init": "((!x1 !x1) (!x1 x1))", "max_leaves_allowed": 4},
    {"algorithm": "gpstar-single", "n": 2, "init": "!x1", "substitute": "nodes", "last_leaf": "empty"},
    {"algorithm": "gpstar-single", "n": 2, "init": "(x1 !x2)", "substitute": "functions"},
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


@pytest.mark.parametrize("setting", one_in(3, WHOLE_RUNS), ids=str)
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_whole_runs(problem, setting):
    spec = RunSpec(problem=problem, **setting)
    start = brute.initial_law(spec.init)
    rows = (brute.multi_rows if spec.algorithm.multi else brute.single_rows)(spec, start)
    optimum, mean, within = brute.answers(spec, start, rows)
    result = solve(spec)
    assert result.lost < 1e-12
    assert float(result.optimum_at_least) == pytest.approx(optimum, rel=1e-10)
    assert float(result.mean_not_lost) == pytest.approx(mean, rel=1e-10)
    assert result.times.at_most_bounds(7)[0] == pytest.approx(within, rel=1e-10)
