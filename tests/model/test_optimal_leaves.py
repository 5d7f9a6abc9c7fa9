"""How small an optimal tree can be: what a problem says of it bounds `--max-leaves`, and must be true."""

import itertools

import pytest

from gpruntime import BadInput, RunSpec, simulate
from gpruntime.model.problems import problem_named
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree
from tests.field import VARIANTS, sizes_of

SAMPLED = [
    f"{name}:rows={rows},seed={seed}" for name in ("and", "xor", "and-or") for rows in (1, 3, 6) for seed in (1, 2, 3)
]
EVERY = [*itertools.chain.from_iterable(VARIANTS.values()), *SAMPLED, "worder:weights=0/2/0", "wmajority:weights=1/0/3"]
MOST_TRIED = 30_000


def programs(primitives: Primitives, leaves: int) -> list[str]:
    """All programs with this number of leaves as text; a function of one argument stands at most once above a node."""
    unary = [name for name in primitives.functions if primitives.arity(name) == 1]
    found = [str(primitives.terminal(code)) for code in range(primitives.size)] if leaves == 1 else []
    for name in primitives.functions:
        arity = primitives.arity(name)
        for cuts in itertools.combinations(range(1, leaves), arity - 1) if arity > 1 else ():
            sizes = [end - begin for begin, end in itertools.pairwise((0, *cuts, leaves))]
            children = itertools.product(*(programs(primitives, size) for size in sizes))
            found += [f"({' '.join([*([name] if name else []), *parts])})" for parts in children]
    return found + [f"({name} {program})" for name in unary for program in found]


def trees_of_size(problem, n, leaves):
    """All trees with this number of leaves; where only the leaves count, all lists of terminals."""
    primitives = problem.primitives(n)
    if problem.sees == "program":
        return [Tree.parse(text, primitives) for text in programs(primitives, leaves)]
    terminals = [primitives.terminal(code) for code in range(primitives.size)]
    return [list(some) for some in itertools.product(terminals, repeat=leaves)]


@pytest.mark.parametrize("name", EVERY)
def test_no_smaller_tree_is_optimal(name):
    """By brute force: all trees with fewer leaves than an optimal one is said to have at least."""
    problem, tried = problem_named(name), 0
    for n in (3,) if "/0" in name or "=0/" in name else sizes_of(problem, (1, 2, 3)):
        least = problem.least_optimal_leaves(n)
        assert least >= 1
        for leaves in range(1, least):
            if problem.primitives(n).size ** leaves > (100 if problem.sees == "program" else 5000):
                break
            for tree in trees_of_size(problem, n, leaves):
                assert problem.fitness(tree, n) != problem.best(n)
                tried += 1
        if problem.best_of_size(least, n) is not None:  # it is exact there: the front ends with it
            assert problem.best_of_size(least, n) == problem.best(n) != problem.best_of_size(least - 1, n)
    assert tried <= MOST_TRIED


@pytest.mark.attack
@pytest.mark.parametrize("name", ["and:rows=20,seed=7", "and-or:rows=20,seed=7"])
def test_sampled_rows_are_fitted_by_fewer_leaves_than_variables(name):
    """A limit below n is no fault there: a run finds an optimal tree within it."""
    spec = RunSpec(problem=name, algorithm="gp-single", n=8, init="unity:leaves=4", max_leaves_allowed=6, budget=10**4)
    assert simulate(spec, seed=1).outcome == "optimum"


def test_with_sampled_rows_and_little_room_a_run_need_not_end():
    """The proof that it ends needs room for all variables; without a budget such a run could go on for ever."""
    fields = {"problem": "and:rows=20,seed=7", "algorithm": "gp-single", "n": 8, "init": "unity:leaves=1"}
    RunSpec(**fields)
    RunSpec(**fields, max_leaves_allowed=8)
    with pytest.raises(BadInput, match="budget"):
        RunSpec(**fields, max_leaves_allowed=2)


def test_the_message_says_at_least():
    """For parity n leaves are a lower bound only."""
    with pytest.raises(BadInput, match="at least 3 leaves"):
        RunSpec(problem="parity", algorithm="gp-single", n=3, max_leaves_allowed=2, budget=10)
    with pytest.raises(BadInput, match=r"1 or more$"):
        RunSpec(problem="regression", algorithm="gp-single", n=5, max_leaves_allowed=0, budget=10)
