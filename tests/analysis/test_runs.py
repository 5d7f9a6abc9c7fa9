"""The table of runs: all ways to give it say the same, and a table that cannot be right is refused."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.analysis import RunTable, summarise
from tests.runs_help import planted_table, study_table, together

SPECS = [RunSpec(problem="order", algorithm=a, n=n) for a in ("gp-single", "gpstar-single") for n in (3, 5, 8)]


@pytest.fixture(scope="module")
def table():
    return study_table(SPECS, 40)


def test_arrow_connection_relation_and_shards_agree(table, tmp_path):
    rows = list(range(table.num_rows))[::-1]
    for shard in range(3):
        pq.write_table(table.take(rows[shard::3]), tmp_path / f"{shard}.parquet")
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW runs AS SELECT * FROM read_parquet('{tmp_path}/*.parquet')")
    relation = duckdb.connect().from_parquet(f"{tmp_path}/*.parquet")
    expected = summarise(table).to_records()
    assert summarise(connection).to_records() == expected
    assert summarise(relation).to_records() == expected
    assert summarise(RunTable(table)).to_records() == expected


def test_cells_hold_the_runs(table):
    cells = list(RunTable(table).cells())
    assert [cell.spec for cell in cells] == SPECS
    for cell in cells:
        chosen = table.filter(
            (pa.compute.field("n") == cell.spec.n) & (pa.compute.field("algorithm") == cell.spec.algorithm.id)
        )
        assert sorted(cell.evaluations.tolist()) == sorted(chosen["evaluations"].to_pylist())
        assert cell.operations["insert"].proposed == sum(chosen["proposed_insert"].to_pylist())
        assert cell.addresses == ((1, cell.addresses[0].method, 0, 39, 40),)


def test_a_run_counted_twice_is_refused(table):
    with pytest.raises(BadInput, match="run 7 of seed 1: stands in the table twice"):
        summarise(pa.concat_tables([table, table.slice(7, 1)]))


def test_other_seeds_and_methods_are_other_runs(table):
    other = study_table(SPECS[:1], 40, seed=2)
    summary = summarise(together([table, other]))
    assert summary.cells[0].runs == 80
    assert len(summary.cells[0].addresses) == 2


def test_missing_columns_are_named(table):
    with pytest.raises(BadInput, match="evaluations: these columns are missing"):
        summarise(table.drop_columns(["evaluations"]))


def test_an_unknown_outcome_is_refused(table):
    at = table.column_names.index("outcome")
    wrong = table.set_column(at, "outcome", pa.array(["lost"] * table.num_rows))
    with pytest.raises(BadInput, match="must be optimum or stuck or budget"):
        summarise(wrong)


def test_levels(table):
    with pytest.raises(BadInput, match="level = 95"):
        summarise(table, level=95)
    narrow, wide = summarise(table, level=0.9), summarise(table, level=0.99)
    assert narrow.cells[2].mean.high < wide.cells[2].mean.high


def test_cells_that_are_read_some_at_a_time_are_the_same(monkeypatch):
    specs = [RunSpec(problem="order", algorithm="gp-single", n=n) for n in (4, 5, 6, 7)]
    table = pa.concat_tables(planted_table(spec, np.arange(1.0, 2 + 10 * spec.n)) for spec in specs)
    at_once = list(RunTable(table).cells())
    queries = []
    monkeypatch.setattr("gpruntime.analysis.table._MAX_AT_ONCE", 100)
    arrays = RunTable.arrays
    monkeypatch.setattr(RunTable, "arrays", lambda self, sql: queries.append(sql) or arrays(self, sql))
    some = list(RunTable(table).cells())
    assert len(queries) == 3  # 41 and 51 runs together, 61, 71
    assert [(cell.spec, cell.addresses, cell.operations) for cell in some] == [
        (cell.spec, cell.addresses, cell.operations) for cell in at_once
    ]
    for cell, other in zip(some, at_once, strict=True):
        assert cell.evaluations.tolist() == other.evaluations.tolist()


@pytest.mark.attack
def test_sums_of_squares_beyond_127_bits():
    """Operations of very long runs: their squares add up to more than duckdb's largest integer."""
    spec = RunSpec(problem="majority", algorithm="gp-single", n=8)
    times = np.array([2**62 + 3 * i for i in range(40)])
    (cell,) = RunTable(planted_table(spec, times)).cells()
    proposed = [(int(time) - 1) // 3 for time in times]
    accepted = [count // 2 for count in proposed]
    for sums in cell.operations.values():
        pairs = list(zip(proposed, accepted, strict=True))
        exact = [sum(proposed), sum(accepted)] + [sum(x * y for x, y in some) for some in _products(pairs)]
        assert list(sums) == exact


def _products(pairs):
    yield [(p, p) for p, _ in pairs]
    yield pairs
    yield [(a, a) for _, a in pairs]


@pytest.mark.attack
@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("evaluations", None, "nothing as evaluations"),
        ("evaluations", -(2**63), "-9223372036854775808 as evaluations"),
        ("evaluations", 0, "0 as evaluations"),
        ("run", None, "nothing as run"),
        ("seed", -1, "-1 as seed"),
        ("max_leaves", None, "nothing as max_leaves"),
        ("proposed_insert", -(2**63), "-9223372036854775808 as proposed_insert"),
        ("accepted_delete", 2**63 - 1, "9223372036854775807 as accepted_delete"),
        ("method", None, "nothing as method"),
        ("weight_insert", None, "nothing as weight_insert"),
    ],
)
def test_values_that_no_run_has(table, column, value, shown):
    values = table[column].to_pylist()
    field = table.schema.field(column)
    kind = pa.string() if pa.types.is_dictionary(field.type) else field.type
    changed = pa.array([*values[:7], value, *values[8:]], kind).cast(field.type)
    with pytest.raises(BadInput, match=f"runs = {shown}: no run has that; 1 of the rows are such"):
        summarise(table.set_column(table.schema.get_field_index(column), field, changed))
