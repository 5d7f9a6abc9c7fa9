"""Offspring in a population that are written anew, as in `rewriting`: O(T) for each.

That is for subtree crossover, the mother with a subtree of the father's, and for problems that see leaves, or the
program. The tree of a slot is the `parent` of its `PostfixTrees`; all slots share the room to work in. The best
offspring of a generation so far is kept in the free slot.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.jit import ZERO, helper, inlined
from gpruntime.engine.memory import tail
from gpruntime.engine.populations import LAMBDA, Breeding
from gpruntime.engine.postfix_operators import HVL_PRIME, apply
from gpruntime.engine.postfix_tree import (
    FIRST,
    JOIN,
    JOINS,
    LEAF,
    Target,
    Tree,
    begin_of,
    copy_register,
    copy_tokens,
    enroll,
    in_slot,
    moves,
    parent_of,
    plant_binary,
    position_of,
    register_in_order,
)
from gpruntime.engine.random import below
from gpruntime.engine.rewriting import make_accepts
from gpruntime.engine.stepping import draw_number_of_operations


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
    draw, tries_all = HVL_PRIME.draw, HVL_PRIME.make_tries_all(make_accepts(evaluate))

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
        trees, rng = pool.trees, run.rng
        tree, child, spare = _tree_in(pool, mother), _child(trees), Tree(trees.spare, trees.offspring_register)
        leaves, score, cut, graft, other = pool.leaves[mother], pool.score[mother], ZERO, ZERO, ZERO
        fresh, move = trees.fresh, trees.move
        written = father >= 0 and leaves > 0 and pool.leaves[father] > 0  # whether it is to be evaluated
        if written:
            cut, other = below(rng, 2 * leaves - 1), pool.leaves[father]
            graft = below(rng, 2 * other - 1)
        operations = draw_number_of_operations(params, run)
        if written:
            donor = _tree_in(pool, father)
            cut, graft = position_of(tree, leaves, cut), position_of(donor, other, graft)
            leaves = cross(params, trees, tree, leaves, donor, spare, cut, graft)
            tree = spare
        next_tokens, apart, is_child = child.tokens, written, False
        for j in range(operations):
            operation = draw(params, tree, fresh, rng, leaves)
            result.proposed[operation.kind] += 1
            pool.born[j].kind = operation.kind
            before = leaves
            leaves = apply(params, tree, Target(next_tokens, move, fresh), before, operation)
            if moves(move):
                if not apart:
                    copy_register(tree.register, child.register, before)
                enroll(params, child.register, move, before)
                tree, apart = Tree(tree.tokens, child.register), True
            if move[FIRST] >= 0:
                written, is_child = True, not is_child
                tree, next_tokens = Tree(next_tokens, tree.register), spare.tokens if is_child else child.tokens
        if not apart:
            copy_register(tree.register, child.register, leaves)
        if not is_child:
            copy_tokens(tree.tokens, child.tokens, _nodes(leaves))
        if written:
            score = evaluate(params, trees, child.tokens, _nodes(leaves))
        if params.family != LAMBDA:
            pool.book.held_leaves, pool.book.held_score = leaves, score
        return score, leaves, operations

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

    @helper
    def are_stuck(params, pool, run):
        for place in range(pool.book.count):
            slot = pool.members[place]
            trees = in_slot(pool.trees, pool.strides, slot)
            if tries_all(params, trees, run, pool.leaves[slot], pool.score[slot]):
                return False
        return True

    return Breeding(plant, conceive, keep, bear, concatenate, are_stuck)
