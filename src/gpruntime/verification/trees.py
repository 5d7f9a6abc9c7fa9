"""Trees to try a part on: a few at random, or all of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gpruntime.model.initial import Initial
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.text import parse
from gpruntime.model.tree import Tree


def some_trees(primitives: Primitives, n: int, each: int) -> Iterator[Tree]:
    """A few at random, so many of each of several sizes."""
    for leaves, number in itertools.product((1, 2, 3, 5, 8), range(each)):
        yield Initial.parse(f"insertion:leaves={leaves}", n, primitives).build(Stream(number, (0, 0, 0, n), leaves))


def all_trees(primitives: Primitives) -> Iterator[Tree]:
    """Every tree, by its number of leaves."""
    for leaves in itertools.count(1):
        for text in _texts(primitives, leaves):
            yield parse(text, primitives)


def _texts(primitives: Primitives, leaves: int) -> Iterator[str]:
    """Those with so many leaves; a function of one argument stands above leaves alone, and no second one above it."""
    if leaves == 1:
        terminals: list[Terminal] = [primitives.terminal(code) for code in range(primitives.size)]
        yield from map(str, terminals)
        unary = [name for name in primitives.functions if primitives.arity(name) == 1]
        yield from (f"({name} {terminal})" for name in unary for terminal in terminals)
        return
    for name in primitives.functions:
        if primitives.arity(name) > 1:
            for children in _lists(primitives, primitives.arity(name), leaves):
                yield f"({' '.join([name, *children] if name else children)})"


def _lists(primitives: Primitives, number: int, leaves: int) -> Iterator[list[str]]:
    """So many trees with so many leaves in all."""
    if number == 1:
        yield from ([text] for text in _texts(primitives, leaves))
        return
    for first in range(1, leaves - number + 2):
        for text in _texts(primitives, first):
            yield from ([text, *others] for others in _lists(primitives, number - 1, leaves - first))
