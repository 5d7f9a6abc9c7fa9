"""A part that answers otherwise in another process is found out: each worker would draw a problem of its own."""

import random
import re

import pytest

from gpruntime import BadPart, RunSpec, Search, acceptance, problem
from gpruntime.model.search_part import search_named
from gpruntime.verification.elsewhere import same_elsewhere
from gpruntime.verification.kinds import rule_answers as of_rule
from gpruntime.verification.kinds import verify
from gpruntime.verification.problem import answers as of_problem
from gpruntime.verification.search import answers as of_search
from tests import parts

pytestmark = pytest.mark.attack


@problem(sees="counts", best=lambda n: 100 * n, data=lambda n: [random.randrange(1, 100) for _ in range(n)])
def random_weights(i, plain, bar, n, weights):
    return weights[i - 1] if plain >= max(bar, 1) else 0


@problem(sees="counts", best=lambda n: 100 * n, data=lambda n: [1 + hash(f"x{i}") % 99 for i in range(n)])
def hashed_weights(i, plain, bar, n, weights):
    return weights[i - 1] if plain >= max(bar, 1) else 0


@problem(sees="counts", best=lambda n: n + hash("best") % 1000)
def hashed_best(i, plain, bar, n):
    return plain >= max(bar, 1)


@problem(sees="leaves", terminals=lambda n: list({f"a{i}" for i in range(n)}), best=lambda n: n)
def terminals_of_a_set(leaves, n):
    return leaves[0] == 0


@problem(sees="leaves", best=lambda n: 10**6)
def hashed_fitness(leaves, n):
    return hash(str(leaves[0])) % 1000


@problem(sees="counts", best=lambda n: random.randrange(10**6))
def random_best(i, plain, bar, n):
    return plain >= max(bar, 1)


@problem(sees="counts", terminals=lambda n: [f"a{random.randrange(10**9)}" for _ in range(n)], best=lambda n: n)
def random_terminals(i, plain, bar, n):
    return plain >= 1


class TakesFromASet(Search):
    def start(self):
        self.population = [self.evaluate(self.initial())]

    def step(self):
        for word in {"a", "b", "c", "d", "e", "f"}:
            if word < "c":
                break
            self.stream.word()
        self.population = [self.evaluate(self.mutate(self.population[0].tree))]


@acceptance
def hashed_rule(gain, growth):
    return gain > hash("rule") % 1000


@pytest.mark.parametrize(
    ("part", "ask", "words"),
    [
        (hashed_weights, of_problem, "data for n = 1: .* in this process, .* in another"),
        (hashed_best, of_problem, "best for n = 1: [0-9]+ in this process, [0-9]+ in another"),
        (terminals_of_a_set, of_problem, "terminals for n = [235]: "),
        (hashed_fitness, of_problem, "fitness of the tree "),
        (search_named(TakesFromASet), of_search, "run [0-3] on MAJORITY: "),
        (hashed_rule, of_rule, "least gain for growth "),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_part_that_answers_otherwise_elsewhere_is_found_out(part, ask, words):
    found = same_elsewhere(part, ask, "all")
    assert (found.verdict, bool(re.search(words, found.words))) == ("WRONG", True), found


def test_verify_asks_in_other_processes():
    for part, verdict in ((hashed_weights, "WRONG"), (parts.two_thirds, "ok")):
        found = verify(part)
        verdicts = [finding.verdict for finding in found.findings if finding.what == "the same in every process"]
        assert verdicts == [verdict], str(found)
        assert found.good == (verdict == "ok")


def test_data_that_differ_when_they_are_made_again_are_refused_at_once():
    with pytest.raises(BadPart, match="gave other data for n = 3 when asked again"):
        RunSpec(problem=random_weights, algorithm="gp-single", n=3, budget=9)
    assert "gave other data" in str(verify(random_weights))
    for part in (random_best, random_terminals):
        with pytest.raises(BadPart, match=r"gave other (best fitness|terminals) for n = 3 when asked again"):
            RunSpec(problem=part, algorithm="gp-single", n=3, budget=9)


def test_a_part_that_no_other_process_can_have_is_wrong(monkeypatch, tmp_path):
    """It imports a package that is installed in the current folder; workers import nothing from there."""
    tmp_path = tmp_path / "site-packages"
    tmp_path.mkdir()
    (tmp_path / "only_here.py").write_text("LIMIT = 3\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text(
        "import only_here\nfrom gpruntime import problem\n\n"
        "@problem(sees='counts', best=lambda n: n)\n"
        "def limited(i, plain, bar, n):\n    return plain >= only_here.LIMIT\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    part = RunSpec(problem="mine.py:limited", algorithm="gp-single", n=3, budget=9).problem
    found = same_elsewhere(part, of_problem, "all")
    assert found.verdict == "WRONG"
    assert "No module named 'only_here'" in found.words
