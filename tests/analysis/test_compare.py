"""Two algorithms: against brute force, known corrections, and a planted crossover."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.analysis import compare, summarise
from gpruntime.analysis.compare import chance_less, crossovers, holm, ratio_of_means
from gpruntime.analysis.fitting import slope
from tests.runs_help import planted_table, study_table, together


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.lists(st.integers(0, 9), min_size=2, max_size=12))
def test_chance_less_by_counting_pairs(x, y):
    found = chance_less(np.array(x, float), np.array(y, float))
    pairs = [(a < b) + (a == b) / 2 for a in x for b in y]
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    if found.low is None:  # all ties, or an equal share of them in every run
        assert "no interval" in found.remark
    else:
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high


@pytest.mark.statistical
def test_chance_less_covers():
    """Exponential times with rates 2 and 1: P(X < Y) = 2/3. 400 trials: 380 ± 4·4.4."""
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        found = chance_less(generator.exponential(1, 40), generator.exponential(2, 60))
        covered += found.low <= 2 / 3 <= found.high
    assert 362 <= covered <= 398


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def spec(algorithm, n, **more):
    return RunSpec(problem="order", algorithm=algorithm, n=n, **more)


def test_a_planted_crossover():
    """20·n against n²: equal at n = 20."""
    generator = np.random.default_rng(1)
    tables = []
    for n in (5, 10, 16, 25, 40, 80):
        tables.append(planted_table(spec("gp-single", n), generator.gamma(50, 20 * n / 50, 100)))
        tables.append(planted_table(spec("gpstar-single", n), generator.gamma(50, n * n / 50, 100)))
    (comparison,) = summarise(together(tables)).comparisons
    (crossover,) = comparison.crossovers
    assert (crossover.after, crossover.before) == (16, 25)
    assert 18 < crossover.estimate < 22
    assert crossover.faster_below == "(1+1) GP*-single"
    assert comparison.trend.low < -1 < comparison.trend.high
    assert "they cross near n = " in " ".join(comparison.sentences())


def test_one_cell_against_scipy():
    table = study_table([spec(a, 12) for a in ("gp-single", "gpstar-single")], 60)
    (comparison,) = summarise(table).comparisons
    (cell,) = comparison.cells
    x, y = (
        np.array(table.filter(table["algorithm"].cast("string").to_numpy() == a)["evaluations"])
        for a in ("gp-single", "gpstar-single")
    )
    test = stats.mannwhitneyu(x, y)
    assert cell.p_value == cell.p_holm == pytest.approx(test.pvalue)
    assert cell.a_faster.value == pytest.approx(1 - test.statistic / 3600)
    assert cell.ratio.value == pytest.approx(x.mean() / y.mean())
    assert cell.ratio.low < cell.ratio.value < cell.ratio.high


def test_stuck_and_stopped_are_slower_than_ended_and_tie():
    short = planted_table(spec("gp-single", 5, budget=100), np.array([10, 20, 70, 100]), ["optimum"] * 3 + ["budget"])
    two = planted_table(spec("gpstar-single", 5, budget=50), np.array([15, 50, 3]), ["optimum", "budget", "stuck"])
    (comparison,) = summarise(together([short, two])).comparisons
    (cell,) = comparison.cells
    # 10 beats three, 20 two; 70 and 100 are, like the stopped and the stuck one, beyond the common budget
    assert cell.a_faster.value == pytest.approx((3 + 2 + 1 + 1) / 12)
    assert cell.ratio.value == pytest.approx((10 + 20 + 50 + 50) / 4 / ((15 + 50 + 50) / 3))
    assert cell.ratio.remark == "of means restricted to the budget 50"
    assert f"P({comparison.a} faster) = {100 * 7 / 12:.0f} % [" in comparison.sentences()[0]


@pytest.mark.parametrize(("stopped", "words"), [("gpstar-single", "at most"), ("gp-single", "at least")])
def test_a_ratio_with_one_side_stopped_is_a_bound(stopped, words):
    """What was stopped is slower than it looks."""
    tables = [
        planted_table(spec(name, 5, budget=50), np.array([10, 20, 50]), ["optimum"] * 2 + [last])
        for name in ("gp-single", "gpstar-single")
        for last in ["budget" if name == stopped else "optimum"]
    ]
    (comparison,) = summarise(together(tables)).comparisons
    assert comparison.cells[0].ratio.remark == f"{words} this, of means restricted to the budget 50"
    assert f"{words} this" in comparison.sentences()[0]


def test_infinite_means_have_no_ratio():
    table = study_table([RunSpec(problem="majority", algorithm=a, n=9) for a in ("gp-single", "gpstar-single")], 100)
    (comparison,) = summarise(table).comparisons
    assert comparison.cells[0].ratio.value is None
    assert comparison.cells[0].ratio.remark == "(1+1) GP*-single has an infinite mean"
    assert not any("either side" in sentence or "crossover" in sentence for sentence in comparison.sentences())
    assert not any(math.isnan(cell.p_value) for cell in comparison.cells)


def test_only_curves_that_differ_in_one_setting_are_compared():
    specs = [spec("gp-single", 5), spec("gpstar-single", 5, init="bad"), spec("gp-multi", 6)]
    specs += [RunSpec(problem="majority", algorithm="gp-single", n=5)]  # another problem is no setting
    specs += [spec("gp-single", 5, operator="hvl", weights=(1, 2, 1))]
    assert summarise(study_table(specs, 5)).comparisons == ()


@pytest.mark.parametrize(
    ("name", "other", "a", "b", "setting"),
    [
        ("init", "bad", "initial tree unity", "initial tree bad", ""),
        ("init", "unity:leaves=4n", "initial tree unity", "initial tree unity:leaves=4n", ""),
        ("weights", (1, 2, 1), "weights 1:1:1", "weights 0.5:1:0.5", ", initial tree unity"),
        ("operator", "hvl", "operator hvl-prime", "operator hvl", ", initial tree unity"),
        ("substitute", "nodes", "substitution at leaves", "substitution at nodes", ", initial tree unity"),
        ("last_leaf", "empty", "last leaf keep", "last leaf empty", ", initial tree unity"),
        ("max_leaves_allowed", 40, "no limit on leaves", "at most 40 leaves", ", initial tree unity"),
    ],
)
def test_any_setting_is_compared(name, other, a, b, setting):
    specs = [spec("gp-single", n, **more) for n in (5, 8) for more in ({}, {name: other})]
    (comparison,) = summarise(study_table(specs, 30)).comparisons
    assert comparison.differ == (name,)
    assert (comparison.a, comparison.b) == (a, b)
    assert comparison.name == f"{a} against {b} for (1+1) GP-single on ORDER{setting}"
    assert [cell.n for cell in comparison.cells] == [5, 8]
    assert comparison.sentences()[0].startswith(f"At n = 5: P({a} faster) = ")


def test_sizes_of_initial_trees_in_n_are_curves():
    inits = ("unity", "unity:leaves=4n", "unity:leaves=8n", "unity:leaves=24", "unity:leaves=n")
    specs = [
        spec("gp-single", n, init=init) for n in (6, 8, 10) for init in inits if (n, init) != (6, "unity:leaves=4n")
    ]
    summary = summarise(study_table(specs, 5))
    found = {curve.init: [cell.n for cell in curve.cells] for curve in summary.curves}
    assert found == {
        "unity": [6, 8, 10],
        "unity:leaves=n": [6, 8, 10],
        "unity:leaves=8n": [6, 8, 10],
        "unity:leaves=24": [6, 8, 10],  # 4n at n = 6: there is no other
        "unity:leaves=4n": [8, 10],
    }
    names = [(comparison.a, comparison.b) for comparison in summary.comparisons]
    assert ("initial tree unity", "initial tree unity:leaves=4n") in names
    assert len(names) == 10


@pytest.mark.parametrize(
    ("inits", "curves"),
    [
        (("unity:leaves=4n", "unity:leaves=8n"), {"unity:leaves=4n", "unity:leaves=8n"}),
        (("unity:leaves=30", "unity:leaves=60"), {"unity:leaves=30", "unity:leaves=60"}),
        (("unity:leaves=20",), {"unity:leaves=20"}),  # which is 2n, unity itself, at n = 10
        (("bad", "bad:leaves=4n"), {"bad", "bad:leaves=4n"}),
    ],
)
def test_sizes_are_numbers_or_go_with_n_whichever_makes_fewer_curves(inits, curves):
    specs = [spec("gp-single", n, init=init) for n in (5, 10) for init in inits]
    summary = summarise(study_table(specs, 2))
    assert {curve.init for curve in summary.curves} == curves


def test_curves_that_differ_in_the_budget_hold_the_same_runs():
    specs = [spec("gp-single", n, budget=budget) for n in (5, 8) for budget in (50, 60)]
    assert len(summarise(study_table(specs, 5)).curves) == 2
    assert summarise(study_table(specs, 5)).comparisons == ()


def test_two_curves_that_somebody_chose():
    specs = [spec("gp-single", 5), spec("gpstar-single", 5, init="bad")]
    specs += [RunSpec(problem="majority", algorithm="gp-single", n=5)]
    runs = [run_many(some, seed=1, runs=20) for some in specs]
    by_spec = {curve.spec: curve for curve in summarise(runs).curves}
    weak, strict, majority = (by_spec[some] for some in specs)
    found = compare(weak, strict, runs)
    assert found.name == "(1+1) GP-single, initial tree unity against (1+1) GP*-single, initial tree bad on ORDER"
    assert found.differ == ("algorithm", "init")
    found = compare(weak, majority, runs)
    assert found.name == "ORDER against MAJORITY for (1+1) GP-single, initial tree unity"
    assert compare(weak, weak, runs) is None


def test_stuck_sides_are_named_by_what_differs():
    specs = [RunSpec(problem="majority", algorithm="gpstar-single", n=9, init=init) for init in ("unity", "tlopt")]
    (comparison,) = summarise(study_table(specs, 100)).comparisons
    assert comparison.cells[0].ratio.remark == "initial tree unity and initial tree tlopt have an infinite mean"


def test_of_very_many_pairs_each_setting_gets_its_share():
    weights = [(1, 1, 1), (1, 2, 1), (1, 3, 1), (1, 4, 1), (1, 5, 1)]
    specs = [spec(algorithm, 4, weights=some) for algorithm in ("gp-single", "gpstar-single") for some in weights]
    table = study_table(specs, 3)
    every = summarise(table)
    assert (len(every.comparisons), every.not_compared) == (5 + 20, 0)
    some = summarise(table, comparisons=8)
    assert [comparison.differ[0] for comparison in some.comparisons] == ["algorithm"] * 4 + ["weights"] * 4
    assert some.not_compared == 17
    sentence = (
        "Not compared: 17 more pairs of curves that differ in one setting (in Python, summarise(…, comparisons=25)"
    )
    assert sentence in " ".join(some.sentences())
    assert sentence in " ".join(some.text().split())
    assert all(comparison.a == "weights 1:1:1" for comparison in some.comparisons[4:])  # the default comes first
    assert "Not compared" not in every.text()
    assert summarise(table, comparisons=0).comparisons == ()
    with pytest.raises(BadInput, match="comparisons = -1"):
        summarise(table, comparisons=-1)


def test_all_stuck_against_all_stopped_is_undecided():
    """Whether a stopped run would have ended is not known: it is no evidence against the stuck ones."""
    stuck = planted_table(spec("gp-single", 5, budget=100), np.full(10, 7), "stuck")
    stopped = planted_table(spec("gpstar-single", 5, budget=100), np.full(10, 100), "budget")
    (comparison,) = summarise(together([stuck, stopped])).comparisons
    assert comparison.cells[0].p_value == 1
    assert comparison.cells[0].a_faster.value == 0.5


def test_means_of_the_number_of_operations_are_told_apart():
    """Several operations a step: λ belongs to a side, and two algorithms with different λ differ in more than one."""
    specs = [spec("gp-single", 4)]
    specs += [spec(a, 4, poisson_mean=mean) for a in ("gp-multi", "gpstar-multi") for mean in (1.0, 3.0)]
    comparisons = summarise(study_table(specs, 4)).comparisons
    names = [comparison.name for comparison in comparisons if comparison.differ == ("algorithm",)]
    assert sorted(names) == sorted(
        f"{a} against {b} on ORDER, initial tree unity"
        for a, b in (
            ("(1+1) GP-single", "(1+1) GP-multi"),
            ("(1+1) GP-single", "(1+1) GP-multi with λ = 3"),
            ("(1+1) GP-single", "(1+1) GP*-multi"),
            ("(1+1) GP-single", "(1+1) GP*-multi with λ = 3"),
            ("(1+1) GP-multi", "(1+1) GP*-multi"),
            ("(1+1) GP-multi with λ = 3", "(1+1) GP*-multi with λ = 3"),
        )
    )
    assert [comparison.name for comparison in comparisons if comparison.differ == ("poisson_mean",)] == [
        f"λ = 1 against λ = 3 for {algorithm} on ORDER, initial tree unity"
        for algorithm in ("(1+1) GP-multi", "(1+1) GP*-multi")
    ]


def test_limits_on_leaves_are_part_of_the_setting_and_compared_cell_by_cell():
    specs = [spec(a, n, max_leaves_allowed=3 * n) for a in ("gp-single", "gpstar-single") for n in (4, 6)]
    (comparison,) = summarise(study_table(specs, 4)).comparisons
    assert comparison.setting == "ORDER, initial tree unity, at most 3n leaves"
    assert [cell.n for cell in comparison.cells] == [4, 6]
    other = [spec("gp-single", n, max_leaves_allowed=20) for n in (4, 6)]
    other += [spec("gpstar-single", n, max_leaves_allowed=limit) for n, limit in ((4, 20), (6, 30))]
    (comparison,) = summarise(study_table(other, 4)).comparisons
    assert [cell.n for cell in comparison.cells] == [4]
    assert comparison.setting == "ORDER, initial tree unity, at most 20 leaves"


def test_runs_that_are_all_alike_have_a_known_ratio():
    short = planted_table(spec("gp-single", 5, budget=100), np.full(4, 20))
    two = planted_table(spec("gpstar-single", 5, budget=100), np.full(4, 100), "budget")
    (cell,) = summarise(together([short, two])).comparisons[0].cells
    assert cell.ratio.value == pytest.approx(0.2)
    assert cell.ratio.low is None
    three = planted_table(spec("gpstar-single", 5), np.full(4, 40))
    (cell,) = summarise(together([planted_table(spec("gp-single", 5), np.full(4, 20)), three])).comparisons[0].cells
    assert (cell.ratio.value, cell.ratio.low) == (0.5, None)
    none = [planted_table(spec(a, 5, budget=100), np.full(4, 100), "budget") for a in ("gp-single", "gpstar-single")]
    (cell,) = summarise(together(none)).comparisons[0].cells
    assert (cell.ratio.value, cell.ratio.remark) == (None, "no run of either ended within the budget")


def test_no_crossover_is_said_only_where_it_is_known():
    generator = np.random.default_rng(2)

    def words_of(factors):
        tables = []
        for n, factor in zip((10, 20, 40), factors, strict=True):
            tables.append(planted_table(spec("gp-single", n), 1000 * generator.gamma(9, 1, 40)))
            tables.append(planted_table(spec("gpstar-single", n), 1000 * factor * generator.gamma(9, 1, 40)))
        return " ".join(summarise(together(tables)).comparisons[0].sentences())

    assert "No crossover between these sizes." in words_of((3, 3, 3))
    unclear = words_of((1, 1, 3))
    assert "No crossover" not in unclear
    assert "The ratio is not clearly on either side of 1 at n = 10 and 20." in unclear


@pytest.mark.statistical
def test_equal_algorithms_hardly_ever_cross():
    """Twelve sizes, five exponential times each, ratio 1: intervals for one size alone claim many."""
    generator = np.random.default_rng(5)
    false = 0
    for _ in range(200):
        samples = [[generator.exponential(1000, 5) for _ in range(2)] for _ in range(12)]
        sure = [(n, ratio_of_means(*pair, 1 - 0.05 / 12)) for n, pair in enumerate(samples, 3)]
        false += bool(list(crossovers(sure, "a", "b")))
    assert false <= 6


@pytest.mark.statistical
def test_a_slope_with_estimated_dispersion_covers():
    """Errors ten times the claimed, five sizes: the scale is of three residuals. 400 trials: 380 ± 4·4.4."""
    generator = np.random.default_rng(6)
    n = np.array([10.0, 20, 40, 80, 160])
    covered = 0
    for _ in range(400):
        found = slope(n, n**1.5 * np.exp(generator.normal(0, 0.5, 5)), np.full(5, 0.05))
        covered += found.low <= 1.5 <= found.high
    assert 362 <= covered <= 398


def test_no_slope_where_the_sizes_hardly_differ():
    tables = [
        planted_table(spec(a, n), np.arange(100, 140) * n)
        for a in ("gp-single", "gpstar-single")
        for n in range(1000, 1004)
    ]
    assert summarise(together(tables)).comparisons[0].trend is None
