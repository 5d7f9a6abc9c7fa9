import pytest
from hypothesis import given

from gpruntime import BadTree, Terminal, Tree
from tests.strategies import trees


@given(trees())
def test_what_is_written_is_read_back(tree):
    again = Tree.parse(str(tree))
    assert again == tree
    assert str(again) == str(tree)
    assert [leaf.terminal for leaf in again.leaves] == tree.terminals(), "the register of a read tree is in-order"


@pytest.mark.parametrize(
    "text",
    ["((x1 !x4) (x2 x3))", "((x1 x\u03044) (x2 x3))", "((x1 x\u03054)(x2 x3))", " ( ( x₁ ¬x₄ )\n(x2\tx03) ) "],
)
def test_other_spellings(text):
    assert str(Tree.parse(text)) == "((x1 !x4) (x2 x3))"


def test_two_signs_of_complement_cancel():
    assert str(Tree.parse("!x\u03044")) == "x4"


def test_what_is_no_text_is_refused():
    with pytest.raises(BadTree):
        Tree.parse(None)


def test_single_leaf_and_empty_tree():
    assert Tree.parse("!x7").terminals() == [Terminal(7, True)]
    assert Tree.parse("( )").root is None
    assert str(Tree.parse("()")) == "()"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a tree"),
        ("(x1", "at character 4: expected 1 more )"),
        ("(x1)", "at character 4: expected two children"),
        ("(x1 x2 x3)", "at character 7: expected a ) here"),
        ("x1)", "at character 3: expected no )"),
        ("x1 x2", "at character 3: expected nothing after"),
        ("x1 (x2 x3)", "at character 3: expected nothing after"),
        ("(x1 y2)", "at character 5: expected a terminal"),
        ("x0", "a variable's number, 1 or more"),
        ("x99999999999", "of at most 9 digits"),
        ("((x1 x2) ())", "two children"),
        ("x²", "expected a terminal"),
    ],
)
def test_malformed_trees_are_refused_with_the_place(text, message):
    with pytest.raises(BadTree) as refused:
        Tree.parse(text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_left_deep_tree_of_20000_leaves_is_read_written_copied_and_drawn():
    leaves = 20_000
    text = "(" * (leaves - 1) + "x1" + " !x2)" * (leaves - 1)
    tree = Tree.parse(text)
    assert len(tree.leaves) == leaves
    assert str(tree) == text
    assert tree.copy() == tree
    assert tree.terminals()[0] == Terminal(1, False)
    assert tree._repr_svg_().startswith("<svg")
