"""A study's page in a browser: tables that fit every screen and the printed page, figures that turn dark with it."""

import numpy as np
import pytest

from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.show.page import entry
from gpruntime.show.report import report_html
from gpruntime.show.tables import Table
from tests.page_help import opened, what_is_cut
from tests.runs_help import planted_table, study_table, together


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Stuck and stopped runs, so that the table has all its columns, and large numbers in them."""
    tables = [study_table([RunSpec(problem="majority", algorithm="gp-single", n=n) for n in (4, 8, 16, 32)], 40)]
    generator = np.random.default_rng(1)
    for n in (100, 1000, 10_240):
        spec = RunSpec(problem="majority", algorithm="gpstar-single", n=n, budget=10**9)
        outcome = ["optimum"] * 30 + ["stuck"] * 10 + ["budget"] * 10
        tables.append(planted_table(spec, generator.integers(10**6, 10**9, 50), outcome))
    table = together(tables)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report_html(summarise(table), table, {"name": "A study"}), encoding="utf-8")
    return path


def test_tables_fit_every_screen_and_the_printed_page(browser, report):
    assert what_is_cut(browser, report) == {}


def test_figures_turn_dark_with_the_page(browser, report):
    page = opened(browser, report, 1280, color_scheme="dark")
    ground = 'getComputedStyle(document.querySelector(".paper svg path")).fill'
    assert page.evaluate(ground) == "rgb(22, 23, 24)"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert page.locator("figure [role=img][aria-label]").count() == page.locator("figure svg").count() > 0
    page.context.close()


def test_how_wide_a_table_must_be():
    table = Table(("n", "mean time"), (("10,240", "5,054 [5,017, 5,092]"), ("2", "so many words that they are a text")))
    assert table.width() == 2 + len("10,240") + 2 + len("[5,017,")
    assert [table.is_text(column) for column in (0, 1)] == [False, True]


def test_an_interval_may_go_below_its_number():
    assert str(entry("5,054 [5,017, 5,092]")) == '5,054 <span class="interval">[5,017, 5,092]</span>'
    assert str(entry("n² <")) == "n<sup>2</sup> &lt;"
