"""What columns say of themselves: times that are infinite or unknown are never a finite number."""

import math
import sys

import numpy as np
import pytest

from gpruntime import BadInput, NotInstalled, RunSpec, run_many
from gpruntime.analysis.formatting import Above
from gpruntime.engine import Columns
from gpruntime.study import Study
from tests.study.studies import run_here, small_plan


def columns_of(outcomes, evaluations, budget=None):
    """Columns with these outcomes, 0, 1, 2 for optimum, stuck, budget."""
    table = np.zeros((len(outcomes), 11), np.int64)
    table[:, 0], table[:, 1] = outcomes, evaluations
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=9, budget=budget)
    return Columns(spec, 1, np.arange(len(outcomes)), "stepping", table)


def test_the_mean_of_stuck_runs_is_infinite():
    columns = run_many(RunSpec(problem="majority", algorithm="gpstar-single", n=50), seed=1, runs=50)
    assert math.isfinite(columns.evaluations.mean())
    mean = columns.mean_time()
    assert (mean.value, mean.low, mean.high) == (math.inf, None, None)
    assert str(mean).startswith("infinite, ")
    assert str(mean).endswith(" of 50 runs never end")
    assert columns.median_time().value == math.inf  # more than half of them are stuck
    assert str(columns.median_time()) == "infinite"
    stuck = columns.stuck()
    assert stuck.low < stuck.value == columns.outcome.count("stuck") / 50 < stuck.high
    assert columns.solved().value == pytest.approx(1 - stuck.value)


def test_the_mean_of_runs_that_all_ended_is_their_mean():
    columns = run_many(RunSpec(problem="majority", algorithm="gp-single", n=10), seed=1, runs=100)
    mean, median = columns.mean_time(), columns.median_time(level=0.9)
    assert mean.low < mean.value == columns.evaluations.mean() < mean.high
    assert median.value == np.sort(columns.evaluations)[49]
    assert median.level == 0.9
    assert mean == columns.mean_time_given_optimum()
    assert columns.time_quantile(0.9).value == np.sort(columns.evaluations)[89]


def test_the_mean_of_stopped_runs_is_unknown():
    columns = columns_of([0, 0, 0, 2, 2], [3, 5, 7, 9, 9], budget=9)
    assert columns.mean_time().value is None
    assert str(columns.mean_time()) == "unknown, 2 of 5 runs were stopped by the budget"
    assert columns.median_time().value == 7
    beyond = columns.time_quantile(0.9).value
    assert isinstance(beyond, Above)
    assert beyond == 9
    assert columns.stopped().value == 0.4
    assert columns.mean_time_given_optimum().value == 5
    assert "only of the runs that ended" in columns.mean_time_given_optimum().remark


def test_stuck_outweighs_stopped():
    assert columns_of([0, 1, 2], [3, 4, 9], budget=9).mean_time().value == math.inf


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_that_are_none(level):
    columns = columns_of([0, 0], [3, 4])
    for ask in (columns.mean_time, columns.median_time, columns.solved):
        with pytest.raises(BadInput, match="level = "):
            ask(level)


@pytest.mark.parametrize("probability", [0, 1, 50])
def test_quantiles_that_are_none(probability):
    with pytest.raises(BadInput, match="probability = "):
        columns_of([0, 0], [3, 4]).time_quantile(probability)


def test_printed_columns_are_short():
    columns = run_many(RunSpec(problem="majority", algorithm="gpstar-single", n=50), seed=1, runs=2000)
    assert str(columns).startswith("<2,000 runs of (1+1) GP*-single on MAJORITY, n = 50, seed 1: ")
    assert ".mean, .median" in repr(columns)
    assert len(str(columns)) < 400


# ---- tables


def test_columns_have_the_rows_of_a_study(tmp_path):
    plan = small_plan(problem="order", algorithm="gp-single", n=4, weights=[1, 1, 2])
    run_here(plan, tmp_path / "study")
    table = Study.load(tmp_path / "study").table().drop_columns(["seconds"])
    spec = RunSpec(problem="order", algorithm="gp-single", n=4, budget=500, weights=(3, 3, 6))
    own = run_many(spec, seed=3, runs=40, improvements=True).to_arrow()
    assert own.schema.equals(Study.load(tmp_path / "study").schema)
    assert own["seconds"].null_count == 40  # nobody took the time
    assert own.drop_columns(["seconds"]).to_pylist() == table.to_pylist()


def test_columns_as_a_frame():
    columns = run_many(RunSpec(problem="order", algorithm="gp-single", n=4), seed=3, runs=7)
    frame = columns.to_pandas()
    assert frame.evaluations.tolist() == columns.evaluations.tolist()
    assert frame.columns.tolist() == columns.to_arrow().column_names


def test_without_pandas_one_line_says_so(monkeypatch, tmp_path):
    run_here(small_plan(n=4, runs=1), tmp_path / "study")
    runs = [Study.load(tmp_path / "study"), run_many(RunSpec(problem="order", algorithm="gp-single", n=4), runs=2)]
    monkeypatch.setitem(sys.modules, "pandas", None)  # so Python knows a module that cannot be imported
    for some in runs:
        with pytest.raises(NotInstalled, match=r"^to_pandas\(\) needs pandas, .*: pip install pandas$"):
            some.to_pandas()
