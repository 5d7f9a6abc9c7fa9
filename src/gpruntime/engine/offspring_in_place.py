"""Offspring of trees in a population that are judged in their parent's slot, and made where they will live.

Where a problem sees counts or first occurrences, an offspring is drawn, its operations are made to its parent and taken
back, and what they gain is known: O(1) for each. Only an offspring that enters the population is made for good: in its
parent's slot, if it takes the parent's place, or in a copy of the parent, which is O(T + n). `offspring_by_copy` has
the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine import counts, first, linked_tree
from gpruntime.engine.jit import ZERO, helper, inlined
from gpruntime.engine.populations import Breeding
from gpruntime.engine.run_state import INSERT, Operation
from gpruntime.engine.stepping import Stepping, draw, draw_number_of_operations, growth_of

_NEVER = int64(2**63 - 1)  # more than any gain


class SlotTools(NamedTuple):
    """What is done to whole trees of one kind.

    Attributes:
        in_slot(trees, strides, slot): the tree in a slot.
        copy_tree(params, source, target, leaves, room): makes one tree a copy of another.
        append_tree(params, tree, other, leaves, more): appends a copy of another tree, of `more` leaves; returns the
            score.
    """

    in_slot: Any
    copy_tree: Any
    append_tree: Any


SLOT_TOOLS = {
    "counts": SlotTools(counts.in_slot, counts.copy_tree, counts.append_tree),
    "first": SlotTools(linked_tree.in_slot, linked_tree.copy_tree, first.append_and_evaluate),
}


def make_in_place(problem: Stepping, tools: SlotTools) -> Breeding:
    """Breeding in place, from what a problem brings for one tree."""
    start, is_stuck, make, note, undo, attempt, _ = problem
    in_slot, copy_tree, append_tree = tools

    @helper
    def plant(params, pool, run, slot):
        leaves, score = start(params, in_slot(pool.trees, pool.strides, slot), run)
        pool.leaves[slot], pool.score[slot] = leaves, score
        return leaves, score

    @helper
    def conceive(params, pool, run, result, mother, father):
        tree, log = in_slot(pool.trees, pool.strides, mother), run.log
        leaves, gain = pool.leaves[mother], ZERO
        operations, new_leaves = draw_number_of_operations(params, run), leaves
        for j in range(operations):
            operation = draw(params, run.rng, new_leaves)
            kind, site, side, code = operation
            result.proposed[kind] += 1
            born = pool.born[j]
            born.kind, born.site, born.side, born.code = kind, site, side, code
            before, new_leaves = new_leaves, new_leaves + growth_of(params, new_leaves, kind)
            if operations > 1:
                note(params, tree, before, operation, log[j])
                gain += make(params, tree, before, operation)
            elif kind == INSERT or new_leaves < leaves or code >= 0:
                gain = attempt(params, tree, leaves, operation, _NEVER)
        if operations > 1:
            back = new_leaves
            for j in range(operations - 1, -1, -1):
                back = undo(params, tree, back, log[j])
        return pool.score[mother] + gain, new_leaves, operations

    @inlined
    def keep(params, pool, leaves):
        """Its operations are kept, and that will do."""

    @helper
    def bear(params, pool, run, born, operations, mother, slot):
        leaves, score, tree = pool.leaves[mother], pool.score[mother], in_slot(pool.trees, pool.strides, slot)
        if slot != mother:
            copy_tree(params, in_slot(pool.trees, pool.strides, mother), tree, leaves, run.cursor.room)
        for j in range(operations):
            operation = Operation(born[j].kind, born[j].site, born[j].side, born[j].code)
            score += make(params, tree, leaves, operation)
            leaves += growth_of(params, leaves, operation.kind)
        pool.leaves[slot], pool.score[slot] = leaves, score

    @helper
    def concatenate(params, pool, run, left, right, slot):
        tree, other = in_slot(pool.trees, pool.strides, slot), in_slot(pool.trees, pool.strides, right)
        leaves, more, room = pool.leaves[left], pool.leaves[right], run.cursor.room
        if leaves == 0:
            copy_tree(params, other, tree, more, room)
            score = pool.score[right]
        else:
            copy_tree(params, in_slot(pool.trees, pool.strides, left), tree, leaves, room)
            score = pool.score[left]
            if more > 0:
                score = append_tree(params, tree, other, leaves, more)
        pool.leaves[slot], pool.score[slot] = leaves + more, score
        return leaves + more, score

    @helper
    def are_stuck(params, pool, run):
        for place in range(pool.book.count):
            slot = pool.members[place]
            tree = in_slot(pool.trees, pool.strides, slot)
            if not is_stuck(params, tree, pool.leaves[slot], pool.score[slot]):
                return False
        return True

    return Breeding(plant, conceive, keep, bear, concatenate, are_stuck)
