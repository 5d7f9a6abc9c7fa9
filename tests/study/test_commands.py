"""The command line of studies: what each command says, and that bad input is one line."""

import json

import pytest

from gpruntime.study import Study
from gpruntime.study.ledger import Ledger
from gpruntime.study.store import Store
from tests.study.studies import command_here as command
from tests.study.studies import rows, run_here, small_plan


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
    assert json.loads(wide)["d"] == "nan"
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
    page, one_curve = tmp_path / "report.html", tmp_path / "study"
    run_here(small_plan(problem="order", algorithm="gp-single"), one_curve)
    told = command("report", one_curve, "-o", page)
    assert told.returncode == 0, told.stderr
    assert "seed = 3" in page.read_text(encoding="utf-8")
    assert command("report", one_curve, "-o", tmp_path).returncode == 2


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
        (["run", "{plan}", "-o", "{out}", "--workers", "-2"], "--workers -2"),
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
