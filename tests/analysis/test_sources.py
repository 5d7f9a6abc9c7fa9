"""Whatever holds the runs, the answers are the same."""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.analysis import summarise, trajectories
from gpruntime.study import Study
from tests.study.studies import run_here, small_plan


class Other:
    """A frame of another library."""

    def __init__(self, table):
        self.table = table

    def to_arrow(self):
        return self.table


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "s"
    run_here(small_plan(n=[4, 6]), folder)
    return Study.load(folder)


@pytest.fixture(scope="module")
def expected(study):
    return summarise(study.table()).to_records()


def test_a_study_its_folder_and_its_files(study, expected):
    for runs in (study, study.folder, str(study.folder), study.folder / "shards"):
        assert summarise(runs).to_records() == expected


def test_tables_and_frames(study, expected):
    table = study.table()
    for runs in (table, table.to_pandas(), Other(table), ds.dataset(table), [table], (table,)):
        assert summarise(runs).to_records() == expected


def test_columns_one_or_many(study, expected):
    parts = [run_many(cell.spec, seed=3, runs=40) for cell in study.plan.cells]
    assert summarise(parts).to_records() == expected
    (cell,) = summarise(parts[0]).cells
    assert cell.runs == 40
    assert cell.mean == parts[0].mean_time()


def test_kinds_may_be_mixed(study, expected):
    cells = study.plan.cells
    columns = [run_many(cell.spec, seed=3, runs=40) for cell in cells[:3]]
    rest = [table.to_pandas() for table in study.tables(cells[3:6])]
    others = study.table().filter(pa.array(np.isin(study.table()["cell"].to_pylist(), [c.id for c in cells[6:]])))
    assert summarise([*columns, *rest, others]).to_records() == expected


def test_files_with_other_types_of_numbers(study, expected, tmp_path):
    """A frame holds numbers of which some are missing as fractions, and so does a file made from it."""
    frame = study.to_pandas().astype({"budget": float, "n": "int32"}).drop(columns="seconds")
    frame["outcome"] = frame["outcome"].astype(str)
    frame.to_parquet(tmp_path / "runs.parquet")
    frame.drop(columns=[name for name in frame if name.startswith("improvement")]).to_csv(tmp_path / "runs.csv")
    for runs in (frame, tmp_path / "runs.parquet", [tmp_path / "runs.parquet"], pd.read_csv(tmp_path / "runs.csv")):
        assert summarise(runs).to_records() == expected


def test_inside_takes_them_too(study):
    columns = run_many(study.plan.cells[0].spec, seed=3, runs=40, improvements=True)
    (course,) = trajectories(columns)
    assert course.to_records() in [other.to_records() for other in trajectories(study)]


@pytest.mark.parametrize("runs", [None, 3, b"runs", {"n": 3}, [], [3], object(), range(3)])
def test_what_holds_no_runs_is_refused(runs):
    with pytest.raises(BadInput, match="runs = "):
        summarise(runs)


def test_what_is_refused_is_named(tmp_path, study, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="nowhere: there is no such file or folder"):
        summarise("nowhere")
    with pytest.raises(BadInput, match="neither a study's folder, nor IOHprofiler's, nor one with"):
        summarise(tmp_path)
    (tmp_path / "runs.parquet").write_text("PAR1 not really")
    for runs in (tmp_path, str(tmp_path / "runs.parquet")):
        with pytest.raises(BadInput, match="cannot be read as Parquet"):
            summarise(runs)
    with pytest.raises(BadInput, match=r"evaluations of type .*: must be integers"):
        summarise(study.to_pandas().assign(evaluations=0.5))
    with pytest.raises(BadInput, match="evaluations: these columns are missing"):
        summarise(study.to_pandas().drop(columns="evaluations"))
    with pytest.raises(BadInput, match="the data frame: cannot be read"):
        summarise(study.to_pandas().assign(n=[object()] * len(study)))
    fractions = study.table().drop_columns(["n"]).append_column("n", pa.array([0.5] * len(study)))
    pq.write_table(fractions, tmp_path / "fractions.parquet")
    with pytest.raises(BadInput, match="n of type double: must be integers"):
        summarise(tmp_path / "fractions.parquet")


def test_columns_twice_are_runs_twice():
    columns = run_many(RunSpec(problem="order", algorithm="gp-single", n=4), seed=3, runs=7)
    with pytest.raises(BadInput, match="stands in the table twice"):
        summarise([columns, columns])


def test_duckdb_is_asked_as_it_is(study, expected):
    connection = duckdb.connect()
    connection.register("runs", study.table())
    assert summarise(connection).to_records() == expected
    assert summarise(connection.sql("select * from runs")).to_records() == expected


@pytest.mark.attack
def test_whole_numbers_floats_and_populations_together(tmp_path):
    """However they are given, with or without improvements, nothing of them is lost."""
    keys = {"algorithm": "gp-single", "n": 4, "budget": 200}
    specs = [RunSpec(problem="regression", **keys), RunSpec(problem="order", **keys)]
    specs.append(RunSpec(problem="majority", **{**keys, "algorithm": "smo-single"}))
    columns = [run_many(spec, seed=3, runs=10, improvements=True) for spec in specs]
    tables = [part.to_arrow() for part in columns]
    for number, table in enumerate(tables):
        pq.write_table(table, tmp_path / f"{9 - number}.parquet")
    expected = [cell.to_record() for part in (columns[2], columns[1], columns[0]) for cell in summarise(part).cells]
    assert expected[0]["mean_max_population"] == pytest.approx(np.mean(columns[2].max_population))
    course = [part.to_records() for given in (columns[2], columns[1], columns[0]) for part in trajectories(given)]
    for runs in (columns, tables[::-1], [table.to_pandas() for table in tables], tmp_path):
        assert summarise(runs).to_records()["cells"] == expected
        assert [part.to_records() for part in trajectories(runs)] == course
