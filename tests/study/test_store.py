"""A study's folder survives what happens to folders: damage is found, named, set aside and recomputed, never read."""

import json
import shutil

import pytest

from gpruntime import BadInput
from gpruntime.study import Listener, OtherPlan, Study, StudyWarning, run_study
from gpruntime.study.files import half_of
from gpruntime.study.ledger import Ledger, sealed
from gpruntime.study.store import Store
from tests.study.studies import command, rows, run_here, small_plan


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "study"
    run_here(small_plan(), folder)
    return folder


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "study")


def shards(folder):
    return sorted((folder / "shards").iterdir(), key=lambda path: path.stat().st_size)


def assert_mended(folder, finished, *named):
    """A reader warns and leaves out; a run names, sets aside and recomputes; then all is as before."""
    with pytest.warns(StudyWarning) as warned:
        partial = Study.load(folder)
    assert len(partial) < len(Study.load(finished))
    report = run_here(None, folder)
    for name in named:
        assert any(name in str(warning.message) for warning in warned)
        assert any(name in line for line in report.found), report.found
    assert report.computed > 0
    assert rows(folder).equals(rows(finished))
    assert run_here(None, folder).computed == 0
    return report


def test_a_truncated_shard(folder, finished):
    victim = shards(folder)[-1]
    victim.write_bytes(victim.read_bytes()[:-100])
    assert_mended(folder, finished, victim.name)
    assert (folder / "set-aside" / victim.name).is_file()


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.99])
def test_a_flipped_byte(folder, finished, place):
    victim = shards(folder)[-1]
    content = bytearray(victim.read_bytes())
    content[int(place * len(content))] ^= 0x10
    victim.write_bytes(content)
    assert_mended(folder, finished, victim.name)


def test_a_missing_shard(folder, finished):
    victim = shards(folder)[-1]
    victim.unlink()
    assert_mended(folder, finished, victim.name)


def test_a_shard_of_another_study_under_a_name_of_ours(folder, finished, tmp_path):
    run_here(small_plan(seed=4), tmp_path / "other")
    victim = shards(folder)[-1]
    shutil.copy(shards(tmp_path / "other")[-1], victim)
    assert_mended(folder, finished, victim.name)


def test_files_that_are_not_ours_are_set_aside_and_not_read(folder, finished, tmp_path):
    run_here(small_plan(seed=4), tmp_path / "other")
    foreign = shards(tmp_path / "other")[-1]
    shutil.copy(foreign, folder / "shards" / "0-foreign.parquet")
    (folder / "shards" / "notes.txt").write_text("hello")
    assert rows(folder).equals(rows(finished))
    report = run_here(None, folder)
    assert report.computed == 0
    assert [line for line in report.found if "set aside" in line and ("0-foreign" in line or "notes.txt" in line)]
    assert {path.name for path in (folder / "set-aside").iterdir()} == {"0-foreign.parquet", "notes.txt"}
    assert len(report.found) == 2


def test_damaged_ledger_lines(folder, finished):
    ledger = folder / "ledger"
    lines = ledger.read_bytes().split(b"\n")
    lines[3] = lines[3].replace(b"parquet", b"pArquet")
    ledger.write_bytes(b"\n".join(lines))
    report = assert_mended(folder, finished, "ledger")
    assert any("line 4" in line for line in report.found)


def test_a_ledger_whose_plan_is_damaged_goes_by_plan_toml(folder, finished):
    ledger = folder / "ledger"
    ledger.write_bytes(ledger.read_bytes().replace(b"improvements", b"impr0vements", 1))
    with pytest.warns(StudyWarning, match="ledger: damaged in line 2"):
        assert len(Study.load(folder)) == len(Study.load(finished))
    run_here(None, folder)
    assert rows(folder).equals(rows(finished))
    (folder / "plan.toml").unlink()
    ledger.write_bytes(ledger.read_bytes().replace(b"improvements", b"impr0vements", 1))
    with pytest.raises(BadInput, match="damaged"):
        Study.load(folder)


def test_a_line_cut_off_counts_as_not_there(folder, finished):
    ledger = folder / "ledger"
    ledger.write_bytes(ledger.read_bytes()[:-20])
    with pytest.warns(StudyWarning, match="ledger: was cut off or emptied: 1 shards"):
        assert len(Study.load(folder)) < len(Study.load(finished))
    assert run_here(None, folder).computed > 0
    assert rows(folder).equals(rows(finished))


def test_a_crash_between_the_entry_and_the_name_loses_nothing(folder, finished):
    last = list(Ledger.read(folder).entries)[-1]
    (folder / "shards" / last).rename(folder / "shards" / half_of(last))
    assert len(Study.load(folder)) < len(Study.load(finished))  # arriving: no warning, no row
    assert run_here(None, folder).computed == 0
    assert rows(folder).equals(rows(finished))


def test_half_written_files_are_cleared_away(folder):
    (folder / "shards" / ".x.parquet.half").write_bytes(b"PAR1")
    assert run_here(None, folder).found == []
    assert not (folder / "shards" / ".x.parquet.half").exists()


def test_adding_changes_no_finished_run(folder, finished):
    bigger = small_plan(n=[4, 8, 12], runs=60)
    report = run_here(bigger, folder)
    assert report.stored == 4 * 3 * 60
    assert report.computed == 4 * 3 * 60 - 4 * 2 * 40
    for cell in small_plan().cells:
        old = [r for t in Study.load(finished).tables([cell]) for r in t.drop_columns(["seconds"]).to_pylist()]
        new = [r for t in Study.load(folder).tables([cell]) for r in t.drop_columns(["seconds"]).to_pylist()]
        assert new[:40] == old
    assert Study.load(folder).plan == bigger
    assert (folder / "plan.toml").read_text() == bigger.text


def test_a_plan_that_contradicts_is_refused_and_nothing_changes(folder, finished):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(OtherPlan) as error:
        run_here(small_plan(seed=5, runs=20), folder)
    assert len(error.value.differences) == 2
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_plan_edited_in_the_folder_is_taken_up_if_it_only_adds(folder):
    plan = folder / "plan.toml"
    plan.write_text(plan.read_text().replace("runs = 40", "runs = 41"))
    assert run_here(None, folder).stored == 8 * 41
    plan.write_text(plan.read_text().replace("runs = 41", "runs = 3"))
    with pytest.raises(OtherPlan):
        run_here(None, folder)


def test_a_folder_with_other_things_in_it_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(BadInput, match=r"not empty and not a study: it holds thesis\.tex"):
        run_here(small_plan(), tmp_path)
    with pytest.raises(BadInput, match="is not the folder of a study"):
        Study.load(tmp_path)


def test_nothing_happens_to_a_folder_that_is_refused(tmp_path):
    (tmp_path / "lock").write_text("mine")
    before = list(tmp_path.iterdir())
    with pytest.raises(BadInput, match="it holds lock"):
        run_here(small_plan(), tmp_path)
    assert list(tmp_path.iterdir()) == before
    assert (tmp_path / "lock").read_text() == "mine"
    with pytest.raises(BadInput, match="is a file"):
        run_here(small_plan(), tmp_path / "lock")


def test_a_line_cut_off_and_a_plan_that_adds(folder):
    with (folder / "ledger").open("ab") as file:
        file.write(b'deadbeef {"sh')
    run_here(small_plan(runs=41), folder)
    assert len(Study.load(folder)) == 8 * 41
    assert Study.load(folder).damaged == []


def test_a_damaged_ledger_does_not_make_an_edited_plan_the_truth(folder):
    ledger = folder / "ledger"
    content = bytearray(ledger.read_bytes())
    content[20] ^= 1
    ledger.write_bytes(content)
    plan = folder / "plan.toml"
    plan.write_text(plan.read_text().replace("n = [4, 8]", "n = [8]"))
    with pytest.raises(OtherPlan):
        run_here(None, folder)
    assert not (folder / "set-aside").exists()


def test_runs_of_other_sources_are_told(folder):
    entry = next(iter(Store(folder).ledger.entries.values()))
    with (folder / "ledger").open("ab") as file:
        file.write(sealed({**entry.record(), "sources": "0" * 16}))
    notices = []
    run_study(None, folder, workers=0, listener=Listener(notices.append))
    assert any("another version of the sources" in notice for notice in notices)


def test_a_folder_where_a_first_try_was_interrupted_is_taken(tmp_path, finished):
    for name in (".gpruntime-lock", "plan.toml", ".gpruntime-0123456789abcdef.half"):
        (tmp_path / name).write_text("")
    (tmp_path / "shards").mkdir()
    run_here(small_plan(), tmp_path)
    assert rows(tmp_path).equals(rows(finished))


def test_a_folder_of_a_newer_format_is_refused(folder):
    (folder / "ledger").write_bytes(sealed({"study": 2, "schema": 1}) + (folder / "ledger").read_bytes())
    with pytest.raises(BadInput, match="newer gpruntime"):
        Store(folder)


def test_readers_of_a_damaged_study_say_so_on_the_command_line(folder):
    victim = shards(folder)[-1]
    victim.write_bytes(b"not parquet")
    told = command("status", folder)
    assert told.returncode == 0
    assert victim.name in told.stderr
    assert "Traceback" not in told.stderr


def test_provenance_says_who_computed_what(finished):
    begin, end = Study.load(finished).provenance
    assert begin["event"] == "begin"
    assert begin["gpruntime"]
    assert len(begin["sources"]) == 16
    assert end["event"] == "end"
    assert end["computed"] == end["stored"] == 8 * 40
    json.dumps(begin)
