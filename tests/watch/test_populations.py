"""A run with several trees, as a file and served: it says what the model kept, and a browser shows it."""

import json
import re
from importlib import import_module

import pytest
from click.testing import CliRunner

from gpruntime import BadInput, RunSpec
from gpruntime.model.run import run_of, simulate
from gpruntime.watch.choice import address_of
from gpruntime.watch.populations import recorded as recording
from gpruntime.watch.populations.asked import population_of
from gpruntime.watch.populations.page import population_page, write_population
from gpruntime.watch.populations.recorded import recorded
from gpruntime.watch.recording import Stop, Stopped
from tests.cli.test_run import gpruntime
from tests.model import test_search
from tests.model.test_search import TwoPlusOne
from tests.watch.page import needs_chromium

command = import_module("gpruntime.cli.watch")

SPECS = [
    {"algorithm": "smo-single", "problem": "order"},
    {"algorithm": "smo-multi until=optimum", "problem": "sorting:measure=run"},
    {"algorithm": "one-plus-lambda-multi:lambda=3", "problem": "majority", "accept": "parsimony"},
    {"algorithm": "mu-plus-one-single:mu=4,crossover=0.5", "problem": "and-or", "max_leaves_allowed": 20},
    {"algorithm": "concatenation-single:steps=20", "problem": "plus-c-majority"},
    {"algorithm": "gp-single", "search": TwoPlusOne, "problem": "order"},
]


def spec_of(**fields):
    return RunSpec(**{"n": 4, "budget": 600, **fields})


@pytest.mark.parametrize("fields", SPECS, ids=lambda fields: fields["algorithm"])
def test_the_changes_make_up_the_run(fields):
    """Played again from the changes: the population after each is what the model has at that evaluation."""
    spec = spec_of(**fields)
    data = json.loads(json.dumps(recorded(spec, 5, 1), allow_nan=False))
    after, kept = {}, []
    for evaluations, words, came, gone, parent in data["changes"]:
        assert parent == -1 or parent in kept
        assert words
        kept = [one for one in kept if one not in gone] + came
        after[evaluations] = sorted(data["trees"][data["members"][one][2]] for one in kept)
    search, now = run_of(spec, 5, 1), None
    while search.outcome is None:
        search.advance()
        now = after.get(search.evaluations, now)
        assert now == sorted(str(one.tree) for one in search.population)
        for one in search.population:
            assert [one.fitness, len(one.tree.leaves)] in [member[:2] for member in data["members"]]
    assert data["end"]["evaluations"] == simulate(spec, 5, 1).evaluations
    assert data["contents"].startswith(f"All {len(data['changes'])} changes")


def test_of_a_long_run_the_first_changes_and_the_end_are_there(monkeypatch):
    monkeypatch.setattr(recording, "MOST_CHANGES", 5)
    data = recorded(spec_of(algorithm="smo-single", problem="order"), 5, 1)
    assert len(data["changes"]) == 6
    assert data["contents"] == "The first 5 changes of the population are here, and the last"
    kept = []
    for _, _, came, gone, _ in data["changes"]:
        kept = [one for one in kept if one not in gone] + came
    assert sorted(data["members"][one][:2] for one in kept) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert re.match(r"the end, \d+ steps after", data["changes"][-1][1])


def test_what_would_take_long_is_one_line():
    with pytest.raises(BadInput, match="must be at most 200,000"):
        recorded(spec_of(algorithm="smo-single", problem="order", budget=10**6), 0, 0)
    with pytest.raises(BadInput, match=r"n = 201: .*for a page of several trees"):
        recorded(spec_of(algorithm="smo-single", problem="order", n=201), 0, 0)
    with pytest.raises(BadInput, match="at most 500 trees"):
        recorded(spec_of(algorithm="mu-plus-one:mu=501", problem="order"), 0, 0)


@needs_chromium
def test_in_a_browser(browser, tmp_path):
    """The population as dots and rows, the newest tree drawn; keys move; a click chooses; nothing is blocked."""
    write_population(str(tmp_path / "smo.html"), spec_of(algorithm="smo-single", problem="order"), 5, 1)
    data = recorded(spec_of(algorithm="smo-single", problem="order"), 5, 1)
    page, complaints = browser.new_page(viewport={"width": 390, "height": 800}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"file://{tmp_path}/smo.html")
    page.keyboard.press("End")
    last = len(data["changes"])
    assert page.locator("#place-text").text_content() == f"{last} of {last}"
    assert page.locator(".dot:not(.front):not(.gone)").count() == page.locator("#members tr").count() == 4
    assert page.locator(".dot.front").count() == 4
    page.locator("#members tr").first.click()
    assert page.locator("#tree .leaf").count() == 1
    page.keyboard.press("Home")
    assert page.locator("#words").text_content() == f"Evaluation 1: {data['changes'][0][1]}"
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
    """With the parameters of the algorithm behind its name or by themselves; fields of the form may be empty."""
    for more in ({"algorithm": "mu-plus-one-multi:mu=3"}, {"algorithm": "mu-plus-one-multi", "parameters": "mu=3"}):
        spec, seed, run = population_of(words_of(**more, accept="strict", budget="900", until="", seed="7", run="2"))
        assert (spec.algorithm.id, spec.accept.id, spec.budget, seed, run) == (
            "mu-plus-one-multi:mu=3",
            "strict",
            900,
            7,
            2,
        )
    spec, seed, run = population_of(words_of(until="optimum"))
    assert (spec.goal, spec.budget, seed, run) == ("optimum", 200_000, 0, 0)
    assert population_of(address_of(spec.replace(budget=55), 3, 1)) == (spec.replace(budget=55), 3, 1)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"algorithm": "gp-single"}, "keeps one tree: the page at / shows it"),
        ({"n": "201"}, "at most 200 on the page"),
        ({"parameters": "mu=3"}, "mu is not known"),
        ({"algorithm": "mu-plus-one", "parameters": "mu=0"}, "from 1 to"),
        ({"init": "unity:leaves=401"}, "at most 400 leaves"),
        ({"problem": "mine.py:mine"}, "a page loads no file"),
        ({"search": "mine.py:mine"}, "must be one of problem"),
        ({"operator": "mine.py:mine"}, "operator"),
        ({"accept": "weak"}, "goes by dominance"),
    ],
)
def test_what_an_address_cannot_ask_for_is_one_line(more, words):
    with pytest.raises(BadInput, match=words):
        population_of(words_of(**more))


def test_a_run_that_nobody_waits_for_ends():
    stop = Stop()
    stop.set()
    with pytest.raises(Stopped):
        recorded(spec_of(algorithm="smo-single", problem="order"), 0, 0, stop)


def test_the_command_serves_a_page(monkeypatch):
    """At the address of the run; without the budget that the command would add of itself."""
    opened = []
    monkeypatch.setattr(command, "_serve", lambda words, *_: opened.append((words, _[-1])))
    started = ["--problem", "majority", "--algorithm", "mu-plus-one-single:mu=3", "-n", "3", "--seed", "2"]
    assert CliRunner().invoke(command.watch, started).exit_code == 0
    asked = [("problem", "majority"), ("algorithm", "mu-plus-one-single:mu=3"), ("n", "3"), ("seed", "2")]
    assert opened == [(asked, "population?")]
    with pytest.raises(BadInput, match="shown by a file: add -o"):
        CliRunner().invoke(
            command.watch,
            ["--problem", "order", "-n", "3", "--search", f"{test_search.__file__}:TwoPlusOne", "--budget", "9"],
            catch_exceptions=False,
        )
    with pytest.raises(BadInput, match=r"is for runs of the \(1\+1\) GP"):
        CliRunner().invoke(command.watch, [*started, "--versus", "gp-single"], catch_exceptions=False)


@needs_chromium
def test_the_served_page_in_a_browser(browser, served):
    """From the form of the (1+1) GP to that of several trees; another run from it; what is refused; and back."""
    page, complaints = browser.new_page(viewport={"width": 390, "height": 800}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{served.base}/#problem=order&algorithm=gp-single&n=4&seed=5")
    page.wait_for_selector(".panel[data-at]")
    page.select_option("[name=algorithm]", "smo-single")
    page.wait_for_selector(".dot:not(.front)")
    assert page.locator("#name").text_content() == "SMO-GP-single on ORDER, n = 4, seed 5"
    data = recorded(population_of(words_of(init="unity"))[0], 5, 0)
    page.keyboard.press("End")
    assert page.locator("#place-text").text_content() == f"{len(data['changes'])} of {len(data['changes'])}"
    page.select_option("[name=algorithm]", "mu-plus-one-single")
    page.fill("[name=parameters]", "mu=3")
    page.click("#settings button.primary")
    page.wait_for_selector("#name:has-text('(3+1) GP-single on ORDER')")
    page.wait_for_selector(".dot")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not complaints
    page.fill("[name=parameters]", "mu=0")
    page.click("#settings button.primary")
    page.wait_for_selector("#refusal:not([hidden])")
    assert "must be a whole number from 1 to" in page.locator("#refusal").text_content()
    assert page.locator("main").is_hidden()
    for _ in range(3):
        page.go_back()
    page.wait_for_selector(".panel[data-at]")
    assert page.input_value("[name=algorithm]") == "gp-single"
    page.close()


@pytest.mark.processes
def test_the_server_answers_with_the_run(served):
    answer = served.get("/api/population?problem=order&algorithm=smo-single&n=4&seed=5")
    told = json.loads(json.dumps(recorded(population_of(words_of())[0], 5, 0)))
    assert (answer.status_code, answer.json()) == (200, told)
    refused = served.get("/api/population?problem=order&algorithm=smo-single&n=0")
    assert (refused.status_code, refused.json()["error"]["name"]) == (422, "n")
    for path, kind in (("/population", "html"), ("/population.js", "javascript"), ("/population.css", "css")):
        assert kind in served.get(path).headers["content-type"]
    assert "<!--" not in served.get("/population").text


def test_a_file_holds_no_markup_of_its_data():
    text = population_page(spec_of(algorithm="smo-single", problem="order", budget=50), 0, 0)
    assert text.count("<script") == 2
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
