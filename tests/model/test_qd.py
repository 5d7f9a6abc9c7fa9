"""QD-GP: what it is, by hand and by brute force; its chain against runs."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, Tree, run_many, simulate, solve
from gpruntime.model.populations.qd import QualityDiversity, height_of


def spec_of(algorithm="qd", **fields):
    return RunSpec(**{"problem": "max", "algorithm": algorithm, "n": 2, "budget": 10**5, "init": "x1", **fields})


def height(text: str) -> int:
    depths = [text[:i].count("(") - text[:i].count(")") for i, letter in enumerate(text) if letter == "x"]
    return max(depths, default=-1)


@pytest.mark.parametrize("text", ["()", "x1", "(x1 x2)", "((x1 x2) x3)", "(x1 ((x1 (x2 x2)) x3))"])
def test_the_height_is_that_of_the_deepest_leaf(text):
    assert height_of(Tree.parse(text)) == height(text)


@pytest.mark.parametrize("accept", ["", "weak", "parsimony"])
@pytest.mark.parametrize("init", ["x1", "unity"])
def test_each_step_is_the_definitions(accept, init):
    """P before and after each step: one tree a height, in order; only a better one, or by the rule, takes a place."""
    spec = spec_of(problem="max:functions=+*", n=3, init=init, accept=accept)
    search = QualityDiversity(spec, 4)
    search.advance()
    joined = replaced = 0
    while search.outcome is None:
        before = {height_of(one.tree): one for one in search.population}
        search.advance()
        after = {height_of(one.tree): one for one in search.population}
        assert list(after) == sorted(after)
        new = [h for h, one in after.items() if before.get(h) is not one]
        assert len(new) <= 1
        joined += not search.last_made
        if min(before) > 3:
            assert len(before) == 1
            assert min(after) <= min(before)
            continue
        assert set(before) <= set(after) <= {0, 1, 2, 3}
        for h in new:
            if h in before:
                replaced += 1
                gain, growth = after[h].score - before[h].score, len(after[h].tree) - len(before[h].tree)
                assert spec.accept.accepts(gain, growth)
    assert joined > 5
    assert replaced > 0
    assert search.outcome == "optimum"


def offspring_of(state, spec):
    """The law of what one step makes of P, trees as text: by joining texts, and by trying all proposals."""
    law = Counter()
    for left, right in itertools.product(state, repeat=2):
        for function in spec.primitives.functions:
            law[f"({function} {left} {right})"] += Fraction(1, 2 * len(state) ** 2 * len(spec.primitives.functions))
    for text in state:
        parent = Tree.parse(text, spec.primitives)
        for operation, chance in spec.mutation_in_fractions.proposals(parent):
            tree = parent.copy()
            spec.mutation_in_fractions.apply(tree, operation)
            law[str(tree)] += chance / 2 / len(state)
    return law


def value(text, spec):
    return spec.problem.fitness(Tree.parse(text, spec.primitives), spec.n)


def exact_mean(spec):
    """E[evaluations] from x1 by solving the chain of all P that can be reached, with fractions."""
    after, waiting = {}, [("x1",)]
    while waiting:
        state = waiting.pop()
        if state in after:
            continue
        after[state] = Counter()
        for text, chance in offspring_of(state, spec).items():
            new = {height(tree): tree for tree in state}
            tall = height(text)
            if tall <= spec.n and (tall not in new or value(text, spec) > value(new[tall], spec)):
                new[tall] = text
            kept = None if value(text, spec) == spec.best else tuple(new[h] for h in sorted(new))
            after[state][kept] += chance
            if kept is not None:
                waiting.append(kept)
    places = {state: place for place, state in enumerate(after)}
    matrix, ones = np.eye(len(places)), np.ones(len(places))
    for state, law in after.items():
        assert sum(law.values()) == 1
        for new, chance in law.items():
            if new is not None:
                matrix[places[state], places[new]] -= float(chance)
    return 1 + np.linalg.solve(matrix, ones)[0]


@pytest.mark.parametrize("problem", ["max", "max:functions=+*", "max:functions=+*,t=2"])
def test_the_chain_is_that_of_brute_force(problem):
    spec = spec_of(problem=problem)
    assert solve(spec).mean == pytest.approx(exact_mean(spec), rel=1e-9)


def test_by_hand():
    """D = 1 from x1: joined, or an insertion, is the optimum: with probability 1/2 + 1/2·1/3."""
    assert solve(spec_of(n=1), rational=True).mean == 1 + Fraction(3, 2)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "fields",
    [
        {"algorithm": "qd:crossover=0.25,height=3"},
        {"algorithm": "qd-single", "init": "unity:leaves=1", "last_leaf": "empty", "weights": (1, 1, 4)},
    ],
)
def test_the_chain_is_that_of_runs(fields):
    spec = spec_of(**fields)
    exact = solve(spec)
    times = np.array([simulate(spec, seed=2, run=run).evaluations for run in range(400)])
    assert abs(times.mean() - exact.mean) < 4 * exact.std / math.sqrt(len(times))


def test_run_many_is_the_model():
    spec = spec_of(n=3, init="unity")
    columns = run_many(spec, seed=3, runs=4)
    assert list(columns.evaluations) == [simulate(spec, 3, run).evaluations for run in range(4)]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "qd:crossover=2"}, "must be a probability"),
        ({"algorithm": "qd:height=-1"}, "must be a whole number from 0"),
        ({"accept": "no"}, "must be one of"),
        ({"budget": None}, "nothing proves that QD-GP-single on MAX ends: give a budget"),
    ],
)
def test_bad_settings_are_one_line(fields, words):
    with pytest.raises(BadInput, match=words):
        spec_of(**fields)


def test_exact_answers_are_for_trees_of_one_variable():
    for fields in ({"problem": "order"}, {"problem": "and-or"}):
        with pytest.raises(BadInput, match="exact answers exist for one variable only"):
            solve(spec_of(**fields))
    with pytest.raises(BadInput, match="no higher than 2, such as unity:leaves=3"):
        solve(spec_of(init="unity"))
