"""What problems on literals show: which of them a tree has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import ABSENT, BLOCKING, EXPRESSED, NOTHING, OfTree, Row


class OfLiterals(OfTree):
    """The literals of each variable, the wanted ones first."""

    title = "The literals that are there"

    def rows(self, tree: Tree) -> Sequence[Row]:
        """A variable each."""
        counts = Counter(tree.terminals())
        variables = range(1, self.spec.primitives.variables + 1)
        terminal = self.spec.primitives.terminal_of
        return [
            self.row(i, counts[terminal(i, False)], counts[terminal(i, True)] if self.signed else 0) for i in variables
        ]

    def row(self, i: int, plain: int, bar: int) -> Row:
        """A variable, from how many of its leaves are plain and how many negated."""
        raise NotImplementedError

    def told(self, i: int, right: bool, text: str, words: str) -> Row:
        """A variable that is there."""
        wanted = "" if i <= self.n else ", not wanted"
        return Row(EXPRESSED if right else BLOCKING, int(not right), int(right), text, f"x{i}: {words}{wanted}")

    def absent(self, i: int, words: str = "absent") -> Row:
        """A variable that is not."""
        return Row(ABSENT, 0, 0, f"{NOTHING}{i}", f"x{i}: {words}{'' if i <= self.n else ', not wanted'}")
