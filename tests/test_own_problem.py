"""The file of docs/own-problem.md in studies and other processes. (That the page runs as it stands: test_docs.py.)"""

import json
import subprocess
import sys

import pytest

from gpruntime import RunSpec, run_many
from gpruntime.analysis import summarise
from gpruntime.study import BadPlan, Plan, Study, run_study
from gpruntime.study.replay import replay
from gpruntime.study.store import Store
from tests import parts
from tests.docs_help import blocks_of
from tests.study.studies import command


def python(*words, cwd):
    """Another process."""
    return subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the page's file in it."""
    folder = tmp_path_factory.mktemp("own")
    (block,) = [block for block in blocks_of("docs/own-problem.md") if block.title]
    (folder / block.title).write_text(block.text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def two_thirds(folder):
    """The page's first problem, from the file's code."""
    found = {"__name__": "mine"}
    exec(compile((folder / "mine.py").read_text("utf-8"), str(folder / "mine.py"), "exec"), found)
    return found["two_thirds"]


@pytest.mark.processes
def test_a_study_of_it_keeps_its_source_and_is_repeated_from_it(two_thirds, folder):
    plan = Plan.of(problem=[two_thirds, "majority"], algorithm="gp-single", n=[5, 10], budget=10_000, runs=20)
    run_study(plan, folder / "study", workers=2)
    study = Study.load(folder / "study")
    assert len(study) == 80
    own = next(cell for cell in study.plan.cells if cell.spec.problem.is_own)
    assert "3 * plain >= 2 * (plain + bar)" in study.plan.parts[own.spec.problem.id]
    assert replay(study, f"{own.id}:7").equal
    assert "two_thirds" in summarise(study).text()
    script = "from gpruntime.study import Study; from gpruntime.study.replay import replay; import sys;"
    script += "study = Study.load('study'); assert not study.plan.cells[0].spec.problem.is_loaded;"
    script += f"sys.exit(not replay(study, '{own.id}:3', trust=True).equal)"
    done = python("-c", script, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.attack
def test_a_study_of_several_functions_is_read_where_its_problem_is_not_loaded(tmp_path):
    """What a substitution picks by default hangs on the functions: the cells were not found again, all runs lost."""
    own = [parts.wrong_rows, parts.two_thirds, parts.not_parity, parts.colours]
    plan = Plan.of(problem=own, algorithm="gp-single", operator=["hvl", "hvl-prime"], n=[2, 3], budget=50, runs=3)
    (tmp_path / "study").mkdir()
    Store.create(tmp_path / "study", plan)
    told = command("status", tmp_path / "study", "--json")  # in another process
    assert [json.loads(line)["cell"] for line in told.stdout.splitlines()] == [cell.id for cell in plan.cells]


def test_the_same_runs_by_file_and_by_hand(two_thirds, folder):
    by_hand = run_many(RunSpec(problem=two_thirds, algorithm="gp-single", n=20, budget=10**6), seed=1, runs=5)
    by_file = RunSpec(problem=f"{folder}/mine.py:two_thirds", algorithm="gp-single", n=20, budget=10**6)
    assert by_file.cell == by_hand.spec.cell
    assert run_many(by_file, seed=1, runs=5).table.tolist() == by_hand.table.tolist()


def test_a_study_of_floats(tmp_path):
    plan = Plan.of(problem=parts.far_from_pi, algorithm="gp-single", n=[3, 4], budget=40, runs=5, improvements=True)
    run_study(plan, tmp_path / "study", workers=0)
    study = Study.load(tmp_path / "study")
    table = study.table()
    by_hand = [fitness for cell in plan.cells for fitness in run_many(cell.spec, seed=0, runs=5).fitness.tolist()]
    assert table["fitness"].to_pylist() == by_hand
    assert study.sql("SELECT max(fitness) AS most FROM runs")["most"].to_pylist() == [max(by_hand)]
    assert replay(study, f"{plan.cells[0].id}:3").equal
    with pytest.raises(BadPlan, match="has floats as fitness and others have not"):
        Plan.of(problem=[parts.far_from_pi, "order"], algorithm="gp-single", n=3, budget=40, runs=5)
