import math
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from gpruntime import BadInput, RunSpec, simulate
from gpruntime.model.stream import Stream, poisson_table, weight_table
from tests.statistics_help import assert_frequencies
from tests.strategies import stream


@pytest.mark.parametrize("seed", [0, 12345, 2**32 - 1, 2**32, 2**63 - 1])
@pytest.mark.parametrize("run", [0, 7, 2**32 - 1])
def test_the_words_are_numpys_SFC64(seed, run):
    ours = Stream(seed, (1, 2**32 - 1, 0, 4), run)
    sequence = np.random.SeedSequence(seed, spawn_key=(1, 2**32 - 1, 0, 4, run))
    assert [ours.word() for _ in range(1000)] == np.random.SFC64(sequence).random_raw(1000).tolist()


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.uint32])
def test_an_address_may_be_numpys(kind):
    spec = RunSpec(problem="order", algorithm="gp-single", n=4)
    assert simulate(spec, seed=kind(5), run=kind(3)) == simulate(spec, seed=5, run=3)


def test_a_run_of_the_model_needs_no_numpy():
    """In a Python of its own, from the folders of the sources, where every import of NumPy fails."""
    program = """
import sys
sys.modules["numpy"] = None
from gpruntime.model import BadInput, NotInstalled, RunSpec, simulate
for problem in ("order", "majority", "plus-c-majority:c=1"):
    print(simulate(RunSpec(problem=problem, algorithm="gpstar-single", n=5, budget=10**4), seed=1).evaluations)
try:
    simulate(RunSpec(problem="max", algorithm="gp-single", n=2))
except NotInstalled as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    counts = [
        simulate(RunSpec(problem=problem, algorithm="gpstar-single", n=5, budget=10**4), seed=1).evaluations
        for problem in ("order", "majority", "plus-c-majority:c=1")
    ]
    *told, missing = done.stdout.splitlines()
    assert list(map(int, told)) == counts
    assert "needs numpy, which is not installed" in missing


def test_addresses_give_different_streams():
    words = {
        Stream(seed, cell, run).word() for seed in range(5) for cell in ((0, 0, 0, 0), (0, 0, 0, 1)) for run in range(5)
    }
    assert len(words) == 50


class Words(Stream):
    """A stream with given words."""

    def __init__(self, *words):
        self._words = iter(words)

    def word(self):
        return next(self._words)


def test_below_is_lemires_method_and_rejects_exactly_the_surplus():
    """For bound 3, 2³² mod 3 = 1, so only the word whose product has lower half 0 is drawn again: the word 0."""
    assert Words(0, 1 << 32).below(3) == 0
    assert Words(0xFFFFFFFF << 32).below(3) == 2
    assert Words(5).below(1) == 0
    with pytest.raises(StopIteration):  # the only word was rejected, and there is no second one
        Words(0).below(3)
    assert Words(0).below(4) == 0, "a power of two rejects nothing"
    bound = 2**31 + 2**30  # 2³² mod bound = 2³⁰, and the word 1 has lower half `bound`: not rejected, though above it
    assert Words(1 << 32).below(bound) == 0
    odd = 2**31 + 1  # 2³² mod odd = 2³¹ − 1: the word 2 has lower half 2, far below it, though below odd // 2 too
    assert Words(2 << 32, 2**31 << 32).below(odd) == 2**30


@pytest.mark.statistical
@pytest.mark.parametrize("bound", [1, 2, 3, 7, 100])
def test_below_is_uniform(bound):
    draws = stream(3)
    assert_frequencies(Counter(draws.below(bound) for _ in range(50_000)), dict.fromkeys(range(bound), 1 / bound))


def test_uniform_has_53_bits_below_one():
    assert Words(2**64 - 1).uniform() == 1 - 2.0**-53
    assert Words(2**11 - 1).uniform() == 0.0


@pytest.mark.parametrize(
    ("weights", "table"),
    [
        ((1, 1, 1), (1 / 3, 2 / 3, 1.0)),
        ((0, 1, 0), (0.0, 1.0, 1.0)),
        ((1, 0, 0), (1.0, 1.0, 1.0)),
        ((0, 0, 5), (0.0, 0.0, 1.0)),
        ((0.1, 0.2, 0), (0.1 / 0.3, 1.0, 1.0)),
    ],
)
def test_weight_table(weights, table):
    assert weight_table(weights) == pytest.approx(table, abs=1e-15)


def test_a_weight_of_zero_is_never_picked():
    """u = 0 is not below a cumulative probability of 0, and the largest u is below 1."""
    assert Words(0).pick(weight_table((0, 1, 1))) == 1
    assert Words(2**64 - 1).pick(weight_table((0.1, 0.2, 0))) == 1


@pytest.mark.parametrize("mean", [0, 0.5, 1, 7.5, 100])
def test_poisson_table_is_the_poisson_distribution(mean):
    table = poisson_table(mean)
    assert table == pytest.approx(stats.poisson.cdf(range(len(table)), mean), abs=1e-13)
    assert table[-1] == 1.0
    assert stats.poisson.sf(len(table) - 1, mean) < 2.0**-53


def test_bad_addresses():
    for seed, run in ((-1, 0), (2**63, 0), (0, -1), (0, 2**32), ("1", 0), (1.5, 0), (True, 0)):
        with pytest.raises(BadInput):
            Stream(seed, (0, 0, 0, 0), run)
    for mean in (-1, 101, math.inf):
        with pytest.raises(BadInput):
            poisson_table(mean)
