"""Problems whose trees are formulas, MAX and regression: held against what a formula comes to."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import PROBLEMS, Tree
from gpruntime.model.problems import problem_named
from tests.strategies import trees_over, value

# ---- MAX

NUMBERS = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}


def depth(node):
    return 0 if node.is_leaf else 1 + max(depth(node.left), depth(node.right))


@settings(max_examples=30)
@given(st.data())
def test_MAX_by_the_value(data):
    limit = data.draw(st.integers(1, 4))
    t = data.draw(st.sampled_from(["1", "2", "3/2", "0.25"]))
    for functions in ("+", "+*"):
        problem = problem_named(f"max:functions={functions},t={t}")
        one, other = (data.draw(trees_over(problem.primitives(limit), 16)) for _ in range(2))
        fitness = [problem.fitness(tree, limit) for tree in (one, other)]
        values = [value(tree.root, lambda _, t=t: Fraction(t), NUMBERS) for tree in (one, other)]
        for tree, found, exact in zip((one, other), fitness, values, strict=True):
            assert (found > 0) == (depth(tree.root) <= limit)
            if found < 0:
                assert found == limit - depth(tree.root)
            elif functions == "+":
                assert found == exact * Fraction(t).denominator
        if min(fitness) > 0:
            assert (fitness[0] > fitness[1], fitness[0] == fitness[1]) == (
                values[0] > values[1],
                values[0] == values[1],
            )


@pytest.mark.parametrize("t", ["1", "2", "3", "1/4", "5/2"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 12])
def test_the_optimum_of_MAX(t, limit):
    """t·2^D, and for sums and products the value of the full tree, which is right for t < 1 too."""
    number = Fraction(t)
    assert problem_named(f"max:t={t}").best(limit) == number.numerator * 2**limit
    best = number
    for _ in range(limit):
        best = max(2 * best, best * best)
    if number >= 1:
        assert best == max(2 * number, number**2) ** 2 ** (limit - 1)
    problem = problem_named(f"max:functions=+*,t={t}")
    above_zero = problem.data(limit)[3]
    power = best.numerator.bit_length() - best.denominator.bit_length()
    power -= best < Fraction(2) ** power
    assert problem.best(limit) == pytest.approx(float(power + best / Fraction(2) ** power - 1) + above_zero, rel=1e-12)


def test_values_far_beyond_floats_are_kept_apart():
    problem = problem_named("max:functions=+*,t=2")
    full = "x1"
    for _ in range(12):
        full = f"(mul {full} {full})"
    tree = Tree.parse(full)
    assert problem.fitness(tree, 12) == problem.best(12) == 4097  # log₂ of 2^4096, and 1
    tree.substitute_function(0, "add")
    assert 0 < problem.fitness(tree, 12) < problem.best(12)


# ---- regression


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("quartic", "(mul (add x (mul x x)) (add 1 (mul x x)))"),
        ("quintic", "(mul x (mul (sub (mul x x) 1) (sub (mul x x) 1)))"),
        ("sextic", "(mul (mul x x) (mul (sub (mul x x) 1) (sub (mul x x) 1)))"),
    ],
)
def test_the_polynomials_are_fitted_exactly(function, text):
    problem = problem_named(f"regression:function={function}")
    assert problem.fitness(Tree.parse(text, problem.primitives(20)), 20) == 0
    assert problem.fitness(Tree.parse(f"(add 0.5 {text})", problem.primitives(20)), 20) == pytest.approx(10)


@settings(max_examples=30)
@given(st.data())
def test_errors_of_a_formula(data):
    functions = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b if abs(b) >= 1e-9 else 1.0,
    }
    problem = problem_named("regression:function=nguyen-7")
    tree = data.draw(trees_over(problem.primitives(5)))
    total = 0.0
    for x in (0, 0.5, 1, 1.5, 2):
        leaf = lambda terminal, x=x: x if str(terminal) == "x" else float(str(terminal))  # noqa: E731
        error = abs(value(tree.root, leaf, functions) - math.log(x + 1) - math.log(x * x + 1))
        total += error if error > 0.01 else 0
    assert problem.fitness(tree, 5) == pytest.approx(total)


def test_formulas_never_overflow():
    problem = PROBLEMS["regression"]
    text = "2"
    for _ in range(9):
        text = f"(mul {text} {text})"
    huge = f"(div {text} (sub x x))"
    assert problem.fitness(Tree.parse(text, problem.primitives(4)), 4) == 4e6
    assert problem.fitness(Tree.parse(huge, problem.primitives(4)), 4) < 20
