"""ORDER-AND-MAJORITY on the page: which variables are clean, and which of these are in order."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import ABSENT, BLOCKING, EXPRESSED, HIDDEN, NOTHING, OfTree, Row
from gpruntime.watch.problems.ascending import longest_ascending


class _OrderAndMajority(OfTree):
    """The variables."""

    title = "The variables: clean and in order, or not"
    legend = {  # noqa: RUF012
        EXPRESSED: "in the longest ascending list of clean variables",
        BLOCKING: "a complement, or the first of a clean variable that is out of order",
        HIDDEN: "it does not matter",
    }

    def leaves(self, tree: Tree) -> Sequence[str]:
        terminals = tree.terminals()
        chosen, first = self._chosen(tree), dict[int, int]()
        for place, terminal in enumerate(terminals):
            first.setdefault(terminal.variable, place)
        unclean = {variable for variable, negated in terminals if negated}
        return [
            BLOCKING if negated
            else HIDDEN if variable in unclean or first[variable] != place
            else EXPRESSED if variable in chosen
            else BLOCKING
            for place, (variable, negated) in enumerate(terminals)
        ]  # fmt: skip

    def rows(self, tree: Tree) -> Sequence[Row]:
        terminals, chosen = tree.terminals(), self._chosen(tree)
        there, unclean = {one.variable for one in terminals}, {one.variable for one in terminals if one.negated}
        return [self._row(i, i in there, i in unclean, i in chosen) for i in range(1, self.n + 1)]

    def _row(self, i: int, there: bool, unclean: bool, chosen: bool) -> Row:
        if not there:
            return Row(ABSENT, 0, 0, f"{NOTHING}{i}", f"x{i}: absent")
        if chosen:
            return Row(EXPRESSED, 0, 1, f"x{i}", f"x{i}: clean and in order")
        text = f"x\u0304{i}" if unclean else f"x{i}"
        return Row(BLOCKING, 1, 0, text, f"x{i}: {'its complement is there' if unclean else 'clean, but out of order'}")

    def _chosen(self, tree: Tree) -> set[int]:
        """The variables of a longest ascending list."""
        terminals = tree.terminals()
        unclean = {variable for variable, negated in terminals if negated}
        clean = list(dict.fromkeys(variable for variable, _ in terminals if variable not in unclean))
        return {clean[place] for place in longest_ascending(clean)}

    def reached(self) -> str:
        return f"x1 … x{self.n:,} are there in order, and no complement"


ANNOTATIONS = _OrderAndMajority
