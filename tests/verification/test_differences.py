"""What docs/own-problem.md says of Python and compiled code: each line of it."""

import math
import re

import numba
import numpy as np
import pytest

from tests.docs_help import ROOT

pytestmark = [
    pytest.mark.attack,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # from Python 3.12 on `~` of a comparison is warned of
]
PAGE = (ROOT / "docs/own-problem.md").read_text("utf-8")
TABLE = PAGE.partition("## Where compiled code differs from Python")[2].partition("\n- ")[0]
ROWS = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in TABLE.splitlines() if "`" in line]
ROWS = [row for row in ROWS if len(row) == 5]


def made(expression, arguments="plain, bar"):
    names = {"np": np, "math": math}
    exec(f"def function({arguments}):\n    return {expression}\n", names)
    return names["function"]


def compiled(function):
    return numba.njit(boundscheck=True, error_model="python")(function)


def said(function, *given):
    """What it returns, or the name of what it raises, as the page has it."""
    try:
        return str(function(*given))
    except (ArithmeticError, ValueError) as error:
        return type(error).__name__


def test_the_page_has_them():
    assert len(ROWS) == 13


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_line_of_the_table(row):
    _, example, python, other, instead = (cell.strip("`") for cell in row)
    function = made(example)
    assert said(function, 3, 1) == python
    found = compiled(function)(3, 1) if other == "some number" else said(compiled(function), 3, 1)
    assert isinstance(found, int) if other == "some number" else found == other
    assert python != other
    if instead:
        plain = made(instead)
        assert said(plain, 3, 1) == said(compiled(plain), 3, 1)


@numba.njit
def total_of(numbers):
    total = 0.0
    for number in numbers:
        total += math.exp(number)
    return total


def test_a_loop_adds_up_alike():
    numbers = 1 / np.arange(1.0, 1001.0)
    assert total_of(numbers) == total_of.py_func(numbers)
    for name in ("sum", "mean"):
        whole = made(f"np.{name}(numbers)", "numbers")
        assert math.isclose(whole(numbers), compiled(whole)(numbers), rel_tol=1e-12)
        assert whole(numbers) != compiled(whole)(numbers)


@pytest.mark.parametrize("expression", ["numbers**3", "np.exp(numbers)", "np.tanh(numbers)"])
def test_last_bits_are_all_that_differs(expression):
    whole, numbers = made(expression, "numbers"), np.arange(1, 100) / 7
    assert np.allclose(whole(numbers), compiled(whole)(numbers), rtol=1e-14, atol=0)


def test_a_set_has_the_same_members():
    order = made("[item for item in set([5, 3, 9, items[0]])]", "items")
    items = np.array([7])
    assert sorted(order(items)) == sorted(compiled(order)(items)) == [3, 5, 7, 9]
    assert order(items) != compiled(order)(items)


@pytest.mark.long
def test_a_stable_order_is_the_same():
    numbers = np.zeros(40)
    stable = made('np.argsort(numbers, kind="mergesort")', "numbers")
    assert stable(numbers).tolist() == compiled(stable)(numbers).tolist() == list(range(40))
    free = made("np.argsort(numbers)", "numbers")
    assert free(numbers).tolist() != compiled(free)(numbers).tolist()


def test_numbers_of_an_array_wrap_in_python_too():
    times = made("leaves[0] * leaves[1]", "leaves")
    leaves = np.array([2**40, 2**40])
    assert times(leaves) == compiled(times)(leaves) == 0
