"""A tree as text, with the expressed leaves marked: which those are is the problem's to say."""

from __future__ import annotations

from gpruntime.model.errors import BadTree
from gpruntime.model.problems import Problem
from gpruntime.model.tree import Node, Tree

MAX_ASCII_LEAVES = 500  # the text of a path of T leaves has T²/2 characters


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
    if len(tree.leaves) > MAX_ASCII_LEAVES:
        allowed = f"a drawing in text has at most {MAX_ASCII_LEAVES} leaves"
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
