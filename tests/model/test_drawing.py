import xml.etree.ElementTree as ET

import pytest

from gpruntime import MAJORITY, ORDER, BadTree, Run, RunSpec, Tree, problem
from gpruntime.model.drawing import ascii_drawing
from gpruntime.model.picture import MAX_LEAVES, svg

TREE = Tree.parse("((x1 !x4) (x2 !x1))")
SVG = "{http://www.w3.org/2000/svg}"


def test_ascii_drawing_marks_the_expressed_leaves():
    assert ascii_drawing(TREE, ORDER) == "\n".join(
        ["J", "├── J", "│   ├── x1 *", "│   └── !x4 *", "└── J", "    ├── x2 *", "    └── !x1"]
    )
    assert [line.endswith("*") for line in ascii_drawing(TREE, MAJORITY).splitlines()] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
    ]
    assert "*" not in ascii_drawing(TREE)
    assert ascii_drawing(Tree()) == "(the empty tree)"


def test_ascii_drawing_refuses_large_trees():
    with pytest.raises(BadTree, match="at most 500 leaves"):
        ascii_drawing(RunSpec(problem="order", algorithm="gp-single", n=300, init="bad").init.build(None))


def parts(picture, kind):
    return [part for part in picture.iter() if part.get("class") == kind]


def test_svg_has_every_node_inside_and_marks_by_more_than_colour():
    picture = ET.fromstring(svg(TREE, ORDER, 4))
    leaves = parts(picture, "leaf")
    assert (len(leaves), len(parts(picture, "join")), len(parts(picture, "link"))) == (4, 3, 6)
    width, height = float(picture.get("width")), float(picture.get("height"))
    for circle in picture.iter(f"{SVG}circle"):
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height
    assert [leaf.find(f"{SVG}title").text for leaf in leaves] == [
        "x1, expressed",
        "!x4, expressed",
        "x2, expressed",
        "!x1",
    ]
    shapes = [leaf[1].tag.removeprefix(SVG) for leaf in leaves]
    assert shapes == ["circle", "rect", "circle", "rect"]
    assert [leaf[1].get("stroke-width") == "2.5" for leaf in leaves] == [True, True, True, False]
    assert leaves[3][1].get("stroke-dasharray") is not None


def test_a_large_tree_is_folded_and_loses_no_leaf():
    for n in (MAX_LEAVES // 2, MAX_LEAVES // 2 + 1, 1000):
        tree = Run(RunSpec(problem="order", algorithm="gp-single", n=n), seed=3).tree
        picture = ET.fromstring(svg(tree, ORDER, n))
        folded = [int(part.find(f"{SVG}text").text.replace(",", "")) for part in parts(picture, "folded")]
        assert len(parts(picture, "leaf")) + sum(folded) == 2 * n
        assert bool(folded) == (2 * n > MAX_LEAVES)
        assert len(parts(picture, "leaf")) + len(folded) <= MAX_LEAVES
    path = Tree.parse("(" * 300 + "x1" + " !x2)" * 300)
    assert float(ET.fromstring(svg(path)).get("height")) < 3000


FUNCTIONS = Tree.parse("(and x1 (or x2 !x3))")


def test_joins_show_their_functions():
    assert ascii_drawing(FUNCTIONS) == "\n".join(["and", "├── x1", "└── or", "    ├── x2", "    └── !x3"])
    picture = ET.fromstring(svg(FUNCTIONS))
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    assert [text for text in texts if not text.startswith("x")] == ["and", "or"]
    assert len(list(picture.iter(f"{SVG}circle"))) == 2
    for pill in parts(picture, "join"):
        assert 0 < float(pill.get("x")) < float(picture.get("width")) - float(pill.get("width"))


@problem(sees="counts", best=lambda n: n)
def twice(i, plain, bar, n):
    return plain >= 2 * bar and plain > 0


@problem(sees="program", functions={"and": 2, "or": 2}, best=lambda n: 0, better="smaller")
def size(program, n):
    return len(program)


def test_a_problem_of_ones_own_marks_what_counts():
    assert ascii_drawing(Tree.parse("(x1 (x2 !x2))"), twice) == "\n".join(
        ["J", "├── x1 *", "└── J", "    ├── x2", "    └── !x2"]
    )
    assert "expressed" not in svg(FUNCTIONS, size)


def test_notebooks_get_a_picture():
    assert ET.fromstring(TREE._repr_svg_()) is not None
    assert "expressed" in Run(RunSpec(problem="order", algorithm="gp-single", n=3), seed=1)._repr_svg_()
    assert "empty" in Tree()._repr_svg_()
