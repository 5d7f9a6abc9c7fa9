"""IOHprofiler folders, by whatever tool, become tables of runs."""

import json
import math
import os
from importlib.util import find_spec

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.analysis import summarise, trajectories
from gpruntime.model.part import foreign_id
from gpruntime.study import Plan, Study
from gpruntime.study.ioh import export_ioh
from gpruntime.study.ioh_read import read_ioh
from tests.study.studies import command, run_here, small_plan


def write(folder, runs, function="OneMax", maximization=True, n=4, algorithm="(1+1) EA_>0", **more):
    """A folder as `ioh` writes it; `runs` are lists of (evaluations, value), the last at the end of the run."""
    lines = ["evaluations raw_y\n" + "".join(f"{t} {y:.10f}\n" for t, y in run) for run in runs]
    (folder / "data_f1").mkdir(parents=True)
    (folder / "data_f1/IOHprofiler_f1_DIM4.dat").write_text("".join(lines))
    said = [{"instance": 1, "evals": run[-1][0], "best": {"evals": run[-1][0], "y": run[-1][1]}} for run in runs]
    described = {
        "suite": "PBO", "function_id": 1, "function_name": function, "maximization": maximization,
        "algorithm": {"name": algorithm, "info": ""}, "attributes": ["evaluations", "raw_y"],
        "scenarios": [{"dimension": n, "path": "data_f1/IOHprofiler_f1_DIM4.dat", "runs": said}], **more,
    }  # fmt: skip
    (folder / "IOHprofiler_f1_OneMax.json").write_text(json.dumps(described))
    return folder


SOLVED = [[(1, 2), (3, 3), (9, 4)], [(1, 4)], [(1, 1), (20, 4)]]


def test_what_was_exported_comes_back(tmp_path):
    plan = small_plan(problem=["order", "majority", "and", "sorting:measure=run"], n=[4, 6])
    run_here(plan, tmp_path / "s")
    study = Study.load(tmp_path / "s")
    export_ioh(study, tmp_path / "ioh")
    back, ours = summarise(read_ioh(tmp_path / "ioh")).cells, summarise(study).cells
    assert len(back) == len(ours) == 16
    assert any(cell.stuck for cell in ours)
    assert any(cell.budget for cell in ours)
    for one, other in zip(back, ours, strict=True):
        assert one.name == other.name
        assert (one.runs, one.optimum, one.stuck, one.budget) == (other.runs, other.optimum, other.stuck, other.budget)
        assert (one.mean, one.chance, one.median) == (other.mean, other.chance, other.median)
    assert trajectories(read_ioh(tmp_path / "ioh"))[0].to_records() == trajectories(study)[0].to_records()


def test_another_setting_of_ours_is_another_algorithm(tmp_path):
    run_here(Plan.of(problem="and", algorithm="gp-single", n=4, init=["unity", "grow"], runs=3), tmp_path / "s")
    export_ioh(Study.load(tmp_path / "s"), tmp_path / "ioh")
    titles = sorted(curve.name for curve in summarise(tmp_path / "ioh").curves)
    assert titles[1] == "gp-single (init=grow) on AND", "and no word on what nobody knows, such as substitution"
    names = [cell.spec.algorithm.name for cell in summarise(tmp_path / "ioh").cells]
    assert sorted(names) == ["(1+1) GP-single", "gp-single (init=grow)"]


def test_a_folder_of_another_tool_has_times_and_names(tmp_path):
    (cell,) = summarise(write(tmp_path / "f", SOLVED)).cells
    assert cell.name == "(1+1) EA_>0 on OneMax, n = 4"
    assert cell.mean.value == 10
    assert cell.max_leaves.value is None
    table = read_ioh(tmp_path / "f").to_pylist()
    assert [row["improvement_evaluations"] for row in table] == [[1, 3, 9], [1], [1, 20]]
    assert [row["run"] for row in table] == [0, 1, 2]


def test_runs_that_gave_up_share_the_least_budget(tmp_path):
    runs = [[(1, 2), (9, 4)], [(1, 1), (5, 3), (12, 2)], [(1, 1), (30, 4)], [(1, 2), (15, 3)]]
    rows = read_ioh(write(tmp_path / "f", runs)).to_pylist()
    assert [(row["outcome"], row["evaluations"], row["fitness"], row["budget"]) for row in rows] == [
        ("optimum", 9, 4, 12), ("budget", 12, 3, 12), ("budget", 12, 1, 12), ("budget", 12, 2, 12),
    ]  # fmt: skip


def test_the_target_is_said_where_nobody_knows_it(tmp_path):
    runs = [[(1, 8.5), (3, 1.25), (9, 0.5)], [(1, 4.0), (6, 0.75)]]
    write(tmp_path / "f", runs, function="Sphere", maximization=False)
    with pytest.raises(BadInput, match="give a target"):
        summarise(tmp_path / "f")
    for target, times in ((1.25, [3, 6]), ("best", [6, 6]), ("0.25n", [9, 6]), ("n", [3, 1])):
        rows = read_ioh(tmp_path / "f", target).to_pylist()
        assert [row["evaluations"] for row in rows] == times
    with pytest.raises(BadInput, match="target = 2m: must be"):
        read_ioh(tmp_path / "f", "2m")
    with pytest.raises(BadInput, match="target = 1e999: must be"):  # infinite
        read_ioh(tmp_path / "f", "1e999")


def test_names_of_others_are_words_and_load_nothing(tmp_path):
    name = "mine.py:plus:c=3, a=%41 \x1b[31m$(x)"
    (cell,) = summarise(write(tmp_path / "f", SOLVED, function="OneMax", algorithm=name)).cells
    assert cell.spec.algorithm.name == "mine.py:plus:c=3, a=%41 \\x1b[31m\\x24(x)"
    again = RunSpec.from_data(**cell.spec.settings)
    assert again == cell.spec
    assert not again.search.is_loaded
    assert RunSpec.from_data(problem=foreign_id("é ü, =:@"), algorithm="gp-single", n=3).problem.name == "é ü, =:@"
    with pytest.raises(BadInput, match="its source is not loaded"):
        again.require_parts()


@pytest.mark.attack
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"scenarios": [{"dimension": 4, "path": "../../secret.dat", "runs": []}]}, "outside of the folder"),
        ({"scenarios": [{"dimension": 0, "path": "x", "runs": []}]}, "dimension as a whole number"),
        ({"scenarios": [{"dimension": 10**12, "path": "x", "runs": []}]}, "n = 1000000000000"),
        ({"scenarios": [{"dimension": 4, "path": "none", "runs": [{"evals": 3}]}]}, "neither its course"),
        ({"scenarios": 3}, "must have a list scenarios"),
        ({"maximization": "yes"}, "whether its function is maximised"),
        ({"algorithm": None}, "must say name"),
        ({"function_name": "x" * 201}, "up to 200 letters"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, change, why):
    folder = write(tmp_path / "f", SOLVED)
    file = folder / "IOHprofiler_f1_OneMax.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(BadInput, match=why):
        summarise(folder)


@pytest.mark.attack
@pytest.mark.parametrize("text", ["1 nan", "0 3", "5 1\n4 2", "x y", "1", f"{2**63} 1", ""])
def test_data_that_cannot_be_is_one_line(tmp_path, text):
    folder = write(tmp_path / "f", SOLVED[:1])
    (folder / "data_f1/IOHprofiler_f1_DIM4.dat").write_text(f"evaluations raw_y\n{text}\n")
    with pytest.raises(BadInput):
        read_ioh(folder)


@pytest.mark.attack
def test_json_that_is_none_is_one_line(tmp_path):
    folder = write(tmp_path / "f", SOLVED)
    for text in ("{", "[]", "[" * 100_000):
        (folder / "IOHprofiler_f1_OneMax.json").write_text(text)
        with pytest.raises(BadInput, match=r"is not JSON|is not what"):
            read_ioh(folder)


def test_the_commands_read_it(tmp_path):
    write(tmp_path / "f", SOLVED)
    assert "(1+1) EA_>0 on OneMax" in command("show", tmp_path / "f").stdout
    assert command("import", tmp_path / "f", "-o", tmp_path / "r.parquet").returncode == 0
    assert command("report", tmp_path / "r.parquet", "-o", tmp_path / "r.html").returncode == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "# no command: these runs were made by another tool" in page
    refused = command("import", tmp_path / "f", "-o", tmp_path / "r.parquet")
    assert refused.returncode == 2
    assert "exists already" in refused.stderr


@pytest.mark.statistical
@pytest.mark.skipif(
    find_spec("ioh") is None and "CI" not in os.environ, reason="needs ioh: ./run test installs it where CI is set"
)
def test_ioh_itself_and_the_law_of_onemax(tmp_path):
    """E[time] of the (1+1) EA on OneMax is e·n·ln n − 1.8925…·n + O(log n) (Hwang et al. 2018)."""
    import ioh

    logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="ea", algorithm_name="(1+1) EA", store_positions=True)
    random = np.random.default_rng(3)
    sizes, runs = (8, 16, 32, 64, 128, 256), 40
    for n in sizes:
        problem = ioh.get_problem("OneMax", 1, n, ioh.ProblemClass.PBO)
        problem.attach_logger(logger)
        for _ in range(runs):
            solve(problem, random, n)
            problem.reset()
        problem.detach_logger()
    logger.close()
    summary = summarise(tmp_path / "ea")
    (curve,) = summary.curves
    for cell in curve.cells:
        expected = math.e * cell.n * math.log(cell.n) - 1.8925417883 * cell.n + math.e / 2 * math.log(cell.n) + 0.59789
        error = cell.deviation / math.sqrt(runs)
        assert abs(cell.mean.value - expected) < 4 * error + 0.5  # the expansion's own rest is below 0.5 here
    assert curve.fit.best.law.id == "n log n"
    assert curve.fit.best.constant.low < math.e < curve.fit.best.constant.high


def solve(problem, random, n):
    """The (1+1) EA with rate 1/n."""
    parent = random.integers(0, 2, n)
    value = problem(parent)
    while value < n:
        child = parent ^ (random.random(n) < 1 / n)
        new = problem(child)
        if new >= value:
            parent, value = child, new
