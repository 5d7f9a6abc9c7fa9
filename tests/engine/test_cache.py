"""The compiled code on disk: nobody else's, whole or thrown away, and never in the way of a run."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpruntime.engine import cache, private
from tests.shares import one_in

pytestmark = pytest.mark.processes

RUN = """
from gpruntime.engine.cache import CODE
from tests.engine.tiny import twice
print(CODE.call("twice", twice, 21))
"""
ANSWER = "42\n"
ENGINE = """
from gpruntime import RunSpec, run_many
print(run_many(RunSpec(problem="majority", algorithm="gp-single", n=20), seed=1).evaluations.tolist())
"""


def _run(environment: dict[str, str], script: str = RUN) -> subprocess.CompletedProcess[str]:
    whole = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", private.SETTING)}
    whole["PYTHONPATH"] = str(Path(__file__).parents[2])  # for tests.engine.tiny
    return subprocess.run(
        [sys.executable, "-c", script],
        env=whole | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds one kernel."""
    folder = tmp_path_factory.mktemp("warm")
    done = _run({"XDG_CACHE_HOME": str(folder)})
    assert (done.stdout, done.stderr) == (ANSWER, "")
    return folder


@pytest.fixture
def copy(warm: Path, tmp_path: Path) -> Path:
    shutil.copytree(warm, tmp_path / "cache")
    return tmp_path / "cache"


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc"))


def _engine(folder: Path) -> Path:
    (found,) = (folder / "gpruntime").iterdir()
    return found


def _stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in _files(folder)}


def test_what_is_whole_is_loaded(copy):
    before = _stamps(copy)
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.stderr, _stamps(copy)) == (ANSWER, "", before)


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    rng = random.Random(path.suffix)
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "garbage": lambda path: path.write_bytes(b"\x80\x05garbage" * 99),
    "a flipped bit": _flip,
    "a folder": _a_folder,
    "a fifo": _a_fifo,
}


@pytest.mark.parametrize(
    ("damage", "suffix"),
    [
        *one_in(3, [("a flipped bit", ".nbc"), ("empty", ".nbi"), ("a fifo", ".nbi")]),
        *(
            pytest.param(damage, suffix, marks=pytest.mark.attack)
            for damage, suffix in itertools.product(DAMAGES, (".nbi", ".nbc"))
        ),
    ],
)
def test_what_is_damaged_is_compiled_anew(copy, damage, suffix):
    (path,) = (path for path in _files(copy) if path.suffix == suffix)
    DAMAGES[damage](path)
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.returncode) == (ANSWER, 0)
    assert done.stderr == "gpruntime: compiled code that is damaged is thrown away, and compiled anew\n"
    again = _run({"XDG_CACHE_HOME": str(copy)})
    assert (again.stdout, again.stderr) == (ANSWER, "")


@pytest.mark.parametrize("seals", one_in(2, [b"", b"[" * 100_000]))
def test_damaged_seals_cost_a_compilation(copy, seals):
    (_engine(copy) / cache.SEALS).write_bytes(seals)
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.returncode, done.stderr.count("\n")) == (ANSWER, 0, 1)


def test_what_a_killed_process_left_is_compiled_anew_without_a_word(copy):
    (_engine(copy) / cache.SEALS).unlink()
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.stderr) == (ANSWER, "")


def test_a_foreign_pickle_is_not_loaded(copy, tmp_path):
    (index,) = (path for path in _files(copy) if path.suffix == ".nbi")
    index.write_bytes(b"cos\nsystem\n(S'touch " + os.fsencode(tmp_path / "in") + b"'\ntR.")
    assert _run({"XDG_CACHE_HOME": str(copy)}).stdout == ANSWER
    assert not (tmp_path / "in").exists()


@pytest.mark.parametrize("place", one_in(3, ["", "gpruntime", "gpruntime/engine"]))
def test_a_folder_that_others_can_write_to_is_not_used(copy, place):
    target = _engine(copy) if place.endswith("engine") else copy / place
    target.chmod(0o777)
    before = _stamps(copy)
    (_engine(copy) / cache.SEALS).write_bytes(b"")  # whoever looked there would have to say something
    done = _run({"XDG_CACHE_HOME": str(copy), "TMPDIR": str(copy.parent)})
    assert (done.stdout, done.stderr, _stamps(copy)) == (ANSWER, "", before)
    assert [path.name for path in copy.parent.glob("gpruntime-*")] == []  # the fresh one is gone with its process


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_not_used(copy):
    os.chown(_engine(copy), 1, 1)
    with pytest.raises(PermissionError, match="not this user's alone"):
        private._private(copy / "gpruntime", _engine(copy).name)


def test_a_link_in_place_of_the_folder_is_not_used(copy):
    engine = _engine(copy)
    elsewhere = copy / "elsewhere"
    engine.rename(elsewhere)
    engine.symlink_to(elsewhere)
    with pytest.raises(PermissionError, match="not this user's alone"):
        private._private(copy / "gpruntime", engine.name)


def test_nobody_can_have_made_the_temporary_folder_before(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    monkeypatch.setenv(private.SETTING, "")
    monkeypatch.setattr(private.tempfile, "tempdir", str(tmp_path))
    first = private.code_folder("engine-0")
    assert first is not None
    assert first.parent.stat().st_mode & 0o777 == 0o700
    assert private.code_folder("engine-0") == first  # by the environment: what this process starts finds it too
    monkeypatch.setenv(private.SETTING, "")
    assert private.code_folder("engine-0") != first


def test_no_place_at_all(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    monkeypatch.setenv(private.SETTING, "")
    monkeypatch.setattr(private.tempfile, "tempdir", os.devnull)
    assert private.code_folder("engine-0") is None


@pytest.mark.long
def test_a_file_that_numba_cannot_write_costs_the_cache_not_the_run(tmp_path):
    """RLIMIT_FSIZE stands for a full disk: the write itself fails."""
    limited = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n{RUN}"
    for _ in range(2):
        done = _run({"XDG_CACHE_HOME": str(tmp_path)}, limited)
        assert (done.stdout, done.returncode) == (ANSWER, 0)
        assert "could not be kept" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_no_home(tmp_path):
    script = f"import os, pwd\nos.environ.pop('HOME')\npwd.getpwuid = lambda uid: {{}}[uid]\n{RUN}"
    done = _run({"TMPDIR": str(tmp_path)}, script)
    assert (done.stdout, done.stderr) == (ANSWER, "")


@pytest.mark.long
def test_a_numba_that_is_told_not_to_compile():
    done = _run({"NUMBA_DISABLE_JIT": "1"}, ENGINE)
    assert (done.stdout, done.stderr) == ("[398]\n", "")


def test_one_compiles_and_the_others_wait(tmp_path):
    """All at once on an empty folder: each gets its answer, and what is kept is whole."""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    started = [
        subprocess.Popen([sys.executable, "-c", RUN], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [process.communicate() for process in started] == [(ANSWER.encode(), b"")] * 3
    seals = json.loads((_engine(tmp_path) / cache.SEALS).read_bytes())
    assert {path.relative_to(_engine(tmp_path)).as_posix() for path in _files(tmp_path)} <= set(seals)


def test_another_process_finds_every_kernel():
    script = """
import numpy as np
from gpruntime import RunSpec, run_many
from gpruntime.engine.dispatch import faster
from gpruntime.engine.execute import Execution
from gpruntime.engine.reading import ShadowTree, follow
for problem, method in [(problem, method) for problem in ("order", "majority") for method in ("stepping", "skipping")]:
    kernel = faster(problem, method).kernel
    run_many(RunSpec(problem=problem, algorithm="gpstar-single", n=3), method=method)
    print(sum(kernel.stats.cache_hits.values()))
ShadowTree(Execution(RunSpec(problem="majority", algorithm="gp-single", n=3), 1, np.array([0]), "stepping"))
print(sum(follow.stats.cache_hits.values()))
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"] * 5


SEVERAL = """
from gpruntime import RunSpec, run_many
for problem in ("max", "and-or"):
    run_many(RunSpec(problem=problem, algorithm="gp-single", n=2, budget=9))
"""


def test_what_is_compiled_for_more_functions_is_sealed_too(tmp_path):
    """One loop, compiled twice: the second time Numba writes its index of the first anew."""
    for _ in range(2):
        done = _run({"XDG_CACHE_HOME": str(tmp_path)}, SEVERAL)
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_compiling_is_said_at_a_terminal_but_not_by_a_worker(monkeypatch):
    from types import SimpleNamespace

    monkeypatch.setattr(cache.sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(cache.multiprocessing, "parent_process", lambda: None)
    assert cache._at_a_terminal()
    monkeypatch.setattr(cache.multiprocessing, "parent_process", lambda: SimpleNamespace(pid=1))
    assert not cache._at_a_terminal()
