"""What comes out of a study: tables, SQL, files, the IOHprofiler folder, merged folders, repeated runs."""

import csv
import json
import shutil
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput, run_many
from gpruntime.study import Plan, Study
from gpruntime.study.chunk import Chunk, Part, compute
from gpruntime.study.export import export_csv, export_parquet
from gpruntime.study.ioh import export_ioh
from gpruntime.study.ledger import Ledger
from gpruntime.study.merge import merge
from gpruntime.study.provenance import source_hash
from gpruntime.study.replay import replay
from gpruntime.study.schema import schema
from gpruntime.study.shard import encode
from gpruntime.study.store import Store
from tests.study.studies import command, rows, run_here, small_plan


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "study"
    run_here(small_plan(), folder)
    return folder


@pytest.fixture(scope="module")
def study(folder):
    return Study.load(folder)


# ---- the table


def test_the_table_has_every_field_of_every_run(study):
    table = study.table()
    assert table.schema.equals(schema(True))
    assert table.num_rows == len(study) == 8 * 40
    first = table.slice(0, 1).to_pylist()[0]
    expected = next(run_many(study.plan.cells[0].spec, 3, 1).results()).record()
    assert [expected.pop("weights")] == [[first.pop(f"weight_{kind}") for kind in ("substitute", "insert", "delete")]]
    assert {name: first[name] for name in expected} == expected


def test_columns_can_be_chosen(study):
    assert study.table(["n", "evaluations"]).equals(study.table().select(["n", "evaluations"]))


def test_pandas(study):
    frame = study.to_pandas()
    assert len(frame) == 8 * 40
    assert set(frame.outcome.unique()) == {"optimum", "stuck", "budget"}


def test_an_empty_study_is_an_empty_table(tmp_path):
    tmp_path.joinpath("s").mkdir()
    Store.create(tmp_path / "s", small_plan())
    empty = Study.load(tmp_path / "s")
    assert empty.table().num_rows == 0
    assert empty.sql("select count(*) as runs from runs").to_pylist() == [{"runs": 0}]
    assert [cell.target for cell in empty.progress()] == [40] * 8


# ---- SQL


def test_sql_agrees_with_the_table(study):
    answer = study.sql("select n, avg(evaluations) as mean from runs where outcome = 'optimum' group by n order by n")
    frame = study.to_pandas()
    means = frame[frame.outcome == "optimum"].groupby("n").evaluations.mean()
    assert answer.to_pydict() == {"n": [4, 8], "mean": pytest.approx(means.tolist(), rel=1e-12)}


@pytest.mark.parametrize(
    "query",
    ["copy runs to '{path}'", "select * from read_csv('{path}')", "attach '{path}' as other", "selec",
     "select nothing from runs", "set enable_external_access = true", "insert into runs select * from runs",
     "select * from '{path}'", "install httpfs", "", ";", "drop view runs", "create table a as select 1",
     "select 1; select 2"],
)  # fmt: skip
def test_sql_can_only_read_the_runs(study, tmp_path, query):
    (tmp_path / "file").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="query"):
        study.sql(query.format(path=tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "a,b\n1,2\n"


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
                assert text[name] == " ".join(map(str, value))
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
    monkeypatch.setattr("gpruntime.study.ioh.MOST_INSTANCE", 30)
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


# ---- merging


def test_parts_are_joined_to_the_whole(folder, tmp_path):
    for number in (1, 2):
        run_here(small_plan(), tmp_path / str(number), part=(number, 2))
    merged = merge([tmp_path / "1", tmp_path / "2"], tmp_path / "both")
    assert rows(tmp_path / "both").equals(rows(folder))
    assert {record["folder"] for record in merged.provenance} == {str(tmp_path / "1"), str(tmp_path / "2")}
    assert run_here(None, tmp_path / "both").computed == 0


def test_runs_that_both_have_are_taken_once(folder, tmp_path):
    run_here(small_plan(), tmp_path / "half", part=(1, 2))
    run_here(small_plan(runs=55), tmp_path / "more")
    merge([tmp_path / "half", folder, tmp_path / "more"], tmp_path / "all")
    assert rows(tmp_path / "all").equals(rows(tmp_path / "more"))


def test_studies_that_do_not_fit_are_not_joined(folder, tmp_path):
    run_here(small_plan(seed=9), tmp_path / "other")
    with pytest.raises(BadInput, match="seed"):
        merge([folder, tmp_path / "other"], tmp_path / "both")
    with pytest.raises(BadInput, match="exists already"):
        merge([folder], folder)
    assert not (tmp_path / "both").exists()


def test_plans_are_joined_in_any_order(tmp_path):
    keys = {"problem": "majority", "algorithm": "gp-single", "n": 4}
    for within in (0.5, 0.2):
        run_here(Plan.of(**keys, goal={"mean_within": within, "at_most": 200}), tmp_path / str(within))
    for one, other in (("0.5", "0.2"), ("0.2", "0.5")):
        merge([tmp_path / one, tmp_path / other], tmp_path / f"{one} {other}")
        assert rows(tmp_path / f"{one} {other}").equals(rows(tmp_path / "0.2"))


def test_equal_laws_have_equal_rows_however_they_are_spelt(tmp_path):
    keys = {"problem": "majority", "algorithm": "gp-single", "n": 4, "runs": 3}
    run_here(Plan.of(**keys, weights=[1, 1, 2]), tmp_path / "a")
    run_here(Plan.of(**keys, weights=[3, 3, 6], poisson_mean=2), tmp_path / "b")
    assert rows(tmp_path / "a").equals(rows(tmp_path / "b"))
    assert rows(tmp_path / "a").to_pylist()[0]["weight_insert"] == 0.5
    assert replay(Study.load(tmp_path / "b"), f"{Plan.of(**keys, weights=[1, 1, 2]).cells[0].id}:1").equal


def falsify(folder):
    """Changes one number and writes checksum and entry as if nothing had happened."""
    store = Store(folder)
    name, entry = list(store.ledger.entries.items())[-1]
    path = folder / "shards" / name
    table = pq.read_table(path)
    wrong = pa.array(np.array(table["evaluations"]) + 1)
    table = table.set_column(table.column_names.index("evaluations"), "evaluations", wrong)
    path.unlink()
    store.add(list(entry.pieces), encode(table, list(entry.pieces)))
    return entry


def test_folders_that_disagree_on_a_run_are_not_joined(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    entry = falsify(tmp_path / "copy")
    with pytest.raises(BadInput, match=f"its run {entry.pieces[0].cell}:{entry.pieces[0].first} differs"):
        merge([folder, tmp_path / "copy"], tmp_path / "both")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


# ---- replay


def test_every_kind_of_run_can_be_repeated(study):
    for cell in study.plan.cells:
        found = replay(study, f"{cell.id[:10]}:17")
        assert found.equal
        assert found.row["n"] == cell.spec.n


def test_a_run_that_was_falsified_is_found_out(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    entry = falsify(tmp_path / "copy")
    found = replay(Study.load(tmp_path / "copy"), f"{entry.pieces[0].cell}:{entry.pieces[0].first}")
    assert list(found.differences) == ["evaluations"]
    told = command("replay", tmp_path / "copy", "--run", found.id)
    assert told.returncode == 1
    assert told.stdout.startswith("different: run ")


@pytest.mark.parametrize(
    "id_",
    ["", ":", "zz:1", "1", ":1", "{cell}", "{cell}:x", "{cell}:-1", "{cell}:40", "{cell}:²", "{cell}:99999999999"],
)
def test_runs_that_are_not_there(study, id_):
    with pytest.raises(BadInput, match="run = "):
        replay(study, id_.format(cell=study.plan.cells[0].id))


# ---- the command line


def test_the_commands(folder, tmp_path):
    plan = tmp_path / "plan.toml"
    assert command("new", plan).returncode == 0
    assert command("new", plan).returncode == 2
    assert "complete; 320 of 320 runs" in command("status", folder).stdout
    lines = command("status", folder, "--json").stdout.splitlines()
    assert json.loads(lines[0])["runs"] == 40
    assert command("sql", folder, "select count(*) as c from runs").stdout.split() == ["c", "320"]
    assert command("sql", folder, "select count(*) as c from runs", "--csv").stdout == "c\n320\n"
    assert command("sql", folder, "select count(*) as c from runs", "--json").stdout == '{"c": 320}\n'
    odd = command("sql", folder, "select 1 as a, 2 as a, 'x[/b]' as c from runs limit 1").stdout
    assert [line.split() for line in odd.splitlines()] == [["a", "a", "c"], ["1", "2", "x[/b]"]]
    wide = command("sql", folder, "select sum(evaluations) as s, 'nan'::double as d from runs", "--json").stdout
    assert isinstance(json.loads(wide)["s"], int)
    assert json.loads(wide)["d"] is None
    assert command("export", folder, "--format", "csv", "-o", tmp_path / "x.csv").returncode == 0
    assert command("merge", folder, folder, "-o", tmp_path / "m").returncode == 0
    assert rows(tmp_path / "m").equals(rows(folder))
    assert command("replay", folder, "--run", f"{Study.load(folder).plan.cells[0].id}:0").stdout.startswith("equal")


def test_show_and_report(folder, tmp_path):
    told = command("show", folder)
    assert told.returncode == 0
    assert "320 runs in 8 cells" in told.stdout
    assert "(1+1) GP*-single on MAJORITY" in told.stdout
    assert "nan" not in told.stdout.lower()
    cells = [json.loads(line) for line in command("show", folder, "--json").stdout.splitlines()]
    assert [(cell["n"], cell["runs"]) for cell in cells] == [(4, 40), (8, 40)] * 4
    page = tmp_path / "report.html"
    told = command("report", folder, "-o", page)
    assert told.returncode == 0, told.stderr
    assert "seed = 3" in page.read_text(encoding="utf-8")
    assert command("report", folder, "-o", tmp_path).returncode == 2


def test_show_of_a_study_without_runs(tmp_path):
    (tmp_path / "s").mkdir()
    Store.create(tmp_path / "s", small_plan())
    told = command("show", tmp_path / "s")
    assert (told.returncode, told.stdout) == (0, "No runs yet: there is nothing to estimate.\n")
    assert "not complete: 8 of 8 cells" in told.stderr
    assert command("report", tmp_path / "s", "-o", tmp_path / "empty.html").returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["new", "/nowhere/plan.toml"], "the folder /nowhere does not exist"),
        (["run", "{plan}"], "-o"),
        (["run", "{out}", "-o", "{out}"], "there is no such file or folder"),
        (["run", "{plan}", "-o", "{plan}"], "is a file"),
        (["run", "{plan}", "-o", "{out}", "--cluster", "foo"], "--cluster foo"),
        (["run", "{plan}", "-o", "{out}", "--cluster", "local", "--workers", "0"], "--workers 0"),
        (["run", "{plan}", "-o", "{out}", "--workers", "-1"], "--workers -1"),
        (["run", "{plan}", "-o", "{out}", "--part", "3/2"], "--part 3/2"),
        (["run", "{plan}", "-o", "{out}", "--part", "x"], "--part x"),
        (["run", "{folder}", "-o", "{out}"], "-o"),
        (["status", "{out}"], "is not the folder of a study"),
        (["export", "{folder}", "--format", "xls", "-o", "{out}"], "--format xls: must be one of csv, parquet, ioh"),
        (["export", "{folder}", "--format", "csv", "-o", "/nowhere/x"], "does not exist"),
        (["sql", "{folder}", "select"], "query select"),
        (["sql", "{folder}", "select 1", "--csv", "--json"], "--json"),
        (["replay", "{folder}", "--run", "x"], "--run x"),
    ],
)
def test_bad_input_is_one_line(folder, tmp_path, words, said):
    (tmp_path / "plan.toml").write_text(small_plan().text)
    places = {"plan": tmp_path / "plan.toml", "out": tmp_path / "out", "folder": folder}
    told = command(*(word.format(**places) for word in words))
    assert told.returncode == 2
    assert len(told.stderr.splitlines()) == 1
    assert said in told.stderr
    assert Ledger.read(folder).damaged == []
    assert not (tmp_path / "out").exists()


def test_a_part_says_how_to_go_on_as_a_part(tmp_path):
    run_here(small_plan(), tmp_path / "a part", part=(1, 2))
    told = command("status", tmp_path / "a part").stdout
    assert f"to go on: gpruntime study run '{tmp_path / 'a part'}' --part 1/2" in told


def test_a_bad_plan_is_one_line_for_each_problem(tmp_path):
    (tmp_path / "plan.toml").write_text('problem = "odor"\nalgorithm = "gp-single"\nn = 0\nruns = 3\n')
    told = command("run", tmp_path / "plan.toml", "-o", tmp_path / "out")
    assert told.returncode == 2
    assert [line.split(" = ")[0] for line in told.stderr.splitlines()] == ["gpruntime: problem", "gpruntime: n"]
    assert not (tmp_path / "out").exists()
