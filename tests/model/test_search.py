"""Algorithms of one's own, with several trees."""

import dataclasses
import pickle
import subprocess
import sys

import pytest

from gpruntime import ALGORITHMS, BadInput, Run, RunSpec, Search, run_many, simulate
from gpruntime.analysis import summarise
from gpruntime.engine import WatchedRun
from gpruntime.exact import solve
from gpruntime.model.search_part import search_named
from gpruntime.model.stream import Stream
from gpruntime.study import Plan, Study, run_study
from gpruntime.watch.choice import address_of, choice_of


class PlusOne(Search):
    size = 1

    def start(self):
        self.population = [self.evaluate(self.initial()) for _ in range(self.size)]

    def step(self):
        child = self.evaluate(self.mutate(self.choose(self.population).tree))
        worst = min(self.population, key=lambda one: one.score)
        growth = len(child.tree.leaves) - len(worst.tree.leaves)
        if self.spec.accept.accepts(child.score - worst.score, growth):
            self.population[self.population.index(worst)] = child


class TwoPlusOne(PlusOne):
    size = 2

    def step(self):
        PlusOne.step(self)


def spec_of(search=TwoPlusOne, **fields):
    return RunSpec(**{"problem": "order", "algorithm": "gp-single", "n": 4, "budget": 400, "search": search, **fields})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("fields", [{}, {"budget": 17}, {"max_leaves_allowed": 8}, {"operator": "hvl"}])
def test_with_a_population_of_one_it_makes_the_run_of_the_1_1_GP(algorithm, fields):
    """From the same stream: in its own address it has another."""
    spec = spec_of(PlusOne, algorithm=algorithm, **fields)
    plain = spec.replace(search="")
    for number in range(10):
        search = PlusOne(spec, 3, number)
        search.stream = Stream(3, plain.cell, number)
        expected = simulate(plain, 3, number)
        if str(expected.outcome) != "stuck":
            assert search.result() == dataclasses.replace(expected, spec=spec, max_population=1)


def test_its_address_holds_its_digest():
    two, one = spec_of(), spec_of(PlusOne)
    assert two.law()["search"] == search_named(TwoPlusOne).id
    assert len({two.cell, one.cell, two.replace(search="").cell}) == 3
    assert RunSpec(**two.law(), budget=400) == two
    assert "search" not in two.replace(search="").law()


def test_a_record():
    result = TwoPlusOne(spec_of().replace(search=""), 1, 2).result()
    assert result == simulate(spec_of(), 1, 2)
    record = result.record()
    assert (record["max_population"], record["outcome"]) == (2, "optimum")
    assert sum(result.proposed.values()) == result.evaluations - 2
    assert all(result.accepted[kind] <= result.proposed[kind] for kind in result.proposed)


@pytest.mark.parametrize("fields", [{"init": "(x1 (x2 (x3 x4)))"}, {"budget": 1}])
def test_a_run_can_end_while_it_starts(fields):
    result = simulate(spec_of(**fields))
    assert (result.evaluations, result.max_population) == (1, 1)


def test_the_rest_of_the_laboratory(tmp_path):
    columns = run_many(spec_of(), seed=1, runs=6, improvements=True)
    results = [simulate(spec_of(), 1, run) for run in range(6)]
    assert columns.evaluations.tolist() == [result.evaluations for result in results]
    assert [one.record() for one in columns.results()] == [one.record() for one in results]
    assert [columns.improvements.of(row)[1][-1] for row in range(6)] == [result.fitness for result in results]
    assert "TwoPlusOne" in summarise(columns).text()
    plan = Plan.of(problem="order", algorithm="gp-single", n=[2, 3], search=[TwoPlusOne, PlusOne], budget=90, runs=2)
    run_study(plan, tmp_path / "s")
    rows = Study.load(tmp_path / "s").table().to_pylist()
    assert len(rows) == 8
    assert len({row["cell"] for row in rows}) == 4
    assert len({row["algorithm"] for row in rows}) == 2


def test_another_process_needs_no_file():
    code = "import pickle, sys; from gpruntime import simulate; print(simulate(pickle.load(sys.stdin.buffer), 2).tree)"
    kept = pickle.dumps(spec_of())
    found = subprocess.run([sys.executable, "-c", code], input=kept, capture_output=True, check=True)
    assert found.stdout.decode().strip() == simulate(spec_of(), 2).tree


@pytest.mark.parametrize(
    "ask", [solve, Run, lambda spec: WatchedRun(spec, 0), lambda spec: choice_of(address_of(spec, 0, 0))]
)
def test_others_say_that_they_cannot(ask):
    with pytest.raises(BadInput, match=r"search|algorithm of your own"):
        ask(spec_of())


class Idle(PlusOne):
    def step(self):
        pass


class Empty(PlusOne):
    def step(self):
        self.evaluate(self.initial())
        self.population = []


class Raising(PlusOne):
    def step(self):
        raise KeyError(3)


@pytest.mark.parametrize(
    ("search", "words"),
    [(Idle, "without an evaluation"), (Empty, "no list of what evaluate"), (Raising, "raised KeyError in step: 3")],
)
def test_bad_ones_get_one_line(search, words):
    with pytest.raises(BadInput, match=words):
        simulate(spec_of(search, init="(!x1 !x1)"))


@pytest.mark.parametrize(
    ("search", "words"), [("two", "must be FILE.py:NAME"), (int, "not a class derived"), (3, "one of")]
)
def test_what_is_none(search, words):
    with pytest.raises(BadInput, match=words):
        spec_of(search)
    with pytest.raises(BadInput, match="nothing proves that TwoPlusOne ends"):
        spec_of(budget=None)
