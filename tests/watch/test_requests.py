"""What the words of a request can make the server do: load no file, and hold up nobody else."""

import asyncio
import threading

import httpx
import pytest

from gpruntime import BadInput
from gpruntime.model.problem import Problem
from gpruntime.model.spec import DEFAULTS
from gpruntime.watch import server
from gpruntime.watch.choice import NAMES, choice_of, many_of
from gpruntime.watch.jobs import AT_ONCE

HOST = "127.0.0.1:8750"
ROUTES = [route.path for route in server.make_app([HOST], server.Desk())._app.routes if route.path.startswith("/api/")]
READING = [path for path in ROUTES if path != "/api/lessons"]
FINE = {"problem": "order", "algorithm": "gp-single", "n": "4"}
SEVERAL = {**FINE, "algorithm": "smo-single"}
LAW = {"problem": "order", "algorithm": "gp-single", "ns": "2,3", "runs": "2", "start": "gp-single"}
FIELDS = sorted({*DEFAULTS, *NAMES, "parameters", "versus", "ns", "runs"})


# ---- files


def evil_words(trap, fine):
    """Every field with every way to name a file, beside what is fine."""
    file, pipe = trap
    for field in FIELDS:
        for text in (f"{file}:rule", f"@{file}", f"gp-single accept={file}:rule", f"{pipe}:rule"):
            yield {**fine, field: text}
    for name in ("accept", "search", "operations", "until"):
        for path in trap:
            yield {**fine, "algorithm": f"{fine['algorithm']} {name}={path}:rule"}
            yield {**fine, "parameters": f"mu=2 {name}={path}:rule"}


@pytest.mark.attack
@pytest.mark.parametrize(
    "path",
    [path if path == "/api/check" else pytest.param(path, marks=pytest.mark.long) for path in ROUTES],
)
def test_no_request_makes_the_server_load_a_file(served, trap, path):
    for fine in (LAW if path == "/api/law" else {**FINE, "start": "gp-single"}, SEVERAL):
        check_that_nothing_is_loaded(served, trap, path, fine)


def check_that_nothing_is_loaded(served, trap, path, fine):
    with httpx.Client(base_url=served.base, timeout=60) as client:  # a server that waits for a pipe answers nobody
        for words in evil_words(trap, fine):
            answer = client.get(path, params=words)
            assert answer.status_code in (200, 422), (words, answer.text)  # 200: many runs have no use for start
            assert answer.status_code == 200 or "\n" not in answer.json()["error"]["message"]


def test_an_algorithm_may_have_its_rule_behind_it():
    with pytest.raises(BadInput, match="accept = weak: must be given once"):
        choice_of({**FINE, "algorithm": "gp-single accept=parsimony", "accept": "weak"}.items())
    assert choice_of({**FINE, "algorithm": "gp-single accept=parsimony"}.items()).spec.accept.id == "parsimony"
    assert choice_of({**FINE, "algorithm": "smo-single until=optimum"}.items()).spec.goal == "optimum"


def test_a_rule_of_ones_own_behind_an_algorithm_is_named_by_the_page(tmp_path, monkeypatch):
    from gpruntime.cli.main import commands

    offers = []

    def serve(bound, _, offer):
        bound.close()
        offers.append(offer)

    monkeypatch.setattr("gpruntime.watch.serve.serve", serve)
    rule = tmp_path / "mine.py"
    rule.write_text("from gpruntime import acceptance\n@acceptance\ndef rule(gain, growth):\n    return gain >= 0\n")
    words = ["watch", "--no-open", "--port", "0", "-n", "4", "--algorithm", f"gp-single accept={rule}:rule"]
    commands.main(words, standalone_mode=False)
    assert list(offers[0].texts.values()) == [f"{rule}:rule"]


# ---- time


class Ready:
    """An engine that is warm."""

    def __init__(self, problems):
        self.problems = problems

    def begin(self):
        pass

    end = begin

    def is_ready(self, *_):
        return True

    async def wait(self, *_):
        pass


def in_a_server(ask):
    """What `ask` gives, which is given a client of a server in this process."""

    async def ended():
        app = server.make_app([HOST], server.Desk())
        async with app._app.router.lifespan_context(app._app):
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
                return await ask(client)

    return asyncio.run(ended())


@pytest.mark.attack
@pytest.mark.parametrize("path", READING)
def test_others_are_answered_while_the_words_of_a_request_are_read(monkeypatch, path):
    """A problem may have a large table to work out before it is known whether there is such a run."""
    reading, answered = threading.Event(), threading.Event()

    def read(words, offer):
        reading.set()
        assert answered.wait(30), "the server answered nobody else"
        raise BadInput("n", "4", "is enough")

    for name in ("choice_of", "many_of", "law_of"):
        monkeypatch.setattr(server, name, read)
    monkeypatch.setattr(server, "Warmth", Ready)

    async def ask(client):
        slow = asyncio.ensure_future(client.get(path, params=FINE))
        while not (reading.is_set() or slow.done()):
            await asyncio.sleep(0.001)
        quick = await client.get("/api/lessons")
        answered.set()
        return quick, await slow

    quick, slow = in_a_server(ask)
    assert reading.is_set()
    assert (quick.status_code, slow.status_code) == (200, 422)


@pytest.mark.attack
def test_a_request_is_checked_while_all_places_are_taken(monkeypatch):
    computing, answered = threading.Semaphore(0), threading.Event()

    def window(*_):
        computing.release()
        assert answered.wait(30), "the server checked nothing meanwhile"
        return {}

    monkeypatch.setattr(server, "window", window)
    monkeypatch.setattr(server, "Warmth", Ready)

    async def ask(client):
        slow = [asyncio.ensure_future(client.get("/api/steps", params={**FINE, "seed": i})) for i in range(AT_ONCE)]
        for _ in slow:
            while not computing.acquire(blocking=False):
                await asyncio.sleep(0.001)
        checked = await client.get("/api/check", params=FINE)
        answered.set()
        return [checked, *(await asyncio.gather(*slow))]

    assert [answer.status_code for answer in in_a_server(ask)] == [200] * (AT_ONCE + 1)


@pytest.mark.attack
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"problem": "and:rows=13000", "n": "10000"}, "n"),
        ({"problem": "and:rows=130,unwanted=1000000", "n": "5"}, "problem"),
        ({"problem": "and:rows=1000000", "n": "1000"}, "problem"),
        ({"problem": "parity", "n": "21"}, "n"),
        ({"problem": "multiplexer", "n": "37"}, "n"),
        ({"problem": "and-or", "n": "20", "init": "unity:leaves=100000"}, "init"),
    ],
)
def test_what_is_too_large_for_the_page_is_refused_before_a_table_is_made(monkeypatch, words, name):
    monkeypatch.setattr(Problem, "_made_data", None)
    monkeypatch.setattr("gpruntime.watch.choice.needs_model", None)
    for read in (choice_of, many_of):
        with pytest.raises(BadInput) as refused:
            read({**FINE, **words}.items())
        assert refused.value.name == name


def test_empty_words_of_a_population_are_refused():
    for name in FINE:
        with pytest.raises(BadInput) as refused:
            choice_of({**SEVERAL, name: ""}.items())
        assert refused.value.name == name
