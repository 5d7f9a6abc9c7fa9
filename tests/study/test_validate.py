"""Rows that are not the plan's are never stored and never read, whoever made them; a replay goes by the plan."""

import dataclasses
import hashlib
import io
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput
from gpruntime.analysis import summarise
from gpruntime.study import Listener, Plan, Study, StudyWarning, executors, provenance, run_study
from gpruntime.study.cell import Tally
from gpruntime.study.chunk import Computed, compute
from gpruntime.study.ledger import Ledger, sealed
from gpruntime.study.replay import replay
from gpruntime.study.summaries import row_of
from tests.study.studies import command_here, rows, run_here

pytestmark = pytest.mark.attack

KEYS = {"seed": 1, "problem": "majority", "algorithm": ["gp-single", "gpstar-single"], "n": [4, 6], "runs": 40}
STORES = ["rows", "summaries"]


def plan_of(**keys):
    return Plan.of(**{**KEYS, **keys})


@pytest.fixture(scope="module", params=STORES)
def finished(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "study"
    run_here(plan_of(store=request.param), folder)
    return folder


def content(folder):
    """What a study says, in numbers."""
    study = Study.load(folder)
    if study.plan.summarised:
        return {cell: row_of(found) for cell, found in study.summaries.items()}
    return rows(folder).to_pylist()


# ---- what a worker brings


def of_another_seed(chunk):
    return compute(dataclasses.replace(chunk, seed=chunk.seed + 1))


def of_other_numbers(chunk):
    """The runs after those that it was asked for, entered for those."""
    parts = tuple(dataclasses.replace(part, first=part.first + 7) for part in chunk.parts)
    return with_pieces(chunk, compute(dataclasses.replace(chunk, parts=parts)))


def of_another_cell(chunk):
    other = plan_of(n=5).cells[0].spec
    parts = tuple(dataclasses.replace(part, spec=other) for part in chunk.parts)
    return with_pieces(chunk, compute(dataclasses.replace(chunk, parts=parts)))


def with_pieces(chunk, computed):
    pieces = [
        dataclasses.replace(done.piece, cell=part.spec.cell_id, first=part.first)
        for part, done in zip(chunk.parts, computed.finished, strict=False)
    ]
    finished = zip(computed.finished, pieces, strict=True)
    return dataclasses.replace(computed, finished=tuple(dataclasses.replace(done, piece=p) for done, p in finished))


def by_another_method(chunk):
    return compute(dataclasses.replace(chunk, method="stepping"))


def with_another_tally(chunk):
    return changed(compute(chunk), tally=Tally(1, 1, 7, 49))


def with_other_data(chunk):
    return changed(compute(chunk), data="0" * 16)


def twice(chunk):
    done = compute(chunk)
    return dataclasses.replace(done, finished=done.finished * 2)


def changed(computed, **fields):
    finished = tuple(dataclasses.replace(done, **fields) for done in computed.finished)
    return dataclasses.replace(computed, finished=finished)


def nothing_known(chunk):
    return Computed(b"no Parquet", compute(chunk).finished, {})


def an_error_elsewhere(chunk):
    return dataclasses.replace(compute(chunk), failed={"0" * 32: "an error"})


def none_at_all(chunk):
    return None


BAD_WORKERS = [
    of_another_seed,
    of_other_numbers,
    of_another_cell,
    with_another_tally,
    with_other_data,
    twice,
    nothing_known,
    an_error_elsewhere,
    none_at_all,
]


@pytest.mark.parametrize("worker", [*BAD_WORKERS, by_another_method])
@pytest.mark.parametrize("store", STORES)
def test_what_a_worker_brings_is_held_to_what_it_was_asked_for(tmp_path, monkeypatch, worker, store):
    if worker is by_another_method and store == "summaries":
        pytest.skip("a summary does not say by which method")
    plan, notices = plan_of(store=store), []
    monkeypatch.setattr(executors, "attempt", worker)
    report = run_study(plan, tmp_path / "s", workers=0, listener=Listener(notices.append))
    bad = [cell for cell in plan.cells if worker is not by_another_method or cell.spec.can_skip]
    assert [line.partition(": ")[0] for line in report.failures] == [cell.words() for cell in bad]
    assert all("worker returned" in line for line in report.failures)
    assert len(notices) == len(set(notices))
    assert report.stored == 40 * (len(plan.cells) - len(bad))
    monkeypatch.undo()
    assert run_here(None, tmp_path / "s").failures == []
    run_here(plan, tmp_path / "t")
    assert content(tmp_path / "s") == content(tmp_path / "t")


def test_the_digest_that_workers_compare_covers_what_makes_rows():
    root = provenance.Path(provenance.__file__).parent
    covered = {path.relative_to(root.parent).as_posix() for path in provenance.sources()}
    made_by = {"study/chunk.py", "study/shard.py", "study/summaries.py", "study/cell.py"}
    assert made_by | {"engine/execute.py", "model/run.py", "gpu/source/run.cuh"} <= covered


# ---- what is read


def forge(folder, change):
    """Changes a shard, and enters it as if nothing had happened."""
    name, entry = next(iter(Ledger.read(folder).entries.items()))
    path = folder / "shards" / name
    table = change(pq.read_table(path))
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    path.write_bytes(buffer.getvalue())
    sealed_anew = {"sha256": hashlib.sha256(buffer.getvalue()).hexdigest(), "bytes": len(buffer.getvalue())}
    with (folder / "ledger").open("ab") as file:
        file.write(sealed({**entry.record(), **sealed_anew}))
    return entry


def with_column(name, change):
    def changed_table(table):
        values = [change(value) for value in table[name].to_pylist()]
        kind = table.schema.field(name).type
        column = pa.array(values, pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(values)
        return table.set_column(table.column_names.index(name), name, column.cast(kind))

    return changed_table


FORGED = {
    "seed": lambda _: 2,
    "run": lambda run: run + 1,
    "cell": lambda _: "0" * 32,
    "problem": lambda _: "order",
    "n": lambda n: n + 1,
    "budget": lambda _: 7,
    "init": lambda _: "bad",
    "weight_insert": lambda _: 0.5,
}


@pytest.mark.parametrize("name", FORGED)
def test_a_shard_of_other_runs_is_left_out_and_made_again(tmp_path, name):
    run_here(plan_of(), tmp_path / "true")
    folder = shutil.copytree(tmp_path / "true", tmp_path / "study")
    entry = forge(folder, with_column(name, FORGED[name]))
    with pytest.warns(StudyWarning, match=f"{entry.name}: holds runs that are not the plan's: their"):
        study = Study.load(folder)
    assert len(study) == 160 - sum(piece.count for piece in entry.pieces)
    assert any(entry.name in line for line in run_here(None, folder).found)
    assert rows(folder).equals(rows(tmp_path / "true"))


@pytest.mark.parametrize("name", ["problem", "cell"])
def test_words_that_are_no_text_are_damage(tmp_path, name):
    run_here(plan_of(), tmp_path / "s")

    def no_text(table):
        words = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"], pa.binary()).buffers())
        column = pa.DictionaryArray.from_arrays(pa.array([0] * len(table), pa.int32()), words, safe=False)
        return table.set_column(table.column_names.index(name), name, column)

    entry = forge(tmp_path / "s", no_text)
    with pytest.warns(StudyWarning, match=f"{entry.name}: is no table of the runs that it should hold"):
        Study.load(tmp_path / "s")


def with_seed(seed):
    def changed_table(table):
        return table.replace_schema_metadata({**table.schema.metadata, b"gpruntime.seed": seed})

    return changed_table


@pytest.mark.parametrize("seed", [b"2", b"x", b""])
def test_a_summary_of_another_seed_is_left_out_and_made_again(tmp_path, seed):
    run_here(plan_of(store="summaries"), tmp_path / "true")
    folder = shutil.copytree(tmp_path / "true", tmp_path / "study")
    entry = forge(folder, with_seed(seed))
    with pytest.warns(StudyWarning, match=f"{entry.name}: is no summary of the runs"):
        Study.load(folder)
    run_here(None, folder)
    assert content(folder) == content(tmp_path / "true")


def test_summaries_that_do_not_say_their_seed_are_still_read(tmp_path):
    run_here(plan_of(store="summaries"), tmp_path / "true")
    folder = shutil.copytree(tmp_path / "true", tmp_path / "study")
    forge(folder, lambda table: table.replace_schema_metadata({}))
    assert content(folder) == content(tmp_path / "true")


# ---- repeated


def test_a_replay_goes_by_the_plan_and_not_by_the_row(tmp_path):
    """Of a folder that was read before its rows were changed, or whose reader holds them to nothing."""
    run_here(plan_of(), tmp_path / "one")
    run_here(plan_of(seed=2), tmp_path / "two")
    study, other = Study.load(tmp_path / "one"), Study.load(tmp_path / "two")
    cell = study.plan.cells[0]
    mixed = Study(other.folder, study.plan, other.entries, [])
    found = replay(mixed, f"{cell.id}:3")
    assert not found.equal
    assert found.differences["seed"] == (2, 1)
    assert replay(study, f"{cell.id}:3").equal


def test_a_folder_of_two_seeds_is_shown_without_the_second(tmp_path):
    """The rows of another seed under this plan, well sealed: before, `show` used them and `replay` said equal."""
    run_here(plan_of(), tmp_path / "one")
    run_here(plan_of(seed=2), tmp_path / "two")
    folder = tmp_path / "two"
    text = (folder / "ledger").read_bytes()
    header = [sealed({"study": 1, "schema": 1}), sealed({"plan": plan_of().text})]
    (folder / "ledger").write_bytes(b"".join(header) + b"".join(text.splitlines(keepends=True)[2:]))
    told = command_here("show", folder)
    assert "holds runs that are not the plan's: their seed is another" in told.stderr
    with pytest.warns(StudyWarning):
        assert len(Study.load(folder)) == 0
    told = command_here("replay", folder, "--run", f"{plan_of().cells[0].id}:3")
    assert (told.returncode, told.stdout) == (2, "")
    run_here(plan_of(), folder)
    assert rows(folder).equals(rows(tmp_path / "one"))
    assert len(summarise(folder).cells) == 4


def test_every_run_is_its_replay(finished):
    study = Study.load(finished)
    for cell in study.plan.cells:
        numbers = [run for _, run in study.summary(cell).largest] if study.plan.summarised else [0, 39]
        assert all(replay(study, f"{cell.id}:{number}").equal for number in numbers)
    with pytest.raises(BadInput, match=r"no such run|have a record"):
        replay(study, f"{study.plan.cells[0].id}:40")
