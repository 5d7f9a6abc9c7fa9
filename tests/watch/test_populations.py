"""A run with several trees, a view of the page, served and as a file: it says what the model kept."""

import json
import re
from importlib import import_module

import pytest
from click.testing import CliRunner

from gpruntime import BadInput, RunSpec, Tree, run_many
from gpruntime.model.run import run_of, simulate
from gpruntime.watch import population
from gpruntime.watch.choice import address_of, choice_of, many_of
from gpruntime.watch.export import _whole, write_page
from gpruntime.watch.many import Cells, many_runs
from gpruntime.watch.offer import Offer
from gpruntime.watch.population import population_course
from gpruntime.watch.recording import Stop, Stopped
from tests.command_help import gpruntime
from tests.model import test_search
from tests.model.test_search import TwoPlusOne
from tests.watch.page import READ, needs_chromium

command = import_module("gpruntime.cli.watch")

SPECS = [
    {"algorithm": "smo-single", "problem": "order"},
    {"algorithm": "smo-multi until=optimum", "problem": "sorting:measure=run"},
    {"algorithm": "one-plus-lambda-multi:lambda=3", "problem": "majority", "accept": "parsimony"},
    {"algorithm": "mu-plus-one-single:mu=4,crossover=0.5", "problem": "and-or", "max_leaves_allowed": 20},
    {"algorithm": "concatenation-single:steps=20", "problem": "plus-c-majority"},
    {"algorithm": "qd-single", "problem": "max:functions=+*"},
    {"algorithm": "gp-single", "search": TwoPlusOne, "problem": "order"},
]


def spec_of(**fields):
    return RunSpec(**{"n": 4, "budget": 600, **fields})


def recorded(spec, seed, run):
    """The whole course, as a file has it."""
    return json.loads(json.dumps(_whole(population_course(spec, seed, run, Stop())), allow_nan=False))


@pytest.mark.parametrize("fields", SPECS, ids=lambda fields: fields["algorithm"])
def test_the_changes_make_up_the_run(fields):
    """Played again from the changes: the population after each is what the model has at that evaluation."""
    spec = spec_of(**fields)
    data = recorded(spec, 5, 1)
    after, kept = {}, []
    for evaluations, words, came, gone, parent in data["changes"]:
        assert parent == -1 or parent in kept
        assert words
        kept = [one for one in kept if one not in gone] + came
        after[evaluations] = sorted(data["trees"][data["members"][one][2]][0] for one in kept)
    search, now = run_of(spec, 5, 1), None
    while search.outcome is None:
        search.advance()
        now = after.get(search.evaluations, now)
        assert now == sorted(str(one.tree) for one in search.population)
        for one in search.population:
            assert [one.fitness, len(one.tree.leaves)] in [member[:2] for member in data["members"]]
    assert data["end"]["evaluations"] == simulate(spec, 5, 1).evaluations
    for text, standings in data["trees"]:
        assert len(standings) in (0, len(Tree.parse(text, spec.primitives).leaves))


def test_of_a_long_run_the_first_changes_and_the_end_are_there(monkeypatch):
    monkeypatch.setattr(population, "MAX_CHANGES", 5)
    data = recorded(spec_of(algorithm="smo-single", problem="order"), 5, 1)
    assert len(data["changes"]) == 6
    assert data["end"]["words"].endswith("; the first 5 changes of the population are shown, and the last")
    kept = []
    for _, _, came, gone, _ in data["changes"]:
        kept = [one for one in kept if one not in gone] + came
    assert sorted(data["members"][one][:2] for one in kept) == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert re.match(r"the end, \d+ steps after", data["changes"][-1][1])


def test_what_would_take_long_is_one_line():
    with pytest.raises(BadInput, match="must be at most 200,000 on the page"):
        choice_of(words_of(budget="1000000"))
    with pytest.raises(BadInput, match="at most 500 trees"):
        recorded(spec_of(algorithm="mu-plus-one:mu=501", problem="order"), 0, 0)


@needs_chromium
def test_a_file_in_a_browser(browser, tmp_path):
    """The population as dots and rows, the newest tree drawn; keys move; a click chooses; nothing is blocked."""
    spec = spec_of(algorithm="smo-single", problem="order")
    write_page(str(tmp_path / "smo.html"), address_of(spec, 5, 1))
    data = recorded(spec, 5, 1)
    page, complaints = browser.new_page(viewport={"width": 390, "height": 800}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"file://{tmp_path}/smo.html")
    page.wait_for_selector('.panel[data-at="1"]')
    for change, (evaluations, words, came, _, _) in enumerate(data["changes"], 1):
        shown = page.evaluate(READ)[0]
        assert (shown["at"], shown["numbers"][4]) == (evaluations, f"{change} of {len(data['changes'])}")
        assert shown["verdict"].startswith(words)
        if came:
            _, leaves, tree = data["members"][came[-1]]
            assert shown["text"] == data["trees"][tree][0]
            assert len(shown["cells"]) == leaves
            kinds = [cell.split()[1] for cell in shown["cells"]]
            names = ["none" if name == "" else name for name in data["start"]["leaf_standings"]]
            assert kinds == [names[int(place)] for place in data["trees"][tree][1]]
        page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert page.locator(".dot:not(.front):not(.gone)").count() == page.locator(".members tbody tr").count() == 4
    assert page.locator(".dot.front").count() == 4
    assert page.locator(".verdict").text_content().endswith(data["end"]["words"])
    page.locator(".members tbody tr").first.click()
    assert page.locator("svg.tree .leaf").count() == 1
    page.keyboard.press("Home")
    page.keyboard.press("i")
    best = [max(data["members"][one][0] for one in came) for _, _, came, _, _ in data["changes"]]
    better = next(place for place, value in enumerate(best) if value > best[0])
    assert page.evaluate(READ)[0]["at"] == data["changes"][better][0]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not complaints
    page.close()


def test_the_command_writes_a_file(tmp_path):
    words = ["watch", "--problem", "order", "--algorithm", "smo-single", "-n", "3"]
    done = gpruntime(*words, "-o", str(tmp_path / "smo.html"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "SMO-GP-single on ORDER, n = 3, seed 0" in (tmp_path / "smo.html").read_text("utf-8")


# ---- served


def words_of(**more):
    return list({"problem": "order", "algorithm": "smo-single", "n": "4", **more}.items())


def test_an_address_is_a_run():
    """The same words as of one tree; fields of the form may be empty."""
    more = {"algorithm": "mu-plus-one-multi:mu=3", "accept": "strict", "budget": "900", "until": ""}
    choice = choice_of(words_of(**more, seed="7", run="2"))
    spec = choice.spec
    assert (spec.algorithm.id, spec.accept.id, spec.budget) == ("mu-plus-one-multi:mu=3", "strict", 900)
    assert (choice.seed, choice.run) == (7, 2)
    spec = choice_of(words_of(until="optimum")).spec
    assert (spec.goal, spec.budget) == ("optimum", 200_000)
    assert choice_of(address_of(spec.replace(budget=55), 3, 1)).spec == spec.replace(budget=55)


def test_many_runs_are_the_engines():
    spec, seed, runs = many_of(words_of(runs="20", seed="3"))
    pieces = list(many_runs(spec, seed, runs, Stop(), Cells()))
    shown = [run for piece in pieces for run in piece.get("runs", [])]
    assert [run[1] for run in shown] == run_many(spec, seed=3, runs=20).evaluations.tolist()
    assert pieces[-1] == {"end": "done"}


def test_a_user_defined_algorithm_is_offered_where_it_was_named():
    spec = spec_of(algorithm="gp-single", search=TwoPlusOne, problem="order", budget=50)
    words = address_of(spec, 1, 0)
    with pytest.raises(BadInput, match="a page loads no file: start gpruntime watch with --search"):
        choice_of(words)
    choice = choice_of(words, Offer.of(spec, "order", search="mine.py:TwoPlusOne"))
    assert choice.spec.search == spec.search
    assert recorded(choice.spec, 1, 0)["end"]["evaluations"] == simulate(spec, 1, 0).evaluations


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"n": "201"}, "at most 200 on the page"),
        ({"algorithm": "smo-single:mu=3"}, "mu is not known"),
        ({"algorithm": "mu-plus-one:mu=0"}, "from 1 to"),
        ({"start": "gp-single"}, r"must be an algorithm with one program"),
        ({"init": "unity:leaves=401"}, "at most 400 leaves"),
        ({"problem": "mine.py:mine"}, "a page loads no file"),
        ({"search": "mine.py:mine"}, "a page loads no file"),
        ({"operator": "mine.py:mine"}, "operator"),
        ({"accept": "weak"}, "goes by dominance"),
    ],
)
def test_what_an_address_cannot_ask_for_is_one_line(more, words):
    with pytest.raises(BadInput, match=words):
        choice_of(words_of(**more))


def test_a_run_that_nobody_waits_for_ends():
    stop = Stop()
    stop.set()
    with pytest.raises(Stopped):
        list(population_course(spec_of(algorithm="smo-single", problem="order"), 0, 0, stop))


def test_the_command_serves_the_page(monkeypatch):
    """At the address of the run; a user-defined algorithm too."""
    opened = []
    monkeypatch.setattr(command, "_serve", lambda words, *rest: opened.append((dict(words), rest[-1])))
    started = ["--problem", "majority", "--algorithm", "mu-plus-one-single:mu=3", "-n", "3", "--seed", "2"]
    assert CliRunner().invoke(command.watch, started).exit_code == 0
    address = {"problem": "majority", "algorithm": "mu-plus-one-single:mu=3", "n": "3", "seed": "2", "budget": "200000"}
    assert opened[0][0] == address
    file = f"{test_search.__file__}:TwoPlusOne"
    CliRunner().invoke(command.watch, ["--problem", "order", "-n", "3", "--search", file], catch_exceptions=False)
    words, offer = opened[1]
    assert offer.texts == {words["search"]: file}
    with pytest.raises(BadInput, match=r"must be an algorithm with one program"):
        CliRunner().invoke(command.watch, [*started, "--versus", "gp-single"], catch_exceptions=False)


@needs_chromium
def test_the_served_page_in_a_browser(browser, served):
    """From one tree to several by the form; another run from it; what is refused; and back."""
    page, complaints = browser.new_page(viewport={"width": 390, "height": 800}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{served.base}/#problem=order&algorithm=gp-single&n=4&seed=5&versus=gp-multi")
    page.wait_for_selector(".panel[data-at]")
    assert page.is_hidden("[name=parameters]")
    page.select_option("[name=algorithm]", "smo-single")
    page.wait_for_selector(".title:has-text('SMO-GP-single on ORDER, n = 4')")
    page.wait_for_selector(".badge.untold")
    assert "versus" not in page.evaluate("location.hash")
    assert page.is_hidden("[name=versus]")
    data = recorded(choice_of(words_of()).spec, 5, 0)
    page.keyboard.press("End")
    assert page.evaluate(READ)[0]["numbers"][4] == f"{len(data['changes'])} of {len(data['changes'])}"
    page.select_option("[name=algorithm]", "mu-plus-one-single")
    page.wait_for_selector(".title:has-text('GP-single on ORDER')")
    page.fill("[name=parameters]", "mu=3")
    page.keyboard.press("Tab")
    page.wait_for_selector(".title:has-text('(3+1) GP-single on ORDER')")
    page.wait_for_selector(".dot")
    assert "algorithm=mu-plus-one-single%3Amu%3D3" in page.evaluate("location.hash")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not complaints
    page.fill("[name=parameters]", "mu=0")
    page.keyboard.press("Tab")
    page.wait_for_selector("#refusal:not([hidden])")
    assert "must be a whole number from 1 to" in page.locator("#refusal").text_content()
    assert page.inner_text(".title").startswith("(3+1)")
    for _ in range(3):
        page.go_back()
    page.wait_for_selector(".title:has-text('(1+1) GP-single')")
    assert page.input_value("[name=algorithm]") == "gp-single"
    page.close()


@needs_chromium
def test_a_link_of_the_page_that_several_trees_once_had(browser, served):
    page = browser.new_page()
    page.goto(f"{served.base}/population?problem=order&algorithm=mu-plus-one-multi&parameters=mu%3D3&n=4&seed=5")
    page.wait_for_selector(".title:has-text('(3+1) GP-multi on ORDER, n = 4')")
    page.close()


@pytest.mark.processes
def test_the_server_answers_with_the_run(served):
    words = {"problem": "order", "algorithm": "smo-single", "n": "4", "seed": "5"}
    answer = served.get("/api/course", params=words)
    pieces = [json.loads(line) for line in answer.text.splitlines()]
    assert _whole(pieces) == recorded(choice_of(words_of()).spec, 5, 0)
    for path, more in (("course", {"n": "0"}), ("steps", {})):
        refused = served.get(f"/api/{path}", params=words | more)
        assert (refused.status_code, refused.json()["error"]["name"]) == (422, "n" if more else "algorithm")
    moved = served.get("/population?problem=order&n=4", follow_redirects=False)
    assert moved.headers["location"] == "/#problem=order&n=4"
