"""User-defined problems and rules: against ours written again, hand-solved values, brute force and simulation."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from gpruntime import BadInput, Outcome, RunSpec, simulate
from gpruntime.exact import counts, sizes, solve
from gpruntime.exact.chain import SingleOperation, explore
from gpruntime.exact.kinds import states_of
from tests.exact import brute, parts
from tests.shares import one_in

TWINS = [
    (parts.majority_by_counts, "majority"),
    (parts.majority_by_leaves, "majority"),
    (parts.order_by_first, "order"),
    (parts.order_by_leaves, "order"),
    (parts.order_that_is_missing, "order"),
]
TWIN_SETTINGS = [
    {"algorithm": "gpstar-single", "n": 2},
    {"algorithm": "gpstar-single", "n": 2, "init": "insertion:leaves=3", "weights": (1, 2, 3), "last_leaf": "empty"},
    {"algorithm": "gp-single", "n": 2, "init": "unity:leaves=3", "max_leaves_allowed": 4},
    {"algorithm": "gp-single", "n": 1, "max_leaves_allowed": 4, "substitute": "nodes", "last_leaf": "empty"},
    {"algorithm": "gp-single", "accept": "parsimony", "n": 2, "init": "unity:leaves=3"},
    {"algorithm": "gpstar-multi", "n": 2, "init": "(!x1 (!x1 !x2))", "weights": (2, 0, 1)},
    {"algorithm": "gp-multi", "n": 2, "init": "bad:leaves=3", "max_leaves_allowed": 3, "weights": (2, 0, 1)},
]


@pytest.mark.parametrize("setting", TWIN_SETTINGS, ids=str)
@pytest.mark.parametrize(("own", "ours"), one_in(3, TWINS), ids=str)
def test_ours_written_again(own, ours, setting):
    setting = {**setting, "budget": 10**9}
    mine, known = solve(RunSpec(problem=own, **setting)), solve(RunSpec(problem=ours, **setting))
    assert mine.mean_not_lost == pytest.approx(known.mean_not_lost, rel=1e-9)
    assert mine.deviation_not_lost == pytest.approx(known.deviation_not_lost, rel=1e-9)
    for name in ("optimum_bounds", "endless_bounds", "stuck_bounds"):
        assert getattr(mine, name) == pytest.approx(getattr(known, name), abs=1e-9)
    assert mine.times.at_most_bounds(9) == pytest.approx(known.times.at_most_bounds(9), abs=1e-9)
    assert [level.entered for level in mine.levels] == pytest.approx([level.entered for level in known.levels])


def test_a_fitness_of_floats_and_one_that_is_to_be_small():
    setting = {"algorithm": "gp-single", "n": 2, "init": "unity:leaves=2", "max_leaves_allowed": 3, "budget": 9}
    known = solve(RunSpec(problem="majority", **setting))
    half = solve(RunSpec(problem=parts.half_majority, **setting))
    assert half.mean == pytest.approx(known.mean, rel=1e-12)
    assert [level.fitness for level in half.levels] == [0.0, 0.5, 1.0]
    missing = solve(RunSpec(problem=parts.order_that_is_missing, **setting))
    assert [level.fitness for level in missing.levels] == [2, 1, 0]


@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_AND_by_plain_terminals(n):
    """With k distinct leaves only the insertion of one of n − k helps: Σ 3n/(n − k) = 3n·H_(n−1) offspring."""
    spec = RunSpec(problem=parts.distinct, algorithm="gpstar-single", n=n, init="x1")
    offspring = 3 * n * sum(Fraction(1, k) for k in range(1, n))
    assert solve(spec, rational=True).mean == 1 + offspring
    assert solve(spec).mean == pytest.approx(float(1 + offspring), rel=1e-12)


def test_a_program_by_hand():
    """From x1, AND of two needs one insertion: and, x2, either side. 1/3 · 1/2 · 1/4 = 1/24."""
    spec = RunSpec(problem=parts.wrong_rows, algorithm="gpstar-single", n=2, init="x1")
    assert solve(spec, rational=True).mean == 25


BY_BRUTE_FORCE = [
    {"problem": parts.weighted_order, "algorithm": "gpstar-single", "n": 2, "init": "unity:leaves=2"},
    {"problem": parts.weighted_order, "algorithm": "gp-single", "n": 2, "init": "!x2", "max_leaves_allowed": 3},
    {"problem": parts.two_thirds, "algorithm": "gp-single", "n": 2, "init": "!x2", "max_leaves_allowed": 3},
    {"problem": parts.two_thirds, "algorithm": "gpstar-single", "n": 2, "init": "((!x1 !x1) (!x2 x2))"},
    {"problem": parts.wrong_rows, "algorithm": "gp-single", "n": 2, "init": "(or x1 !x2)", "max_leaves_allowed": 3},
    {"problem": parts.wrong_rows, "algorithm": "gpstar-single", "n": 2, "init": "(or x1 x2)", "weights": (3, 1, 2)},
    {"problem": parts.wrong_rows, "algorithm": "gp-single", "accept": "parsimony", "n": 2, "init": "!x1"},
    {"problem": "majority", "algorithm": "gp-single", "accept": "parsimony", "n": 1},
    {"problem": "majority", "algorithm": "gp-single", "accept": "parsimony", "n": 2, "init": "unity:leaves=2"},
    {"problem": "majority", "algorithm": "gp-single", "accept": "parsimony-smaller", "n": 2, "init": "(!x1 (!x1 x1))"},
    {"problem": "order", "algorithm": "gp-single", "accept": "parsimony", "n": 2, "init": "(!x1 !x2)"},
    {"problem": parts.plus_c, "algorithm": "gp-single", "accept": "parsimony", "n": 2, "init": "unity:leaves=2"},
    {"problem": parts.twice_as_many, "algorithm": "gp-single", "n": 1, "init": "!x2", "max_leaves_allowed": 3},
    {
        "problem": "majority",
        "algorithm": "gp-single",
        "accept": parts.slightly_worse,
        "n": 2,
        "init": "!x1",
        "max_leaves_allowed": 3,
    },
    {
        "problem": parts.weighted_order,
        "algorithm": "gp-single",
        "accept": parts.worse_if_smaller,
        "n": 2,
        "init": "(!x1 !x2)",
        "max_leaves_allowed": 3,
    },
]


@pytest.mark.parametrize("setting", one_in(3, BY_BRUTE_FORCE), ids=str)
def test_against_brute_force(setting):
    spec = RunSpec(**setting, budget=10**9)
    start = brute.initial_law(spec.init)
    optimum, mean, within = brute.answers(spec, start, brute.single_rows(spec, start))
    result = solve(spec)
    assert (result.lost, result.kind) == (0, "exact up to rounding")
    assert [result.optimum, result.mean] == pytest.approx([optimum, mean], rel=1e-9)
    assert result.times.at_most(7) == pytest.approx(within, rel=1e-10)
    assert result.optimum + result.stuck + result.endless == pytest.approx(1, abs=1e-12)


OPERATIONS = [("exactly:k=2", [0, 1]), ("table:p=0.5/0/0.5", [0.5, 0, 0.5]), ("power:beta=2,most=2", [0.8, 0.2])]


@pytest.mark.parametrize("accept", ["weak", "strict", "parsimony", parts.slightly_worse], ids=str)
@pytest.mark.parametrize(("law", "weights"), one_in(2, OPERATIONS))
def test_laws_of_the_number_of_operations(law, weights, accept):
    common = {"algorithm": "gp-single", "n": 2, "init": "(!x1 (!x1 !x2))", "weights": (2, 0, 1), "budget": 9}
    for problem in ("majority", parts.weighted_order):
        spec = RunSpec(problem=problem, accept=accept, operations=law, **common)
        start = brute.initial_law(spec.init)
        optimum, mean, within = brute.answers(spec, start, brute.multi_rows(spec, start, weights))
        result = solve(spec)
        assert result.kind == "exact up to rounding"
        assert [result.optimum, result.mean] == pytest.approx([optimum, mean], rel=1e-9)
        assert result.times.at_most(7) == pytest.approx(within, rel=1e-10)
        assert result.optimum + result.stuck + result.endless == pytest.approx(1, abs=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize(("algorithm", "n"), one_in(2, [("gpstar-single", 1), ("gpstar-single", 2), ("gp-single", 1)]))
def test_against_the_model_step_by_step(algorithm, n):
    """Four standard errors, with the exact deviation: of the times, and of the number of runs that are stuck."""
    limit = 4 if algorithm == "gp-single" else None
    spec = RunSpec(problem=parts.two_thirds, algorithm=algorithm, n=n, budget=10**5, max_leaves_allowed=limit)
    runs, exact = 1500, solve(spec)
    results = [simulate(spec, seed=19, run=run) for run in range(runs)]
    ends = Counter(result.outcome for result in results)
    times = [result.evaluations for result in results if result.outcome == Outcome.OPTIMUM]
    assert ends[Outcome.BUDGET] == 0
    assert abs(sum(times) / len(times) - exact.mean) <= 4 * exact.deviation / math.sqrt(len(times))
    spread = math.sqrt(runs * exact.stuck * (1 - exact.stuck))
    assert abs(ends[Outcome.STUCK] - runs * exact.stuck) <= 4 * spread


def test_a_trap_makes_the_mean_infinite():
    """With c = 3 a single leaf can never become three under parsimony: it moves for ever. Two may or may not."""
    common = {"algorithm": "gp-single", "accept": "parsimony", "n": 1, "budget": 9}
    three = {"problem": f"{parts.plus_c.id}:c=3", **common}
    trapped = solve(RunSpec(init="x1", **three))
    assert (trapped.optimum, trapped.endless, trapped.mean, trapped.expected) == (0, 1, None, math.inf)
    some = solve(RunSpec(init="(x1 x1)", **three), rational=True)
    # from (x1 x1): 1/6 to the optimum, 1/3 to one leaf, 1/6 to (x1 !x1); of two leaves with bars, none to the optimum,
    # 1/3 to one leaf; from (x1 !x1) 1/12 back, 1/12 to (!x1 !x1); from (!x1 !x1) 1/6 to (x1 !x1)
    down, mixed, bars = Fraction(1, 3), Fraction(1, 12), Fraction(1, 6)
    from_mixed = mixed / (down + 2 * mixed - mixed * bars / (down + bars))  # times what (x1 x1) has
    assert some.optimum == Fraction(1, 6) / (Fraction(2, 3) - bars * from_mixed)
    assert some.optimum + some.endless == 1
    assert some.expected == math.inf
    free = solve(RunSpec(problem=parts.plus_c, **common))
    assert free.endless == 0
    assert free.expected == free.mean


TRUNCATED = [
    {"problem": "majority", "algorithm": "gp-single", "n": 2},
    {"problem": parts.weighted_order, "algorithm": "gp-single", "n": 1},
    {"problem": parts.two_thirds, "algorithm": "gp-single", "accept": parts.slightly_worse, "n": 2},
    {"problem": parts.wrong_rows, "algorithm": "gp-single", "n": 1, "init": "!x1"},
]


@pytest.mark.parametrize("setting", one_in(2, TRUNCATED), ids=str)
def test_what_leaves_the_leaf_limit_bounds_the_error(setting, monkeypatch):
    """A larger limit has the larger probabilities, and none above what the smaller limit says they can be at most."""
    spec = RunSpec(**setting, budget=10**9)
    monkeypatch.setattr(sizes, "_MAX_STATES_CUT_OFF", 250)
    small = solve(spec)
    monkeypatch.setattr(sizes, "_MAX_STATES_CUT_OFF", 2500)
    large = solve(spec)
    assert small.kind == large.kind == "truncated"
    assert small.most_leaves < large.most_leaves
    assert 0 < large.lost < small.lost < 1
    assert small.expected is None
    for before, after in [(small.optimum_bounds, large.optimum_bounds)] + [
        (small.times.at_most_bounds(t), large.times.at_most_bounds(t)) for t in (1, 5, 20, 100)
    ]:
        assert before[0] - 1e-12 <= after[0] <= after[1] <= before[1] + 1e-12
    assert small.optimum_at_least + small.lost == pytest.approx(1)


def test_growth_by_improvements_alone_needs_no_limit():
    for accept in ("strict", "parsimony", "parsimony-smaller"):
        spec = RunSpec(problem="majority", algorithm="gp-single", accept=accept, n=2)
        assert not sizes.grows(spec)
        assert solve(spec).most_leaves is None
    for accept in ("weak", parts.slightly_worse, parts.worse_if_smaller):
        spec = RunSpec(problem="majority", algorithm="gp-single", accept=accept, n=2, budget=9)
        assert sizes.grows(spec)


def test_variables_that_differ_are_not_exchanged():
    def form(problem, **setting):
        return solve(RunSpec(problem=problem, algorithm="gpstar-single", n=2, **setting)).form

    assert form(parts.two_thirds) == form("majority") == "counts up to renaming of variables"
    assert form(parts.order_by_first, init="(!x1 !x2)") == form("order") == "trees up to renaming of variables"
    assert form(parts.weighted_order, init="(!x1 !x2)") == form(parts.wrong_rows, init="x1") == "trees"


def test_variables_seen_to_differ_on_the_way(monkeypatch):
    """The terms differ from five copies on, which no first look sees."""
    setting = {"algorithm": "gp-single", "n": 2, "init": "(!x1 !x2)", "max_leaves_allowed": 7, "budget": 9}
    spec = RunSpec(problem=parts.differs_late, **setting)
    assert counts.first_classes(parts.differs_late, 2) == [[1, 2]]
    late = solve(spec)
    assert late.form == "counts of each variable"
    monkeypatch.setattr(counts, "_FIRST_LOOK", 7)
    assert counts.first_classes(parts.differs_late, 2) == [[1], [2]]
    early = solve(spec)
    assert (late.mean, late.states) == (early.mean, early.states)
    states = states_of(spec)
    chain = explore(lambda: SingleOperation(spec, states), 10**6)
    for number in range(1, len(chain)):
        assert states.of(states.tree(chain.states[number])) == chain.states[number]


STRICT = {"algorithm": "gpstar-single"}
REFUSED = [
    ({"problem": parts.weighted_order, **STRICT, "n": 3}, "n", "too large: .* the largest n that fits is 2"),
    (
        {"problem": parts.wrong_rows, "algorithm": "gp-single", "n": 2},
        "n",
        "too large: .* a size limit of 4 leaves would fit",
    ),
    (
        {"problem": parts.endless_improvement, **STRICT, "n": 2, "init": "x1"},
        "n",
        "more than 500 states; a size limit of 4 leaves would fit",
    ),
    ({"problem": parts.two_thirds, **STRICT, "n": 10**6, "init": "x1"}, "n", "at most 1,000 variables"),
    ({"problem": "majority", **STRICT, "n": 10**6, "init": "x1"}, "n", "at most 1,000 variables"),
    ({"problem": parts.two_thirds, **STRICT, "n": 2, "operations": "exactly:k=301"}, "operations", "at most 300"),
    ({"problem": "gone@0123456789abcdef", **STRICT, "n": 2}, "problem", "its source is not loaded"),
    ({"problem": "order", "accept": "gone@0123456789abcdef", **STRICT, "n": 2}, "accept", "its source is not loaded"),
    ({"problem": parts.beyond_its_best, **STRICT, "n": 2}, "problem", "has fitness 2, beyond the best it says, 1"),
]


@pytest.mark.parametrize(("setting", "name", "words"), REFUSED, ids=str)
def test_what_is_refused(setting, name, words, monkeypatch):
    monkeypatch.setattr("gpruntime.exact.trees.TreeStates.most_strict", 500)
    if setting["problem"] is parts.weighted_order:
        monkeypatch.setattr("gpruntime.exact.trees.TreeStates.most_strict", 10**5)
    with pytest.raises(BadInput, match=words) as refused:
        solve(RunSpec(**setting, budget=9))
    assert refused.value.name == name


def test_fractions_need_one_operation():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=1, operations="exactly:k=2", budget=9)
    with pytest.raises(BadInput, match="one operation"):
        solve(spec, rational=True)
