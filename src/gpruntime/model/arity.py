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

from gpruntime.model.hvl import Hvl, largest_children
from gpruntime.model.mutation import DELETE, INSERT, KINDS, SUBSTITUTE, HvlPrime, Operation, substituted
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.tree import Node, Tree


class AnyHvlPrime(HvlPrime):
    """HVL-Prime; `Operation.place` is v's among the arguments, or of the argument that stays."""

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        """See above."""
        kind = KINDS[stream.pick(self._kind_table)]
        leaves = len(tree.leaves)
        if kind == INSERT and not leaves:
            return Operation(INSERT, terminal=self._draw_terminal(stream))
        if not leaves:
            return Operation(kind)
        if kind == INSERT:
            return _drawn_insertion(stream.below(tree.node_count), self.primitives, stream)
        if kind == DELETE:
            sites = deletable(tree)
            site = sites[stream.below(len(sites))]
            places = what_stays(tree.node(site))[1]
            return Operation(DELETE, site, place=_drawn(places, stream) if places else None)
        picked = substituted(self.substitute, leaves, tree.node_count)
        if not picked:
            return Operation(kind)
        return _drawn_substitution(tree, picked[stream.below(len(picked))], self.primitives, stream)

    def apply(self, tree: Tree, operation: Operation) -> None:
        """Changes the tree in place."""
        if operation.kind != DELETE:
            _apply(tree, operation)
        elif operation.site is not None:
            join, _ = what_stays(tree.node(operation.site))
            if join is not None and operation.place is not None:
                tree.replace_by_child(join.index, operation.place)
            elif self.last_leaf == "empty":
                tree.root, tree.leaves, tree.joins = None, [], []

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        substitute, insert, delete = (weight / sum(self.weights) for weight in self.weights)
        if not tree.leaves:
            for terminal in _terminals(self.primitives):
                yield Operation(INSERT, terminal=terminal), insert / self.primitives.size
            yield Operation(SUBSTITUTE), substitute
            yield Operation(DELETE), delete
            return
        for site in range(tree.node_count):
            yield from _insertions(site, self.primitives, insert / tree.node_count)
        sites = deletable(tree)
        for site in sites:
            places = what_stays(tree.node(site))[1]
            each = delete / len(sites) / max(len(places), 1)
            yield from ((Operation(DELETE, site, place=place), each) for place in places)
            if not places:
                yield Operation(DELETE, site), each
        picked = substituted(self.substitute, len(tree.leaves), tree.node_count)
        if not picked:
            yield Operation(SUBSTITUTE), substitute
        for site in picked:
            yield from _substitutions(tree, site, self.primitives, substitute / len(picked))


class AnyHvl(Hvl):
    """The original HVL; `Operation.place` is v's among the arguments, or of the argument that stays."""

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        """See above."""
        site = stream.below(tree.node_count)
        kind = KINDS[stream.pick(self._kind_table)]
        if kind == INSERT:
            return _drawn_insertion(site, self.primitives, stream)
        if kind == SUBSTITUTE:
            return _drawn_substitution(tree, site, self.primitives, stream)
        if tree.node(site).is_leaf:
            return Operation(DELETE, site)
        return Operation(DELETE, site, place=_drawn(largest_children(tree.node(site)), stream))

    def apply(self, tree: Tree, operation: Operation) -> None:
        """Changes the tree in place."""
        if operation.kind != DELETE:
            _apply(tree, operation)
        elif operation.place is not None:
            assert operation.site is not None
            tree.replace_by_child(operation.site - len(tree.leaves), operation.place)

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        substitute, insert, delete = (weight / sum(self.weights) / tree.node_count for weight in self.weights)
        for site in range(tree.node_count):
            yield from _insertions(site, self.primitives, insert)
            yield from _substitutions(tree, site, self.primitives, substitute)
            if tree.node(site).is_leaf:
                yield Operation(DELETE, site), delete
                continue
            places = largest_children(tree.node(site))
            for place in places:
                yield Operation(DELETE, site, place=place), delete / len(places)


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


# ---- what both have in common


def _apply(tree: Tree, operation: Operation) -> None:
    site, terminal, function = operation.site, operation.terminal, operation.function
    if operation.kind == INSERT:
        if site is None:
            assert terminal is not None
            tree.insert(0, "left", terminal)
        else:
            assert function is not None
            assert operation.place is not None
            tree.insert_above(site, function, operation.place, operation.terminals)
    elif site is not None and terminal is not None:
        tree.substitute(site, terminal)
    elif site is not None and function is not None:
        tree.substitute_function(site - len(tree.leaves), function)


def _drawn(among: Sequence[int], stream: Stream) -> int:
    return among[stream.below(len(among)) if len(among) > 1 else 0]


def _drawn_insertion(site: int, primitives: Primitives, stream: Stream) -> Operation:
    functions = primitives.functions
    function = functions[_drawn(range(len(functions)), stream)]
    place = _drawn(range(primitives.arity(function)), stream)
    terminals = [primitives.terminal(stream.below(primitives.size)) for _ in range(primitives.arity(function) - 1)]
    return Operation(INSERT, site, function=function, place=place, terminals=tuple(terminals))


def _drawn_substitution(tree: Tree, site: int, primitives: Primitives, stream: Stream) -> Operation:
    node = tree.node(site)
    if node.is_leaf:
        return Operation(SUBSTITUTE, site, terminal=primitives.terminal(stream.below(primitives.size)))
    alike = primitives.alike(node.function)
    return Operation(SUBSTITUTE, site, function=alike[_drawn(range(len(alike)), stream)])


def _terminals(primitives: Primitives) -> list[Terminal]:
    return [primitives.terminal(code) for code in range(primitives.size)]


def _insertions(site: int, primitives: Primitives, chance: float) -> Iterator[tuple[Operation, float]]:
    terminals = _terminals(primitives)
    for function in primitives.functions:
        arity = primitives.arity(function)
        each = chance / len(primitives.functions) / arity / len(terminals) ** (arity - 1)
        for place in range(arity):
            for some in itertools.product(terminals, repeat=arity - 1):
                yield Operation(INSERT, site, function=function, place=place, terminals=some), each


def _substitutions(tree: Tree, site: int, primitives: Primitives, chance: float) -> Iterator[tuple[Operation, float]]:
    node = tree.node(site)
    if node.is_leaf:
        for terminal in _terminals(primitives):
            yield Operation(SUBSTITUTE, site, terminal=terminal), chance / primitives.size
        return
    alike = primitives.alike(node.function)
    for function in alike:
        yield Operation(SUBSTITUTE, site, function=function), chance / len(alike)
