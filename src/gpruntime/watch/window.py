"""A recording as the page wants it: its course, and windows of steps: a tree, then operations and words.

The page makes the operations itself, forwards and backwards, on a tree that keeps the model's register; so it need
not ask for every step, and going back is as cheap as going on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpruntime.model.mutation import KINDS, Operation
from gpruntime.model.tree import Node, Tree
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.source import operations_of
from gpruntime.watch.words import Narrator, beginning, ending


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """A tree with its register: leaf i is i, join j is −1 − j; `child` has two numbers a join."""

    def name(node: Node | None) -> int:
        assert node is not None
        return node.index if node.is_leaf else -1 - node.index

    return {
        "codes": [leaf.terminal.code for leaf in tree.leaves if leaf.terminal is not None],
        "child": [name(child) for join in tree.joins for child in (join.left, join.right)],
        "root": None if tree.root is None else name(tree.root),
    }


def window(recording: Recording, after: int, count: int, stop: Stop) -> dict[str, Any]:
    """The tree after so many evaluations, and the next steps.

    A step is [accepted, offspring's fitness, offspring's leaves, operations, words, verdict], its operations four
    numbers each: kind, site, side (1 right), terminal's code; −1 for what it does not have.
    """
    state, pieces, outcome = recording.steps(after, count, stop)
    tree, fitness = state.tree(), state.fitness
    answer: dict[str, Any] = {"after": state.evaluations, "fitness": fitness, "tree": tree_to_json(tree)}
    steps: list[list[Any]] = []
    narrator = Narrator(recording.spec, tree, fitness)
    for rows in pieces:
        for operations, accepted, gain, leaves in operations_of(rows):
            stop.check()
            offspring_fitness = narrator.fitness + gain
            words = narrator.tell(operations, accepted, offspring_fitness)
            numbers = [number for operation in operations for number in _numbers(operation)]
            steps.append([int(accepted), offspring_fitness, leaves, numbers, words.operation, words.verdict])
    answer["steps"] = steps
    if outcome is not None:
        evaluations = state.evaluations + len(steps)
        answer["end"] = {"outcome": str(outcome), "words": ending(recording.spec, outcome, evaluations)}
    return answer


def course(recording: Recording, stop: Stop) -> Iterator[dict[str, Any]]:
    """The beginning, pieces of the course as the run is made, the end.

    A point is [evaluations, fitness, leaves, 1 for an improvement].
    """
    yield {"start": _start(recording)}
    for points in recording.course_to_the_end(stop):
        yield {"points": [[*point[:3], int(point.improved)] for point in points], "upto": recording.evaluations}
    outcome, evaluations = recording.outcome, recording.evaluations
    assert outcome is not None
    words = ending(recording.spec, outcome, evaluations)
    yield {"end": {"outcome": str(outcome), "evaluations": evaluations, "words": words}}


def _start(recording: Recording) -> dict[str, Any]:
    spec, first = recording.spec, recording.course[0]
    return {
        "n": spec.n,
        "problem": spec.problem,
        "algorithm": spec.algorithm,
        "name": f"{spec.algorithm_.name} on {spec.problem_.name}, n = {spec.n:,}",
        "strict": spec.algorithm_.strict,
        "last_leaf": spec.last_leaf,
        "operator": spec.operator,
        "words": beginning(spec, first.fitness, first.leaves),
    }


def _numbers(operation: Operation) -> tuple[int, int, int, int]:
    kind, site, side, terminal, _ = operation
    return (
        KINDS.index(kind),
        -1 if site is None else site,
        -1 if side is None else int(side == "right"),
        -1 if terminal is None else terminal.code,
    )
