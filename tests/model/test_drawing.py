import xml.etree.ElementTree as ET

import pytest

from gpruntime import MAJORITY, ORDER, BadTree, Run, RunSpec, Tree, problem
from gpruntime.model.drawing import ascii_drawing, svg

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
        ascii_drawing(RunSpec(problem="order", algorithm="gp-single", n=300, init="bad").initial.build(None))


def test_svg_has_every_node_inside_and_marks_by_more_than_colour():
    picture = ET.fromstring(svg(TREE, ORDER, 4))
    circles = list(picture.iter(f"{SVG}circle"))
    assert len(circles) == 7
    width, height = float(picture.get("width")), float(picture.get("height"))
    for circle in circles:
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height
    assert sum(circle.get("stroke-width") == "3" for circle in circles) == 3
    titles = [title.text for title in picture.iter(f"{SVG}title")]
    assert titles == ["x1, expressed", "!x4, expressed", "x2, expressed", "!x1"]
    assert len(list(picture.iter(f"{SVG}line"))) == 6


FUNCTIONS = Tree.parse("(and x1 (or x2 !x3))")


def test_joins_show_their_functions():
    assert ascii_drawing(FUNCTIONS) == "\n".join(["and", "├── x1", "└── or", "    ├── x2", "    └── !x3"])
    picture = ET.fromstring(svg(FUNCTIONS))
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    assert [text for text in texts if not text.startswith("x")] == ["and", "or"]
    assert len(list(picture.iter(f"{SVG}circle"))) == 3
    for pill in picture.iter(f"{SVG}rect"):
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
