"""HVL-Prime with another law of what is deleted: node-unbiased, or depth-unbiased, deletion.

A node u other than the root is drawn, and its parent is replaced by its sibling: so u goes with all that is below it.

- `node-unbiased`: u is uniform among the nodes other than the root;
- `depth-unbiased`: first a depth is drawn uniformly, from 1 to that of the deepest leaf, then u uniformly among the
  nodes of this depth. The root has depth 0.

A tree that is one leaf stays as it is. Substitutions and insertions are HVL-Prime's; functions must have two arguments.
Whatever leaf HVL-Prime can delete, these can, so what the proofs say of paths of single operations holds here too.

**Draws.** The depth, if there is more than one. Then one number for the parent and which of its children stays: twice
the place of the parent, plus 1 for the right child. Node-unbiased, parents are in the order of the register;
depth-unbiased, from left to right. The definitions are those of a program by authors of the field's later papers
(TinyverseGP, branch runtime-analysis), which has them in no paper that was found.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpruntime.model.mutation import DELETE, SIDES, Operation, TakesSubtrees
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Node, Tree


class NodeUnbiased(TakesSubtrees):
    """With node-unbiased deletion."""

    id = "node-unbiased"

    def _parents(self, tree: Tree) -> list[list[Node]]:
        """Groups of joins: one is drawn uniformly, then one of all the children in it."""
        return [tree.joins]

    def _draw_deletion(self, tree: Tree, stream: Stream) -> Operation:
        if not tree.joins:
            return Operation(DELETE, 0)
        groups = self._parents(tree)
        group = groups[stream.below(len(groups)) if len(groups) > 1 else 0]
        place = stream.below(2 * len(group))
        return Operation(DELETE, len(tree.leaves) + group[place // 2].index, SIDES[place % 2])

    def _deletions(self, tree: Tree, chance: float) -> Iterator[tuple[Operation, float]]:
        if not tree.joins:
            yield Operation(DELETE, 0), chance
            return
        groups = self._parents(tree)
        for group in groups:
            for join in group:
                for side in SIDES:
                    yield Operation(DELETE, len(tree.leaves) + join.index, side), chance / len(groups) / len(group) / 2


class DepthUnbiased(NodeUnbiased):
    """With depth-unbiased deletion: a group has the joins of one depth, from left to right."""

    id = "depth-unbiased"

    def _parents(self, tree: Tree) -> list[list[Node]]:
        groups: list[list[Node]] = []
        group = [] if tree.root is None else [tree.root]
        while group := [node for node in group if not node.is_leaf]:
            groups.append(group)
            group = [child for node in group for child in node.children]
        return groups
