"""Features of MAJORITY, and how it goes on beyond all counts."""

from __future__ import annotations

from collections import Counter

from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree
from gpruntime.theory.cells import Beyond


def burden(tree: Tree, n: int) -> int:
    """The leaves x̄_i of all variables i that are not expressed."""
    counts = Counter(tree.terminals())
    pairs = ([counts[Terminal(i, False)], counts[Terminal(i, True)]] for i in range(1, n + 1))
    return sum(bars for plain, bars in pairs if plain < bars)


FEATURES = {"burden": burden}
BEYOND = Beyond(counts=1, difference=1, degrees={"burden": 1})  # c(x_i) ≥ 1, and which count is larger
