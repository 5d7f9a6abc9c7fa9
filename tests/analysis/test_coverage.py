"""How often intervals hold the truth: benchmarks/coverage.py makes the table of docs/statistics.md."""

import math

import pytest

from benchmarks.coverage import RUNS, kinds, table

RARE = ("P(time > t) = 0.01", "share, 0.17 expected", "accepted ÷ proposed, rare and clustered")


@pytest.mark.long
@pytest.mark.statistical
def test_every_interval_holds_the_truth_in_93_percent_but_where_tails_are_heavy():
    short = {
        (kind.name, runs): round(covered, 3)
        for kind in kinds()
        for runs in RUNS
        if (covered := kind.covered(runs)) < 0.93 and runs >= kind.holds_from
    }
    assert short == {}
    heavy = next(kind for kind in kinds() if kind.name == "mean, Pareto, α = 1.5")
    assert math.isinf(heavy.holds_from)
    assert heavy.covered(100) < 0.85  # no method holds where the variance is infinite


@pytest.mark.statistical
@pytest.mark.parametrize("name", RARE)
def test_what_is_rare_is_held(name):
    """300 trials: 285 − 4·3.8 at least. Of the time's tail, normal theory held 24 % with 30 runs."""
    (kind,) = (kind for kind in kinds(pools=()) if kind.name == name)
    assert kind.covered(30, 300) >= 0.9


def test_the_table_has_a_row_for_each_kind(monkeypatch):
    monkeypatch.setattr("benchmarks.coverage.TRIALS", 2)
    lines = table(pools=())
    assert len({line.count("|") for line in lines}) == 1
    assert any(name in line for name in RARE for line in lines)
