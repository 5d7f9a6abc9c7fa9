"""The tree on the page in a browser is the model's: at every step, for two side by side, and when it is large."""

from __future__ import annotations

import itertools

import pytest

from gpruntime import Run, RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.text import write
from gpruntime.model.tree import Tree, hang
from gpruntime.watch.choice import choice_of
from tests.shares import one_in
from tests.watch.page import READ, READ_STEPS, STEPS, long_run, needs_chromium, setting

pytestmark = needs_chromium


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
        hang(left, made[node["id"]], 0)
        hang(right, made[node["id"]], 1)
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
        ("order", "gp-single", {"n": 12, "operator": "node-unbiased"}),
        ("majority", "gp-multi", {"n": 3, "operator": "depth-unbiased", "last_leaf": "empty", "weights": (1, 1, 4)}),
    )
]


@pytest.mark.parametrize("fields", one_in(4, SETTINGS), ids=lambda fields: "-".join(map(str, fields.values())))
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
            if len(step.operations) == 1 and spec.operator.id == "hvl-prime":
                assert marked(shown["nodes"]) == expected_marks(step.operations[0], leaves_before, spec)
        assert shown["at"] == t
        assert drawn_tree(shown["nodes"], shown["isAccepted"]) == str(run.tree)
        assert shown["text"] == str(run.tree)
        assert shown["numbers"][:3] == [f"{t}", f"{run.fitness} of {spec.n}", f"{len(run.tree.leaves)}"]
        places = spec.problem.expressed_places(run.tree.terminals(), spec.n)
        wanted = {"expressed", "blocking"} if spec.problem.id == "order" else {"expressed"}
        cells = [set(cell.split()) for cell in shown["cells"] if "none" not in cell.split()]
        assert [place for place, cell in enumerate(cells) if cell & wanted] == places
    assert t == STEPS + 1


# For each of many steps: whether it was accepted, whether a change is marked, and what is drawn in red.
READ_COLOURS = """
(steps) => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--rejected)";
  const red = getComputedStyle(probe).color;
  const panel = document.querySelector(".panel");
  const shown = [];
  for (let i = 0; i < steps; i++) {
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    const found = [];
    for (const one of panel.querySelectorAll(".tree .shape, .tree .sign, .link, .cell")) {
      const style = getComputedStyle(one);
      const colours = [style.stroke, style.fill, style.borderTopColor, getComputedStyle(one, "::before").color];
      if (one.matches(".cell") ? one.dataset.sign && colours.slice(2).includes(red) : colours.slice(0, 2).includes(red))
        found.push(one.getAttribute("class"));
    }
    shown.push({
      isAccepted: panel.querySelector(".verdict").classList.contains("accepted"),
      isMarked: [...panel.querySelectorAll(".cell")].some((cell) => cell.dataset.sign),
      red: found,
      words: panel.querySelector(".operation").textContent,
      signs: [...panel.querySelectorAll(".tree .sign")].map((sign) => sign.textContent).filter(Boolean),
      cellSigns: [...panel.querySelectorAll(".cell")].map((cell) => cell.dataset.sign).filter(Boolean),
    });
  }
  return shown;
}
"""


@pytest.mark.parametrize("algorithm", ["gp-single", "gp-multi"])
def test_red_is_what_was_rejected_and_nothing_else(open_page, algorithm):
    spec = RunSpec(problem="majority", algorithm=algorithm, n=12)
    page = open_page(setting(spec, long_run(spec)))
    page.keyboard.press("f")
    steps = page.evaluate(READ_COLOURS, STEPS)
    assert any(step["isAccepted"] and "delete" in step["words"] for step in steps)
    assert any(not step["isAccepted"] and step["isMarked"] for step in steps)
    for step in steps:
        if step["isAccepted"]:
            assert step["red"] == [], step["words"]
        elif step["isMarked"]:
            assert step["red"], step["words"]


def test_a_replaced_leaf_shows_the_old_and_the_new_terminal_whether_accepted_or_not(open_page):
    spec = RunSpec(problem="majority", algorithm="gp-single", n=12)
    page = open_page(setting(spec, long_run(spec)))
    page.keyboard.press("f")
    replaced = [step for step in page.evaluate(READ_COLOURS, STEPS) if step["words"].startswith("substitute ")]
    assert {step["isAccepted"] for step in replaced} == {True, False}
    for step in replaced:
        assert step["signs"] == step["cellSigns"] == [step["words"].removeprefix("substitute ")]


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
