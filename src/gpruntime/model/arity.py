"""HVL-Prime and the original HVL for functions of any number of arguments.

Where all functions have two arguments, `mutation` and `hvl` say what is drawn. Otherwise

- **insert**: a uniform node v and a uniform function f are drawn. v is replaced by a call of f in which v has a
  uniform place among the arguments, and new leaves with uniform terminals have the others.
- **substitute**: as before; a join that is picked gets a uniform function of as many arguments.
- **delete**: one is picked uniformly of the leaves and of the joins with one argument. A join with one argument is
  replaced by its argument. A leaf goes together with the functions of one argument above it, which would be left with
  nothing, and with the next function above those: that one is replaced by one of its other arguments, drawn uniformly.
  (Of two arguments there is one other. Of three, the one that is not drawn goes with all that is below it.) Where there
  is no such function the leaf is the only one of the tree: the dialect `last_leaf` says what becomes of it.

With functions of two arguments alone this is HVL-Prime. Every insertion can be undone by one deletion: of the new join
if it has one argument, and of any of its new leaves, v being drawn to stay, if it has more. Could only leaves be
picked, as in HVL-Prime, a function of one argument above a join would stay until all leaves below it but one had gone.

The original HVL substitutes and inserts in the same way, at the node that it has picked. Its deletion replaces the node
by a uniform one of its largest children, by their nodes.

**Draws.** HVL-Prime: the kind; the original HVL: the node, then the kind. Then, for an insertion, the node (HVL-Prime),
the function, the place, the terminals from left to right; for a deletion, one of the leaves and, behind them, the joins
with one argument, in the order of the register, and which argument stays. A choice between one thing needs no draw, but
for nodes and terminals.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from gpruntime.model.hvl import Hvl
from gpruntime.model.mutation import DELETE, INSERT, HvlPrime, Operation, drawn
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Node, Tree


class AnyArity(HvlPrime):
    """What both have in common; `Operation.place` is v's among the arguments, or of the argument that stays."""

    def _draw_above(self, site: int, stream: Stream) -> Operation:
        primitives = self.primitives
        function = drawn(primitives.functions, stream)
        place = drawn(range(primitives.arity(function)), stream)
        terminals = [self._draw_terminal(stream) for _ in range(primitives.arity(function) - 1)]
        return Operation(INSERT, site, function=function, place=place, terminals=tuple(terminals))

    def _insertions(self, site: int, chance: float) -> Iterator[tuple[Operation, float]]:
        functions, terminals = self.primitives.functions, self.primitives.terminals
        for function in functions:
            arity = self.primitives.arity(function)
            each = chance / len(functions) / arity / len(terminals) ** (arity - 1)
            for place in range(arity):
                for some in itertools.product(terminals, repeat=arity - 1):
                    yield Operation(INSERT, site, function=function, place=place, terminals=some), each


class AnyHvlPrime(AnyArity):
    """HVL-Prime."""

    def _draw_insertion(self, tree: Tree, stream: Stream) -> Operation:
        return self._draw_above(stream.below(tree.node_count), stream)

    def _draw_deletion(self, tree: Tree, stream: Stream) -> Operation:
        sites = deletable(tree)
        site = sites[stream.below(len(sites))]
        places = what_stays(tree.node(site))[1]
        return Operation(DELETE, site, place=drawn(places, stream) if places else None)

    def _delete(self, tree: Tree, operation: Operation) -> None:
        if operation.site is None:
            return
        join, _ = what_stays(tree.node(operation.site))
        if join is not None and operation.place is not None:
            tree.replace_by_child(join.index, operation.place)
        elif self.last_leaf == "empty":
            tree.root, tree.leaves, tree.joins = None, [], []

    def _deletions(self, tree: Tree, chance: float) -> Iterator[tuple[Operation, float]]:
        sites = deletable(tree)
        for site in sites:
            places: Sequence[int | None] = what_stays(tree.node(site))[1] or [None]
            for place in places:
                yield Operation(DELETE, site, place=place), chance / len(sites) / len(places)


class AnyHvl(AnyArity, Hvl):
    """The original HVL."""

    def _keeping(self, site: int, place: int) -> Operation:
        return Operation(DELETE, site, place=place)

    def _delete(self, tree: Tree, operation: Operation) -> None:
        if operation.site is not None and operation.place is not None:
            tree.replace_by_child(operation.site - len(tree.leaves), operation.place)


ANY_ARITY: Mapping[str, type[HvlPrime]] = MappingProxyType({kind.id: kind for kind in (AnyHvlPrime, AnyHvl)})
"""Our operators for such functions, by their names."""


def deletable(tree: Tree) -> list[int]:
    """The nodes that a deletion of HVL-Prime can pick."""
    leaves = len(tree.leaves)
    return [*range(leaves), *(leaves + join.index for join in tree.joins if len(join.children) == 1)]


def what_stays(node: Node) -> tuple[Node | None, list[int]]:
    """The join that goes when this node is deleted, and the places of its children that can stay in its stead.

    No join, if the node is the only leaf of the tree.
    """
    if not node.is_leaf:
        return node, [0]
    while node.parent is not None and len(node.parent.children) == 1:
        node = node.parent
    join = node.parent
    return join, [] if join is None else [place for place, child in enumerate(join.children) if child is not node]
