"""Every tree with a number of leaves, of any functions and terminals."""

from __future__ import annotations

from collections.abc import Iterator

from gpruntime.model.terminals import Primitives
from gpruntime.model.text import parse
from gpruntime.model.tree import Tree


def trees_of_size(primitives: Primitives, leaves: int) -> Iterator[Tree]:
    """Those with this many leaves; a function of one argument stands above leaves alone, and no second one above it."""
    return (parse(text, primitives) for text in _texts(primitives, leaves))


def _texts(primitives: Primitives, leaves: int) -> Iterator[str]:
    if leaves == 1:
        terminals = [str(terminal) for terminal in primitives.terminals]
        yield from terminals
        unary = [name for name in primitives.functions if primitives.arity(name) == 1]
        yield from (f"({name} {terminal})" for name in unary for terminal in terminals)
        return
    for name in primitives.functions:
        if primitives.arity(name) > 1:
            for children in _lists(primitives, primitives.arity(name), leaves):
                yield f"({' '.join([name, *children] if name else children)})"


def _lists(primitives: Primitives, length: int, leaves: int) -> Iterator[list[str]]:
    """The lists of this many trees, with this many leaves in all."""
    if length == 1:
        yield from ([text] for text in _texts(primitives, leaves))
        return
    for first in range(1, leaves - length + 2):
        for text in _texts(primitives, first):
            yield from ([text, *others] for others in _lists(primitives, length - 1, leaves - first))
