"""Hypothesis strategies for trees and settings."""

from __future__ import annotations

from hypothesis import strategies as st

from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree


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
