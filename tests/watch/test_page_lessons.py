"""Lessons, definitions, counts and what can be saved, on the page in a browser: served, and as files."""

from __future__ import annotations

import csv
import io
from urllib.parse import urlencode

import pytest
from PIL import Image

from gpruntime import Run, RunSpec
from gpruntime.watch.choice import address_of
from gpruntime.watch.export import write_lesson, write_page
from gpruntime.watch.lessons import LESSONS
from tests.watch.page import needs_chromium, setting

pytestmark = needs_chromium

IS_ASKING = "document.body.classList.contains('is-asking')"


@pytest.fixture(scope="module")
def lesson_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("lesson") / "stuck.html"
    write_lesson(str(path), LESSONS["stuck"])
    return path


def text(page, name):
    return page.evaluate("name => document.querySelector(name).textContent", name)


def test_a_lesson_from_a_file_asks_before_it_shows(open_page, lesson_file):
    page = open_page(address=lesson_file.as_uri(), offline=True)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_selector('.panel[data-at="14"]')
    assert page.inner_text("#lesson h2") == "Two variables are missing"
    assert page.evaluate(IS_ASKING)
    page.keyboard.press("ArrowRight")  # one may look; what the end is called is not told before the answer
    page.wait_for_selector('.panel[data-at="15"]')
    assert "stuck" not in text(page, ".verdict") + text(page, ".badge")
    assert page.evaluate("getComputedStyle(document.querySelector('.course-area')).opacity") == "0"
    page.keyboard.press("ArrowLeft")
    page.get_by_role("radio", name="x5").check()
    page.get_by_role("button", name="Show the answer").click()
    page.wait_for_selector('.panel[data-at="15"]')
    assert "You were right." in page.inner_text(".because")
    assert not page.evaluate(IS_ASKING)
    assert page.inner_text(".badge") == "⊘ stuck"
    assert "All 708 single operations on this tree, tried" in page.inner_text(".proof")
    page.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_selector("text=2 of 4")
    assert page.evaluate("document.activeElement.textContent") == "One variable is missing"
    page.get_by_role("radio", name="It waited very long").check()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=It is not as you thought.")
    assert page.get_attribute(".answers label:nth-child(1)", "class") == "wrong"
    assert page.get_attribute(".answers label:nth-child(2)", "class") == "right"
    page.get_by_role("button", name="Back", exact=True).click()
    page.wait_for_selector("text=1 of 4")
    assert "You were right." in page.inner_text(".because")  # what was answered stays answered
    page.go_back()
    page.wait_for_selector("text=2 of 4")
    page.reload()
    page.wait_for_selector("text=2 of 4")
    assert all(url.startswith("file:") for url in asked)


def test_the_last_part_lets_the_reader_choose(open_page, lesson_file):
    page = open_page(address=lesson_file.as_uri() + "#part=4")
    spec = RunSpec(problem="majority", algorithm="gp-single", n=6)
    page.get_by_role("combobox", name="Algorithm").select_option("(1+1) GP-single")
    page.get_by_role("combobox", name="Seed").select_option("3")
    page.wait_for_selector("h2:text('(1+1) GP-single on MAJORITY, n = 6')")
    page.keyboard.press("Escape")
    page.click(".tree-area")
    page.keyboard.press("End")
    run = Run(spec, 3)
    accepted = sum(step.accepted for step in run)
    page.wait_for_selector(f'.panel[data-at="{run.evaluations}"]')
    numbers = page.locator(".numbers dd").all_inner_texts()
    assert numbers[3:] == [str(accepted), str(run.evaluations - 1 - accepted)]
    assert page.evaluate("location.hash") != ""
    page.wait_for_function("() => location.hash.includes('seed=3')")
    page.reload()
    page.wait_for_selector("h2:text('(1+1) GP-single on MAJORITY, n = 6')")


def test_a_file_with_choices_runs_what_is_chosen(open_page, tmp_path):
    spec = RunSpec(problem="order", algorithm="gp-single", n=4)
    write_page(str(tmp_path / "try.html"), address_of(spec, 0, 0), choices={"seed": ("0", "5"), "n": ("4", "6")})
    page = open_page(address=(tmp_path / "try.html").as_uri(), offline=True)
    page.get_by_role("combobox", name="n", exact=True).select_option("6")
    page.get_by_role("combobox", name="Seed").select_option("5")
    wanted = Run(RunSpec(problem="order", algorithm="gp-single", n=6), 5)
    page.wait_for_function("text => document.querySelector('.tree-text').textContent === text", arg=str(wanted.tree))
    assert f"all {wanted.result().evaluations - 1:,} steps are in this file" in page.inner_text("#embedded")


def test_lessons_are_served(open_page, served):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=5)))
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("button", name="Why neutral moves help on ORDER").click()
    page.wait_for_selector("text=1 of 5")
    page.wait_for_function("() => document.querySelectorAll('.panel[data-at]').length === 2")
    assert not page.is_visible("#settings")
    page.get_by_role("radio", name="About the same number").check()
    page.get_by_role("button", name="Show the answer").click()
    page.wait_for_selector('.panel[data-at="11"]')
    assert [panel.locator("dd").all_inner_texts()[3] for panel in page.locator(".numbers").all()] == ["9", "0"]
    page.get_by_role("button", name="Leave the lesson").click()
    page.wait_for_selector("#settings")
    assert page.is_hidden("#lesson")
    other = open_page(address=f"{served.base}/#lesson=trap")
    other.wait_for_selector("text=A tree that looks good")
    assert "stuck" not in text(other, ".verdict")


def test_definitions_are_the_run_s_and_one_click_away(open_page):
    spec = RunSpec(problem="majority", algorithm="gp-multi", n=5, max_leaves_allowed=40)
    page = open_page(setting(spec, versus="gpstar-single"))
    page.wait_for_function("() => document.querySelectorAll('.panel[data-at]').length === 2")
    page.locator(".why").first.click()
    words = page.inner_text("#definitions-box").replace("\n", "")
    for part in ("Count the leaves; their order does not matter", "1 + Pois(1) operations", "one operation"):
        assert part in words
    for part in (
        "neutral moves, those of equal fitness, are accepted",
        "more than 40 leaves",
        "Each offspring costs one",
    ):
        assert part in words
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("e")
    assert page.is_visible("#definitions-box")


def test_what_is_shown_can_be_saved(open_page):
    spec = RunSpec(problem="order", algorithm="gp-single", n=8)
    page = open_page(setting(spec, 1, at="20"))
    page.wait_for_selector('.panel[data-at="20"]')
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8"))))
    run = Run(spec, 1)
    known = {1: (run.fitness, len(run.tree.leaves))} | {
        step.evaluations: (step.fitness, len(run.tree.leaves)) for step in run
    }
    assert len(rows) > 50
    assert {row["run"] for row in rows} == {"(1+1) GP-single on ORDER, n = 8"}
    for row in rows:
        assert (int(row["fitness"]), int(row["leaves"])) == known[int(row["evaluations"])]
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename == "run-at-20.png"
    picture = Image.open(saved.value.path()).convert("RGB")
    colours = {colour: count for count, colour in picture.getcolors(picture.width * picture.height)}
    assert colours[(36, 95, 179)] > 2000  # expressed leaves: the tree is there, and in its colours
    assert colours[(255, 255, 255)] > picture.width * picture.height / 2


def test_nothing_is_cut_on_any_screen(open_page, lesson_file):
    for width in (390, 1000, 1280, 1920):
        page = open_page(address=lesson_file.as_uri(), width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.is_visible("#lesson")
    page.emulate_media(media="print")
    assert not page.is_visible("#lesson nav")
    assert page.is_visible(".lesson-words")


def test_an_address_of_no_lesson_is_a_run(open_page, served):
    page = open_page(address=f"{served.base}/#{urlencode({'lesson': 'none', 'n': '4'})}")
    assert page.is_hidden("#lesson")
    assert page.is_visible("#settings")
