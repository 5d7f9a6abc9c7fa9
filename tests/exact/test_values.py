"""Values known from elsewhere: hand-solved (see tests/model/test_run.py for the arguments), and the first table."""

import functools
import math
from fractions import Fraction

import pytest

from gpruntime import BadInput, RunSpec, Tree
from gpruntime.exact import solve
from gpruntime.exact.chain import Proposals, SingleOperation, explore
from gpruntime.exact.counts import multisets_by_leaves
from gpruntime.exact.kinds import states_of
from gpruntime.exact.shapes import renamed_trees
from gpruntime.exact.sizes import states_by_leaves
from gpruntime.model.stuck import stuck
from tests.model.test_run import chance_to_improve_majority_n1

MAJORITY_UNITY = [
    (1, 0.0, 2.5),
    (2, 0.0614346591, 9.02856864),
    (3, 0.0956134778, 22.26801206),
    (4, 0.1254651520, 44.67962573),
    (5, 0.1547100857, 77.93507036),
]


@pytest.mark.parametrize(("n", "p_stuck", "mean"), MAJORITY_UNITY)
def test_GPstar_single_on_MAJORITY(n, p_stuck, mean):
    result = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=n))
    assert result.stuck == pytest.approx(p_stuck, abs=1e-10)
    assert result.mean == pytest.approx(mean, abs=1e-8)
    assert result.optimum + result.stuck == pytest.approx(1, abs=1e-12)
    assert result.kind == "exact up to rounding"


HAND_SOLVED = [
    ({"problem": "majority", "algorithm": "gpstar-single"}, Fraction(5, 2)),
    ({"problem": "order", "algorithm": "gpstar-single"}, Fraction(199, 55)),
    ({"problem": "majority", "algorithm": "gp-single", "max_leaves_allowed": 2}, Fraction(29, 14)),
    ({"problem": "order", "algorithm": "gp-single", "max_leaves_allowed": 2}, Fraction(257, 71)),
]


@pytest.mark.parametrize(("setting", "mean"), HAND_SOLVED)
def test_n1_single_in_fractions_and_in_floating_point(setting, mean):
    spec = RunSpec(n=1, **setting)
    exact, rounded = solve(spec, rational=True), solve(spec)
    assert exact.mean == mean
    assert exact.kind == "rational"
    assert (exact.optimum, exact.stuck) == (1, 0)
    assert rounded.mean == pytest.approx(float(mean), rel=1e-13)


@pytest.mark.parametrize(("problem", "limit"), [("majority", 5), ("xor", 3)])
def test_elimination_fills_rows_in(problem, limit):
    """On levels of many states, each row that is taken out leaves entries in others."""
    spec = RunSpec(
        problem=problem, algorithm="gp-single", n=2, init="unity:leaves=2", max_leaves_allowed=limit, budget=9
    )
    exact, rounded = solve(spec, rational=True), solve(spec)
    assert float(exact.mean) == pytest.approx(rounded.mean, rel=1e-12)
    assert exact.deviation == pytest.approx(rounded.deviation, rel=1e-12)
    assert rounded.deviation == pytest.approx(exact.deviation, rel=1e-12)
    assert rounded.error < 1e-12


@pytest.mark.parametrize("algorithm", ["gp-multi", "gpstar-multi"])
def test_n1_multi_with_substitutions_only(algorithm):
    root = math.exp(-0.5)
    common = {"algorithm": algorithm, "n": 1, "init": "(!x1 !x1)", "weights": (1, 0, 0), "budget": 10**6}
    for problem, mean in (("majority", 1 + 4 / (3 - root)), ("order", 1 + 2 / (1 - root / 2))):
        result = solve(RunSpec(problem=problem, max_leaves_allowed=2, **common))
        assert result.mean_not_lost == pytest.approx(mean, rel=1e-13)
        assert result.kind == "truncated"
        assert result.lost < 1e-15


def test_n1_GPstar_multi_on_MAJORITY():
    result = solve(RunSpec(problem="majority", algorithm="gpstar-multi", n=1))
    assert result.mean_not_lost == pytest.approx(1 + 1 / 4 / chance_to_improve_majority_n1(2), abs=1e-9)
    assert result.lost < 1e-10


def test_n1_geometric_distribution():
    """From (x̄ x̄), GP*-single on MAJORITY improves with 1/6: P(time ≤ t) = 3/4 + 1/4 (1 − (5/6)^(t−1))."""
    result = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=1))
    for t in (1, 2, 10, 60):
        assert result.times.at_most(t) == pytest.approx(1 - (5 / 6) ** (t - 1) / 4, rel=1e-13)
    assert result.times.at_most(0) == 0
    assert [result.times.quantile(level) for level in (0.0, 0.5, 0.75, 0.76, 0.99)] == [1, 1, 1, 2, 19]
    assert result.quantile(0.999, work=5) is None


def test_fractions_at_n2():
    result = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=2), rational=True)
    assert result.stuck == Fraction(173, 2816)
    assert result.mean == Fraction(32810947, 3634125)
    weighted = RunSpec(problem="order", algorithm="gpstar-single", n=2, weights=(1, 2, 3), init="unity:leaves=3")
    assert float(solve(weighted, rational=True).mean) == pytest.approx(solve(weighted).mean, rel=1e-12)


def test_levels():
    """Each level adds up: what is entered and not stuck goes on, and the first level's time is the mean."""
    result = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=4, init="(!x1 !x2)"))
    first, last = result.levels[0], result.levels[-1]
    assert (first.fitness, first.entered, last.fitness, last.evaluations) == (0, 1.0, 4, 0.0)
    assert first.evaluations + 1 == pytest.approx(result.mean, rel=1e-12)
    assert last.entered == pytest.approx(result.optimum, rel=1e-12)
    weak = solve(RunSpec(problem="order", algorithm="gp-single", n=2, init="(!x1 !x2)", max_leaves_allowed=4))
    assert weak.levels[0].evaluations + 1 == pytest.approx(weak.mean, rel=1e-10)
    assert weak.levels[-1].entered == pytest.approx(1, rel=1e-10)


def test_stuck_states_are_those_of_the_model():
    for problem, weights in (
        ("majority", (1, 1, 1)),
        ("majority", (0, 1, 1)),
        ("order", (1, 0, 1)),
        ("order", (0, 0, 1)),
    ):
        spec = RunSpec(problem=problem, algorithm="gpstar-single", n=2, weights=weights, init="unity:leaves=3")
        states = states_of(spec)
        chain = explore(functools.partial(SingleOperation, spec, states), 10**6)
        for number in range(1, len(chain)):
            tree = states.tree(chain.states[number])
            assert stuck(tree, spec) == (not chain.row(number)), tree


@pytest.mark.long
def test_T_lopt():
    """GP*-single is stuck at once; GP*-multi is not, and its time grows faster than (n/2e)^(n/2)."""
    for n in (2, 3, 9):
        single = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=n, init="tlopt"))
        # n + 1 copies of x̄_n make a deficit of at least 3
        assert (single.stuck, single.mean, single.deviation) == (1.0, None, None)
    for n, mean in ((2, 23.606255), (3, 199.202181)):
        multi = solve(RunSpec(problem="majority", algorithm="gpstar-multi", n=n, init="tlopt"))
        assert multi.mean_not_lost == pytest.approx(mean, rel=1e-6)
        assert multi.mean_at_least == pytest.approx(mean, rel=1e-6)
        assert multi.mean_at_least > (n / (2 * math.e)) ** (n / 2)
        assert multi.lost < 1e-9


def test_the_numbers_of_states():
    assert states_by_leaves("majority", 2, 4) == multisets_by_leaves(2, 4) == (1, 2, 6, 10, 19)
    assert states_by_leaves("order", 2, 4) == renamed_trees(2, 2, 4) == (1, 2, 8, 64, 640)
    for problem, n, limit in (("majority", 2, 5), ("order", 1, 4)):
        spec = RunSpec(problem=problem, algorithm="gp-multi", n=n, init="unity:leaves=1", max_leaves_allowed=limit)
        chain = explore(functools.partial(Proposals, spec, states_of(spec)), 10**6, limit)
        assert len(chain) - 1 == sum(states_by_leaves(problem, n, limit)[1:])


REFUSED = [
    ({"algorithm": "gp-single", "n": 7}, "n"),
    ({"algorithm": "gpstar-single", "n": 30}, "n"),
    ({"algorithm": "gpstar-multi", "n": 2, "init": "unity:leaves=900"}, "init"),
    ({"algorithm": "gp-single", "n": 4, "max_leaves_allowed": 40}, "n"),
    ({"algorithm": "gpstar-multi", "n": 9}, "n"),
    ({"algorithm": "gpstar-single", "n": 2, "init": "unity:leaves=1000"}, "init"),
]


@pytest.mark.parametrize(("setting", "name"), REFUSED)
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_what_is_refused_before_it_starts(problem, setting, name):
    with pytest.raises(BadInput) as refused:
        solve(RunSpec(problem=problem, **setting))
    assert refused.value.name == name
    with pytest.raises(BadInput):
        solve(RunSpec(problem=problem, algorithm="gpstar-multi", n=1), rational=True)


def test_what_is_too_large_names_the_largest_n_that_fits():
    with pytest.raises(BadInput, match=r"about .* states .* GiB.* the largest n that fits is 3"):
        solve(RunSpec(problem="order", algorithm="gpstar-single", n=4))
    with pytest.raises(BadInput, match="the largest n that fits is 9"):
        solve(RunSpec(problem="majority", algorithm="gpstar-single", n=10))


@pytest.mark.long
def test_the_largest():
    majority = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=8))
    assert majority.stuck == pytest.approx(0.2372693271, abs=1e-10)
    order = solve(RunSpec(problem="order", algorithm="gpstar-single", n=3))
    assert order.mean == pytest.approx(31.0429941, abs=1e-7)


def test_the_state_of_the_empty_tree():
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1, init="()", last_leaf="empty")
    assert solve(spec).mean == pytest.approx(1 + 6)  # only the insertion of x helps: 1/3 · 1/2
    assert str(Tree()) == "()"


def test_more_states_than_wanted_are_refused():
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=2)
    states = solve(spec).states
    assert solve(spec, most_states=states).states == states
    with pytest.raises(BadInput):
        solve(spec, most_states=states - 1)
