"""Moving through a run on the page in a browser: both ways, by key and by mouse, from a server and from a file."""

from __future__ import annotations

from gpruntime import Run, RunSpec
from gpruntime.watch.choice import address_of
from gpruntime.watch.export import write_page
from gpruntime.watch.recording import Recording, Stop
from tests.watch.conftest import Served
from tests.watch.page import READ, READ_STEPS, STEPS, long_run, needs_chromium, setting

pytestmark = needs_chromium


def test_back_and_forth_across_blocks(open_page):
    spec = RunSpec(problem="order", algorithm="gp-multi", n=40)
    page = open_page(setting(spec, 5))
    trees, run = {}, Run(spec, 5)
    places = [1, 2, 249, 250, 251, 252, 253, 500, 501, 502, 503, 640]
    wanted = {p + d for p in places for d in range(-3, 4)}
    for step in run:
        if step.evaluations in wanted:
            trees[step.evaluations] = str(run.tree)
    trees[1] = run.initial_tree
    assert run.evaluations > 650
    for place in [640, 251, 503, 2, 252, 500, 1, 250, 502, 249, 253, 501]:
        page.fill("#at", str(place))
        page.keyboard.press("Enter")
        for key, offset in (("", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", -1), ("ArrowLeft", -2)):
            if key:
                page.keyboard.press(key)
            at = max(1, place + offset)
            page.wait_for_function("at => document.querySelector('.panel').dataset.at === String(at)", arg=at)
            assert page.inner_text(".numbers dd") == f"{at:,}"
            assert page.evaluate("document.querySelector('.tree-text').textContent") == trees[at]


def test_the_cursor_can_be_dragged_through_a_long_run(open_page):
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=300)
    page = open_page(setting(spec, 1))
    page.wait_for_selector(".badge:not(.computing)")
    box = page.locator(".course").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 70, middle)
    page.mouse.down()
    for part in [*range(1, 60), *range(60, 20, -1)]:
        page.mouse.move(box["x"] + 60 + (box["width"] - 80) * part / 62, middle)
    page.mouse.up()
    page.wait_for_function("() => !document.querySelector('.panel').classList.contains('loading')")
    shown = page.evaluate(READ)[0]
    assert shown["at"] == int(page.input_value("#at").replace(",", "")) > 1000
    columns = Recording(spec, 1, 0)
    source, _, _ = columns.steps(shown["at"], 1, Stop())
    counts = [f"{source.accepted:,}", f"{shown['at'] - 1 - source.accepted:,}"]
    assert shown["numbers"][1:] == [f"{source.fitness} of 300", f"{source.leaves}", *counts]


def test_a_server_that_has_gone_is_named(open_page):
    server = Served()
    page = open_page(address=f"{server.base}/#problem=order&algorithm=gpstar-single&n=100&seed=1")
    page.wait_for_selector(".badge:not(.computing)")
    assert server.end() == (130, [])
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.verdict').textContent.includes('does not answer')")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('.verdict').textContent.includes('the initial tree')")
    assert all("ERR_CONNECTION_REFUSED" in complaint for complaint in page.complaints)
    page.complaints.clear()


def test_play_pause_and_all_the_keys(open_page):
    spec = RunSpec(problem="order", algorithm="gp-single", n=20)
    page = open_page(setting(spec, 1))
    steps = list(Run(spec, 1))
    at = lambda: int(page.input_value("#at").replace(",", ""))  # noqa: E731
    shown = lambda t: page.wait_for_function(  # noqa: E731
        "t => document.querySelector('.panel').dataset.at === String(t)", arg=t
    )
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert page.inner_text("#speed-text") == "25/s"
    page.keyboard.press(" ")
    page.wait_for_function("() => Number(document.querySelector('.panel').dataset.at) > 8")
    assert page.get_attribute('[data-do="play"]', "aria-label") == "Pause"
    page.keyboard.press(" ")
    paused = at()
    page.wait_for_timeout(200)
    assert at() == paused
    page.keyboard.press("Home")
    shown(1)
    accepted = [step.evaluations for step in steps if step.accepted]
    fitness = [Run(spec, 1).fitness, *(step.fitness for step in steps)]
    improved = [step.evaluations for before, step in zip(fitness, steps, strict=False) if step.fitness > before]
    for expected in accepted[:5]:
        page.keyboard.press("a")
        shown(expected)
    page.keyboard.press("Home")
    for expected in improved[:4]:
        page.keyboard.press("i")
        shown(expected)
    page.keyboard.press("I")
    shown(improved[2])
    page.keyboard.press("Shift+ArrowRight")
    shown(improved[2] + 10)
    page.keyboard.press("End")
    shown(steps[-1].evaluations)
    assert "optimum: all 20 variables are expressed" in page.inner_text(".verdict")
    for name, expected in (("Start", 1), ("One step", 2), ("One step back", 1), ("Next accepted", accepted[0])):
        page.get_by_role("button", name=name, exact=True).click()
        shown(expected)
    page.keyboard.press("?")
    assert "a new leaf" in page.inner_text("#help-box")
    assert "gate" not in page.inner_text("#help-box")


def test_how_a_run_ends_is_told_at_its_end_or_when_asked(open_page):
    spec = RunSpec(problem="order", algorithm="gp-single", n=6)
    page = open_page(setting(spec, 1))
    page.wait_for_selector(".badge:not(.computing)")
    assert "optimum" not in page.evaluate("document.querySelector('#panels').outerHTML")
    page.click(".badge")
    assert page.inner_text(".badge") == "★ optimum"
    assert page.get_attribute(".panel", "data-at") == "1"
    page.keyboard.press("n")
    page.wait_for_selector(".badge.untold")
    page.keyboard.press("End")
    page.wait_for_selector(".badge.optimum")
    page.keyboard.press("Home")
    page.wait_for_selector('.panel[data-at="1"]')
    assert page.inner_text(".badge") == "★ optimum"  # the reader has been there


def test_the_wheel_scrolls_the_page_and_with_ctrl_it_enlarges_the_tree(open_page):
    page = open_page(setting(RunSpec(problem="order", algorithm="gp-single", n=10)), 1200, 500)
    place = lambda: page.get_attribute("svg.tree > g", "transform")  # noqa: E731
    scrolled = lambda: page.evaluate("scrollY")  # noqa: E731
    before = place()
    page.hover(".tree-area")
    page.mouse.wheel(0, 120)
    page.wait_for_function("() => scrollY > 0")
    assert place() == before
    page.hover(".tree-area")
    stays = scrolled()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_function(
        "old => document.querySelector('svg.tree > g').getAttribute('transform') !== old", arg=before
    )
    assert scrolled() == stays
    page.keyboard.press("?")
    assert "Ctrl or ⌘ and the wheel" in page.inner_text("#help-box")


def test_the_exported_file_opens_from_disk_without_a_network(open_page, tmp_path):
    spec = RunSpec(problem="majority", algorithm="gp-multi", n=12)
    seed = long_run(spec)
    write_page(str(tmp_path / "run.html"), address_of(spec, seed, 0, "gpstar-single"))
    page = open_page(address=f"file://{tmp_path}/run.html", offline=True)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    assert page.locator(".panel").count() == 2
    run = Run(spec, seed)
    for t, (shown, _) in enumerate(page.evaluate(READ_STEPS, STEPS), 1):
        if t > 1:
            run.step()
        assert shown["text"] == str(run.tree)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(READ)[0]["at"] == STEPS
    page.keyboard.press("End")
    page.keyboard.press("d")
    assert not page.is_visible("#settings")
    assert f"all {Run(spec, seed).result().evaluations - 1:,} steps are in this file" in page.inner_text("#embedded")
    assert asked == []


def test_a_file_of_a_long_run_says_where_it_has_no_steps(open_page, tmp_path):
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=120)
    write_page(str(tmp_path / "run.html"), address_of(spec, 3, 0))
    page = open_page(address=f"file://{tmp_path}/run.html")
    blocks = page.evaluate(
        "Object.keys(JSON.parse(document.querySelector('#data').textContent).scenes[0].runs[0].blocks).map(Number)"
    )
    missing = next(number for number in range(1000) if number not in blocks)
    page.fill("#at", str(missing * 250 + 100))
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.verdict').textContent.includes('not in this file')")
    page.keyboard.press("i")
    page.wait_for_function("() => document.querySelector('.verdict').classList.contains('accepted')")
