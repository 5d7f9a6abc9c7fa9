"""The same table whoever computes it: full disks, bad cells, goals and parts change nothing in it."""

import os
import resource
import signal
import subprocess
import sys

import pytest

from gpruntime import BadInput
from gpruntime.study import Plan, Study, run_study
from gpruntime.study import chunk as chunk_module
from gpruntime.study.chunk import Chunk, Part
from gpruntime.study.provenance import source_hash
from gpruntime.study.store import Store
from tests.study.studies import BIG, command, rows, run_here, small_plan

pytestmark = pytest.mark.processes


def test_one_process_and_two_give_the_same_table(truth, tmp_path):
    for workers in (1, 2):
        report = run_study(Plan.of(**BIG), tmp_path / str(workers), workers=workers)
        assert report.computed == truth.num_rows == 4 * 4 * 250
        assert rows(tmp_path / str(workers)).equals(truth)


def test_rows_are_the_runs_themselves(truth):
    from gpruntime import run_many

    for cell in (Plan.of(**BIG).cells[0], Plan.of(**BIG).cells[-1]):
        expected = run_many(cell.spec, seed=BIG["seed"], runs=250)
        mine = [row for row in truth.to_pylist() if row["cell"] == cell.id]
        assert [row["evaluations"] for row in mine] == expected.evaluations.tolist()
        assert [row["run"] for row in mine] == list(range(250))


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


@pytest.mark.long
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
    report = run_study(small_plan(), tmp_path / "s", workers=0)
    assert report.failures == [f"{bad.words()}: MemoryError: too big"]
    assert report.stored == 7 * 40
    monkeypatch.undo()
    assert Study.load(tmp_path / "s").failures() == report.failures
    assert run_here(None, tmp_path / "s").failures == []
    run_here(small_plan(), tmp_path / "t")
    assert rows(tmp_path / "s").equals(rows(tmp_path / "t"))


# ---- goals, parts


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
