"""Holds an operator, or an algorithm, of one's own to account: by the trees and the runs of a problem of ours.

An operator: the probabilities of its proposals add up to 1; what it draws is what it proposes, as often as it says; to
ask it changes nothing, and to apply an operation leaves a proper tree, the same every time.

An algorithm: the same address gives the same run; every fitness it asks for is counted; it ends at the optimum or with
its budget; and the tree of its record has the fitness that the record says, which is the best that it found.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from gpruntime.engine.finding import BAD, GOOD, UNKNOWN, Finding
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import Operation
from gpruntime.model.operator import Mutation, Operator
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.run import Outcome, RunResult, run_of, simulate
from gpruntime.model.search_part import SearchPart
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Tree, walk

_N = 3
_SIZES, _EACH = (1, 2, 3, 5, 8), 3  # leaves of the trees, and how many of each size
_DRAWS = 2_000  # a tree
_FAR = 6.0  # standard deviations: one in 10⁹ by chance
_RUNS, _BUDGET = 4, 300


def _problems() -> list[Problem]:
    """Two of ours: one that sees the order of the leaves, one that does not."""
    found = {problem.sees: problem for problem in reversed(list(PROBLEMS.values())) if problem.can_skip}
    return list(found.values())


# ---- an operator


def of_operator(part: Operator) -> Iterator[Finding]:
    """What was found about an operator."""
    spec = RunSpec(problem=_problems()[0].id, algorithm="gp-single", n=_N, operator=part.id, budget=_BUDGET)
    trees = list(_some_trees(spec))
    try:
        mutation = spec.mutation
        yield _adds_up(mutation, trees)
        yield _is_drawn_as_proposed(mutation, trees)
        yield _leaves_proper_trees(mutation, trees)
        yield _runs_again(spec)
    except BadInput as refused:
        yield Finding(BAD, "a call of it", str(refused))


def _some_trees(spec: RunSpec) -> Iterator[Tree]:
    for leaves in _SIZES:
        for number in range(_EACH):
            initial = Initial.parse(f"insertion:leaves={leaves}", spec.n, spec.primitives)
            yield initial.build(Stream(number, (0, 0, 0, _N), leaves))


def _adds_up(mutation: Mutation, trees: list[Tree]) -> Finding:
    what = "its probabilities add up to 1"
    for tree in trees:
        before, least = str(tree), min((chance for _, chance in mutation.proposals(tree)), default=0.0)
        if least < 0:
            return Finding(BAD, what, f"a proposal for the tree {before} has the probability {least:.6g}")
        if str(tree) != before:
            return Finding(BAD, what, f"to list the proposals changed the tree {before} into {tree}")
    return Finding(GOOD, what, f"for {len(trees)} trees of up to {_SIZES[-1]} leaves, and none is negative")


def _is_drawn_as_proposed(mutation: Mutation, trees: list[Tree]) -> Finding:
    what = "it draws what it proposes"
    for number, tree in enumerate(trees):
        law: Counter[Operation] = Counter()
        for operation, chance in mutation.proposals(tree):
            law[operation] += chance  # type: ignore[assignment]
        before, stream, twin = str(tree), _stream(number), _stream(number)
        seen: Counter[Operation] = Counter()
        for _ in range(_DRAWS):
            operation = mutation.draw(tree, stream)
            seen[operation] += 1
            if mutation.draw(tree, twin) != operation:
                return Finding(BAD, what, f"the same random numbers gave it two operations on the tree {before}")
        if str(tree) != before:
            return Finding(BAD, what, f"a draw changed the tree {before} into {tree}")
        for operation in seen:
            if not law[operation]:
                return Finding(BAD, what, f"on the tree {before} it drew {_said(operation)}, which it does not propose")
        for operation, chance in law.items():
            times = seen[operation]
            if abs(times - _DRAWS * chance) > _FAR * (1 + math.sqrt(_DRAWS * chance * max(1 - chance, 0))):
                often = f"{times:,} times in {_DRAWS:,}, where its probability is {chance:.4g}"
                return Finding(BAD, what, f"on the tree {before} it drew {_said(operation)} {often}")
    return Finding(GOOD, what, f"as often as it says, {_DRAWS:,} draws for each of {len(trees)} trees")


def _leaves_proper_trees(mutation: Mutation, trees: list[Tree]) -> Finding:
    what, tried = "what it applies", 0
    for tree in trees:
        for operation, chance in mutation.proposals(tree):
            results = [tree.copy(), tree.copy()]
            for result in results:
                mutation.apply(result, operation)
            if (why := _improper(results[0])) is not None:
                return Finding(BAD, what, f"{_said(operation)} on the tree {tree} {why}")
            if str(results[0]) != str(results[1]):
                return Finding(BAD, what, f"{_said(operation)} on the tree {tree} gave {results[0]}, then {results[1]}")
            tried += chance > 0
    return Finding(GOOD, what, f"{tried:,} proposals, each a proper tree and the same twice")


def _improper(tree: Tree) -> str | None:
    """Why the register and the tree do not fit, or None."""
    nodes = [] if tree.root is None else list(walk(tree.root))
    listed = {id(node) for node in (*tree.leaves, *tree.joins)}
    if {id(node) for node in nodes} != listed or len(nodes) != tree.node_count:
        return "left a register that does not list the nodes of the tree"
    if any(child.parent is not node for node in nodes for child in node.children):
        return "left a node whose parent is another"
    for register in (tree.leaves, tree.joins):
        if any(node.index != index for index, node in enumerate(register)):
            return "left a node that does not know its place in the register"
    return None


def _said(operation: Operation) -> str:
    parts = [
        f"{name} {value}" for name, value in operation._asdict().items() if name != "kind" and value not in (None, ())
    ]
    return " ".join([operation.kind, *parts])


def _stream(number: int) -> Stream:
    return Stream(number, (1, 0, 0, _N), 0)


# ---- an algorithm


def of_search(part: SearchPart) -> Iterator[Finding]:
    """What was found about an algorithm."""
    specs = [
        RunSpec(problem=problem.id, algorithm=algorithm, n=_N, search=part.id, budget=_BUDGET)
        for problem in _problems()
        for algorithm in ("gp-single", "gp-multi")
    ]
    try:
        for spec in specs[:1]:
            yield _runs_again(spec)
        yield _counts(specs)
        yield _ends_as_it_says(specs)
    except BadInput as refused:
        yield Finding(BAD, "a run of it", str(refused))


def _runs_again(spec: RunSpec) -> Finding:
    what = "the same address gives the same run"
    first = [simulate(spec, 1, run) for run in range(_RUNS)]
    again = [simulate(spec, 1, run) for run in reversed(range(_RUNS))][::-1]
    for run, (one, other) in enumerate(zip(first, again, strict=True)):
        if one != other:
            times = f"{one.evaluations:,} evaluations, then {other.evaluations:,}"
            return Finding(BAD, what, f"run {run} on {spec.problem_.name} had {times}, or ended otherwise")
    return Finding(GOOD, what, f"{_RUNS} runs on {spec.problem_.name}, twice, in another order")


def _counts(specs: list[RunSpec]) -> Finding:
    what, evaluations = "it counts what it evaluates", 0
    for spec in specs:
        for run in range(_RUNS):
            asked, result = _asked(spec, run)
            if asked > result.evaluations:
                words = f"run {run} asked {asked:,} times for a fitness and counts {result.evaluations:,} evaluations"
                return Finding(BAD, what, f"{words}: only evaluate may ask")
            if asked < result.evaluations:
                words = f"run {run} counts {result.evaluations:,} evaluations, and asked {asked:,} times for a fitness"
                return Finding(BAD, what, words)
            evaluations += asked
    return Finding(GOOD, what, f"all of {evaluations:,} evaluations")


def _asked(spec: RunSpec, run: int) -> tuple[int, RunResult]:
    """A run, and how often it asked for a fitness."""
    problem, asked = spec.problem_, 0
    counting = type(problem).__new__(type(problem))  # not a copy: of a part there is one, and others use it
    counting.__dict__.update(problem.__dict__)
    fitness = problem.fitness

    def count(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        return fitness(*arguments)

    counting.__dict__["fitness"] = count
    twin = copy.copy(spec)
    twin.__dict__["problem_"] = counting
    result = run_of(twin, 2, run).result()
    return asked, result


def _ends_as_it_says(specs: list[RunSpec]) -> Finding:
    what, ends = "how it ends", Counter[Outcome]()
    for spec in specs:
        problem = spec.problem_
        for run in range(_RUNS):
            search: Any = run_of(spec, 3, run)
            result = search.result()
            ends[result.outcome] += 1
            found = problem.fitness(Tree.parse(result.tree or "()", spec.primitives), spec.n)
            seen = search.improvements[-1][1]
            if found != result.fitness:
                words = f"the record of run {run} says fitness {result.fitness}, and its tree has {found}"
                return Finding(BAD, what, f"{words}: a tree that was evaluated must not be changed")
            if (result.fitness - seen) * problem.direction > 0:
                return Finding(
                    BAD, what, f"run {run} says fitness {result.fitness}, and never found better than {seen}"
                )
            if result.evaluations > _BUDGET:
                return Finding(BAD, what, f"run {run} had {result.evaluations:,} evaluations, of {_BUDGET:,} allowed")
            if (result.outcome is Outcome.OPTIMUM) != (seen == spec.best):
                return Finding(BAD, what, f"run {run} says {result.outcome}, and its best fitness is {seen}")
            if result.outcome is Outcome.OPTIMUM and result.fitness != spec.best:
                return Finding(BAD, what, f"run {run} says optimum, and fitness {result.fitness}")
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(ends.items()))
    if not ends[Outcome.OPTIMUM]:
        return Finding(UNKNOWN, what, f"{told}: no run found an optimum with {_BUDGET:,} evaluations")
    return Finding(GOOD, what, f"{told}; records say what their trees are")
