"""Parameters of a user's part: read as what they are declared to be, and within what both model and engine can hold."""

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, problem, run_many, simulate
from gpruntime.verification.kinds import named

pytestmark = pytest.mark.attack


@problem(sees="counts", best=lambda n: n, parameters={"flag": True, "c": 1, "share": 0.5, "kind": "any"})
def mine(i, plain, bar, n, flag, c, share, kind):
    return flag and plain >= bar + c and plain * share > 0


FILE = """
from gpruntime import problem

@problem(sees="counts", best=lambda n: n, parameters={"flag": True, "off": False, "c": 1})
def bpar(i, plain, bar, n, flag, off, c):
    return (plain >= bar + c) if flag and not off else 0
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    return f"{tmp_path}/mine.py:bpar"


@pytest.mark.parametrize("word", ["false", "False", "FALSE"])
def test_false_is_false(file, word):
    part = named(f"{file}:flag={word}")
    assert part.parameters["flag"] is False
    assert part.id.endswith(":flag=False")
    assert named(part.id).parameters["flag"] is False
    spec = RunSpec(problem=part, algorithm="gp-single", n=3, budget=20)
    assert (simulate(spec).fitness, run_many(spec).fitness.tolist()) == (0, [0])


def test_true_is_true(file):
    assert named(f"{file}:off=true").parameters == {"flag": True, "off": True, "c": 1}
    assert named(f"{file}:flag=true").id == named(file).id


@pytest.mark.parametrize("value", ["flag=yes", "flag=0", "flag=2", "flag=None"])
def test_another_word_is_neither(file, value):
    with pytest.raises(BadInput, match="must be true or false, as in flag=True"):
        named(f"{file}:{value}")


@pytest.mark.parametrize("value", [2**60 + 1, -(2**60) - 1, 2**63 - 1, 2**63, 2**64, 10**30])
def test_a_number_of_more_than_60_bits_is_refused(file, value):
    """One more than the largest number of 64 bits is the smallest: a bound on the counts would be met by all."""
    with pytest.raises(BadInput, match="must be a whole number of at most 60 bits") as refused:
        RunSpec(problem=f"{file}:c={value}", algorithm="gp-single", n=4, budget=100)
    assert "\n" not in str(refused.value)


def test_one_of_60_bits_means_the_same_to_both(file):
    for value in (2**60, -(2**60)):
        spec = RunSpec(problem=f"{file}:c={value}", algorithm="gp-single", n=4, budget=100)
        model, (engine,) = simulate(spec), run_many(spec).results()
        assert (model.outcome, model.evaluations) == (engine.outcome, engine.evaluations)


@pytest.mark.parametrize(
    ("default", "words"),
    [
        (2**61, "c=2305843009213693952: must be a whole number of at most 60 bits"),
        (float("nan"), "c=nan: must be a number"),
        ((1, 2), r"c=\(1, 2\): must be a number, a word, true or false"),
        (None, "c=None: must be a number, a word, true or false"),
    ],
)
def test_so_is_a_default(default, words):
    def f(i, plain, bar, n, c):
        return plain >= c

    with pytest.raises(BadInput, match=words):
        problem(sees="counts", best=lambda n: n, parameters={"c": default})(f)


def test_a_default_of_numpy_is_the_number():
    @problem(sees="counts", best=lambda n: n, parameters={"c": np.int64(2), "flag": np.bool_(True)})
    def f(i, plain, bar, n, c, flag):
        return plain >= c and flag

    assert [type(value) for value in f.parameters.values()] == [int, bool]
    with pytest.raises(BadInput, match="must be a whole number, as in c=2"):
        RunSpec(problem=f"{f.id}:c=x", algorithm="gp-single", n=4, budget=9)


def test_python_values_are_read_like_words():
    assert mine._settled({"flag": False, "c": 3}).parameters == {"flag": False, "c": 3, "share": 0.5, "kind": "any"}
    for given in ({"c": True}, {"flag": 1}, {"c": 2.5}):
        with pytest.raises(BadInput, match="must be"):
            mine._settled(given)
