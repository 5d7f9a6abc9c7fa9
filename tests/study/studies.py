"""What the tests of studies share."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa

from gpruntime.model.row import NOT_REPEATABLE
from gpruntime.study import Listener, Plan, Study, StudyReport, run_study
from tests.command_help import gpruntime

BIG = {
    "seed": 5,
    "problem": ["order", "majority"],
    "algorithm": ["gp-single", "gpstar-single"],
    "n": [50, 100, 200, 400],
    "runs": 250,
    "improvements": True,
}


def small_plan(**keys: object) -> Plan:
    """Two curves, eight cells, some stuck runs and some stopped by the budget; a second of work."""
    defaults = {
        "seed": 3,
        "problem": ["order", "majority"],
        "algorithm": ["gp-single", "gpstar-single"],
        "n": [4, 8],
        "runs": 40,
        "budget": 500,
        "improvements": True,
    }
    return Plan.of(**{**defaults, **keys})


def run_here(plan: Plan | None, folder: Path, **keys: object) -> StudyReport:
    """Runs a study in this process; what is noticed must be expected by the test."""
    notices: list[str] = []
    report = run_study(plan, folder, workers=0, listener=Listener(notices.append), **keys)
    assert notices == report.found or notices[: len(notices) - len(report.found)], notices
    return report


def rows(folder: Path) -> pa.Table:
    """A study's table without what cannot be repeated."""
    return Study.load(folder).table().drop_columns(list(NOT_REPEATABLE))


def command(*words: str | Path, **keys: object) -> subprocess.CompletedProcess[str]:
    """`gpruntime study WORDS` as a process of its own."""
    return gpruntime("study", *words, **keys)


def command_here(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The same in this process, which is quicker; for tests that are not about processes."""
    from gpruntime.cli.main import main

    argv = ["gpruntime", "study", *map(str, words)]
    output, errors, before = io.StringIO(), io.StringIO(), signal.getsignal(signal.SIGTERM)
    try:
        with patch.object(sys, "argv", argv), redirect_stdout(output), redirect_stderr(errors):
            main()
    except SystemExit as ended:
        return subprocess.CompletedProcess(argv, ended.code, output.getvalue(), errors.getvalue())
    finally:
        signal.signal(signal.SIGTERM, before)


def start(*words: str | Path) -> subprocess.Popen[bytes]:
    """The same, without waiting for it, as the leader of a process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "gpruntime", "study", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
