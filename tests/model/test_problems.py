import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import MAJORITY, ORDER, BadTree, Terminal, Tree
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
