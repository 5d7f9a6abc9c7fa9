"""A study that stores summaries holds what the rows add up to, part by part, and loses no more than rows do."""

import errno
import hashlib
import io
import itertools
import json
import math
import os
import shutil
import signal
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import BadInput, RunSpec
from gpruntime.analysis import summarise
from gpruntime.engine.summary import RunsSummary, bin_begins
from gpruntime.model.run import Outcome
from gpruntime.study import BadPlan, OtherPlan, Plan, Study, StudyWarning, run_study
from gpruntime.study import store as store_module
from gpruntime.study.cell import Tally
from gpruntime.study.ledger import Ledger, sealed
from gpruntime.study.merge import merge
from gpruntime.study.progress import _in_sums
from gpruntime.study.shard import Piece
from gpruntime.study.summaries import decoded, encode, part_end, row_of
from tests.study.studies import command_here as command
from tests.study.studies import run_here, start

RUNS = 3000
KEYS = {
    "seed": 3,
    "problem": "majority",
    "algorithm": ["gp-single", "gpstar-single"],
    "n": [4, 8],
    "runs": RUNS,
    "budget": 300,
}


def plan_of(**keys):
    return Plan.of(**{**KEYS, "store": "summaries", "extremes": 5, **keys})


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("summaries") / "study"
    run_here(plan_of(), folder)
    return folder


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows") / "study"
    run_here(Plan.of(**KEYS), folder)
    return Study.load(folder)


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "study")


def shards(folder):
    return {path.name: path.read_bytes() for path in (folder / "shards").iterdir()}


def numbers(folder):
    return {cell: row_of(found) for cell, found in Study.load(folder).summaries.items()}


# ---- the same as the rows


def test_summaries_are_what_the_rows_add_up_to(finished, rows):
    begins = bin_begins()
    for cell in rows.plan.cells:
        parts = [part.select(["run", "outcome", "evaluations"]).to_pylist() for part in rows.tables([cell])]
        runs = [row for part in parts for row in part]
        times = [row["evaluations"] for row in runs if row["outcome"] == "optimum"]
        bins = np.searchsorted(begins, times, side="right") - 1
        found = Study.load(finished).summary(cell)
        assert (found.spec, found.seed, found.first, found.runs) == (cell.spec, 3, 0, RUNS)
        assert found.outcomes == {end: sum(row["outcome"] == end for row in runs) for end in Outcome}
        assert (found.total, found.squares) == (sum(times), sum(time * time for time in times))
        assert found.evaluations == sum(row["evaluations"] for row in runs)
        assert np.array_equal(found.histogram, np.bincount(bins, minlength=len(begins)))
        ends = [(row["evaluations"], row["run"]) for row in runs]
        assert found.smallest == sorted(ends)[:5]
        assert found.largest == sorted(ends, key=lambda end: (-end[0], end[1]))[:5]
    kinds = {outcome for found in Study.load(finished).summaries.values() for outcome, k in found.outcomes.items() if k}
    assert kinds == set(Outcome)


def test_estimates_are_those_of_the_rows(finished, rows):
    ours, theirs = summarise(str(finished)), summarise(rows)
    cells = {cell.spec: cell for cell in theirs.cells}
    assert {cell.spec for cell in ours.cells} == set(cells)
    for one in ours.cells:
        other = cells[one.spec]
        assert (one.runs, one.optimum, one.stuck, one.budget) == (other.runs, other.optimum, other.stuck, other.budget)
        assert one.caveat() == other.caveat()
        assert one.deviation == pytest.approx(other.deviation)
        for name in ("chance", "mean", "given_optimum", "restricted", "expected_running_time"):
            mine, its = getattr(one, name), getattr(other, name)
            assert mine.value == pytest.approx(its.value), name
            if its.low is not None and not (name == "expected_running_time" and one.stuck):
                near = 2e-3 if name == "chance" else 2e-4  # an exact interval and Wilson's
                assert (mine.low, mine.high) == pytest.approx((its.low, its.high), rel=near), name
        for probability, its in other.quantiles.items():
            mine = one.quantiles[probability]
            assert its.value / (1 + 1 / 64) < mine.value <= its.value or mine.value == its.value
            assert mine.low <= its.low
            assert mine.high >= its.high
            if its.high < 128:
                assert (mine.value, mine.low, mine.high) == (its.value, its.low, its.high)
    assert ours.comparisons == ()
    assert {check.name for check in ours.bounds} <= {check.name for check in theirs.bounds}


def test_a_bound_with_tree_sizes_is_not_held_against_what_has_none(tmp_path):
    keys = {"problem": "order", "algorithm": "gp-single", "n": 4, "runs": 50}
    run_here(Plan.of(**keys, store="summaries"), tmp_path / "s")
    assert not [check for check in summarise(tmp_path / "s").bounds if "T_max" in check.name]


def test_sums_larger_than_64_bits_are_exact():
    plan = Plan.of(problem="majority", algorithm="gp-single", n=8, runs=4, store="summaries", extremes=1)
    times = [2**62, 2**62 + 1, 2**40, 7]
    table = np.zeros((4, 11), np.int64)
    table[:, 1] = times
    found = RunsSummary(plan.cells[0].spec, 0, 0)
    found.add(table, 0, 1, np)
    assert (found.total, found.evaluations, found.squares) == (sum(times), sum(times), sum(t * t for t in times))
    (again,) = decoded(io.BytesIO(encode(found)), [Piece(plan.cells[0].id, 0, 4)], plan)
    assert row_of(again) == row_of(found)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=60), st.randoms(), st.integers(0, 9))
def test_parts_add_up_in_any_order(times, chance, keep):
    spec = RunSpec(problem="majority", algorithm="gp-single", n=8)
    table = np.zeros((len(times), 11), np.int64)
    table[:, 0], table[:, 1] = [time % 3 for time in times], times
    whole = RunsSummary(spec, 1, 0)
    whole.add(table, 0, keep, np)
    cuts = sorted({0, len(times), *(chance.randrange(len(times) + 1) for _ in range(4))})
    parts = []
    for first, end in itertools.pairwise(cuts):
        parts.append(RunsSummary(spec, 1, first))
        parts[-1].add(table[first:end], first, keep, np)
    chance.shuffle(parts)
    joined = parts[0]
    for part in parts[1:]:
        joined.merge(part, keep)
    assert row_of(joined) == row_of(whole)


# ---- parts


@given(st.integers(0, 10**10), st.sampled_from([(False, 2**10, 2**20), (True, 2**16, 2**24)]))
def test_parts_end_at_fixed_runs(run, where):
    on_gpu, least, most = where
    end = part_end(run, on_gpu)
    first = end
    while first > max(end - most, 0) and part_end(first - 1, on_gpu) == end:  # its first run, found by halves
        step = 1
        while first - 2 * step >= max(end - most, 0) and part_end(first - 2 * step, on_gpu) == end:
            step *= 2
        first -= step
    size = end - first
    assert first <= run < end
    assert least <= size <= most
    assert size & (size - 1) == 0
    assert size in (least, most) or first // 32 < size <= first // 16


@pytest.mark.parametrize("fails", [1, 4])
def test_an_end_between_parts_loses_nothing_and_leaves_the_same_bytes(finished, tmp_path, monkeypatch, fails):
    """A disk that is full at the given part: what was stored before stays, and the rest comes with the next call."""
    left, write = [fails], store_module.write_half

    def full(*arguments):
        left[0] -= 1
        if left[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(*arguments)

    monkeypatch.setattr(store_module, "write_half", full)
    with pytest.raises(OSError, match="No space left"):
        run_study(plan_of(), tmp_path / "s", workers=0)
    before = shards(tmp_path / "s")
    assert len(before) == fails - 1
    assert len(shards(finished)) == 4 * 3
    report = run_here(None, tmp_path / "s")
    assert report.computed == 4 * RUNS - sum(piece.count for piece in _pieces(before, finished))
    assert shards(tmp_path / "s") == shards(finished)
    assert run_here(None, tmp_path / "s").computed == 0


def _pieces(names, folder):
    return [piece for name in names for piece in Ledger.read(folder).entries[name].pieces]


@pytest.mark.processes
def test_killed_and_resumed_with_other_workers_it_has_the_same_bytes(finished, tmp_path):
    plan, folder = tmp_path / "plan.toml", tmp_path / "s"
    plan.write_text(plan_of().text)
    process = start("run", plan, "-o", folder, "--workers", "2", "-q")
    end = time.monotonic() + 60
    while not (folder / "shards").is_dir() or (not shards(folder) and time.monotonic() < end):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()
    Study.load(folder)
    run_study(None, folder, workers=2)
    assert shards(folder) == shards(finished)


def test_more_runs_and_shares_add_up_to_the_same(finished, tmp_path):
    run_here(plan_of(runs=1500), tmp_path / "grown")
    run_here(plan_of(), tmp_path / "grown")
    assert numbers(tmp_path / "grown") == numbers(finished)
    for number in (1, 2):  # the first ends at run 1500
        run_here(plan_of(), tmp_path / str(number), part=(number, 2))
    merge([tmp_path / "1", tmp_path / "2", tmp_path / "2"], tmp_path / "both")
    assert numbers(tmp_path / "both") == numbers(finished)
    merge([tmp_path / "grown", finished], tmp_path / "again")  # [1024, 1500) and [1500, 2048) are [1024, 2048)
    assert numbers(tmp_path / "again") == numbers(finished)
    with pytest.raises(BadInput, match=r":1024 to 1499 are added up, and another folder has some of them"):
        merge([finished, tmp_path / "1"], tmp_path / "never")
    assert not (tmp_path / "never").exists()


def test_a_goal_asks_for_as_many_runs_as_with_rows(tmp_path, monkeypatch):
    keys = {"problem": "majority", "algorithm": "gpstar-single", "n": [4, 6], "goal": {"optima": 90, "at_most": 1000}}
    run_here(Plan.of(**keys), tmp_path / "rows")
    wanted = [progress.tally for progress in Study.load(tmp_path / "rows").progress()]
    add = store_module.Store.add
    for stop in (3, 100):
        left = [stop]

        def added(self, *arguments, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            add(self, *arguments)

        monkeypatch.setattr(store_module.Store, "add", added)
        folder = tmp_path / str(stop)
        if stop == 3:
            with pytest.raises(KeyboardInterrupt):
                run_study(Plan.of(**keys, store="summaries"), folder, workers=0)
        run_here(Plan.of(**keys, store="summaries"), folder)
        assert [progress.tally for progress in Study.load(folder).progress()] == wanted
        assert all(progress.complete for progress in Study.load(folder).progress())


def test_a_part_lost_below_the_last_look_is_made_once(tmp_path):
    keys = {"problem": "majority", "algorithm": "gpstar-single", "n": 6, "goal": {"optima": 90, "at_most": 1000}}
    run_here(Plan.of(**keys, store="summaries"), tmp_path / "s")
    before = numbers(tmp_path / "s")
    (victim,) = (entry for entry in Ledger.read(tmp_path / "s").entries.values() if entry.pieces[0].first == 32)
    (tmp_path / "s" / "shards" / victim.name).unlink()
    run_here(None, tmp_path / "s")
    assert numbers(tmp_path / "s") == before


# ---- damage


def test_a_damaged_part_is_named_left_out_and_made_again(folder, finished):
    name = max(shards(folder))
    path = folder / "shards" / name
    path.write_bytes(path.read_bytes()[:-9] + b"x" + path.read_bytes()[-8:])
    with pytest.warns(StudyWarning, match=f"shards/{name}: is damaged") as warned:
        assert len(Study.load(folder)) < 4 * RUNS
    assert len(warned) == 1
    told = command("show", folder)
    assert told.returncode == 0
    assert [line for line in told.stderr.splitlines() if name in line and "left out" in line]
    assert run_here(None, folder).computed > 0
    assert shards(folder) == shards(finished)


@pytest.mark.parametrize(
    "lie",
    [
        {"stuck": -1},
        {"optimum": 10**6},
        {"total": 0},
        {"counts": [1]},
        {"bins": [-1]},
        {"largest_runs": [7, 7, 7, 7, 7]},
        {"smallest_evaluations": None},
        {"cell": "0" * 32},
        {"first": 5},
    ],
)
def test_a_part_that_is_sealed_and_lies_is_left_out_too(folder, finished, lie):
    name, entry = next(iter(Ledger.read(folder).entries.items()))
    path = folder / "shards" / name
    table = pq.read_table(path)
    pq.write_table(pa.Table.from_pylist([{**table.to_pylist()[0], **lie}], table.schema), path)
    content = path.read_bytes()
    said = {**entry.record(), "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    with (folder / "ledger").open("ab") as ledger:
        ledger.write(sealed(said))
    with pytest.warns(StudyWarning, match="is no summary of the runs that it should hold"):
        assert len(Study.load(folder).summaries) == 4
    run_here(None, folder)
    assert shards(folder) == shards(finished)


def test_runs_in_two_summaries_are_refused(folder, tmp_path):
    run_here(plan_of(runs=1500), tmp_path / "other")
    for entry in Ledger.read(tmp_path / "other").entries.values():
        if entry.pieces[0].first == 1024:
            shutil.copy(tmp_path / "other" / "shards" / entry.name, folder / "shards")
            with (folder / "ledger").open("ab") as ledger:
                ledger.write(sealed(entry.record()))
    told = command("show", folder)
    assert (told.returncode, told.stdout) == (2, "")
    assert "is in two summaries" in told.stderr


# ---- plans and commands


def test_plans():
    for keys, words in (
        ({"store": "summary"}, "store = summary: must be one of rows, summaries; did you mean summaries?"),
        ({"store": "summaries", "improvements": True}, "improvements are kept with rows only"),
        ({"extremes": 1001}, "extremes = 1001: must be at most 1000"),
        ({"extremes": "few"}, "extremes = few: must be a whole number"),
    ):
        with pytest.raises(BadPlan) as error:
            Plan.of(**{**KEYS, **keys})
        assert [words in str(problem) for problem in error.value.problems] == [True]
    plain = Plan.of(**KEYS)
    assert (plain.store, plain.extremes) == ("rows", 20)
    assert [cell.id for cell in plain.cells] == [cell.id for cell in plan_of().cells]
    assert plan_of().contradictions(plain) == ["store: rows in the folder, summaries in the plan"]
    assert plan_of(extremes=6).contradictions(plan_of()) == ["extremes: 5 in the folder, 6 in the plan"]
    assert Plan.of(**KEYS, extremes=6).contradictions(plain) == []


def test_another_store_is_refused_and_nothing_changes(folder):
    before = shards(folder)
    with pytest.raises(OtherPlan):
        run_here(Plan.of(**KEYS), folder)
    assert shards(folder) == before


def test_show_status_and_replay(finished):
    assert f"complete; {4 * RUNS:,} of {4 * RUNS:,} runs" in command("status", finished).stdout
    told = command("show", finished).stdout
    assert "12,000 runs in 4 cells" in told
    assert "infinite" in told
    assert "known to the width of a bin" in told
    cells = [json.loads(line) for line in command("show", finished, "--json").stdout.splitlines()]
    study = Study.load(finished)
    for cell in cells:
        found = study.summary(cell["cell"][:8])
        assert cell["largest"] == [list(one) for one in found.largest]
        assert cell["mean_max_leaves"] is None
        assert (cell["mean"] == "infinite") == (cell["stuck"] > 0)
    words = told.splitlines()[-1].split(" study ")[1].split()
    assert command(*words).stdout.startswith("equal: run ")
    for time_, run in (*found.largest, *found.smallest):
        again = command("replay", finished, "--run", f"{cells[-1]['cell']}:{run}")
        assert f" after {time_:,} evaluations" in again.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sql", "{folder}", "select 1"], "stores summaries, and this needs the rows"),
        (["export", "{folder}", "--format", "csv", "-o", "{out}"], "stores summaries"),
        (["export", "{folder}", "--format", "parquet", "-o", "{out}"], "stores summaries"),
        (["export", "{folder}", "--format", "ioh", "-o", "{out}"], "stores summaries"),
        (["report", "{folder}", "-o", "{out}"], "stores summaries"),
        (["replay", "{folder}", "--run", "{cell}:2999999"], "only the 5 longest and shortest runs of a cell have"),
        (["replay", "{folder}", "--run", "zz:1"], "no cells of the study begin with 'zz'"),
    ],
)
def test_what_needs_rows_is_refused_in_one_line(finished, tmp_path, words, said):
    names = {"folder": finished, "out": tmp_path / "out", "cell": plan_of().cells[0].id}
    told = command(*(word.format(**names) for word in words))
    assert (told.returncode, told.stdout) == (2, "")
    assert len(told.stderr.splitlines()) == 1
    assert said in told.stderr
    assert not (tmp_path / "out").exists()


def test_the_same_in_python(finished, rows):
    study = Study.load(finished)
    for ask in (study.table, study.to_pandas, study.connect, lambda: study.sql("select 1"), lambda: study.schema):
        with pytest.raises(BadInput, match="stores summaries"):
            ask()
    with pytest.raises(BadInput, match="stores rows, not summaries"):
        rows.summary(rows.plan.cells[0])
    with pytest.raises(BadInput, match="no cells of the study begin with 'q'"):
        study.summary("q")
    with pytest.raises(BadInput, match="stores summaries"):
        summarise([study, rows])
    assert "12,000 runs in 4 cells, added up" in repr(study)
    assert ".summary(cell)" in study._repr_html_()
    assert math.isinf(summarise(study).cells[-1].mean.value)


def test_looks_see_no_further_than_the_first_gap():
    parts = {(0, 32): Tally(32, 9), (32, 40): Tally(8, 3), (44, 50): Tally(6, 1)}
    of_first = _in_sums(parts)
    assert [of_first(runs) for runs in (32, 36, 40, 50)] == [Tally(32, 9), None, Tally(40, 12), None]


# ---- times beyond the bins of earlier versions


def _stored(folder, times, keys):
    """A study that holds these times, as if its runs had taken them."""
    plan = Plan.of(**keys)
    folder.mkdir()
    store = store_module.Store.create(folder, plan)
    table = np.zeros((len(times), 11), np.int64)
    table[:, 1] = times
    found = RunsSummary(plan.cells[0].spec, plan.seed, 0)
    found.add(table, 0, plan.extremes, np)
    return store, found


@pytest.mark.attack
def test_times_of_2_to_the_53_and_more_through_the_commands(tmp_path):
    """Summaries of this version have their bins; those of earlier ones are read, and what they lack is said."""
    keys = {"problem": "majority", "algorithm": "gpstar-single", "n": 8, "runs": 2000, "store": "summaries"}
    times = np.random.default_rng(7).integers(2**53, 2**55, 2000)
    for name in ("new", "old"):
        store, found = _stored(tmp_path / name, times, keys)
        if name == "old":
            found.histogram[3071], found.histogram[3072:] = 2000, 0
        store.add([Piece(found.spec.cell_id, 0, 2000)], encode(found))
    for name in ("new", "old"):
        assert command("status", tmp_path / name).stdout.startswith(f"{tmp_path / name}: complete; 2,000 of 2,000 runs")
        record = json.loads(command("show", tmp_path / name, "--json").stdout)
        assert record["mean"] == pytest.approx(times.mean())
        assert times.mean() * 0.97 < record["mean_low"] < times.mean() < record["mean_high"] < times.mean() * 1.03
        told = command("show", tmp_path / name).stdout
        assert (record["quantile_0.5"] == "> 8936830510563327") == (name == "old")
        assert ("An earlier version stored some of these summaries" in told) == (name == "old")
    assert json.loads(command("show", tmp_path / "new", "--json").stdout)["quantile_0.5"] == pytest.approx(
        np.median(times), rel=1 / 64
    )
    merge([tmp_path / "old", tmp_path / "new"], tmp_path / "both")  # the same runs, though in other bins
    assert len(Study.load(tmp_path / "both")) == 2000


@pytest.mark.attack
def test_a_summary_with_lists_that_no_summary_has_is_not_read(folder, finished, monkeypatch):
    """A small file can hold lists of any length: how long they are is said before they are read."""
    name, entry = next(iter(Ledger.read(folder).entries.items()))
    path = folder / "shards" / name
    table = pq.read_table(path)
    lie = {"bins": [1] * 10**6, "counts": [1] * 10**6}
    pq.write_table(pa.Table.from_pylist([{**table.to_pylist()[0], **lie}], table.schema), path)
    content = path.read_bytes()
    assert len(content) < 20_000
    said = {**entry.record(), "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    with (folder / "ledger").open("ab") as ledger:
        ledger.write(sealed(said))
    read, most = pq.ParquetFile.read, []
    monkeypatch.setattr(pq.ParquetFile, "read", lambda file, **keys: most.append(_longest(file)) or read(file, **keys))
    with pytest.warns(StudyWarning, match="is no summary of the runs that it should hold"):
        Study.load(folder)
    assert 0 < max(most) < 10**4
    run_here(None, folder)
    assert shards(folder) == shards(finished)


def _longest(file):
    return max(file.metadata.row_group(0).column(i).num_values for i in range(file.metadata.num_columns))
