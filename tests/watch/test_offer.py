"""What can be chosen on the page: ours, and what the user named at the start. A request loads nothing."""

import html
import re

import httpx
import pytest

from gpruntime import PROBLEMS, BadInput, RunSpec
from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.watch.choice import address_of, choice_of, many_of
from gpruntime.watch.export import page_of
from gpruntime.watch.offer import OURS, Offer
from tests.command_help import gpruntime
from tests.field import SIZES
from tests.watch import own
from tests.watch.conftest import Served

HERE = own.__file__
SPEC = RunSpec(problem=own.weighted, algorithm="gp-single", n=4, accept=own.smaller, budget=100)
OFFER = Offer.of(SPEC, f"{HERE}:weighted", f"{HERE}:smaller")


def words(**more):
    return list({"problem": "order", "algorithm": "gp-single", "n": "4", **more}.items())


@pytest.fixture
def trap(tmp_path):
    """A file that tells when it is run."""
    file = tmp_path / "trap.py"
    mark = tmp_path / "run"
    head = f"from gpruntime import problem, acceptance\nopen({str(mark)!r}, 'w').close()\n"
    rule = "@acceptance\ndef rule(gain, growth):\n    return gain > 0\n"
    file.write_text(head + "@problem(sees='leaves', best=lambda n: n)\ndef trap(leaves, n):\n    return n\n" + rule)
    yield file
    assert not mark.exists()


def names(file):
    """Ways to name a file that must not be loaded."""
    return [f"{file}:trap", f"order:{file}:trap", f"{SPEC.problem}:{file}:trap", f"{file}:rule", f"weak:{file}:rule"]


@pytest.mark.parametrize("offer", [OURS, OFFER], ids=["ours", "own"])
@pytest.mark.parametrize("field", ["problem", "accept", "start_accept"])
def test_a_request_loads_no_file(trap, offer, field):
    for text in [*names(trap), "two_thirds@0123456789abcdef", own.two_thirds.id]:
        for read in (choice_of, many_of):
            with pytest.raises(BadInput) as refused:
                read(words(**{field: text, "start": "gp-single"}), offer)
            assert refused.value.name == field
            assert "a page loads no file: start gpruntime watch with --" in str(refused.value)


def test_what_was_named_at_the_start_can_be_chosen():
    choice = choice_of(address_of(SPEC, 1, 0), OFFER)
    assert (choice.spec.problem.id, choice.spec.accept.id) == (own.weighted.id, own.smaller.id)
    with pytest.raises(BadInput, match="a page loads no file"):
        choice_of(address_of(SPEC, 1, 0))
    other = choice_of(words(problem=f"{own.weighted.id}:c=3"), OFFER)
    assert other.spec.best == 30
    assert other.spec.budget == 100_000_000  # the page's: nothing proves that it ends


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("rule", ACCEPTANCES)
def test_all_of_ours_can_be_chosen(monkeypatch, problem, rule):
    monkeypatch.setattr("gpruntime.watch.choice.needs_model", lambda _: False)  # it compiles to find that out
    n = str(SIZES.get(problem, (4,))[0])
    spec = choice_of(words(problem=problem, n=n, accept=rule, operations="power:beta=2")).spec
    assert (spec.problem.id, spec.accept.id, spec.operations.id) == (problem, rule, "power:beta=2.0")


@pytest.mark.parametrize(
    ("more", "name", "allowed"),
    [
        ({"accept": "weka"}, "accept", "did you mean weak"),
        ({"operations": "pwoer"}, "operations", "did you mean power"),
        ({"problem": own.weighted.id, "n": "10001"}, "n", "10000 on the page"),
        ({"problem": "sorting", "n": "2001"}, "n", "2000 on the page"),
        ({"accept": "parsimony", "budget": "100000001"}, "budget", "at most 100,000,000 on the page"),
    ],
)
def test_what_cannot_be_is_refused_by_name(more, name, allowed):
    with pytest.raises(BadInput, match=allowed) as refused:
        choice_of(words(**more), OFFER)
    assert refused.value.name == name


def test_a_run_beside_begins_with_the_tree_of_the_setting_with_its_rule():
    first = choice_of(words(accept="parsimony", n="9"))
    lent = {"start": "gp-single", "start_accept": "parsimony"}
    second = choice_of(words(n="9", **lent))
    assert second.watched.accept.id == "weak"
    assert str(second.watched.init) == str(first.watched.init.build(_stream(first)))


def _stream(choice):
    from gpruntime.model.stream import Stream

    return Stream(choice.seed, choice.spec.cell, choice.run)


def test_the_form_has_what_is_on_offer_and_nothing_breaks_out():
    page = '<form id="settings"><!-- problems --><select name="accept"><!-- rules --></select></form>'
    form = OFFER.form(page)
    for part in (*PROBLEMS.values(), own.weighted, *ACCEPTANCES.values(), own.smaller):
        assert f'value="{part.id}"' in form
    assert form.count(" selected") == 1
    assert f'value="{own.weighted.id}" selected' in form
    assert html.escape(f'"{own.weighted.id}": "{HERE}:weighted"') in form
    groups = re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', form)
    assert len(groups) == 4
    assert sum(options.count("<option") for _, options in groups) == len(PROBLEMS) + 1
    odd = Offer.of(SPEC, 'a"><script>.py:weighted')
    assert "<script>" not in odd.form(page)


def test_a_file_has_a_run_of_ones_own():
    page = page_of(address_of(SPEC, 1, 0, "gp-single"), OFFER)
    assert "(1+1) GP-single, smaller on weighted, n = 4, seed 1: all" in page
    assert "(1+1) GP-single on weighted, n = 4, seed 1: all" in page  # beside it, without the rule


BAD = """
from gpruntime import problem

@problem(sees="leaves", best=lambda n: 99)
def bad(leaves, n):
    while n == 2:
        pass
    return 1 if len(leaves) < 9 else 1 // 0
"""


@pytest.mark.processes
def test_the_server_refuses_in_one_line_and_outlives_a_bad_function(tmp_path, trap):
    file = tmp_path / "bad.py"
    file.write_text(BAD, encoding="utf-8")
    server = Served("--problem", f"{file}:bad", "-n", "3", "--budget", "1000")
    for text in names(trap):
        for path in ("check", "course", "steps", "many"):
            answer = server.get(f"/api/{path}", params={"problem": text, "algorithm": "gp-single", "n": 3})
            assert answer.status_code == 422
            assert answer.json()["error"]["message"].count("\n") == 0
    problem = RunSpec(problem=f"{file}:bad", algorithm="gp-single", n=3, budget=10).problem.id
    run = {"problem": problem, "algorithm": "gp-single", "n": 3}
    *_, last = server.get("/api/course", params=run).text.splitlines()
    assert "raised ZeroDivisionError" in last
    refused = server.get("/api/steps", params={**run, "from": 500})
    assert (refused.status_code, refused.json()["error"]["name"]) == (422, "problem")
    assert server.get("/api/steps", params={**run, "problem": "order"}).status_code == 200
    with httpx.stream("GET", f"{server.base}/api/course", params={**run, "n": 2}, timeout=30):
        assert server.end() == (130, [])  # though the function never returns


def test_a_file_that_is_not_there_is_one_line():
    done = gpruntime("watch", "--no-open", "--problem", "/nowhere/x.py:mine")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
