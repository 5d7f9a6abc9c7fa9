"""Offspring in a pool that are written anew, as in `copying`: O(T) for each.

That is for subtree crossover, the mother with a subtree of the father's, and for problems that see leaves, or the
program. Trees are those of `two_trees`: the `parent` of each slot. An offspring is made in the first slot's room for
one; the best of a generation so far is kept in the free slot.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.copying import make_accepts
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.memory import tail
from gpruntime.engine.operators import HVL_PRIME, apply
from gpruntime.engine.pool import BORN_KIND, BORN_WIDTH, COUNT, HELD_LEAVES, HELD_SCORE, cells_of, wide_of
from gpruntime.engine.random import below
from gpruntime.engine.rearing import Rearing
from gpruntime.engine.stepping import drawn_operations
from gpruntime.engine.survival import LAMBDA
from gpruntime.engine.two_trees import (
    FIRST,
    JOIN,
    JOINS,
    LEAF,
    Tree,
    begin_of,
    copy_register,
    copy_tokens,
    enroll,
    moves,
    offspring_of,
    parent_of,
    plant_binary,
    position_of,
    register_in_order,
    spare_of,
)


@inlined
def _nodes(leaves):
    """Of a binary tree with so many leaves."""
    return 2 * leaves - (leaves > 0)


@inlined
def _tree_in(at, wide, slot):
    return parent_of(at.tree, wide_of(at, wide, slot))


@helper
def _copy(source, target, leaves):
    copy_tokens(source.tokens, target.tokens, _nodes(leaves))
    copy_register(source.register, target.register, leaves)


@helper
def cross(law, at, wide, mother, leaves, father, child, cut, graft):
    """Writes the mother with the father's subtree at `graft` in place of hers at `cut`; returns the leaves."""
    begin, first, size = begin_of(law, mother, cut), begin_of(law, father, graft), ZERO
    for i in range(begin):
        child.tokens[i] = mother.tokens[i]
    for i in range(first, graft + 1):
        child.tokens[begin + i - first] = father.tokens[i]
    size = begin + graft + 1 - first
    for i in range(cut + 1, leaves + mother.register[JOINS]):
        child.tokens[size] = mother.tokens[i]
        size += 1
    return register_in_order(law, at, wide, child, size)


@helper
def append(law, tree, other, leaves, more, rng):
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
        tree.tokens[top] = -1 - (below(rng, law.functions) if law.functions > 1 else ZERO)
        register[2 * (joins + others) + JOIN] = top
        register[JOINS] += 1


def make_grafting(evaluate: Any) -> Rearing:
    """What the loop of populations needs, from `evaluate(law, at, wide, tokens, size)`."""
    draw, tries_all = HVL_PRIME.draw, HVL_PRIME.make_tries_all(make_accepts(evaluate))

    @helper
    def judged(law, at, wide, slot, leaves):
        """Enters the tree of a slot; returns (leaves, score)."""
        tree = _tree_in(at, wide, slot)
        score = evaluate(law, at.tree, wide, tree.tokens, _nodes(leaves))
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score
        return leaves, score

    @helper
    def planted(law, at, cells, wide, tiny, drawing, rng, slot):
        mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
        return judged(law, at, wide, slot, plant_binary(law, at.tree, mine, words, tiny, drawing, rng))

    @helper
    def conceive(law, at, cells, wide, rng, plan, log, result, mother, father):
        tree, child, spare = _tree_in(at, wide, mother), offspring_of(at.tree, wide), spare_of(at.tree, wide)
        leaves, score, cut, graft, other = wide[at.leaves + mother], wide[at.score + mother], ZERO, ZERO, ZERO
        fresh, move = tail(wide, at.tree.fresh), tail(wide, at.tree.move)
        written = father >= 0 and leaves > 0 and wide[at.leaves + father] > 0  # whether it is to be evaluated
        if written:
            cut, other = below(rng, 2 * leaves - 1), wide[at.leaves + father]
            graft = below(rng, 2 * other - 1)
        operations = drawn_operations(law, rng, plan)
        if written:
            donor = _tree_in(at, wide, father)
            places = position_of(tree, leaves, cut), position_of(donor, other, graft)
            leaves = cross(law, at.tree, wide, tree, leaves, donor, spare, *places)
            tree = spare
        next_, apart, is_child = child, written, False
        for j in range(operations):
            kind, site, place, code = draw(law, tree, fresh, rng, leaves)
            result[PROPOSED + kind] += 1
            wide[at.born + BORN_WIDTH * j + BORN_KIND] = kind
            before = leaves
            leaves = apply(law, tree, next_.tokens, fresh, move, before, kind, site, place, code)
            if moves(move):
                if not apart:
                    copy_register(tree.register, child.register, before)
                enroll(law, child.register, move, before)
                tree, apart = Tree(tree.tokens, child.register), True
            if move[FIRST] >= 0:
                written, is_child = True, not is_child
                tree, next_ = Tree(next_.tokens, tree.register), spare if is_child else child
        if not apart:
            copy_register(tree.register, child.register, leaves)
        if not is_child:
            copy_tokens(tree.tokens, child.tokens, _nodes(leaves))
        if written:
            score = evaluate(law, at.tree, wide, child.tokens, _nodes(leaves))
        if law.family != LAMBDA:
            wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE] = leaves, score
        return score, leaves, operations

    @helper
    def keep(law, at, cells, wide, leaves):
        _copy(offspring_of(at.tree, wide), _tree_in(at, wide, wide[at.members + 1]), leaves)

    @helper
    def bear(law, at, cells, wide, born, operations, mother, slot):
        leaves, score, child = wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE], offspring_of(at.tree, wide)
        _copy(
            _tree_in(at, wide, wide[at.members + 1]) if law.family == LAMBDA else child,
            _tree_in(at, wide, slot),
            leaves,
        )
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score

    @helper
    def concatenate(law, at, cells, wide, rng, left, right, slot):
        tree, leaves, more = _tree_in(at, wide, slot), wide[at.leaves + left], wide[at.leaves + right]
        _copy(_tree_in(at, wide, left), tree, leaves)
        append(law, tree, _tree_in(at, wide, right), leaves, more, rng)
        return judged(law, at, wide, slot, leaves + more)

    @helper
    def are_stuck(law, at, cells, wide, log):
        for place in range(wide[at.hold + COUNT]):
            slot = wide[at.members + place]
            leaves, score = wide[at.leaves + slot], wide[at.score + slot]
            if tries_all(law, at.tree, wide_of(at, wide, slot), log, law.most, leaves, score):
                return False
        return True

    return Rearing(planted, conceive, keep, bear, concatenate, are_stuck)
