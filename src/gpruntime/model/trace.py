"""A run as JSON lines, and back: a header, one line per offspring, a footer.

    {"header": {… the law (RunSpec.stated), budget and address …, "tree": "((x1 !x2) x2)", "fitness": 1, "leaves": 3}}
    {"evaluations": 2, "operations": [{"kind": "insert", "site": 4, "side": "left", "terminal": "x2"}],
     "offspring_fitness": 2, "offspring_leaves": 4, "accepted": true, "fitness": 2, "leaves": 4}
    {"footer": {… the result …, "tree": "…"}}

In a run by skipping the lines are its hopeful offspring; `evaluations` counts the others too.

`site` is a place in the tree's register (`gpruntime.model.tree`), so the accepted operations rebuild the final tree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from gpruntime.model.mutation import Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import RunResult, Step
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.text import parse
from gpruntime.model.tree import Tree


class Traceable(Protocol):
    """A run that can be watched: `gpruntime.model.Run`, or its like in the engine."""

    spec: RunSpec
    seed: int
    run: int
    method: str
    initial_tree: str
    tree: Tree
    fitness: Fitness

    def __iter__(self) -> Iterator[Step]: ...

    def result(self) -> RunResult:
        """The record of the run, once it has ended."""
        ...


def trace_lines(run: Traceable) -> Iterator[str]:
    """Runs the run to its end and yields its trace, line by line."""
    start = {"tree": run.initial_tree, "fitness": run.fitness, "leaves": len(run.tree.leaves)}
    spec = {"seed": run.seed, "run": run.run, "method": run.method, **run.spec.stated(), "budget": run.spec.budget}
    yield json.dumps({"header": {**spec, **start}})
    for step in run:
        yield json.dumps(step_to_json(step))
    result = run.result()
    yield json.dumps({"footer": {**result.record(), "tree": result.tree}})


def step_to_json(step: Step) -> dict[str, Any]:
    """One offspring as a JSON object; parts that an operation does not have are left out."""
    operations = []
    for operation in step.operations:
        terminals = [str(terminal) for terminal in operation.terminals]
        parts = {**operation._asdict(), "terminal": operation.terminal and str(operation.terminal)}
        parts |= {"terminals": terminals or None}
        operations.append({key: value for key, value in parts.items() if value is not None})
    return {**step._asdict(), "operations": operations}


def steps_from_lines(lines: Iterable[str], primitives: Primitives | None = None) -> Iterator[Step]:
    """The offspring of a trace; header and footer are passed over. The primitives say how terminals are named."""
    for line in lines:
        row = json.loads(line)
        if "operations" in row:
            yield Step(**{**row, "operations": tuple(_operation(part, primitives) for part in row["operations"])})


def _operation(part: dict[str, Any], primitives: Primitives | None) -> Operation:
    def leaf(text: str) -> Terminal:
        (terminal,) = parse(text, primitives).terminals()
        return terminal

    return Operation(
        part["kind"],
        part.get("site"),
        part.get("side"),
        leaf(part["terminal"]) if "terminal" in part else None,
        part.get("function"),
        part.get("place"),
        tuple(leaf(text) for text in part.get("terminals", ())),
    )
