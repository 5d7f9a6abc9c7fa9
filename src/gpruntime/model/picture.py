"""A tree as an SVG picture, as the page of `gpruntime watch` draws it; large trees are folded.

Circles are variables, squares their complements. What counts is filled, what is expressed and does not count (an x̄_i
that comes first) is hatched, all else is dashed: no mark rests on colour alone. Which leaves are expressed is the
problem's to say (`Problem.expressed_places`). A join has the name of its function; where that is J it is a dot.
"""

from __future__ import annotations

import heapq
from html import escape
from typing import NamedTuple

from gpruntime.model.drawing import expressed_leaves
from gpruntime.model.problems import Problem
from gpruntime.model.terminals import Named, Terminal
from gpruntime.model.tree import Node, Tree, walk

MAX_LEAVES = 60  # a tree with more is folded
_FOLDED_TIPS = 40  # leaves and folded subtrees that are then shown
_SPACING, LEVEL, _RADIUS, _MARGIN = 40, 46, 15, 24
_INK, _LINE, _BLUE, _ORANGE, _GREY = "#1b2330", "#b6bfcb", "#245fb3", "#b64a06", "#7b8696"
_HATCH = (
    '<defs><pattern id="gpruntime-hatch" width="5" height="5" patternTransform="rotate(45)" '
    'patternUnits="userSpaceOnUse"><rect width="5" height="5" fill="#fff"/>'
    '<line y2="5" stroke="#f3c9a9" stroke-width="3"/></pattern></defs>'
)


def svg(tree: Tree, problem: Problem | None = None, n: int | None = None) -> str:
    """The picture: leaves evenly spaced from left to right, joins above the middle of their children."""
    if tree.root is None:
        return _page(140, 40, ['<text x="70" y="25">(the empty tree)</text>'])
    marked = expressed_leaves(tree, problem, n)
    shown, x, depth, folded = layout_of(tree.root)
    links, marks = [], []
    for node in shown:
        here = x[id(node)], _MARGIN + LEVEL * depth[id(node)]
        if node.parent is not None:
            links.append(_link((x[id(node.parent)], here[1] - LEVEL), here))
        if id(node) in folded:
            marks.append(_triangle(*here, folded[id(node)]))
        elif node.terminal is None:
            marks.append(_function(*here, node.function))
        else:
            marks.append(_leaf(*here, node, problem is not None, node.index in marked))
    width = 2 * _MARGIN + max(x.values()) - min(x.values())
    height = 2 * _MARGIN + LEVEL * max(depth.values()) + (14 if folded else 0)
    return _page(
        width, height, [_HATCH, f'<g fill="none" stroke="{_LINE}" stroke-width="1.5">', *links, "</g>", *marks]
    )


class Layout(NamedTuple):
    """What is shown of a tree, and where, by the ids of its nodes."""

    shown: list[Node]
    x: dict[int, float]
    depth: dict[int, int]
    folded: dict[int, int]  # the tops of what is folded, with the leaves below


def layout_of(root: Node) -> Layout:
    """Leaves evenly spaced from left to right, joins above the middle of their children."""
    below = _leaves_below(root)
    tops = _folded(root, below)
    shown = _shown(root, tops)
    return Layout(shown, *_layout(shown, tops), {top: below[top] for top in tops})


# ---- what is folded


def _leaves_below(root: Node) -> dict[int, int]:
    """The leaves of every subtree, by the id of its top."""
    below: dict[int, int] = {}
    for node in reversed(list(walk(root))):
        below[id(node)] = 1 if node.is_leaf else sum(below[id(child)] for child in node.children)
    return below


def _folded(root: Node, leaves_below: dict[int, int]) -> set[int]:
    """The tops of what is folded: the largest subtree is opened first, until there is no more room."""
    if leaves_below[id(root)] <= MAX_LEAVES:
        return set()
    waiting, order, closed = [(-leaves_below[id(root)], 0, root)], 1, 1
    while waiting and closed < _FOLDED_TIPS:
        _, _, node = heapq.heappop(waiting)
        closed += len(node.children) - 1
        for child in node.children:
            if not child.is_leaf:
                heapq.heappush(waiting, (-leaves_below[id(child)], order, child))
                order += 1
    return {id(node) for _, _, node in waiting}


def _shown(root: Node, folded: set[int]) -> list[Node]:
    """The nodes in pre-order, but for those inside of what is folded."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if id(node) not in folded:
            waiting += reversed(node.children)
    return found


def _layout(shown: list[Node], folded: set[int]) -> tuple[dict[int, float], dict[int, int]]:
    """x and depth of every node, by id: parents before children for the depth, children before parents for x."""
    depth: dict[int, int] = {}
    for node in shown:
        depth[id(node)] = 0 if node.parent is None else depth[id(node.parent)] + 1
    tips = [node for node in shown if node.is_leaf or id(node) in folded]
    x = {id(tip): float(_MARGIN + _SPACING * i) for i, tip in enumerate(tips)}
    for node in reversed(shown):
        if id(node) not in x:
            x[id(node)] = (x[id(node.children[0])] + x[id(node.children[-1])]) / 2
    return x, depth


# ---- what is drawn


def _link(above: tuple[float, float], below: tuple[float, float]) -> str:
    (px, py), (cx, cy) = above, below
    middle = (py + cy) / 2
    return f'<path class="link" d="M{cx:g},{cy:g}C{cx:g},{middle:g} {px:g},{middle:g} {px:g},{py:g}"/>'


def _leaf(cx: float, cy: float, node: Node, is_told: bool, expressed: bool) -> str:
    assert node.terminal is not None
    negated = node.terminal.negated
    fill, stroke, look, ink = "#fff", _INK, "", _INK
    if expressed:
        fill, stroke, ink = ("url(#gpruntime-hatch)", _ORANGE, _INK) if negated else (_BLUE, _BLUE, "#fff")
        look = ' stroke-width="2.5"'
    elif is_told:
        stroke, look, ink = _GREY, ' stroke-dasharray="3 2"', _GREY
    side = 0.92 * _RADIUS
    shape = (
        f'<rect x="{cx - side:g}" y="{cy - side:g}" width="{2 * side:g}" height="{2 * side:g}"'
        if negated
        else f'<circle cx="{cx:g}" cy="{cy:g}" r="{_RADIUS}"'
    )
    weight = ' font-weight="600"' if expressed and not negated else ""
    return (
        f'<g class="leaf"><title>{escape(str(node.terminal))}{", expressed" if expressed else ""}</title>'
        f'{shape} fill="{fill}" stroke="{stroke}"{look}/>'
        f'<text x="{cx:g}" y="{cy + 4:g}" fill="{ink}"{weight}{_name(node.terminal)}</text></g>'
    )


def _name(terminal: Terminal) -> str:
    """What is written on a leaf; a long name is made small."""
    if isinstance(terminal, Named):
        return f' font-size="{min(14, 42 / len(terminal.name)):.3g}">{escape(terminal.name)}'
    sign = "x\u0304" if terminal.negated else "x"
    return f'>{sign}<tspan font-size="9" dy="3">{terminal.variable}</tspan>'


def _function(cx: float, cy: float, name: str) -> str:
    """A join: a dot for J, a name in a pill otherwise."""
    if not name:
        return f'<circle class="join" cx="{cx:g}" cy="{cy:g}" r="4" fill="#5a6677"/>'
    width = 8 + 7 * len(name)
    place = f'x="{cx - width / 2:g}" y="{cy - 9:g}" width="{width}" height="18" rx="9"'
    pill = f'<rect class="join" {place} fill="#fff" stroke="#5a6677"/>'
    return f'<g>{pill}<text x="{cx:g}" y="{cy + 4:g}" font-size="12">{escape(name)}</text></g>'


def _triangle(cx: float, cy: float, leaves: int) -> str:
    top, low, half = cy - 4, cy + 18, 11
    return (
        f'<g class="folded"><title>a subtree of {leaves:,} leaves</title>'
        f'<path d="M{cx:g},{top:g}L{cx + half:g},{low:g}H{cx - half:g}Z" fill="#fff" stroke="#5a6677"/>'
        f'<text x="{cx:g}" y="{low + 13:g}" font-size="11">{leaves:,}</text></g>'
    )


def _page(width: float, height: float, content: list[str]) -> str:
    look = f'font-family="system-ui, sans-serif" font-size="14" fill="{_INK}" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" style="background:#fff;max-width:100%;height:auto" '
        f"{look}>{''.join(content)}</svg>"
    )
