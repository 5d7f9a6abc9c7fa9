"""Features of ORDER."""

from __future__ import annotations

from gpruntime.model.tree import Tree


def blocked(tree: Tree, n: int) -> int:  # noqa: ARG001
    """The variables i whose first leaf is x̄_i."""
    first: dict[int, bool] = {}
    for variable, negated in tree.terminals():
        first.setdefault(variable, negated)
    return sum(first.values())


FEATURES = {"blocked": blocked}
