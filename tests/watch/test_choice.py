"""What an address describes, and what the page refuses."""

import pytest

from gpruntime import BadInput, Run, RunSpec
from gpruntime.watch.choice import address_of, choice_of, many_of, window_of
from gpruntime.watch.recording import Recording
from tests.watch import own

PLAIN = {"problem": "order", "algorithm": "gp-single", "n": "6", "seed": "3"}


def words(**more):
    return list({**PLAIN, **more}.items())


@pytest.mark.parametrize("init", ["unity", "insertion", "grow", "bad", "(x1 (!x2 x3))"])
def test_a_second_algorithm_begins_with_the_firsts_tree(init):
    first = choice_of(words(init=init))
    second = choice_of(words(init=init, algorithm="gpstar-multi", start="gp-single"))
    tree = str(Run(first.watched, first.seed, first.run).tree)
    assert str(Run(second.watched, second.seed, second.run).tree) == tree
    assert second.watched.algorithm.id == "gpstar-multi"
    assert str(Recording(second.watched, second.seed, second.run)._front.tree()) == tree


def test_the_run_is_the_one_that_the_command_line_makes():
    spec = RunSpec(problem="order", algorithm="gp-single", n=6)
    assert choice_of(words()).watched.cell == spec.cell
    assert choice_of(words(start="gp-single")).watched.cell == spec.cell


@pytest.mark.parametrize(
    "spec",
    [
        RunSpec(problem="majority", algorithm="gp-single", n=10),
        RunSpec(
            problem="order",
            algorithm="gpstar-multi",
            n=4,
            init="(x1 !x4)",
            weights=(1, 0.1, 1234567.5),
            poisson_mean=0.3,
            substitute="nodes",
            last_leaf="empty",
            max_leaves_allowed=12,
            budget=1000,
        ),
    ],
)
def test_an_address_is_read_as_it_was_written(spec):
    choice = choice_of(address_of(spec, 7, 2))
    assert (choice.spec.cell, choice.seed, choice.run) == (spec.cell, 7, 2)
    assert spec.budget is None or choice.spec.budget == spec.budget


def test_an_address_has_no_more_than_it_needs():
    for problem in ("order", own.wrong_rows):
        spec = RunSpec(problem=problem, algorithm="gp-single", n=3, budget=9)
        assert [name for name, _ in address_of(spec, 0, 0)] == ["problem", "algorithm", "n", "budget", "seed"]
    spec = RunSpec(problem=own.wrong_rows, algorithm="gp-single", n=3, budget=9, substitute="leaves")
    assert ("substitute", "leaves") in address_of(spec, 0, 0)


REFUSED = [
    ({"n": "0"}, "n", "1 or more"),
    ({"n": "10001"}, "n", "at most 10000"),
    ({"n": "1e3"}, "n", "whole number"),
    ({"n": "9" * 400}, "n", "whole number"),
    ({"n": "٣"}, "n", "whole number"),
    ({"problem": "odrer"}, "problem", "did you mean order"),
    ({"algorithm": ""}, "algorithm", "must be one of"),
    ({"init": "unity:leaves=999999999"}, "init", "at most 400 leaves"),
    ({"init": "((x1"}, "tree", "more )"),
    ({"weights": "1,1"}, "weights", "three non-negative numbers"),
    ({"weights": "nan,1,1"}, "weights", "three non-negative numbers"),
    ({"weights": "1,1,0"}, "weights", "grows for ever"),
    ({"poisson_mean": "1e9"}, "poisson_mean", "between 0 and 100"),
    ({"budget": "100000001"}, "budget", "at most 100,000,000"),
    ({"seed": "-1"}, "seed", "0 or more"),
    ({"run": str(2**40)}, "run", "at most"),
    ({"start": "nobody"}, "start", "must be one of"),
    ({"operator": "hvl", "n": "2001"}, "n", "2000"),
    ({"colour": "blue"}, "parameter", "must be one of"),
]


@pytest.mark.parametrize(("more", "name", "allowed"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_cannot_be_is_refused_by_name(more, name, allowed):
    with pytest.raises(BadInput) as caught:
        choice_of(words(**more))
    assert caught.value.name == name
    assert allowed in str(caught.value)


def test_missing_and_repeated_names():
    with pytest.raises(BadInput, match="must be given"):
        choice_of([("problem", "order")])
    with pytest.raises(BadInput, match="must be given once"):
        choice_of([*words(), ("n", "7")])


def test_limits_of_windows_and_of_many_runs():
    with pytest.raises(BadInput, match="at most 1000 steps at a time"):
        window_of([("count", "1001")])
    with pytest.raises(BadInput, match="at most 1000 on the page"):
        many_of(words(runs="1001"))
    with pytest.raises(BadInput, match="at most 100000 on the page"):
        many_of(words(n="100001"))
    assert many_of(words(n="100000", runs="5"))[2] == 5
    assert window_of(words())[1:] == (1, 250)
