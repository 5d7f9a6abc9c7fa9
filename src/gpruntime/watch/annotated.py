"""A tree with its annotations kept up to date, and what a step changed of them.

Where the fitness is a sum over variables, only the variables that a step touches can change, so a step costs the
occurrences of these, and not the tree. Otherwise the problem is asked anew after each accepted step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpruntime.model.arity import AnyHvlPrime
from gpruntime.model.errors import BadPart
from gpruntime.model.mutation import DELETE, INSERT, Operation, TakesSubtrees
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Node, Tree, walk
from gpruntime.watch.annotations import LEAF_STANDINGS, OfTree, OfVariables, Row, Variable
from gpruntime.watch.undo import goes

_FEW = 16  # up to this number, leaves are put in order by their paths; else the tree is walked until the first


class Changes(NamedTuple):
    """What an accepted step changed: leaves by their places in the register after it, rows by their own places."""

    leaves: list[tuple[int, str]]
    rows: list[tuple[int, Row]]


NONE = Changes([], [])


class AnnotatedTree:
    """What both have in common.

    Attributes:
        of_leaf: how each leaf stands.
        rows: the panel of variables.
    """

    def __init__(self) -> None:
        self.of_leaf: dict[Node, str] = {}
        self.rows: list[Row] = []

    def before(self, operation: Operation) -> None:
        """An operation is about to be made."""

    def after(self, operation: Operation) -> None:
        """It has been made."""

    def seen(self) -> list[tuple[Variable, Variable]]:
        """The variables that the present step touches, as they were and as they are."""
        return []

    def rejected(self) -> None:
        """The step was rejected, and its operations taken back."""

    def accepted(self) -> Changes:
        """The step was accepted."""
        raise NotImplementedError

    def _change_row(self, place: int, row: Row) -> list[tuple[int, Row]]:
        if self.rows[place] == row:
            return []
        self.rows[place] = row
        return [(place, row)]

    def _change_leaf(self, leaf: Node, standing: str) -> list[tuple[int, str]]:
        if self.of_leaf.get(leaf) == standing:
            return []
        self.of_leaf[leaf] = standing
        return [(leaf.index, standing)]


class _AnnotatedByVariables(AnnotatedTree):
    """Of a problem whose fitness is a sum over variables."""

    def __init__(self, spec: RunSpec, annotations: OfVariables, tree: Tree) -> None:
        super().__init__()
        self._spec, self._annotations, self._tree = spec, annotations, tree
        self._ordered = spec.problem.sees == "first"
        self._leaves_of: defaultdict[int, tuple[set[Node], set[Node]]] = defaultdict(lambda: (set(), set()))
        self._first_of: dict[int, Node] = {}
        self._log: list[tuple[set[Node], Node, bool]] = []  # what the present step did to the sets
        self._touched: dict[int, None] = {}  # in the order in which a step came upon them
        self._going: list[Node] = []
        self._gone: list[Node] = []
        self._fresh: set[Node] = set()
        self._count = 0
        for leaf in tree.leaves_in_order():
            terminal = terminal_of(leaf)
            self._leaves_of[terminal.variable][terminal.negated].add(leaf)
            if self._ordered:
                self._first_of.setdefault(terminal.variable, leaf)
        self.variables = {i: self._look(i, self._first_of.get(i)) for i in range(1, spec.primitives.variables + 1)}
        self.rows = [annotations.row(variable) for variable in self.variables.values()]
        for leaf in tree.leaves:
            self.of_leaf[leaf] = self._leaf(leaf)

    # ---- a step

    def before(self, operation: Operation) -> None:
        """The leaves whose terminals go are forgotten."""
        self._going = self._leaves_going(operation)
        coming = (terminal.variable for terminal in operation.brings)
        for variable in {*(terminal_of(leaf).variable for leaf in self._going), *coming}:
            self._touched.setdefault(variable)
        self._count = len(self._tree.leaves)
        self._gone += self._going
        self._enter(self._going, is_there=False)

    def after(self, operation: Operation) -> None:
        """Those that have come, or have stayed after all, are remembered."""
        come = self._going if self._count == len(self._tree.leaves) else []
        if operation.kind == INSERT:
            come = self._tree.leaves[self._count :]
        self._enter(come, is_there=True)
        self._fresh.update(come)

    def seen(self) -> list[tuple[Variable, Variable]]:
        return [(self.variables[i], self._look(i)) for i in self._touched]

    def rejected(self) -> None:
        for leaves, leaf, was_added in reversed(self._log):
            if was_added:
                leaves.discard(leaf)
            else:
                leaves.add(leaf)
        self._forget_step()

    def accepted(self) -> Changes:
        for leaf in self._gone:
            if not self._is_there(leaf):
                self.of_leaf.pop(leaf, None)
        leaves: list[tuple[int, str]] = []
        rows: list[tuple[int, Row]] = []
        for before, after in self.seen():
            i = after.number
            self.variables[i] = after
            for leaf in sorted(self._looked_at(before, after), key=lambda leaf: leaf.index):
                leaves += self._change_leaf(leaf, self._leaf(leaf))
            rows += self._change_row(i - 1, self._annotations.row(after))
        self._forget_step()
        return Changes(leaves, rows)

    def _forget_step(self) -> None:
        self._log, self._gone, self._touched, self._fresh = [], [], {}, set()

    def _looked_at(self, before: Variable, after: Variable) -> set[Node]:
        """The leaves of a variable whose standing can have changed."""
        i, (plain, bar) = after.number, self._leaves_of[after.number]
        candidates = {leaf for leaf in self._fresh if leaf in plain or leaf in bar}
        if self._ordered:
            old = self._first_of.pop(i, None)
            if not after.is_absent:
                self._first_of[i] = new = self._first(i)
                candidates.add(new)
            if old is not None and (old in plain or old in bar):
                candidates.add(old)
        for negated in (False, True):
            if self._annotations.leaf(before, negated, False) != self._annotations.leaf(after, negated, False):
                candidates |= bar if negated else plain
        return candidates

    # ---- the leaves of each variable

    def _leaves_going(self, operation: Operation) -> list[Node]:
        """The leaves whose terminal leaves the tree, if the operation finds any."""
        site, tree = operation.site, self._tree
        if operation.kind == INSERT or site is None:
            return []
        mutation = self._spec.mutation
        if operation.kind == DELETE and isinstance(mutation, TakesSubtrees | AnyHvlPrime):
            join, kept = goes(tree, mutation, operation)
            if join is None or kept is None:  # the only leaf, or none: `after` asks whether it has gone
                return tree.leaves[:] if len(tree.leaves) == 1 else []
            stay = set(walk(kept))
            return [node for node in walk(join) if node.is_leaf and node not in stay]
        return [tree.leaves[site]] if site < len(tree.leaves) else []

    def _enter(self, leaves: Iterable[Node], is_there: bool) -> None:
        for leaf in leaves:
            terminal = terminal_of(leaf)
            leaves_of = self._leaves_of[terminal.variable][terminal.negated]
            if is_there:
                leaves_of.add(leaf)
            else:
                leaves_of.discard(leaf)
            self._log.append((leaves_of, leaf, is_there))

    def _is_there(self, leaf: Node) -> bool:
        return leaf.index < len(self._tree.leaves) and self._tree.leaves[leaf.index] is leaf

    def _look(self, i: int, first: Node | None = None) -> Variable:
        plain, bar = self._leaves_of[i]
        sign = 1 if plain else 0 if bar else -1
        if self._ordered and plain and bar:
            sign = int(not terminal_of(first or self._first(i)).negated)
        return self._annotations.variable(i, len(plain), len(bar), sign)

    def _first(self, i: int) -> Node:
        plain, bar = self._leaves_of[i]
        if len(plain) + len(bar) > _FEW:
            assert self._tree.root is not None
            return next(node for node in walk(self._tree.root) if node in plain or node in bar)
        return min(plain | bar, key=_path)

    def _leaf(self, leaf: Node) -> str:
        i, negated = terminal_of(leaf)
        return self._annotations.leaf(self.variables[i], negated, self._first_of.get(i) is leaf)


class _AnnotatedByProblem(AnnotatedTree):
    """Of any other problem."""

    def __init__(self, annotations: OfTree, tree: Tree) -> None:
        super().__init__()
        self._annotations, self._tree = annotations, tree
        self.rows = list(self._asked_rows())
        self.accepted()

    def accepted(self) -> Changes:
        standings = list(self._annotations.leaves(self._tree))
        if not standings and not self.rows:
            return NONE
        in_order = self._tree.leaves_in_order() if standings else []
        if len(standings) != len(in_order) or not set(standings) <= set(LEAF_STANDINGS):
            raise BadPart(
                "problem", self._annotations.problem.id, "its page must say one of the standings for each leaf"
            )
        before, self.of_leaf = self.of_leaf, {}
        leaves = [
            (leaf.index, word) for leaf, word in zip(in_order, standings, strict=True) if before.get(leaf) != word
        ]
        self.of_leaf = dict(zip(in_order, standings, strict=True))
        rows = [change for place, row in enumerate(self._asked_rows()) for change in self._change_row(place, row)]
        return Changes(leaves, rows)

    def _asked_rows(self) -> Sequence[Row]:
        rows = self._annotations.rows(self._tree) if self._annotations.title else ()
        if self.rows and len(rows) != len(self.rows):
            raise BadPart("problem", self._annotations.problem.id, "its page must always say as many rows")
        return rows


def annotated(spec: RunSpec, annotations: OfVariables | OfTree, tree: Tree) -> AnnotatedTree:
    """This tree, annotated."""
    if isinstance(annotations, OfVariables):
        return _AnnotatedByVariables(spec, annotations, tree)
    return _AnnotatedByProblem(annotations, tree)


def terminal_of(leaf: Node) -> Terminal:
    """The terminal of what is known to be a leaf."""
    assert leaf.terminal is not None
    return leaf.terminal


def _path(node: Node) -> list[int]:
    """The places from the root to a leaf: leaves from left to right have ascending paths."""
    turns = []
    while node.parent is not None:
        turns.append(node.place)
        node = node.parent
    return turns[::-1]
