"""What an earlier version wrote is read, gone on with and made again by this one: studies, links, traces, trees, plans.

`data/earlier.tar.xz` was made by version 0.1.0 (commit b871562), with the commands of its plans' first lines; only
hosts and paths in `provenance.jsonl` were replaced. It is never made again. What that version said of it is in
`data/earlier` and, for tables, in the archive.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shlex
import tarfile
from pathlib import Path
from urllib.parse import parse_qsl

import pyarrow.parquet as pq
import pytest

from gpruntime import RunSpec, run_many
from gpruntime.model.row import NOT_REPEATABLE
from gpruntime.model.spec import DEFAULTS
from gpruntime.model.trace import steps_from_lines
from gpruntime.study import Plan, Study
from gpruntime.watch.choice import choice_of, of_earlier_link
from tests.command_help import gpruntime
from tests.model.test_run import rebuild

DATA = Path(__file__).parent / "data"
STUDIES = ("rows-1", "rows-2", "summaries", "own", "populations")
OF_THE_PAGE = ("versus", "at", "tab", "ns", "runs", "lesson", "part")  # in a link: where the page stands

# Commands whose answer is held to the byte.
ANSWERS = {
    "status-rows.txt": "study status rows-1",
    "status-rows.jsonl": "study status rows-1 --json",
    "status-summaries.txt": "study status summaries",
    "status-own.txt": "study status own",
    "status-populations.jsonl": "study status populations --json",
    "sql-rows.csv": "study sql rows-2 --csv 'select problem, algorithm, outcome, count(*), sum(evaluations) from runs "
    "group by all order by all'",
    "sql-own.jsonl": "study sql own --json 'select * exclude seconds from runs where run < 1 order by cell'",
    "replay-optimum.txt": "study replay rows-1 --run 1e0358b3:0",
    "replay-stuck.txt": "study replay rows-1 --run 8124ca52:2",
    "replay-budget.txt": "study replay rows-1 --run 4a9effee:0",
    "replay-own.txt": "study replay own --run b2b76739:3 --trust",
    "replay-population.txt": "study replay populations --run 1009e41a:1",
    "replay-summaries.txt": "study replay summaries --run 1e0358b3:33",
    "run-1.jsonl": "run --problem order --algorithm gpstar-multi -n 5 --init bad --seed 2 --runs 12 --budget 300 "
    "--poisson-mean 0.5 --json",
    "run-2.jsonl": "run --problem parity --algorithm gp-single --accept parsimony --operations exactly:k=2 "
    "--weights 2,1,0.5 --max-leaves 20 -n 3 --seed 2 --runs 8 --budget 200 --json",
    "run-3.jsonl": "run --problem order --algorithm smo-single --until optimum -n 4 --seed 2 --runs 4 "
    "--budget 200 --json",
}
TRACES = {
    "trace.jsonl": "run --problem order --algorithm gp-multi -n 4 --seed 3 --init @tree.txt --max-leaves 12 "
    "--budget 60",
    "trace-skipping.jsonl": "run --problem majority --algorithm gpstar-single -n 4 --seed 3 --init bad "
    "--method skipping",
}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """The folder that holds it all; no test may change what is in it."""
    folder = tmp_path_factory.mktemp("data")
    with tarfile.open(DATA / "earlier.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "earlier"


@pytest.fixture
def here(earlier, monkeypatch):
    monkeypatch.chdir(earlier)
    return earlier


def answer(words, status=0):
    done = gpruntime(*shlex.split(words))
    assert done.returncode == status, done.stderr
    return done


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_what_it_was(here, name):
    assert answer(ANSWERS[name]).stdout == (DATA / "earlier" / name).read_text("utf-8")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_whole(here, name):
    before = {path: path.stat().st_mtime_ns for path in (here / name).rglob("*")}
    study = Study.load(name)
    assert study.damaged == []
    assert answer(f"study status {name}").stderr == ""
    assert {path: path.stat().st_mtime_ns for path in (here / name).rglob("*")} == before


@pytest.mark.parametrize("name", [name for name in STUDIES if name != "rows-2"])
def test_estimates_are_what_they_were(here, name):
    """But for the ends of intervals, whose methods got better since."""
    told = answer(f"study show {name} --json").stdout.splitlines()
    expected = (here / f"show-{name}.jsonl").read_text("utf-8").splitlines()
    assert len(told) == len(expected)
    for now, then in zip(map(json.loads, told), map(json.loads, expected), strict=True):
        assert now.keys() == then.keys()
        for key, value in then.items():
            if key.endswith(("_low", "_high")):
                continue
            if isinstance(value, float):
                assert math.isclose(now[key], value, rel_tol=1e-9), (key, now["cell"])
            else:
                assert now[key] == value, (key, now["cell"])


@pytest.mark.parametrize("name", ["summaries", "own"])
def test_it_is_shown(here, name):
    assert answer(f"study show {name} --verbose").stdout.count("\n") > 20


def test_it_is_reported(here, tmp_path):
    answer(f"study report own -o {tmp_path}/report.html")


@pytest.mark.parametrize("name", [name for name in STUDIES if name != "summaries"])
def test_its_table_is_what_it_was(here, name, tmp_path):
    answer(f"study export {name} --format csv -o {tmp_path}/runs.csv")
    assert (tmp_path / "runs.csv").read_bytes() == (here / f"{name}.csv").read_bytes()
    answer(f"study export {name} --format parquet -o {tmp_path}/runs.parquet")
    table = pq.read_table(tmp_path / "runs.parquet")
    assert table.num_rows == len(Study.load(name))
    assert table.column_names == (here / f"{name}.csv").read_text().partition("\n")[0].replace('"', "").split(",")


def test_a_folder_for_iohanalyzer_is_what_it_was(here, tmp_path):
    """The same files with as many rows; but no name has a colon now, and the JSON says which runs are stuck."""
    answer(f"study export rows-1 --format ioh -o {tmp_path}/ioh")
    written = [path.relative_to(tmp_path / "ioh") for path in (tmp_path / "ioh").rglob("*") if path.is_file()]
    lines = [f"{path} {(tmp_path / 'ioh' / path).read_text().count(chr(10))}" for path in written]
    earlier = (DATA / "earlier" / "ioh.txt").read_text("utf-8").replace(":", "-").splitlines()
    assert set(map(_without_lines_of_json, lines)) == set(map(_without_lines_of_json, earlier))


def _without_lines_of_json(line):
    return re.sub(r"(?<=\.json) \d+$", "", line)


def test_code_in_a_folder_needs_the_users_word(here):
    done = answer(ANSWERS["replay-own.txt"].removesuffix(" --trust"), status=2)
    assert "--trust" in done.stderr


def test_a_study_is_gone_on_with(earlier, tmp_path, monkeypatch):
    """The other half is computed by this version: the same runs as the earlier one made of it."""
    with tarfile.open(DATA / "earlier.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path / "earlier")
    answer("study run rows-1 --workers 0 -q")
    answer("study merge rows-1 rows-2 -o checked")  # compares the runs that both have
    for name in ("rows-1", "checked"):
        answer(f"study export {name} --format csv -o {name}-whole.csv")
        assert repeatable(Path(f"{name}-whole.csv").read_text()) == repeatable((earlier / "merged.csv").read_text())
    assert answer("study status rows-1").stdout.startswith(
        "rows-1: complete; 456 of 456 runs, 57 of 57 cells complete\n"
    )


def repeatable(text):
    """The rows of a table without what does not come out the same again."""
    return [
        {name: value for name, value in row.items() if name not in NOT_REPEATABLE}
        for row in csv.DictReader(io.StringIO(text))
    ]


def test_halves_are_joined(here, tmp_path):
    answer(f"study merge rows-1 rows-2 -o {tmp_path}/merged")
    answer(f"study export {tmp_path}/merged --format csv -o {tmp_path}/merged.csv")
    assert (tmp_path / "merged.csv").read_bytes() == (here / "merged.csv").read_bytes()


@pytest.mark.parametrize("name", ["rows", "summaries", "own", "populations"])
def test_a_plan_has_the_same_cells(here, name):
    kept = Study.load("rows-1" if name == "rows" else name).plan
    assert Plan.from_file(f"{name}.toml") == kept


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_is_read_and_made_again(here, name, tmp_path):
    lines = (here / name).read_text().splitlines()
    header, footer = json.loads(lines[0])["header"], json.loads(lines[-1])["footer"]
    fields = {key: value for key, value in header.items() if key in DEFAULTS}
    assert str(rebuild(RunSpec.from_data(**fields), header["tree"], list(steps_from_lines(lines)))) == footer["tree"]
    answer(f"{TRACES[name]} --trace {tmp_path}/again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == (here / name).read_text()


def test_a_line_of_a_run_says_its_setting(here):
    """Each is made again from what it says of itself."""
    fields = ["problem", "algorithm", "n", "init", "weights", "poisson_mean", "accept", "operations", "operator"]
    fields += ["substitute", "last_leaf", "max_leaves_allowed", "budget"]
    for line in (here / "runs.jsonl").read_text().splitlines():
        record = json.loads(line)
        given = {name: record[name] for name in fields if record[name] != "dominance"}  # is no rule
        spec = RunSpec.from_data(**given, until=record.get("until", ""))
        (result,) = run_many(spec, seed=record["seed"], runs=[record["run"]], method=record["method"]).results()
        assert result.record() == record


LINKS = [json.loads(line) for line in (DATA / "earlier" / "links.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link["link"])
def test_a_link_asks_for_the_same_run(link):
    assert asked_for(link["link"]) == {key: value for key, value in link.items() if key not in ("link", "tree")}


def asked_for(link):
    """What the page asks the server for when this link is opened: the cell, the address and the limit of the run."""
    words = parse_qsl(link.partition("?")[2] or link.partition("#")[2], keep_blank_values=True)
    rest = [(name, value) for name, value in words if name not in OF_THE_PAGE]
    choice = choice_of(of_earlier_link(rest) if link.startswith("population") else rest)
    return {"cell": choice.spec.cell_id, "budget": choice.spec.budget, "seed": choice.seed, "run": choice.run}
