"""Processes of ours import nothing from the current folder, and end with the one that started them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpruntime.processes import safe, starting
from gpruntime.study import Plan, Study
from tests.study.studies import small_plan, start

pytestmark = pytest.mark.processes

COMMAND = Path(sys.executable).with_name("gpruntime")
SHADOWED = (
    "pickle",
    "socket",
    "struct",
    "selectors",
    "json",
    "signal",
    "numpy",
    "numba",
    "pyarrow",
    "distributed",
    "dask",
)


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed beside this Python")
@pytest.mark.parametrize("words", [["--workers", "2"], ["--workers", "1", "--cluster", "local"]])
def test_nothing_is_imported_from_the_folder_of_the_plan(tmp_path, words):
    here = tmp_path / "here"
    here.mkdir()
    for name in SHADOWED:
        (here / f"{name}.py").write_text(f"open({str(tmp_path / name)!r}, 'w').close()\n", encoding="utf-8")
    (here / "plan.toml").write_text(small_plan(runs=4).text, encoding="utf-8")
    done = subprocess.run(
        [COMMAND, "study", "run", "plan.toml", "-o", tmp_path / "study", "-q", *words],
        cwd=here, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "study"]
    assert (done.returncode, done.stderr) == (0, "")
    assert len(Study.load(tmp_path / "study")) == 8 * 4


def test_the_current_folder_is_no_workers_unless_we_live_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), str(tmp_path / "link"), "/elsewhere"])
    with starting():
        assert sys.path == ["/elsewhere"]
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ["PYTHONSAFEPATH"] == ""
    assert sys.path[0] == ""
    ours = str(Path(sys.modules["gpruntime"].__file__).parents[1])
    monkeypatch.chdir(ours)
    assert safe([ours, ""]) == [ours]


# ---- orphans


@pytest.mark.parametrize("seconds", [0.05, 0.35])
def test_a_worker_whose_study_is_killed_as_it_starts_ends_too(tmp_path, seconds):
    plan = tmp_path / "plan.toml"
    plan.write_text(Plan.of(problem="order", algorithm="gp-single", n=300_000, runs=9).text, encoding="utf-8")
    process = start("run", plan, "-o", tmp_path / "study", "--workers", "1", "-q")
    try:
        assert eventually(lambda: workers_of(process.pid), 60)
        (worker,) = workers_of(process.pid)
        time.sleep(seconds)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()  # not read to its end: the worker has it too
    assert eventually(lambda: not is_alive(worker), 15)


def test_where_the_system_does_not_tell_of_a_parents_death_a_worker_looks_itself():
    worker = (
        "import ctypes, os, sys, time\n"
        "def none(*_): raise OSError\n"
        "ctypes.CDLL = none\n"
        "from gpruntime.systems import end_with\n"
        "end_with(int(sys.argv[1]))\n"
        "print(os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = f"import os, subprocess, sys; subprocess.run([sys.executable, '-c', {worker!r}, str(os.getpid())])"
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    pid = int(process.stdout.readline())
    assert is_alive(pid)
    process.kill()
    process.communicate()
    assert eventually(lambda: not is_alive(pid), 20)


def workers_of(pid):
    try:
        threads = Path(f"/proc/{pid}/task").glob("*/children")
        children = [child for thread in threads for child in thread.read_text(encoding="ascii").split()]
        return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    except OSError:
        return []


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def eventually(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()
