"""The criteria of `gpruntime.model.stuck` against brute force: over all operations, and over sequences of them."""

from itertools import product

import pytest

from gpruntime import RunSpec, Tree
from gpruntime.model.stuck import any_improvement, stuck

SUPPORTS = [weights for weights in product((0, 1), repeat=3) if any(weights)]


def all_trees(n: int, leaves: int) -> list[str]:
    """Every tree with so many leaves, as text."""
    if leaves == 1:
        return [f"{sign}x{i}" for i in range(1, n + 1) for sign in ("", "!")]
    sizes = range(1, leaves)
    return [f"({a} {b})" for k in sizes for a in all_trees(n, k) for b in all_trees(n, leaves - k)]


SMALL = [text for leaves in (1, 2, 3) for text in all_trees(2, leaves)]
TALL = [f"({text} (x1 !x1))" for text in SMALL[:20]] + [f"(!x1 (!x1 {text}))" for text in SMALL[:20]]


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("operator", ["hvl-prime", "hvl"])
@pytest.mark.parametrize("weights", SUPPORTS)
@pytest.mark.parametrize("room", [None, 0, 1])
def test_single_operations_against_trying_them_all(problem, operator, weights, room):
    """Every tree of at most three leaves for n = 2, and some larger ones."""
    for text in SMALL + TALL:
        tree = Tree.parse(text)
        limit = None if room is None else max(2, len(tree.leaves) + room)
        spec = RunSpec(
            problem=problem,
            algorithm="gpstar-single",
            n=2,
            init=text,
            weights=weights,
            max_leaves_allowed=limit,
            operator=operator,
        )
        if spec.problem_.fitness(tree.terminals(), 2) < 2:
            assert stuck(tree, spec) == (not any_improvement(tree, spec)), text


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("operator", ["hvl-prime", "hvl"])
@pytest.mark.parametrize("weights", SUPPORTS)
@pytest.mark.parametrize("last_leaf", ["keep", "empty"])
def test_weak_acceptance_against_trying_them_all(problem, operator, weights, last_leaf):
    if operator == "hvl" and last_leaf == "empty":
        return
    for text in SMALL:
        tree = Tree.parse(text)
        for limit in (None, max(2, len(tree.leaves))):
            spec = RunSpec(
                problem=problem,
                algorithm="gp-single",
                n=2,
                init=text,
                weights=weights,
                max_leaves_allowed=limit,
                operator=operator,
                last_leaf=last_leaf,
                budget=10,
            )
            fitness = spec.problem_.fitness(tree.terminals(), 2)
            if fitness < 2:
                accepted = [after for after in offspring_of(tree, spec) if after >= fitness]
                assert stuck(tree, spec) == (not accepted), (text, limit)


def offspring_of(tree: Tree, spec: RunSpec) -> list[int]:
    """The fitness of all offspring within the size limit."""
    found = []
    for operation, chance in spec.mutation.proposals(tree):
        offspring = tree.copy()
        spec.mutation.apply(offspring, operation)
        if chance > 0 and (spec.max_leaves_allowed is None or len(offspring.leaves) <= spec.max_leaves_allowed):
            found.append(spec.problem_.fitness(offspring.terminals(), spec.n))
    return found


def test_HVL_can_delete_what_HVL_Prime_cannot():
    """One deletion takes out three x̄1 at once."""
    text = "((!x1 (!x1 (!x1 !x1))) (x1 (x2 (x2 (x2 x2)))))"
    for operator, expected in (("hvl", False), ("hvl-prime", True)):
        spec = RunSpec(problem="majority", algorithm="gpstar-single", n=2, init=text, operator=operator)
        assert stuck(Tree.parse(text), spec) == expected


def test_no_extra_operations_is_single():
    for mean in (0, 1e-20):
        spec = RunSpec(problem="majority", algorithm="gpstar-multi", n=3, init="tlopt", poisson_mean=mean)
        assert stuck(spec.initial.build(None), spec)


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
