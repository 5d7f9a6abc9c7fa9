"""Features of MAJORITY."""

from __future__ import annotations

from collections import Counter

from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree


def burden(tree: Tree, n: int) -> int:
    """The leaves x̄_i of all variables i that are not expressed."""
    counts = Counter(tree.terminals())
    pairs = ([counts[Terminal(i, False)], counts[Terminal(i, True)]] for i in range(1, n + 1))
    return sum(bars for plain, bars in pairs if plain < bars)


FEATURES = {"burden": burden}
