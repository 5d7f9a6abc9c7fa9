"""Killed, interrupted or in each other's way, processes lose nothing: real signals, real workers, a real cluster."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpruntime import BadInput
from gpruntime.files import LOCK
from gpruntime.processes import Lost
from gpruntime.study import Listener, Locked, Plan, Study, run_study
from gpruntime.study.execute import Interrupted
from gpruntime.study.executors import processes
from tests.study.studies import BIG, command, rows, run_here, small_plan, start

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("kills", [2, pytest.param(12, marks=pytest.mark.long)])
def test_killed_and_resumed_it_is_the_same_table(truth, tmp_path, kills):
    """Killed while it starts, then each time with more of it stored."""
    chance = random.Random(12)
    plan = tmp_path / "plan.toml"
    plan.write_text(Plan.of(**BIG).text)
    folder = tmp_path / "study"
    for kill in range(kills):
        process = start("run", plan, "-o", folder, "--workers", "2" if kill % 2 else "0", "-q")
        stored, deadline = _stored(folder), time.monotonic() + 60
        while kill > 0 and _stored(folder) == stored and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 0.5 if kill > 0 else 3))
        process.kill()
        process.wait()
        process.stderr.close()
        if (folder / "ledger").exists():
            Study.load(folder)  # can be read after every kill, without a warning
    report = run_here(None, folder)
    assert report.stored == truth.num_rows
    assert rows(folder).equals(truth)
    assert _eventually(lambda: not _orphans(folder))


def _stored(folder: Path) -> int:
    return len(list((folder / "shards").glob("*.parquet"))) if (folder / "shards").is_dir() else 0


def _orphans(folder: Path) -> list[str]:
    """Processes that still have the folder on their command line, or spawned workers whose parent is gone."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if str(folder).encode() in words or (b"spawn_main" in words and parent == 1):
                found.append(entry.name)
    return found


def _eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def test_ctrl_c_finishes_the_chunks_at_hand_and_says_how_to_go_on(truth, tmp_path):
    plan, folder = tmp_path / "plan.toml", tmp_path / "study"
    plan.write_text(Plan.of(**BIG).text)
    process = start("run", plan, "-o", folder, "--workers", "2")
    assert _eventually(lambda: _stored(folder) > 2, 60)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to workers too
    told = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130
    assert f"to go on: gpruntime study run {folder}" in told
    assert "Traceback" not in told
    assert 0 < len(Study.load(folder)) < truth.num_rows
    assert Study.load(folder).provenance[-1]["event"] == "interrupted"
    again = command("run", folder, "--workers", "2", "-q")
    assert again.returncode == 0
    assert rows(folder).equals(truth)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGTERM, []),
        pytest.param(signal.SIGHUP, [], marks=pytest.mark.long),
        pytest.param(signal.SIGINT, ["--cluster", "local"], marks=pytest.mark.long),
    ],
)
def test_signals_to_the_whole_group_end_it_in_order(tmp_path, number, words):
    plan, folder = tmp_path / "plan.toml", tmp_path / "a study"
    plan.write_text(Plan.of(problem="order", algorithm="gp-single", n=1000, runs=100_000).text)
    process = start("run", plan, "-o", folder, "--workers", "2", *words)
    assert _eventually(lambda: _stored(folder) > 1, 60)
    os.killpg(process.pid, number)
    told = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert "lost" not in told
    assert "failed" not in told
    assert f"to go on: gpruntime study run '{folder}'" in told
    assert words == [] or told.rstrip().endswith("--cluster local")


def test_twice_ctrl_c_ends_it_at_once(tmp_path):
    plan, folder = tmp_path / "plan.toml", tmp_path / "study"
    plan.write_text(Plan.of(problem="order", algorithm="gp-single", n=300_000, runs=100).text)
    process = start("run", plan, "-o", folder, "--workers", "2")
    assert _eventually((folder / "provenance.jsonl").exists, 60)
    time.sleep(2)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
    told = process.communicate(timeout=10)[1].decode()
    assert process.returncode == 130
    assert "interrupted; what was finished is stored; to go on:" in told
    assert "Traceback" not in told


# ---- workers


def test_a_worker_that_is_killed_costs_nothing_but_time(truth, tmp_path):
    notices = []
    killed = []

    def progress(situation):
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        workers = [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if situation.computed > 0 and not killed and workers:
            os.kill(int(workers[0]), signal.SIGKILL)
            killed.append(workers[0])

    report = run_study(Plan.of(**BIG), tmp_path / "s", workers=2, listener=Listener(notices.append, progress))
    assert killed
    assert any("a worker process died" in notice for notice in notices)
    assert report.failures == []
    assert rows(tmp_path / "s").equals(truth)


@pytest.mark.long
def test_killed_workers_do_not_end_a_study_of_one_cell(tmp_path):
    killed = []

    def progress(situation):
        if situation.computed > (killed[-1] if killed else 0) and len(killed) < 3:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            workers = [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
            os.kill(int(workers[0]), signal.SIGKILL)
            killed.append(situation.computed)

    plan = Plan.of(problem="order", algorithm="gp-single", n=400, runs=1500)
    report = run_study(plan, tmp_path / "s", workers=2, listener=Listener(progress=progress))
    assert len(killed) == 3
    assert (report.failures, report.stored) == ([], 1500)


def test_a_process_that_dies_loses_its_chunks_and_one_is_a_suspect():
    pool = processes(1)
    try:
        pool.submit("no chunk at all")
        assert [type(result) for _, result in _wait_for(pool, 1)] == [Lost]  # an error is no death
        os.kill(pool._workers[0].process.pid, signal.SIGSTOP)
        for number in range(3):
            pool.submit(str(number))
        os.kill(pool._workers[0].process.pid, signal.SIGKILL)
        lost = _wait_for(pool, 3)
        assert [chunk for chunk, _ in lost] == ["0", "1", "2"]
        assert [result.suspect for _, result in lost] == [True, False, True]  # the third came to the new process
        assert "exit code -9" in lost[0][1].why
    finally:
        pool.close(now=True)


def _wait_for(pool, count):
    returned = []
    while len(returned) < count:
        returned += pool.wait(1)
    return returned


def test_workers_with_other_sources_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("gpruntime.study.execute.provenance.source_hash", lambda: "0" * 16)
    report = run_study(small_plan(), tmp_path / "s", workers=1)
    assert len(report.failures) == 8
    assert "sources" in report.failures[0]
    assert report.stored == 0


# ---- a cluster


def test_a_cluster_of_two_workers_gives_the_same_table(folder, tmp_path):
    assert run_study(small_plan(), tmp_path / "s", workers=2, cluster="local").computed == 320
    assert rows(tmp_path / "s").equals(rows(folder))


@pytest.mark.long
def test_a_cluster_worker_that_is_killed_loses_nothing(truth, tmp_path):
    with _scheduler(tmp_path) as (address, workers):
        killed = []

        def progress(situation):
            if situation.computed > 0 and not killed:
                workers[0].kill()
                killed.append(True)

        run_study(Plan.of(**BIG), tmp_path / "s", cluster=address, listener=Listener(progress=progress))
        assert killed
    assert rows(tmp_path / "s").equals(truth)


@contextlib.contextmanager
def _scheduler(folder):
    """A Dask scheduler and two workers, each a process of its own, as on a cluster."""
    where = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    scheduler = subprocess.Popen(
        [*dask, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where)], **quiet
    )
    workers = []
    try:
        assert _eventually(where.exists, 30)
        for number in range(2):
            place = ["--local-directory", str(folder / f"worker{number}")]
            workers.append(subprocess.Popen([*worker, "--scheduler-file", str(where), *place], **quiet))
        import json

        yield json.loads(where.read_text())["address"], workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://", "tcp://127.0.0.1:99999999"])
def test_an_address_without_a_scheduler_is_refused(tmp_path, address, monkeypatch):
    monkeypatch.setattr("gpruntime.study.cluster._CONNECT_SECONDS", 2)
    with pytest.raises(BadInput, match="cluster"):
        run_study(small_plan(), tmp_path / "s", cluster=address)


# ---- locks


def test_two_processes_on_one_folder(tmp_path):
    plan, folder = tmp_path / "plan.toml", tmp_path / "study"
    plan.write_text(Plan.of(**{**BIG, "n": [1000], "runs": 5000}).text)
    process = start("run", plan, "-o", folder, "--workers", "1", "-q")
    try:
        assert _eventually(lambda: (folder / LOCK).exists() and (folder / LOCK).read_bytes(), 30)
        with pytest.raises(Locked, match=f"process {process.pid} on "):
            run_study(None if (folder / "ledger").exists() else Plan.from_file(plan), folder, workers=0)
        told = command("run", plan, "-o", folder)
        assert told.returncode == 2
        assert str(process.pid) in told.stderr
        assert _eventually(lambda: _stored(folder) > 0, 60)
        told = command("status", folder)
        assert f"running (process {process.pid} on " in told.stdout
    finally:
        process.kill()
        process.communicate()
    notices = []
    with pytest.raises(Interrupted):
        run_study(None, folder, workers=0, listener=Listener(notices.append, _interrupt_soon))
    assert notices[0] == f"took over from process {process.pid} on {os.uname().nodename}, which is gone"


def _interrupt_soon(situation):
    situation.stopping = True


@pytest.mark.long
def test_a_lock_of_another_host_counts_while_it_is_fresh(tmp_path):
    run_here(small_plan(), tmp_path / "s")
    lock = tmp_path / "s" / LOCK
    lock.write_text('{"host": "elsewhere", "pid": 7}')
    with pytest.raises(Locked, match="process 7 on elsewhere"):
        run_here(None, tmp_path / "s")
    os.utime(lock, (0, 0))
    assert run_study(None, tmp_path / "s", workers=0).computed == 0
