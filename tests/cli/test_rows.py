"""The answer to a query: nothing that it holds is lost on the way out."""

import csv
import io
import json

import pytest

from gpruntime.cli.rows import distinct
from gpruntime.study import Plan
from tests.study.studies import command, run_here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows") / "study"
    run_here(Plan.of(problem="order", algorithm="gp-single", n=2, runs=3), folder)
    return folder


def answer(folder, query, *form):
    done = command("sql", folder, query, *form)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def strict(text):
    def refuse(word):
        raise AssertionError(word)

    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def test_columns_of_the_same_name(folder):
    assert distinct(["a", "a", "a_2", "b", "a"]) == ["a", "a_3", "a_2", "b", "a_4"]
    assert strict(answer(folder, "select 1 as a, 2 as a, 3 as b", "--json")) == [{"a": 1, "a_2": 2, "b": 3}]
    assert answer(folder, "select 1 as a, 2 as a", "--csv") == "a,a\n1,2\n"


NUMBERS = "select 'nan'::double as x, 'inf'::double as y, '-inf'::double as z, null as w"


def test_what_is_no_finite_number(folder):
    assert strict(answer(folder, NUMBERS, "--json")) == [{"x": "nan", "y": "inf", "z": "-inf", "w": None}]
    assert answer(folder, NUMBERS, "--csv") == "x,y,z,w\nnan,inf,-inf,\n"
    assert answer(folder, NUMBERS).splitlines()[1].split() == ["nan", "inf", "-inf"]
    nested = "select ['nan'::double, 1] as a, {'b': ['inf'::double]} as c"
    assert strict(answer(folder, nested, "--json")) == [{"a": ["nan", 1.0], "c": {"b": ["inf"]}}]


DIGITS = "12345678901234567890123456"


def test_no_digit_is_lost(folder):
    whole, part = f"{DIGITS}::hugeint", f"{DIGITS}.75::decimal(30, 2)"
    query = f"select {whole} as a, {part} as b, 0.5::decimal(4, 2) as c, [{whole}] as d"
    assert strict(answer(folder, query, "--json")) == [
        {"a": int(DIGITS), "b": f"{DIGITS}.75", "c": 0.5, "d": [int(DIGITS)]}
    ]
    rows = list(csv.reader(io.StringIO(answer(folder, query, "--csv"))))
    assert rows[1][:2] == [DIGITS, f"{DIGITS}.75"]
    assert f"{int(DIGITS):,}" in answer(folder, query)


def test_a_date_that_python_does_not_know(folder):
    for form in ([], ["--csv"], ["--json"]):
        assert "infinity" in answer(folder, "select 'infinity'::date as d", *form)


def test_long_answers_are_cut_for_the_eye_and_counted(folder):
    lines = answer(folder, "select range as i from range(25000)").splitlines()
    assert len(lines) == 102
    assert lines[-1] == "… and 24,900 more rows (--csv prints them all)"
    assert len(answer(folder, "select range as i from range(25000)", "--csv").splitlines()) == 25001


def test_an_error_in_the_midst_of_an_answer_is_one_line(folder):
    done = command("sql", folder, "select error('no') from range(30000) where range > 25000", "--csv")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
