from collections import Counter
from math import comb

import pytest

from gpruntime import BadInput, Terminal
from gpruntime.model.initial import NAMES, Initial, balanced
from gpruntime.model.stream import Stream
from gpruntime.model.tree import walk
from tests.model.test_tree import check
from tests.statistics_help import assert_frequencies
from tests.strategies import stream


def shape(tree):
    return "".join(c for c in str(tree) if c in "( )")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("leaves", [None, 10, 17])
def test_sizes_and_register(name, n, leaves):
    initial = Initial.parse(name if leaves is None else f"{name}:leaves={leaves}", n)
    tree = initial.build(stream(n))
    check(tree)
    expected = leaves or 2 * n
    assert len(tree.leaves) == expected if name != "grow" else len(tree.leaves) <= expected
    assert tree.leaves == tree.leaves_in_order(), "an initial tree's leaves are registered from left to right"
    assert all(leaf.terminal.variable <= n for leaf in tree.leaves)
    joins = [node for node in walk(tree.root) if not node.is_leaf]
    assert tree.joins == joins, "and its joins in pre-order"


def test_bad_and_tlopt_are_the_papers():
    assert Initial.parse("bad", 3).build(stream()).terminals() == [Terminal(1, True)] * 6
    tlopt = Initial.parse("tlopt", 4).build(stream()).terminals()
    assert tlopt == [Terminal(i, False) for i in (1, 2, 3)] + [Terminal(4, True)] * 5
    assert Initial.parse("tlopt", 1).build(stream()).terminals() == [Terminal(1, True)] * 2


def test_balanced():
    assert str(balanced([Terminal(i, False) for i in range(1, 6)])) == "(((x1 x2) x3) (x4 x5))"


@pytest.mark.statistical
@pytest.mark.parametrize("leaves", [2, 3, 4, 5])
def test_insertion_gives_every_shape_equally_often(leaves):
    """There are Catalan(T − 1) shapes with T leaves; Rémy's algorithm makes them uniform."""
    draws, initial = stream(11), Initial.parse(f"insertion:leaves={leaves}", 1)
    counts = Counter(shape(initial.build(draws)) for _ in range(8_000))
    catalan = comb(2 * (leaves - 1), leaves - 1) // leaves
    assert len(counts) == catalan
    assert_frequencies(counts, dict.fromkeys(counts, 1 / catalan))


@pytest.mark.statistical
def test_unity_opens_uniform_positions():
    """By hand: 2 leaves, 1 shape. 3 leaves: left or right position opened, 1/2 each. 4 leaves: one of three positions,

    so each sequence of openings has chance 1/6; the balanced shape has two of them, each of the four others one.
    """
    draws, initial = stream(12), Initial.parse("unity:leaves=4", 1)
    counts = Counter(shape(initial.build(draws)) for _ in range(12_000))
    law = dict.fromkeys(counts, 1 / 6)
    law["(( ) ( ))"] = 1 / 3
    assert len(counts) == 5
    assert_frequencies(counts, law)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["unity", "insertion"])
def test_terminals_are_uniform_and_independent(name):
    draws, initial = stream(13), Initial.parse(name, 1)
    counts = Counter(tuple(initial.build(draws).terminals()) for _ in range(8_000))
    assert len(counts) == 4
    assert_frequencies(counts, dict.fromkeys(counts, 1 / 4))


@pytest.mark.statistical
def test_grow_draws_uniformly_from_F_and_L():
    """n = 1: J, x1, x̄1 with 1/3 each; at most 2 leaves, so below J only terminals."""
    draws, initial = stream(14), Initial.parse("grow", 1)
    counts = Counter(str(initial.build(draws)) for _ in range(8_000))
    pairs = [f"({a} {b})" for a in ("x1", "!x1") for b in ("x1", "!x1")]
    assert_frequencies(counts, {"x1": 1 / 3, "!x1": 1 / 3, **dict.fromkeys(pairs, 1 / 12)})


def test_grow_ends_even_where_the_papers_procedure_would_not():
    for seed in range(20):
        tree = Initial.parse("grow:leaves=50,join=1.0", 3).build(Stream(seed, (0, 0, 0, 0), 0))
        check(tree)
        assert len(tree.leaves) == 50


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("unity:leaves=6", "unity"),
        ("unity:leaves=7", "unity:leaves=7"),
        ("unity:leaves=4n", "unity:leaves=12"),
        ("bad:leaves=n", "bad:leaves=3"),
        ("insertion:leaves=2n", "insertion"),
        ("grow:leaves=3n,join=0.5", "grow:leaves=9,join=0.5"),
        ("grow:join=0.5,leaves=9", "grow:leaves=9,join=0.5"),
        (" ( x1   x̄2 ) ", "(x1 !x2)"),
    ],
)
def test_one_text_for_one_law(text, canonical):
    assert str(Initial.parse(text, 3)) == canonical
    assert str(Initial.parse(canonical, 3)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unty", "did you mean unity?"),
        ("unity:leaves=0", "must be a whole number, 1 or more"),
        ("unity:leaves=x", "takes leaves=M"),
        ("unity:leaves=1.5n", "as in unity:leaves=50 or unity:leaves=4n"),
        ("unity:leaves=n4", "takes leaves=M"),
        ("unity:leaves=-2n", "takes leaves=M"),
        ("unity:leaves=0n", "must be a whole number, 1 or more"),
        ("unity:leaves=999999999999n", "must be at most"),
        ("unity:join=0.5", "takes leaves=M"),
        ("unity:size=3", "takes leaves=M"),
        ("grow:join=2", "a probability, 0 to 1"),
        ("grow:join=nan", "a probability, 0 to 1"),
        ("tlopt:leaves=3", "4 or more"),
        ("(x1 x9)", "x9 does not fit n = 4"),
        ("(x1 x2", "expected 1 more )"),
        ("", "must be one of unity"),
    ],
)
def test_bad_initial_trees(text, message):
    with pytest.raises(BadInput) as refused:
        Initial.parse(text, 4)
    assert message in str(refused.value)
