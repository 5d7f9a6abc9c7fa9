"""A truncated answer gives bounds and no number that is not known; a finite chain is not truncated."""

import math

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.exact import sizes, solve, trees
from gpruntime.exact.chain import ManyOperations, explore
from gpruntime.exact.kernel import SingleKernel
from gpruntime.exact.kinds import states_of
from gpruntime.exact.law import number_law
from gpruntime.exact.levels import OPTIMUM_, TIME, solve_levels
from tests.exact import brute, parts
from tests.statistics_help import assert_mean

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@pytest.mark.attack
def test_a_truncated_answer_has_no_mean():
    """GP-single on ORDER: the runs that are not lost take 6.77 evaluations in the mean, all runs more than 11."""
    spec = RunSpec(problem="order", algorithm="gp-single", n=2)
    result = solve(spec)
    assert result.kind == "truncated"
    known = (result.optimum, result.stuck, result.endless, result.mean, result.deviation, result.expected)
    assert known == (None,) * 6
    assert result.levels == []
    times = np.asarray(run_many(spec, seed=3, runs=20_000).evaluations)
    least = times.mean() - 5 * times.std() / math.sqrt(len(times))
    assert result.mean_at_least < result.mean_not_lost < 7 < 10 < least
    low, high = result.optimum_bounds
    assert low < 0.7 < 1 - 1e-9 < high <= 1  # every run reaches it
    for t in (1, 2, 5, 20, 100):
        low, high = result.times.at_most_bounds(t)
        share, error = (times <= t).mean(), 5 * math.sqrt(0.25 / len(times))
        assert low - error <= share <= high + error
        assert result.times.at_most(t) is None or result.times.at_most(t) == low == high
    for level in LEVELS:
        low, high = result.quantile_bounds(level)
        assert low <= np.quantile(times, min(level + 0.02, 1), method="inverted_cdf")
        assert high is None or high >= np.quantile(times, level - 0.02, method="inverted_cdf")
        assert result.quantile(level) == (low if low == high else None)
    assert result.quantile(0.05) == 1  # a sixteenth of the trees of two leaves is enough
    assert result.quantile_bounds(0.95)[1] is None  # more than 5 % are lost


@pytest.mark.parametrize("algorithm", ["gp-single", "gp-multi", "gpstar-multi"])
def test_the_truth_is_within_the_bounds(algorithm, monkeypatch):
    """MAJORITY with one variable: with many states next to nothing is lost, and that is held to be the truth."""
    spec = RunSpec(problem="majority", algorithm=algorithm, n=1, init="(!x1 !x1)")
    truth = solve(spec)
    assert truth.lost < 1e-6
    monkeypatch.setattr(sizes, "_MAX_STATES_CUT_OFF", 40)
    monkeypatch.setattr(sizes, "_MAX_MULTI_WEAK", 40)
    monkeypatch.setattr(sizes, "_insertions", lambda *_: 3)
    rough = solve(spec)
    assert 1e-5 < rough.lost < 0.9
    for name in ("optimum", "stuck", "endless"):
        low, high = getattr(rough, f"{name}_bounds")
        assert low <= getattr(truth, f"{name}_bounds")[0] + 1e-12 <= high + 2e-12
    assert rough.mean_at_least < truth.mean_not_lost
    for t in (2, 3, 10, 40):
        low, high = rough.times.at_most_bounds(t)
        assert low <= truth.times.at_most_bounds(t)[0] <= high
    assert rough.times.at_most_bounds(40)[0] < rough.times.at_most_bounds(40)[1]
    settled = 0
    for level in (*LEVELS, 0.999):
        low, high = rough.quantile_bounds(level)
        true = truth.quantile(level)
        assert low <= true
        assert high is None or true <= high
        assert rough.quantile(level) in (true, None)
        settled += rough.quantile(level) is not None
    assert 0 < settled < 7


def test_what_is_not_truncated_has_equal_bounds():
    result = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=2), rational=True)
    assert result.stuck_bounds == (result.stuck, result.stuck)
    assert result.mean_at_least == result.mean_not_lost == result.mean
    assert result.times.at_most_bounds(9) == (result.times.at_most(9),) * 2
    assert result.quantile_bounds(0.9) == (result.quantile(0.9),) * 2
    assert solve(RunSpec(problem="order", algorithm="gpstar-multi", n=1, init="x1")).mean == 1  # nothing to lose


def test_the_bounds_in_words():
    result = solve(RunSpec(problem="order", algorithm="gp-single", n=2))
    assert "P(optimum) 0.694406 to 1.000000, mean unknown" in repr(result)
    assert "at least 5.009399" in result._repr_html_()


# ---- many operations, but finitely many states


def followed(spec, weights):
    """P(optimum) and the mean, of whole trees followed operation by operation."""
    known = {}

    def moved(text):
        if text not in known:
            known[text] = brute.moves(spec, text)
        return known[text]

    def row(text):
        if brute.fitness(spec, text) == spec.best:
            return {}
        found, law = {}, {text: 1.0}
        for weight in weights:
            after = {}
            for before, chance in law.items():
                for result, share in moved(before).items():
                    after[result] = after.get(result, 0) + chance * share
            law = after
            for result, chance in law.items() if weight else ():
                if brute.accepts(spec, text, result):
                    found[result] = found.get(result, 0) + weight * chance
        return found

    start = brute.initial_law(spec.init)
    return brute.answers(spec, start, brute.closure(spec, start, row))


FINITE = [
    ("order", "strict", "(!x1 !x1)", 1, (1, 1, 1)),
    ("order", "parsimony", "(!x1 !x1)", 1, (1, 1, 1)),
    (parts.weighted_order, "parsimony", "!x1", 1, (1, 1, 1)),
    pytest.param("order", "strict", "!x1", 2, (1, 1, 1), marks=pytest.mark.long),
]


@pytest.mark.attack
@pytest.mark.parametrize(("problem", "accept", "init", "n", "weights"), FINITE, ids=str)
def test_a_bounded_number_of_operations_is_solved_whole(problem, accept, init, n, weights):
    law, shares = ("exactly:k=2", [0, 1]) if accept == "strict" else ("table:p=0.8/0.2", [0.8, 0.2])
    common = {"n": n, "init": init, "operations": law, "weights": weights, "budget": 9}
    spec = RunSpec(problem=problem, algorithm="gp-single", accept=accept, **common)
    result = solve(spec)
    assert (result.kind, result.lost) == ("exact up to rounding", 0)
    optimum, mean, within = followed(spec, shares)
    assert [result.optimum, result.mean] == pytest.approx([optimum, mean], rel=1e-9)
    assert result.times.at_most(7) == pytest.approx(within, rel=1e-10)


@pytest.mark.attack
@pytest.mark.statistical
def test_two_operations_on_order():
    spec = RunSpec(
        problem="order", algorithm="gpstar-single", n=2, init="(!x1 !x2)", operations="exactly:k=2", budget=10**6
    )
    result = solve(spec)
    assert (result.kind, result.optimum) == ("exact up to rounding", pytest.approx(1, abs=1e-12))
    assert_mean(run_many(spec, seed=7, runs=50_000).evaluations.tolist(), result.mean)


def test_both_ways_of_many_operations_agree():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=2, operations="power:beta=1.5,most=3", budget=10**6)
    result = solve(spec)
    assert result.operations == 3  # by the matrix of one operation
    weights, states = number_law(spec, 3).weights, states_of(spec)
    chain = explore(lambda: ManyOperations(spec, states, weights, 10**6), 10**6)
    kernel = SingleKernel(chain)
    answers = kernel.start @ solve_levels(kernel, strict=True).values
    assert answers[OPTIMUM_] == pytest.approx(result.optimum, rel=1e-12)
    assert 1 + answers[TIME] / answers[OPTIMUM_] == pytest.approx(result.mean, rel=1e-12)


@pytest.mark.attack
def test_programs_without_end_are_refused(monkeypatch):
    """Trees of REGRESSION that improve grow and grow; to run them all would take hours."""
    assert trees._MAX_PROGRAMS <= 10**6
    monkeypatch.setattr(trees, "_MAX_PROGRAMS", 3000)
    with pytest.raises(BadInput, match=r"problem = REGRESSION: too large: more than 3,000 programs"):
        solve(RunSpec(problem="regression", algorithm="gpstar-single", n=3, init="x", budget=9))
