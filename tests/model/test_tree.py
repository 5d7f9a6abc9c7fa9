import random

from hypothesis import given
from hypothesis import strategies as st

from gpruntime import Terminal, Tree
from gpruntime.model.tree import walk
from tests.strategies import terminals, trees


def check(tree: Tree) -> None:
    """A proper binary tree with T leaves and T − 1 joins, and a register that knows each node once."""
    if tree.root is None:
        assert tree.leaves == tree.joins == []
        return
    nodes = list(walk(tree.root))
    assert len(nodes) == tree.node_count == 2 * len(tree.leaves) - 1
    assert {id(node) for node in nodes} == {id(node) for node in tree.leaves + tree.joins}
    assert tree.root.parent is None
    for register in (tree.leaves, tree.joins):
        assert [node.index for node in register] == list(range(len(register)))
    for node in nodes:
        assert node.is_leaf == (node.left is None) == (node.right is None)
        for child in (node.left, node.right):
            assert child is None or child.parent is node
    assert all(tree.node(i) is node for i, node in enumerate(tree.leaves + tree.joins))


@given(trees(), st.randoms(use_true_random=False), st.integers(0, 40))
def test_any_sequence_of_operations_leaves_a_proper_tree(tree: Tree, rng: random.Random, steps: int):
    for _ in range(steps):
        terminal = Terminal.from_code(rng.randrange(8))
        kind = rng.randrange(3)
        if kind == 0 or not tree.leaves:
            tree.insert(rng.randrange(max(tree.node_count, 1)), rng.choice(["left", "right"]), terminal)
        elif kind == 1:
            tree.delete(rng.randrange(len(tree.leaves)))
        else:
            tree.substitute(rng.randrange(len(tree.leaves)), terminal)
        check(tree)
        assert Tree.parse(str(tree)) == tree


@given(trees(), st.data())
def test_a_deletion_undoes_an_insertion(tree: Tree, data: st.DataObject):
    before, register = str(tree), [leaf.terminal for leaf in tree.leaves]
    site = data.draw(st.integers(0, tree.node_count - 1))
    tree.insert(site, data.draw(st.sampled_from(["left", "right"])), data.draw(terminals(4)))
    assert str(tree) != before
    tree.delete(len(tree.leaves) - 1)  # a new leaf is the last of the register
    check(tree)
    assert str(tree) == before
    assert [leaf.terminal for leaf in tree.leaves] == register


@given(trees(), st.data())
def test_insertion_puts_the_leaf_beside_the_chosen_node(tree: Tree, data: st.DataObject):
    site = data.draw(st.integers(0, tree.node_count - 1))
    below = [node for node in walk(tree.node(site)) if node.is_leaf]
    order = tree.leaves_in_order()
    first = order.index(below[0])
    tree.insert(site, "left", Terminal(9, False))
    assert tree.terminals()[first] == Terminal(9, False)
    tree.delete(len(tree.leaves) - 1)
    tree.insert(site, "right", Terminal(9, False))
    assert tree.terminals()[first + len(below)] == Terminal(9, False)


def test_the_register_fills_holes_with_the_last_entry():
    tree = Tree.parse("((x1 x2) (x3 x4))")
    tree.delete(1)
    assert [str(leaf.terminal) for leaf in tree.leaves] == ["x1", "x4", "x3"]
    assert str(tree) == "(x1 (x3 x4))"
    assert [join is tree.root for join in tree.joins] == [True, False]
    tree.insert(3, "right", Terminal(5, True))  # node 3 = first join = the root
    assert str(tree) == "((x1 (x3 x4)) !x5)"
    assert [str(leaf.terminal) for leaf in tree.leaves] == ["x1", "x4", "x3", "!x5"]


def test_equality_sees_shape_and_terminals_and_nothing_else():
    assert Tree.parse("((x1 x2) x3)") != Tree.parse("(x1 (x2 x3))")
    assert Tree.parse("(x1 x2)") != Tree.parse("(x1 !x2)")
    tree = Tree.parse("(x2 x1)")
    tree.delete(0)
    tree.insert(0, "left", Terminal(2, False))
    assert [leaf.index for leaf in tree.leaves_in_order()] == [1, 0]
    assert tree == Tree.parse("(x2 x1)")
    assert tree != "(x2 x1)"


@given(trees())
def test_a_copy_is_equal_and_independent(tree: Tree):
    twin = tree.copy()
    check(twin)
    assert twin == tree
    assert [leaf.terminal for leaf in twin.leaves] == [leaf.terminal for leaf in tree.leaves]
    twin.substitute(0, twin.leaves[0].terminal.complement)
    assert twin != tree


def test_replace_by_child_keeps_one_subtree():
    tree = Tree.parse("((x1 (x2 x3)) (x4 x5))")
    tree.replace_by_child(0, "left")
    check(tree)
    assert str(tree) == "(x1 (x2 x3))"
    tree.replace_by_child(0, "right")
    check(tree)
    assert str(tree) == "(x2 x3)"
