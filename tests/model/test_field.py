"""The field's problems: what all of them say, and those that add up what is expressed."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import PROBLEMS, BadInput, RunSpec, Tree
from gpruntime.model.problems import problem_named
from gpruntime.model.problems.sorting import MEASURES
from gpruntime.model.problems.weighted import weights_of
from tests.field import SIZES, VARIANTS
from tests.strategies import texts, trees_over

# ---- all of them


@pytest.mark.parametrize(
    "name", [variant for id_, variants in VARIANTS.items() if id_ not in SIZES for variant in variants]
)
def test_the_best_fitness_is_reached_and_not_exceeded(name):
    """By brute force. What a table of sampled rows wants may be had with fewer leaves."""
    problem = problem_named(name)
    assert problem_named(problem.id) is problem
    n = 1 if "majority" in name or "parity" in name else 2
    primitives = problem.primitives(n)
    most = 4 if primitives.size * len(primitives.functions) <= 6 else 2
    every = [text for leaves in range(1, most + 1) for text in texts(primitives, leaves)]
    found = [problem.fitness(Tree.parse(text), n) for text in every]
    assert max(found, key=lambda fitness: fitness * problem.direction) == problem.best(n)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=str)
def test_each_says_what_it_is_and_where_it_comes_from(problem):
    assert problem.line
    assert problem.cite
    assert [one.number for one in PROBLEMS.values()].count(problem.number) == 1


@pytest.mark.parametrize(
    ("name", "n", "words"),
    [
        ("worder:weights=lineal", 3, "must be equal, linear, powers, drawn:SEED"),
        ("worder:weights=powers", 80, "n ≤ 60"),
        ("wmajority:weights=1/2", 3, "has 2 weights for n = 3"),
        ("wmajority:weights=0/0", 2, "must add up to 1"),
        ("wmajority:weights=drawn:1/0", 2, "MOST from 1"),
        ("plus-c-majority:c=0", 3, "c=0: must be an integer from 1"),
        ("plus-c-majority:c=x", 3, "must be a whole number"),
        ("plus-c-majority:d=1", 3, "d is not known; it takes c=2"),
        ("two-thirds-majority:c=1", 3, "it takes no parameters"),
        ("sorting:measure=rnu", 3, "did you mean run"),
        ("and-or", 40, "2^40 rows"),
        ("and-or:unwanted=18", 3, "2^21 rows"),
        ("and:unwanted=21", 40, "60 variables can be"),
        ("xor", 61, "more than 60 bits"),
        ("xor:seed=1", 3, "has no meaning without sampled rows"),
        ("xor:rows=-1", 3, "must be from 1"),
        ("and:negated=2", 3, "must be 0 or 1"),
        ("and:unwanted=-1", 3, "must be an integer from 0"),
        ("max:functions=-", 3, "must be one of +, +*"),
        ("max:t=0", 3, "must be a number above 0"),
        ("max:t=1/0", 3, "must be a number above 0"),
        ("max", 60, "can be 50 at most"),
        ("max:t=2048", 50, "more than 60 bits"),
        ("max:depth=-2", 3, "must be from 1 to 50, or 0 for n"),
        ("alternate:terminals=sorting", 3, "must be one of order, majority"),
        ("multiplexer", 5, "has 3, 6, 11 or 20 inputs"),
        ("parity:kind=evne", 3, "did you mean even"),
        ("parity", 21, "2^21 rows"),
        ("regression", 1, "is the number of points"),
        ("regression:function=cubic", 20, "must be one of quartic"),
    ],
)
def test_parameters_without_meaning_are_one_line(name, n, words):
    with pytest.raises(BadInput) as refused:
        RunSpec(problem=name, algorithm="gp-single", n=n, budget=10)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bounds_are_about_runs_that_can_be():
    """Each applies to the runs it names, and has a value there; parameters can take it away."""
    names = ["order", "majority", "worder", "wmajority:weights=powers", "and", "max"]
    names += [f"sorting:measure={measure}" for measure in MEASURES]
    for name in names:
        problem = problem_named(name)
        assert problem.bounds
        for bound in problem.bounds:
            for variant in bound.algorithms:
                init = bound.inits[0] if bound.inits else "unity"
                assert bound.applies(RunSpec(problem=name, algorithm=variant, n=5, init=init, budget=9))
            assert bound.log is None or 0 < bound.log(20.0, 60.0, 40.0) < 20 * math.log(20)
    for name in ("and:negated=1", "max:functions=+*", "max:depth=3"):
        assert not problem_named(name).bounds


# ---- weights


def test_weights():
    assert weights_of(4, "linear").tolist() == [1, 2, 3, 4]
    assert weights_of(4, "powers").tolist() == [1, 2, 4, 8]
    assert weights_of(3, "7/0/2").tolist() == [7, 0, 2]
    assert weights_of(60, "powers").sum() == 2**60 - 1
    drawn = weights_of(500, "drawn:4/10")
    assert weights_of(20, "drawn:4/10").tolist() == drawn[:20].tolist()
    assert set(drawn.tolist()) == set(range(1, 11))
    assert weights_of(5, "drawn:4").tolist() != weights_of(5, "drawn:5").tolist()


@settings(max_examples=30)
@given(st.data())
def test_weighted_problems_add_up_what_is_expressed(data):
    for weighted, plain in (("worder", "order"), ("wmajority", "majority")):
        problem = problem_named(f"{weighted}:weights=5/0/7/2")
        tree = data.draw(trees_over(problem.primitives(4)))
        expressed = PROBLEMS[plain].expressed(tree.terminals(), 4)
        assert problem.fitness(tree, 4) == sum((5, 0, 7, 2)[i - 1] for i in expressed)


def test_variants_of_majority():
    tree = Tree.parse("((x1 (x1 x1)) ((!x1 x2) (x2 (x2 (!x2 !x2)))))")  # 3 to 1, and 3 to 2
    assert [problem_named(f"plus-c-majority:c={c}").fitness(tree, 2) for c in (1, 2, 3)] == [2, 1, 0]
    assert PROBLEMS["two-thirds-majority"].fitness(tree, 2) == 1
    assert PROBLEMS["two-thirds-majority"].fitness(Tree.parse("((x1 x1) !x1)"), 1) == 1  # two thirds are enough


# ---- the founding paper's wishes


@pytest.mark.parametrize(
    ("text", "order", "majority"),
    [
        ("x1", 1, 1),
        ("(join x1 x2)", 2, 2),
        ("(join x1 (prime x2 !x1))", 2, 2),
        ("(join x1 (join x2 !x1))", 1, 1),
        ("(prime (prime !x1 x1) (prime x1 x2))", -1, 0),
        ("(join (prime (join x1 x2) !x2) (prime !x2 x1))", 2, 1),
    ],
)
def test_ALTERNATE_by_hand(text, order, majority):
    tree = Tree.parse(text)
    assert PROBLEMS["alternate"].fitness(tree, 2) == order
    assert problem_named("alternate:terminals=majority").fitness(tree, 2) == majority


@pytest.mark.parametrize(
    ("leaves", "fitness"),
    [("x1 x2 x3", 3), ("x1 x3 x2", 2), ("x3 x2 x1", 1), ("x1 x2 x1 x3 x3", 3), ("x1 x2 x3 !x2", 2), ("!x1 !x2", 0)],
)
def test_ORDER_AND_MAJORITY_by_hand(leaves, fitness):
    terminals = [Tree.parse(leaf).leaves[0].terminal for leaf in leaves.split()]
    assert PROBLEMS["order-and-majority"].fitness(terminals, 3) == fitness
