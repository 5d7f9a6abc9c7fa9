"""Closed forms and recurrences: planted ones are found, perturbed ones are not, and only exact values are taken."""

import itertools
import json
import math
import random
from fractions import Fraction

import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.exact import solve
from gpruntime.theory import guess
from gpruntime.theory.forms import DIVISORS, ONE, TERMS, ClosedForm, harmonic
from gpruntime.theory.recurrences import Recurrence

F = Fraction
AND = RunSpec(problem="and", algorithm="gpstar-single", n=8, init="unity:leaves=1")


def of(function, values=8, first=1, **said):
    return guess([function(n) for n in range(first, first + values)], first=first, **said)


def test_the_formula_behind_and_is_found_unaided():
    found = guess(AND)
    assert found.text == "f(n) = 1 + 3n·H_(n−1)"
    assert found.to_latex() == "f(n) = 1 + 3 n H_{n-1}"
    assert found.places == tuple(range(1, 9))
    assert found.values == tuple(solve(AND.replace(n=n), rational=True).expected for n in range(1, 9))
    assert found.at(20) == 1 + 60 * harmonic(19)


def test_the_formula_behind_forcing_point_mutation_is_found_unaided():
    """2N·H_k offspring from k = N − 1 wrong rows of N = 2^n."""
    found = guess(RunSpec(problem="and", algorithm="gsgp", n=6, init="true"))
    assert found.text == "f(n) = 1 + 2·2^n·H_(2^n−1)"


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda _: 7, "f(n) = 7"),
        (lambda n: -3 * n, "f(n) = −3n"),
        (lambda n: 2**n - 1, "f(n) = −1 + 2^n"),
        (lambda n: 2 * 2**n, "f(n) = 2·2^n"),
        (lambda n: F(n * (n - 1), 2), "f(n) = C(n, 2)"),
        (lambda n: math.comb(2 * n, n), "f(n) = C(2n, n)"),
        (lambda n: F(math.comb(2 * n, n), n + 1), "f(n) = C(2n, n)/(n + 1)"),
        (lambda n: F(n**2 + 1, n + 1), "f(n) = (1 + n²)/(n + 1)"),
        (lambda n: F(3, 2) * math.factorial(n) - F(1, 2), "f(n) = −1/2 + (3/2)n!"),
        (lambda n: 2 * 2**n * harmonic(2**n), "f(n) = 2·2^n·H_(2^n)"),
        (lambda n: n**2 * harmonic(n) - n, "f(n) = n²·H_(n−1)"),
    ],
)
def test_forms_of_the_list(function, text):
    assert of(function).text == text


@pytest.mark.parametrize(
    ("sequence", "text"),
    [
        ([1, 1, 2, 3, 5, 8, 13, 21, 34, 55], "f(n + 2) = f(n + 1) + f(n)"),
        ([sum(map(math.factorial, range(n + 1))) for n in range(1, 13)], "f(n + 2) = (n + 3)·f(n + 1) − (n + 2)·f(n)"),
        ([0, 1, 2, 9, 44, 265, 1854, 14833, 133496, 1334961], "f(n + 2) = (n + 1)·f(n + 1) + (n + 1)·f(n)"),
        ([F(3**n - 2 * n, 5) for n in range(1, 12)], "f(n + 1) = 3·f(n) + (4n − 2)/5"),
    ],
)
def test_recurrences(sequence, text):
    found = guess(sequence)
    assert isinstance(found.form, Recurrence)
    if "/" not in text:
        assert found.text.startswith(text)
    values = [found.at(n) for n in range(1, len(sequence) + 1)]
    assert values == sequence


@pytest.mark.parametrize(
    "sequence",
    [
        [1, 2, 4, 8, 16, 31],  # regions of a circle: 2^n up to n = 5, 1 + C(n, 2) + C(n, 4) in truth
        [n**2 + math.prod(range(1 - 7 + n, n)) // 720 for n in range(1, 9)],  # n² up to n = 6
        [41, 43, 47, 53, 61, 71, 84, 98],
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37],
        [harmonic(n) ** 2 for n in range(1, 13)],
        [F(1, 3), 5, F(22, 7), 8, 13, F(1, 9), 2, 4],
    ],
    ids=["circle", "square", "euler", "primes", "squared harmonics", "nothing"],
)
def test_what_only_begins_like_a_form_has_none(sequence):
    found = guess(sequence)
    assert found.form is None
    assert found.text == found.kind == "no form found"


def test_more_values_show_the_longer_form():
    assert guess([1, 2, 4, 8, 16, 31, 57, 99, 163, 256]).text == "f(n) = 1 + C(n, 2) + C(n, 4)"


def test_the_last_two_values_must_be_met():
    values = [1 + 3 * n * harmonic(n - 1) for n in range(1, 9)]
    for place, much in itertools.product((-2, -1), (F(1), F(1, 10**12))):
        changed = list(values)
        changed[place] += much
        assert guess(changed).form is None


def test_few_and_small_values_prove_nothing():
    """Four values that a constant meets, or six that 0 meets, would be met by chance."""
    assert guess([5, 5, 5, 5]).form is None
    assert guess([0] * 6).form is None
    assert guess([5] * 8).text == "f(n) = 5"


def test_a_value_that_a_recurrence_would_pass_over_is_not_passed_over():
    """(n − 1)(f(n + 1) − …) = 0 holds whatever f(1) is."""
    values = [F(2) ** n for n in range(1, 12)]
    values[0] = F(7)
    assert guess(values).form is None


def coefficient(random_):
    return F(random_.choice((-1, 1)) * random_.randint(1, 9), random_.choice((1, 1, 1, 2, 3, 4)))


def planted(random_):
    while True:
        terms = random_.sample(TERMS, random_.randint(1, 3))
        if len({term.family for term in terms} - {""}) < 2:
            divisor = random_.choice((ONE, ONE, ONE, *DIVISORS[1:]))
            return ClosedForm(tuple((coefficient(random_), term) for term in terms), divisor)


def found_and_false(sequences, values, seed):
    """Of planted forms, how many are found; of those with one value changed, how many are."""
    random_, found, false = random.Random(seed), 0, 0
    for _ in range(sequences):
        form = planted(random_)
        exact = [form.at(n) for n in range(1, values + 1)]
        answer = guess(exact)
        found += answer.form is not None and all(answer.at(n) == form.at(n) for n in range(1, 2 * values))
        exact[random_.randrange(values)] += random_.choice((1, -1)) * F(1, random_.choice((1, 1, 2, 3)))
        false += guess(exact).form is not None
    return found, false


def test_planted_and_perturbed():
    assert found_and_false(5, values=8, seed=11) == (5, 0)


@pytest.mark.long
@pytest.mark.parametrize("values", [8, 12])
def test_200_planted_and_200_perturbed(values):
    found, false = found_and_false(200, values, seed=values)
    assert found >= 198
    assert false == 0


def test_values_from_zero_from_two_and_with_gaps():
    assert of(lambda n: 2**n + n, first=0).text == "f(n) = n + 2^n"
    assert of(lambda n: n * harmonic(n - 1), first=2).text == "f(n) = n·H_(n−1)"
    assert guess({n: n**2 + 1 for n in (2, 3, 5, 8, 13, 21)}).text == "f(n) = 1 + n²"
    assert of(lambda n: F(1, n), first=1, values=9).at(0) is None


def test_huge_numbers():
    large = F(10**1000 + 1, 10**900 + 3)
    assert guess([large * k for k in (1, 5, 2, 9, 4, 7, 1, 8)]).form is None
    found = of(lambda n: large + 10**999 * n, values=12)
    assert found.form is not None
    json.dumps(found.to_record())
    assert len(str(found)) < 10_000
    assert found.plot().to_bytes("svg")
    with pytest.raises(BadInput, match="at most 4,000 digits"):
        guess([10**5000, 1, 2, 3])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, 2.0, 3.0, 4.0], "a rounded number meets no form"),
        (["1.5", "2", "3", "4"], "a rounded number meets no form"),
        (["1e3", "2", "3", "4"], "a rounded number meets no form"),
        ([1, 2, 3], "from 4 to 200 are needed"),
        ([1, True, 3, 4], "must be an integer or a fraction"),
        ([1, None, 3, 4], "must be an integer or a fraction"),
        (["1/0", 2, 3, 4], "must be an integer or a fraction"),
        ("1 2 3 4", "must be a list of numbers"),
        (5, "must be a list of numbers"),
        ({-1: 1, 2: 3, 4: 5, 6: 7}, "0 or more"),
        ({"1": 1, 2: 3, 4: 5, 6: 7}, "0 or more"),
        ([1] * 300, "from 4 to 200 are needed"),
    ],
    ids=str,
)
def test_what_is_no_exact_value_is_refused(values, words):
    with pytest.raises(BadInput, match=words):
        guess(values)


def test_numbers_of_other_kinds():
    import numpy as np

    assert guess(np.arange(1, 9) ** 2).text == "f(n) = n²"
    assert guess(["1", " 7", "29/2", "23", "129/4", "421/10"]).text == "f(n) = 1 + 3n·H_(n−1)"
    assert guess(["−3", "-6", "-9", "-12", "-15", "-18", "-21"]).text == "f(n) = −3n"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"algorithm": "gp-single"}, "fractions need finitely many states"),
        ({"algorithm": "gp-multi"}, "not rational"),
        ({"problem": "majority", "init": "unity"}, "infinite at n = 2"),
        ({"n": 3}, "3 values were solved"),
        ({"problem": "xor", "n": 5, "budget": 10}, "infinite at n = 3"),
        ({"operations": "exactly:k=2", "budget": 10}, "one operation per offspring"),
    ],
    ids=str,
)
def test_settings_without_exact_values_are_refused(changes, words):
    with pytest.raises(BadInput, match=words):
        guess(AND.replace(**changes))


def test_time_is_up(monkeypatch):
    clock = itertools.count()  # a second each time it is asked, twice for each n
    monkeypatch.setattr("gpruntime.theory.guessing.time.monotonic", lambda: next(clock))
    found = guess(AND.replace(n=9), seconds=10.5)
    assert found.remark.startswith("There was time for n up to")
    assert 4 <= len(found.values) < 9
    with pytest.raises(BadInput, match="seconds"):
        guess(AND, seconds=0)


def test_a_population_and_a_minimised_problem():
    small = guess(
        RunSpec(problem="and", algorithm="one-plus-lambda-single", n=6, init="unity:leaves=1", accept="strict")
    )
    assert small.values[1] == solve(small.spec.replace(n=2), rational=True).expected
    plain = guess(
        RunSpec(problem="sorting:measure=inv", algorithm="gpstar-single", n=4, init="unity:leaves=1", budget=9)
    )
    assert plain.kind in ("no form found", "closed form", "recurrence")


def test_how_it_shows_itself():
    found = guess(AND)
    drawing = found.plot()
    assert [row["held_back"] for row in drawing.records] == [False] * 6 + [True] * 2
    assert "<svg" in found._repr_html_()
    assert found.to_record()["values"][2] == "29/2"
    assert found.to_record()["spec"]["problem"] == "and"
    assert "a guess, not a proof" in str(found)
    nothing = guess([2, 3, 5, 7, 11, 13, 17, 19])
    assert nothing.to_record()["form"] is None
    assert nothing.at(3) is None
    assert "<svg" in nothing._repr_html_()
    assert Fraction(nothing.to_record()["values"][0]) == 2
