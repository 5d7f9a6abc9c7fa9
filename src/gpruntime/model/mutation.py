"""HVL-Prime, the mutation operator of the paper (section "HVL-Mutate′"), one operation at a time.

First one of the three operations is chosen, with probabilities in proportion to three weights (one third each by
default), then where and what:

- substitute: a uniform leaf gets a uniform terminal of L;
- insert: a uniform node v (leaf or join) is replaced by a join of v and a new leaf with a uniform terminal, the new
  leaf to the left or right of v with probability one half each;
- delete: a uniform leaf goes together with its parent; its sibling takes the parent's place.

Two points the paper leaves open are dialects:

- `last_leaf`: deleting the only leaf changes nothing ("keep") or gives the empty tree ("empty"), on which insertion
  makes a single leaf and the other operations change nothing;
- `substitute`: "leaves" as above, or "nodes", where any node is picked and a join, having no other function to
  become, stays as it is; or "functions", where a join is picked, and without one nothing changes.

Where a problem has several functions, an insertion draws one, after the place and before the terminal, and a
substitution picks any node ("nodes" is the default there): a leaf gets a uniform terminal, a join a uniform function.
Functions of another number of arguments than two: `arity`; other deletions: `unbiased`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from gpruntime.model.errors import known, whole
from gpruntime.model.stream import Stream, weight_table
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Side, Tree

Choice = TypeVar("Choice")

SUBSTITUTE, INSERT, DELETE = "substitute", "insert", "delete"
KINDS = (SUBSTITUTE, INSERT, DELETE)
LAST_LEAF = ("keep", "empty")
SUBSTITUTE_AT = ("leaves", "nodes", "functions")


SIDES: tuple[Side, Side] = ("left", "right")


def drawn(among: Sequence[Choice], stream: Stream) -> Choice:
    """A uniform one; the only one without a draw."""
    return among[stream.below(len(among)) if len(among) > 1 else 0]


def substituted(at: str, leaves: int, nodes: int) -> range:
    """The places in the register of a tree at which a substitution can be."""
    return range(leaves if at == "functions" else 0, leaves if at == "leaves" else nodes)


class Operation(NamedTuple):
    """One operation, drawn but not yet applied.

    `site` is a place in the tree's register (`gpruntime.model.tree`): a leaf's for deletion and for substitution at
    leaves, a node's otherwise; None on the empty tree. `side`, `terminal` and `function` are None where they have no
    part; J, where it is the only function, is not named. `place` and `terminals` are for functions of another number of
    arguments than two (`arity`), which have no `side`.
    """

    kind: str
    site: int | None = None
    side: Side | None = None
    terminal: Terminal | None = None
    function: str | None = None
    place: int | None = None
    terminals: tuple[Terminal, ...] = ()

    @property
    def brings(self) -> tuple[Terminal, ...]:
        """The terminals of the leaves it makes."""
        return self.terminals if self.terminal is None else (self.terminal,)


class HvlPrime:
    """The operator, with its weights and dialect fixed."""

    id = "hvl-prime"

    def __init__(
        self,
        n: int,
        weights: Sequence[float] = (1, 1, 1),
        last_leaf: str = "keep",
        substitute: str = "leaves",
        primitives: Primitives | None = None,
    ) -> None:
        self.n = whole("n", n, 1)
        self.primitives = primitives or Primitives(self.n)
        self.weights = tuple(weights)
        self.last_leaf = known("last_leaf", last_leaf, LAST_LEAF)
        self.substitute = known("substitute", substitute, SUBSTITUTE_AT)
        self._kind_table = weight_table(weights)

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        """Draws an operation for this tree: the kind, then the site (with the side), then the terminal."""
        kind = KINDS[stream.pick(self._kind_table)]
        if not tree.leaves:
            return Operation(kind, terminal=self._draw_terminal(stream) if kind == INSERT else None)
        if kind == INSERT:
            return self._draw_insertion(tree, stream)
        if kind == DELETE:
            return self._draw_deletion(tree, stream)
        sites = substituted(self.substitute, len(tree.leaves), tree.node_count)
        return self._draw_substitution(tree, sites[stream.below(len(sites))], stream) if sites else Operation(kind)

    def _draw_insertion(self, tree: Tree, stream: Stream) -> Operation:
        place = stream.below(2 * tree.node_count)  # a node and a side in one draw
        return self._draw_leaf(place // 2, SIDES[place % 2], stream)

    def _draw_leaf(self, site: int, side: Side, stream: Stream) -> Operation:
        function = drawn(self.primitives.functions, stream)
        return Operation(INSERT, site, side, self._draw_terminal(stream), function or None)

    def _draw_substitution(self, tree: Tree, site: int, stream: Stream) -> Operation:
        node = tree.node(site)
        if node.is_leaf:
            return Operation(SUBSTITUTE, site, terminal=self._draw_terminal(stream))
        return Operation(SUBSTITUTE, site, function=drawn(self.primitives.alike(node.function), stream) or None)

    def _draw_deletion(self, tree: Tree, stream: Stream) -> Operation:
        return Operation(DELETE, stream.below(len(tree.leaves)))

    def _draw_terminal(self, stream: Stream) -> Terminal:
        return self.primitives.terminal(stream.below(self.primitives.size))

    def apply(self, tree: Tree, operation: Operation) -> None:
        """Changes the tree in place."""
        kind, site, side, terminal, function, place, terminals = operation
        if kind == DELETE:
            self._delete(tree, operation)
        elif kind == INSERT and place is not None:
            assert site is not None
            tree.insert_above(site, function or "", place, terminals)
        elif kind == INSERT:
            assert terminal is not None
            tree.insert(site or 0, side or "left", terminal, function or "")
        elif site is not None and terminal is not None:
            tree.substitute(site, terminal)
        elif site is not None and function is not None:
            tree.substitute_function(site - len(tree.leaves), function)

    def _delete(self, tree: Tree, operation: Operation) -> None:
        if operation.site is not None and (len(tree.leaves) > 1 or self.last_leaf == "empty"):
            tree.delete(operation.site)

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        for kind, weight in zip(KINDS, self.weights, strict=True):
            if weight > 0:
                yield from self._of_kind(kind, tree, weight / sum(self.weights))

    def _of_kind(self, kind: str, tree: Tree, chance: float) -> Iterator[tuple[Operation, float]]:
        sites = substituted(self.substitute, len(tree.leaves), tree.node_count)
        if not tree.leaves and kind == INSERT:
            for terminal in self.primitives.terminals:
                yield Operation(INSERT, terminal=terminal), chance / self.primitives.size
        elif not tree.leaves or (kind == SUBSTITUTE and not sites):
            yield Operation(kind), chance
        elif kind == INSERT:
            for site in range(tree.node_count):
                yield from self._insertions(site, chance / tree.node_count)
        elif kind == DELETE:
            yield from self._deletions(tree, chance)
        else:
            for site in sites:
                yield from self._substitutions(tree, site, chance / len(sites))

    def _insertions(self, site: int, chance: float) -> Iterator[tuple[Operation, float]]:
        functions, terminals = self.primitives.functions, self.primitives.terminals
        for side in SIDES:
            for function in functions:
                for terminal in terminals:
                    each = chance / 2 / len(terminals) / len(functions)
                    yield Operation(INSERT, site, side, terminal, function or None), each

    def _substitutions(self, tree: Tree, site: int, chance: float) -> Iterator[tuple[Operation, float]]:
        node = tree.node(site)
        if node.is_leaf:
            for terminal in self.primitives.terminals:
                yield Operation(SUBSTITUTE, site, terminal=terminal), chance / self.primitives.size
        else:
            alike = self.primitives.alike(node.function)
            for function in alike:
                yield Operation(SUBSTITUTE, site, function=function or None), chance / len(alike)

    def _deletions(self, tree: Tree, chance: float) -> Iterator[tuple[Operation, float]]:
        for site in range(len(tree.leaves)):
            yield Operation(DELETE, site), chance / len(tree.leaves)


def mutated(tree: Tree, number: int, mutation: Any, stream: Stream) -> tuple[Tree, list[Operation]]:
    """A copy of a tree after this number of operations, one after the other, and these."""
    offspring, operations = tree.copy(), []
    for _ in range(number):
        operation = mutation.draw(offspring, stream)
        mutation.apply(offspring, operation)
        operations.append(operation)
    return offspring, operations


class TakesSubtrees(HvlPrime):
    """A deletion's `site` is the join that goes, its `side` that of the child that stays.

    Without a side it is of a leaf and changes nothing, but for the only leaf in the dialect that lets it go.
    """

    def _delete(self, tree: Tree, operation: Operation) -> None:
        if operation.site is not None and operation.side is not None:
            tree.replace_by_child(operation.site - len(tree.leaves), operation.side)
        elif operation.site is not None and self.last_leaf == "empty":
            tree.delete(operation.site)
