"""Problems, rules and laws of a user's own on the page in a browser: the server says, the page draws, both ways."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from gpruntime import Run, RunSpec
from gpruntime.watch.choice import address_of
from gpruntime.watch.export import write_page
from gpruntime.watch.narrator import Narrator
from gpruntime.watch.offer import Offer
from tests.shares import one_in
from tests.watch import own
from tests.watch.conftest import Served
from tests.watch.page import needs_chromium

pytestmark = needs_chromium

STEPS = 30
HERE = own.__file__
# What the page shows, there and back.
READ = """
(steps) => {
  const read = () => {
    const panel = document.querySelector(".panel");
    const texts = (name) => [...panel.querySelectorAll(name)].map((one) => one.textContent);
    return {
      at: Number(panel.dataset.at),
      text: panel.querySelector(".tree-text").textContent,
      numbers: texts(".numbers dd"),
      words: texts(".operation, .verdict"),
      cells: [...panel.querySelectorAll(".cell:not(.none)")].map((one) => one.classList[1]),
      rows: [...panel.querySelectorAll(".tiles li")].map((one) => one.ariaLabel),
      joins: texts(".node.join .name").sort(),
      signs: texts(".node.join .sign").filter(Boolean),
    };
  };
  const press = (key) => {
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return read();
  };
  const keys = (key) => Array(steps).fill(key);
  return { there: [read(), ...keys("ArrowRight").map(press)], back: keys("ArrowLeft").map(press) };
}
"""


def long_run(spec):
    return next(seed for seed in range(100) if len(list(Run(spec, seed))) > STEPS)


def standing(spec, run):
    narrator = Narrator(spec, run.tree.copy(), run.fitness)
    of_leaf = narrator.annotated.of_leaf
    cells = [of_leaf.get(leaf, "") for leaf in narrator.tree.leaves_in_order()]
    return [
        word or "plain" if not leaf.terminal.negated else word or "bar"
        for word, leaf in zip(cells, narrator.tree.leaves_in_order(), strict=True)
    ], [row.words for row in narrator.annotated.rows]


@pytest.mark.parametrize(
    ("problem", "more", "goal"),
    one_in(
        2,
        [
            (own.two_thirds, {"accept": own.not_much_larger, "operations": "power:beta=1.5"}, "{} of 6"),
            (own.weighted, {}, "{} of 21"),
            (own.kinds, {}, "{} of 1"),
            (own.wrong_rows, {"n": 3}, "{}, best 0"),
            (own.wrong_rows, {"n": 3, "operator": "hvl"}, "{}, best 0"),
            (own.ends_alike, {}, "{} of 12"),
        ],
    ),
    ids=lambda value: getattr(value, "name", None),
)
def test_every_step_there_and_back_is_the_models(open_page, tmp_path, problem, more, goal):
    spec = RunSpec(**{"problem": problem, "algorithm": "gp-single", "n": 6, "init": "insertion", "budget": 200, **more})
    seed = long_run(spec)
    offer = Offer.of(spec, f"{HERE}:{problem.name}", f"{HERE}:not_much_larger")
    write_page(str(tmp_path / "run.html"), address_of(spec, seed, 0), offer)
    page = open_page(address=f"file://{tmp_path}/run.html", offline=True)
    page.keyboard.press("f")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    shown = page.evaluate(READ, STEPS)
    run, substituted = Run(spec, seed), 0
    for t, frame in enumerate(shown["there"], 1):
        if t > 1:
            step = run.step()
            changed = [one for one in step.operations if one.function and one.kind == "substitute"]
            substituted += len(changed)
            assert len(frame["signs"]) == (1 if changed else 0)
        assert (frame["at"], frame["text"]) == (t, str(run.tree))
        fitness = f"{run.fitness:.6g}"
        assert frame["numbers"][:3] == [f"{t}", goal.format(fitness), f"{len(run.tree.leaves)}"]
        assert (frame["cells"], frame["rows"]) == standing(spec, run)
        if t == 1 and problem is own.wrong_rows:
            assert frame["joins"] == sorted(join.function for join in run.tree.joins)
    assert shown["back"] == shown["there"][-2::-1]
    assert asked == []
    assert page.is_visible(".variables") == bool(page.inner_text(".variables-title"))
    assert f"--problem {HERE}:{problem.name}" in page.inner_text("#command")
    if problem is own.wrong_rows and "operator" not in more:
        assert substituted > 0


@pytest.fixture(scope="module")
def mine():
    server = Served("--problem", f"{HERE}:two_thirds", "-n", "4", "--seed", "1")
    yield server
    assert server.end() == (130, [])


def test_rule_and_law_are_chosen_in_the_form_and_kept_in_the_address(open_page, mine):
    page = open_page(address=mine.page)
    title = lambda text: page.wait_for_function(  # noqa: E731
        "text => document.querySelector('.title').textContent === text", arg=text
    )
    title("(1+1) GP-single on two_thirds, n = 4")
    assert page.input_value("[name=problem]") == own.two_thirds.id
    page.click(".more summary")
    page.select_option("[name=accept]", "parsimony")
    title("(1+1) GP-single, parsimony on two_thirds, n = 4")
    page.fill("[name=operations]", "exactly:k=2")
    page.keyboard.press("Tab")
    title("(1+1) GP, parsimony, k ~ exactly:k=2 on two_thirds, n = 4")
    address = unquote(page.evaluate("location.hash"))
    assert "accept=parsimony" in address
    assert "operations=exactly:k=2" in address
    assert f"--problem {HERE}:two_thirds" in page.inner_text("#command")
    assert "--accept parsimony --operations exactly:k=2" in page.inner_text("#command")
    again = open_page(address=page.url)
    assert again.inner_text(".title") == page.inner_text(".title")
    assert again.input_value("[name=operations]") == "exactly:k=2"
    words = [frame["words"][1] for frame in again.evaluate(READ, 40)["there"]]
    assert any("equal and not larger (parsimony)" in verdict for verdict in words)
    page.fill("[name=operations]", "exactly:k=none")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('label:has([name=operations]) #refusal')")
    assert all("422" in complaint for complaint in page.complaints)
    page.complaints.clear()


def test_the_same_algorithm_beside_it_has_its_own_rule_and_the_same_tree(open_page, mine):
    page = open_page(address=f"{mine.page}&accept=parsimony&versus=gp-single")
    page.wait_for_function("() => document.querySelectorAll('.panel[data-at]').length === 2")
    titles = page.eval_on_selector_all(".title", "all => all.map((one) => one.textContent)")
    assert titles == ["(1+1) GP-single, parsimony on two_thirds, n = 4", "(1+1) GP-single on two_thirds, n = 4"]
    first, second = page.eval_on_selector_all(".tree-text", "all => all.map((one) => one.textContent)")
    assert first == second


def test_the_legend_is_the_problems(open_page, mine):
    page = open_page(address=mine.page)
    page.keyboard.press("?")
    assert "x1 does not count, and this is its complement" in page.inner_text("#help-box")
    page.keyboard.press("Escape")
    page.select_option("[name=problem]", "order")
    page.wait_for_function("() => document.querySelector('.title').textContent.includes('on ORDER')")
    page.keyboard.press("?")
    assert "hidden behind an earlier leaf" in page.inner_text("#help-box")


def test_many_runs_of_ones_own_are_named_with_their_rule(open_page, mine):
    page = open_page(address=f"{mine.page}&accept=parsimony&ns=2,3&runs=20")
    page.click("#tab-many")
    page.wait_for_function("() => document.querySelector('#many-status').textContent === 'Done: 40 runs.'")
    assert page.inner_text("#many-table tbody tr td:nth-child(2)") == "GP-single, parsimony"


def test_a_page_with_functions_fits_a_phone(open_page, tmp_path):
    spec = RunSpec(problem=own.wrong_rows, algorithm="gp-single", n=4, init="unity:leaves=20", budget=50)
    write_page(str(tmp_path / "run.html"), address_of(spec, 1, 0), Offer.of(spec, f"{HERE}:wrong_rows"))
    page = open_page(address=f"file://{tmp_path}/run.html", width=375, height=720, color_scheme="dark")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
    assert page.locator(".node.join.named").count() > 3
    assert page.inner_text(".fitness-name") == "fitness, smaller is better"
