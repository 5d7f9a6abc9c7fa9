"""SORTING on the page: the list r, place by place, against what its measure asks for."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import ABSENT, BLOCKING, EXPRESSED, HIDDEN, NOTHING, OfTree, Row
from gpruntime.watch.problems.ascending import longest_ascending

_RIGHT = {
    "inv": ("in order with all others", "out of order with another"),
    "ham": ("in its place", "not in its place"),
    "las": ("in a longest ascending subsequence", "not in that subsequence"),
    "run": ("goes on ascending", "begins a new ascending block"),
    "exc": ("in its place by rank", "to be exchanged"),
}
_ASKS = {
    "inv": "The fitness is twice the number of pairs of its elements that are in order.",
    "ham": "The fitness is the number of elements that are in their place.",
    "las": "The fitness is the length of its longest ascending subsequence.",
    "run": "The fitness is the number of ascending blocks, plus the elements that are missing; it is to be small.",
    "exc": "The fitness is the number of exchanges that sort it, and more if elements are missing; it is to be small.",
}


class _Sorting(OfTree):
    """The list."""

    title = "The list, place by place"

    def __init__(self, spec: RunSpec) -> None:
        super().__init__(spec)
        self._measure = str(self.problem.parameters["measure"])
        right, wrong = _RIGHT[self._measure]
        self.legend = {EXPRESSED: right, BLOCKING: wrong, HIDDEN: "the element came before: it does not count"}

    def leaves(self, tree: Tree) -> Sequence[str]:
        elements = [terminal.variable for terminal in tree.terminals()]
        of_element = dict(zip(*self._list(elements), strict=True))
        return [of_element.pop(element, HIDDEN) for element in elements]

    def rows(self, tree: Tree) -> Sequence[Row]:
        elements, standings = self._list([terminal.variable for terminal in tree.terminals()])
        rows = []
        for place, (element, standing) in enumerate(zip(elements, standings, strict=True), 1):
            words = f"place {place}: x{element}, {self.legend[standing]}"
            rows.append(Row(standing, int(standing == BLOCKING), int(standing == EXPRESSED), f"x{element}", words))
        return rows + [Row(ABSENT, 0, 0, NOTHING, f"place {i}: empty") for i in range(len(rows) + 1, self.n + 1)]

    def _list(self, elements: list[int]) -> tuple[list[int], list[str]]:
        """r, and how each of its elements stands."""
        r = list(dict.fromkeys(elements))
        if self._measure == "las":
            places = longest_ascending(r)
            right = [place in places for place in range(len(r))]
        elif self._measure == "ham":
            right = [element == place for place, element in enumerate(r, 1)]
        elif self._measure == "run":
            right = [place == 0 or r[place - 1] < r[place] for place in range(len(r))]
        elif self._measure == "exc":
            right = [element == by_rank for element, by_rank in zip(r, sorted(r), strict=True)]
        else:
            right = _in_order(r)
        return r, [EXPRESSED if one else BLOCKING for one in right]

    def definition(self) -> str:
        return (
            "Read the leaves from left to right and keep the first occurrence of each element: a list. "
            f"{_ASKS[self._measure]} The best is the whole list x1 … x{self.n:,} in order."
        )

    def reached(self) -> str:
        return f"the list is x1 … x{self.n:,} in order"


def _in_order(r: list[int]) -> list[bool]:
    """Which elements are larger than all before them and smaller than all after them."""
    least, after = len(r) and max(r) + 1, []
    for element in reversed(r):
        after.append(least)
        least = min(least, element)
    most, right = 0, []
    for element, least_after in zip(r, reversed(after), strict=True):
        right.append(most < element < least_after)
        most = max(most, element)
    return right


ANNOTATIONS = _Sorting
