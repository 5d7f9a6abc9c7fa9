"""Node-unbiased and depth-unbiased deletion: by hand, and by the words of the definition."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, Tree, simulate, solve
from gpruntime.model.mutation import DELETE
from gpruntime.model.tree import walk
from gpruntime.model.unbiased import DepthUnbiased, NodeUnbiased
from tests.statistics_help import assert_frequencies
from tests.strategies import stream

OPERATORS = {"node-unbiased": NodeUnbiased, "depth-unbiased": DepthUnbiased}
TREES = ["(x1 x2)", "((x1 x2) x3)", "((x1 x2) (x3 (x4 x1)))", "(x1 (x2 (x3 ((x1 x2) x4))))"]


def depth_of(node):
    return 0 if node.parent is None else 1 + depth_of(node.parent)


def by_definition(text, operator):
    """The law of a deletion's offspring: every node other than the root goes in turn, with its chance."""
    tree, law = Tree.parse(text), Counter()
    nodes = [node for node in walk(tree.root) if node.parent is not None]
    depths = Counter(map(depth_of, nodes))
    for node in nodes:
        each = Fraction(1, len(nodes))
        if operator == "depth-unbiased":
            each = Fraction(1, len(depths) * depths[depth_of(node)])
        law[str(without(Tree.parse(text), [*walk(tree.root)].index(node)))] += each
    return law


def without(tree, number):
    """The tree without its node of this number in pre-order; its sibling takes the place of their parent."""
    node = [*walk(tree.root)][number]
    (sibling,) = (child for child in node.parent.children if child is not node)
    above = node.parent.parent
    if above is None:
        tree.root, sibling.parent = sibling, None
    else:
        above.children[above.children.index(node.parent)], sibling.parent = sibling, above
    return tree


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("text", TREES)
def test_the_law_of_a_deletion_is_the_definitions(operator, text):
    mutation, law = OPERATORS[operator](4, [Fraction(1)] * 3), Counter()
    for operation, chance in mutation.proposals(Tree.parse(text)):
        if operation.kind == DELETE:
            tree = Tree.parse(text)
            mutation.apply(tree, operation)
            law[str(tree)] += 3 * chance
    assert law == by_definition(text, operator)


def test_deletions_of_a_small_tree_by_hand():
    """((x1 x2) x3): of four nodes below the root one is the join; at depth 1 there are two, at depth 2 two."""
    expected = {"x3": (1, 4), "(x1 x2)": (1, 4), "(x2 x3)": (1, 4), "(x1 x3)": (1, 4)}
    assert by_definition("((x1 x2) x3)", "node-unbiased") == {text: Fraction(*odds) for text, odds in expected.items()}
    assert by_definition("(((x1 x2) x3) x4)", "depth-unbiased")["x4"] == Fraction(1, 6)
    assert by_definition("(((x1 x2) x3) x4)", "node-unbiased")["x4"] == Fraction(1, 6)
    assert by_definition("((x1 x2) (x3 x4))", "depth-unbiased")["(x1 x2)"] == Fraction(1, 4)
    assert by_definition("((x1 x2) (x3 x4))", "node-unbiased")["(x1 x2)"] == Fraction(1, 6)


@pytest.mark.statistical
@pytest.mark.parametrize("operator", OPERATORS)
def test_draws_come_as_often_as_proposals_say(operator):
    tree, mutation, draws = Tree.parse("((x1 x2) (x2 (x1 !x1)))"), OPERATORS[operator](2), stream(5)
    counts = Counter(mutation.draw(tree, draws) for _ in range(30_000))
    assert_frequencies(counts, dict(mutation.proposals(tree)))


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_last_leaf_is_a_dialect(operator):
    for last_leaf, becomes in (("keep", "x1"), ("empty", "()")):
        mutation = OPERATORS[operator](1, (0, 0, 1), last_leaf)
        tree = Tree.parse("x1")
        ((operation, chance),) = mutation.proposals(tree)
        assert (mutation.draw(tree, stream(1)), chance) == (operation, 1)
        mutation.apply(tree, operation)
        assert str(tree) == becomes


@pytest.mark.parametrize("operator", OPERATORS)
def test_functions_of_other_numbers_of_arguments_are_refused(operator):
    with pytest.raises(BadInput, match=f"operator = {operator}: needs functions of two arguments; MULTIPLEXER"):
        RunSpec(problem="multiplexer", algorithm="gp-single", n=3, operator=operator, budget=10)


@pytest.mark.statistical
@pytest.mark.parametrize("operator", OPERATORS)
def test_exact_times_are_those_of_runs(operator):
    spec = RunSpec(problem="max", algorithm="gp-single", n=2, operator=operator, max_leaves_allowed=4, budget=10**6)
    exact = solve(spec)
    times = np.array([simulate(spec, seed=1, run=run).evaluations for run in range(1_000)])
    assert abs(times.mean() - exact.mean) < 4 * times.std() / len(times) ** 0.5
