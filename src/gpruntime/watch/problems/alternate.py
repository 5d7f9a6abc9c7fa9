"""ALTERNATE on the page: the variables, and the joins that have one of their own kind below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import ABSENT, BLOCKING, EXPRESSED, HIDDEN, NOTHING, OfTree, Row


class _Alternate(OfTree):
    """The variables, and after them the bad pairs."""

    title = "The variables; last, the bad pairs of joins"

    def __init__(self, spec: RunSpec) -> None:
        super().__init__(spec)
        self._by_order = self.problem.parameters["terminals"] == "order"
        blocking = "x̄1 comes first" if self._by_order else "x̄1 outnumbers x1"
        self.legend = {
            EXPRESSED: "expressed: it counts",
            BLOCKING: f"blocking: {blocking}",
            HIDDEN: "it does not count",
        }

    def leaves(self, tree: Tree) -> Sequence[str]:
        expressed, standings, seen = self._expressed(tree), list[str](), set[int]()
        for variable, negated in tree.terminals():
            hidden = variable in seen if self._by_order else negated == (variable in expressed)
            seen.add(variable)
            standings.append(HIDDEN if hidden else EXPRESSED if variable in expressed else BLOCKING)
        return standings

    def rows(self, tree: Tree) -> Sequence[Row]:
        expressed, there = self._expressed(tree), {terminal.variable for terminal in tree.terminals()}
        rows = []
        for i in range(1, self.n + 1):
            if i not in there:
                rows.append(Row(ABSENT, 0, 0, f"{NOTHING}{i}", f"x{i}: absent"))
            elif i in expressed:
                rows.append(Row(EXPRESSED, 0, 1, f"x{i}", f"x{i}: expressed"))
            else:
                rows.append(Row(BLOCKING, 1, 0, f"x\u0304{i}", f"x{i}: not expressed"))
        bad = sum(
            child.function == join.function for join in tree.joins for child in join.children if not child.is_leaf
        )
        words = f"{bad:,} bad {'pair' if bad == 1 else 'pairs'}: a join below a join of its own kind"
        return [*rows, Row(BLOCKING if bad else EXPRESSED, bad, int(not bad), f"−{bad}" if bad else "0", words)]

    def _expressed(self, tree: Tree) -> set[int]:
        terminals = tree.terminals()
        if self._by_order:
            first = dict[int, bool]()
            for variable, negated in terminals:
                first.setdefault(variable, negated)
            return {variable for variable, negated in first.items() if not negated}
        counts = Counter(terminals)
        plain = (terminal for terminal in counts if not terminal.negated)
        return {one.variable for one in plain if counts[one] >= counts[one.complement]}

    def reached(self) -> str:
        return f"all {self.n:,} variables are expressed, and the joins alternate"


ANNOTATIONS = _Alternate
