"""Holds a part of one's own to account, in seconds and in words: is it what it says it is?

For a problem: what is compiled, and how long a step takes; whether engine and model make the same runs, step by step;
whether its function gives the same answer to the same question and leaves what it is given alone; whether the best
fitness it says is reached and never exceeded, by brute force at small n; whether a `stuck` it claims is true, by trying
all proposals. For a rule: whether it is monotone, and whether engine and model agree on it. For an operator and an
algorithm: `verify_moves`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpruntime.engine.finding import BAD, GOOD, UNKNOWN, Finding
from gpruntime.engine.verify_moves import of_operator, of_search
from gpruntime.model.acceptance import ACCEPTANCES, Acceptance
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.operator import OPERATORS, Operator
from gpruntime.model.part import Part
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.run import Run, simulate
from gpruntime.model.search_part import SearchPart, search_named
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.stuck import any_accepted
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.text import parse
from gpruntime.model.tree import Tree

_SIZES = (1, 2, 3, 5)
_STEPS = 200  # of a run that is compared
_MOST_TREES, _SECONDS = 20_000, 2.0  # that brute force looks at, and takes
_MOST_COUNT = 6
_LAWS = ("one", "poisson:mean=1", "exactly:k=2", "power:beta=1.5")
_TIMED = 0.3  # seconds
_NOT_THIS = tuple(f"is not made by @{kind}" for kind in ("problem", "acceptance", "operator"))


@dataclass(frozen=True)
class Verification:
    """What was found about a part."""

    part: Part
    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.verdict != BAD for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"{finding.verdict:>5}  {finding.what}: {finding.words}" for finding in self.findings]
        return "\n".join([f"{self.part.field} {self.part.id}", *lines])

    __repr__ = __str__


def verify(part: Part | type | str) -> Verification:
    """Looks at a problem, a rule, an operator or an algorithm, given as itself or as `FILE.py:NAME`."""
    if isinstance(part, type):
        part = search_named(part)
    elif isinstance(part, str):
        part = named(part)
    if isinstance(part, Problem):
        look = _of_problem(part)
    elif isinstance(part, Operator):
        look = of_operator(part)
    elif isinstance(part, SearchPart):
        look = of_search(part)
    else:
        look = _of_rule(part)
    return Verification(part, tuple(look))


def named(text: str) -> Part:
    """The part with this name, of whatever kind it is; what is refused is about the text itself."""
    kinds: list[tuple[Any, Any]] = [(Problem, PROBLEMS), (Acceptance, ACCEPTANCES), (Operator, OPERATORS)]
    kinds.append((SearchPart, {}))
    refusals = []
    for kind, ours in kinds:
        try:
            part: Part = kind.named(text, ours)
            return part
        except BadInput as refused:
            refusals.append(refused)
    if ".py:" not in text:
        ours_ = ", ".join([*PROBLEMS, *ACCEPTANCES, *OPERATORS])
        raise BadInput("FILE.py:NAME", text, f"must be FILE.py:NAME, or one of {ours_}")
    if all(refused.allowed.endswith(_NOT_THIS) for refused in refusals[:3]):
        kinds_ = "@problem, @acceptance or @operator, and no class derived from gpruntime.Search"
        raise BadInput("FILE.py:NAME", text, f"is not made by {kinds_}")
    first = next(one for one in refusals if not one.allowed.endswith(_NOT_THIS))
    raise BadInput("FILE.py:NAME", first.value, first.allowed)


# ---- a problem


def _of_problem(problem: Problem) -> Iterator[Finding]:
    try:
        yield from _compilation(problem)
        yield _purity(problem)
        for n in _SIZES[:3]:
            yield _best(problem, n)
        if problem.proof is not None:
            yield _claim_of_stuck(problem)
        yield _agreement(problem, ACCEPTANCES["weak"], "weak and strict rule, four laws of k, n up to 5")
    except BadInput as refused:
        yield Finding(BAD, "a call of it", str(refused))


def _compilation(problem: Problem) -> Iterator[Finding]:
    from gpruntime.engine import run_many, unsupported

    spec = RunSpec(problem=problem.id, algorithm="gp-single", n=_SIZES[-1], budget=1)
    begun = time.perf_counter()
    if (why := unsupported(spec)) is not None:
        yield Finding(UNKNOWN, "compiled", why)
        return
    run_many(spec, 0, 1, "stepping")
    took = time.perf_counter() - begun
    steps, runs, each = 0, 1, 0.0
    while each * steps < _TIMED * 1e9:
        begun = time.perf_counter()
        steps = int(run_many(replace(spec, budget=1000), 0, runs, "stepping").evaluations.sum())
        each = (time.perf_counter() - begun) / steps * 1e9
        runs *= 4
    sees = f"sees {problem.sees}, {'O(1) an operation' if problem.adds_up else 'O(T) an offspring'}"
    yield Finding(GOOD, "compiled", f"{sees}; ready after {took:.1f} s, then {each:,.0f} ns a step at n = {spec.n}")


def _purity(problem: Problem) -> Finding:
    """The same question twice, with others in between; and the array is still what it was."""
    what = "depends on what it sees alone"
    for n in _SIZES[:3]:
        trees = list(_some_trees(problem, n))
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


def _array(problem: Problem, tree: Tree, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    if problem.sees == "program":
        return problem.program(tree, n)
    primitives = problem.primitives(n)
    return np.array([primitives.code(terminal) for terminal in tree.terminals()], np.int64)


def _best(problem: Problem, n: int) -> Finding:
    """For sums the best of each term; otherwise all trees, smallest first, as far as that goes."""
    what, said = f"best fitness at n = {n}", problem.best(n)
    if problem.adds_up:
        found: Any = sum(_best_term(problem, i, n) for i in range(1, problem.primitives(n).variables + 1))
        looked = "all signs" if problem.sees == "first" else f"all counts up to {_MOST_COUNT}"
    else:
        end, looked_at, leaves, found = time.monotonic() + _SECONDS, 0, 0, None
        for tree in itertools.islice(_all_trees(problem.primitives(n)), _MOST_TREES):
            value = problem.fitness(tree, n)
            found = value if found is None or (value - found) * problem.direction > 0 else found
            looked_at, leaves = looked_at + 1, len(tree.leaves)
            if time.monotonic() > end:
                break
        looked = f"{looked_at:,} trees of up to {leaves} leaves"
    if (found - said) * problem.direction > 0:
        return Finding(BAD, what, f"said to be {said}, exceeded: {found} (by {looked})")
    if found == said:
        return Finding(GOOD, what, f"{said}, reached and not exceeded (by {looked})")
    return Finding(UNKNOWN, what, f"said to be {said}; the best of {looked} is {found}")


def _best_term(problem: Problem, i: int, n: int) -> Any:
    better = max if problem.better == "larger" else min
    signed = problem.terminals == "signed"
    if problem.sees == "first":
        return better(int(problem(i, sign, n)) for sign in ((1, 0, -1) if signed else (1, -1)))
    bars = range(_MOST_COUNT + 1) if signed else (0,)
    return better(int(problem(i, plain, bar, n)) for plain in range(_MOST_COUNT + 1) for bar in bars)


def _claim_of_stuck(problem: Problem) -> Finding:
    what, checked = "its proof of stuck", 0
    assert problem.proof is not None
    for n in _SIZES[:3]:
        spec = RunSpec(problem=problem.id, algorithm="gpstar-single", n=n, budget=1)
        for tree in _some_trees(problem, n):
            if tree.leaves and problem.fitness(tree, n) != problem.best(n):
                checked += 1
                if problem.proof(tree, spec) == any_accepted(tree, spec):
                    return Finding(BAD, what, f"is false for GP*-single at the tree {tree}")
    return Finding(GOOD, what, f"true for GP*-single at {checked} trees, by trying all proposals")


# ---- a rule


def _of_rule(rule: Part) -> Iterator[Finding]:
    assert isinstance(rule, Acceptance)
    try:
        gains = {growth: rule.least_gain(growth) for growth in range(-3, 4)}
        words = ", ".join(f"{growth:+}: {_gain(gain)}" for growth, gain in gains.items())
        yield Finding(GOOD, "monotone", f"least gain by growth {words}")
        for problem in (one for one in PROBLEMS.values() if one.can_skip):  # each has forms of its own
            yield _agreement(problem, rule, f"runs on {problem.name}")
    except BadInput as refused:
        yield Finding(BAD, "a call of it", str(refused))


def _gain(gain: int) -> str:
    return "never" if gain > 2**60 else "always" if gain < -(2**60) else str(gain)


# ---- engine and model


def _agreement(problem: Problem, rule: Acceptance, where: str) -> Finding:
    from gpruntime.engine import WatchedRun, run_many, unsupported

    what, steps, runs = "engine = model", 0, 0
    for n, law in itertools.product(_SIZES, _LAWS):
        for accept in (rule, ACCEPTANCES["strict"]):
            spec = RunSpec(
                problem=problem.id,
                algorithm="gp-single",
                n=n,
                accept=accept.id,
                operations=law,
                budget=_STEPS // (n + 1),
            )
            if (why := unsupported(spec)) is not None:
                return Finding(UNKNOWN, what, why)
            model, watched = Run(spec, n), WatchedRun(spec, n, method="stepping")
            for ours, theirs in zip(watched, model, strict=False):
                steps += 1
                if ours != theirs:
                    return Finding(BAD, what, f"they differ at evaluation {theirs.evaluations} of {_setting(spec)}")
            (whole,) = run_many(spec, n, 1, "stepping").results(str(model.tree))
            if not whole == watched.result() == simulate(spec, n):
                return Finding(BAD, what, f"they end otherwise: {_setting(spec)}")
            runs += 1
    return Finding(GOOD, what, f"{steps:,} steps of {runs} runs, {where}")


def _setting(spec: RunSpec) -> str:
    return f"{spec.variant}, n = {spec.n}, seed {spec.n}"


# ---- trees


def _some_trees(problem: Problem, n: int) -> Iterator[Tree]:
    """A few at random, of several sizes."""
    primitives = problem.primitives(n)
    for size, number in itertools.product((1, 2, 3, 5, 8), range(8)):
        initial = Initial.parse(f"insertion:leaves={size}", n, primitives)
        yield initial.build(Stream(number, (0, 0, 0, n), size))


def _all_trees(primitives: Primitives) -> Iterator[Tree]:
    """Every tree, by its number of leaves."""
    for leaves in itertools.count(1):
        for text in _texts(primitives, leaves):
            yield parse(text, primitives)


def _texts(primitives: Primitives, leaves: int) -> Iterator[str]:
    """Those with so many leaves; a function of one argument stands above leaves alone, and no second one above it."""
    if leaves == 1:
        terminals: list[Terminal] = [primitives.terminal(code) for code in range(primitives.size)]
        yield from map(str, terminals)
        unary = [name for name in primitives.functions if primitives.arity(name) == 1]
        yield from (f"({name} {terminal})" for name in unary for terminal in terminals)
        return
    for name in primitives.functions:
        if primitives.arity(name) > 1:
            for children in _lists(primitives, primitives.arity(name), leaves):
                yield f"({' '.join([name, *children] if name else children)})"


def _lists(primitives: Primitives, number: int, leaves: int) -> Iterator[list[str]]:
    """So many trees with so many leaves in all."""
    if number == 1:
        yield from ([text] for text in _texts(primitives, leaves))
        return
    for first in range(1, leaves - number + 2):
        for text in _texts(primitives, first):
            yield from ([text, *others] for others in _lists(primitives, number - 1, leaves - first))
