"""`verify` sees where compiled code differs from Python: for values that no short run meets, too."""

import math
import re

import numpy as np
import pytest

from gpruntime import problem, verify
from gpruntime.verification.compiled import same_answers

# From Python 3.12 on `~` of a comparison is warned of: users see that, and these tests are about its value.
pytestmark = [pytest.mark.attack, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@problem(sees="counts", best=lambda n: 10**9)
def wraps(i, plain, bar, n):
    return (plain**5 >> 3) % 7


@problem(sees="counts", best=lambda n: 10**9)
def wraps_with_n(i, plain, bar, n):
    return (n**11) % 5 if plain > bar else 0


@problem(sees="first", best=lambda n: 10**9)
def wraps_with_i(i, sign, n):
    return (i * 2**50) % 3 if sign == 1 else 0


@problem(sees="counts", best=lambda n: 10**9)
def inverts(i, plain, bar, n):
    return (~(plain > bar)) + 2


@problem(sees="counts", best=lambda n: n)
def small_power(i, plain, bar, n):
    return int(2 * 2 ** (bar - plain)) if bar < plain else 0


@problem(sees="leaves", best=lambda n: 10**9)
def wraps_with_leaves(leaves, n):
    product = 1
    for leaf in leaves:
        product *= leaf + 2
    return product % 3


@problem(sees="leaves", best=lambda n: 1e18)
def sums_otherwise(leaves, n):
    return np.sum(1 / (1.0 + leaves))


@problem(sees="program", best=lambda n: 10**9)
def wraps_with_the_program(program, n):
    total = 1
    for token in program:
        total = 3 * total + token
    return total % 1000


@problem(sees="counts", best=lambda n: 10**9, parameters={"c": 1})
def small_numbers(i, plain, bar, n, c):
    return np.int8(100) + np.int8(min(plain, 100))


PARTS = [
    (wraps, r"given i = 1, plain = \d+, bar = 0, n = \d+ Python says \d, compiled code -?\d"),
    (wraps_with_n, r"given i = 1, plain = 1, bar = 0, n = \d+ Python says \d, compiled code"),
    (wraps_with_i, r"given i = \d+, sign = 1, n = \d+ Python says \d, compiled code"),
    (inverts, r"given i = 1, plain = 0, bar = 0, n = 1 Python says 1, compiled code"),
    (small_power, r"given i = 1, plain = 1, bar = 0, n = 1 Python says 1, compiled code 0"),
    (wraps_with_leaves, r"given \d+ leaves and n = \d+ Python says overflow encountered .*, compiled code \d"),
    (sums_otherwise, r"given [\d,]+ leaves and n = \d+ Python says [\d.]+, compiled code [\d.]+"),
    (wraps_with_the_program, r"given \d+ tokens and n = \d+ Python says overflow encountered .*, compiled code -?\d+"),
    (
        small_numbers,
        r"given i = 1, plain = \d+, bar = 0, n = 5 Python says overflow encountered .*, compiled code 1\d+",
    ),
]


@pytest.mark.parametrize(("part", "words"), PARTS, ids=[part.name for part, _ in PARTS])
def test_what_differs_is_found(part, words):
    found = same_answers(part)
    assert found.verdict == "WRONG"
    assert re.search(words, found.words), found.words
    assert found.words.endswith(": see docs/own-problem.md")


def test_verify_says_so():
    found = verify(wraps)
    assert not found.good
    assert [finding.verdict for finding in found.findings if finding.what == "compiled = Python"] == ["WRONG"]


@problem(sees="counts", best=lambda n: 2**n - 1)
def powers(i, plain, bar, n):
    return 2 ** (i - 1) if plain >= max(bar, 1) else 0


@problem(sees="counts", best=lambda n: n, parameters={"c": 2})
def slow(i, plain, bar, n, c):
    least = 0
    for _ in range(plain * bar):
        least += c
    return plain > least


@problem(sees="program", functions={"and": 2, "or": 2}, best=lambda n: 0, better="smaller")
def rows(program, n):
    wrong = 0
    for row in range(2**n):
        wrong += row & len(program) & 1
    return wrong


@problem(sees="leaves", best=lambda n: 1.0, data=lambda n: [1.0 / (1 + i) for i in range(2 * n)])
def real(leaves, n, weights):
    total = 0.0
    for leaf in leaves:
        total += weights[leaf] * math.sqrt(leaf)
    return min(total, 1.0)


@pytest.mark.parametrize(("part", "n"), [(powers, "60"), (slow, r"\d+"), (rows, r"\d+"), (real, r"[\d,]+")], ids=str)
def test_what_does_not_differ_is_not(part, n):
    """Nor does it take long: values grow as long as an answer takes no time."""
    found = same_answers(part)
    assert found.verdict == "ok"
    assert re.search(rf"answers, of small and large values, n up to {n}$", found.words), found.words
