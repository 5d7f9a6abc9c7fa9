r"""A tree as a TikZ picture for LaTeX, with the places and the marks of its SVG picture (`gpruntime.model.picture`).

It needs `\usepackage{tikz}` and nothing else. Names may come from files of others, so all words are escaped.
"""

from __future__ import annotations

from gpruntime.model.drawing import expressed_leaves
from gpruntime.model.picture import LEVEL, layout_of
from gpruntime.model.problem import Problem
from gpruntime.model.problems import problem_named
from gpruntime.model.terminals import Named
from gpruntime.model.tree import Node, Tree
from gpruntime.show.latex import latex

_UNIT = 0.45  # points, of a pixel there
_STYLES = r"""\begin{tikzpicture}[every node/.style={font=\footnotesize},
  leaf/.style={draw, circle, inner sep=0pt, minimum size=13pt, fill=white},
  complement/.style={leaf, rectangle, minimum size=12pt},
  counts/.style={line width=0.9pt, fill=black!75, text=white}, expressed/.style={line width=0.9pt, fill=black!15},
  silent/.style={densely dashed, text=black!60}, dot/.style={fill, circle, inner sep=0pt, minimum size=3.5pt},
  function/.style={draw, rounded corners=3pt, inner sep=2pt, fill=white}]"""


def tree_tikz(tree: Tree, problem: Problem | str | None = None, n: int | None = None) -> str:
    """The picture; large trees are folded. Filled is what counts, where a problem is given."""
    problem = None if problem is None else problem_named(problem)
    if tree.root is None:
        return "\\begin{tikzpicture}\n\\node {(the empty tree)};\n\\end{tikzpicture}\n"
    marked, (shown, x, depth, folded) = expressed_leaves(tree, problem, n), layout_of(tree.root)
    at = {id(node): (_UNIT * x[id(node)], -_UNIT * LEVEL * depth[id(node)]) for node in shown}
    lines = [_STYLES, *(_link(at[id(node)], at[id(node.parent)]) for node in shown if node.parent is not None)]
    for node in shown:
        if id(node) in folded:
            lines.append(_triangle(*at[id(node)], folded[id(node)]))
        else:
            style, words = _mark(node, problem is not None, node.index in marked)
            lines.append(rf"\node[{style}] at {_place(*at[id(node)])} {{{words}}};")
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _place(x: float, y: float) -> str:
    return f"({x:.1f}pt,{y:.1f}pt)"


def _link(below: tuple[float, float], above: tuple[float, float]) -> str:
    middle = (below[1] + above[1]) / 2
    by = f".. controls {_place(below[0], middle)} and {_place(above[0], middle)} .."
    return rf"\draw[black!40] {_place(*below)} {by} {_place(*above)};"


def _mark(node: Node, is_told: bool, expressed: bool) -> tuple[str, str]:
    """The style of a leaf or a join, and what is written on it."""
    if node.terminal is None:
        return ("function", latex(node.function)) if node.function else ("dot", "")
    negated = node.terminal.negated
    look = ("expressed" if negated else "counts") if expressed else "silent" if is_told else ""
    style = ", ".join(filter(None, ["complement" if negated else "leaf", look]))
    if isinstance(node.terminal, Named):
        return style, rf"\tiny {latex(node.terminal.name)}"
    letter = r"\bar{x}" if negated else "x"
    return style, f"${letter}_{{{node.terminal.variable}}}$"


def _triangle(x: float, y: float, leaves: int) -> str:
    """A folded subtree, with its leaves."""
    corners = " -- ".join(_place(x + dx, y + dy) for dx, dy in ((0, 2), (5, -8), (-5, -8)))
    number = rf"\node[font=\tiny] at {_place(x, y - 12)} {{{leaves}}};"
    return rf"\draw[fill=white] {corners} -- cycle; {number}"
