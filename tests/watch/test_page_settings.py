"""What a person sets on the page in a browser is what is shown, in words for a refusal, on any screen."""

from __future__ import annotations

import re

import pytest

from gpruntime import Run, RunSpec
from tests.watch.page import READ, needs_chromium, setting

pytestmark = needs_chromium


def test_the_address_holds_the_setting(open_page, served):
    page = open_page(setting(RunSpec(problem="majority", algorithm="gp-single", n=10)))
    page.select_option("select[name=problem]", "order")
    page.select_option("select[name=algorithm]", "gpstar-multi")
    page.fill("input[name=n]", "15")
    page.keyboard.press("Tab")
    page.click(".more summary")
    page.fill("#weight-2", "0.5")
    page.keyboard.press("Tab")
    page.click("#next-seed")
    # The seed comes last, and its run is another one: steps made before it is here would be lost.
    page.wait_for_function("() => location.hash.includes('seed=1')")
    page.wait_for_selector('.panel[data-at="1"]')
    assert page.inner_text(".title").startswith("(1+1) GP*-multi on ORDER, n = 15")
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


def test_what_is_typed_while_an_answer_is_on_its_way_stays(open_page):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=5)))
    held = []
    page.route("**/api/check*", lambda route: held.append(route))
    page.select_option("select[name=algorithm]", "gp-multi")
    page.fill("input[name=n]", "7")  # typed, not yet left
    while not held:
        page.wait_for_timeout(10)
    page.unroute("**/api/check*")  # lets it go
    page.wait_for_function("() => location.hash.includes('algorithm=gp-multi')")
    assert page.input_value("input[name=n]") == "7"
    page.keyboard.press("Tab")
    page.wait_for_function("() => location.hash.includes('n=7')")


def test_a_refusal_is_shown_beside_its_field_and_the_run_stays(open_page):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=5), at="4"))
    page.fill("input[name=n]", "0")
    page.keyboard.press("Tab")
    page.wait_for_function(
        "() => document.querySelector('label:has([name=n]) #refusal')?.textContent"
        " === 'n = 0: must be a whole number, 1 or more'"
    )
    assert page.is_visible("#refusal")
    assert page.get_attribute("input[name=n]", "aria-invalid") == "true"
    assert page.inner_text(".title").endswith("n = 5")
    assert "n=5" in page.evaluate("location.hash")
    page.click('[data-do="step"]')
    page.wait_for_selector('.panel[data-at="5"]')
    assert page.input_value("input[name=n]") == "0"
    page.fill("input[name=n]", "6")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('.title').textContent.includes('n = 6')")
    assert page.is_hidden("#refusal")
    assert page.get_attribute("input[name=n]", "aria-invalid") is None
    # The browser itself notes every answer of status 422.
    assert all("422" in complaint for complaint in page.complaints)
    page.complaints.clear()


def test_what_was_refused_waits_for_the_change_that_makes_it_good(open_page):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=5)))
    page.click(".more summary")
    page.fill("#weight-1", "0")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('.weights #refusal')?.textContent.includes('give a budget')")
    page.fill("input[name=budget]", "50")
    page.keyboard.press("Tab")
    page.wait_for_function("() => location.hash.includes('weights=1%2C0%2C1') && location.hash.includes('budget=50')")
    assert page.is_hidden("#refusal")
    assert all("422" in complaint for complaint in page.complaints)
    page.complaints.clear()


def test_an_address_that_cannot_be_shown_says_why(open_page, served):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=5)))
    page.evaluate("location.hash = 'problem=order&algorithm=gp-single&n=0'")
    page.wait_for_function(
        "() => document.querySelector('.verdict').textContent === 'n = 0: must be a whole number, 1 or more'"
    )
    page.fill("input[name=n]", "6")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('.title').textContent.includes('n = 6')")
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
