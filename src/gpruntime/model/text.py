"""The text form of a tree: `x1`, its complement `!x1`, a join `(left right)`, the empty tree `()`.

A join that stands for a function has its name first: `(and x1 (or x2 x3))`.

What is written is plain ASCII. What is read may also have `x̄1` (a combining macron or overline), subscript digits, and
any white space between the parts.
"""

from __future__ import annotations

import re

from gpruntime.model.errors import BadTree
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Node, Tree, hang

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TOKEN = re.compile(
    r"\s*(?:\((?:\s*(?P<function>(?!x[0-9\u0304\u0305])[A-Za-z_]\w*)(?=[\s(!¬]))?|(?P<close>\))"
    r"|(?P<not>[!¬]?)x(?P<bar>[\u0304\u0305]?)(?P<index>[0-9]+))"
)
_MOST_DIGITS = 9  # a variable's number fits 32 bits, as in compiled code


def parse(text: str) -> Tree:
    """Reads a tree; raises `BadTree` with the place and what was expected there."""
    if not isinstance(text, str):
        raise BadTree("tree", text, "must be text such as ((x1 !x4) (x2 x3))")
    tree = Tree()
    plain = text.translate(_SUBSCRIPTS).rstrip()
    if re.fullmatch(r"\s*\(\s*\)", plain):
        return tree
    open_joins: list[Node] = []
    position = 0
    while position < len(plain):
        token = _TOKEN.match(plain, position)
        if token is None:
            blanks = len(plain[position:]) - len(plain[position:].lstrip())
            raise _error(text, position + blanks, "a terminal such as x1 or !x1, or a parenthesis")
        complete: Node | None = None
        if token["index"] is None and token["close"] is None:
            open_joins.append(tree.new_join(token["function"] or ""))
        elif token["close"]:
            if not open_joins:
                raise _error(text, position, "no ), since none is open")
            complete = open_joins.pop()
            if complete.right is None:
                raise _error(text, position, "two children before this )")
        else:
            complete = tree.new_leaf(_terminal(text, token))
        if complete is not None:
            if open_joins:
                _adopt(text, position, complete, open_joins[-1])
            elif tree.root is None:
                tree.root = complete
            else:
                raise _error(text, position, "nothing after the end of the tree")
        elif tree.root is not None:
            raise _error(text, position, "nothing after the end of the tree")
        position = token.end()
    if open_joins:
        raise _error(text, len(plain), f"{len(open_joins)} more )")
    if tree.root is None:
        raise BadTree("tree", text, "must be a tree such as x1 or ((x1 !x4) (x2 x3))")
    return tree


def write(tree: Tree) -> str:
    """The text form, e.g. `((x1 !x4) (x2 x3))`."""
    if tree.root is None:
        return "()"
    parts: list[str] = []
    waiting: list[Node | str] = [tree.root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.terminal is not None:
            parts.append(str(node.terminal))
        else:
            assert node.left is not None
            assert node.right is not None
            parts.append(f"({node.function} " if node.function else "(")
            waiting += (")", node.right, " ", node.left)
    return "".join(parts)


def _terminal(text: str, token: re.Match[str]) -> Terminal:
    index = token["index"].lstrip("0")
    if not index or len(index) > _MOST_DIGITS:
        raise _error(text, token.start("index"), "a variable's number, 1 or more and of at most 9 digits")
    return Terminal(int(index), bool(token["not"]) != bool(token["bar"]))


def _adopt(text: str, position: int, child: Node, join: Node) -> None:
    if join.left is None:
        hang(child, join, "left")
    elif join.right is None:
        hang(child, join, "right")
    else:
        raise _error(text, position, "a ) here, since a join has two children")


def _error(text: str, position: int, expected: str) -> BadTree:
    return BadTree("tree", text, f"at character {position + 1}: expected {expected}")
