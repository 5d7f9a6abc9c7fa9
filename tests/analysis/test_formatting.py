"""Numbers in words."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import RunSpec, Terminal
from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.formatting import Above, number, size_in_n
from gpruntime.model.initial import balanced
from gpruntime.model.spec_text import sentence, words_for


@pytest.mark.parametrize(
    ("value", "scale", "text"),
    [
        (46388.2, 812.0, "46,390"),
        (5.0541, 0.0375, "5.054"),
        (0.0, 1.0, "0"),
        (1.02e10, 1.6e9, "1.02·10¹⁰"),
        (2.2e-7, 3e-9, "2.200·10⁻⁷"),
        (-1.1, 0.9, "−1.10"),
        (0.004, 0.9, "0.0040"),
        (250, None, "250"),
        (123456, None, "123,500"),
        (3.14159, None, "3.142"),
        (math.inf, None, "infinite"),
        (None, None, "unknown"),
        (math.nan, None, "unknown"),
        (Above(600), None, "> 600"),
    ],
)
def test_numbers(value, scale, text):
    assert number(value, scale) == text


@given(st.floats(allow_nan=True), st.none() | st.floats(0, 1e300))
def test_numbers_are_always_words(value, scale):
    text = number(value, scale)
    assert text
    assert "nan" not in text
    assert "inf" not in text.replace("infinite", "")


@given(st.floats(1e-290, 1e290))
def test_numbers_are_near(value):
    text = number(value).replace(",", "")
    mantissa, _, exponent = text.partition("·10")
    power = exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    assert math.isclose(float(mantissa) * 10.0 ** int(power or 0), value, rel_tol=6e-4)


def test_ends_of_skewed_intervals_keep_two_digits():
    assert Estimate(1000.0, 131.4, 7300.0).bracket() == "[130, 7,300]"
    assert formatting.interval(131.4, 7300.0) == "130 to 7,300"
    assert Estimate(5.0541, 5.017, 5.092).bracket() == "[5.017, 5.092]"


def test_settings():
    spec = RunSpec(problem="order", algorithm="gpstar-multi", n=9, poisson_mean=2, weights=(0, 1, 1), last_leaf="empty")
    text = sentence(spec)
    assert text.startswith("(1+1) GP*-multi on ORDER, initial tree unity, weights substitute 0")
    assert "λ = 2" in text
    assert "last leaf empty" in text
    assert sentence(RunSpec(problem="majority", algorithm="gp-single", n=3)) == (
        "(1+1) GP-single on MAJORITY, initial tree unity"
    )


def test_settings_that_differ_in_the_seventh_digit_differ_in_name():
    names = {
        sentence(RunSpec(problem="order", algorithm="gp-multi", n=9, poisson_mean=value, weights=(1, 1, weight)))
        for value in (1.00000001, 1.00000002)
        for weight in (0.5, 0.50000001)
    }
    assert len(names) == 4


def test_long_trees_have_short_names_of_their_own():
    trees = [str(balanced([Terminal(i, False) for i in range(1, 41)])), str(balanced([Terminal(1, True)] * 40))]
    names = [sentence(RunSpec(problem="order", algorithm="gp-single", n=50, init=tree)) for tree in trees]
    assert names[0].startswith("(1+1) GP-single on ORDER, initial tree ((((((x1 x2) x3) (x4… (40 leaves; ")
    assert max(map(len, names)) < 110
    ends = [words_for("init", RunSpec(problem="order", algorithm="gp-single", n=50, init=t)) for t in trees]
    assert len({end[-10:] for end in ends}) == 2  # the digests tell them apart


def test_sizes_in_n():
    assert size_in_n({5: 40, 6: 40}) == "40"
    assert size_in_n({5: 20, 6: 24}) == "4n"
    assert size_in_n({5: 5, 6: 6}) == "n"
    assert size_in_n({5: 5, 6: 7}) == size_in_n({5: 5, 6: None}) == size_in_n({2: 3, 4: 6}) == "M(n)"


def test_listings():
    assert formatting.listing(["a"]) == "a"
    assert formatting.listing(["a", "b", "c"]) == "a, b and c"
    assert formatting.sizes([1, 2, 3]) == "1, 2 and 3"
    assert formatting.sizes(list(range(1000, 1010))) == "1,000, 1,001, …, 1,009"
