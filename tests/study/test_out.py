"""What comes out of a study: tables, SQL, merged folders, repeated runs."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput, run_many
from gpruntime.model.row import schema
from gpruntime.study import Plan, Study
from gpruntime.study.merge import merge
from gpruntime.study.replay import replay
from gpruntime.study.shard import encode
from gpruntime.study.store import Store
from tests.study.studies import command, rows, run_here, small_plan

# ---- the table


def test_the_table_has_every_field_of_every_run(study):
    table = study.table()
    assert table.schema.equals(schema(True))
    assert table.num_rows == len(study) == 8 * 40
    first = table.slice(0, 1).to_pylist()[0]
    expected = next(run_many(study.plan.cells[0].spec, seed=3, runs=1).results()).record()
    rule, law = expected.pop("accept"), expected.pop("operations")
    assert (
        first["algorithm"] == "gp-single" if (rule, law) == ("weak", "one") else "="
    )  # said there if not the preset's
    assert [expected.pop("weights")] == [[first.pop(f"weight_{kind}") for kind in ("substitute", "insert", "delete")]]
    assert {name: first[name] for name in expected} == expected


def test_columns_can_be_chosen(study):
    assert study.table(["n", "evaluations"]).equals(study.table().select(["n", "evaluations"]))


def test_pandas(study):
    frame = study.to_pandas()
    assert len(frame) == 8 * 40
    assert set(frame.outcome.unique()) == {"optimum", "stuck", "budget"}


def test_an_empty_study_is_an_empty_table(tmp_path):
    tmp_path.joinpath("s").mkdir()
    Store.create(tmp_path / "s", small_plan())
    empty = Study.load(tmp_path / "s")
    assert empty.table().num_rows == 0
    assert empty.sql("select count(*) as runs from runs").to_pylist() == [{"runs": 0}]
    assert [cell.target for cell in empty.progress()] == [40] * 8


# ---- SQL


def test_sql_agrees_with_the_table(study):
    answer = study.sql("select n, avg(evaluations) as mean from runs where outcome = 'optimum' group by n order by n")
    frame = study.to_pandas()
    means = frame[frame.outcome == "optimum"].groupby("n").evaluations.mean()
    assert answer.to_pydict() == {"n": [4, 8], "mean": pytest.approx(means.tolist(), rel=1e-12)}


@pytest.mark.parametrize(
    "query",
    ["copy runs to '{path}'", "select * from read_csv('{path}')", "attach '{path}' as other", "selec",
     "select nothing from runs", "set enable_external_access = true", "insert into runs select * from runs",
     "select * from '{path}'", "install httpfs", "", ";", "drop view runs", "create table a as select 1",
     "select 1; select 2"],
)  # fmt: skip
def test_sql_can_only_read_the_runs(study, tmp_path, query):
    (tmp_path / "file").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="query"):
        study.sql(query.format(path=tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "a,b\n1,2\n"


# ---- merging


def test_parts_are_joined_to_the_whole(folder, tmp_path):
    for number in (1, 2):
        run_here(small_plan(), tmp_path / str(number), part=(number, 2))
    merged = merge([tmp_path / "1", tmp_path / "2"], tmp_path / "both")
    assert rows(tmp_path / "both").equals(rows(folder))
    assert {record["folder"] for record in merged.provenance} == {str(tmp_path / "1"), str(tmp_path / "2")}
    assert run_here(None, tmp_path / "both").computed == 0


def test_runs_that_both_have_are_taken_once(folder, tmp_path):
    run_here(small_plan(), tmp_path / "half", part=(1, 2))
    run_here(small_plan(runs=55), tmp_path / "more")
    merge([tmp_path / "half", folder, tmp_path / "more"], tmp_path / "all")
    assert rows(tmp_path / "all").equals(rows(tmp_path / "more"))


def test_studies_that_do_not_fit_are_not_joined(folder, tmp_path):
    run_here(small_plan(seed=9), tmp_path / "other")
    with pytest.raises(BadInput, match="seed"):
        merge([folder, tmp_path / "other"], tmp_path / "both")
    with pytest.raises(BadInput, match="exists already"):
        merge([folder], folder)
    assert not (tmp_path / "both").exists()


def test_plans_are_joined_in_any_order(tmp_path):
    keys = {"problem": "majority", "algorithm": "gp-single", "n": 4}
    for within in (0.5, 0.2):
        run_here(Plan.of(**keys, goal={"mean_within": within, "at_most": 200}), tmp_path / str(within))
    for one, other in (("0.5", "0.2"), ("0.2", "0.5")):
        merge([tmp_path / one, tmp_path / other], tmp_path / f"{one} {other}")
        assert rows(tmp_path / f"{one} {other}").equals(rows(tmp_path / "0.2"))


def test_equal_laws_have_equal_rows_however_they_are_spelt(tmp_path):
    keys = {"problem": "majority", "algorithm": "gp-single", "n": 4, "runs": 3}
    run_here(Plan.of(**keys, weights=[1, 1, 2]), tmp_path / "a")
    run_here(Plan.of(**keys, weights=[3, 3, 6], poisson_mean=2), tmp_path / "b")
    assert rows(tmp_path / "a").equals(rows(tmp_path / "b"))
    assert rows(tmp_path / "a").to_pylist()[0]["weight_insert"] == 0.5
    assert replay(Study.load(tmp_path / "b"), f"{Plan.of(**keys, weights=[1, 1, 2]).cells[0].id}:1").equal


def falsify(folder):
    """Changes one number and writes checksum and entry as if nothing had happened."""
    store = Store(folder)
    name, entry = list(store.ledger.entries.items())[-1]
    path = folder / "shards" / name
    table = pq.read_table(path)
    wrong = pa.array(np.array(table["evaluations"]) + 1)
    table = table.set_column(table.column_names.index("evaluations"), "evaluations", wrong)
    path.unlink()
    store.add(list(entry.pieces), encode(table, list(entry.pieces), store.plan.seed))
    return entry


def test_folders_that_disagree_on_a_run_are_not_joined(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    entry = falsify(tmp_path / "copy")
    with pytest.raises(BadInput, match=f"its run {entry.pieces[0].cell}:{entry.pieces[0].first} differs"):
        merge([folder, tmp_path / "copy"], tmp_path / "both")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


# ---- replay


def test_every_kind_of_run_can_be_repeated(study):
    for cell in study.plan.cells:
        found = replay(study, f"{cell.id[:10]}:17")
        assert found.equal
        assert found.row["n"] == cell.spec.n


def test_a_run_that_was_falsified_is_found_out(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    entry = falsify(tmp_path / "copy")
    found = replay(Study.load(tmp_path / "copy"), f"{entry.pieces[0].cell}:{entry.pieces[0].first}")
    assert list(found.differences) == ["evaluations"]
    told = command("replay", tmp_path / "copy", "--run", found.id)
    assert told.returncode == 1
    assert told.stdout.startswith("different: run ")


@pytest.mark.parametrize(
    "id_",
    ["", ":", "zz:1", "1", ":1", "{cell}", "{cell}:x", "{cell}:-1", "{cell}:40", "{cell}:²", "{cell}:99999999999"],
)
def test_runs_that_are_not_there(study, id_):
    with pytest.raises(BadInput, match="run = "):
        replay(study, id_.format(cell=study.plan.cells[0].id))


def test_a_printed_study_is_short(study):
    assert str(study).startswith(f"<Study {study.folder.name}: 320 runs in 8 cells\n")
    assert "summarise(study)" in repr(study)
    assert len(str(study)) < 400


@pytest.mark.parametrize("name", ["n=3", "a[1]*?", "it's {1,2}"])
def test_the_folders_name_is_only_a_name(tmp_path, name):
    """duckdb looks for files that match a pattern, and for columns in the names of folders."""
    run_here(small_plan(), tmp_path / name)
    loaded = Study.load(tmp_path / name)
    assert loaded.sql("select * from runs limit 0").schema.names == loaded.schema.names
    assert loaded.sql("select count(*) as runs, count(distinct n) as sizes from runs").to_pylist() == [
        {"runs": 320, "sizes": 2}
    ]
    with pytest.raises(BadInput, match="query"):
        loaded.sql(f"select * from read_csv('{tmp_path}/{name.replace(chr(39), chr(39) * 2)}/plan.toml')")
