"""Algorithms with several trees: by hand, as the (1+1) GP where they are one, and against runs."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from gpruntime import BadInput, Outcome, RunSpec, run_many
from gpruntime.exact import solve
from gpruntime.model.populations.smo import Smo
from tests import parts
from tests.exact.test_engine import RUNS, assert_agreement, simulated
from tests.model.test_search import PlusOne
from tests.shares import one_in
from tests.statistics_help import assert_mean

RULES = ["weak", "strict", "parsimony", "parsimony-smaller"]


def spec_of(algorithm, problem="majority", n=2, **fields):
    return RunSpec(problem=problem, algorithm=algorithm, n=n, **{"budget": 10**6, **fields})


def test_by_hand():
    """SMO-GP at n = 1 from x̄₁: three populations that are not the front."""
    result = solve(spec_of("smo-single", "order", 1, init="!x1"), rational=True)
    assert (result.states, result.mean, result.optimum) == (4, Fraction(131, 19), 1)
    assert [(level.fitness, level.entered) for level in result.levels] == [(0, 1), (1, 1)]


@pytest.mark.parametrize("problem", ["majority", "order", parts.missing, parts.inversions], ids=str)
@pytest.mark.parametrize("accept", [*RULES, parts.small_losses], ids=str)
def test_with_one_of_one_it_is_the_1_1_GP(problem, accept):
    """(μ+1) lets a tie with the only tree be decided by lot, so it is the same under the rules that reject ties."""
    fields = {"problem": problem, "accept": accept, "init": "unity:leaves=2", "max_leaves_allowed": 4}
    one = solve(spec_of("gp-single", **fields))
    algorithms = ["one-plus-lambda-single:lambda=1"]
    if accept in ("strict", "parsimony-smaller"):
        algorithms.append("mu-plus-one-single:mu=1")
    for algorithm in algorithms:
        other = solve(spec_of(algorithm, **fields))
        assert other.states >= one.states  # it may merge more
        for ours, theirs in ((other.optimum, one.optimum), (other.stuck, one.stuck), (other.endless, one.endless)):
            assert float(ours) == pytest.approx(float(theirs), abs=1e-12)
        assert other.mean == pytest.approx(one.mean, rel=1e-12)
        assert other.times.at_most(9) == pytest.approx(one.times.at_most(9), rel=1e-12)


SETTINGS = [
    {"algorithm": "smo-single", "problem": "majority"},
    {"algorithm": "smo-single", "problem": "order", "init": "unity:leaves=1", "last_leaf": "empty"},
    {"algorithm": "smo-single until=optimum", "problem": "majority", "weights": (1, 2, 3), "max_leaves_allowed": 5},
    {"algorithm": "one-plus-lambda-single:lambda=3", "problem": "majority", "accept": "strict"},
    {"algorithm": "one-plus-lambda-single:lambda=2", "problem": "order", "accept": "parsimony", "init": "(!x1 !x2)"},
    {"algorithm": "one-plus-lambda-single:lambda=2", "problem": "majority", "accept": parts.small_losses,
     "max_leaves_allowed": 5},
    {"algorithm": "one-plus-lambda-single:lambda=3", "problem": "majority", "max_leaves_allowed": 5},
    {"algorithm": "mu-plus-one-single:mu=2", "problem": "majority", "accept": "strict"},
    {"algorithm": "mu-plus-one-single:mu=3", "problem": "majority", "accept": "parsimony", "init": "unity:leaves=2"},
    {"algorithm": "mu-plus-one-single:mu=2", "problem": "majority", "max_leaves_allowed": 5},
]  # fmt: skip


@pytest.mark.statistical
@pytest.mark.parametrize("setting", one_in(3, SETTINGS), ids=str)
def test_the_engine_follows_the_exact_law(setting):
    """Mean and distribution of 10⁵ runs, with the share of those that are stuck."""
    spec = spec_of(**setting, **({"budget": None} if setting.get("accept") == "strict" else {}))
    exact, (times, stuck) = solve(spec), simulated(spec)
    assert stuck == RUNS - len(times)
    assert_agreement(times, stuck, exact)


FRONTS = [
    {"problem": "and", "n": 3},
    {"problem": "two-thirds-majority", "init": "(!x1 (!x1 x2))"},
    {"problem": "plus-c-majority", "n": 1, "init": "(x1 (!x1 x1))", "last_leaf": "empty"},
]


@pytest.mark.attack
@pytest.mark.statistical
@pytest.mark.parametrize("setting", FRONTS, ids=str)
def test_the_time_to_a_front(setting):
    """Model, engine and chain agree: run by run, and on the share of runs that come to it, and their mean."""
    spec = spec_of("smo-single", **{"budget": 2000, **setting})
    assert spec.goal == "front"
    columns = run_many(spec, seed=3, runs=4000)
    for run in range(10):
        result = Smo(spec, 3, run).result()
        assert (result.outcome, result.evaluations) == (columns.outcome[run], columns.evaluations[run])
    exact, reached = solve(spec), np.array([outcome is Outcome.OPTIMUM for outcome in columns.outcome])
    assert abs(reached.mean() - exact.optimum) <= 4 * math.sqrt(exact.optimum * (1 - exact.optimum) / 4000) + 1e-12
    assert_mean(columns.evaluations[reached].tolist(), exact.mean)


STUCK = [
    {"algorithm": "one-plus-lambda-single:lambda=4", "n": 3},
    {"algorithm": "mu-plus-one-single:mu=2", "n": 2, "init": "(!x1 (!x1 (!x1 !x2)))"},
    {"algorithm": "mu-plus-one-single:mu=3", "n": 2, "init": "(!x1 (!x1 (!x1 !x2)))", "weights": (2, 1, 1)},
    {"algorithm": "one-plus-lambda-single:lambda=2", "problem": "order", "n": 2, "weights": (0, 0, 1)},
]


@pytest.mark.statistical
@pytest.mark.parametrize("setting", STUCK, ids=str)
def test_as_many_runs_are_stuck_as_the_chain_says(setting):
    """10⁴ runs, which all end by themselves: the share is within four standard errors, at most 0.02."""
    spec = spec_of(**{"accept": "strict", "budget": None, **setting})
    exact, outcomes = float(solve(spec).stuck), Counter(run_many(spec, seed=6, runs=10**4).outcome)
    assert outcomes.total() == outcomes[Outcome.OPTIMUM] + outcomes[Outcome.STUCK]
    error = math.sqrt(exact * (1 - exact) / 10**4)
    assert 0.02 < exact < 0.98
    assert abs(outcomes[Outcome.STUCK] / 10**4 - exact) < 4 * error


def test_trees_that_grow_without_end_are_cut_off():
    result = solve(spec_of("one-plus-lambda-single:lambda=2"))
    assert (result.kind, result.most_leaves is not None) == ("truncated", True)
    assert 0 < result.lost < 1e-3
    assert result.optimum_at_least + result.lost == pytest.approx(1, abs=1e-12)
    assert solve(spec_of("smo-single", n=1)).kind == "exact up to rounding"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "concatenation-single"}, "its chain is not small"),
        ({"algorithm": "mu-plus-one:mu=2,crossover=0.5", "max_leaves_allowed": 5}, "without crossover"),
        ({"algorithm": "smo-multi"}, "exist for one operation"),
        ({"algorithm": "gp-single", "search": PlusOne}, "for algorithms of ours only"),
        ({"algorithm": "smo-single", "n": 12}, "more than 30,000 states of SMO-GP-single; take fewer"),
        ({"algorithm": "mu-plus-one:mu=9", "n": 2}, "take fewer variables"),
    ],
)
def test_what_is_not_small_gets_one_line(fields, words):
    with pytest.raises(BadInput, match=words):
        solve(spec_of(**fields))
