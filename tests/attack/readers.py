"""All that reads runs or plans of somebody else: commands and functions. Called in a process of its own."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from pathlib import Path

import pyarrow.parquet as pq

from gpruntime import BadInput
from gpruntime.analysis import summarise
from gpruntime.analysis.trajectories import trajectories
from gpruntime.cli.main import main
from gpruntime.study import BadPlan, Plan, Study, StudyWarning
from gpruntime.study.ledger import Ledger

COMMANDS = [
    "status {folder}",
    "status {folder} --json",
    "show {folder}",
    "show {folder} --json",
    "report {folder} -o {out}/report.html",
    "sql {folder} select|count(*)|from|runs",
    "export {folder} --format csv -o {out}/runs.csv",
    "export {folder} --format parquet -o {out}/runs.parquet",
    "export {folder} --format ioh -o {out}/ioh",
    "replay {folder} --run {cell}:0",
    "merge {folder} {folder} -o {out}/both",
    "run {folder} --workers 0 -q",
]
RUNS_CODE = ("replay", "run")  # and an export for IOH


def read_studies(cell: str, *folders: str) -> None:
    """Every command and every function on these folders. What cannot be read is refused in one line."""
    for folder in folders:
        read_study(folder, cell, (0, 1, 2))


def show_study(folder: str, cell: str) -> None:
    """The same on one folder that all of them can read, on the word of somebody who trusts it."""
    read_study(folder, cell, (0,), trust=True)


def read_study(folder: str, cell: str, ends: tuple[int, ...], trust: bool = False) -> None:
    """The same; the exit statuses that are expected."""
    out = Path(folder + ".out")
    out.mkdir()
    for command in COMMANDS:
        words = [word.replace("|", " ") for word in command.split()]
        words = [word.format(folder=folder, out=out, cell=cell) for word in words]
        if trust and (words[0] in RUNS_CODE or "ioh" in words):
            words.append("--trust")
        status, errors = _run("study", *words)
        assert status in ends, (words, status, errors)
        assert "Traceback" not in errors, (words, errors)
    for read in (_load, summarise, trajectories, _plans):
        _try(read, Path(folder))
    table = pq.read_table(min(Path(folder, "shards").iterdir()))
    for source in (table, table.to_pandas()):
        for read in (summarise, trajectories):
            _try(read, source)


def _run(*words: str) -> tuple[int, str]:
    output, errors = io.StringIO(), io.StringIO()
    sys.argv = ["gpruntime", *words]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            main()
    except SystemExit as end:
        return end.code, errors.getvalue()


def _try(read, *given) -> None:
    """Bad input is refused by a typed exception, and by no other."""
    with warnings.catch_warnings(), contextlib.suppress(BadInput, BadPlan):
        warnings.simplefilter("ignore", StudyWarning)
        read(*given)


def _load(folder: Path) -> None:
    study = Study.load(folder)
    study.table()
    study.progress()
    str(study), study._repr_html_(), study.account(), study.failures()


def _plans(folder: Path) -> None:
    for text in (Ledger.read(folder).plan, (folder / "plan.toml").read_text("utf-8")):
        _try(Plan.from_toml, text)
        _try(Plan.from_bytes, text.encode(), "plan.toml")
