"""The page in a browser: what it shows is the model's, it moves both ways, and nothing goes wrong in silence."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest

from gpruntime import Run, RunSpec, run_many
from gpruntime.model.terminals import Terminal
from gpruntime.model.text import write
from gpruntime.model.tree import Tree, hang
from gpruntime.watch.choice import address_of, choice_of
from gpruntime.watch.export import write_page
from gpruntime.watch.recording import Recording, Stop
from tests.watch.conftest import Served

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ARGUMENTS += ["--disable-component-update", "--disable-sync"]
STEPS = 50

pytestmark = pytest.mark.skipif(
    not Path(CHROMIUM).exists() and "CI" not in os.environ, reason=f"needs Debian's chromium at {CHROMIUM}"
)

# Everything the page shows of one step, read from the document.
READ = """
() => [...document.querySelectorAll(".panel")].map((panel) => ({
  at: Number(panel.dataset.at),
  verdict: panel.querySelector(".verdict").textContent,
  isAccepted: !panel.querySelector(".verdict").classList.contains("rejected"),
  numbers: [...panel.querySelectorAll(".numbers dd")].map((cell) => cell.textContent),
  text: panel.querySelector(".tree-text").textContent,
  nodes: [...panel.querySelectorAll("svg.tree g.node")].map((node) => ({
    ...node.dataset,
    kind: node.getAttribute("class"),
  })),
  cells: [...panel.querySelectorAll(".cell")].map((cell) => cell.className),
}))
"""
# The same for each of many steps, the first one before any key.
READ_STEPS = f"""
(steps) => {{
  const read = {READ.strip()};
  const shown = [read()];
  for (let i = 0; i < steps; i++) {{
    document.dispatchEvent(new KeyboardEvent("keydown", {{ key: "ArrowRight", bubbles: true }}));
    shown.push(read());
  }}
  return shown;
}}
"""


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, served):
    """Opens the page at a setting, or another address; a test that leaves a complaint on the console fails."""
    contexts, complaints = [], []

    def opened(setting=None, width=1400, height=900, address=None, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type != "info" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address or f"{served.base}/#{urlencode(setting)}")
        page.wait_for_selector(".panel[data-at]")
        page.complaints = complaints
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def setting(spec, seed=0, **more):
    return {**dict(address_of(spec, seed, 0)), **more}


def long_run(spec):
    """A seed whose run has more steps than we look at."""
    short = replace(spec, budget=STEPS + 2)
    return next(seed for seed in range(1000) if Run(short, seed).result().evaluations == STEPS + 2)


def drawn_tree(nodes, accepted):
    """The tree that the picture shows, as text: without what would be new or is gone."""
    made = {}
    for node in nodes:
        code = int(node["code"] if accepted else node["before"])
        leaf = "leaf" in node["kind"].split()
        made[node["id"]] = Tree().new_leaf(Terminal.from_code(code)) if leaf else Tree().new_join()
    dropped = {"gone", "fleeting"} if accepted else {"new", "fleeting"}
    children = {}
    for node in nodes:
        children.setdefault(node["parent"], {})[node["side"]] = node
    tree = Tree()

    def kept(node):
        """What stands here once the nodes that are not in the tree are taken out."""
        below = children.get(node["id"])
        if node["part"] in dropped and below is None:
            return None
        if below is None:
            return made[node["id"]]
        left, right = kept(below["left"]), kept(below["right"])
        if left is None or right is None:
            return left or right
        hang(left, made[node["id"]], "left")
        hang(right, made[node["id"]], "right")
        return made[node["id"]]

    tree.root = kept(children[""][""]) if nodes else None
    return write(tree)


def marked(nodes):
    """The marks that leaves have, with the side of a new or vanishing one."""
    kinds = [(set(node["kind"].split()), node) for node in nodes if "leaf" in node["kind"].split()]
    marks = {"new", "gone", "changed"}
    return [(*(kind & marks), node["side"] if "new" in kind else None) for kind, node in kinds if kind & marks]


def expected_marks(operation, leaves, spec):
    if operation.kind == "insert":
        return [("new", operation.side or "")]
    if operation.kind == "delete":
        return [("gone", None)] if leaves > 1 or (leaves == 1 and spec.last_leaf == "empty") else []
    return [("changed", None)] if operation.terminal is not None else []


SETTINGS = [
    {"problem": problem, "algorithm": algorithm, "n": 12}
    for problem, algorithm in itertools.product(
        ("order", "majority"), ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
    )
] + [
    {"problem": problem, "algorithm": algorithm, **dialect}
    for problem, algorithm, dialect in (
        ("order", "gp-multi", {"n": 3, "init": "x1", "last_leaf": "empty", "weights": (1, 1, 4)}),
        ("majority", "gp-single", {"n": 3, "init": "()", "last_leaf": "empty", "weights": (1, 1, 4)}),
        ("majority", "gp-multi", {"n": 12, "substitute": "nodes", "max_leaves_allowed": 26}),
        ("order", "gp-single", {"n": 12, "operator": "hvl"}),
        ("majority", "gp-multi", {"n": 12, "operator": "hvl", "poisson_mean": 2}),
    )
]


@pytest.mark.parametrize("fields", SETTINGS, ids=lambda fields: "-".join(map(str, fields.values())))
def test_the_tree_shown_is_the_models_at_each_of_50_steps(open_page, fields):
    spec = RunSpec(**fields)
    seed = long_run(spec)
    page = open_page(setting(spec, seed))
    page.keyboard.press("f")
    run = Run(spec, seed)
    for t, (shown,) in enumerate(page.evaluate(READ_STEPS, STEPS), 1):
        leaves_before = len(run.tree.leaves)
        if t > 1:
            step = run.step()
            assert shown["isAccepted"] == step.accepted
            assert shown["verdict"].startswith("accepted: " if step.accepted else "rejected: ")
            if len(step.operations) == 1 and spec.operator == "hvl-prime":
                assert marked(shown["nodes"]) == expected_marks(step.operations[0], leaves_before, spec)
        assert shown["at"] == t
        assert drawn_tree(shown["nodes"], shown["isAccepted"]) == str(run.tree)
        assert shown["text"] == str(run.tree)
        assert shown["numbers"] == [f"{t}", f"{run.fitness} of {spec.n}", f"{len(run.tree.leaves)}"]
        places = spec.problem_.expressed_places(run.tree.terminals(), spec.n)
        wanted = {"expressed", "blocking"} if spec.problem == "order" else {"expressed"}
        cells = [set(cell.split()) for cell in shown["cells"] if "none" not in cell.split()]
        assert [place for place, cell in enumerate(cells) if cell & wanted] == places
    assert t == STEPS + 1


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
    page.wait_for_selector(".badge.optimum")
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
    assert shown["numbers"][1:] == [f"{source.fitness} of 300", f"{source.leaves}"]


def test_a_server_that_has_gone_is_named(open_page):
    server = Served()
    page = open_page(address=f"{server.base}/#problem=order&algorithm=gpstar-single&n=100&seed=1")
    page.wait_for_selector(".badge.optimum")
    assert server.end() == (0, [])
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
    assert page.is_visible("#help-box")


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


def test_side_by_side_from_the_same_tree(open_page):
    spec = RunSpec(problem="order", algorithm="gp-single", n=10)
    page = open_page(setting(spec, 2))
    page.select_option("select[name=versus]", "gpstar-single")
    page.wait_for_function("() => document.querySelectorAll('.panel[data-at]').length === 2")
    first, second = page.evaluate(READ)
    assert first["text"] == second["text"] == Run(spec, 2).initial_tree
    other = choice_of(
        [("problem", "order"), ("algorithm", "gpstar-single"), ("n", "10"), ("seed", "2"), ("start", "gp-single")]
    )
    runs = Run(spec, 2), Run(other.watched, 2)
    page.keyboard.press("f")
    for panels in page.evaluate(READ_STEPS, STEPS):
        for run, shown in zip(runs, panels, strict=True):
            if shown["at"] > run.evaluations and run.outcome is None:
                run.step()
            assert shown["text"] == str(run.tree)
            assert drawn_tree(shown["nodes"], shown["isAccepted"]) == str(run.tree)


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
        "Object.keys(JSON.parse(document.querySelector('#data').textContent).runs[0].blocks).map(Number)"
    )
    missing = next(number for number in range(1000) if number not in blocks)
    page.fill("#at", str(missing * 250 + 100))
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.verdict').textContent.includes('not in this file')")
    page.keyboard.press("i")
    page.wait_for_function("() => document.querySelector('.verdict').classList.contains('accepted')")


def test_a_tree_of_two_thousand_leaves(open_page):
    spec = RunSpec(problem="order", algorithm="gp-single", n=1000)
    page = open_page(setting(spec, 1, at="300"))
    assert page.locator("g.node.folded").count() > 10
    before = page.locator("g.node").count()
    page.locator("g.node.folded .shape").first.click(force=True)
    assert page.locator("g.node").count() > before
    page.keyboard.press("f")
    assert page.is_visible("canvas.tree")
    assert "Tree with 2" in page.get_attribute("canvas.tree", "aria-label")
    blank = page.evaluate("document.createElement('canvas').toDataURL().length")
    assert page.evaluate("document.querySelector('canvas.tree').toDataURL().length") > 10 * blank
    page.click(".zoom-in")
    page.mouse.move(500, 450)
    page.mouse.wheel(0, -500)
    page.mouse.down()
    page.mouse.move(400, 480)
    page.mouse.up()
    for key in ("ArrowRight", "ArrowLeft", "i", "0", "f", "End"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.verdict').textContent.includes('optimum')")
    assert page.get_attribute(".course", "aria-valuetext").endswith("leaves")


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
