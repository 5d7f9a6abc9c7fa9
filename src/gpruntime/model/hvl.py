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

from gpruntime.model.mutation import DELETE, INSERT, KINDS, SIDES, SUBSTITUTE, Operation, TakesSubtrees, drawn
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Node, Tree, walk


class Hvl(TakesSubtrees):
    """The operator; `Operation.site` is always a node's place in the register."""

    id = "hvl"

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        """Draws an operation for this tree: the site, then the kind, then the side and the terminal it needs."""
        site = stream.below(tree.node_count)
        kind = KINDS[stream.pick(self._kind_table)]
        if kind == INSERT:
            return self._draw_above(site, stream)
        if kind == SUBSTITUTE:
            return self._draw_substitution(tree, site, stream)
        node = tree.node(site)
        return Operation(DELETE, site) if node.is_leaf else self._keeping(site, drawn(largest_children(node), stream))

    def _draw_above(self, site: int, stream: Stream) -> Operation:
        return self._draw_leaf(site, SIDES[stream.below(2)], stream)

    def _keeping(self, site: int, place: int) -> Operation:
        """The deletion of a join that keeps its child in this place."""
        return Operation(DELETE, site, SIDES[place])

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        substitute, insert, delete = (weight / sum(self.weights) / tree.node_count for weight in self.weights)
        for site in range(tree.node_count):
            yield from self._insertions(site, insert)
            places = largest_children(tree.node(site))
            if not places:
                yield Operation(DELETE, site), delete
            yield from self._substitutions(tree, site, substitute)
            for place in places:
                yield self._keeping(site, place), delete / len(places)


def largest_children(join: Node) -> list[int]:
    """The places of its largest children, by their nodes."""
    sizes = [sum(1 for _ in walk(child)) for child in join.children]
    return [place for place, size in enumerate(sizes) if size == max(sizes)]
