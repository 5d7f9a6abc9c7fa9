import json
import os
import re
import subprocess
import sys
import time

import pytest

from gpruntime import PROBLEMS, RunSpec, run_many, simulate
from gpruntime.model.trace import steps_from_lines
from tests.command_help import gpruntime

COMMON = ["--problem", "majority", "--algorithm", "gp-single", "-n", "4"]


def test_a_result_in_words():
    words = ["run", "--problem", "majority", "--algorithm", "gpstar-single", "-n", "20", "--seed", "1"]
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=20)
    for more, result in (
        (["--method", "stepping"], simulate(spec, seed=1)),
        ([], next(run_many(spec, seed=1).results())),
    ):
        done = gpruntime(*words, *more)
        assert done.returncode == 0
        assert done.stderr == ""
        assert done.stdout.startswith("(1+1) GP*-single on MAJORITY, n = 20, initial tree unity, seed 1\n")
        assert f"evaluations  {result.evaluations:,}\n" in done.stdout
        assert f"outcome      {result.outcome}" in done.stdout


def test_the_first_line_names_all_that_is_not_usual():
    more = ["--weights", "1,2,1", "--substitute", "nodes", "--last-leaf", "empty", "--max-leaves", "60"]
    line = gpruntime("run", *COMMON, *more).stdout.splitlines()[0]
    changed = "weights substitute 1, insert 2, delete 1, substitution at nodes, last leaf empty, at most 60 leaves"
    assert line == f"(1+1) GP-single on MAJORITY, n = 4, initial tree unity, {changed}, seed 0"


@pytest.mark.attack
@pytest.mark.parametrize(
    ("problem", "n", "told"),
    [("parity", "4", "(best 0, smaller is better)"), ("regression", "4", "(best 0.0, smaller is better)")],
)
def test_a_fitness_that_is_to_be_small(problem, n, told):
    done = gpruntime("run", "--problem", problem, "--algorithm", "gp-single", "-n", n, "--budget", "3")
    assert done.returncode == 0
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("  fitness")]
    assert line.endswith(told)
    assert float(line.split()[1]) > 0


def test_json_lines_have_the_fixed_names_and_the_models_numbers():
    done = gpruntime("run", *COMMON, "--seed", "5", "--runs", "3", "--json")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    for record in records:
        names = ", ".join(list(record)[:11])
        assert names == "problem, algorithm, n, init, seed, run, outcome, evaluations, fitness, leaves, max_leaves"
    spec = RunSpec(problem="majority", algorithm="gp-single", n=4)
    assert records == [simulate(spec, seed=5, run=run).record() for run in range(3)]


def test_the_same_lines_for_any_number_of_workers():
    for form in (["--json"], []):
        words = ["run", *COMMON, "--runs", "90", *form, "--workers"]
        one, three, all_ = (gpruntime(*words, workers).stdout for workers in ("1", "3", "-1"))
        assert one == three == all_
        assert one.count("\n") == (90 if form else 26)
    refused = gpruntime("run", *COMMON, "--workers", "0")
    assert (refused.returncode, refused.stderr) == (
        2,
        "gpruntime: --workers 0: must be a whole number, 1 or more, or -1 for all cores\n",
    )


def test_many_runs_are_a_table_and_nothing_is_hidden():
    done = gpruntime(
        "run", "--problem", "majority", "--algorithm", "gpstar-single", "-n", "3", "--init", "tlopt", "--runs", "25"
    )
    assert "25 stuck" in done.stdout
    assert re.fullmatch(r"mean time: infinite, \d+ of \d+ runs never end", done.stdout.splitlines()[-1])
    assert "and 5 more" in done.stdout
    done = gpruntime(
        "run", "--problem", "order", "--algorithm", "gp-single", "-n", "9", "--budget", "60", "--runs", "40"
    )
    assert "that reached it" in done.stdout
    assert re.fullmatch(r"mean time: unknown, \d+ of 40 runs were stopped by the budget", done.stdout.splitlines()[-1])
    done = gpruntime("run", *COMMON, "--runs", "40")
    times = run_many(RunSpec(problem="majority", algorithm="gp-single", n=4), seed=0, runs=40).mean_time()
    assert done.stdout.splitlines()[-1] == f"mean time: {times}"


def test_draw(tmp_path):
    done = gpruntime("run", *COMMON, "--init", "(x1 (x2 (x3 x4)))", "--draw")
    assert done.stdout.endswith("J\n├── x1 *\n└── J\n    ├── x2 *\n    └── J\n        ├── x3 *\n        └── x4 *\n")


def test_initial_trees_by_size_and_from_a_file(tmp_path):
    (tmp_path / "tree").write_text("(x1 (x2 (x3 x4)))\n", encoding="utf-8")
    done = gpruntime("run", *COMMON, "--init", "@tree", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["init"] == "(x1 (x2 (x3 x4)))"
    done = gpruntime("run", *COMMON, "--init", "unity:leaves=4n", "--json")
    assert done.stdout == gpruntime("run", *COMMON, "--init", "unity:leaves=16", "--json").stdout
    done = gpruntime("run", *COMMON, "--init", "@nowhere", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "gpruntime: --init @nowhere: there is no such file\n")


def test_trace_is_whole_or_not_there(tmp_path):
    file = tmp_path / "trace.jsonl"
    done = gpruntime("run", *COMMON, "--runs", "2", "--trace", str(file), "--json")
    evaluations = [json.loads(line)["evaluations"] for line in done.stdout.splitlines()]
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(list(steps_from_lines(lines))) == sum(evaluations) - 2
    assert [path.name for path in tmp_path.iterdir()] == ["trace.jsonl"]


def test_a_trace_goes_to_a_file_or_to_an_open_stream(tmp_path):
    """Links and pipes are refused by name; what the shell has opened already is written to."""
    (tmp_path / "real.jsonl").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("real.jsonl")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        done = gpruntime("run", *COMMON, "--trace", str(tmp_path / name))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"is a {name}" in done.stderr
    assert (tmp_path / "real.jsonl").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "real.jsonl"]
    assert gpruntime("run", *COMMON, "--trace", "/dev/stderr").stderr.startswith('{"header"')


@pytest.mark.processes
def test_a_terminated_command_leaves_nothing_behind(tmp_path):
    words = ["run", "--problem", "order", "--algorithm", "gp-single", "-n", "300", "--runs", "1000"]
    command = [sys.executable, "-m", "gpruntime", *words, "--trace", str(tmp_path / "t.jsonl")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not any(path.stat().st_size for path in tmp_path.iterdir()):
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip() == "gpruntime: interrupted"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.processes
def test_odd_output_streams():
    """No output at all, one that cannot show our signs, and one whose reader goes away."""
    command = f"{sys.executable} -m gpruntime run {' '.join(COMMON)}"
    for shell in (
        f"{command} >&-",
        f"PYTHONIOENCODING=cp1252 {command} --draw",
        f"{command} --json --runs 9999 | head -1",
    ):
        done = subprocess.run(["sh", "-c", shell], capture_output=True, timeout=60)
        assert b"Traceback" not in done.stderr, shell
        assert done.returncode == 0, shell


def test_too_large_for_the_memory():
    limited = f"ulimit -v 3000000; {sys.executable} -m gpruntime run {' '.join(COMMON)} -n 400000000"
    done = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("gpruntime: out of memory")
    assert done.stderr.count("\n") == 1


@pytest.mark.processes
def test_a_full_disk_leaves_nothing_behind(tmp_path):
    """A limit on the size of files stands for the full disk."""
    script = (
        "import resource, runpy, sys, signal;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "sys.argv = ['gpruntime'] + sys.argv[1:];"
        "runpy.run_module('gpruntime', run_name='__main__')"
    )
    words = ["run", "--problem", "order", "--algorithm", "gp-single", "-n", "20", "--trace", str(tmp_path / "t.jsonl")]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("gpruntime: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


BAD = [
    (["-n", "0"], "-n 0: must be a whole number, 1 or more"),
    (["-n", "-3"], "-n -3: must be a whole number, 1 or more"),
    (["-n", "four"], "-n four: must be a whole number"),
    (["-n", "1" * 5000], "-n 1111"),
    (["--init", "((x1 x2"], "--init ((x1 x2: at character 8: expected 2 more )"),
    (["--init", "(x1 x9)"], "--init (x1 x9): x9 does not fit n = 4"),
    (["--init", "untiy"], "did you mean unity?"),
    (
        ["--problem", "magority"],
        f"--problem magority: must be one of {', '.join(PROBLEMS)} or FILE.py:NAME; did you mean majority?",
    ),
    (["--algorithm", "gpstar-singl"], "did you mean gpstar-single?"),
    (["--budget", "-1"], "--budget -1: must be a whole number, 1 or more"),
    (["--weights", "0,0,0"], "--weights 0,0,0: must be three non-negative numbers, not all zero"),
    (["--weights", "1,x,1"], "--weights 1,x,1: must be three non-negative numbers"),
    (["--max-leaves", "2"], "--max-leaves 2: must be a whole number, 4 or more"),
    (["--seed", "-1"], "--seed -1: must be a whole number, 0 or more"),
    (["--seed", str(2**63)], "must be at most"),
    (["--runs", "0"], "--runs 0: must be a whole number, 1 or more"),
    (["--trace", "/nowhere/at/all"], "--trace /nowhere/at/all: the folder /nowhere/at does not exist"),
    (["--trace", "/"], "--trace /: is a folder"),
    (["--json", "--draw"], "a drawing is not JSON"),
    (["--bugdet", "3"], "no such option: --bugdet; did you mean --budget?"),
    (["--poisson-mean", "nan"], "--poisson-mean nan: must be a number"),
    (["--operator", "hlv"], "did you mean hvl?"),
    (["--method", "skipping"], "--method skipping: needs an algorithm that accepts improvements only"),
    (["--method", "steping"], "did you mean stepping?"),
    (["--init", "unity:leaves=" + "9" * 5000], "takes leaves=M"),
    (["-n", "１２"], "must be a whole number"),
    (["-n", "10,000"], "-n 10,000: must be a whole number"),
    (["-n", "1.5e0"], "-n 1.5e0: must be a whole number"),
    (["--n", "100"], "no such option: --n; did you mean -n?"),
    (["--max-leaves", "no"], "--max-leaves no: must be a whole number"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_bad_input_is_one_line_and_status_2(words, message):
    done = gpruntime("run", *COMMON, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_missing_words():
    assert gpruntime("run").returncode == 2
    assert gpruntime("rum").returncode == 2
    assert "Usage: gpruntime" in gpruntime().stdout
    assert gpruntime("run", "--help").returncode == 0


@pytest.mark.processes
@pytest.mark.parametrize("words", ["2>&-", "--draw 2>&-", "--runs 50 2>&-", "--trace {file} 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, words):
    command = f"{sys.executable} -m gpruntime run {' '.join(COMMON)} {words.format(file=tmp_path / 't.jsonl')}"
    assert subprocess.run(["sh", "-c", command], stdout=subprocess.DEVNULL, timeout=60).returncode == 0
    for file in tmp_path.iterdir():  # nothing of ours was written into it instead
        assert all(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


@pytest.mark.processes
@pytest.mark.parametrize(
    "words", ["run {common} --json --runs 20000", "run {common} --draw --runs 5000", "paper --list"]
)
def test_a_reader_who_has_seen_enough_is_no_failure(words):
    """The status is the command's own, not that of the pipe's end."""
    command = f"{sys.executable} -m gpruntime {words.format(common=' '.join(COMMON))}"
    piped = ["bash", "-c", f"{command} | head -c 1; exit ${{PIPESTATUS[0]}}"]
    done = subprocess.run(piped, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
