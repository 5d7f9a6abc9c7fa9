"""Many runs on the page in a browser: what is counted, what is infinite, and the law."""

from __future__ import annotations

import re

import pytest

from gpruntime import RunSpec, run_many
from tests.watch.page import needs_chromium, setting

pytestmark = needs_chromium

COLUMNS = ("runs", "optimum", "stuck", "budget", "mean", "given", "median", "most")


def run_all(page, runs):
    page.click("#tab-many")  # they start by themselves
    page.wait_for_function(
        "text => document.querySelector('#many-status').textContent === text", arg=f"Done: {runs} runs."
    )


def table_of(page):
    """(n, algorithm) → the texts of a row, each a number and its interval."""
    rows = page.evaluate(
        """() => [...document.querySelectorAll("#many-table tbody tr")].map((row) => [...row.cells].map((cell) => {
            const interval = cell.querySelector(".interval")?.textContent ?? "";
            return [cell.textContent.slice(0, cell.textContent.length - interval.length).trim(), interval];
        }))"""
    )
    return {(row[0][0], row[1][0]): dict(zip(COLUMNS, row[2:], strict=True)) for row in rows}


def number(text):
    return float(text.replace(",", ""))


def test_many_runs_come_and_are_counted(open_page):
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=10)
    page = open_page({**setting(spec, 3), "ns": "4,8", "runs": "30", "versus": "gp-single"})
    run_all(page, 120)
    page.fill("#many-more", "16")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#many-status').textContent === 'Done: 180 runs.'")
    table = table_of(page)
    assert len(table) == 6
    for (n, name), row in table.items():
        algorithm = "gpstar-single" if "*" in name else "gp-single"
        columns = run_many(RunSpec(problem="majority", algorithm=algorithm, n=int(n)), seed=3, runs=30)
        reached = [t for t, outcome in zip(columns.evaluations, columns.outcome, strict=True) if outcome == "optimum"]
        assert (row["runs"][0], row["optimum"][0], row["budget"][0]) == ("30", str(len(reached)), "0")
        shown = row["mean"] if len(reached) == 30 else row["given"]
        low, high = (number(end) for end in shown[1].strip("[]").split(", "))
        mean = sum(reached) / len(reached)
        assert low < mean < high
        value = number(shown[0].split(", the largest run")[0])  # a remark may follow
        assert value == pytest.approx(mean, abs=0.06 * (high - low))  # as many digits as the interval allows
    assert page.locator("#many-distribution rect").count() > 4


def test_stuck_runs_make_the_mean_and_the_median_infinite(open_page):
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=20)
    outcomes = [str(outcome) for outcome in run_many(spec, runs=50).outcome]
    assert outcomes.count("stuck") == 26
    page = open_page({**setting(spec), "ns": "20", "runs": "50"})
    run_all(page, 50)
    (row,) = table_of(page).values()
    assert row["mean"] == ["∞, 26 of 50 runs stuck", ""]
    assert row["median"][0] == "∞, 26 of 50 runs stuck"
    assert row["stuck"] == ["26 (52 %)", "[37 %, 66 %]"]
    assert page.locator("#many-growth .mark.infinite").count() == 1
    assert page.locator("#many-growth .mark.hollow").count() == 1
    legend = page.inner_text("figure:has(#many-distribution) .entries")
    assert legend == "● GP*-single: mean ∞, given the optimum 4,000 (line), median ∞"
    assert page.locator("#many-distribution .at").count() == 1  # an infinite median is nowhere on the axis
    share = page.locator("#many-shares .mark title").text_content()
    assert share == "GP*-single, n = 20: 52 % [37 %, 66 %] stuck"
    tall = [
        page.locator(f"#many-shares {part}").last.evaluate("one => one.getBBox().height")
        for part in (".whisker", ".axis .domain")
    ]
    assert tall[0] / tall[1] == pytest.approx(0.663 - 0.374, abs=0.01)


def test_where_the_budget_stopped_runs_the_mean_is_at_least_something(open_page):
    spec = RunSpec(problem="majority", algorithm="gp-single", n=10, budget=200)
    page = open_page({**setting(spec), "ns": "20", "runs": "30"})
    run_all(page, 30)
    (row,) = table_of(page).values()
    assert row["mean"][0].startswith("at least ")
    assert row["mean"][0].endswith(" of 30 runs stopped by the budget")
    assert row["most"][0] == "> 200"
    assert "at least so much" in page.inner_text("figure:has(#many-growth) .note")


def test_the_law_is_fitted_and_drawn_or_it_is_said_why_not(open_page):
    spec = RunSpec(problem="order", algorithm="gp-single", n=10)
    page = open_page({**setting(spec), "ns": "4,8,16", "runs": "30"})
    run_all(page, 90)
    assert page.inner_text("#many-laws dd") == "No law: 3 sizes with a known mean, and a law needs 4."
    assert page.is_hidden("figure:has(#many-shares)")
    page.fill("#many-more", "32")
    page.click("#many-add")
    page.wait_for_function("() => document.querySelector('#many-status').textContent === 'Done: 120 runs.'")
    assert page.inner_text("#many-laws dd").startswith("No law can be told: 4 sizes over a factor of 8 are too few")
    assert ", line n" not in page.inner_text("figure:has(#many-growth) .entries")
    page.fill("[name=ns]", "4,8,16,32,64,128")
    page.click("#many-go")
    page.wait_for_function("() => document.querySelector('#many-status').textContent === 'Done: 180 runs.'")
    assert page.inner_text("#many-laws dd").startswith("E[time] ≈ ")
    assert ", line n" in page.inner_text("figure:has(#many-growth) .entries")
    assert page.get_attribute("#many-growth .series .line", "d").count("L") == 59
    page.click("#many-laws summary")
    page.wait_for_timeout(100)
    assert page.is_visible("#many-laws li >> nth=2")
    powers = page.locator("#many-laws sup").all_inner_texts()
    assert any(re.fullmatch(r"\d+\.\d+", power) for power in powers)


def test_they_start_by_themselves_once_for_each_setting(open_page):
    page = open_page({**setting(RunSpec(problem="majority", algorithm="gp-single", n=10)), "ns": "4,8", "runs": "5"})
    run_all(page, 10)
    page.click("#tab-run")
    page.click("#tab-many")
    assert page.inner_text("#many-status") == "Done: 10 runs."
    page.select_option("[name=algorithm]", "gp-multi")
    page.wait_for_function("() => document.querySelector('#many-table tbody')?.textContent.includes('GP-multi')")
    page.wait_for_function("() => document.querySelector('#many-status').textContent === 'Done: 10 runs.'")
