"""The planned number of runs is the one that theory gives for planted times, and keeps its promise when it is made."""

import dataclasses
import json
import math

import numpy as np
import pytest
from scipy import stats

from gpruntime import RunSpec
from gpruntime.analysis import plan_runs, summarise
from gpruntime.analysis.compare import ratio_of_means, side
from gpruntime.analysis.estimates import Estimate, Moments, mean
from gpruntime.analysis.fitting import points_of
from gpruntime.analysis.growth import LAWS
from gpruntime.analysis.laws import fit_laws
from gpruntime.analysis.planning import runs_for_width
from gpruntime.model.errors import BadInput
from gpruntime.study import Plan
from tests.runs_help import planted_table, together
from tests.study.studies import command_here, run_here

Z = stats.norm.ppf(0.975)
Z_SHARE = stats.norm.ppf(0.8)


def spec(n=20, algorithm="gp-single", **more):
    return RunSpec(problem="order", algorithm=algorithm, n=n, **more)


def quantiles(runs, shape, constant=1e6):
    """Gamma-distributed times without chance: their quantiles."""
    return constant * stats.gamma.ppf((np.arange(runs) + 0.5) / runs, shape, scale=1 / shape)


def test_runs_for_a_width_are_those_of_the_normal_approximation():
    pilot, width = 4000, 0.02
    times = quantiles(pilot, 1.0)
    (cell,) = plan_runs(planted_table(spec(), times), width=width).cells
    assert cell.deviation == pytest.approx(1.0, rel=0.01)
    runs = (2 * Z / width) ** 2  # exponential times: c = 1 and τ² = 1
    runs *= math.exp(2 * Z_SHARE * math.sqrt(1 / pilot + 1 / runs))
    assert cell.runs == pytest.approx(runs, rel=0.02)
    assert cell.more == cell.runs - pilot
    assert cell.seconds == pytest.approx(0.001 * cell.more)


def test_runs_for_a_difference_are_those_of_the_normal_approximation():
    a, b = planted_table(spec(), quantiles(500, 4.0)), planted_table(spec(algorithm="gp-multi"), quantiles(500, 1.0))
    needed = plan_runs(together([a, b]), difference=0.1)
    runs = (Z + Z_SHARE) ** 2 * (0.25 + 1) / math.log(1.1) ** 2
    assert [cell.runs for cell in needed.cells] == pytest.approx([runs, runs], rel=0.02)
    (alone,) = plan_runs(a, difference=0.1).cells
    assert alone.runs == pytest.approx((Z + Z_SHARE) ** 2 * 0.5 / math.log(1.1) ** 2, rel=0.02)
    assert "scatter alike" in alone.remark


@pytest.mark.statistical
def test_the_width_is_reached_in_about_the_promised_share_of_repetitions():
    """400 pilots of 40 exponential times: 80 %, give or take three deviations of that share, √(0.16/400)."""
    generator, reached = np.random.default_rng(1), 0
    (planned,) = summarise(planted_table(spec(), quantiles(40, 1.0))).cells
    for _ in range(400):
        pilot = Moments.of(generator.exponential(size=40))
        cell = dataclasses.replace(
            planned,
            given_optimum=Estimate(pilot.mean), deviation=pilot.deviation, skewness=pilot.skewness,
        )  # fmt: skip
        runs, _ = runs_for_width(cell, 0.15, 0.95)
        estimate = mean(generator.exponential(size=runs))
        reached += estimate.high - estimate.low <= 0.15 * estimate.value
    assert 0.74 <= reached / 400 <= 0.86


@pytest.mark.statistical
def test_the_difference_is_seen_in_about_the_promised_share_of_repetitions():
    tables = [planted_table(spec(algorithm=name), quantiles(500, 2.0)) for name in ("gp-single", "gp-multi")]
    runs = plan_runs(together(tables), difference=0.2).cells[0].runs
    generator, seen = np.random.default_rng(2), 0
    for _ in range(400):
        x, y = generator.gamma(2, 1.2, runs), generator.gamma(2, 1.0, runs)
        seen += side(ratio_of_means(x, y)) == 1
    assert 0.74 <= seen / 400 <= 0.86


@pytest.mark.statistical
def test_the_planned_runs_tell_the_laws_apart():
    """A χ² of 16 on average: the wrong law is 20 times less likely wherever it is above 6, nine times in ten."""
    sizes, constant, cells = [8, 16, 32, 64, 128, 256], 3.0, []
    means = [constant * n * math.log(n) for n in sizes]
    for n, m in zip(sizes, means, strict=True):
        cells.append(planted_table(spec(n), quantiles(20, 4.0, 1e4 * m)))
    needed = plan_runs(together(cells), tell=("n log n", "n^1.5"))
    (runs,) = {cell.runs for cell in needed.cells}
    assert runs > 20
    generator, told = np.random.default_rng(3), 0
    for _ in range(40):
        samples = [m * generator.gamma(4.0, 0.25, runs) for m in means]
        points = points_of(
            sizes, [s.mean() for s in samples], [s.var(ddof=1) / s.mean() ** 2 for s in samples], [runs] * len(sizes)
        )
        fit = fit_laws(points, laws={name: LAWS[name] for name in ("n log n", "n^1.5")})
        told += fit.best.law.id == "n log n" and fit.ranking[1].unlikely
    assert told >= 30


def test_more_runs_than_exist_are_not_promised():
    cells = [planted_table(spec(n), quantiles(20, 4.0, 1e6 * n**1.5)) for n in (8, 12, 16, 24)]
    with pytest.raises(BadInput, match="more than 1,000,000,000 runs"):
        plan_runs(together(cells), width=1e-9)
    assert plan_runs(together(cells), tell=("n^2", "2^n")).cells[0].runs >= 20
    with pytest.raises(BadInput, match="a law needs"):
        plan_runs(cells[0], tell=("n", "n^1.1"))


def test_stuck_and_stopped_runs_are_not_left_out_in_silence():
    times = quantiles(200, 1.0)
    half = ["optimum", "stuck"] * 100
    (all_end,) = plan_runs(planted_table(spec(), times[::2]), width=0.1).cells
    (cell,) = plan_runs(planted_table(spec(), times[::2].repeat(2), half), width=0.1).cells
    assert cell.runs == pytest.approx(2 * all_end.runs, abs=1)
    assert "100 of 200 runs are stuck: E[time | optimum]" in cell.remark
    with pytest.raises(BadInput, match="the mean is infinite"):
        plan_runs(planted_table(spec(), times, half), difference=0.1)
    stopped = planted_table(spec(budget=10**7), np.minimum(times, 10**7), ["optimum", "budget"] * 100)
    with pytest.raises(BadInput, match="the budget stopped 100 of 200 runs"):
        plan_runs(stopped, width=0.1)
    needed = plan_runs(together([stopped, planted_table(spec(30), times)]), width=0.1)
    assert [cell.runs is None for cell in needed.cells] == [True, False]
    assert "without 1 cell that cannot be planned" in needed.sentences()[0]


def test_an_unknown_time_is_said_to_be_unknown():
    table = planted_table(spec(), quantiles(50, 1.0))
    without = table.set_column(table.schema.get_field_index("seconds"), "seconds", [[None] * 50])
    for pilot in (without, table.drop_columns("seconds")):
        needed = plan_runs(pilot, width=0.1)
        assert needed.seconds is None
        assert "not stored" in needed.sentences()[-1]


@pytest.mark.parametrize(
    "asked",
    [
        {}, {"width": 0.1, "difference": 0.1}, {"width": math.nan}, {"width": 0}, {"difference": -1},
        {"tell": ("n", "n")}, {"tell": ("n", "n!")}, {"tell": ("n", "")}, {"tell": ("n", "n^0")},
        {"width": 0.1, "level": 2},
    ],
)  # fmt: skip
def test_bad_input_is_one_line(asked):
    with pytest.raises(BadInput):
        plan_runs(planted_table(spec(), quantiles(50, 1.0)), **asked)


@pytest.mark.parametrize("store", ["rows", "summaries"])
def test_the_command(tmp_path, store):
    plan = {"problem": "majority", "algorithm": ["gp-single", "gpstar-single"], "n": [4, 6, 8, 12]}
    run_here(Plan.of(seed=3, runs=30, store=store, **plan), tmp_path)
    shown = command_here("plan-runs", tmp_path, "--width", "10%")
    assert shown.returncode == 0, shown.stderr
    assert "runs are stuck: E[time | optimum]" in shown.stdout
    assert ("an unknown time" in shown.stdout) == (store == "summaries")
    told = command_here("plan-runs", tmp_path, "--tell", "n log n, n^1.5", "--json")
    record = json.loads(told.stdout)
    assert record["more"] == sum(cell["more"] or 0 for cell in record["cells"])
    assert len(record["assumptions"]) == 3
    assert command_here("plan-runs", tmp_path).returncode == 2
    assert "must be a share" in command_here("plan-runs", tmp_path, "--width", "wide").stderr
