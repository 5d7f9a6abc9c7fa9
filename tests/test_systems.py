"""Every line of the table in docs/systems.md, in processes that find what CPython has on Windows.

What windows/sitecustomize.py stands for, and what not, is said there. On a real Windows these tests do without it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from gpruntime import RunSpec, run_many
from gpruntime.study import Plan

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[1]
SIMULATED = [] if sys.platform == "win32" else [str(ROOT / "tests" / "windows")]
RUN = ("run", "--problem", "order", "--algorithm", "gp-single", "-n")
PLANNED = {"problem": "order", "algorithm": "gp-single", "n": [5, 10], "runs": 40, "seed": 1}
PLAN = "".join(f"{name} = {json.dumps(value)}\n" for name, value in PLANNED.items())


class Windows:
    """Processes there: `python` runs a text, `gpruntime` a command, in a folder of their own."""

    def __init__(self, here: Path, cache: Path) -> None:
        self.here = here
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GPRUNTIME")}
        self.environment.pop("XDG_CACHE_HOME", None)
        self.environment["LOCALAPPDATA"] = str(cache)
        self.environment["PYTHONPATH"] = os.pathsep.join([*SIMULATED, str(ROOT / "src")])

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, *words]
        return subprocess.Popen(
            command, cwd=self.here, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def python(self, text: str) -> str:
        status, output, errors = ended(self.start("-c", text))
        assert (status, errors) == (0, ""), output + errors
        return output

    def commands(self, *commands: list[str], before: str = "", fails: bool = False) -> str:
        """What several commands print, one after the other in one process; the last may fail."""
        return self.python(
            f"""
import sys
from gpruntime.cli.main import main
sys.stderr = sys.stdout
{before}
for words in {commands!r}:
    sys.argv = ["gpruntime", *words]
    try:
        main()
    except SystemExit as end:
        assert bool(end.code) == {fails}, words
"""
        )

    def gpruntime(self, *words: str) -> tuple[int, str, str]:
        return ended(self.start("-m", "gpruntime", *words))


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    output, errors = process.communicate(timeout=300)
    return process.returncode, *(text.decode("cp1252").replace("\r\n", "\n") for text in (output, errors))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("local")


@pytest.fixture
def windows(tmp_path, cache):
    return Windows(tmp_path, cache)


@pytest.fixture(scope="module")
def study(tmp_path_factory, cache):
    """A folder with a study that two workers made."""
    there = Windows(tmp_path_factory.mktemp("study"), cache)
    (there.here / "plan.toml").write_text(PLAN, "utf-8")
    status, output, _ = there.gpruntime("study", "run", "plan.toml", "-o", "results", "--workers", "2")
    assert (status, output.split(";")[0]) == (0, "80 runs computed, 80 in results")
    return there


@pytest.mark.skipif(not SIMULATED, reason="this is Windows itself")
def test_the_simulation_takes_away_what_is_not_there(windows):
    assert windows.python(
        """
import errno, os, sys
from gpruntime import systems
assert (systems.sys.platform, systems.os.name) == ("win32", "nt") and not hasattr(systems, "fcntl")
for missing in ("geteuid", "O_DIRECTORY", "O_NOFOLLOW", "sched_getaffinity", "fork"):
    assert not hasattr(systems.os, missing), missing
assert not hasattr(systems.signal, "SIGHUP") and not systems._is_killed_with_parent()

def refused(act, *words, **more):
    try:
        act(*words, **more)
    except (OSError, NotImplementedError, TypeError) as error:
        return type(error).__name__
opened = open("a", "w")
print(refused(os.replace, "a", "b"), refused(os.unlink, "a"), refused(open, "a:b", "w"), refused(os.mkdir, "aux"))
there = systems.os
print(refused(there.open, ".", os.O_RDONLY), refused(there.stat, "a", dir_fd=3), refused(there.listdir, 3))
print(sys.stdout.encoding, opened.encoding)
"""
    ).splitlines() == [
        "PermissionError PermissionError OSError OSError",
        "PermissionError NotImplementedError TypeError",
        "cp1252 cp1252",
    ]


def test_import(windows):
    """All modules, and nothing in the way of those that need what is not installed."""
    assert (
        windows.python(
            """
import importlib, pkgutil
import gpruntime
for module in pkgutil.walk_packages(gpruntime.__path__, "gpruntime."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            assert error.name in ("cupy", "distributed", "dask"), error
print("all")
"""
        )
        == "all\n"
    )


def test_run_many_and_the_cache(windows, cache):
    """The same runs as here, by kernels that the second process finds."""
    text = """
from gpruntime import RunSpec, run_many
print(run_many(RunSpec(problem="order", algorithm="gp-single", n=12), seed=3, runs=5).evaluations.tolist())
"""
    here = run_many(RunSpec(problem="order", algorithm="gp-single", n=12), seed=3, runs=5).evaluations.tolist()
    assert windows.python(text).strip() == str(here)
    kept = {path: path.stat().st_mtime_ns for path in (cache / "gpruntime" / "kernels").iterdir()}
    assert any(path.name.startswith("order_stepping-") for path in kept)
    assert windows.python(text).strip() == str(here)
    assert {path: path.stat().st_mtime_ns for path in (cache / "gpruntime" / "kernels").iterdir()} == kept


def test_study(study):
    """What is there is not computed again, and is what it is here; a run can be repeated."""
    specs = [RunSpec(problem="order", algorithm="gp-single", n=n) for n in (5, 10)]
    output = study.commands(
        ["study", "run", "plan.toml", "-o", "results", "--workers", "0"],
        ["study", "sql", "results", "SELECT sum(evaluations) AS s FROM runs", "--json"],
        ["study", "replay", "results", "--run", f"{Plan.of(**PLANNED).cells[0].id[:10]}:3"],
    )
    computed, summed, equal = output.splitlines()
    assert computed.startswith("0 runs computed, 80 in results")
    assert summed == f'{{"s": {sum(int(run_many(spec, seed=1, runs=40).evaluations.sum()) for spec in specs)}}}'
    assert equal.startswith("equal: ")


def test_one_process_writes_and_what_is_damaged_is_set_aside(study):
    shutil.copytree(study.here / "results", study.here / "copy")
    output = study.python(
        """
from pathlib import Path
from gpruntime.study import Plan, run_study
from gpruntime.study.lock import FolderLock
plan, folder = Plan.from_file("plan.toml"), Path("copy")
with FolderLock(folder):
    try:
        run_study(plan, folder, workers=0)
    except Exception as error:
        print(type(error).__name__, error)
shard = min((folder / "shards").iterdir())
shard.write_bytes(shard.read_bytes()[:-9])
print(run_study(plan, folder, workers=0).computed > 0)
"""
    )
    assert re.search(r"^Locked .*is in use by process \d+", output), output
    assert output.strip().endswith("True")


def test_files_that_are_written(study):
    """A report, tables, a folder of many files, a trace, a page, some of them twice; one that is open is one line."""
    written = [
        ["study", "report", "results", "-o", "report.html"],
        ["study", "export", "results", "--format", "parquet", "-o", "runs.parquet"],
        ["study", "export", "results", "--format", "ioh", "-o", "ioh"],
        [*RUN, "5", "--init", "unity:leaves=3", "--trace", "t.jsonl"],
        ["watch", "-n", "4", "-o", "page.html"],
    ]
    study.commands(*written, *written[3:])
    for *_, name in written:
        made = study.here / name
        assert made.is_dir() or made.stat().st_size > 1000
    assert b"\r" not in (study.here / "t.jsonl").read_bytes()
    held = study.commands(written[-1], before='held = open("page.html")', fails=True)
    assert held.splitlines() == ["gpruntime: page.html: Permission denied"]
    assert not list(study.here.glob(".gpruntime-*"))


def test_watch(windows):
    process = windows.start("-m", "gpruntime", "watch", "--no-open", "--port", "0")
    try:
        line = process.stderr.readline().decode("cp1252")
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"<title>" in answer.read()
        with urllib.request.urlopen(
            f"{address}api/steps?problem=order&algorithm=gp-single&n=5&seed=1&from=1&count=3"
        ) as answer:
            assert b'"steps"' in answer.read()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_python_m(windows):
    """As a command it is whole: help, answers in words where a stream lacks our signs, bad input, its own end."""
    status, output, _ = windows.gpruntime("--help")
    assert status == 0
    assert "study" in output
    status, output, _ = windows.gpruntime(*RUN, "2", "--draw")
    assert status == 0
    assert "`-- x" in output
    assert "?" not in output
    assert windows.gpruntime(*RUN, "0")[::2] == (2, "gpruntime: -n 0: must be a whole number, 1 or more\n")


def test_a_worker_ends_with_its_parent(windows):
    """Also when that is killed: on Windows a thread of the worker waits for it."""
    parent = windows.start(
        "-c",
        """
import multiprocessing, os, sys, time
from gpruntime.systems import end_with
def work(parent, pipe):
    end_with(parent)
    pipe.send(os.getpid())
    time.sleep(100)
if __name__ == "__main__":
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    ours, theirs = context.Pipe()
    context.Process(target=work, args=(os.getpid(), theirs)).start()
    print(ours.recv(), flush=True)
    time.sleep(100)
""",
    )
    child = int(parent.stdout.readline())
    parent.kill()
    parent.communicate(timeout=60)
    end = time.monotonic() + 20
    while alive(child):
        assert time.monotonic() < end
        time.sleep(0.1)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
