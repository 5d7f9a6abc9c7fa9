"""All copies of HVL-Prime and of `stuck` against the model, on the same cases: two tables for all of them.

Operations are written in the model, the linked tree, the counts, the postfix tree, and for the page (web/src/tree.js);
each makes them and takes them back. `stuck` is written in the model, for the linked tree, for counts, for postfix
trees, for rejection-free runs, and for a GPU (tests/gpu/test_copies.py).

`NUMBA_DISABLE_JIT=1 python -m tests.engine.copies` compares them, all but the GPU's.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from gpruntime import RunSpec, Tree
from gpruntime.engine.columns import OUTCOME, OUTCOMES
from gpruntime.engine.counts import BY_COUNTS
from gpruntime.engine.execute import Execution, unsupported
from gpruntime.engine.linked_tree import make_operation, note_operation, undo_operation
from gpruntime.engine.params import record_of
from gpruntime.engine.postfix_operators import apply
from gpruntime.engine.postfix_tree import JOIN, copy_tokens, enroll, moves, parent_of
from gpruntime.engine.run_state import DELETE, INSERT, SUBSTITUTE, Operation
from gpruntime.engine.watched import tree_of
from gpruntime.model import mutation
from gpruntime.model.mutation import KINDS
from gpruntime.model.stuck import stuck
from gpruntime.model.terminals import Terminal
from gpruntime.watch.window import tree_to_json
from tests import parts

N = 3
TREES = ("()", "x1", "(x1 !x2)", "((x1 !x1) (x2 x1))", "(((!x1 x1) x2) (!x3 (x3 x1)))", "(x1 (!x2 (x1 (x3 !x3))))")
PAGE = Path(__file__).parents[2] / "web/src/tree.js"


def operations(leaves: int) -> list[Operation]:
    """Every operation at every node, with some terminals; on the empty tree what can be drawn there."""
    if leaves == 0:
        return [Operation(SUBSTITUTE, -1, -1, -1), Operation(INSERT, -1, -1, 3), Operation(DELETE, -1, -1, -1)]
    nodes, codes = range(2 * leaves - 1), (0, 3, 5)
    found = [Operation(INSERT, site, side, code) for site in nodes for side in (0, 1) for code in codes]
    found += [Operation(SUBSTITUTE, site, -1, code) for site in range(leaves) for code in codes]
    found += [Operation(SUBSTITUTE, site, -1, -1) for site in range(leaves, 2 * leaves - 1)]
    return found + [Operation(DELETE, site, -1, -1) for site in range(leaves)]


def cases() -> list[tuple[str, str, Operation]]:
    """(tree, dialect of the last leaf, operation)."""
    trees = [(text, last_leaf, len(_parsed(text).leaves)) for text in TREES for last_leaf in ("keep", "empty")]
    return [
        (text, last_leaf, operation)
        for text, last_leaf, leaves in trees
        if leaves > 0 or last_leaf == "empty"
        for operation in operations(leaves)
    ]


def _parsed(text: str) -> Tree:
    return Tree() if text == "()" else Tree.parse(text)


def _spec(problem: Any, text: str, last_leaf: str, **more: Any) -> RunSpec:
    return RunSpec(
        problem=problem, algorithm="gp-multi", n=N, init=text, last_leaf=last_leaf, substitute="nodes", budget=1, **more
    )


def by_the_model(text: str, last_leaf: str, operation: Operation) -> Tree:
    """What the model makes of it."""
    kind, site, side, code = operation
    tree, spec = _parsed(text), _spec("order", text, last_leaf)
    terminal = None if code < 0 else Terminal.from_code(code)
    side_words = None if side < 0 else "right" if side else "left"
    spec.mutation.apply(tree, mutation.Operation(KINDS[kind], None if site < 0 else site, side_words, terminal))
    return tree


def registered(tree: Tree) -> tuple[str, list[int], list[object]]:
    """A tree and its register."""
    children = [[(child.is_leaf, child.index) for child in join.children] for join in tree.joins]
    return str(tree), [leaf.terminal.code for leaf in tree.leaves], children


def check_linked(text: str, last_leaf: str, operation: Operation, expected: Tree) -> None:
    execution, params, run, leaves = _planted("order", text, last_leaf)
    memory = execution.memory
    before = registered(tree_of(memory, leaves, execution.spec.primitives))
    note_operation(params, memory.tree, leaves, operation, run.log[0])
    make_operation(params, memory.tree, leaves, operation)
    assert registered(tree_of(memory, len(expected.leaves), execution.spec.primitives)) == registered(expected)
    assert undo_operation(params, memory.tree, len(expected.leaves), run.log[0]) == leaves
    assert registered(tree_of(memory, leaves, execution.spec.primitives)) == before


def check_counts(text: str, last_leaf: str, operation: Operation, expected: Tree) -> None:
    execution, params, run, leaves = _planted(parts.majority, text, last_leaf)
    tree, before = execution.memory.tree, _codes(execution, leaves)
    BY_COUNTS.note(params, tree, leaves, operation, run.log[0])
    BY_COUNTS.make(params, tree, leaves, operation)
    codes = _codes(execution, len(expected.leaves))
    assert codes == [leaf.terminal.code for leaf in expected.leaves]
    assert execution.memory["counts"][: 2 * N].tolist() == np.bincount(codes, minlength=2 * N).tolist()
    assert BY_COUNTS.undo(params, tree, len(expected.leaves), run.log[0]) == leaves
    assert _codes(execution, leaves) == before


def check_postfix(text: str, last_leaf: str, operation: Operation, expected: Tree) -> None:
    """Its parent is never written over: so there is nothing to take back."""
    execution, params, _, leaves = _planted(parts.order_by_leaves, text, last_leaf)
    kind, site, side, code = operation
    trees, joins = execution.memory.tree, max(leaves - 1, 0)
    parent = parent_of(trees)
    if kind == INSERT:
        trees.fresh[0] = code
        operation = Operation(kind, site, 1 - side, 0)
    elif kind == DELETE and leaves > 1:
        leaf = _parsed(text).leaves[site]
        place = 1 if leaf.parent.left is leaf else 0
        operation = Operation(kind, site, place, int(parent.register[2 * leaf.parent.index + JOIN]))
    new_leaves, pieces = apply(params, parent, trees.offspring, leaves, operation, trees.fresh)
    assert new_leaves == len(expected.leaves)
    if pieces.first >= 0:
        if moves(pieces):
            enroll(params, parent.register, pieces, leaves)
        copy_tokens(trees.offspring, parent.tokens, pieces.size)
    else:
        assert new_leaves == leaves
        assert parent.register[1] == joins
    assert registered(tree_of(execution.memory, new_leaves, execution.spec.primitives)) == registered(expected)


def _planted(problem: Any, text: str, last_leaf: str) -> tuple[Execution, Any, Any, int]:
    execution = Execution(_spec(problem, text, last_leaf), 1, np.array([0]), "stepping")
    execution.slice()
    return execution, record_of(execution.params), execution.run, len(_parsed(text).leaves)


def _codes(execution: Execution, leaves: int) -> list[int]:
    return execution.memory["register"][:leaves].tolist()


SCRIPT = """
import { Tree } from "%s";
const codes = (tree) => tree.leaves.map((leaf) => leaf.code);
const register = (tree) => [codes(tree), tree.joins.map((join) => shape(join)), shape(tree.root)];
const shape = (node) => (node === null ? "()" : node.children.length ? node.children.map(shape) : node.code);
const note = { changed() {}, inserted() {}, deleted() {}, replaced() {}, cleared() {} };
let text = "";
for await (const chunk of process.stdin) text += chunk;
console.log(JSON.stringify(JSON.parse(text).map(({ tree: given, operation, setting }) => {
  const tree = new Tree(given);
  const before = register(tree);
  const back = tree.make(operation, setting, note);
  const after = register(tree);
  back();
  return [before, after, register(tree)];
})));
"""


def check_page(table: list[tuple[str, str, Operation]]) -> None:
    """All cases at once, in node: forwards, and back again."""
    asked = []
    for text, last_leaf, (kind, site, side, code) in table:
        place = 1 - side if kind == INSERT and side >= 0 else side
        operation = {"kind": kind, "site": site, "place": place, "codes": [] if code < 0 else [code], "function": -1}
        setting = {"operator": "hvl-prime", "last_leaf": last_leaf}
        asked.append({"tree": tree_to_json(_parsed(text)), "operation": operation, "setting": setting})
    command = ["node", "--input-type=module", "-e", SCRIPT % PAGE.as_uri()]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    for case, (before, after, again) in zip(table, json.loads(done.stdout), strict=True):
        assert before == again == _as_page(_parsed(case[0])), case
        assert after == _as_page(by_the_model(*case)), case


def _as_page(tree: Tree) -> list[Any]:
    def shape(node: Any) -> Any:
        return node.terminal.code if node.is_leaf else [shape(child) for child in node.children]

    joins = [shape(join) for join in tree.joins]
    return [[leaf.terminal.code for leaf in tree.leaves], joins, "()" if tree.root is None else shape(tree.root)]


# ---- stuck

WEIGHTS = ((1, 1, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
STUCK_TREES = (
    *TREES[1:],
    "!x1",
    "(!x1 x1)",
    "(!x1 (!x1 x1))",
    "(!x1 (!x1 (!x1 x1)))",
    "(x1 x2)",
    "((!x1 !x2) (x1 x3))",
)
OWN = {"order": (parts.order, parts.order_by_leaves), "majority": (parts.majority,)}


def stuck_specs(problem: Any) -> list[RunSpec]:
    """Runs that end with their initial tree, stuck or stopped."""
    return [
        RunSpec(
            problem=problem, algorithm=algorithm, n=N, init=text, weights=weights, last_leaf=last_leaf, budget=1,
            max_leaves_allowed=None if room is None else max(N, len(_parsed(text).leaves)) + room,
        )
        for text, weights in itertools.product(STUCK_TREES, WEIGHTS)
        for algorithm in ("gp-single", "gpstar-single", "gp-multi", "gpstar-multi")
        for last_leaf, room in (("keep", None), ("empty", 0))
    ]  # fmt: skip


def outcome_by_the_model(spec: RunSpec) -> str:
    """How such a run ends."""
    tree = _parsed(str(spec.init.tree))
    if spec.problem.fitness(tree, N) == spec.best:
        return "optimum"
    return "stuck" if stuck(tree, spec) else "budget"


def check_stuck(spec: RunSpec) -> int:
    """By every method that there is; returns how many."""
    if unsupported(spec) is not None:
        return 0
    methods = ("stepping", "skipping") if spec.can_skip else ("stepping",)
    for method in methods:
        execution = Execution(spec, 1, np.array([0]), method)
        while not execution.done:
            execution.slice()
        assert str(OUTCOMES[execution.out[0, OUTCOME]]) == outcome_by_the_model(spec), (method, spec)
    return len(methods)


def main() -> None:
    table = cases()
    for case in table:
        expected = by_the_model(*case)
        check_linked(*case, expected)
        check_counts(*case, expected)
        check_postfix(*case, expected)
    if shutil.which("node") is not None:
        check_page(table)
    compared = sum(check_stuck(spec) for ours in OWN for problem in (ours, *OWN[ours]) for spec in stuck_specs(problem))
    print(f"{len(table)} operations, {compared} trees that may be stuck")


if __name__ == "__main__":
    main()
