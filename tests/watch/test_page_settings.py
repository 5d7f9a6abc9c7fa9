"""What a person sets on the page in a browser is what is shown, in words for a refusal, on any screen."""

from __future__ import annotations

import re

import pytest

from gpruntime import Run, RunSpec, run_many
from tests.watch.page import READ, needs_chromium, setting

pytestmark = needs_chromium


def test_the_address_holds_the_setting(open_page, served):
    page = open_page(setting(RunSpec(problem="majority", algorithm="gp-single", n=10)))
    page.get_by_text("ORDER", exact=True).first.click()
    page.select_option("select[name=algorithm]", "gpstar-multi")
    page.fill("input[name=n]", "15")
    page.keyboard.press("Tab")
    page.click(".more summary")
    page.fill("#weight-2", "0.5")
    page.keyboard.press("Tab")
    page.click("#next-seed")
    page.wait_for_function("() => document.querySelector('.title').textContent.includes('GP*-multi on ORDER, n = 15')")
    for _ in range(3):
        page.click('[data-do="step"]')
    page.wait_for_function("() => location.hash.includes('at=4')")
    words = dict(pair.split("=") for pair in page.evaluate("location.hash.slice(1)").split("&"))
    assert words.pop("at") == "4"
    assert (words["algorithm"], words["seed"], words["weights"]) == ("gpstar-multi", "1", "1%2C1%2C0.5")
    again = open_page(address=page.url)
    assert again.evaluate(READ)[0] | {"nodes": 0} == page.evaluate(READ)[0] | {"nodes": 0}
    run = Run(RunSpec(problem="order", algorithm="gpstar-multi", n=15, weights=(1, 1, 0.5)), 1)
    for _ in range(3):
        run.step()
    assert again.evaluate(READ)[0]["text"] == str(run.tree)
    page.go_back()
    page.wait_for_function("() => document.querySelector('input[name=seed]').value === '0'")


def test_many_runs_come_and_are_counted(open_page):
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=10)
    page = open_page({**setting(spec, 3), "ns": "4,8", "runs": "30", "versus": "gp-single"})
    page.click("#tab-many")
    page.click("#many-go")
    page.wait_for_function("() => document.querySelector('#many-status').textContent.startsWith('Done')")
    page.fill("#many-more", "16")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#many-status').textContent === 'Done: 180 runs.'")
    rows = [row.split("\t") for row in page.inner_text("#many-table tbody").splitlines()]
    table = {(row[0], row[1]): row[2:] for row in rows if len(row) > 3}
    assert len(table) == 6
    for (n, name), (runs, optimum, stuck, budget, mean, *_) in table.items():
        algorithm = "gpstar-single" if "*" in name else "gp-single"
        columns = run_many(RunSpec(problem="majority", algorithm=algorithm, n=int(n)), seed=3, runs=30)
        reached = [t for t, outcome in zip(columns.evaluations, columns.outcome, strict=True) if outcome == "optimum"]
        assert (runs, optimum, stuck, budget) == ("30", str(len(reached)), str(30 - len(reached)), "0")
        assert float(mean.rstrip("* ").replace(",", "")) == pytest.approx(sum(reached) / len(reached), rel=5e-3)
        assert mean.endswith("*") == (len(reached) < 30)
    assert "the mean over all is infinite" in page.inner_text("#many-table")
    assert page.locator("#many-means .mark").count() == 6
    assert page.locator("#many-distribution rect").count() > 4


def test_a_refusal_is_shown_in_words(open_page, served):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=5)))
    page.fill("input[name=n]", "0")
    page.keyboard.press("Tab")
    page.wait_for_function(
        "() => document.querySelector('.verdict').textContent === 'n = 0: must be a whole number, 1 or more'"
    )
    page.fill("input[name=n]", "6")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('.title').textContent.includes('n = 6')")
    # The browser itself notes every answer of status 422.
    assert all("422" in complaint for complaint in page.complaints)
    page.complaints.clear()


@pytest.mark.parametrize(("width", "height", "scheme"), [(375, 720, "dark"), (1920, 1080, "light")])
def test_it_fits_a_phone_and_a_projector(open_page, width, height, scheme):
    spec = RunSpec(problem="majority", algorithm="gp-single", n=14)
    page = open_page(setting(spec, 1, at="20"), width, height, color_scheme=scheme, reduced_motion="reduce")
    for tab in ("#tab-run", "#tab-many"):
        page.click(tab)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    page.click("#tab-run")
    assert page.is_visible('[data-do="play"]')
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    lightness = sum(map(int, re.findall(r"\d+", background)[:3])) / 3
    assert (lightness < 60) == (scheme == "dark")
    page.keyboard.press("d")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != background


def test_everything_has_a_name_for_a_screen_reader(open_page):
    page = open_page(setting(RunSpec(problem="majority", algorithm="gp-single", n=6), versus="gpstar-single"))
    page.wait_for_function("() => document.querySelectorAll('.panel[data-at]').length === 2")
    nameless = page.evaluate("""() => [...document.querySelectorAll("button, input, select, svg[role], canvas[role]")]
        .filter((one) => one.getClientRects().length)
        .filter((one) => !one.ariaLabel && !one.textContent.trim() && !one.labels?.[0]?.textContent.trim())
        .map((one) => one.outerHTML.slice(0, 90))""")
    assert nameless == []
    assert page.get_attribute(".telling", "aria-live") == "polite"
    assert "Tree with 12 leaves" in page.get_attribute("svg.tree", "aria-label")
