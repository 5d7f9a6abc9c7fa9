"""How populations make offspring.

**In place**, where a problem sees counts or first occurrences: an offspring is drawn, its operations are made to its
parent and taken back, and what they gain is known: O(1) for each. Only an offspring that enters the population is made
for good: in its parent's slot, if it takes the parent's place, or in a copy of the parent, which is O(T + n).

**Written anew**, as in `rewriting`, O(T) for each: for subtree crossover, the mother with a subtree of the father's,
and for problems that see leaves, or the program. The tree of a slot is the `parent` of its `PostfixTrees`; all slots
share the room to work in. The best offspring of a generation so far is kept in the free slot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine import counts, first, linked_tree
from gpruntime.engine.jit import ZERO, helper, inlined
from gpruntime.engine.memory import tail
from gpruntime.engine.populations import LAMBDA, Breeding
from gpruntime.engine.postfix_initial import plant_binary, register_in_order
from gpruntime.engine.postfix_operators import HVL_PRIME
from gpruntime.engine.postfix_tree import (
    JOIN,
    JOINS,
    LEAF,
    Tree,
    begin_of,
    copy_register,
    copy_tokens,
    enroll,
    in_slot,
    moves,
    parent_of,
    position_of,
)
from gpruntime.engine.random import below
from gpruntime.engine.rewriting import make_accepts, make_offspring
from gpruntime.engine.run_state import INSERT, Operation
from gpruntime.engine.stepping import Stepping, draw, draw_number_of_operations, growth_of

_NEVER = int64(2**63 - 1)  # more than any gain


class SlotTools(NamedTuple):
    """What is done to whole trees of one kind."""

    in_slot: Any  # (trees, strides, slot): the tree in a slot
    copy_tree: Any  # (params, source, target, leaves, room): makes one tree a copy of another
    append_tree: Any  # (params, tree, other, leaves, more): appends a copy of another tree, of `more` leaves; returns
    # the score


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

    @inlined
    def cannot_improve(params, pool, run, slot):
        return is_stuck(params, in_slot(pool.trees, pool.strides, slot), pool.leaves[slot], pool.score[slot])

    return Breeding(plant, conceive, keep, bear, concatenate, cannot_improve)


# ---- written anew


@inlined
def _nodes(leaves):
    """Of a binary tree with this many leaves."""
    return 2 * leaves - (leaves > 0)


@inlined
def _tree_in(pool, slot):
    return parent_of(in_slot(pool.trees, pool.strides, slot))


@inlined
def _child(trees):
    """The offspring, with a register of its own."""
    return Tree(trees.offspring, trees.offspring_register)


@helper
def _copy(source, target, leaves):
    copy_tokens(source.tokens, target.tokens, _nodes(leaves))
    copy_register(source.register, target.register, leaves)


@helper
def cross(params, trees, mother, leaves, father, child, cut, graft):
    """Writes the mother with the father's subtree at `graft` in place of hers at `cut`; returns the leaves."""
    begin, first = begin_of(params, mother, cut), begin_of(params, father, graft)
    for i in range(begin):
        child.tokens[i] = mother.tokens[i]
    for i in range(first, graft + 1):
        child.tokens[begin + i - first] = father.tokens[i]
    size = begin + graft + 1 - first
    for i in range(cut + 1, leaves + mother.register[JOINS]):
        child.tokens[size] = mother.tokens[i]
        size += 1
    return register_in_order(params, trees, child, size)


@helper
def append(params, tree, other, leaves, more, rng):
    """Puts a new join above a tree, with a copy of another as its right child; an empty tree adds nothing."""
    size, register = _nodes(leaves), tree.register
    joins, others = register[JOINS], other.register[JOINS]
    copy_tokens(other.tokens, tail(tree.tokens, size), _nodes(more))
    for i in range(more):
        register[2 * (leaves + i) + LEAF] = other.register[2 * i + LEAF] + size
    for i in range(others):
        register[2 * (joins + i) + JOIN] = other.register[2 * i + JOIN] + size
    register[JOINS] = joins + others
    if leaves > 0 and more > 0:
        top = size + _nodes(more)
        tree.tokens[top] = -1 - (below(rng, params.functions) if params.functions > 1 else ZERO)
        register[2 * (joins + others) + JOIN] = top
        register[JOINS] += 1


def make_by_copy(evaluate: Any) -> Breeding:
    """Breeding by copy, from `evaluate(params, trees, tokens, size)`."""
    make, tries_all = make_offspring(HVL_PRIME.draw), HVL_PRIME.make_tries_all(make_accepts(evaluate))

    @helper
    def judged(params, pool, slot, leaves):
        """Enters the tree of a slot; returns (leaves, score)."""
        score = evaluate(params, pool.trees, _tree_in(pool, slot).tokens, _nodes(leaves))
        pool.leaves[slot], pool.score[slot] = leaves, score
        return leaves, score

    @helper
    def plant(params, pool, run, slot):
        return judged(params, pool, slot, plant_binary(params, in_slot(pool.trees, pool.strides, slot), run))

    @helper
    def conceive(params, pool, run, result, mother, father):
        trees, rng, tree, child = pool.trees, run.rng, _tree_in(pool, mother), _child(pool.trees)
        leaves, score, cut, graft, other = pool.leaves[mother], pool.score[mother], ZERO, ZERO, ZERO
        crossed = father >= 0 and leaves > 0 and pool.leaves[father] > 0
        if crossed:
            donor, other = _tree_in(pool, father), pool.leaves[father]
            cut, graft = position_of(tree, leaves, below(rng, 2 * leaves - 1)), below(rng, 2 * other - 1)
            graft, spare = position_of(donor, other, graft), Tree(trees.spare, trees.offspring_register)
            leaves, tree = cross(params, trees, tree, leaves, donor, spare, cut, graft), spare
        new = make(params, trees, run, result, tree, leaves, crossed)
        if not new.apart:
            copy_register(new.tree.register, child.register, new.before)
        if moves(new.pieces):
            enroll(params, child.register, new.pieces, new.before)
        if new.in_spare or not new.written:
            copy_tokens(new.tree.tokens, child.tokens, _nodes(new.leaves))
        for j in range(new.operations):
            pool.born[j].kind = run.log[j].kind
        leaves = new.leaves
        if new.written:
            score = evaluate(params, trees, child.tokens, _nodes(leaves))
        if params.family != LAMBDA:
            pool.book.held_leaves, pool.book.held_score = leaves, score
        return score, leaves, new.operations

    @helper
    def keep(params, pool, leaves):
        _copy(_child(pool.trees), _tree_in(pool, pool.members[1]), leaves)

    @helper
    def bear(params, pool, run, born, operations, mother, slot):
        leaves, score = pool.book.held_leaves, pool.book.held_score
        kept = _tree_in(pool, pool.members[1]) if params.family == LAMBDA else _child(pool.trees)
        _copy(kept, _tree_in(pool, slot), leaves)
        pool.leaves[slot], pool.score[slot] = leaves, score

    @helper
    def concatenate(params, pool, run, left, right, slot):
        tree, leaves, more = _tree_in(pool, slot), pool.leaves[left], pool.leaves[right]
        _copy(_tree_in(pool, left), tree, leaves)
        append(params, tree, _tree_in(pool, right), leaves, more, run.rng)
        return judged(params, pool, slot, leaves + more)

    @inlined
    def cannot_improve(params, pool, run, slot):
        trees = in_slot(pool.trees, pool.strides, slot)
        return not tries_all(params, trees, run, pool.leaves[slot], pool.score[slot])

    return Breeding(plant, conceive, keep, bear, concatenate, cannot_improve)
