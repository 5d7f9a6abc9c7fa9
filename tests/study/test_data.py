"""Runs of a problem whose data are others in another process, on another day or machine never get into one cell."""

import json
import os
import shutil

import pytest

from gpruntime import BadInput, problem
from gpruntime.study import Listener, Plan, Study, StudyWarning, executors, run_study
from gpruntime.study.chunk import compute
from gpruntime.study.ledger import Ledger, sealed
from gpruntime.study.merge import merge
from gpruntime.study.replay import replay
from tests.study.studies import rows, run_here

pytestmark = pytest.mark.attack


@problem(sees="counts", best=lambda n: 10**6, data=lambda n: [1 + i + int(os.environ["OFFSET"]) for i in range(n)])
def weighted(i, plain, bar, n, weights):
    return weights[i - 1] if plain >= max(bar, 1) else 0


@problem(sees="counts", best=lambda n: 10**12, data=lambda n: [os.getpid() + i for i in range(n)])
def by_process(i, plain, bar, n, weights):
    return weights[i - 1] if plain >= max(bar, 1) else 0


def plan_of(**keys):
    keys = {"seed": 1, "problem": [weighted, "order"], "algorithm": "gp-single", "n": [3, 4], "runs": 6, **keys}
    return Plan.of(**keys, budget=100)


@pytest.fixture(autouse=True)
def another_day(monkeypatch):
    """Makes the data others, as they may be in another process."""

    def change(offset):
        monkeypatch.setenv("OFFSET", str(offset))
        weighted._known_data.clear()

    change(0)
    return change


@pytest.mark.parametrize("store", ["rows", "summaries"])
def test_a_study_goes_on_with_the_same_data_only(tmp_path, another_day, store):
    run_here(plan_of(store=store), tmp_path / "s")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    another_day(1)
    with pytest.raises(BadInput, match=r"its runs of weighted@\w+ at n = [34] were made with other data") as refused:
        run_here(plan_of(store=store, runs=8), tmp_path / "s")
    assert refused.value.name == "folder"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    cell = Study.load(tmp_path / "s").plan.cells[0]
    with pytest.raises(BadInput, match="was made with other data for n = 3 than weighted@"):
        replay(Study.load(tmp_path / "s"), f"{cell.id}:0")
    another_day(0)
    assert run_here(plan_of(store=store, runs=8), tmp_path / "s").stored == 4 * 8
    assert replay(Study.load(tmp_path / "s"), f"{cell.id}:0").equal


@pytest.mark.parametrize("store", ["rows", "summaries"])
def test_a_worker_that_has_other_data_is_refused_and_the_other_cells_go_on(tmp_path, another_day, monkeypatch, store):
    def elsewhere(chunk):
        another_day(1)
        try:
            return compute(chunk)
        finally:
            another_day(0)

    plan, notices = plan_of(store=store), []
    monkeypatch.setattr(executors, "attempt", elsewhere)
    report = run_study(plan, tmp_path / "s", workers=0, listener=Listener(notices.append))
    assert [line.rpartition(": ")[0].rpartition(": ")[2] for line in report.failures] == [
        f"has other data for n = {n} in a worker than in the study" for n in (3, 4)
    ]
    assert len(notices) == 2  # each is told once, however often it is tried
    assert report.stored == 2 * 6
    assert {piece.cell for entry in Study.load(tmp_path / "s").entries for piece in entry.pieces} == {
        cell.id for cell in plan.cells if cell.spec.problem.id == "order"
    }


@pytest.mark.processes
def test_data_that_are_others_in_every_process_are_found_by_workers(tmp_path):
    report = run_study(plan_of(problem=by_process), tmp_path / "s", workers=2)
    assert len(report.failures) == 2
    assert report.stored == 0
    assert list((tmp_path / "s" / "shards").iterdir()) == []


@pytest.mark.processes
@pytest.mark.parametrize("cluster", [None, "local"])
def test_a_part_that_a_worker_cannot_load_is_told_in_its_words(tmp_path, monkeypatch, capfd, cluster):
    """It imports a package that is gone when the worker starts."""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "only_here.py").write_text("LIMIT = 3\n", "utf-8")
    (tmp_path / "mine.py").write_text(
        "import only_here\nfrom gpruntime import problem\n\n"
        "@problem(sees='counts', best=lambda n: n)\n"
        "def limited(i, plain, bar, n):\n    return plain >= only_here.LIMIT\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(packages))
    plan = plan_of(problem="mine.py:limited", n=3)
    (packages / "only_here.py").unlink()
    report = run_study(plan, tmp_path / "s", workers=1, cluster=cluster)
    (failure,) = report.failures
    assert "cannot be loaded: line 3: ModuleNotFoundError: No module named 'only_here'" in failure
    assert "Traceback" not in capfd.readouterr().err


def test_folders_with_other_data_are_not_joined(tmp_path, another_day):
    run_here(plan_of(), tmp_path / "a", part=(1, 2))
    another_day(1)
    run_here(plan_of(), tmp_path / "b", part=(2, 2))
    with pytest.raises(BadInput, match="were made with other data than another folder's"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    another_day(0)
    run_here(plan_of(), tmp_path / "d", part=(2, 2))
    run_here(plan_of(), tmp_path / "whole")
    merge([tmp_path / "a", tmp_path / "d"], tmp_path / "c")
    assert rows(tmp_path / "c").equals(rows(tmp_path / "whole"))
    assert Ledger.read(tmp_path / "c").data == Ledger.read(tmp_path / "whole").data


def test_an_older_ledger_says_nothing_of_data_and_is_read_and_gone_on_with(tmp_path):
    run_here(plan_of(), tmp_path / "s")
    expected = rows(tmp_path / "s")
    ledger = tmp_path / "s" / "ledger"
    lines = [json.loads(line.partition(b" ")[2]) for line in ledger.read_bytes().splitlines()]
    assert any("data" in line for line in lines)
    for line in lines:
        line.pop("data", None)
    ledger.write_bytes(b"".join(map(sealed, lines)))
    assert rows(tmp_path / "s").equals(expected)
    assert run_here(plan_of(runs=7), tmp_path / "s").computed == 4
    assert len(Ledger.read(tmp_path / "s").data) == 2


@pytest.mark.parametrize("data", [3, [], {"x": "y"}, {"0" * 32: "0" * 16}, {"cell": None}])
def test_a_ledger_that_says_nonsense_of_data_is_damaged_there(tmp_path, data):
    run_here(plan_of(), tmp_path / "s")
    entry = next(iter(Ledger.read(tmp_path / "s").entries.values()))
    data = {entry.pieces[0].cell: None} if data == {"cell": None} else data
    with (tmp_path / "s" / "ledger").open("ab") as file:
        file.write(sealed({**entry.record(), "data": data}))
    assert len(Ledger.read(tmp_path / "s").damaged) == 1


def test_a_shard_that_was_entered_with_other_data_is_left_out(tmp_path):
    run_here(plan_of(), tmp_path / "true")
    folder = shutil.copytree(tmp_path / "true", tmp_path / "s")
    entry = [entry for entry in Ledger.read(folder).entries.values() if entry.data][-1]
    with (folder / "ledger").open("ab") as file:
        file.write(sealed({**entry.record(), "data": {cell: "0" * 16 for cell, _ in entry.data}}))
    with pytest.warns(StudyWarning, match="holds runs with other data than those before it"):
        Study.load(folder)
    run_here(plan_of(), folder)
    assert rows(folder).equals(rows(tmp_path / "true"))


def test_the_digest_tells_data_best_and_terminals_apart(another_day):
    digests = [weighted.data_digest(3), weighted.data_digest(4)]
    another_day(1)
    digests.append(weighted.data_digest(3))
    assert len(set(digests)) == 3
    plain = [cell.spec.problem for cell in Plan.of(problem="order", algorithm="gp-single", n=3, runs=1).cells]
    assert plain[0].data_digest(3) is None
