"""MAX on the page: how full each level of the tree is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Node, Tree
from gpruntime.watch.annotations import ABSENT, BLOCKING, EXPRESSED, OfTree, Row

_SIGNS = {"add": "+", "mul": "×"}


class _Max(OfTree):
    """The levels from the root down: joins, and leaves on the last one."""

    def __init__(self, spec: RunSpec) -> None:
        super().__init__(spec)
        self._depth = int(self.problem.data(spec.n)[0])
        self.title = "How full each level is: its joins, and on the last its leaves"

    def rows(self, tree: Tree) -> Sequence[Row]:
        counts: list[Counter[str]] = [Counter() for _ in range(self._depth + 1)]
        waiting: list[tuple[Node, int]] = [(tree.root, 0)] if tree.root is not None else []
        while waiting:
            node, level = waiting.pop()
            if level < self._depth:
                counts[level][node.function or ""] += not node.is_leaf
            else:
                counts[self._depth][""] += 1  # whatever hangs below is beyond the limit
                continue
            waiting += [(child, level + 1) for child in node.children]
        return [self._row(level, of_level) for level, of_level in enumerate(counts)]

    def _row(self, level: int, counts: Counter[str]) -> Row:
        there, most = counts.total(), 2**level
        kind = "joins" if level < self._depth else "leaves"
        signs = "".join(f" {counts[name]}{sign}" for name, sign in _SIGNS.items() if len(self.problem.functions) > 1)
        text = f"{there}/{most}{signs if level < self._depth else ''}"
        standing = EXPRESSED if there == most else BLOCKING if there else ABSENT
        return Row(
            standing,
            int(standing == BLOCKING),
            int(standing == EXPRESSED),
            text,
            f"level {level}: {there:,} of {most:,} {kind}",
        )

    def reached(self) -> str:
        return "no tree of this depth has a larger value"


ANNOTATIONS = _Max
