import numpy as np
import pytest

from gpruntime.engine.random import seed_states, thresholds
from gpruntime.model.stream import Stream, poisson_table, weight_table
from tests.engine.compiled import add, below, binomial_number, build, find, uniform, word
from tests.statistics_help import assert_frequencies

CELL = (1, 2**32 - 1, 0, 77)


def rng_of(seed: int, run: int = 0) -> np.ndarray:
    return seed_states(seed, CELL, np.array([run]))[0]


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**63 - 1])
def test_seeding_is_numpys(seed):
    runs = np.array([0, 1, 12345, 2**32 - 1])
    states = seed_states(seed, CELL, runs)
    for run, state in zip(runs, states, strict=True):
        numpys = np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(*CELL, int(run)))).state["state"]["state"]
        assert state.tolist() == numpys.tolist()


def test_words_are_numpys():
    rng = rng_of(3)
    numpys = np.random.SFC64(np.random.SeedSequence(3, spawn_key=(*CELL, 0)))
    assert [int(word(rng)) for _ in range(1000)] == numpys.random_raw(1000).tolist()


def test_draws_are_the_models():
    rng, stream = rng_of(9, 4), Stream(9, CELL, 4)
    table, weights = poisson_table(1.0), weight_table((0.2, 0.0, 1.3))
    for i in range(3000):
        bound = 1 + i * i * 977 % (2**32 - 2)  # large bounds reject often
        assert below(rng, bound) == stream.below(bound)
        assert uniform(rng) == stream.uniform()
        for cumulative in (table, weights):
            bits = int(word(rng)) >> 11
            assert np.count_nonzero(thresholds(cumulative) <= bits) == stream.pick(cumulative)


def binomials(rng, n, p, out):
    for i in range(len(out)):
        out[i] = binomial_number(rng, n, p)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (10, 0.5), (7, 0.9), (60, 0.3), (60, 0.75), (10**6, 2e-6), (1000, 0.02)]
)
def test_binomial_numbers(n, p):
    from scipy import stats

    out = np.zeros(40_000, np.int64)
    binomials(rng_of(5), n, p, out)
    low, high = int(stats.binom.ppf(2e-4, n, p)), int(stats.binom.ppf(1 - 2e-4, n, p))
    values, counts = np.unique(np.clip(out, low, high), return_counts=True)
    law = {k: stats.binom.pmf(k, n, p) for k in range(low, high + 1)}
    law[low] = stats.binom.cdf(low, n, p)
    law[high] += stats.binom.sf(high, n, p)
    if low == high:
        law = {low: 1.0}
    assert out.min() >= 0
    assert out.max() <= n
    assert_frequencies(dict(zip(values.tolist(), counts.tolist(), strict=True)), law)


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "p"), [(10**13, 1 / 3), (2**60, 0.5), (10**10, 0.9)])
def test_binomial_numbers_of_huge_n(n, p):
    """Mean and variance of the standardised numbers are 0 and 1, within four standard errors."""
    out = np.zeros(20_000, np.int64)
    binomials(rng_of(6), n, p, out)
    standard = (out.astype(float) - n * p) / np.sqrt(n * p * (1 - p))
    assert abs(standard.mean()) < 4 / np.sqrt(len(out))
    assert abs(standard.var() - 1) < 4 * np.sqrt(2 / len(out))


def test_binomial_edges():
    rng = rng_of(1)
    assert [binomial_number(rng, n, p) for n, p in ((0, 0.5), (5, 0.0), (5, 1.0), (-1, 0.5))] == [0, 0, 5, 0]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 33])
def test_fenwick_finds_every_unit_of_weight(size):
    weights = np.random.default_rng(size).integers(0, 4, size)
    sums = np.zeros(size + 1, np.int32)
    sums[1:] = weights
    build(sums, size + 1)
    for index in range(size):
        add(sums, size + 1, index, index % 2)
        weights[index] += index % 2
    units = [(index, unit) for index in range(size) for unit in range(weights[index])]
    assert [find(sums, size + 1, value) for value in range(len(units))] == units
