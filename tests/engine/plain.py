"""Every kernel as plain Python against the model, on small settings, and which of its lines were run.

`NUMBA_DISABLE_JIT=1 python -m tests.engine.plain` says what it compared, the share of the kernels' lines that were run,
and the lines that were not.
"""

from __future__ import annotations

import ast
import itertools
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gpruntime.engine
from gpruntime import BadInput, RunSpec, simulate
from gpruntime.engine import run_many, unsupported
from gpruntime.engine.columns import row_of
from gpruntime.engine.execute import Execution
from gpruntime.engine.jit import PLAIN
from gpruntime.engine.watched import ShadowTree, tree_of
from tests import parts
from tests.engine.test_labels import test_labels_stay_in_order
from tests.engine.test_programs import SETTINGS as PROGRAMS

ENGINE = Path(gpruntime.engine.__file__).parent
DECORATORS = {"helper", "inlined", "inlined_once", "kernel"}
RUNS, SEED = 4, 11

PAPERS = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
INITS = ("unity", "bad", "insertion", "grow", "((!x1 x2) (!x2 (x1 !x1)))")
WEIGHTS = ((1, 1, 1), (0, 1, 1), (1, 0, 1), (0, 0, 1), (0, 1, 0), (1, 2, 0.5))
POPULATIONS = (
    "smo-single",
    "smo-multi",
    "one-plus-lambda-single:lambda=3",
    "one-plus-lambda-multi:lambda=2",
    "mu-plus-one-single:mu=3",
    "mu-plus-one-multi:mu=2",
    "concatenation-single:steps=9",
)


def settings() -> Iterator[dict[str, Any]]:
    """Small settings of all forms."""
    for problem, algorithm, init in itertools.product(("order", "majority"), PAPERS, INITS):
        yield {"problem": problem, "algorithm": algorithm, "n": 4, "init": init, "budget": 120}
    for problem, algorithm, weights, more in itertools.product(
        ("order", "majority", parts.two_thirds, parts.weighted_order),
        ("gp-single", "gpstar-single", "gpstar-multi"),
        WEIGHTS,
        ({}, {"substitute": "nodes", "last_leaf": "empty", "init": "x1"}, {"max_leaves_allowed": 9}),
    ):
        yield {"problem": problem, "algorithm": algorithm, "n": 3, "weights": weights, "budget": 60, **more}
    for problem, algorithm, operator, init in itertools.product(
        ("and", "xor", "sorting", "regression", "order", "majority", parts.wrong_rows, parts.not_parity, parts.colours),
        ("gp-single", "gpstar-single", "gpstar-multi"),
        ("hvl-prime", "hvl"),
        ("unity", "insertion", "grow"),
    ):
        yield {
            "problem": problem, "algorithm": algorithm, "n": 3, "operator": operator, "init": init, "budget": 40
        }  # fmt: skip
    for problem, algorithm, operator in itertools.product(
        ("xor", "order", "majority", parts.wrong_rows),
        ("gp-single", "gpstar-single", "gpstar-multi"),
        ("node-unbiased", "depth-unbiased"),
    ):
        yield {"problem": problem, "algorithm": algorithm, "n": 3, "operator": operator, "budget": 40}
    for problem, algorithm, accept in itertools.product(
        ("order", "majority", "xor", "and-or"), POPULATIONS, ("", "strict", "parsimony")
    ):
        fields = {"problem": problem, "algorithm": algorithm, "n": 3, "accept": accept, "budget": 50}
        yield {**fields, "until": "optimum"} if "smo" in algorithm else fields
    for problem in ("order", "majority", "xor"):
        yield {
            "problem": problem, "algorithm": "mu-plus-one-single:mu=3,crossover=0.5", "n": 3, "budget": 60,
            "max_leaves_allowed": 40,
        }  # fmt: skip
    for problem, operator, algorithm, weights in itertools.product(
        ("order", "majority", parts.colours, "multiplexer"),
        ("hvl", "hvl-prime", "node-unbiased", "depth-unbiased"),
        ("gp-single", "gpstar-single", "gpstar-multi"),
        ((0, 1, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1)),
    ):
        yield {
            "problem": problem, "algorithm": algorithm, "n": 3, "operator": operator, "weights": weights, "budget": 40,
            "init": "unity:leaves=5", "max_leaves_allowed": 7, "last_leaf": "empty", "substitute": "nodes",
        }  # fmt: skip
    # trees and populations that outgrow their memory; labels that are spread out
    yield {"problem": "order", "algorithm": "gp-multi", "n": 5, "init": "x1", "weights": (0, 1, 0), "budget": 150}
    yield {"problem": "majority", "algorithm": "smo-multi", "n": 14, "init": "x1", "weights": (1, 4, 1), "budget": 300}
    yield {"problem": "xor", "algorithm": "gp-single", "n": 3, "init": "x1", "weights": (0, 1, 0), "budget": 150}
    for algorithm, problem, n, more in PROGRAMS:
        yield {"problem": problem, "algorithm": algorithm, "n": n, "budget": 200, **more}


def compare() -> int:
    """Runs of all settings by the kernels and by the model; returns how many settings there were."""
    compared = 0
    for fields in settings():
        try:
            spec = RunSpec(**fields)
        except BadInput:
            continue
        if unsupported(spec) is not None:
            continue
        theirs = [row_of(simulate(spec, SEED, run)) for run in range(RUNS)]
        ours = run_many(spec, seed=SEED, runs=RUNS, method="stepping", improvements=True)
        assert ours.table.tolist() == theirs, fields
        if spec.can_skip:
            run_many(spec, seed=SEED, runs=RUNS, method="skipping", improvements=True)
        compared += 1
        if compared % 7 == 0 and not spec.has_population:
            watch(spec)
    return compared


def watch(spec: RunSpec) -> None:
    """The same with a trace, and the tree at the end."""
    execution = Execution(spec, SEED, np.array([0]), "stepping", tracing=True)
    shadow = None if execution.form.has_shape else ShadowTree(execution)
    while not execution.done:
        rows = execution.slice(13)
        if shadow is not None:
            shadow.follow(rows)
    result = simulate(spec, SEED, 0)
    tree = tree_of(execution.memory, result.leaves, spec.primitives) if shadow is None else shadow.tree()
    assert str(tree) == result.tree


def kernel_lines(file: Path) -> set[int]:
    """The lines of a file's kernels and helpers that can be run, without their docstrings."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        is_kernel = isinstance(node, ast.FunctionDef) and (
            node.name == "advance" or any(getattr(one, "id", "") in DECORATORS for one in node.decorator_list)
        )
        if not is_kernel:
            continue
        for inner in ast.walk(node):
            docstring = isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant)
            if isinstance(inner, ast.stmt) and inner is not node and not docstring:
                lines.add(inner.lineno)
    return lines


def main() -> None:
    assert PLAIN, "set NUMBA_DISABLE_JIT=1"
    run: set[tuple[str, int]] = set()
    files = {str(file): kernel_lines(file) for file in sorted(ENGINE.rglob("*.py"))}

    def local(frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            run.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    for follow in (sys.settrace, threading.settrace):  # a user's function is called in a thread
        follow(lambda frame, event, _: local if frame.f_code.co_filename in files else None)
    compared = compare()
    test_labels_stay_in_order("same gap")
    sys.settrace(None)
    total = sum(map(len, files.values()))
    missed = {name: sorted(line for line in lines if (name, line) not in run) for name, lines in files.items()}
    print(f"{compared} settings, {1 - sum(map(len, missed.values())) / total:.4f} of {total} lines")
    for name, lines in missed.items():
        if lines:
            print(f"{Path(name).relative_to(ENGINE)}: {lines}")


if __name__ == "__main__":
    main()
