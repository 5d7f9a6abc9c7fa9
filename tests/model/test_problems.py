import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import MAJORITY, ORDER, BadTree, RunSpec, Terminal, Tree
from tests.strategies import terminals


def leaves(text: str) -> list[Terminal]:
    return [Tree.parse(part).leaves[0].terminal for part in text.split()]


def test_the_papers_example_of_ORDER():
    """l = (x1, x̄4, x2, x̄1, x3, x̄6), P = (x1, x̄4, x2, x3, x̄6), f = 3."""
    l = leaves("x1 !x4 x2 !x1 x3 !x6")  # noqa: E741
    assert ORDER.path(l) == leaves("x1 !x4 x2 x3 !x6")
    assert ORDER.expressed(l, 6) == [1, 2, 3]
    assert ORDER.fitness(l, 6) == 3


def test_the_papers_example_of_MAJORITY():
    """l = (x1, x̄4, x2, x̄1, x̄3, x̄6, x1, x4), S = (x1, x2, x4), f = 3."""
    l = leaves("x1 !x4 x2 !x1 !x3 !x6 x1 x4")  # noqa: E741
    assert MAJORITY.expressed(l, 6) == [1, 2, 4]
    assert MAJORITY.fitness(l, 6) == 3
    assert MAJORITY.deficits(l, 6) == [-1, -1, 1, 0, 0, 1]


def test_a_variable_too_many_is_refused():
    with pytest.raises(BadTree):
        MAJORITY.fitness(leaves("x9"), 4)


def test_an_absent_variable_is_not_expressed():
    assert ORDER.fitness([], 3) == MAJORITY.fitness([], 3) == 0
    assert MAJORITY.expressed(leaves("x2"), 3) == [2]


@given(st.lists(terminals(4), max_size=20))
def test_ORDER_by_first_occurrence(l):  # noqa: E741
    expected = [
        i
        for i in range(1, 5)
        if Terminal(i, False) in l
        and (Terminal(i, True) not in l or l.index(Terminal(i, False)) < l.index(Terminal(i, True)))
    ]
    assert sorted(ORDER.expressed(l, 4)) == expected
    assert [l[p] for p in ORDER.expressed_places(l, 4)] == ORDER.path(l)


@given(st.lists(terminals(4), max_size=20))
def test_MAJORITY_by_deficit(l):  # noqa: E741
    deficits = MAJORITY.deficits(l, 4)
    assert MAJORITY.expressed(l, 4) == [i for i in range(1, 5) if deficits[i - 1] <= 0 and Terminal(i, False) in l]
    for place in MAJORITY.expressed_places(l, 4):
        assert not l[place].negated
        assert l[place].variable in MAJORITY.expressed(l, 4)


@pytest.mark.parametrize("plain", range(6))
@pytest.mark.parametrize("bar", range(6))
def test_the_three_variants_of_MAJORITY_count_as_their_authors_program_does(plain, bar):
    """x₁ has these leaves, and x₂ one: by shares, differences and powers of two as they are written there."""
    leaves = [Terminal(1, False)] * plain + [Terminal(1, True)] * bar + [Terminal(2, False)]

    def value(problem):
        return RunSpec(problem=problem, algorithm="gp-single", n=3, budget=1).problem.fitness(leaves, 3)

    two_thirds = plain >= 1 and plain / (plain + bar) >= 2 / 3
    assert value("two-thirds-majority") == 1 + two_thirds
    assert value("plus-c-majority:c=2") == (plain >= 1 and plain - bar >= 2)
    some_leaf_and_twice = plain + bar >= 1 and plain >= 2 * bar
    assert value("two-thirds-supermajority") == 1.5 + (2 - 2.0 ** (bar - plain) if some_leaf_and_twice else 0)


def test_the_goal_of_2_3_SUPERMAJORITY_is_that_all_variables_count():
    spec = RunSpec(problem="two-thirds-supermajority", algorithm="gp-single", n=2, budget=1)
    assert spec.problem.fitness([Terminal(1, False)] * 30, 2) < 2 < spec.best
    assert spec.problem.fitness([Terminal(1, False), Terminal(2, False)], 2) == spec.best == 4
