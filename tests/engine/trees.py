"""Reading the engine's arrays back into a tree of the model, and checking all they promise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gpruntime.engine.labels import AFTER, BEFORE, EARLIER, LATER, PARENT, PLACE, TERMINAL
from gpruntime.engine.majority import MajorityState
from gpruntime.engine.ordered import ABOVE, INDEX, LEFT, PRESENT, RIGHT, ROOT, OrderState
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree, hang
from tests.engine.compiled import class_of


def tree_of(state: OrderState, leaves: int) -> Tree:
    """The tree, with the register in the engine's order."""
    tree = Tree()
    leaf_nodes = {
        int(s): tree.new_leaf(Terminal.from_code(int(state.leaf[s, TERMINAL]))) for s in state.leaf_at[:leaves]
    }
    join_nodes = {int(s): tree.new_join() for s in state.join_at[: max(leaves - 1, 0)]}

    def node(ref: int):
        return leaf_nodes[ref] if ref >= 0 else join_nodes[-1 - ref]

    for slot, join in join_nodes.items():
        hang(node(int(state.join[slot, LEFT])), join, "left")
        hang(node(int(state.join[slot, RIGHT])), join, "right")
    tree.root = node(int(state.whole[ROOT])) if leaves else None
    return tree


def check_state(state, spec: RunSpec, leaves: int) -> None:
    """Every list, label and count of the engine agrees with the tree it stands for."""
    if isinstance(state, MajorityState):
        check_majority(state, spec, leaves)
    else:
        check_order(state, spec, leaves)


def check_majority(state: MajorityState, spec: RunSpec, leaves: int) -> None:
    counts = np.bincount(state.terminals[:leaves], minlength=2 * spec.n)
    assert state.counts[: 2 * spec.n].tolist() == counts.tolist()
    if spec.algorithm_.strict:
        classes = np.bincount([class_of(counts[2 * i], counts[2 * i + 1]) for i in range(spec.n)], minlength=8)
        assert state.classes.tolist() == classes.tolist()


def check_order(state: OrderState, spec: RunSpec, leaves: int) -> None:
    tree = tree_of(state, leaves)
    slots = [int(state.leaf_at[leaf.index]) for leaf in tree.leaves_in_order()]
    assert sorted(state.leaf_at.tolist()) == sorted(state.join_at.tolist()) == list(range(len(state.leaf_at)))
    labels = [int(state.label[s]) for s in slots]
    assert all(a < b for a, b in pairwise(labels)), "labels grow from left to right"
    assert all(0 < label < 2**62 for label in labels)
    assert [int(state.leaf[s, BEFORE]) for s in slots] == [-1, *slots[:-1]][: len(slots)]
    assert [int(state.leaf[s, AFTER]) for s in slots] == [*slots[1:], -1][: len(slots)]
    assert [int(state.leaf[s, PLACE]) for s in state.leaf_at[:leaves]] == list(range(leaves))
    assert [int(state.join[s, INDEX]) for s in state.join_at[: max(leaves - 1, 0)]] == list(range(max(leaves - 1, 0)))
    for s in slots:
        parent = int(state.leaf[s, PARENT])
        assert s in (state.join[parent, LEFT], state.join[parent, RIGHT]) if parent >= 0 else state.whole[ROOT] == s
    for s in state.join_at[: max(leaves - 1, 0)].tolist():
        above = int(state.join[s, ABOVE])
        hung = (state.join[above, LEFT], state.join[above, RIGHT]) if above >= 0 else (state.whole[ROOT],)
        assert -1 - s in hung
    for variable in range(spec.n):
        expected = [s for s in slots if state.leaf[s, TERMINAL] >> 1 == variable]
        found, leaf, before = [], int(state.first[variable]), -1
        while leaf >= 0:
            assert state.leaf[leaf, EARLIER] == before
            found.append(leaf)
            before, leaf = leaf, int(state.leaf[leaf, LATER])
        assert found == expected
    assert state.whole[PRESENT] == len({t.variable for t in tree.terminals()})
