"""The criteria of `gpruntime.model.stuck` against brute force: over all operations, and over sequences of them."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import BadInput, RunSpec, Tree
from gpruntime.model.stuck import any_improvement, stuck
from tests.strategies import trees

SUPPORTS = [weights for weights in product((0, 1), repeat=3) if any(weights)]


@settings(max_examples=400)
@given(
    trees(n=3, most_leaves=8),
    st.sampled_from(["order", "majority"]),
    st.sampled_from(SUPPORTS),
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["hvl-prime", "hvl"]),
)
def test_single_operations_against_trying_them_all(tree, problem, weights, room, operator):
    limit = None if room is None else max(3, len(tree.leaves) + room)
    try:
        spec = RunSpec(
            problem=problem,
            algorithm="gpstar-single",
            n=3,
            init=str(tree),
            weights=weights,
            max_leaves_allowed=limit,
            operator=operator,
        )
    except BadInput:
        assert operator == "hvl"
        assert weights == (0, 0, 1)
        return
    if spec.problem_.fitness(tree.terminals(), 3) < 3:
        assert stuck(tree, spec) == (not any_improvement(tree, spec))


def best_reachable(tree: Tree, spec: RunSpec, depth: int) -> int:
    """The best fitness of any tree within the size limit that at most `depth` operations lead to."""
    best, seen, level = 0, {str(tree)}, [tree]
    for _ in range(depth):
        following = []
        for current in level:
            for operation, chance in spec.mutation.proposals(current):
                offspring = current.copy()
                spec.mutation.apply(offspring, operation)
                if chance > 0 and str(offspring) not in seen:
                    seen.add(str(offspring))
                    following.append(offspring)
                    if spec.max_leaves_allowed is None or len(offspring.leaves) <= spec.max_leaves_allowed:
                        best = max(best, spec.problem_.fitness(offspring.terminals(), spec.n))
        level = following
    return best


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("weights", SUPPORTS)
@pytest.mark.parametrize("limit", [None, 3])
def test_many_operations_against_all_short_sequences(problem, weights, limit):
    """n = 2 and trees of up to 3 leaves: three operations are enough to improve wherever it can be done at all."""
    depth = 3 if weights.count(1) < 3 else 2
    for text in ("x1", "!x1", "(x1 x1)", "(!x1 !x1)", "(!x1 x1)", "(x1 !x2)", "(!x1 (!x1 !x1))", "(!x1 (!x1 x1))"):
        tree = Tree.parse(text)
        spec = RunSpec(
            problem=problem, algorithm="gpstar-multi", n=2, init=text, weights=weights, max_leaves_allowed=limit
        )
        fitness = spec.problem_.fitness(tree.terminals(), 2)
        assert stuck(tree, spec) == (best_reachable(tree, spec, depth) <= fitness), text


@pytest.mark.parametrize("n", range(2, 7))
def test_T_lopt_is_stuck_for_GPstar_single_and_only_for_it(n):
    """thm:majority_gpstar_single_wc: a deficit of n + 1 ≥ 3 cannot be made up by one operation."""
    for algorithm in ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi"):
        spec = RunSpec(problem="majority", algorithm=algorithm, n=n, init="tlopt")
        tree = spec.initial.build(None)
        assert stuck(tree, spec) == (algorithm == "gpstar-single")


def test_a_deficit_of_two_is_not_stuck_and_three_is():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=1)
    assert not stuck(Tree.parse("(!x1 !x1)"), spec)
    assert stuck(Tree.parse("(!x1 (!x1 !x1))"), spec)
    assert stuck(Tree.parse("((!x1 x1) (!x1 (!x1 !x1)))"), spec)


def test_weak_acceptance_is_stuck_only_when_it_can_but_insert_and_the_tree_is_full():
    full = RunSpec(
        problem="order", algorithm="gp-single", n=2, init="(!x1 !x1)", weights=(0, 1, 0), max_leaves_allowed=2
    )
    assert stuck(Tree.parse("(!x1 !x1)"), full)
    assert not stuck(Tree.parse("!x1"), full)
    free = RunSpec(problem="order", algorithm="gp-single", n=2, init="(!x1 !x1)", max_leaves_allowed=2)
    assert not stuck(Tree.parse("(!x1 !x1)"), free)
