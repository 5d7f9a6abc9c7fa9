"""A recording as the page wants it: its course, and windows of steps: a tree, then operations, standings and words.

The page makes the operations itself, forwards and backwards, on a tree that keeps the model's register; so it need
not ask for every step, and going back is as cheap as going on. It knows no problem: how leaves and variables stand
comes with the tree, and what changes of it with the step that changes it.

Rows of variables are written once in a window and named by their places: most of them come again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpruntime.model.mutation import KINDS, Operation
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Node, Tree
from gpruntime.watch import programs
from gpruntime.watch.annotated import Changes
from gpruntime.watch.annotations import LEAF_STANDINGS, ROW_STANDINGS, Row, annotations_of
from gpruntime.watch.definitions import definitions_of, proof_of
from gpruntime.watch.narrator import Narrator
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.source import operations_of
from gpruntime.watch.words import beginning, ending

_J = Primitives(1)
_MAX_DESCRIBED = 60  # rows; of more the page draws the bars alone


def tree_to_json(tree: Tree, primitives: Primitives = _J) -> dict[str, Any]:
    """A tree with its register: leaf i is i, join j is −1 − j; `child` has the children, join by join.

    `functions` has the places of the functions, join by join, where there is more than one.
    """

    def name(node: Node | None) -> int:
        assert node is not None
        return node.index if node.is_leaf else -1 - node.index

    answer = {
        "codes": [leaf.terminal.code for leaf in tree.leaves if leaf.terminal is not None],
        "child": [name(child) for join in tree.joins for child in join.children],
        "root": None if tree.root is None else name(tree.root),
    }
    if len(primitives.functions) > 1:
        answer["functions"] = [primitives.functions.index(join.function) for join in tree.joins]
    return answer


def window(recording: Recording, after: int, count: int, stop: Stop) -> dict[str, Any]:
    """The tree after this number of evaluations, how it stands, how many offspring were accepted, and the next steps.

    A step is [accepted, offspring's fitness, offspring's leaves, operations, words, verdict, changes of leaves, changes
    of rows]; the changes are left out where there are none. Its operations are four numbers each: kind, site, side (1
    right), terminal's code; −1 for what it does not have; and a fifth, the function's place, where there are several.
    Where functions have not two arguments they are kind, site, place among the arguments, the function's place among
    all, how many terminals follow, and the codes of these.
    Changes are pairs: a leaf's place in the register after the step and its standing, a row's place and what it is now.
    """
    if not recording.spec.representation.is_tree:
        return programs.window(recording, after, count, stop)
    state, pieces, outcome = recording.steps(after, count, stop)
    spec, tree, fitness = recording.spec, state.tree(), state.fitness
    primitives = spec.primitives
    answer: dict[str, Any] = {"after": state.evaluations, "accepted": state.accepted, "fitness": fitness}
    answer["tree"] = tree_to_json(tree, primitives)
    steps: list[list[Any]] = []
    narrator = Narrator(spec, tree, fitness)
    rows = _Rows(len(narrator.annotated.rows) <= _MAX_DESCRIBED)
    if narrator.annotated.of_leaf:
        of_leaf = narrator.annotated.of_leaf
        answer["standings"] = "".join(str(LEAF_STANDINGS.index(of_leaf[leaf])) for leaf in tree.leaves)
    answer["variables"] = [rows.place(row) for row in narrator.annotated.rows]
    answer["rows"] = rows.written
    for piece in pieces:
        for operations, accepted, offspring_fitness, leaves in operations_of(piece, primitives):
            stop.check()
            description = narrator.describe(operations, accepted, offspring_fitness)
            numbers = [number for operation in operations for number in _numbers(operation, primitives)]
            step = [int(accepted), offspring_fitness, leaves, numbers, description.operation, description.verdict]
            steps.append([*step, *_changes(description.changes, rows)])
    answer["steps"] = steps
    if outcome is not None:
        evaluations = state.evaluations + len(steps)
        answer["end"] = {"outcome": str(outcome), "words": ending(spec, outcome, evaluations)}
    return answer


class _Rows:
    """The rows of a window, each written once."""

    def __init__(self, is_described: bool) -> None:
        self._is_described = is_described
        self.written: list[list[Any]] = []
        self._places: dict[tuple[Any, ...], int] = {}

    def place(self, row: Row) -> int:
        """Where it is written."""
        key = row if self._is_described else row[:3]
        if key not in self._places:
            self._places[key] = len(self.written)
            self.written.append([ROW_STANDINGS.index(row.standing), *key[1:]])
        return self._places[key]


def _changes(changes: Changes, rows: _Rows) -> list[list[int]]:
    leaves = [number for place, word in changes.leaves for number in (place, LEAF_STANDINGS.index(word))]
    of_rows = [number for place, row in changes.rows for number in (place, rows.place(row))]
    return [leaves, of_rows] if of_rows else [leaves] if leaves else []


def course(recording: Recording, stop: Stop) -> Iterator[dict[str, Any]]:
    """The beginning, pieces of the course as the run is made, the end.

    A point is [evaluations, fitness, leaves, 1 for an improvement].
    """
    spec, first = recording.spec, recording.course[0]
    yield {"start": {**start_of(spec), "words": beginning(spec, first.fitness, first.leaves)}}
    for points in recording.course_to_the_end(stop):
        yield {"points": [[*point[:3], int(point.improved)] for point in points], "upto": recording.evaluations}
    outcome, evaluations = recording.outcome, recording.evaluations
    assert outcome is not None
    end: dict[str, Any] = {"outcome": str(outcome), "evaluations": evaluations}
    end["words"] = ending(spec, outcome, evaluations)
    if outcome is Outcome.STUCK and spec.representation.is_tree:
        tree = recording.steps(evaluations, 0, stop)[0].tree()
        end["proof"] = proof_of(tree, spec, stop)
    elif outcome is Outcome.STUCK:
        end["proof"] = programs.proof_of(spec)
    yield {"end": end}


def start_of(spec: RunSpec) -> dict[str, Any]:
    """What a page must know of a setting before its steps."""
    shared = {
        "n": spec.n,
        "functions": spec.primitives.functions,
        "algorithm": spec.algorithm.id,
        "name": name_of(spec),
        "strict": spec.accept.is_strict,
        "best": spec.best,
        "is_smaller_better": spec.problem.better == "smaller",
    }
    if not spec.representation.is_tree:
        return {**shared, **programs.facts(spec)}
    annotations = annotations_of(spec)
    return {
        **shared,
        "variables": spec.primitives.variables,
        "arities": spec.primitives.arities,
        "names": spec.primitives.names,
        "last_leaf": spec.last_leaf,
        "operator": spec.operator.id,
        "leaf_standings": LEAF_STANDINGS,
        "row_standings": ROW_STANDINGS,
        "legend": annotations.legend,
        "definitions": definitions_of(spec),
        "title": annotations.title,
        "shape": annotations.shape,
    }


def name_of(spec: RunSpec) -> str:
    """A setting in a line."""
    return f"{spec.algorithm.name} on {spec.problem.name}, n = {spec.n:,}"


def _numbers(operation: Operation, primitives: Primitives) -> list[int]:
    kind, site = KINDS.index(operation.kind), -1 if operation.site is None else operation.site
    function = -1 if operation.function is None else primitives.functions.index(operation.function)
    codes = [terminal.code for terminal in operation.brings]
    if not primitives.is_binary:
        return [kind, site, -1 if operation.place is None else operation.place, function, len(codes), *codes]
    side = -1 if operation.side is None else int(operation.side == "right")
    numbers = [kind, site, side, *(codes or [-1])]
    return [*numbers, function] if len(primitives.functions) > 1 else numbers
