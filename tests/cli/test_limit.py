"""`gpruntime limit` as a command."""

import json

import pytest
from click.testing import CliRunner

from gpruntime.cli.limit import limit
from tests.command_help import gpruntime

AND = ["limit", "--problem", "and", "--algorithm", "gpstar-single", "-n", "8", "--init", "unity:leaves=1"]
STRICT = ["limit", "--problem", "majority", "--algorithm", "gpstar-single", "-n", "6", "--at", "6"]


def test_a_table_runs_and_figures(tmp_path):
    done = gpruntime(*AND, "--at", "8,1e6", "--runs", "50", "-o", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("(1+1) GP*-single on AND, n → ∞, initial tree unity:leaves=1\n")
    assert "  T/(n ln n) tends to 3.0000.\n" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[-13:-8]] == ["8", "16", "32", "64", "128"]
    names = {f"{name}.{kind}" for name in ("limit", "gumbel") for kind in ("svg", "pdf", "png", "csv")}
    assert {file.name for file in tmp_path.iterdir()} == names


def test_json_and_latex():
    record = json.loads(gpruntime(*AND, "--json", "--runs", "50").stdout)
    assert [one["n"] for one in record["compared"]] == [8, 16, 32, 64, 128]
    assert all(abs(one["z"]) < 4 for one in record["compared"])
    assert gpruntime(*AND, "--latex").stdout.startswith(r"\begin{tabular}{rrrrrr}")


def test_runs_that_may_never_end_need_a_budget():
    done = gpruntime(*STRICT, "--runs", "50", "--at", "100")
    assert done.returncode == 2
    assert done.stderr.startswith("gpruntime: --budget None: the mean time is infinite")
    told = gpruntime(*STRICT, "--runs", "50", "--budget", "1e5", "--at", "100").stdout
    assert "P(optimum), by runs of seed 1 and by the limit" in told


def test_nothing_is_printed_before_all_is_known(monkeypatch):
    monkeypatch.setattr("gpruntime.theory.mean_field._MAX_STEPS", 500)  # the limit takes 110, n = 6 more than 500
    done = CliRunner().invoke(limit, STRICT[1:], standalone_mode=False)
    assert "has not come to rest" in str(done.exception)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--at", "1e16"], "--at 10000000000000000: must be at most 1000000000000000"),
        (["--at", "few"], "--at few: must be a whole number, 1 or more"),
        (["--operations", "exactly:k=2"], "--operations exactly:k=2: has no mean field"),
    ],
)
def test_bad_input_is_one_line(words, line):
    done = gpruntime(*AND, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"gpruntime: {line}")
    assert done.stderr.count("\n") == 1
