"""Intervals: against values worked out by hand, and by how often they cover."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gpruntime.analysis.estimates import (
    Estimate,
    Moments,
    Ranked,
    Sums,
    mean,
    mean_of,
    proportion,
    ratio,
    ratio_of_sums,
    share,
)
from gpruntime.analysis.estimates import quantile as quantile_by_rank


def quantile(ordered, probability):
    return quantile_by_rank(len(ordered), probability, lambda rank: Ranked(*[float(ordered[rank - 1])] * 2))


def test_exact_intervals_of_shares_by_hand():
    """3 of 10: with p = 0.06674 three or more of ten have a chance of 2.5 %, with 0.65245 three or fewer."""
    found = proportion(3, 10)
    assert (found.value, round(found.low, 5), round(found.high, 5)) == (0.3, 0.06674, 0.65245)
    assert stats.binom.sf(2, 10, found.low) == pytest.approx(0.025)
    assert stats.binom.cdf(3, 10, found.high) == pytest.approx(0.025)
    assert proportion(0, 0).value is None
    assert proportion(0, 20).low == 0


def test_mean_by_hand():
    """(1, 2, 6): s/x̄√3 = 0.5092, t = 4.3027, γ = 0.5952, so the upper end is 4.3027 + 2.1779 of these from ln 3."""
    found = mean(np.array([1.0, 2.0, 6.0]))
    assert found.low == pytest.approx(3 * math.exp(-0.5092 * 4.3027), rel=1e-3)
    assert found.high == pytest.approx(3 * math.exp(0.5092 * (4.3027 + 2.1779)), rel=1e-3)
    skewed_down = mean(10 - np.array([1.0, 2.0, 6.0]))
    assert math.log(7 / skewed_down.low) > math.log(skewed_down.high / 7) > 0


def test_one_run_that_is_a_tenth_of_the_sum_is_told():
    times = np.array([10.0] * 18 + [20.0])
    assert not mean(np.append(times, 22)).remark
    assert mean(np.append(times, 23)).remark == "the largest run is 10 % of the sum"
    assert not mean(np.array([10.0] * 18 + [200.0])).remark  # of fewer than 20, a tenth is nothing special


def test_mean_of_bounded_values_stays_below():
    """Of 10 runs one ended early: Student's interval would reach 1.03 times the budget."""
    times = np.array([30.0] + [100.0] * 9)
    found = mean_of(Moments.of(times), most=100)
    assert mean(times).high > 100 > found.high > found.value == 93 > found.low
    assert mean_of(Moments.of(times), most=1e12).high == pytest.approx(mean(times).high)
    assert mean_of(Moments.of(np.array([2.0**60 - 200, 2.0**60])), most=2**60).high <= 2**60


@pytest.mark.parametrize("values", [[], [7.0], [7.0, 7.0, 7.0]])
def test_mean_without_interval(values):
    found = mean(np.array(values))
    assert found.low is found.high is None
    assert found.remark
    assert "nan" not in str(found).lower()


def test_quantile_is_an_order_statistic():
    ordered = np.arange(1.0, 101.0)
    found = quantile(ordered, 0.5)
    assert (found.value, found.low, found.high) == (50, 40, 61)  # as in the tables
    assert quantile(ordered, 0.95).value == 95
    assert quantile(ordered[:4], 0.5).low is None  # 2·2⁻⁴ > 5 %
    with_stuck = np.concatenate([ordered, np.full(100, math.inf)])
    assert quantile(with_stuck, 0.75).value == math.inf
    assert quantile(with_stuck, 0.25).value == 50


@pytest.mark.parametrize("count", [6, 20, 137])
@pytest.mark.parametrize("probability", [0.05, 0.5, 0.95])
def test_ranks_of_a_quantile_are_those_of_scipy(count, probability):
    ordered = np.arange(1.0, count + 1)
    found, interval = quantile(ordered, probability), stats.quantile_test(ordered, p=probability).confidence_interval()
    theirs = (float(interval.low), float(interval.high))
    assert (found.low, found.high) == ((None, None) if any(map(math.isnan, theirs)) else theirs)


@pytest.mark.statistical
def test_ratio_covers():
    """Evaluations ÷ successes, 500 studies of 300 runs with P(success) = 0.1: true value 30/0.1; 475 ± 4·4.9."""
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(500):
        spent, success = generator.exponential(30, 300), generator.random(300) < 0.1
        found = ratio_of_sums(spent, success.astype(float))
        covered += found.low <= 300 <= found.high
    assert 455 <= covered <= 495


def test_ratio_without_success():
    assert ratio_of_sums(np.ones(5), np.zeros(5)).value is None


@given(st.lists(st.integers(1, 10**12), max_size=30).map(lambda values: [float(value) for value in values]))
def test_no_estimate_prints_nan(values):
    for found in (mean(np.array(values)), quantile(np.sort(values), 0.5), proportion(len(values), 30)):
        text = f"{found} {found.short()} {found.bracket()}".lower()
        assert "nan" not in text
        assert "none" not in text


@pytest.mark.statistical
@pytest.mark.parametrize("runs", [2, 3, 5, 10, 20, 50])
def test_means_cover(runs):
    """1,000 samples of exponential times: 950 − 4·6.9 at least."""
    samples = np.random.default_rng(9).exponential(size=(1000, runs))
    assert sum(found.low <= 1 <= found.high for found in map(mean, samples)) >= 923


@pytest.mark.statistical
def test_shares_are_shares_and_cover():
    """Accepted ÷ proposed with p = 0.97, six runs of 30: never above 1. 300 trials: 285 − 4·6 at least."""
    generator = np.random.default_rng(10)
    covered = 0
    for _ in range(300):
        proposed = generator.integers(20, 40, 6).astype(float)
        accepted = generator.binomial(proposed.astype(int), 0.97).astype(float)
        found = share(Sums.of(accepted, proposed))
        assert 0 <= found.low <= found.value <= found.high <= 1
        covered += found.low <= 0.97 <= found.high
    assert covered >= 261


def test_ratios_of_runs_that_are_nearly_alike():
    """By sums of squares in floats 7 ÷ 3 had an interval, and a billion and a few evaluations had none."""
    assert ratio_of_sums(np.full(7, 7.0), np.full(7, 3.0)).remark == "all runs alike, no interval"
    for least in (10**9, 10**12):
        times, ones = least + np.arange(7), np.ones(7)
        half = stats.t.isf(0.025, 6) * times.std(ddof=1) / math.sqrt(7)
        products = Sums.of_products(7, int(times.sum()), 7, sum(int(t) ** 2 for t in times), int(times.sum()), 7)
        for found in (ratio_of_sums(times.astype(float), ones), ratio(products)):
            assert found.high - found.value == pytest.approx(half, rel=1e-3)


def test_shares_of_none_and_all():
    """The rule of three: after all of 100 runs, at least 97 %, however many operations each has proposed."""
    none, every = (share(Sums.of_products(100, a, 400.0, a * a / 100, a * 4, 1600.0)) for a in (0.0, 400.0))
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(0.0295, abs=1e-4)
    assert (every.value, every.high) == (1, 1)
    assert every.low == pytest.approx(1 - 0.0295, abs=1e-4)


def test_a_falling_function_exchanges_ends_that_are_known():
    inverse = Estimate(2.0, 0.0, 4.0).transformed(lambda x: 1 / x if x else None)
    assert (inverse.value, inverse.low, inverse.high) == (0.5, 0.25, None)
    negated = Estimate(2.0, 1.0, None).transformed(lambda x: -x)
    assert (negated.low, negated.high) == (None, -1.0)
