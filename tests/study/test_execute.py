"""The same table whoever computes it, and whatever happens meanwhile: real processes, real signals, a real cluster."""

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpruntime import BadInput
from gpruntime.study import Listener, Locked, Plan, Study, run_study
from gpruntime.study import chunk as chunk_module
from gpruntime.study.chunk import Chunk, Part
from gpruntime.study.executors import Lost, Processes
from gpruntime.study.lock import NAME as LOCK
from gpruntime.study.provenance import source_hash
from gpruntime.study.store import Store
from tests.study.studies import command, rows, run_here, small_plan, start

BIG = {
    "seed": 5,
    "problem": ["order", "majority"],
    "algorithm": ["gp-single", "gpstar-single"],
    "n": [50, 100, 200, 400],
    "runs": 250,
    "improvements": True,
}


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    folder = tmp_path_factory.mktemp("truth") / "study"
    run_here(Plan.of(**BIG), folder)
    return rows(folder)


def test_one_process_and_two_give_the_same_table(truth, tmp_path):
    for workers in (1, 2):
        sitting = run_study(Plan.of(**BIG), tmp_path / str(workers), workers=workers)
        assert sitting.computed == truth.num_rows == 4 * 4 * 250
        assert rows(tmp_path / str(workers)).equals(truth)


def test_rows_are_the_runs_themselves(truth):
    from gpruntime import run_many

    for cell in (Plan.of(**BIG).cells[0], Plan.of(**BIG).cells[-1]):
        expected = run_many(cell.spec, BIG["seed"], 250)
        mine = [row for row in truth.to_pylist() if row["cell"] == cell.id]
        assert [row["evaluations"] for row in mine] == expected.evaluations.tolist()
        assert [row["run"] for row in mine] == list(range(250))


def test_killed_ten_times_and_resumed_it_is_the_same_table(truth, tmp_path):
    chance = random.Random(12)
    plan = tmp_path / "plan.toml"
    plan.write_text(Plan.of(**BIG).text)
    folder = tmp_path / "study"
    for kill in range(10):
        process = start("run", plan, "-o", folder, "--workers", "2" if kill % 2 else "0", "-q")
        stored, deadline = _stored(folder), time.monotonic() + 60
        while kill > 1 and _stored(folder) == stored and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 0.5 if kill > 1 else 3))
        process.kill()
        process.wait()
        process.stderr.close()
        if (folder / "ledger").exists():
            Study.load(folder)  # can be read after every kill, without a warning
    sitting = run_here(None, folder)
    assert sitting.stored == truth.num_rows
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


def test_a_worker_that_is_killed_costs_nothing_but_time(truth, tmp_path):
    notices = []
    killed = []

    def progress(situation):
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        workers = [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if situation.computed > 0 and not killed and workers:
            os.kill(int(workers[0]), signal.SIGKILL)
            killed.append(workers[0])

    sitting = run_study(Plan.of(**BIG), tmp_path / "s", workers=2, listener=Listener(notices.append, progress))
    assert killed
    assert any("a worker process died" in notice for notice in notices)
    assert sitting.failures == []
    assert rows(tmp_path / "s").equals(truth)


def test_killed_workers_do_not_end_a_study_of_one_cell(tmp_path):
    killed = []

    def progress(situation):
        if situation.computed > (killed[-1] if killed else 0) and len(killed) < 3:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            workers = [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
            os.kill(int(workers[0]), signal.SIGKILL)
            killed.append(situation.computed)

    plan = Plan.of(problem="order", algorithm="gp-single", n=400, runs=1500)
    sitting = run_study(plan, tmp_path / "s", workers=2, listener=Listener(progress=progress))
    assert len(killed) == 3
    assert (sitting.failures, sitting.stored) == ([], 1500)


# ---- a cluster


def test_a_cluster_of_two_workers_gives_the_same_table(truth, tmp_path):
    sitting = run_study(Plan.of(**BIG), tmp_path / "s", workers=2, cluster="local")
    assert sitting.computed == truth.num_rows
    assert rows(tmp_path / "s").equals(truth)


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


# ---- when the disk is full, the folder closed, the chunk bad


def assert_one_line(told, *words):
    assert told.returncode == 1
    assert "Traceback" not in told.stderr
    lines = [line for line in told.stderr.splitlines() if any(word in line for word in words)]
    assert len(lines) == 1, told.stderr


def test_files_that_may_not_grow_stop_it_with_one_line_and_it_goes_on_when_there_is_room(truth, tmp_path):
    plan, folder = tmp_path / "plan.toml", tmp_path / "study"
    plan.write_text(Plan.of(**BIG).text)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    told = command("run", plan, "-o", folder, "--workers", "0", "-q", preexec_fn=limit)
    assert_one_line(told, "File too large")
    assert not list(folder.rglob("*.half"))
    assert len(Study.load(folder)) < truth.num_rows
    assert command("run", folder, "--workers", "0", "-q").returncode == 0
    assert rows(folder).equals(truth)


@pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can mount a small disk; the limit on file sizes is tested above"
)
def test_a_full_disk_stops_it_with_one_line_and_it_goes_on_when_there_is_room(truth, tmp_path):
    plan, disk = tmp_path / "plan.toml", tmp_path / "disk"
    plan.write_text(Plan.of(**BIG).text)
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], check=True)
    try:
        told = command("run", plan, "-o", disk / "study", "--workers", "0", "-q")
        assert_one_line(told, "No space left")
        assert 0 < len(Study.load(disk / "study")) < truth.num_rows
        subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
        assert command("run", disk / "study", "--workers", "0", "-q").returncode == 0
        assert rows(disk / "study").equals(truth)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert rows(disk / "study").equals(truth)  # reading needs no writing
        assert_one_line(command("run", disk / "study", "-q"), "Read-only file system")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_cell_that_fails_is_tried_again_then_given_up_and_takes_no_other_with_it(tmp_path, monkeypatch):
    bad = small_plan().cells[3]
    real = chunk_module.run_many

    def run_many(spec, *arguments, **keys):
        if spec == bad.spec:
            raise MemoryError("too big")
        return real(spec, *arguments, **keys)

    monkeypatch.setattr(chunk_module, "run_many", run_many)
    sitting = run_study(small_plan(), tmp_path / "s", workers=0)
    assert sitting.failures == [f"{bad.words()}: MemoryError: too big"]
    assert sitting.stored == 7 * 40
    monkeypatch.undo()
    assert Study.load(tmp_path / "s").failures() == sitting.failures
    assert run_here(None, tmp_path / "s").failures == []
    run_here(small_plan(), tmp_path / "t")
    assert rows(tmp_path / "s").equals(rows(tmp_path / "t"))


def test_workers_with_other_sources_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("gpruntime.study.execute.provenance.source_hash", lambda: "0" * 16)
    sitting = run_study(small_plan(), tmp_path / "s", workers=1)
    assert len(sitting.failures) == 8
    assert "sources" in sitting.failures[0]
    assert sitting.stored == 0


def test_a_process_that_dies_loses_its_chunks_and_one_is_a_suspect():
    pool = Processes(1)
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


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGTERM, []), (signal.SIGHUP, []), (signal.SIGINT, ["--cluster", "local"])]
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


def test_nobody_listening_stops_no_study(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(small_plan().text)
    words = [sys.executable, "-m", "gpruntime", "study", "run", str(plan), "--workers", "0", "-o"]
    done = subprocess.run(f"{' '.join(words)} {tmp_path / 'a'} 2>&-", shell=True, check=False, capture_output=True)
    assert done.returncode == 0
    assert len(Study.load(tmp_path / "a")) == 320


def test_a_script_needs_no_guard_and_no_file(tmp_path):
    script = f"""
from gpruntime.study import Plan, run_study
plan = Plan.of(problem="majority", algorithm="gp-single", n=5, runs=100)
print(run_study(plan, {str(tmp_path / "s")!r}, workers=2).computed)
"""
    for words, text in ((["-"], script), ([str(tmp_path / "script.py")], None)):
        (tmp_path / "script.py").write_text(script.replace("n=5", "n=[5, 6]"))
        told = subprocess.run(
            [sys.executable, *words], input=text, capture_output=True, text=True, timeout=60, check=False
        )
        assert (told.stdout, told.stderr) == ("100\n", "")


# ---- goals, parts, locks


def test_interruptions_do_not_change_what_a_goal_asks_for(tmp_path):
    plan = Plan.of(problem="majority", algorithm="gpstar-single", n=6, goal={"optima": 90, "at_most": 1000})
    run_study(plan, tmp_path / "fresh", workers=0)
    fresh = rows(tmp_path / "fresh")
    assert fresh.num_rows == 124  # 90 optima are there after 108 runs, say, and looked at after 124
    spec = plan.cells[0].spec
    for number, parts in enumerate(
        [[(0, 1)], [(0, 32)], [(0, 37)], [(0, 110)], [(0, 123)], [(0, 99), (110, 14)], [(5, 20)]]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        store = Store.create(folder, plan)
        for first, count in parts:
            computed = chunk_module.compute(Chunk((Part(spec, first, count),), 0, "auto", False, 9.0, source_hash()))
            store.add(computed.pieces, computed.content)
        (progress,) = Study.load(folder).progress()
        assert not progress.complete
        run_study(None, folder, workers=0)
        assert rows(folder).equals(fresh), parts


def test_a_higher_ceiling_is_as_if_it_had_always_been(tmp_path):
    keys = {"problem": "majority", "algorithm": "gpstar-single", "n": 6}
    low = Plan.of(**keys, goal={"optima": 100, "at_most": 110})
    high = Plan.of(**keys, goal={"optima": 100, "at_most": 1000})
    run_study(low, tmp_path / "raised", workers=0)
    assert len(Study.load(tmp_path / "raised")) == 110
    run_study(high, tmp_path / "raised", workers=0)
    run_study(high, tmp_path / "fresh", workers=0)
    assert rows(tmp_path / "raised").equals(rows(tmp_path / "fresh"))


def test_many_small_settings_share_chunks(tmp_path):
    weights = [[1, 1 + number / 100, 1] for number in range(300)]
    plan = Plan.of(problem="majority", algorithm="gp-single", n=3, weights=weights, runs=5)
    run_here(plan, tmp_path / "s")
    assert len(Study.load(tmp_path / "s")) == 1500
    assert len(Study.load(tmp_path / "s").entries) < 40


def test_a_goal_gives_each_cell_as_many_runs_as_its_first_runs_say(tmp_path):
    keys = {"seed": 1, "problem": "majority", "algorithm": "gpstar-single", "n": [2, 6], "budget": 1000}
    plan = Plan.of(**keys, goal={"optima": 60, "at_most": 75})
    for workers in (0, 2):
        run_study(plan, tmp_path / str(workers), workers=workers)
    assert rows(tmp_path / "0").equals(rows(tmp_path / "2"))
    # P(optimum) is about 0.94 and 0.82: 60 of them need 64 and 73 runs, so the looks at 79 → ceiling 75 and 75
    counts = [progress.tally for progress in Study.load(tmp_path / "0").progress()]
    assert all(tally.runs == 75 or tally.optima >= 60 for tally in counts)
    assert [tally.runs for tally in counts] == [75, 75] or [tally.runs for tally in counts] == [63, 75]
    tighter = Plan.of(**keys, goal={"optima": 60, "mean_within": 0.3, "at_most": 400})
    run_study(tighter, tmp_path / "0", workers=0)
    run_study(tighter, tmp_path / "new", workers=0)
    assert rows(tmp_path / "0").equals(rows(tmp_path / "new"))


def test_parts_run_apart_are_the_whole(tmp_path):
    for number in (1, 2, 3):
        run_here(small_plan(), tmp_path / str(number), part=(number, 3))
        assert len(Study.load(tmp_path / str(number))) in (8 * 13, 8 * 14)
    assert run_here(None, tmp_path / "1", part=(2, 3)).stored in (8 * 26, 8 * 27)
    with pytest.raises(BadInput, match="part"):
        run_here(None, tmp_path / "1", part=(4, 3))
    with pytest.raises(BadInput, match="goal"):
        run_here(
            Plan.of(problem="order", algorithm="gp-single", n=3, goal={"optima": 3, "at_most": 9}),
            tmp_path / "g",
            part=(1, 2),
        )


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
    run_study(None, folder, workers=0, listener=Listener(notices.append, _interrupt_soon))
    assert notices[0] == f"took over from process {process.pid} on {os.uname().nodename}, which is gone"


def _interrupt_soon(situation):
    situation.stopping = True


def test_a_lock_of_another_host_counts_while_it_is_fresh(tmp_path):
    run_here(small_plan(), tmp_path / "s")
    lock = tmp_path / "s" / LOCK
    lock.write_text('{"host": "elsewhere", "pid": 7}')
    with pytest.raises(Locked, match="process 7 on elsewhere"):
        run_here(None, tmp_path / "s")
    os.utime(lock, (0, 0))
    assert run_study(None, tmp_path / "s", workers=0).computed == 0
