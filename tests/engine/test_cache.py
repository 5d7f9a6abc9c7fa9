"""The compiled code on disk: nobody else's, whole or thrown away, and never in the way of a run."""

from __future__ import annotations

import fcntl
import gc
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gpruntime
from gpruntime.engine import cache
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
    whole = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", cache.SETTING)}
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
    return sorted(folder.rglob(f"*{cache.KEPT}"))


def _kernels(folder: Path) -> Path:
    return folder / "gpruntime" / "kernels"


def _stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in _files(folder)}


def test_what_is_whole_is_loaded(copy):
    before = _stamps(copy)
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.stderr, _stamps(copy)) == (ANSWER, "", before)


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    rng = random.Random(5)
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


@pytest.mark.parametrize("damage", one_in(4, DAMAGES))
def test_what_is_damaged_is_compiled_anew(copy, damage):
    (path,) = _files(copy)
    DAMAGES[damage](path)
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.returncode) == (ANSWER, 0)
    assert done.stderr == "gpruntime: what is damaged in the cache is thrown away, and made anew\n"
    again = _run({"XDG_CACHE_HOME": str(copy)})
    assert (again.stdout, again.stderr) == (ANSWER, "")


def test_code_under_the_name_of_other_code_is_not_loaded(copy):
    """Whole, but not what it is taken for: a file that somebody renamed."""
    script = RUN.replace("twice", "thrice").replace("21", "14")
    assert _run({"XDG_CACHE_HOME": str(copy)}, script).stdout == ANSWER
    thrice, twice = _files(copy)
    twice.write_bytes(thrice.read_bytes())
    done = _run({"XDG_CACHE_HOME": str(copy)})
    assert (done.stdout, done.stderr.count("damaged")) == (ANSWER, 1)


def test_a_foreign_pickle_is_not_loaded(copy, tmp_path):
    (path,) = _files(copy)
    path.write_bytes(b"cos\nsystem\n(S'touch " + os.fsencode(tmp_path / "in") + b"'\ntR.")
    assert _run({"XDG_CACHE_HOME": str(copy)}).stdout == ANSWER
    assert not (tmp_path / "in").exists()


@pytest.mark.parametrize("place", one_in(3, ["", "gpruntime", "gpruntime/kernels"]))
def test_a_folder_that_others_can_write_to_is_not_used(copy, place):
    (copy / place).chmod(0o777)
    (path,) = _files(copy)
    path.write_bytes(b"")  # whoever looked there would have to say something
    before = _stamps(copy)
    done = _run({"XDG_CACHE_HOME": str(copy), "TMPDIR": str(copy.parent)})
    assert (done.stdout, done.stderr, _stamps(copy)) == (ANSWER, "", before)
    assert [path.name for path in copy.parent.glob("gpruntime-*")] == []  # the fresh one is gone with its process


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_not_used(copy):
    os.chown(_kernels(copy), 1, 1)
    with pytest.raises(PermissionError, match="not this user's alone"):
        cache._private(copy / "gpruntime", _kernels(copy).name)


def test_a_link_in_place_of_the_folder_is_not_used(copy):
    engine = _kernels(copy)
    elsewhere = copy / "elsewhere"
    engine.rename(elsewhere)
    engine.symlink_to(elsewhere)
    with pytest.raises(PermissionError, match="not this user's alone"):
        cache._private(copy / "gpruntime", engine.name)


def test_nobody_can_have_made_the_temporary_folder_before(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    monkeypatch.setenv(cache.SETTING, "")
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path))
    first = cache.code_folder("kernels")
    assert first is not None
    assert first.parent.stat().st_mode & 0o777 == 0o700
    assert cache.code_folder("kernels") == first  # by the environment: what this process starts finds it too
    monkeypatch.setenv(cache.SETTING, "")
    assert cache.code_folder("kernels") != first


def test_no_place_at_all(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    monkeypatch.setenv(cache.SETTING, "")
    monkeypatch.setattr(cache.tempfile, "tempdir", os.devnull)
    assert cache.code_folder("kernels") is None


@pytest.mark.long
def test_a_file_that_numba_cannot_write_costs_the_cache_not_the_run(tmp_path):
    """RLIMIT_FSIZE stands for a full disk: the write itself fails."""
    limited = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n{RUN}"
    for _ in range(2):
        done = _run({"XDG_CACHE_HOME": str(tmp_path)}, limited)
        assert (done.stdout, done.returncode) == (ANSWER, 0)
        assert "nothing could be kept in" in done.stderr
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
    assert len(_files(tmp_path)) == len([*_kernels(tmp_path).iterdir()]) == 1


def test_another_process_finds_every_kernel():
    script = """
import numpy as np
from gpruntime import RunSpec, run_many
from gpruntime.engine.dispatch import faster
from gpruntime.engine.execute import Execution
from gpruntime.engine.watched import ShadowTree, follow
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


def test_a_kernel_for_other_types_of_arguments_is_kept_too(copy):
    script = RUN.replace('"twice", twice, 21', '"twice of a float", twice, 2.5')
    for _ in range(2):
        done = _run({"XDG_CACHE_HOME": str(copy)}, script)
        assert (done.stdout, done.stderr) == ("5.0\n", "")
    assert len(_files(copy)) == 2


def test_compiling_is_said_at_a_terminal_but_not_by_a_worker(monkeypatch):
    from types import SimpleNamespace

    monkeypatch.setattr(cache.sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(cache.multiprocessing, "parent_process", lambda: None)
    assert cache._at_a_terminal()
    monkeypatch.setattr(cache.multiprocessing, "parent_process", lambda: SimpleNamespace(pid=1))
    assert not cache._at_a_terminal()


# ---- what it is the code of


CLONE = """
import sys
sys.path[:0] = sys.argv[1:]
from pathlib import Path
from gpruntime import RunSpec, run_many
import gpruntime
assert Path(gpruntime.__file__).is_relative_to(sys.argv[1])
{edit}
print(run_many(RunSpec(problem="majority", algorithm="gp-single", n=20), seed=1, runs=3).evaluations.tolist())
"""
EDIT = """
path = Path(sys.argv[1], "gpruntime/engine/problems/majority.py")
text = path.read_text(encoding="utf-8")
assert "(plain - bar))" in text
path.write_text(text.replace("(plain - bar))", "(plain - bar - 1))"), encoding="utf-8")
"""


@pytest.mark.long
@pytest.mark.attack
def test_an_edit_while_a_process_runs_reaches_no_other_process(tmp_path):
    """It is made after gpruntime was imported, before the problem was; then it is taken back."""
    sources = Path(gpruntime.__file__).parent
    for name in ("clone", "second clone"):
        shutil.copytree(sources, tmp_path / name / "gpruntime", ignore=shutil.ignore_patterns("__pycache__"))
    source = tmp_path / "clone/gpruntime/engine/problems/majority.py"
    before = source.read_bytes()

    def evaluations(clone: str, edit: str) -> str:
        command = [sys.executable, "-c", CLONE.format(edit=edit), str(tmp_path / clone)]
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert evaluations("clone", EDIT) == "[601, 417, 385]\n"  # what was edited runs, in this process
    source.write_bytes(before)
    assert evaluations("clone", "") == "[398, 197, 355]\n"
    kept = _stamps(tmp_path / "cache")
    assert evaluations("second clone", "") == "[398, 197, 355]\n"
    assert _stamps(tmp_path / "cache") == kept  # clones of one version share their code


# ---- one compiles, others wait


class Probe:
    """Stands for a kernel: notes what holds while it is compiled, and while it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.noted = folder, {}
        self._cache = self

    def path(self, types: tuple[object, ...]) -> Path:
        return self.folder / f"probe-0{cache.KEPT}"

    def compile(self, types: tuple[object, ...]) -> None:
        self._note("compiled")

    def __call__(self) -> None:
        self._note("called")

    def _note(self, when: str) -> None:
        self.noted[when] = _is_locked(self.folder), gc.isenabled()


def _is_locked(folder: Path) -> bool:
    for path in folder.glob("*lock"):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


@pytest.fixture
def code(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(cache.SETTING, raising=False)
    return cache.CodeCache("kernels")


@pytest.mark.attack
def test_while_a_kernel_runs_nobody_waits_and_garbage_is_collected(code):
    probe = Probe(code.folder)
    code.call("probe", probe)
    assert probe.noted == {"compiled": (True, False), "called": (False, True)}


def test_an_interrupt_while_compiling_lets_others_compile(code):
    class Interrupted(Probe):
        def compile(self, types: tuple[object, ...]) -> None:
            super().compile(types)
            raise KeyboardInterrupt

    probe = Interrupted(code.folder)
    with pytest.raises(KeyboardInterrupt):
        code.call("probe", probe)
    assert probe.noted == {"compiled": (True, False)}
    assert not _is_locked(code.folder)
    assert gc.isenabled()


STOPPED = """
import os, signal
from gpruntime.engine.cache import CODE
from tests.engine.tiny import twice
class Stopped:
    _cache = twice._cache
    def compile(self, types):
        os.kill(os.getpid(), signal.SIGSTOP)
    __call__ = compile
CODE.call("twice", Stopped(), 21)
"""


@pytest.mark.attack
def test_a_process_that_is_stopped_while_it_compiles_holds_up_nobody(tmp_path):
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", STOPPED], env=environment) as stopped:
        try:
            assert os.WIFSTOPPED(os.waitpid(stopped.pid, os.WUNTRACED)[1])
            hasty = "from gpruntime.engine import cache\ncache.LOG_AFTER, cache.WAIT = 0.1, 0.3\n"
            done = _run({"XDG_CACHE_HOME": str(tmp_path)}, hasty + RUN)
        finally:
            stopped.kill()
    assert (done.stdout, done.returncode) == (ANSWER, 0)
    assert done.stderr.splitlines() == [
        f"gpruntime: waiting for process {stopped.pid}, which compiles twice",
        "gpruntime: twice is not compiled after 0.3 s of waiting: compiling it here, too",
    ]
    again = _run({"XDG_CACHE_HOME": str(tmp_path)})
    assert (again.stdout, again.stderr, len(_files(tmp_path))) == (ANSWER, "", 1)


# ---- what is old


def test_what_was_not_used_for_long_is_removed_and_what_is_used_is_not(code):
    month = 31 * 24 * 60 * 60
    names = [f"{name}{suffix}" for name in ("old", "used", "new") for suffix in (cache.KEPT, cache.LOCK, cache.HALF)]
    for name in [*names, "mine.txt"]:
        (code.folder / name).touch()
    for name in ("engine-0123456789abcdef", "engine-fedcba9876543210", "engine"):
        (code.folder.parent / name).mkdir()
        (code.folder.parent / name / "seals.json").touch()
    old = [*(code.folder / name for name in [*names[:3], "mine.txt"]), code.folder.parent / "engine-0123456789abcdef"]
    for path in [*old, code.folder / f"used{cache.KEPT}"]:
        os.utime(path, (time.time() - month,) * 2)
    code.write(code.folder / f"used{cache.KEPT}", "written anew")
    left = {path.name for folder in (code.folder, code.folder.parent) for path in folder.iterdir()}
    assert left == {*names[3:], "mine.txt", "kernels", "engine-fedcba9876543210", "engine"}


def test_what_is_read_counts_as_used(code):
    path = code.folder / f"kernel{cache.KEPT}"
    code.write(path, "whatever")
    os.utime(path, (time.time() - 40 * 24 * 60 * 60,) * 2)
    assert code.read(path) == "whatever"
    code.write(code.folder / f"another{cache.KEPT}", "whatever")
    assert path.exists()


def test_of_too_much_the_oldest_is_removed(code, monkeypatch):
    monkeypatch.setattr(cache, "_MAX_BYTES", 5000)
    for number in range(5):
        path = code.folder / f"{number}{cache.KEPT}"
        code.write(path, bytes(1500))
        os.utime(path, (time.time() - 1000 + number,) * 2)
    assert [path.stem for path in _files(code.folder)] == ["2", "3", "4"]
