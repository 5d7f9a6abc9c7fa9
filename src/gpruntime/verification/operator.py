"""Checks a user-defined operator by trees and runs of a problem of ours.

The probabilities of its proposals add up to 1; what it draws is what it proposes, as often as it says; to ask it
changes nothing, and to apply an operation leaves a proper tree, the same every time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from gpruntime.model.mutation import Operation
from gpruntime.model.operator import Mutation, Operator
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Tree, walk
from gpruntime.verification.elsewhere import Answers, same_elsewhere
from gpruntime.verification.finding import BAD, GOOD, Finding
from gpruntime.verification.runs import RUNS, problems_of_ours, run_answers, runs_again, some_trees

_N, _BUDGET = 3, 300
_EACH = 3  # trees of each size
_DRAWS = 2_000  # a tree
_FAR = 6.0  # standard deviations: one in 10⁹ by chance


def of_operator(part: Operator) -> Iterator[Finding]:
    """What was found about an operator."""
    spec = _spec(part)
    trees = list(some_trees(spec.primitives, spec.n, _EACH))
    mutation = spec.mutation
    yield _adds_up(mutation, trees)
    yield _is_drawn_as_proposed(mutation, trees)
    yield _leaves_proper_trees(mutation, trees)
    yield runs_again(spec)
    if part.is_own:
        yield same_elsewhere(part, answers, f"{RUNS} runs on {spec.problem.name}")


def _spec(part: Operator) -> RunSpec:
    return RunSpec(problem=problems_of_ours()[0].id, algorithm="gp-single", n=_N, operator=part.id, budget=_BUDGET)


def answers(part: Operator) -> Answers:
    """What every process must say of it."""
    return run_answers(_spec(part))


def _adds_up(mutation: Mutation, trees: list[Tree]) -> Finding:
    what = "its probabilities add up to 1"
    for tree in trees:
        before, least = str(tree), min((chance for _, chance in mutation.proposals(tree)), default=0.0)
        if least < 0:
            return Finding(BAD, what, f"a proposal for the tree {before} has the probability {least:.6g}")
        if str(tree) != before:
            return Finding(BAD, what, f"to list the proposals changed the tree {before} into {tree}")
    return Finding(GOOD, what, f"for {len(trees)} trees of up to {len(trees[-1].leaves)} leaves, and none is negative")


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
