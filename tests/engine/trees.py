"""Reading the engine's arrays back into a tree of the model, and checking all they promise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gpruntime.engine.linked_tree import AFTER, BEFORE, LEFT, NOBODY, NOWHERE, RIGHT, TOP
from gpruntime.engine.tree_memory import TreeMemory
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree, hang


def tree_of(memory: TreeMemory, leaves: int) -> Tree:
    """The tree, with the register in the engine's order."""
    tree, nodes, register = Tree(), memory["nodes"], memory["register"]
    made = {x: tree.new_leaf(Terminal.from_code(int(nodes["terminal"][x]))) for x in register[: 2 * leaves : 2]}
    joins = {x: tree.new_join() for x in register[1 : max(2 * leaves - 1, 0) : 2]}
    made |= joins
    for x, join in joins.items():
        hang(made[nodes["children"][x, LEFT]], join, 0)
        hang(made[nodes["children"][x, RIGHT]], join, 1)
    tree.root = made[nodes["children"][TOP, LEFT]] if leaves else None
    return tree


def check_state(state: TreeMemory, spec: RunSpec, leaves: int) -> None:
    """Every list, label and count of the engine agrees with the tree it stands for."""
    if "nodes" not in state.kind.fields._fields:
        check_majority(state, spec, leaves)
    else:
        check_order(state, spec, leaves)


def check_majority(state: TreeMemory, spec: RunSpec, leaves: int) -> None:
    counts = np.bincount(state["register"][:leaves], minlength=2 * spec.n)
    assert state["counts"][: 2 * spec.n].tolist() == counts.tolist()


def check_order(state: TreeMemory, spec: RunSpec, leaves: int) -> None:
    tree, nodes, register = tree_of(state, leaves), state["nodes"], state["register"]
    children, neighbours = nodes["children"].astype(int), nodes["neighbours"].astype(int)
    terminals, label = nodes["terminal"].astype(int), nodes["label_in_slot"]
    order = [int(register[2 * leaf.index]) for leaf in tree.leaves_in_order()]
    joins = register[1 : max(2 * leaves - 1, 0) : 2].tolist()
    assert sorted(register.tolist()) == list(range(2, len(register) + 2))
    assert all(x % 2 == 0 for x in register[::2])
    assert all(x % 2 == 1 for x in register[1::2])
    labels = [int(label[x + 1]) for x in order]
    assert all(a < b for a, b in pairwise(labels)), "labels grow from left to right"
    assert all(0 < one < 2**62 for one in labels)
    assert neighbours[order, BEFORE].tolist() == [NOBODY, *order[:-1]][: len(order)]
    assert neighbours[order, AFTER].tolist() == [*order[1:], NOBODY][: len(order)]
    assert nodes["place"][register[: 2 * leaves : 2]].tolist() == list(range(leaves))
    assert nodes["place"][joins].tolist() == list(range(len(joins)))
    for x in order + joins:
        above = int(nodes["parent"][x])
        assert above in (TOP, *joins)
        assert x in (children[above].tolist() if above != TOP else [children[TOP, LEFT]])
    for variable in range(spec.n):
        expected = [x for x in order if terminals[x] >> 1 == variable]
        found, leaf, before = [], int(state["first"][variable]), NOBODY
        while leaf != NOBODY:
            assert nodes["earlier"][leaf] == before
            found.append(leaf)
            before, leaf = leaf, int(nodes["later"][leaf])
        assert found == expected
    assert terminals[NOBODY] == 1
    assert label[NOBODY + 1] == NOWHERE
