"""Two algorithms: against brute force, known corrections, and a planted crossover."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.analysis.compare import chance_less, holm
from tests.runs_help import planted_table, study_table, together


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.lists(st.integers(0, 9), min_size=2, max_size=12))
def test_chance_less_by_counting_pairs(x, y):
    found = chance_less(np.array(x, float), np.array(y, float))
    pairs = [(a < b) + (a == b) / 2 for a in x for b in y]
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert 0 <= found.low <= found.value <= found.high <= 1


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


def test_stuck_is_slower_than_stopped_is_slower_than_ended():
    one = planted_table(spec("gp-single", 5, budget=100), np.array([10, 20, 70, 100]), ["optimum"] * 3 + ["budget"])
    two = planted_table(spec("gpstar-single", 5, budget=50), np.array([15, 50, 3]), ["optimum", "budget", "stuck"])
    (comparison,) = summarise(together([one, two])).comparisons
    (cell,) = comparison.cells
    # 10 beats three, 20 two; 70 and 100 beat the stuck one and are, like the stopped one, beyond the common budget
    assert cell.a_faster.value == pytest.approx((3 + 2 + 1.5 + 1.5) / 12)
    assert cell.ratio.value == pytest.approx((10 + 20 + 50 + 50) / 4 / ((15 + 50 + 50) / 3))
    assert cell.ratio.remark == "of means restricted to the budget 50"


def test_infinite_means_have_no_ratio():
    table = study_table([RunSpec(problem="majority", algorithm=a, n=9) for a in ("gp-single", "gpstar-single")], 100)
    (comparison,) = summarise(table).comparisons
    assert comparison.cells[0].ratio.value is None
    assert comparison.cells[0].ratio.remark == "(1+1) GP*-single has an infinite mean"
    assert not any(math.isnan(cell.p_value) for cell in comparison.cells)


def test_only_equal_settings_are_compared():
    table = study_table([spec("gp-single", 5), spec("gpstar-single", 5, init="bad"), spec("gp-multi", 6)], 5)
    assert summarise(table).comparisons == ()
