"""Offspring by subtree crossover: the mother with a subtree of the father's, written anew; O(T) for each.

Trees are those of `two_trees`, which have their shape whatever a problem sees: the `parent` of each slot of a pool. An
offspring is made in the first slot's room for one.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import tail
from gpruntime.engine.pool import BORN_KIND, BORN_WIDTH, HELD_LEAVES, HELD_SCORE, cells_of, wide_of
from gpruntime.engine.random import below
from gpruntime.engine.rearing import Rearing, drawn_operations
from gpruntime.engine.stepping import draw
from gpruntime.engine.trace import FUNCTION_BITS, TERMINAL_BITS
from gpruntime.engine.two_trees import (
    FIRST,
    JOIN,
    JOINS,
    LEAF,
    begin_of,
    change_nothing,
    copy_register,
    copy_tokens,
    enroll,
    insert_above,
    join_above,
    keep_places,
    offspring_of,
    parent_of,
    plant_binary,
    plant_leaf,
    position_of,
    put_token,
    register_in_order,
    replace_by_child,
    spare_of,
)


@inlined
def _nodes(leaves):
    """Of a binary tree with so many leaves."""
    return 2 * leaves - (leaves > 0)


@helper
def delete_leaf(law, tree, target, move, leaves, site):
    """Takes out a leaf and its join; the last leaf and the last join of the register move into the holes."""
    joins, register = tree.register[JOINS], tree.register
    if joins == 0:
        keep_places(move, ZERO)
        return
    join, place = join_above(law, tree, leaves + joins, register[2 * site + LEAF])
    for slot in range(joins):
        if register[2 * slot + JOIN] == join:
            register[2 * slot + JOIN] = register[2 * (joins - 1) + JOIN]
    register[2 * (joins - 1) + JOIN] = join
    last = 2 * (leaves - 1) + LEAF
    register[2 * site + LEAF], register[last] = register[last], register[2 * site + LEAF]
    replace_by_child(law, tree, target, move, leaves, join, 1 - place)


@helper
def apply(law, tree, target, fresh, move, leaves, kind, site, side, code):
    """Writes the tokens that an operation of HVL-Prime makes of a tree; may mix its register; returns the leaves."""
    if kind == INSERT:
        fresh[0] = code & TERMINAL_BITS
        if leaves > 0:
            return insert_above(law, tree, target, fresh, move, leaves, site, code >> FUNCTION_BITS, 1 - side)
        return plant_leaf(target, move, fresh[0] >> law.double)
    if kind == DELETE and can_delete(law, leaves):
        delete_leaf(law, tree, target, move, leaves, site)
        return leaves - 1
    if kind == SUBSTITUTE and code >= 0:
        token = code >> law.double if site < leaves else -1 - (code >> FUNCTION_BITS)
        return put_token(tree, target, move, leaves, site, token)
    return change_nothing(move, leaves)


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
def concatenate(law, at, cells, wide, rng, left, right, slot):
    """No family joins trees and crosses them."""
    return ZERO, ZERO


@helper
def are_stuck(law, at, cells, wide):
    """With crossover nothing is proved."""
    return False


def make_grafting(evaluate: Any) -> Rearing:
    """What the loop of populations needs, from `evaluate(law, at, wide, tree, leaves)`."""

    @helper
    def planted(law, at, cells, wide, tiny, drawing, rng, slot):
        mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
        leaves = plant_binary(law, at.tree, mine, words, tiny, drawing, rng)
        score = evaluate(law, at.tree, words, tail(words, at.tree.parent), _nodes(leaves))
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score
        return leaves, score

    @helper
    def conceive(law, at, cells, wide, rng, plan, log, result, mother, father):
        parent, child, other = parent_of(at.tree, wide_of(at, wide, mother)), offspring_of(at.tree, wide), ZERO
        leaves, cut, graft = wide[at.leaves + mother], ZERO, ZERO
        fresh, move = tail(wide, at.tree.fresh), tail(wide, at.tree.move)
        crosses = father >= 0 and leaves > 0 and wide[at.leaves + father] > 0
        if crosses:
            cut, other = below(rng, 2 * leaves - 1), wide[at.leaves + father]
            graft = below(rng, 2 * other - 1)
        operations = drawn_operations(law, rng, plan)
        tree, next_ = child, spare_of(at.tree, wide)
        if operations & 1:  # so that the last one writes the child
            tree, next_ = next_, tree
        if crosses:
            donor = parent_of(at.tree, wide_of(at, wide, father))
            places = position_of(parent, leaves, cut), position_of(donor, other, graft)
            leaves = cross(law, at.tree, wide, parent, leaves, donor, tree, *places)
        else:
            copy_tokens(parent.tokens, tree.tokens, _nodes(leaves))
            copy_register(parent.register, tree.register, leaves)
        for j in range(operations):
            kind, site, side, code = draw(law, rng, leaves)
            result[PROPOSED + kind] += 1
            wide[at.born + BORN_WIDTH * j + BORN_KIND] = kind
            before = leaves
            leaves = apply(law, tree, next_.tokens, fresh, move, before, kind, site, side, code)
            if move[FIRST] < 0:
                copy_tokens(tree.tokens, next_.tokens, _nodes(leaves))
            enroll(tree.register, move, before)
            tree, next_ = next_, tree
        score = evaluate(law, at.tree, wide, child.tokens, _nodes(leaves))
        wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE] = leaves, score
        return score, leaves, operations

    @helper
    def bear(law, at, cells, wide, born, operations, mother, slot):
        leaves, score = wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE]
        child, tree = offspring_of(at.tree, wide), parent_of(at.tree, wide_of(at, wide, slot))
        copy_tokens(child.tokens, tree.tokens, _nodes(leaves))
        copy_register(child.register, tree.register, leaves)
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score

    return Rearing(planted, conceive, bear, concatenate, are_stuck)
