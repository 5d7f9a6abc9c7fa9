"""The criteria of `gpruntime.model.stuck` against brute force: over all operations, and over sequences of them."""

from functools import cache
from itertools import product

import pytest

from gpruntime import MAJORITY, ORDER, RunSpec, Terminal, Tree
from gpruntime.model.mutation import KINDS
from gpruntime.model.operator import OPERATORS
from gpruntime.model.stuck import any_accepted, stuck

SUPPORTS = [weights for weights in product((0, 1), repeat=3) if any(weights)]
TERMINALS = [Terminal.from_code(code) for code in range(4)]
Leaves = tuple[Terminal, ...]


def all_trees(n: int, leaves: int) -> list[str]:
    """Every tree with so many leaves, as text."""
    if leaves == 1:
        return [f"{sign}x{i}" for i in range(1, n + 1) for sign in ("", "!")]
    sizes = range(1, leaves)
    return [f"({a} {b})" for k in sizes for a in all_trees(n, k) for b in all_trees(n, leaves - k)]


SMALL = [text for leaves in (1, 2, 3) for text in all_trees(2, leaves)]
TALL = [f"({text} (x1 !x1))" for text in SMALL[:20]] + [f"(!x1 (!x1 {text}))" for text in SMALL[:20]]
parsed = cache(Tree.parse)


@cache
def spec_of(**fields: object) -> RunSpec:
    """n = 2. The initial tree has no part in what is stuck."""
    return RunSpec(n=2, init="x1", **fields)


@cache
def fitness(problem: str, leaves: Leaves) -> int:
    return {"order": ORDER, "majority": MAJORITY}[problem].fitness(leaves, 2)


@cache
def offspring(text: str, operator: str, last_leaf: str = "keep") -> frozenset[tuple[str, Leaves]]:
    """All that one operation makes of a tree: its kind, and the leaves from left to right."""
    tree = parsed(text)
    mutation = OPERATORS[operator].function(2, last_leaf=last_leaf)
    found = set()
    for operation, _ in mutation.proposals(tree):
        after = tree.copy()
        mutation.apply(after, operation)
        found.add((operation.kind, tuple(after.terminals())))
    return frozenset(found)


def accepted(text: str, spec: RunSpec, strict: bool) -> bool:
    """Whether some single operation is accepted: by trying them all."""
    now = fitness(spec.problem.id, tuple(parsed(text).terminals()))
    limit = spec.max_leaves_allowed
    for kind, leaves in offspring(text, spec.operator.id, spec.last_leaf):
        drawn = spec.weights[KINDS.index(kind)] > 0 and (limit is None or len(leaves) <= limit)
        if drawn and fitness(spec.problem.id, leaves) >= now + strict:
            return True
    return False


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("weights", SUPPORTS)
@pytest.mark.parametrize("room", [None, 0, 1])
def test_single_operations_against_trying_them_all(problem, operator, weights, room):
    """Every tree of at most three leaves for n = 2, and some larger ones."""
    for text in SMALL + TALL:
        tree = parsed(text)
        limit = None if room is None else max(2, len(tree.leaves) + room)
        spec = spec_of(
            problem=problem, algorithm="gpstar-single", weights=weights, max_leaves_allowed=limit, operator=operator
        )
        if fitness(problem, tuple(tree.terminals())) < 2:
            assert stuck(tree, spec) == (not accepted(text, spec, strict=True)), text


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("weights", SUPPORTS)
def test_any_accepted_tries_them_all(operator, weights):
    spec = spec_of(problem="order", algorithm="gpstar-single", weights=weights, max_leaves_allowed=3, operator=operator)
    for text in SMALL[::5]:
        assert any_accepted(parsed(text), spec) == accepted(text, spec, strict=True), text


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("weights", SUPPORTS)
@pytest.mark.parametrize("last_leaf", ["keep", "empty"])
def test_weak_acceptance_against_trying_them_all(problem, operator, weights, last_leaf):
    if operator == "hvl" and last_leaf == "empty":
        return
    for text in SMALL if last_leaf == "keep" else ["()", *SMALL]:
        tree = parsed(text)
        for limit in (None, max(2, len(tree.leaves))):
            spec = spec_of(
                problem=problem,
                algorithm="gp-single",
                weights=weights,
                max_leaves_allowed=limit,
                operator=operator,
                last_leaf=last_leaf,
                budget=10,
            )
            if fitness(problem, tuple(tree.terminals())) < 2:
                assert stuck(tree, spec) == (not accepted(text, spec, strict=False)), (text, limit)


def test_HVL_can_delete_what_HVL_Prime_cannot():
    """One deletion takes out three x̄1 at once."""
    text = "((!x1 (!x1 (!x1 !x1))) (x1 (x2 (x2 (x2 x2)))))"
    for operator, expected in (("hvl", False), ("hvl-prime", True)):
        spec = RunSpec(problem="majority", algorithm="gpstar-single", n=2, init=text, operator=operator)
        assert stuck(Tree.parse(text), spec) == expected


def test_no_extra_operations_is_single():
    for mean in (0, 1e-20):
        spec = RunSpec(problem="majority", algorithm="gpstar-multi", n=3, init="tlopt", poisson_mean=mean)
        assert stuck(spec.init.build(None), spec)


@cache
def changed(leaves: Leaves, weights: tuple[int, ...]) -> frozenset[Leaves]:
    """All that one operation makes of the leaves, from left to right: what tree they are on does not matter."""
    substitute, insert, delete = weights
    places, found = range(len(leaves)), set()
    if substitute:
        found |= {(*leaves[:i], new, *leaves[i + 1 :]) for i in places for new in TERMINALS}
    if insert:
        found |= {(*leaves[:i], new, *leaves[i:]) for i in (*places, len(leaves)) for new in TERMINALS}
    if delete:
        found |= {leaves[:i] + leaves[i + 1 :] for i in places} if len(leaves) > 1 else {leaves}
    return frozenset(found)


@pytest.mark.parametrize("weights", SUPPORTS)
def test_an_operation_on_a_tree_is_one_on_its_leaves(weights):
    for text in SMALL + TALL:
        by_tree = {leaves for kind, leaves in offspring(text, "hvl-prime") if weights[KINDS.index(kind)]}
        assert by_tree == changed(tuple(parsed(text).terminals()), weights), text


@cache
def best_reachable(problem: str, leaves: Leaves, weights: tuple[int, ...], limit: int | None, operations: int) -> int:
    """The best fitness within the size limit that at most so many operations lead to."""
    best = fitness(problem, leaves) if limit is None or len(leaves) <= limit else 0
    if operations == 0:
        return best
    return max(
        best, *(best_reachable(problem, after, weights, limit, operations - 1) for after in changed(leaves, weights))
    )


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("weights", SUPPORTS)
@pytest.mark.parametrize("limit", [None, 3])
def test_many_operations_against_all_short_sequences(problem, weights, limit):
    """n = 2 and all up to 3 leaves: three operations are enough to improve wherever it can be done at all."""
    spec = spec_of(problem=problem, algorithm="gpstar-multi", weights=weights, max_leaves_allowed=limit)
    for text in SMALL:
        leaves = tuple(parsed(text).terminals())
        now = fitness(problem, leaves)
        if now < 2:
            assert stuck(parsed(text), spec) == (best_reachable(problem, leaves, weights, limit, 3) <= now), text


@pytest.mark.parametrize("n", range(2, 7))
def test_T_lopt_is_stuck_for_GPstar_single_and_only_for_it(n):
    """thm:majority_gpstar_single_wc: a deficit of n + 1 ≥ 3 cannot be made up by one operation."""
    for algorithm in ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi"):
        spec = RunSpec(problem="majority", algorithm=algorithm, n=n, init="tlopt")
        tree = spec.init.build(None)
        assert stuck(tree, spec) == (algorithm == "gpstar-single")


def test_a_deficit_of_two_is_not_stuck_and_three_is():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=1)
    assert not stuck(Tree.parse("(!x1 !x1)"), spec)
    assert stuck(Tree.parse("(!x1 (!x1 !x1))"), spec)
    assert stuck(Tree.parse("((!x1 x1) (!x1 (!x1 !x1)))"), spec)
