"""Checks a problem: what it says of itself, by brute force at small n, and that it is compiled right.

What is compiled, and how long a step takes; whether its function gives the same answer to the same question, compiled
or not and in every process, and leaves what it is given alone; whether the best fitness it says is reached and never
exceeded; whether a `stuck` it claims is true, by trying all proposals; and whether engine and model make the same runs,
step by step.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpruntime.engine import run_many, unsupported
from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.all_trees import trees_of_size
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.stuck import any_accepted
from gpruntime.model.tree import Tree
from gpruntime.verification.compiled import same_answers
from gpruntime.verification.elsewhere import Answers, same_elsewhere
from gpruntime.verification.finding import BAD, GOOD, UNKNOWN, Finding
from gpruntime.verification.runs import SIZES, agreement, some_trees

_SMALL = SIZES[:3]
_EACH = 8  # trees of each size
_MAX_TREES, _SECONDS = 20_000, 2.0  # that brute force looks at, and takes
_MAX_COUNT = 6
_TIMED = 0.3  # seconds


def of_problem(problem: Problem) -> Iterator[Finding]:
    """What was found about a problem."""
    compilation = _compilation(problem)
    yield compilation
    yield _purity(problem)
    if problem.is_own and compilation.verdict == GOOD:
        yield same_answers(problem)
    if problem.is_own:
        sizes = ", ".join(map(str, SIZES))
        yield same_elsewhere(problem, answers, f"data, best, terminals and the fitness of trees for n = {sizes}")
    for n in _SMALL:
        yield _best(problem, n)
    if problem.proof is not None:
        yield _claim_of_stuck(problem)
    yield agreement(problem, ACCEPTANCES["weak"], "weak and strict rule, four laws of k, n up to 5")


def _compilation(problem: Problem) -> Finding:
    spec = RunSpec(problem=problem.id, algorithm="gp-single", n=SIZES[-1], budget=1)
    begun = time.perf_counter()
    if (why := unsupported(spec)) is not None:
        return Finding(UNKNOWN, "compiled", why)
    run_many(spec, seed=0, runs=1, method="stepping")
    took = time.perf_counter() - begun
    steps, runs, each = 0, 1, 0.0
    while each * steps < _TIMED * 1e9:
        begun = time.perf_counter()
        steps = int(run_many(spec.replace(budget=1000), seed=0, runs=runs, method="stepping").evaluations.sum())
        each = (time.perf_counter() - begun) / steps * 1e9
        runs *= 4
    sees = f"sees {problem.sees}, {'O(1) an operation' if problem.adds_up else 'O(T) an offspring'}"
    return Finding(GOOD, "compiled", f"{sees}; ready after {took:.1f} s, then {each:,.0f} ns a step at n = {spec.n}")


def _purity(problem: Problem) -> Finding:
    """The same question twice, with others in between; and the array is still what it was."""
    what = "depends on what it sees alone"
    for n in _SMALL:
        trees = list(some_trees(problem.primitives(n), n, _EACH))
        before = [problem.fitness(tree, n) for tree in trees]
        after = [problem.fitness(tree, n) for tree in reversed(trees)][::-1]
        for tree, first, again in zip(trees, before, after, strict=True):
            if first != again:
                return Finding(BAD, what, f"the tree {tree} has fitness {first}, and then {again}")
        if not problem.adds_up:
            for tree in trees[:20]:
                array = _array(problem, tree, n)
                given = array.copy()
                problem(array, n)
                if not np.array_equal(array, given):
                    return Finding(BAD, what, f"it changes the array it is given, for the tree {tree}")
    return Finding(GOOD, what, "the same answers in any order, and nothing it is given is changed")


def answers(problem: Problem) -> Answers:
    """What every process must say of it: its data, its best fitness, its terminals, and the fitness of some trees."""
    answered: Answers = {}
    for n in SIZES:
        primitives, data = problem.primitives(n), problem.data(n)
        trees = {str(tree): repr(problem.fitness(tree, n)) for tree in some_trees(primitives, n, _EACH)}
        answered |= {
            f"data for n = {n}": [data.dtype.name, *map(repr, data.tolist())],
            f"best for n = {n}": repr(problem.best(n)),
            f"terminals for n = {n}": [str(terminal) for terminal in primitives.terminals],
            **{f"fitness of the tree {tree} for n = {n}": fitness for tree, fitness in trees.items()},
        }
    return answered


def _array(problem: Problem, tree: Tree, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    if problem.sees == "program":
        return problem.program(tree, n)
    primitives = problem.primitives(n)
    return np.array([primitives.code(terminal) for terminal in tree.terminals()], np.int64)


def _best(problem: Problem, n: int) -> Finding:
    """For sums the best of each term; otherwise all trees, smallest first, as far as that goes."""
    what, claimed = f"best fitness at n = {n}", problem.best(n)
    if problem.adds_up:
        reached: Any = sum(_best_term(problem, i, n) for i in range(1, problem.primitives(n).variables + 1))
        looked = "all signs" if problem.sees == "first" else f"all counts up to {_MAX_COUNT}"
    else:
        end, looked_at, leaves, reached = time.monotonic() + _SECONDS, 0, 0, None
        trees = itertools.chain.from_iterable(trees_of_size(problem.primitives(n), size) for size in itertools.count(1))
        for tree in itertools.islice(trees, _MAX_TREES):
            value = problem.fitness(tree, n)
            reached = value if reached is None or (value - reached) * problem.direction > 0 else reached
            looked_at, leaves = looked_at + 1, len(tree.leaves)
            if time.monotonic() > end:
                break
        looked = f"{looked_at:,} trees of up to {leaves} leaves"
    if (reached - claimed) * problem.direction > 0:
        return Finding(BAD, what, f"said to be {claimed}, exceeded: {reached} (by {looked})")
    if reached == claimed:
        return Finding(GOOD, what, f"{claimed}, reached and not exceeded (by {looked})")
    return Finding(UNKNOWN, what, f"said to be {claimed}; the best of {looked} is {reached}")


def _best_term(problem: Problem, i: int, n: int) -> Any:
    better = max if problem.better == "larger" else min
    signed = problem.terminals == "signed"
    if problem.sees == "first":
        return better(int(problem(i, sign, n)) for sign in ((1, 0, -1) if signed else (1, -1)))
    bars = range(_MAX_COUNT + 1) if signed else (0,)
    return better(int(problem(i, plain, bar, n)) for plain in range(_MAX_COUNT + 1) for bar in bars)


def _claim_of_stuck(problem: Problem) -> Finding:
    what, checked = "its proof of stuck", 0
    assert problem.proof is not None
    for n in _SMALL:
        spec = RunSpec(problem=problem.id, algorithm="gpstar-single", n=n, budget=1)
        for tree in some_trees(problem.primitives(n), n, _EACH):
            if tree.leaves and problem.fitness(tree, n) != problem.best(n):
                checked += 1
                if problem.proof(tree, spec) == any_accepted(tree, spec):
                    return Finding(BAD, what, f"is false for GP*-single at the tree {tree}")
    return Finding(GOOD, what, f"true for GP*-single at {checked} trees, by trying all proposals")
