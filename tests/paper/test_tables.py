"""Tables of the page: constants in the caption, a row for each n, a column for each curve, names in words."""

import dataclasses

from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.tables import HEADINGS, MAX_ROWS, laid_out
from gpruntime.paper.verdict import Numbers
from tests.paper.small import verdict_of

BOUND = {"bound": "thm:x", "formula": "O(n²)", "source": "somebody"}


def bounds(curve, *values):
    return [
        {"curve": curve, **BOUND, "n": n, "measured_over_bound": value, "low": value / 2, "high": 2 * value}
        for n, value in values
    ]


def as_laid_out(identifier, records):
    """Records laid out as the first table of a claim."""
    return dataclasses.replace(verdict_of(identifier).tables[0], records=records)


def test_a_row_for_each_n_and_a_column_for_each_curve():
    records = [
        *bounds("(1+1) GP-single on ORDER, initial tree bad", (160, 0.5), (10_240, 0.25)),
        *bounds("(1+1) GP-single on ORDER, initial tree unity", (160, 4.0)),
    ]
    shown = laid_out(Numbers("x", "time ÷ bound", records))
    assert shown.table.headings == ("n", "initial tree bad", "initial tree unity")
    assert shown.table.rows == (
        ("160", "0.50 [0.25, 1.00]", "4.0 [2.0, 8.0]"),
        ("10,240", "0.25 [0.12, 0.50]", ""),
    )
    assert shown.caption == "measured ÷ bound, with its 95 % interval; GP-single on ORDER; bound: O(n²)"
    assert shown.left_out == 0


def test_constants_and_empty_columns_are_no_columns():
    records = [{"n": n, "runs": 200, "p_stuck": n / 8, "exact": None} for n in (1, 2)]
    shown = laid_out(Numbers("x", "stuck", records))
    assert shown.table.headings == ("n", "P(stuck)")
    assert shown.table.rows == (("1", "0.1250"), ("2", "0.2500"))
    assert shown.caption == "runs: 200"


def test_what_follows_from_the_row_stands_once():
    records = [
        {"n": n, "k": k, "trees": 9, "frequency": n * k, "low": None, "high": None, "closed_form": 1, "limit": k}
        for n in (5, 20)
        for k in (1, 2)
    ]
    shown = laid_out(as_laid_out("lem:majority_gpstar_init", records))
    assert shown.table.headings == (
        "k", "drawn, n = 5", "drawn, n = 20", "closed form, n = 5", "closed form, n = 20", "limit e⁻²/k!",
    )  # fmt: skip
    assert shown.table.rows[1] == ("2", "10", "40", "1", "1", "2")


def test_rows_are_in_order_and_say_nothing_of_runs_that_were_not():
    records = [
        {"algorithm": "(1+1) GP-single", "start": "unity", "n": n, "runs": runs, "fewest_over_n": n}
        for n, runs in ((12, 5), (2, 0))
    ]
    shown = laid_out(as_laid_out("lem:majority_gpstar_treesize", records))
    assert shown.table.headings == ("n", "GP-single, unity", "runs")
    assert shown.table.rows == (("2", "2", ""), ("12", "12", "5"))
    assert laid_out(Numbers("x", "", [{"n": 500, "t": t} for t in (1, 2)])).caption == "n = 500"


def test_long_tables_end_early_and_one_row_is_a_row():
    records = [{"n": n, "t": n} for n in range(MAX_ROWS + 3)]
    shown = laid_out(Numbers("x", "", records))
    assert (len(shown.table.rows), shown.left_out) == (MAX_ROWS, 3)
    assert laid_out(Numbers("x", "", [{"n": 1, "runs": 2}])).table.rows == (("1", "2"),)
    assert laid_out(Numbers("x", "", [])).table.rows == ()


def test_every_column_has_a_name_in_words():
    tables = {table.name: table for identifier in CLAIMS for table in verdict_of(identifier).tables}
    for table in tables.values():
        shown = laid_out(table)
        assert not any("_" in heading.replace("T_max", "").replace("p_k", "") for heading in shown.table.headings)
        ends = ("low", "high")
        raw = {name for name in table.records[0] if not name.endswith(ends) and not name.startswith("(1+1)")}
        assert raw <= {*HEADINGS, *table.headings}, (table.name, raw - {*HEADINGS, *table.headings})
        assert set(table.headings) <= set(table.records[0]), table.name
        if table.layout is not None:
            assert {table.layout.rows, *table.layout.columns, *table.layout.values} <= set(table.records[0])
