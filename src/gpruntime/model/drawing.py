"""Pictures of a tree, as text and as SVG, with the expressed leaves marked.

Which leaves are expressed is the problem's to say (`Problem.expressed_places`). A mark never rests on colour alone:
`*` in the text, a thick border in the SVG. A join has the name of its function; where that is J it is a dot in the SVG.
"""

from __future__ import annotations

from html import escape

from gpruntime.model.errors import BadTree
from gpruntime.model.problems import Problem
from gpruntime.model.terminals import Named, Terminal
from gpruntime.model.tree import Node, Tree, walk

MOST_ASCII_LEAVES = 500  # the text of a path of T leaves has T²/2 characters
_SPACING, _LEVEL, _RADIUS, _MARGIN = 44, 46, 15, 24
_POSITIVE, _NEGATIVE, _PLAIN = "#cfe3f5", "#f7d9b5", "#ffffff"


def expressed_leaves(tree: Tree, problem: Problem | None, n: int | None) -> set[int]:
    """The places in the register of the expressed leaves; none without a problem."""
    if problem is None:
        return set()
    leaves, terminals = tree.leaves_in_order(), tree.terminals()
    most = max((terminal.variable for terminal in terminals), default=1)
    return {leaves[place].index for place in problem.expressed_places(terminals, n or most)}


def ascii_drawing(tree: Tree, problem: Problem | None = None, n: int | None = None) -> str:
    """The tree as indented text, children below their join, left before right, expressed leaves with a `*`.

    Raises:
        BadTree: the tree has more than 500 leaves.
    """
    if len(tree.leaves) > MOST_ASCII_LEAVES:
        allowed = f"a drawing in text has at most {MOST_ASCII_LEAVES} leaves"
        raise BadTree("tree", f"a tree with {len(tree.leaves)} leaves", allowed)
    if tree.root is None:
        return "(the empty tree)"
    marked = expressed_leaves(tree, problem, n)
    lines = []
    waiting: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while waiting:
        node, first, rest = waiting.pop()
        if node.terminal is not None:
            lines.append(f"{first}{node.terminal}{' *' if node.index in marked else ''}")
        else:
            lines.append(f"{first}{node.function or 'J'}")
            *others, last = node.children
            waiting.append((last, rest + "└── ", rest + "    "))
            waiting += ((child, rest + "├── ", rest + "│   ") for child in reversed(others))
    return "\n".join(lines)


def svg(tree: Tree, problem: Problem | None = None, n: int | None = None) -> str:
    """The tree as an SVG picture: leaves evenly spaced from left to right, joins above the middle of their children."""
    if tree.root is None:
        return _page(120, 40, ['<text x="60" y="25">(the empty tree)</text>'])
    marked = expressed_leaves(tree, problem, n)
    x, depth = _layout(tree)
    lines, marks = [], []
    for node in walk(tree.root):
        cx, cy = x[id(node)], _MARGIN + _LEVEL * depth[id(node)]
        if node.parent is not None:
            px, py = x[id(node.parent)], cy - _LEVEL
            lines.append(f'<line x1="{px:g}" y1="{py:g}" x2="{cx:g}" y2="{cy:g}"/>')
        if node.terminal is None:
            marks.append(_function(cx, cy, node.function))
            continue
        expressed = node.index in marked
        colour = (_NEGATIVE if node.terminal.negated else _POSITIVE) if expressed else _PLAIN
        marks.append(
            f"<g><title>{escape(str(node.terminal))}{', expressed' if expressed else ''}</title>"
            f'<circle cx="{cx:g}" cy="{cy:g}" r="{_RADIUS}" fill="{colour}" stroke="#444" '
            f'stroke-width="{3 if expressed else 1}"/>{_leaf(cx, cy, node.terminal)}</g>'
        )
    width = 2 * _MARGIN + _SPACING * (len(tree.leaves) - 1)
    height = 2 * _MARGIN + _LEVEL * max(depth.values())
    return _page(width, height, ['<g stroke="#888">', *lines, "</g>", *marks])


def _leaf(cx: float, cy: float, terminal: Terminal) -> str:
    """What is written on a leaf; a long name is made small."""
    if isinstance(terminal, Named):
        size = min(14, 42 / len(terminal.name))
        return f'<text x="{cx:g}" y="{cy + 4:g}" font-size="{size:.3g}">{escape(terminal.name)}</text>'
    bar = "\u0304" if terminal.negated else ""
    return f'<text x="{cx:g}" y="{cy + 4:g}">x{bar}<tspan font-size="9" dy="3">{terminal.variable}</tspan></text>'


def _function(cx: float, cy: float, name: str) -> str:
    """A join: a dot for J, a name in a pill otherwise."""
    if not name:
        return f'<circle cx="{cx:g}" cy="{cy:g}" r="4" fill="#444"/>'
    width = 8 + 7 * len(name)
    pill = f'<rect x="{cx - width / 2:g}" y="{cy - 9:g}" width="{width}" height="18" rx="9" fill="#fff" stroke="#444"/>'
    return f'<g>{pill}<text x="{cx:g}" y="{cy + 4:g}" font-size="12">{escape(name)}</text></g>'


def _layout(tree: Tree) -> tuple[dict[int, float], dict[int, int]]:
    """x and depth of every node, by id: parents before children for the depth, children before parents for x."""
    assert tree.root is not None
    nodes = list(walk(tree.root))
    depth: dict[int, int] = {}
    for node in nodes:
        depth[id(node)] = 0 if node.parent is None else depth[id(node.parent)] + 1
    x = {id(leaf): float(_MARGIN + _SPACING * i) for i, leaf in enumerate(tree.leaves_in_order())}
    for node in reversed(nodes):
        if node.children:
            x[id(node)] = (x[id(node.children[0])] + x[id(node.children[-1])]) / 2
    return x, depth


def _page(width: float, height: float, content: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="serif" font-size="14" text-anchor="middle">'
        + "".join(content)
        + "</svg>"
    )
