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
from typing import NamedTuple

from gpruntime.model.errors import known, whole
from gpruntime.model.stream import Stream, weight_table
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Side, Tree

SUBSTITUTE, INSERT, DELETE = "substitute", "insert", "delete"
KINDS = (SUBSTITUTE, INSERT, DELETE)
LAST_LEAF = ("keep", "empty")
SUBSTITUTE_AT = ("leaves", "nodes", "functions")


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
        leaves, nodes = len(tree.leaves), tree.node_count
        if kind == INSERT:
            site: int | None = None
            side: Side | None = None
            if leaves:
                place = stream.below(2 * nodes)  # a node and a side in one draw
                site, side = place // 2, "right" if place % 2 else "left"
            function = self._draw_function(stream) if leaves else None
            return Operation(INSERT, site, side, self._draw_terminal(stream), function)
        if not leaves:
            return Operation(kind)
        if kind == DELETE:
            return self._draw_deletion(tree, stream)
        sites = substituted(self.substitute, leaves, nodes)
        if not sites:
            return Operation(kind)
        site = sites[stream.below(len(sites))]
        if site < leaves:
            return Operation(SUBSTITUTE, site, None, self._draw_terminal(stream))
        return Operation(SUBSTITUTE, site, function=self._draw_function(stream))

    def _draw_deletion(self, tree: Tree, stream: Stream) -> Operation:
        return Operation(DELETE, stream.below(len(tree.leaves)))

    def _draw_terminal(self, stream: Stream) -> Terminal:
        return self.primitives.terminal(stream.below(self.primitives.size))

    def _draw_function(self, stream: Stream) -> str | None:
        functions = self.primitives.functions
        return functions[stream.below(len(functions))] if len(functions) > 1 else functions[0] or None

    def apply(self, tree: Tree, operation: Operation) -> None:
        """Changes the tree in place."""
        kind, site, side, terminal, function, *_ = operation
        if kind == INSERT:
            assert terminal is not None
            tree.insert(site or 0, side or "left", terminal, function or "")
        elif kind == DELETE:
            self._delete(tree, operation)
        elif terminal is not None:
            assert site is not None
            tree.substitute(site, terminal)
        elif function is not None:
            assert site is not None
            tree.substitute_function(site - len(tree.leaves), function)

    def _delete(self, tree: Tree, operation: Operation) -> None:
        if operation.site is not None and (len(tree.leaves) > 1 or self.last_leaf == "empty"):
            tree.delete(operation.site)

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        leaves, nodes = len(tree.leaves), tree.node_count
        total = sum(self.weights)
        terminals = [self.primitives.terminal(code) for code in range(self.primitives.size)]
        functions = [name or None for name in self.primitives.functions]
        for kind, weight in zip(KINDS, self.weights, strict=True):
            chance = weight / total
            if weight == 0:
                continue
            if kind == INSERT:
                places: list[tuple[int | None, Side | None]]
                places = [(i, side) for i in range(nodes) for side in ("left", "right")] or [(None, None)]
                drawn = functions if leaves else [None]
                each = chance / len(places) / len(terminals) / len(drawn)
                for site, side in places:
                    for function in drawn:
                        for terminal in terminals:
                            yield Operation(INSERT, site, side, terminal, function), each
            elif not leaves:
                yield Operation(kind), chance
            elif kind == DELETE:
                yield from self._deletions(tree, chance)
            else:
                sites = substituted(self.substitute, leaves, nodes)
                if not sites:
                    yield Operation(kind), chance
                for site in sites:
                    each = chance / len(sites)
                    if site >= leaves:
                        for function in functions:
                            yield Operation(SUBSTITUTE, site, function=function), each / len(functions)
                        continue
                    for terminal in terminals:
                        yield Operation(SUBSTITUTE, site, None, terminal), each / len(terminals)

    def _deletions(self, tree: Tree, chance: float) -> Iterator[tuple[Operation, float]]:
        for site in range(len(tree.leaves)):
            yield Operation(DELETE, site), chance / len(tree.leaves)


class TakesSubtrees(HvlPrime):
    """A deletion's `site` is the join that goes, its `side` that of the child that stays.

    Without a side it is of a leaf and changes nothing, but for the only leaf in the dialect that lets it go.
    """

    def _delete(self, tree: Tree, operation: Operation) -> None:
        if operation.site is not None and operation.side is not None:
            tree.replace_by_child(operation.site - len(tree.leaves), operation.side)
        elif operation.site is not None and self.last_leaf == "empty":
            tree.delete(operation.site)
