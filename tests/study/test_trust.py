"""Code that a folder or a plan brings is run on the user's word only, and never to read."""

import re
import shutil
import subprocess
import sys
import textwrap

import pytest

from gpruntime.model.source import digest_of
from gpruntime.study import NotTrusted, Plan, Study, run_study
from gpruntime.study.ledger import sealed
from gpruntime.study.merge import merge
from gpruntime.study.replay import replay
from gpruntime.study.trust import runnable
from tests import parts
from tests.study.studies import command, command_here, rows
from tests.study.test_foreign import state

pytestmark = pytest.mark.attack


def evil_source(marker):
    """A problem whose source does something else besides, as soon as it is executed."""
    return textwrap.dedent(f"""\
        open({str(marker)!r}, "a").close()

        from gpruntime import problem

        @problem(sees="counts", best=lambda n: n)
        def evil(i, plain, bar, n):
            return plain >= max(bar, 1)
    """)


def plan_text(source, problems='["{id}", "order"]', runs=5):
    id_ = f"evil@{digest_of(source)}"
    return (
        f"seed = 1\nproblem = {problems.format(id=id_)}\nalgorithm = 'gp-single'\nn = [3, 4]\nruns = {runs}\n"
        f"budget = 100\n\n[parts]\n\"{id_}\" = '''\n{source}'''\n"
    )


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A finished study of such a problem, made by another process, and where the source leaves its mark."""
    base = tmp_path_factory.mktemp("trust")
    marker = base / "ran"
    script = (
        "import sys; from pathlib import Path; from gpruntime.study import Plan, run_study;"
        "run_study(Plan.from_toml(Path(sys.argv[1]).read_text('utf-8')), sys.argv[2], workers=0, trust=True)"
    )
    (base / "plan.toml").write_text(plan_text(evil_source(marker)), encoding="utf-8")
    words = [sys.executable, "-c", script, str(base / "plan.toml"), str(base / "study")]
    subprocess.run(words, check=True, capture_output=True)
    marker.unlink()
    return base / "study", marker


@pytest.fixture
def folder(foreign, tmp_path):
    return shutil.copytree(foreign[0], tmp_path / "study")


@pytest.fixture
def marker(foreign):
    foreign[1].unlink(missing_ok=True)
    return foreign[1]


def cells(folder):
    """The cells of the problem that the folder brings, and those of ours."""
    plan = Study.load(folder).plan
    own = [cell for cell in plan.cells if cell.spec.problem.is_own]
    return own, [cell for cell in plan.cells if cell not in own]


REFUSED = (
    r"gpruntime: folder \S+: brings code of its own, problem evil@[0-9a-f]{16}: read it in plan.toml, and say --trust"
)


def assert_refused(told, words=REFUSED):
    assert told.returncode == 2, told
    assert told.stdout == ""
    assert re.match(words, told.stderr), told.stderr
    assert told.stderr.count("\n") == 1


def test_a_replay_runs_what_a_folder_brings_on_the_users_word(folder, marker):
    own, ours = cells(folder)
    before = state(folder)
    assert_refused(command_here("replay", folder, "--run", f"{own[0].id}:3"))
    assert not marker.exists()
    told = command_here("replay", folder, "--run", f"{ours[0].id}:3")  # needs none of it
    assert (told.returncode, told.stdout[:5], marker.exists()) == (0, "equal", False)
    told = command("replay", folder, "--run", f"{own[0].id}:3", "--trust")
    assert (told.returncode, told.stdout[:5], marker.exists()) == (0, "equal", True)
    assert state(folder) == before


def test_a_run_runs_what_a_folder_brings_on_the_users_word(folder, marker):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert_refused(command_here("run", folder, "--workers", "0"))  # it is finished
    plan = folder / "plan.toml"
    plan.write_text(plan.read_text("utf-8").replace("runs = 5", "runs = 6"), "utf-8")
    for workers in ("0", "2"):
        assert_refused(command_here("run", folder, "--workers", workers))
    assert not marker.exists()
    changed = {path for path in folder.rglob("*") if path.is_file() and path.read_bytes() != before.get(path)}
    assert changed == {plan}
    told = command("run", folder, "--workers", "0", "--trust", "-q")
    assert (told.returncode, told.stdout, marker.exists()) == (0, "", True)
    assert len(Study.load(folder)) == 4 * 6


def test_a_plan_that_brings_code_is_run_on_the_users_word(tmp_path, marker):
    plan = tmp_path / "plan.toml"
    plan.write_text(plan_text(evil_source(marker)), "utf-8")
    words = r"gpruntime: plan \[parts\]: brings code of its own, problem evil@[0-9a-f]{16}: read it, and say --trust"
    assert_refused(command_here("run", plan, "-o", tmp_path / "new", "--workers", "0"), words)
    assert (marker.exists(), (tmp_path / "new").exists()) == (False, False)
    assert command("run", plan, "-o", tmp_path / "new", "--workers", "0", "--trust", "-q").returncode == 0
    assert marker.exists()


def test_in_python_too(folder, marker):
    own, _ = cells(folder)
    study = Study.load(folder)
    with pytest.raises(NotTrusted, match=r"brings code of its own, problem evil@\w+: read it in plan.toml"):
        replay(study, f"{own[0].id}:3")
    with pytest.raises(NotTrusted):
        run_study(None, folder, workers=0)
    with pytest.raises(NotTrusted, match="plan = "):
        run_study(study.plan, folder, workers=0)
    assert not marker.exists()


def test_to_read_runs_nothing(folder, tmp_path, marker):
    out = tmp_path / "out"
    out.mkdir()
    other = shutil.copytree(folder, tmp_path / "other")
    for words in (
        ["status", folder],
        ["status", folder, "--json"],
        ["show", folder, "--verbose"],
        ["sql", folder, "select count(*) as c from runs"],
        ["export", folder, "--format", "csv", "-o", out / "runs.csv"],
        ["export", folder, "--format", "parquet", "-o", out / "runs.parquet"],
        ["export", folder, "--format", "ioh", "-o", out / "ioh"],
        ["report", folder, "-o", out / "report.html"],
        ["merge", folder, other, "-o", out / "both"],
    ):
        told = command_here(*words)
        assert "Traceback" not in told.stderr
        assert not marker.exists(), words
    merge([folder, other], out / "again")
    assert rows(out / "again").equals(rows(folder))
    assert not marker.exists()


# ---- what is the user's own word already

MINE = """\
from gpruntime import problem


@problem(sees="counts", best=lambda n: n)
def mine(i, plain, bar, n):
    return plain >= max(bar, 1)
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A plan, the file it names, and the study, made by another process."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "mine.py").write_text(MINE, "utf-8")
    keys = "seed = 1\nalgorithm = 'gp-single'\nn = [3, 4]\nruns = 5\nbudget = 100\n"
    (folder / "plan.toml").write_text(f"problem = 'mine.py:mine'\n{keys}", "utf-8")
    assert command("run", folder / "plan.toml", "-o", folder / "study", "--workers", "0", "-q").returncode == 0
    return folder


@pytest.fixture
def own_study(own, tmp_path):
    folder = shutil.copytree(own, tmp_path / "own")
    return folder / "plan.toml", folder / "study"


def test_a_file_that_the_plan_names_is_the_users_word(own_study):
    plan, folder = own_study
    plan.write_text(plan.read_text("utf-8").replace("runs = 5", "runs = 6"), "utf-8")
    told = command("run", plan, "-o", folder, "--workers", "0", "-q")
    assert (told.returncode, told.stdout) == (0, "")
    assert len(Study.load(folder)) == 2 * 6
    assert_refused(command("run", folder), REFUSED.replace("evil", "mine"))
    (plan.parent / "mine.py").write_text(MINE.replace("plain >= max(bar, 1)", "plain > bar"), "utf-8")
    told = command("run", plan, "-o", folder, "--workers", "0", "-q")  # another source is another problem
    assert told.returncode == 2
    assert "holds a study of another plan" in told.stderr


def test_a_part_that_is_in_this_process_is_the_users_word(own_study):
    plan, folder = own_study
    study = Study.load(folder)
    assert not study.plan.cells[0].spec.problem.is_loaded
    Plan.from_file(plan)
    assert replay(study, f"{study.plan.cells[0].id}:3").equal
    assert run_study(None, folder, workers=0).computed == 0


def test_a_plan_toml_that_shows_another_source_is_not_where_to_read_it(own_study, marker):
    """What is run by a replay is in the ledger; the file for reading may say something harmless."""
    _, folder = own_study
    text = plan_text(evil_source(marker), problems='["{id}"]')
    (folder / "ledger").write_bytes(sealed({"study": 1, "schema": 1}) + sealed({"plan": text}))
    (folder / "plan.toml").write_text(text.replace(evil_source(marker), MINE), "utf-8")
    shutil.rmtree(folder / "shards")
    (folder / "shards").mkdir()
    study = Study.load(folder)
    with pytest.raises(NotTrusted, match="read it in ledger"):
        runnable(study.plan, False, folder)


def test_how_to_go_on_names_the_plan_or_says_trust(own_study):
    plan, folder = own_study
    mine = plan.parent / "mine.py"
    mine.write_text(MINE.replace("return ", "assert n < 4\n    return "), "utf-8")
    told = command("run", plan, "-o", folder.parent / "new", "--workers", "0", "-q")
    assert told.returncode == 1
    assert told.stderr.rstrip().endswith(f"to go on: gpruntime study run {plan} -o {folder.parent / 'new'}")
    told = command("run", folder.parent / "new", "--workers", "0", "-q", "--trust")
    assert told.returncode == 1
    assert told.stderr.rstrip().endswith(f"to go on: gpruntime study run {folder.parent / 'new'} --trust")


def test_how_to_repeat_one_of_the_extreme_runs_says_trust(tmp_path):
    plan = Plan.of(problem=parts.two_thirds, algorithm="gp-single", n=3, runs=9, budget=99, store="summaries")
    run_study(plan, tmp_path / "study", workers=0)
    line = command_here("show", tmp_path / "study").stdout.splitlines()[-1]
    assert line.startswith("To repeat one (CELL:RUN, by code that the folder brings): gpruntime study replay ")
    told = command(*line.split("gpruntime study ")[1].split())  # in a process that does not have it
    assert (told.returncode, told.stdout[:5]) == (0, "equal")
