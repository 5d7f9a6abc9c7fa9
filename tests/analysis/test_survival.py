"""Censored times: against the exact law, and against the same runs without their budget."""

import math

import numpy as np
import pytest

from gpruntime import RunSpec, run_many
from gpruntime.analysis import RunTable, summarise
from gpruntime.analysis.cells import estimate_cell
from gpruntime.exact import solve
from tests.runs_help import planted_table, study_table

RUNS = 3000


def cell_of(spec, runs=RUNS):
    (cell,) = RunTable(run_many(spec, seed=1, runs=runs)).cells()
    return cell


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("problem", "n", "budget"), [("majority", 3, 20), ("order", 2, 16)], ids=["some stuck", "none stuck"]
)
def test_restricted_mean_and_curve_agree_with_the_exact_law(problem, n, budget):
    """A budget that stops about a third of the runs. E[min(T, B)] = Σ_{t<B} P(T > t), stuck runs included."""
    spec = RunSpec(problem=problem, algorithm="gpstar-single", n=n, budget=budget)
    times = solve(spec).times
    runs = cell_of(spec)
    found = estimate_cell(runs)
    assert 0.2 < found.budget / found.runs < 0.45
    exact = sum(1 - times.at_most(t) for t in range(budget))
    spread = np.minimum(np.where(runs.outcome == 0, runs.evaluations, budget), budget).std()
    assert abs(found.restricted.value - exact) <= 4 * spread / math.sqrt(RUNS)
    assert found.restricted.low < found.restricted.value < found.restricted.high
    curve = found.survival
    for t in (1, 2, 5, 10, budget - 1, budget):
        chance = 1 - times.at_most(t)
        assert abs(curve.at(t) - chance) <= 4 * math.sqrt(chance * (1 - chance) / RUNS)


def test_a_naive_mean_would_be_far_off():
    """MAJORITY, GP-single, n = 20, a budget that stops a third: the mean of those that ended is 27 % too low."""
    free = RunSpec(problem="majority", algorithm="gp-single", n=20)
    truth = cell_of(free)
    budget = int(np.quantile(truth.evaluations, 2 / 3))
    runs = cell_of(RunSpec(problem="majority", algorithm="gp-single", n=20, budget=budget))
    found = estimate_cell(runs)
    assert 0.32 < found.budget / found.runs < 0.345
    naive = found.given_optimum.value / truth.evaluations.mean()
    assert 0.72 < naive < 0.75
    # The same runs, so what the budget leaves is known exactly:
    assert found.restricted.value == np.minimum(truth.evaluations, budget).mean()
    for t in np.quantile(truth.evaluations, [0.1, 0.3, 0.6]):
        assert math.isclose(
            found.survival.at(t), (truth.evaluations > t).mean(), abs_tol=1.5e-3
        )  # thinned to 1000 steps
    assert found.mean.value is None
    assert "stopped by the budget" in found.mean.remark
    assert "stopped by the budget" in found.caveat()
    assert found.quantiles[0.95].value == budget
    assert str(found.quantiles[0.95].short()).startswith(">")
    assert found.median.value == np.sort(truth.evaluations)[RUNS // 2 - 1]


def test_stuck_runs_never_end():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=5)
    times = np.array([10, 20, 30, 40, 50, 60, 2, 3])
    (cell,) = RunTable(planted_table(spec, times, ["optimum"] * 6 + ["stuck"] * 2)).cells()
    found = estimate_cell(cell)
    assert found.mean.value == math.inf
    assert "infinite" in found.mean.short()
    assert found.given_optimum.value == 35
    assert found.expected_running_time.value == pytest.approx(215 / 6)
    assert found.quantiles[0.95].value == math.inf
    assert found.survival.at(1e9) == pytest.approx(0.25)
    assert found.survival.horizon is None
    assert found.restricted.value is None


@pytest.mark.parametrize(
    ("outcome", "median"),
    [
        (["optimum"] * 6 + ["stuck"] * 4, "50"),
        (["optimum"] * 5 + ["stuck"] * 5, "infinite"),
        (["optimum"] * 4 + ["stuck"] * 6, "infinite"),
        (["optimum"] * 5 + ["budget"] * 5, "> 50"),
        (["optimum"] * 4 + ["budget"] * 6, "> 100"),
        (["optimum"] * 5 + ["stuck"] * 4 + ["budget"], "> 50"),
    ],
)
def test_a_median_is_infinite_where_half_of_the_runs_are_stuck(outcome, median):
    """And beyond what is known where the budget stopped half."""
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=5, budget=100)
    times = np.where(np.array(outcome) == "budget", 100, np.arange(10, 110, 10))
    (cell,) = RunTable(planted_table(spec, times, outcome)).cells()
    assert estimate_cell(cell).median.short() == median


def test_no_success_and_one_run():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=5)
    (cell,) = RunTable(planted_table(spec, np.array([4, 5]), "stuck")).cells()
    found = estimate_cell(cell)
    assert found.optimum == 0
    assert found.given_optimum.value is None
    assert "none of 2 runs reached the optimum" in found.caveat()
    assert len(found.survival.times) == 0
    (cell,) = RunTable(planted_table(spec, np.array([4]))).cells()
    assert estimate_cell(cell).mean.value == 4


def test_curve_has_an_interval_and_falls():
    (cell,) = RunTable(study_table([RunSpec(problem="order", algorithm="gp-single", n=6)], 200)).cells()
    curve = cell.survival(0.95)
    assert (np.diff(curve.chance) < 0).all()
    assert ((curve.low <= curve.chance) & (curve.chance <= curve.high)).all()
    assert curve.at(0) == 1
    assert curve.at(math.inf) == 0


def test_nothing_is_known_beyond_the_horizon():
    spec = RunSpec(problem="order", algorithm="gp-single", n=5, budget=100)
    table = planted_table(spec, np.array([10, 20, 100, 100]), ["optimum", "optimum", "budget", "budget"])
    curve = summarise(table).cells[0].survival
    assert curve.at(50) == curve.at(100) == 0.5
    assert curve.at(101) is None
