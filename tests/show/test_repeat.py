"""The lines that say how to repeat a number can be typed as they stand, also where a part is user-defined."""

import json
import re
import shlex

import pytest

from gpruntime import RunSpec, problem, run_many
from gpruntime.analysis import summarise
from gpruntime.show.repeat import commands
from tests.command_help import gpruntime
from tests.study.studies import command

pytestmark = pytest.mark.attack

FILE = """\
from gpruntime import Search, acceptance, problem


@problem(sees="counts", best=lambda n: n, parameters={"c": 2})
def plus(i, plain, bar, n, c):
    return plain >= bar + c


@acceptance
def rule(gain, growth):
    return gain > 0 or (gain == 0 and growth <= 0)


class TwoPlusOne(Search):
    def start(self):
        self.population = [self.evaluate(self.initial()) for _ in range(2)]

    def step(self):
        child = self.evaluate(self.mutate(self.choose(self.population).tree))
        worst = min(self.population, key=lambda member: member.score)
        if child.score >= worst.score:
            self.population[self.population.index(worst)] = child
"""


@problem(sees="counts", best=lambda n: n)
def of_a_notebook(i, plain, bar, n):
    return plain >= max(bar, 1)


def line_of(columns, study=None):
    (cell,) = summarise(columns).cells
    (line,) = commands(cell, study)
    return line


@pytest.mark.parametrize(
    "keys",
    [
        {"problem": "{file}:plus"},
        {"problem": "{file}:plus:c=3"},
        {"problem": "order", "accept": "{file}:rule"},
        {"problem": "order", "search": "{file}:TwoPlusOne"},
    ],
)
def test_a_part_of_a_file_is_named_by_its_file(tmp_path, monkeypatch, keys):
    (tmp_path / "mine.py").write_text(FILE, "utf-8")
    monkeypatch.chdir(tmp_path)
    keys = {name: value.format(file="mine.py") for name, value in keys.items()}
    columns = run_many(RunSpec(**keys, algorithm="gp-single", n=3, budget=200), seed=2, runs=4)
    line = line_of(columns, study="a study")
    assert "@" not in line
    assert "mine.py:" in line
    done = gpruntime(*shlex.split(line)[1:])
    assert done.returncode == 0, done.stderr
    evaluations = [json.loads(run)["evaluations"] for run in done.stdout.splitlines()]
    assert evaluations == columns.evaluations.tolist()


def test_a_part_that_is_in_no_file_is_not_given_a_command_that_cannot_work():
    columns = run_many(RunSpec(problem=of_a_notebook, algorithm="gp-single", n=3, budget=200), seed=2, runs=4)
    line = line_of(columns)
    assert line.startswith(f"# no command: problem {columns.spec.problem.id} is in no file that is known here.")
    assert "run_many(…, seed=2, runs=4, method='stepping')" in line


def test_the_report_of_a_study_says_how_to_repeat_runs_of_its_own_problem(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE, "utf-8")
    (tmp_path / "plan.toml").write_text(
        "seed = 2\nproblem = ['mine.py:plus', 'order']\nalgorithm = 'gp-single'\nn = 3\nruns = 4\nbudget = 100\n",
        "utf-8",
    )
    assert command("run", "plan.toml", "-o", "a study", "--workers", "0", "-q").returncode == 0
    assert command("report", "a study", "-o", "report.html").returncode == 0
    page = (tmp_path / "report.html").read_text("utf-8").replace("&#39;", "'")
    lines = re.findall(r"<pre>(gpruntime .*)</pre>", page)
    assert [line.split()[1:3] for line in lines] == [["run", "--problem"], ["study", "replay"]]
    assert "<code>--trust</code> lets the code in the study's folder run" in page
    for line in lines:
        done = gpruntime(*shlex.split(line)[1:])
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("equal: run " if "replay" in line else "{")
