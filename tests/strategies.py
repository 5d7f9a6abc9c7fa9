"""Hypothesis strategies for trees and settings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree


def terminals(n: int) -> st.SearchStrategy[Terminal]:
    return st.integers(0, 2 * n - 1).map(Terminal.from_code)


@st.composite
def trees(draw: st.DrawFn, n: int = 4, most_leaves: int = 12) -> Tree:
    """Any shape, made by insertions at any place."""
    tree = Tree.single(draw(terminals(n)))
    for _ in range(draw(st.integers(0, most_leaves - 1))):
        site = draw(st.integers(0, tree.node_count - 1))
        tree.insert(site, draw(st.sampled_from(["left", "right"])), draw(terminals(n)))
    return tree


def stream(seed: int = 0) -> Stream:
    return Stream(seed, (1, 2, 3, 4), 0)


def texts(primitives: Primitives, leaves: int) -> Iterator[str]:
    """All trees with so many leaves."""
    if leaves == 1:
        yield from (str(primitives.terminal(code)) for code in range(primitives.size))
    for left in range(1, leaves):
        for name in primitives.functions:
            for a, b in itertools.product(texts(primitives, left), texts(primitives, leaves - left)):
                yield f"({name} {a} {b})" if name else f"({a} {b})"


@st.composite
def trees_over(draw: st.DrawFn, primitives: Primitives, most: int = 12) -> Tree:
    """A tree over these primitives."""
    terminals = st.integers(0, primitives.size - 1).map(lambda code: str(primitives.terminal(code)))

    def join(parts):
        calls = [st.tuples(st.just(name), *[parts] * primitives.arity(name)) for name in primitives.functions]
        return st.one_of(calls).map(lambda words: f"({' '.join(words)})")

    return Tree.parse(draw(st.recursive(terminals, join, max_leaves=most)), primitives)


def value(node: Node, leaf: Callable[[Terminal], Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """What a tree comes to."""
    if node.is_leaf:
        return leaf(node.terminal)
    return functions[node.function](*(value(child, leaf, functions) for child in node.children))
