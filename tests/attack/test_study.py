"""A study killed, interrupted, out of disk, damaged or sent by an enemy: the same table, and nothing else touched."""

import contextlib
import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import time
import warnings

import pytest

from gpruntime import BadInput
from gpruntime.cli.main import commands
from gpruntime.files import LOCK
from gpruntime.study import BadPlan, Listener, Plan, StudyWarning, run_study
from tests.study.studies import BIG, command, rows, start
from tests.study.test_foreign import plan_of, reading, state, variants
from tests.study.test_worker import eventually, is_alive, workers_of

pytestmark = [pytest.mark.attack, pytest.mark.long]


def run_quietly(folder, plan=None):
    return run_study(plan, folder, workers=0)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked") / "study"
    run_quietly(folder, plan_of())
    return folder


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)
        yield


# ---- killed


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_killed_at_any_moment_and_gone_on_with(attack, truth, tmp_path, number):
    chance = random.Random(number)
    plan = tmp_path / "plan.toml"
    plan.write_text(Plan.of(**BIG).text, encoding="utf-8")
    for trial in range(6):
        workers, seconds, folder = chance.choice("02"), chance.uniform(0, 5), tmp_path / str(trial)
        with attack.trial(number.name, "after", seconds, "s,", workers, "workers"):
            process = start("run", plan, "-o", folder, "--workers", workers, "-q")
            if number == signal.SIGINT:  # before, it is Python's own start that is interrupted
                assert eventually(folder.exists, 60)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            _, told = process.communicate(timeout=60)
            assert b"Traceback" not in told
            run_quietly(folder, Plan.from_file(plan))
            assert rows(folder).equals(truth)


def test_no_worker_outlives_its_study(attack, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(plan_of(n=300_000).text, encoding="utf-8")
    for trial in range(8):
        with attack.trial("killed", 0.05 * trial, "s after the worker's start"):
            process = start("run", plan, "-o", tmp_path / str(trial), "--workers", "1", "-q")
            assert eventually(lambda process=process: workers_of(process.pid), 60)
            workers = workers_of(process.pid)
            time.sleep(0.05 * trial)
            process.kill()
            process.wait()
            process.stderr.close()
            assert eventually(lambda workers=workers: not any(map(is_alive, workers)), 20)


def test_workers_of_a_cluster_killed(attack, truth, tmp_path):
    for trial in range(3):
        with attack.trial(trial):
            killed = []

            def progress(situation, killed=killed):
                if situation.computed > 0 and not killed:
                    killed.append(workers_of(os.getpid())[-1])
                    os.kill(killed[0], signal.SIGKILL)

            plan, folder = Plan.of(**BIG), tmp_path / str(trial)
            run_study(plan, folder, workers=2, cluster="local", listener=Listener(progress=progress))
            assert killed
            assert rows(folder).equals(truth)


# ---- disks


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_full_disks(attack, truth, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(Plan.of(**BIG).text, encoding="utf-8")
    for size in (4, 16, 40, 100, 200, 300, 400, 500):
        disk = tmp_path / f"disk{size}"
        disk.mkdir()
        with attack.trial(size, "kB"), _mounted(disk, size):
            told = command("run", plan, "-o", disk / "study", "--workers", "0", "-q")
            assert told.returncode == 1
            assert "No space left" in told.stderr
            assert "Traceback" not in told.stderr
            subprocess.run(["mount", "-o", "remount,size=50m", disk], check=True)
            run_quietly(disk / "study", Plan.from_file(plan))
            assert rows(disk / "study").equals(truth)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk")
def test_a_disk_that_is_read_only_is_read(attack, finished, tmp_path):
    disk, out = tmp_path / "disk", tmp_path / "out"
    for path in (disk, out):
        path.mkdir()
    with _mounted(disk, 50_000):
        folder = shutil.copytree(finished, disk / "study")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for words in reading(folder, out):
            with attack.trial(*words):
                commands.main([str(word) for word in words], standalone_mode=False)


@contextlib.contextmanager
def _mounted(disk, kilobytes):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", disk], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", disk], check=True)


# ---- damage


def _copies(attack, finished, tmp_path, count, name):
    """A copy for each trial, with the chance to choose; afterwards the study is gone on with, and has its table."""
    expected = rows(finished)
    for trial in range(count):
        chance = random.Random(f"{name} {trial}")
        folder = shutil.copytree(finished, tmp_path / str(trial))
        with attack.trial(name, trial):
            yield folder, chance
            run_quietly(folder, plan_of())
            assert rows(folder).equals(expected)
        shutil.rmtree(folder)


def _files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "plan.toml")


def test_a_flipped_bit_anywhere(attack, finished, tmp_path):
    for folder, chance in _copies(attack, finished, tmp_path, 60, "bit"):
        path = chance.choice([file for file in _files(folder) if file.stat().st_size])
        content = bytearray(path.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)


def test_files_cut_off_emptied_or_deleted(attack, finished, tmp_path):
    for folder, chance in _copies(attack, finished, tmp_path, 40, "cut"):
        path = chance.choice([*_files(folder), folder / "ledger"])
        kept = chance.choice([None, 0, chance.random()])
        if kept is None:
            path.unlink()
        else:
            content = path.read_bytes()
            path.write_bytes(content[: int(kept * len(content))])
        if not (folder / "ledger").exists():
            (folder / "provenance.jsonl").unlink()


# ---- an enemy's folder


def test_anything_under_any_name(attack, finished, tmp_path):
    """Whatever is put under a name of the folder: outside nothing changes, and what is said is one line."""
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "folder" / "00000000-0-0123456789abcdef.parquet").write_text("mine", encoding="utf-8")
    (outside / "file").write_text("mine", encoding="utf-8")
    for trial in range(120):
        chance = random.Random(trial)
        folder = shutil.copytree(finished, tmp_path / str(trial))
        shards = sorted(path.name for path in (folder / "shards").iterdir())
        shard = chance.choice([*shards, f".{shards[0]}.half", "new.parquet", ".new.half"])
        name = chance.choice(
            ["ledger", "plan.toml", "provenance.jsonl", "shards", "set-aside", LOCK, f"shards/{shard}"]
        )
        kind = chance.choice([*KINDS])
        _remove(folder / name)
        KINDS[kind](folder / name, outside)
        before = state(outside)
        with attack.trial(kind, "as", name):
            for words in (["status", folder], ["sql", folder, "select 1"], ["run", folder, "--workers", "0", "-q"]):
                with contextlib.suppress(BadInput, BadPlan):
                    commands.main(["study", *map(str, words)], standalone_mode=False)
            assert state(outside) == before
        _remove(folder)


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _socket(path, _):
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path.name)


KINDS = {
    "a link to a file": lambda path, outside: path.symlink_to(outside / "file"),
    "a link to a folder": lambda path, outside: path.symlink_to(outside / "folder"),
    "a link to nothing": lambda path, outside: path.symlink_to(outside / "nothing"),
    "a link to itself": lambda path, _: path.symlink_to(path.name),
    "a second name": lambda path, outside: os.link(outside / "file", path),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a socket": _socket,
    "a folder": lambda path, _: path.mkdir(),
    "an empty file": lambda path, _: path.touch(),
    "noise": lambda path, _: path.write_bytes(random.Random(1).randbytes(1000)),
}
if os.geteuid() == 0:
    KINDS["a device"] = lambda path, _: os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))


def test_well_sealed_ledgers_of_wrong_kinds(attack, finished, tmp_path):
    lines = (finished / "ledger").read_bytes().splitlines()
    for number, content in enumerate(variants(lines, 400)):
        with attack.trial(number):
            folder = shutil.copytree(finished, tmp_path / str(number))
            (folder / "ledger").write_bytes(content)
            for words in (["status", folder], ["sql", folder, "select 1"], ["run", folder, "--workers", "0", "-q"]):
                with contextlib.suppress(BadInput, BadPlan):
                    commands.main(["study", *map(str, words)], standalone_mode=False)
        shutil.rmtree(folder)
