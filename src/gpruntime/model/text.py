"""The text form of a tree: `x1`, its complement `!x1`, a join `(left right)`, the empty tree `()`.

A join that stands for a function has its name first: `(and x1 (or x2 x3))`, `(if x1 x2 (not x3))`. Where terminals have
names of their own, a leaf is written by its name: `(and a0 1)`.

What is written is plain ASCII, but for such names. What is read may also have `x̄1` (a combining macron or overline),
subscript digits, and any white space between the parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gpruntime.model.errors import BadTree
from gpruntime.model.terminals import Named, Primitives, Terminal
from gpruntime.model.tree import Node, Tree

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TOKEN = re.compile(
    r"\s*(?:\((?:\s*(?P<function>(?!x[0-9\u0304\u0305])[A-Za-z_]\w*)(?=[\s(!¬]))?|(?P<close>\))"
    r"|(?P<not>[!¬]?)x(?P<bar>[\u0304\u0305]?)(?P<index>[0-9]+))"
)
_WORD = re.compile(r"\s*(?:(?P<open>\()|(?P<close>\))|(?P<word>[^\s()]+))")
_VARIABLE = re.compile(r"(!?)x([1-9][0-9]{0,8})")
_MAX_DIGITS = 9  # a variable's number fits 32 bits, as in compiled code


class _Part(NamedTuple):
    """A leaf, the beginning of a join with its function's name, or the end of one if there is neither."""

    position: int
    terminal: Terminal | None = None
    function: str | None = None


def parse(text: str, primitives: Primitives | None = None) -> Tree:
    """Reads a tree; raises `BadTree` with the place and what was expected there.

    The primitives say which terminals have names of their own, and how many children the functions have.
    """
    if not isinstance(text, str):
        raise BadTree("tree", text, "must be text such as ((x1 !x4) (x2 x3))")
    tree = Tree()
    if re.fullmatch(r"\s*\(\s*\)\s*", text):
        return tree
    open_joins: list[Node] = []
    for position, terminal, function in _parts(text, primitives):
        complete: Node | None = None
        if terminal is not None:
            complete = tree.new_leaf(terminal)
        elif function is None:
            if not open_joins:
                raise _error(text, position, "no ), since none is open")
            complete = open_joins.pop()
            if len(complete.children) < (wanted := _wanted(complete, primitives) or 1):
                raise _error(text, position, f"{_children(wanted)} before this )")
        elif tree.root is None:
            open_joins.append(tree.new_join(function, 0))
        if tree.root is not None:
            raise _error(text, position, "nothing after the end of the tree")
        if complete is not None and open_joins:
            _adopt(text, position, complete, open_joins[-1], primitives)
        elif complete is not None:
            tree.root = complete
    if open_joins:
        raise _error(text, len(text.rstrip()), f"{len(open_joins)} more )")
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
            parts.append(f"({node.function} " if node.function else "(")
            waiting.append(")")
            for child in reversed(node.children):
                waiting += (child, " ")
            waiting.pop()
    return "".join(parts)


# ---- the parts of a text


def _parts(text: str, primitives: Primitives | None) -> Iterator[_Part]:
    if primitives is not None and (primitives.names or not primitives.functions):
        return _words(text, primitives)
    return _variables(text)


def _variables(text: str) -> Iterator[_Part]:
    """Leaves are x_i and x̄_i."""
    plain = text.translate(_SUBSCRIPTS).rstrip()
    position = 0
    while position < len(plain):
        token = _TOKEN.match(plain, position)
        if token is None:
            blanks = len(plain[position:]) - len(plain[position:].lstrip())
            raise _error(text, position + blanks, "a terminal such as x1 or !x1, or a parenthesis")
        if token["index"] is not None:
            yield _Part(position, _terminal(text, token))
        else:
            yield _Part(position, None, None if token["close"] else token["function"] or "")
        position = token.end()


def _words(text: str, primitives: Primitives) -> Iterator[_Part]:
    """Leaves are names, and after a ( a word that is none is a function. Where any are allowed, it always is one."""
    plain, position, opened = text.rstrip(), 0, -1
    while position < len(plain):
        token = _WORD.match(plain, position)
        assert token is not None
        word, here, position = token["word"], position, token.end()
        is_function = word is not None and opened >= 0 and word not in primitives.by_name
        if not primitives.functions and word is not None and _VARIABLE.fullmatch(word):
            is_function = False
        if opened >= 0:
            yield _Part(opened, None, word if is_function else "")
        opened = here if token["open"] else -1
        if token["close"]:
            yield _Part(here)
        elif word is not None and not is_function:
            yield _Part(here, _named(text, token.start("word"), word, primitives))
    if opened >= 0:
        yield _Part(opened, None, "")


def _named(text: str, position: int, word: str, primitives: Primitives) -> Terminal:
    if word in primitives.by_name:
        return primitives.by_name[word]
    if primitives.functions:
        some = ", ".join(primitives.names[:5])
        raise _error(text, position, f"a terminal such as {some}, or a parenthesis")
    variable = _VARIABLE.fullmatch(word)
    return Terminal(int(variable[2]), bool(variable[1])) if variable else Named(1, word)


def _terminal(text: str, token: re.Match[str]) -> Terminal:
    index = token["index"].lstrip("0")
    if not index or len(index) > _MAX_DIGITS:
        raise _error(text, token.start("index"), "a variable's number, 1 or more and of at most 9 digits")
    return Terminal(int(index), bool(token["not"]) != bool(token["bar"]))


# ---- joins


def _wanted(join: Node, primitives: Primitives | None) -> int | None:
    """How many children a join has; None if that is not known."""
    if not join.function:
        return 2
    if primitives is None or join.function not in primitives.functions:
        return None
    return primitives.arity(join.function)


def _adopt(text: str, position: int, child: Node, join: Node, primitives: Primitives | None) -> None:
    wanted = _wanted(join, primitives)
    if len(join.children) == wanted:
        raise _error(text, position, f"a ) here, since {join.function or 'a join'} has {_children(wanted)}")
    child.parent = join
    join.children.append(child)


def _children(wanted: int) -> str:
    return {1: "one child", 2: "two children", 3: "three children"}.get(wanted, f"{wanted} children")


def _error(text: str, position: int, expected: str) -> BadTree:
    return BadTree("tree", text, f"at character {position + 1}: expected {expected}")
