"""Files written from a study: CSV, Parquet, the IOHprofiler folder."""

import csv
import json
import os
import tomllib
import warnings
from importlib.util import find_spec

import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput, run_many
from gpruntime.model import part
from gpruntime.study import NotTrusted, Plan, Study
from gpruntime.study import plan as plan_module
from gpruntime.study.chunk import Chunk, Part, compute
from gpruntime.study.export import export_csv, export_parquet
from gpruntime.study.ioh import export_ioh
from gpruntime.study.plan_text import toml_of
from gpruntime.study.provenance import source_hash
from gpruntime.study.store import Store
from tests.parts import missing, small_losses, two_thirds
from tests.study.studies import run_here, small_plan

# ---- files


def test_parquet_is_the_table(study, tmp_path):
    export_parquet(study, tmp_path / "runs.parquet")
    back = pq.read_table(tmp_path / "runs.parquet")
    assert back.to_pylist() == study.table().to_pylist()


def test_csv_is_the_table(study, tmp_path):
    export_csv(study, tmp_path / "runs.csv")
    with (tmp_path / "runs.csv").open(encoding="utf-8", newline="") as file:
        back = list(csv.DictReader(file))
    table = study.table().to_pylist()
    assert len(back) == len(table)
    for text, row in zip(back, table, strict=True):
        for name, value in row.items():
            if isinstance(value, list):
                assert [type(one)(word) for word, one in zip(text[name].split(" "), value, strict=True)] == value
            elif isinstance(value, float):
                assert float(text[name]) == value
            else:
                assert text[name] == ("" if value is None else str(value))


@pytest.mark.parametrize("export", [export_csv, export_parquet, export_ioh])
def test_exports_overwrite_nothing(study, tmp_path, export):
    target = tmp_path / "there"
    target.write_text("mine")
    with pytest.raises(BadInput, match="exists already"):
        export(study, target)
    assert target.read_text() == "mine"


@pytest.mark.parametrize("export", [export_csv, export_parquet, export_ioh])
def test_an_export_that_fails_leaves_nothing(study, tmp_path, export, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Study, "rows", fail)
    with pytest.raises(OSError, match="No space"):
        export(study, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# ---- the IOHprofiler folder


@pytest.mark.skipif(
    find_spec("iohinspector") is None and "CI" not in os.environ,
    reason="needs iohinspector, which brings 310 MB along: ./run test installs it where CI is set",
)
def test_iohinspector_reads_what_we_write(study, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import iohinspector

    export_ioh(study, tmp_path / "ioh")
    manager = iohinspector.DataManager()
    manager.add_folder(str(tmp_path / "ioh"))
    data = manager.load(monotonic=False, include_meta_data=True)
    frame = study.to_pandas()
    assert data["data_id"].n_unique() == 8 * 40
    for (problem, algorithm, n), cell in frame.groupby(["problem", "algorithm", "n"], observed=True):
        mine = data.filter(
            (data["function_name"] == problem.upper())
            & (data["algorithm_name"] == algorithm)
            & (data["dimension"] == n)
        )
        runs = mine.group_by("data_id", maintain_order=True).max()
        assert runs["evaluations"].to_list() == cell.evaluations.tolist()
        assert runs["raw_y"].to_list() == cell.fitness.tolist()
        assert len(mine.filter(mine["evaluations"] == 1)) == 40


def test_the_format_has_one_first_row_and_a_last_row_for_each_run(study, tmp_path):
    export_ioh(study, tmp_path / "ioh")
    described = json.loads((tmp_path / "ioh/gpstar-single/IOHprofiler_f2_MAJORITY.json").read_text())
    for scenario in described["scenarios"]:
        text = (tmp_path / "ioh/gpstar-single" / scenario["path"]).read_text()
        blocks = [block.split("\n")[1:-1] for block in text.split("evaluations")[1:]]
        assert len(blocks) == len(scenario["runs"]) == 40
        for block, run in zip(blocks, scenario["runs"], strict=True):
            times = [int(line.split(" ")[0]) for line in block]
            assert times[0] == 1
            assert times == sorted(set(times))
            assert times[-1] == run["evals"]
            assert set(run["best"]) == {"evals", "y", "x"}


def test_improvements_that_were_not_kept_are_found_again(study, tmp_path):
    run_here(small_plan(improvements=False), tmp_path / "plain")
    export_ioh(study, tmp_path / "a")
    export_ioh(Study.load(tmp_path / "plain"), tmp_path / "b")
    for path in (tmp_path / "a").rglob("*.dat"):
        assert path.read_text() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_text()


def test_trees_that_look_alike_are_two_algorithms(tmp_path):
    start = "((((((((((((((((((x1 x2) x3) x4) x1) x2) x3) x4) x1) x2) x3) x4) x1) x2) x3) x4) x1) x2)"
    plan = Plan.of(problem="order", algorithm="gp-single", n=5, init=[f"{start} x3)", f"{start} x4)"], runs=3)
    run_here(plan, tmp_path / "s")
    export_ioh(Study.load(tmp_path / "s"), tmp_path / "ioh")
    assert len(list((tmp_path / "ioh").iterdir())) == 2
    assert len(list((tmp_path / "ioh").rglob("*.dat"))) == 2


def test_instances_stay_within_the_format(study, tmp_path, monkeypatch):
    monkeypatch.setattr("gpruntime.study.ioh.MAX_INSTANCE", 30)
    export_ioh(study, tmp_path / "ioh")
    described = json.loads((tmp_path / "ioh/gp-single/IOHprofiler_f1_ORDER.json").read_text())
    assert [run["instance"] for run in described["scenarios"][0]["runs"]] == [*range(1, 31), *range(1, 11)]


def test_cells_without_runs_have_no_files(tmp_path):
    plan = small_plan()
    (tmp_path / "s").mkdir()
    store = Store.create(tmp_path / "s", plan)
    computed = compute(Chunk((Part(plan.cells[0].spec, 0, 3),), 3, "auto", True, 9.0, source_hash()))
    store.add(computed.pieces, computed.content)
    export_ioh(Study.load(tmp_path / "s"), tmp_path / "ioh")
    assert len(list((tmp_path / "ioh").rglob("*.dat"))) == 1


def test_sizes_beyond_the_format_are_refused(tmp_path):
    run_here(Plan.of(problem="majority", algorithm="gp-single", n=40_000, runs=1, budget=1), tmp_path / "s")
    with pytest.raises(BadInput, match="40000"):
        export_ioh(Study.load(tmp_path / "s"), tmp_path / "ioh")


OWN = {"seed": 3, "algorithm": "gp-single", "n": [4, 6], "init": "unity:leaves=1", "runs": 8, "budget": 60}


def forget_parts(monkeypatch):
    """As in a process that has only the study's folder."""
    monkeypatch.setattr(part.Part, "_live", {})
    plan_module.Plan.from_toml.cache_clear()


def described(folder):
    """What the JSON files say, by the name of the function, which for one's own is before its digest."""
    found = [json.loads(path.read_text()) for path in folder.rglob("*.json")]
    return {one["function_name"].partition("@")[0]: one for one in found}


def blocks(folder, one):
    """The rows of all runs, as numbers, by run."""
    for scenario in one["scenarios"]:
        (path,) = folder.rglob(scenario["path"])
        for text in path.read_text().split("evaluations raw_y leaves\n")[1:]:
            yield [tuple(map(float, line.split(" "))) for line in text.splitlines()]


@pytest.mark.attack
@pytest.mark.parametrize("improvements", [True, False])
@pytest.mark.parametrize("accept", [None, small_losses])
def test_the_format_says_what_is_maximised(tmp_path, monkeypatch, improvements, accept):
    """Of problems of ours and of one's own, whose source is in the study alone; best is the best by that."""
    problems = ["and", "sorting:measure=run", "majority", missing, two_thirds]
    run_here(Plan.of(**OWN, problem=problems, improvements=improvements, accept=accept), tmp_path / "s")
    forget_parts(monkeypatch)
    study = Study.load(tmp_path / "s")
    assert not all(cell.spec.problem.is_loaded for cell in study.plan.cells)
    with pytest.raises(NotTrusted, match=r"brings code of its own, .*missing@[0-9a-f]+"):
        export_ioh(study, tmp_path / "ioh")
    assert not (tmp_path / "ioh").exists()
    export_ioh(study, tmp_path / "ioh", trust=True)
    found = described(tmp_path / "ioh")
    assert {name: one["maximization"] for name, one in found.items()} == {
        "AND": False,
        "SORTING:MEASURE=RUN": False,
        "MAJORITY": True,
        "MISSING": False,
        "TWO_THIRDS": True,
    }
    for one in found.values():
        best_of = max if one["maximization"] else min
        runs = [run for scenario in one["scenarios"] for run in scenario["runs"]]
        assert len(runs) == 16
        for run, rows in zip(runs, blocks(tmp_path / "ioh", one), strict=True):
            best = best_of(y for _, y, _ in rows)
            assert run["best"] == {"evals": min(t for t, y, _ in rows if y == best), "y": best, "x": []}


@pytest.mark.attack
def test_floats_in_the_format(tmp_path):
    plan = Plan.of(problem="regression", algorithm="gp-single", n=4, runs=5, budget=50, improvements=True)
    run_here(plan, tmp_path / "s")
    export_ioh(Study.load(tmp_path / "s"), tmp_path / "ioh")
    (one,) = described(tmp_path / "ioh").values()
    assert one["maximization"] is False
    last = [rows[-1][1] for rows in blocks(tmp_path / "ioh", one)]
    assert last == Study.load(tmp_path / "s").table(["fitness"])["fitness"].to_pylist()


@pytest.mark.attack
def test_a_study_without_the_source_of_its_parts(tmp_path, monkeypatch):
    run_here(Plan.of(**OWN, problem=missing), tmp_path / "s")
    study = Study.load(tmp_path / "s")
    forget_parts(monkeypatch)
    keys = {**tomllib.loads(study.plan.text)}
    del keys["parts"]
    bare = Study(study.folder, Plan.from_toml(toml_of(keys)), study.entries, [])
    with pytest.raises(BadInput, match=r"problem = missing@[0-9a-f]+: the study has no source of it"):
        export_ioh(bare, tmp_path / "ioh")
    assert not (tmp_path / "ioh").exists()


@pytest.mark.attack
@pytest.mark.parametrize("improvements", [True, False])
def test_floats_in_files_and_tables(tmp_path, improvements):
    """Of a problem of ours that has floats as fitness."""
    plan = Plan.of(problem="regression", algorithm="gp-single", n=[4, 5], runs=5, budget=50, improvements=improvements)
    run_here(plan, tmp_path / "s")
    study = Study.load(tmp_path / "s")
    rows = study.table().to_pylist()
    assert [row["fitness"] for row in rows] == [
        fitness for cell in plan.cells for fitness in run_many(cell.spec, seed=0, runs=5).fitness.tolist()
    ]
    assert any(row["fitness"] % 1 for row in rows)
    test_parquet_is_the_table(study, tmp_path)
    test_csv_is_the_table(study, tmp_path)
    assert study.sql("select fitness from runs order by n, run")["fitness"].to_pylist() == [
        row["fitness"] for row in rows
    ]
    assert study.to_pandas().fitness.tolist() == [row["fitness"] for row in rows]
