"""What would go on without an end is refused in one line."""

import os
from pathlib import Path

import pytest

from gpruntime import RunSpec
from gpruntime.exact import solve
from tests.command_help import gpruntime

SETTING = ["--problem", "majority", "--algorithm", "gpstar-single"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["exact", *SETTING, "-n", "3", "--at", "5,10000000"], "--at 10000000"),
        (["run", *SETTING, "-n", "10000000", "--draw"], "--draw at n = 10000000"),
        (["study", "run", "/dev/zero", "-o", "{folder}"], "plan = /dev/zero: is a device; give a file"),
        (["study", "run", "/dev/urandom", "-o", "{folder}"], "plan = /dev/urandom: is a device; give a file"),
        (["study", "run", "{pipe}", "-o", "{folder}"], "is a pipe; give a file"),
    ],
)  # fmt: skip
def test_one_line(tmp_path, words, told):
    os.mkfifo(tmp_path / "pipe")
    done = gpruntime(*(word.format(folder=tmp_path / "s", pipe=tmp_path / "pipe") for word in words))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert told in done.stderr


def test_a_stream_without_an_end(tmp_path):
    with Path("/dev/zero").open("rb") as zeros:
        done = gpruntime("study", "run", "/dev/stdin", "-o", str(tmp_path / "s"), stdin=zeros)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "has more than 50 MB: that is no plan" in done.stderr


def test_a_plan_may_come_from_a_pipe(tmp_path):
    plan = 'problem = "order"\nalgorithm = "gp-single"\nn = 2\nruns = 3\n'
    done = gpruntime("study", "run", "/dev/stdin", "-o", str(tmp_path / "s"), "--workers", "0", input=plan)
    assert done.returncode == 0, done.stderr
    assert "3 runs computed" in done.stdout


def test_a_quantile_that_is_far_away_is_not_looked_for():
    """A chain of few states takes as long for a step as its overhead, however few products that is."""
    times = solve(RunSpec(problem="majority", algorithm="gpstar-single", n=2)).times
    assert 10**10 // times.work_per_evaluation <= 500_000
