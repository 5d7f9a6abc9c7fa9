"""HVL, the operator that HVL-Prime simplifies (paper, section 2.2; O'Reilly 1995), for comparison.

A uniform node is chosen first, then one of the three operations:

- insert: as in HVL-Prime, a join above the chosen node with a new leaf on the other side;
- substitute: the node becomes a random primitive of the same arity: a leaf gets a uniform terminal, a join a uniform
  function, and stays as it is where J is the only one;
- delete: the node is replaced by its largest child subtree, so a whole subtree can go at once. Between children of
  equal size a fair coin decides. A leaf has no child subtree: nothing changes.

The last sentences of "delete" are our reading where the paper is silent. Functions of another number of arguments than
two: `arity`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpruntime.model.mutation import DELETE, INSERT, KINDS, SUBSTITUTE, Operation, TakesSubtrees
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Node, Side, Tree, walk

SIDES: tuple[Side, Side] = ("left", "right")


class Hvl(TakesSubtrees):
    """The operator; `Operation.site` is always a node's place in the register."""

    id = "hvl"

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        """Draws an operation for this tree: the site, then the kind, then the side and the terminal it needs."""
        site = stream.below(tree.node_count)
        kind = KINDS[stream.pick(self._kind_table)]
        node = tree.node(site)
        if kind == INSERT:
            side: Side = "right" if stream.below(2) else "left"
            function = self._draw_function(stream)
            return Operation(INSERT, site, side, self._draw_terminal(stream), function)
        if kind == SUBSTITUTE and node.is_leaf:
            return Operation(SUBSTITUTE, site, None, self._draw_terminal(stream))
        if kind == SUBSTITUTE:
            return Operation(SUBSTITUTE, site, function=self._draw_function(stream))
        if node.is_leaf:
            return Operation(DELETE, site)
        places = largest_children(node)
        return Operation(DELETE, site, SIDES[places[stream.below(2) if len(places) == 2 else 0]])

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        terminals = [self.primitives.terminal(code) for code in range(self.primitives.size)]
        functions = [name or None for name in self.primitives.functions]
        substitute, insert, delete = (w / sum(self.weights) / tree.node_count for w in self.weights)
        for site in range(tree.node_count):
            node = tree.node(site)
            each = insert / 2 / len(terminals) / len(functions)
            for side in SIDES:
                for function in functions:
                    for terminal in terminals:
                        yield Operation(INSERT, site, side, terminal, function), each
            if node.is_leaf:
                yield Operation(DELETE, site), delete
                for terminal in terminals:
                    yield Operation(SUBSTITUTE, site, None, terminal), substitute / len(terminals)
            else:
                for function in functions:
                    yield Operation(SUBSTITUTE, site, function=function), substitute / len(functions)
                places = largest_children(node)
                for place in places:
                    yield Operation(DELETE, site, SIDES[place]), delete / len(places)


def largest_children(join: Node) -> list[int]:
    """The places of its largest children, by their nodes."""
    sizes = [sum(1 for _ in walk(child)) for child in join.children]
    return [place for place, size in enumerate(sizes) if size == max(sizes)]
