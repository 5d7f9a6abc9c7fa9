"""Words from outside that a terminal would obey, or that are no text: they are shown escaped, on one line."""

import io
import json
import os
import subprocess
import sys
import unicodedata

import pytest
from rich.console import Console
from rich.live import Live

from gpruntime import BadInput
from gpruntime.model.printable import printable
from gpruntime.progress import StudyProgress
from gpruntime.study import Plan
from tests.command_help import gpruntime
from tests.study.studies import run_here

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.txt\u2066\u2028z\x00[bold red]:smile:"
COMMON = ["--problem", "majority", "--algorithm", "gp-single", "-n", "4"]


def harmless(text: str) -> bool:
    """Lines of what can be seen, and nothing else."""
    return all(unicodedata.category(sign)[0] not in "C" for sign in text.replace("\n", "")) and "\u2028" not in text


def test_what_cannot_be_seen_is_shown_as_python_writes_it():
    assert printable("x̄3 ≥ 4 · “plain”") == "x̄3 ≥ 4 · “plain”"
    assert printable("a\x1b[31m\nb\u202e\x85\udcff") == "a\\x1b[31m\\nb\\u202e\\x85\\xff"
    assert harmless(printable(HOSTILE))
    assert harmless(str(BadInput("n", HOSTILE, HOSTILE)))


@pytest.mark.parametrize(
    "words",
    [
        ["run", *COMMON[2:], "--problem", HOSTILE],
        ["run", *COMMON, "--init", f"(x1 {HOSTILE})"],
        ["run", *COMMON, "--trace", f"/nowhere/{HOSTILE}"],
        ["run", *COMMON, f"--{HOSTILE}"],
        [HOSTILE],
        ["exact", *COMMON, "--at", HOSTILE],
        ["watch", "-o", f"/nowhere/{HOSTILE}"],
        ["paper", "--only", HOSTILE],
        ["study", "run", HOSTILE],
        ["study", "status", HOSTILE],
    ],
)
def test_errors(words):
    done = gpruntime(*(word.replace("\x00", "") for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert harmless(done.stderr)
    assert "\\x1b" in done.stderr


def test_trees_with_line_ends_are_one_line():
    tree = "(x1\n\u2028(x2 \x85(x3 x4)))"
    for command in ("run", "exact"):
        done = gpruntime(command, *COMMON, "--init", tree, "--max-leaves", "5")
        assert done.returncode == 0, done.stderr
        assert harmless(done.stdout)
        assert "initial tree (x1 (x2 (x3 x4)))" in done.stdout.splitlines()[0]


def test_a_study_in_a_hostile_folder(tmp_path):
    """Its name, the reason for which a cell failed, and a query's own words."""
    folder = tmp_path / HOSTILE.replace("\x00", "")
    run_here(Plan.of(problem="order", algorithm="gp-single", n=[3, 4], runs=3), folder)
    with (folder / "provenance.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"event": "end", "failures": [f"RuntimeError: {HOSTILE}"]}) + "\n")
    next((folder / "shards").iterdir()).write_bytes(b"")
    for words in (
        ["status"],
        ["show"],
        ["sql", "select chr(27) || '[2J' as a, n as \"\x1b[2J\" from runs"],
        ["run", "--workers", "0"],
    ):
        done = gpruntime("study", words[0], str(folder), *words[1:])
        assert done.returncode == 0, done.stderr
        assert harmless(done.stdout + done.stderr)
        assert "\\x1b" in done.stderr + done.stdout


def test_what_is_told_while_a_study_runs(capsys):
    with StudyProgress(False) as progress:
        progress.listener.notice(HOSTILE)
    assert harmless(capsys.readouterr().err)


def test_a_live_table_takes_no_markup():
    """Rich would read [bold] and :smile: as orders."""
    out = io.StringIO()
    with StudyProgress(False) as progress:
        progress._live = Live(console=Console(file=out, force_terminal=False, width=200), auto_refresh=False)
        with progress._live:
            progress.listener.notice(HOSTILE)
    assert "[bold red]:smile:" in out.getvalue()
    assert harmless(out.getvalue())


@pytest.mark.parametrize(
    "words",
    [
        [b"study", b"show", b"\xff"],
        [b"study", b"run", b"plan.toml", b"-o", b"a\xff\x1b[2J"],
        [b"watch", b"-o", b"\xff.html"],
        [b"run", b"--problem", b"\xff"],
        [b"run", b"--init", b"(x1 \xfe)"],
        [b"\xff"],
        [b"run", b"--\xff"],
        [b"study", b"sql", b".", b"select '\xff'"],
    ],
)
def test_words_that_are_no_text(words):
    command = [os.fsencode(sys.executable), b"-m", b"gpruntime", *words]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    told = done.stderr.decode("utf-8")
    assert told.count("\n") == 1
    assert harmless(told)
    assert "is not UTF-8 text" in told
