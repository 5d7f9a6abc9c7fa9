"""Problems on Boolean functions, held against their truth tables."""

import itertools
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import PROBLEMS, RunSpec, Tree, run_many, simulate
from gpruntime.exact import solve
from gpruntime.model import Stream, stuck
from gpruntime.model.problem import Problem
from gpruntime.model.problems import problem_named
from gpruntime.model.problems.truth_table import judged, table_of
from tests.statistics_help import assert_mean
from tests.strategies import trees_over, value

BOOLEAN = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": lambda a, b: a != b,
    "nand": lambda a, b: not (a and b),
    "nor": lambda a, b: not (a or b),
    "not": lambda a: not a,
    "if": lambda a, b, c: b if a else c,
}


def errors(tree, wanted, rows):
    """On how many of these rows a tree errs."""
    return sum(
        value(tree.root, lambda t, row=row: row[t.variable - 1] != t.negated, BOOLEAN) != wanted(row) for row in rows
    )


WANTED = {"and": all, "and-or": all, "xor": lambda row: sum(row) % 2 == 1}


@pytest.mark.parametrize("name", WANTED)
@pytest.mark.parametrize("negated", [0, 1])
@settings(max_examples=20)
@given(data=st.data())
def test_wrong_rows_by_the_truth_table(name, negated, data):
    """With more rows than a word has, and with fewer; AND alone has the number of missing variables."""
    n, unwanted = data.draw(st.sampled_from([(2, 1), (3, 2), (6, 1)]))
    problem = problem_named(f"{name}:unwanted={unwanted},negated={negated}")
    tree = data.draw(trees_over(problem.primitives(n), 9))
    rows = list(itertools.product((False, True), repeat=n + unwanted))
    assert problem.fitness(tree, n) == errors(tree, lambda row: WANTED[name](row[:n]), rows)


@pytest.mark.parametrize("kind", ["even", "odd"])
@settings(max_examples=20)
@given(data=st.data())
def test_PARITY_by_the_truth_table(kind, data):
    n = data.draw(st.sampled_from([2, 4, 7]))
    problem = problem_named(f"parity:kind={kind}")
    tree = data.draw(trees_over(problem.primitives(n)))
    rows = list(itertools.product((False, True), repeat=n))
    assert problem.fitness(tree, n) == errors(tree, lambda row: sum(row) % 2 == (kind == "odd"), rows)


@settings(max_examples=20)
@given(data=st.data())
def test_MULTIPLEXER_by_the_truth_table(data):
    n, bits = data.draw(st.sampled_from([(3, 1), (6, 2), (11, 3)]))
    problem = PROBLEMS["multiplexer"]
    tree = data.draw(trees_over(problem.primitives(n), 8))
    rows = list(itertools.product((False, True), repeat=n))
    assert problem.fitness(tree, n) == errors(
        tree, lambda row: row[bits + sum(2**i * row[i] for i in range(bits))], rows
    )


def test_the_multiplexer_is_found_right():
    text = "(if a1 (if a0 d3 d2) (if a0 d1 d0))"
    assert PROBLEMS["multiplexer"].fitness(Tree.parse(text, PROBLEMS["multiplexer"].primitives(6)), 6) == 0


@settings(max_examples=30)
@given(st.data())
def test_missing_variables_and_wrong_rows_of_AND(data):
    tree = data.draw(trees_over(PROBLEMS["and"].primitives(4)))
    missing = PROBLEMS["and"].fitness(tree, 4)
    assert errors(tree, all, list(itertools.product((False, True), repeat=4))) == 2**missing - 1


@pytest.mark.parametrize("name", WANTED)
@settings(max_examples=20)
@given(data=st.data())
def test_errors_on_sampled_rows(name, data):
    n, rows = 5, data.draw(st.sampled_from([3, 64, 65, 130]))
    problem = problem_named(f"{name}:rows={rows},seed=7")
    stream = Stream(7, (0, 0, 0, 1), 0)
    words = [[stream.word() for _ in range(n)] for _ in range(-(-rows // 64))]
    sampled = [[words[row // 64][i] >> row % 64 & 1 == 1 for i in range(n)] for row in range(rows)]
    tree = data.draw(trees_over(problem.primitives(n)))
    assert problem.fitness(tree, n) == errors(tree, WANTED[name], sampled)


@pytest.mark.parametrize("n", [2, 5, 8])
def test_AND_from_one_leaf_takes_3nH_offspring(n):
    """By hand: GP*-single improves by insertions alone."""
    spec = RunSpec(problem="and", algorithm="gpstar-single", n=n, init="unity:leaves=1")
    offspring = 3 * n * sum(Fraction(1, i) for i in range(1, n))
    assert solve(spec, rational=True).expected == 1 + offspring
    if n == 5:
        assert_mean([simulate(spec, 1, run).evaluations for run in range(150)], float(1 + offspring))


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_XOR_is_stuck_at_once_from_one_leaf(n):
    spec = RunSpec(problem="xor", algorithm="gpstar-single", n=n, init="x1")
    assert stuck(Tree.parse("x1"), spec) == (n >= 3)
    assert simulate(spec, 0, 0).outcome == ("stuck" if n >= 3 else "optimum")
    if n >= 3:
        assert simulate(spec, 0, 0).evaluations == 1


@pytest.mark.attack
@pytest.mark.parametrize(
    "name",
    ["and", "and:negated=1", "and:unwanted=2", "and:negated=1,unwanted=1", "and:rows=40,seed=1", "and:rows=600,seed=1"],
)
def test_in_AND_the_empty_tree_is_true(name):
    """The conjunction of no literals, whatever the parameters; by the truth table of a program that is always true."""
    n, problem = 5, problem_named(name)
    variables, sampled = problem.primitives(n).variables, problem.parameters["rows"]
    table = problem.data(n) if sampled else table_of(lambda rows: rows[:n].all(axis=0), variables, False, ("and",))
    wrong = int((~judged(table)[0]).sum())
    assert problem.fitness(Tree(), n) == (n if name == "and" else wrong)
    assert name != "and" or wrong == 2**n - 1  # that of i = 0 distinct variables, 2^(n−i) − 1
    fields = {"algorithm": "gp-single", "init": "()", "last_leaf": "empty", "weights": (0, 0, 1), "budget": 3}
    assert run_many(RunSpec(problem=name, n=n, **fields), runs=1).fitness[0] == (n if name == "and" else wrong)


@pytest.mark.attack
@pytest.mark.parametrize("name", ["xor", "xor:negated=1", "xor:rows=40,seed=1", "and-or", "parity", "multiplexer"])
def test_elsewhere_the_empty_tree_is_false(name):
    n, problem = 3, problem_named(name)
    target = {"and-or": lambda rows: rows.all(axis=0), "parity": lambda rows: rows.sum(axis=0) % 2 == 0}
    wanted = target.get(name.partition(":")[0], lambda rows: rows.sum(axis=0) % 2 == 1)
    table = table_of(wanted, n, False, ("xor",)) if problem.sees == "leaves" else problem.data(n)
    assert problem.fitness(Tree(), n) == int(judged(table)[0].sum())


@pytest.mark.parametrize(
    ("name", "n"), [("parity", 20), ("multiplexer", 20), ("and-or", 20), ("and:rows=1000000", 134), ("xor:rows=7", 3)]
)
def test_a_spec_makes_no_table_and_a_run_makes_it(monkeypatch, name, n):
    made = []

    def make(problem, n):
        made.append((problem.id, n))
        return np.zeros(3, np.int64)

    monkeypatch.setattr(Problem, "_made_data", make)
    monkeypatch.setattr(problem_named(name), "_known_data", {})
    spec = RunSpec(problem=name, algorithm="gp-single", n=n, budget=10)
    assert made == []
    assert len(spec.problem.data(n)) == 3
    assert made == [(spec.problem.id, n)]


def test_tables_that_were_not_asked_for_lately_are_dropped(monkeypatch):
    monkeypatch.setattr(sys.modules[Problem.__module__], "_MAX_KEPT", 3000)
    problems = [problem_named(f"xor:rows=640,seed={seed}") for seed in range(20)]
    known = {}
    for one in problems:
        monkeypatch.setattr(one, "_known_data", known)
        assert len(one.data(8)) > 0
        assert sum(data.nbytes for data in known.values()) <= 3000
    assert [key[2] for key in known] == [17, 18, 19]
    again = problems[0].data(8)
    assert np.array_equal(again, problems[0]._made_data(8))
    monkeypatch.setattr(sys.modules[Problem.__module__], "_MAX_KEPT", 0)
    assert problems[3].data(8) is next(iter(known.values()))  # the last one is always there
