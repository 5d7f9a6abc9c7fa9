"""A run with several trees as a file: what it says is what the model kept, and a browser shows it."""

import json
import re

import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.model.run import run_of, simulate
from gpruntime.watch.populations import recorded as recording
from gpruntime.watch.populations.page import population_page, write_population
from gpruntime.watch.populations.recorded import recorded
from tests.cli.test_run import gpruntime
from tests.model.test_search import TwoPlusOne
from tests.watch.page import needs_chromium

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


def test_the_command_writes_a_file_and_says_so_where_none_is_named(tmp_path):
    words = ["watch", "--problem", "order", "--algorithm", "smo-single", "-n", "3"]
    done = gpruntime(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--algorithm smo-single: a run with several trees is shown by a file: add -o FILE.html" in done.stderr
    done = gpruntime(*words, "-o", str(tmp_path / "smo.html"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "SMO-GP-single on ORDER, n = 3, seed 0" in (tmp_path / "smo.html").read_text("utf-8")


def test_a_file_holds_no_markup_of_its_data():
    text = population_page(spec_of(algorithm="smo-single", problem="order", budget=50), 0, 0)
    assert text.count("<script") == 2
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
