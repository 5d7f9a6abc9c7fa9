from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import BadInput, Tree
from gpruntime.model.hvl import Hvl
from gpruntime.model.mutation import DELETE, INSERT, SUBSTITUTE, HvlPrime, Operation
from gpruntime.model.unbiased import DepthUnbiased, NodeUnbiased
from tests.model.test_tree import check
from tests.statistics_help import assert_frequencies
from tests.strategies import stream, trees

WEIGHTS = [(1, 1, 1), (0.5, 2, 1), (0, 1, 1), (1, 0, 0)]


@st.composite
def operators(draw, n=4):
    weights = draw(st.sampled_from(WEIGHTS))
    operator = draw(st.sampled_from([Hvl, HvlPrime, NodeUnbiased, DepthUnbiased]))
    if operator is Hvl:
        return Hvl(n, weights)
    return operator(
        n, weights, draw(st.sampled_from(["keep", "empty"])), draw(st.sampled_from(["leaves", "nodes", "functions"]))
    )


@given(trees(), operators(), st.integers(0, 1000))
def test_any_sequence_of_mutations_leaves_a_proper_tree(tree, operator, seed):
    draws = stream(seed)
    for _ in range(30):
        operation = operator.draw(tree, draws)
        operator.apply(tree, operation)
        check(tree)


@given(trees(most_leaves=6), operators())
def test_the_probabilities_of_all_proposals_add_up_to_one(tree, operator):
    assert sum(chance for _, chance in operator.proposals(tree)) == pytest.approx(1, abs=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dialect", [("keep", "leaves"), ("empty", "nodes")])
def test_frequencies_of_operations_sites_sides_and_terminals(weights, dialect):
    """Each single (kind, site, side, terminal) comes as often as `proposals` says."""
    tree, operator, draws = Tree.parse("((x1 !x2) x2)"), HvlPrime(2, weights, *dialect), stream(5)
    counts = Counter(operator.draw(tree, draws) for _ in range(40_000))
    assert_frequencies(counts, dict(operator.proposals(tree)))


@pytest.mark.statistical
def test_margins_are_the_papers():
    """One third each; sites uniform over T leaves or 2T − 1 nodes; sides fair; terminals uniform over 2n."""
    tree, operator, draws = Tree.parse("((x1 !x2) (x3 (x1 x1)))"), HvlPrime(3), stream(6)
    operations = [operator.draw(tree, draws) for _ in range(30_000)]
    assert_frequencies(Counter(o.kind for o in operations), dict.fromkeys((SUBSTITUTE, INSERT, DELETE), 1 / 3))
    for kind, sites in ((SUBSTITUTE, 5), (INSERT, 9), (DELETE, 5)):
        chosen = [o for o in operations if o.kind == kind]
        assert_frequencies(Counter(o.site for o in chosen), dict.fromkeys(range(sites), 1 / sites))
        if kind != DELETE:
            assert_frequencies(Counter(o.terminal.code for o in chosen), dict.fromkeys(range(6), 1 / 6))
    sides = Counter(o.side for o in operations if o.kind == INSERT)
    assert_frequencies(sides, {"left": 0.5, "right": 0.5})


@pytest.mark.statistical
def test_frequencies_of_the_original_HVL():
    tree, operator, draws = Tree.parse("((x1 !x2) (x2 (x1 x1)))"), Hvl(2), stream(7)
    counts = Counter(operator.draw(tree, draws) for _ in range(60_000))
    assert_frequencies(counts, dict(operator.proposals(tree)))


def test_bad_operators():
    for bad in ({"weights": (0, 0, 0)}, {"substitute": "bogus"}, {"last_leaf": "bogus"}, {"n": 0}):
        with pytest.raises(BadInput):
            HvlPrime(**{"n": 4, **bad})


def test_last_leaf_dialects():
    deletion = Operation(DELETE, 0)
    kept = Tree.parse("x1")
    HvlPrime(1, last_leaf="keep").apply(kept, deletion)
    assert str(kept) == "x1"
    emptied = Tree.parse("x1")
    operator = HvlPrime(1, last_leaf="empty")
    operator.apply(emptied, deletion)
    assert str(emptied) == "()"
    laws = Counter()
    for operation, chance in operator.proposals(emptied):
        tree = emptied.copy()
        operator.apply(tree, operation)
        laws[str(tree)] += chance
    assert laws == pytest.approx({"()": 2 / 3, "x1": 1 / 6, "!x1": 1 / 6})


def test_substitution_at_nodes_is_vacuous_for_one_sixth_of_all_operations():
    """The paper: "such operations only constitute one-sixth of all operations". Exactly (T − 1)/(2T − 1)/3."""
    operator = HvlPrime(2, substitute="nodes")
    tree = Tree.parse("((x1 x1) (x1 x1))")
    vacuous = sum(chance for o, chance in operator.proposals(tree) if o.kind == SUBSTITUTE and o.terminal is None)
    assert vacuous == pytest.approx(3 / 7 / 3)


def test_HVL_deletion_keeps_the_largest_child_and_spares_leaves():
    tree = Tree.parse("((x1 x2) x3)")
    deletions = {o: chance for o, chance in Hvl(3).proposals(tree) if o.kind == DELETE}
    results = Counter()
    for operation, chance in deletions.items():
        offspring = tree.copy()
        Hvl(3).apply(offspring, operation)
        results[str(offspring)] += chance
    third = 1 / 3 / 5
    expected = {"(x1 x2)": third, "(x1 x3)": third / 2, "(x2 x3)": third / 2, "((x1 x2) x3)": 3 * third}
    assert results == pytest.approx(expected)
