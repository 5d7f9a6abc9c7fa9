"""Functions of any number of arguments and terminals with names: trees, their text, HVL-Prime and the original HVL."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import BadInput, Run, RunSpec, Tree
from gpruntime.model.arity import AnyHvl, AnyHvlPrime, deletable
from gpruntime.model.drawing import ascii_drawing
from gpruntime.model.hvl import Hvl
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import HvlPrime
from gpruntime.model.picture import svg
from gpruntime.model.run import rebuild
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Named, Primitives
from gpruntime.model.trace import steps_from_lines, trace_lines
from gpruntime.model.tree import walk
from tests import parts
from tests.statistics_help import assert_frequencies

PRIMITIVES = parts.not_parity.primitives(2)
OPERATORS = ("hvl-prime", "hvl")


def spec_of(operator="hvl-prime", **fields):
    return RunSpec(
        **{"problem": parts.not_parity, "algorithm": "gp-single", "n": 2, "budget": 80, "operator": operator} | fields
    )


def drawn(seed: int, most: int = 6) -> Tree:
    """Some tree, with functions of each kind."""
    return Initial.parse(f"grow:leaves={most},join=0.6", 2, PRIMITIVES).build(Stream(seed, (0, 0, 0, 0), 0))


def check(tree: Tree) -> None:
    """A proper tree, each join with as many children as its function has arguments, and a register that knows all."""
    nodes = [] if tree.root is None else list(walk(tree.root))
    assert len(nodes) == tree.node_count
    assert {id(node) for node in nodes} == {id(node) for node in tree.leaves + tree.joins}
    for register in (tree.leaves, tree.joins):
        assert [node.index for node in register] == list(range(len(register)))
    for node in nodes:
        assert node.is_leaf or len(node.children) == PRIMITIVES.arity(node.function)
        assert all(child.parent is node for child in node.children)


@given(st.integers(0, 10**6))
def test_text_goes_both_ways(seed):
    tree = drawn(seed)
    assert Tree.parse(str(tree), PRIMITIVES) == tree
    assert tree.copy() == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(and a0)", "at character 8: expected two children before this"),
        ("(not a0 a1)", "here, since not has one child"),
        ("(if a0 a1)", "expected three children before this"),
        ("(and a0 a7)", "expected a terminal such as a0, a1, true"),
        ("(or a0 a1)", r"a join is written \(and … …\); the functions are and, not, if"),
        ("(a0 a1)", "a join is written"),
        ("x1", "at character 1: expected a terminal such as a0, a1, true"),
        ("(and a0 a1) a0", "nothing after the end"),
    ],
)
def test_a_tree_that_does_not_fit_is_refused_in_a_line(text, words):
    with pytest.raises(BadInput, match=words) as refused:
        spec_of(init=text)
    assert "\n" not in str(refused.value)


def test_named_terminals_are_their_codes_for_the_problem():
    tree = Tree.parse("(if true (and a1 a0) (not a0))", PRIMITIVES)
    assert parts.not_parity.program(tree, 2).tolist() == [2, 1, 0, -1, 0, -2, -3]
    assert [str(leaf) for leaf in tree.terminals()] == ["true", "a1", "a0", "a0"]
    assert tree.terminals()[0] == Named(3, "true")
    assert "├── true" in ascii_drawing(tree)
    assert ">true</text>" in svg(tree)


@given(
    st.integers(0, 10**6), st.sampled_from(OPERATORS), st.sampled_from(("leaves", "nodes", "functions")), st.booleans()
)
def test_proposals_add_up_and_each_leaves_a_proper_tree(seed, operator, substitute, empties):
    dialect = {"substitute": substitute, "last_leaf": "empty" if empties else "keep"} if operator == "hvl-prime" else {}
    tree, mutation, total = drawn(seed), spec_of(operator, **dialect).mutation, 0.0
    for operation, chance in mutation.proposals(tree):
        total += chance
        other = tree.copy()
        mutation.apply(other, operation)
        check(other)
    assert total == pytest.approx(1)


@pytest.mark.parametrize("operator", OPERATORS)
def test_operations_are_drawn_by_their_probabilities(operator):
    tree, mutation = Tree.parse("(if a0 (not (and a1 true)) (not a0))", PRIMITIVES), spec_of(operator).mutation
    chances = dict(mutation.proposals(tree))
    stream = Stream(5, (1, 2, 3, 4), 0)
    seen = Counter(mutation.draw(tree, stream) for _ in range(20_000))
    assert set(seen) <= set(chances)
    assert_frequencies(seen, chances)


@given(st.integers(0, 10**6))
def test_every_insertion_can_be_undone_by_one_deletion(seed):
    tree, mutation = drawn(seed, 4), spec_of(weights=(0, 1, 1)).mutation
    insertions = (operation for operation, _ in mutation.proposals(tree) if operation.kind == "insert")
    for operation in itertools.islice(insertions, 0, 60, 7):
        larger = tree.copy()
        mutation.apply(larger, operation)
        results = []
        for deletion, chance in mutation.proposals(larger):
            if deletion.kind == "delete" and chance > 0:
                back = larger.copy()
                mutation.apply(back, deletion)
                results.append(back)
        assert tree in results


def test_a_leaf_goes_with_the_functions_of_one_argument_above_it():
    tree, mutation = Tree.parse("(and (not (not a0)) a1)", PRIMITIVES), spec_of().mutation
    assert deletable(tree) == [0, 1, 3, 4]
    results = Counter()
    for operation, chance in mutation.proposals(tree):
        if operation.kind == "delete":
            other = tree.copy()
            mutation.apply(other, operation)
            results[str(other)] += chance * 12
    assert results == pytest.approx({"a1": 1, "(not (not a0))": 1, "(and (not a0) a1)": 2})


def test_with_two_arguments_it_is_hvl_prime():
    """The law, not the draws: the same tree, with J named and counted among functions of any number of arguments."""
    binary = Primitives(2, True, ("f",))
    general = Primitives(2, True, ("f",), (2,))
    tree = Tree.parse("(f (f x1 !x2) (f x2 (f x1 x1)))", binary)
    for ours, theirs in ((HvlPrime, AnyHvlPrime), (Hvl, AnyHvl)):
        laws = []
        for kind, primitives in ((ours, binary), (theirs, general)):
            mutation, law = kind(2, primitives=primitives), Counter()
            for operation, chance in mutation.proposals(tree):
                other = tree.copy()
                mutation.apply(other, operation)
                law[str(other)] += chance
            laws.append(law)
        assert laws[0] == pytest.approx(laws[1])


@pytest.mark.parametrize("init", ["unity", "insertion", "grow:join=0.7", "unity:leaves=1", "insertion:leaves=8"])
def test_initial_trees_have_at_most_their_leaves_and_are_in_order(init):
    for run in range(200):
        initial = Initial.parse(init, 2, PRIMITIVES)
        tree = initial.build(Stream(3, (0, 0, 0, 1), run))
        check(tree)
        assert 1 <= len(tree.leaves) <= initial.leaves
        if not init.startswith("grow"):
            assert len(tree.leaves) >= initial.leaves - 1
        in_order = [leaf.index for leaf in tree.leaves_in_order()]
        assert in_order == list(range(len(in_order)))


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_trace_rebuilds_the_last_tree(operator):
    spec = spec_of(operator, algorithm="gp-multi")
    run = Run(spec, seed=4)
    lines = list(trace_lines(run))
    steps = list(steps_from_lines(lines, spec.primitives))
    assert str(rebuild(spec, run.initial_tree, steps)) == str(run.tree)
