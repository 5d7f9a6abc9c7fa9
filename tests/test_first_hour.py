"""What the hand tries in a first hour, call by call."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

import gpruntime
from gpruntime import BadInput, RunSpec, Tree, problem, run_many, solve  # noqa: F401  # slips name them

mpl.use("agg")
SPEC = RunSpec(problem="majority", algorithm="gp-single", n=5)


@pytest.fixture(scope="module")
def columns():
    return run_many(SPEC, seed=1, runs=40, improvements=True)


# ---- what is there


def test_import_is_quick_and_tab_shows_what_there_is():
    """1. import gpruntime; gpruntime.<tab>"""
    told = subprocess.run(
        [sys.executable, "-c", "import sys, gpruntime; print('numba' in sys.modules, *dir(gpruntime))"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert told[0] == "False"
    wanted = "run_many solve Plan run_study summarise watch list_problems verify RunSpec Tree problem"
    assert set(wanted.split()) <= set(told)
    assert all(getattr(gpruntime, name) is not None for name in gpruntime.__all__)


def test_which_problems_are_there():
    """2. list_problems()"""
    named = gpruntime.list_problems()
    assert {"order", "majority"} <= {str(one) for one in named}
    assert all(one.line for one in named)


# ---- runs


def test_another_n():
    """3. spec.replace(n=40)"""
    assert SPEC.replace(n=40) == RunSpec(problem="majority", algorithm="gp-single", n=40)


def test_a_bar_on_what_is_no_terminal_is_lines(monkeypatch, capsys):
    """4. run_many(…, progress=True)"""
    monkeypatch.setattr("gpruntime.progress._QUIET_SECONDS", -1.0)
    assert len(run_many(SPEC, seed=1, runs=3, progress=True)) == 3
    assert capsys.readouterr().err.startswith("gpruntime: runs: ")
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    run_many(SPEC, seed=1, runs=3, progress=True)
    shown = capsys.readouterr().err  # one line that changes, and is cleared away
    assert shown.startswith("\rgpruntime: runs: ")
    assert shown.endswith(" \r")
    run_many(SPEC, seed=1, runs=3)
    assert capsys.readouterr().err == ""


def test_counts_may_be_numpys():
    """5. runs=np.int64(100), n=np.int32(5)"""
    spec = RunSpec(problem="majority", algorithm="gp-single", n=np.int32(5), budget=np.int64(10**6))
    columns = run_many(spec, seed=np.uint64(1), runs=np.int64(4), workers=np.int8(1))
    assert columns.to_arrow()["seed"].to_pylist() == [1] * 4
    assert (type(columns.seed), type(spec.n), type(spec.budget)) == (int, int, int)


# ---- columns


def test_one_run_some_runs_all_runs(columns):
    """6. columns[0]  7. columns[2:5]  8. for run in columns"""
    assert columns[0] == next(columns.results())
    assert columns[-1].run == 39
    some = columns[5:2:-1]
    assert some.runs.tolist() == [5, 4, 3]
    assert some.table.tolist() == run_many(SPEC, seed=1, runs=[5, 4, 3]).table.tolist()
    assert [part.tolist() for part in some.improvements.of(0)] == [part.tolist() for part in columns.improvements.of(5)]
    assert len(columns[7:7]) == len(columns[7:7].improvements) == 0
    assert [run.evaluations for run in columns] == columns.evaluations.tolist()
    with pytest.raises(IndexError):
        columns[40]


def test_a_column(columns):
    """9. columns["evaluations"]"""
    assert columns["evaluations"].tolist() == columns.evaluations.tolist()
    assert columns["outcome"].tolist() == ["optimum"] * 40
    assert columns["accepted_insert"].tolist() == columns.accepted[:, 1].tolist()
    with pytest.raises(BadInput, match="did you mean evaluations"):
        columns["evaluation"]


def test_mean_median_quantile(columns):
    """10. columns.mean  11. columns.median  12. columns.quantile(0.9)"""
    assert columns.mean == columns.mean_time()
    assert columns.median == columns.median_time()
    assert columns.quantile(0.9) == columns.time_quantile(0.9)
    assert float(columns.mean) == pytest.approx(columns.evaluations.mean())


def test_an_estimate_is_a_number(columns):
    """13. f"{columns.mean:.1f}", columns.mean < 100, plt.plot(…, columns.mean)"""
    import matplotlib.pyplot as plt

    mean = columns.mean
    assert f"{mean:.1f}" == f"{columns.evaluations.mean():.1f}"
    assert f"{mean}" == str(mean)
    assert mean < 10**6
    assert 1 <= columns.median <= columns.quantile(0.9)
    assert max(columns.median, columns.quantile(0.9)) is not None
    assert mean == float(mean)
    assert round(mean, 1) == round(float(mean), 1)
    assert len({mean, columns.mean_time()}) == 1
    (line,) = plt.plot([5, 6], [mean, columns.median])
    assert line.get_ydata(orig=False).tolist() == [float(mean), float(columns.median)]
    plt.close("all")
    unknown = run_many(SPEC.replace(n=50, budget=9), seed=1, runs=5).mean
    assert np.isnan(float(unknown))
    assert not unknown < 10
    assert not unknown >= 10


def test_describe_plot_and_ecdf(columns):
    """14. columns.describe()  15. columns.plot()  16. columns.ecdf()"""
    assert "40 reached the optimum" in str(columns.describe())
    assert columns.plot().records[-1]["p_optimum_by_then"] == 1
    times, shares = columns.ecdf()
    assert times.tolist() == sorted(columns.evaluations)
    assert (shares[0], shares[-1]) == (1 / 40, 1)
    stopped = run_many(SPEC.replace(budget=20), seed=1, runs=40)
    assert stopped.ecdf()[1][-1] == stopped.solved().value < 1


def test_as_a_table_in_a_file(columns, tmp_path):
    """17. columns.to_csv("runs.csv")  18. columns.to_parquet(…)  19. columns.to_polars()"""
    import pyarrow.csv
    import pyarrow.parquet

    for _ in range(2):  # again, as a script is run again
        columns.to_csv(tmp_path / "runs.csv")
        columns.to_parquet(str(tmp_path / "runs.parquet"))
    assert pyarrow.csv.read_csv(tmp_path / "runs.csv")["evaluations"].to_pylist() == columns.evaluations.tolist()
    assert pyarrow.parquet.read_table(tmp_path / "runs.parquet").equals(columns.to_arrow())
    if importlib.util.find_spec("polars"):
        assert columns.to_polars()["evaluations"].to_list() == columns.evaluations.tolist()
    else:
        with pytest.raises(gpruntime.NotInstalled, match="pip install polars"):
            columns.to_polars()


# ---- trees and exact answers


def test_a_tree():
    """20. Tree("((x1 !x4) (x2 x3))"), tree.size, len(tree)  21. tree.plot()"""
    tree = Tree("((x1 !x4) (x2 x3))")
    assert tree == Tree.parse("((x1 !x4) (x2 x3))")
    assert tree.size == len(tree) == 4
    assert [record["text"] for record in tree.plot("majority").records if record["expressed"]] == ["x1", "x2", "x3"]
    assert "empty" in tree.plot().caption or tree.plot().svg().startswith("<svg")
    assert Tree().plot().records == []
    assert bool(Tree()), "the empty tree is a tree"


def test_an_exact_answer():
    """22. solve(spec).std  23. solve(spec).cdf(10)  24. solve(spec).plot()"""
    exact = gpruntime.solve(RunSpec(problem="order", algorithm="gpstar-single", n=2))
    assert exact.std == exact.deviation > 0
    assert exact.cdf(10) == exact.times.at_most(10)
    assert exact.plot().records[0]["p_optimum_by_then"] == exact.cdf(1)
    truncated = solve(RunSpec(problem="order", algorithm="gp-single", n=2))
    assert (truncated.mean, truncated.std, truncated.quantile(0.5)) == (None, None, None)
    assert "lies between" in truncated.plot().caption


def test_watch_a_run(tmp_path):
    """25. gpruntime.watch(spec, "run.html")"""
    file = gpruntime.watch(SPEC, tmp_path / "run.html", seed=3)
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert importlib.import_module("gpruntime.watch.words").__name__ == "gpruntime.watch.words"  # still a package
    assert callable(gpruntime.watch)


# ---- slips: a line that says what to write


SLIPS = {
    "columns.times": "has no attribute 'times'; did you mean evaluations?",
    "columns.evaluation": "did you mean evaluations?",
    "columns.mean.lower": "did you mean low?",
    "gpruntime.summarize": "did you mean summarise?",
    "gpruntime.run_mani": "did you mean run_many?",
    "SPEC.algoritm": "did you mean algorithm?",
    "Tree('x1').leafs": "did you mean leaves?",
    "solve('order')": "must be a RunSpec: RunSpec(problem=",
    "run_many('order')": "must be a RunSpec: RunSpec(problem=",
    "RunSpec('order', 'gp-single', 20)": "the fields of a spec have names: RunSpec(problem=",
    "run_many(SPEC, 100)": "takes 1 positional argument",
    "problem(lambda i, plain, bar, n: 1)": "write @problem(sees=",
    "run_many(SPEC, runs=2, workers=0)": "-1 for all cores",
    "run_many(SPEC, runs=1e3)": "runs = 1000.0: must be a whole number",
    "columns.quantile(90)": "must be above 0 and below 1",
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_in_one_line(slip, columns):
    names = {**globals(), "columns": columns}
    with pytest.raises((AttributeError, BadInput, TypeError)) as told:
        eval(slip, names)
    assert SLIPS[slip] in str(told.value)
    assert "\n" not in str(told.value)


def test_an_interrupted_study_raises_and_goes_on(tmp_path):
    """Ctrl-C in run_study: KeyboardInterrupt, as everywhere, with what is stored."""
    import signal

    plan = gpruntime.Plan.of(problem="majority", algorithm="gp-single", n=[4, 5], runs=4_000)

    def interrupt(now):
        if now.computed and not now.stopping:
            signal.raise_signal(signal.SIGINT)

    listener = gpruntime.study.Listener(progress=interrupt)
    with pytest.raises(KeyboardInterrupt, match="runs are stored in") as told:
        gpruntime.run_study(plan, tmp_path / "study", workers=0, listener=listener)
    assert 0 < told.value.report.stored < 8_000
    assert gpruntime.run_study(plan, tmp_path / "study", workers=0, progress=True).stored == 8_000


def test_another_plan_says_its_difference(tmp_path):
    plan = gpruntime.Plan.of(problem="majority", algorithm="gp-single", n=2, runs=3)
    gpruntime.run_study(plan, tmp_path, workers=0)
    with pytest.raises(gpruntime.study.OtherPlan, match="seed"):
        gpruntime.run_study(gpruntime.Plan.of(problem="majority", algorithm="gp-single", n=2, runs=3, seed=5), tmp_path)


def test_bars_of_what_is_solved(monkeypatch):
    from gpruntime.theory import levels

    told = io.StringIO()
    monkeypatch.setattr("sys.stderr", told)
    monkeypatch.setattr("gpruntime.progress._QUIET_SECONDS", -1.0)
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=2)
    for ask in (solve, levels):
        ask(spec, progress=True)
    assert told.getvalue().count("gpruntime: states: ") == 2
