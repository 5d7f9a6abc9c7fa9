"""Reading the engine's arrays back into a tree of the model, and checking all they promise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gpruntime.engine.labels import NOWHERE
from gpruntime.engine.nodes import (
    AFTER,
    BEFORE,
    EARLIER,
    HALF,
    LABEL,
    LATER,
    LEFT,
    NOBODY,
    PARENT,
    PLACE,
    RIGHT,
    ROW,
    TERMINAL,
    TOP,
)
from gpruntime.engine.problems.majority.stepping import MajorityState
from gpruntime.engine.state import State
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree, hang


def rows_of(state: State) -> np.ndarray:
    """A row a node."""
    return state["node"].reshape(-1, ROW).astype(int)


def tree_of(state: State, leaves: int) -> Tree:
    """The tree, with the register in the engine's order."""
    tree, rows = Tree(), rows_of(state)
    nodes = {x: tree.new_leaf(Terminal.from_code(int(rows[x, TERMINAL]))) for x in state["register"][: 2 * leaves : 2]}
    joins = {x: tree.new_join() for x in state["register"][1 : max(2 * leaves - 1, 0) : 2]}
    nodes |= joins
    for x, join in joins.items():
        hang(nodes[rows[x, LEFT]], join, 0)
        hang(nodes[rows[x, RIGHT]], join, 1)
    tree.root = nodes[rows[TOP, LEFT]] if leaves else None
    return tree


def check_state(state, spec: RunSpec, leaves: int) -> None:
    """Every list, label and count of the engine agrees with the tree it stands for."""
    if isinstance(state, MajorityState):
        check_majority(state, spec, leaves)
    else:
        check_order(state, spec, leaves)


def check_majority(state: State, spec: RunSpec, leaves: int) -> None:
    counts = np.bincount(state["register"][:leaves], minlength=2 * spec.n)
    assert state["counts"][: 2 * spec.n].tolist() == counts.tolist()


def check_order(state: State, spec: RunSpec, leaves: int) -> None:
    tree, rows = tree_of(state, leaves), rows_of(state)
    order = [int(state["register"][2 * leaf.index]) for leaf in tree.leaves_in_order()]
    joins = state["register"][1 : max(2 * leaves - 1, 0) : 2].tolist()
    assert sorted(state["register"].tolist()) == list(range(2, len(state["register"]) + 2))
    assert all(x % 2 == 0 for x in state["register"][::2])
    assert all(x % 2 == 1 for x in state["register"][1::2])
    labels = [int(state.wide[HALF * x + LABEL]) for x in order]
    assert all(a < b for a, b in pairwise(labels)), "labels grow from left to right"
    assert all(0 < label < 2**62 for label in labels)
    assert rows[order, BEFORE].tolist() == [NOBODY, *order[:-1]][: len(order)]
    assert rows[order, AFTER].tolist() == [*order[1:], NOBODY][: len(order)]
    assert rows[state["register"][: 2 * leaves : 2], PLACE].tolist() == list(range(leaves))
    assert rows[joins, PLACE].tolist() == list(range(len(joins)))
    for x in order + joins:
        above = rows[x, PARENT]
        assert above in (TOP, *joins)
        assert x in ((rows[above, LEFT], rows[above, RIGHT]) if above != TOP else (rows[TOP, LEFT],))
    for variable in range(spec.n):
        expected = [x for x in order if rows[x, TERMINAL] >> 1 == variable]
        found, leaf, before = [], int(state["first"][variable]), NOBODY
        while leaf != NOBODY:
            assert rows[leaf, EARLIER] == before
            found.append(leaf)
            before, leaf = leaf, int(rows[leaf, LATER])
        assert found == expected
    assert state["present"][0] == len({t.variable for t in tree.terminals()})
    assert rows[NOBODY, TERMINAL] == 1
    assert state.wide[HALF * NOBODY + LABEL] == NOWHERE
