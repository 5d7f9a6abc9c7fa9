"""Offspring by subtree crossover: a copy of the mother with a subtree of the father's, read anew; O(T) for each.

Trees are those of `two_trees`, which have their shape whatever a problem sees: the `parent` of each slot of a pool. An
offspring is made in the first slot's room for one.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import tail
from gpruntime.engine.pool import BORN_KIND, BORN_WIDTH, HELD_LEAVES, HELD_SCORE, cells_of, wide_of
from gpruntime.engine.random import below
from gpruntime.engine.rearing import Rearing, drawn_operations
from gpruntime.engine.stepping import draw
from gpruntime.engine.trace import FUNCTION_BITS, TERMINAL_BITS
from gpruntime.engine.two_trees import (
    CHILD,
    FUNCTION,
    JOINS,
    ROOT,
    TERMINAL,
    copy_tree,
    insert_above,
    node_at,
    plant_binary,
    replace_child,
    row_of,
    where,
)


@helper
def delete_leaf(law, tree, leaves, site):
    """Takes out a leaf and its join; the last leaf and the last join of the register move into the holes."""
    leaf, last_leaf = 2 * site, 2 * (leaves - 1)
    if leaves == 1:
        tree[ROOT] = MINUS_ONE
        return
    join, place = where(law, tree, leaf)
    last = 2 * (tree[JOINS] - 1) + 1
    replace_child(law, tree, join, tree[row_of(law, join) + CHILD + 1 - place])
    for i in range(2):
        tree[row_of(law, join) + CHILD + i] = MINUS_ONE  # it is nobody's parent any more
    if join != last:
        replace_child(law, tree, last, join)
        for i in range(FUNCTION, CHILD + 2):
            tree[row_of(law, join) + i] = tree[row_of(law, last) + i]
    tree[JOINS] -= 1
    if leaf != last_leaf:
        replace_child(law, tree, last_leaf, leaf)
        tree[row_of(law, leaf) + TERMINAL] = tree[row_of(law, last_leaf) + TERMINAL]


@helper
def apply(law, tree, fresh, leaves, kind, site, side, code):
    """Makes an operation of HVL-Prime; returns the number of leaves."""
    if kind == INSERT:
        if leaves == 0:
            tree[ROOT], tree[row_of(law, ZERO) + TERMINAL] = 0, code & TERMINAL_BITS
            return ONE
        fresh[0] = code & TERMINAL_BITS
        return insert_above(law, tree, fresh, leaves, site, code >> FUNCTION_BITS, 1 - side)
    if kind == DELETE:
        if not can_delete(law, leaves):
            return leaves
        delete_leaf(law, tree, leaves, site)
        return leaves - 1
    if kind == SUBSTITUTE and code >= 0:
        row = row_of(law, node_at(leaves, site))
        if site < leaves:
            tree[row + TERMINAL] = code
        else:
            tree[row + FUNCTION] = code >> FUNCTION_BITS
    return leaves


@helper
def cross(law, mother, father, child, cut, graft, nodes, places):
    """Writes the mother with a subtree of the father's in place of the one below `cut`; returns the leaves.

    In a walk in pre-order, left before right, nodes come as the register of an initial tree wants them. A node that
    waits is twice its number, and one more if it is the father's; its place is 2·join + side, or −1 for the root's.
    """
    leaves, joins = ZERO, ZERO
    nodes[0], places[0] = 2 * mother[ROOT], -1
    waiting = 1
    while waiting > 0:
        waiting -= 1
        entry, place = nodes[waiting], places[waiting]
        if entry == 2 * cut:
            entry = 2 * graft + 1
        node, is_fathers = entry >> 1, entry & 1
        source = father if is_fathers else mother
        row = row_of(law, node)
        if node & 1 == 0:
            new = 2 * leaves
            child[row_of(law, new) + TERMINAL] = source[row + TERMINAL]
            leaves += 1
        else:
            new = 2 * joins + 1
            child[row_of(law, new) + FUNCTION] = source[row + FUNCTION]
            for side in range(2):
                nodes[waiting + 1 - side] = 2 * source[row + CHILD + side] + is_fathers
                places[waiting + 1 - side] = 2 * joins + side
            waiting += 2
            joins += 1
        if place < 0:
            child[ROOT] = new
        else:
            child[row_of(law, place) + CHILD + (place & 1)] = new
    child[JOINS] = joins
    return leaves


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
        score = evaluate(law, at.tree, words, tail(words, at.tree.parent), leaves)
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score
        return leaves, score

    @helper
    def conceive(law, at, cells, wide, rng, plan, log, result, mother, father):
        tree, child = tail(wide_of(at, wide, mother), at.tree.parent), tail(wide, at.tree.offspring)
        leaves = wide[at.leaves + mother]
        if father >= 0 and leaves > 0 and wide[at.leaves + father] > 0:
            cut = node_at(leaves, below(rng, 2 * leaves - 1))
            others = wide[at.leaves + father]
            graft = node_at(others, below(rng, 2 * others - 1))
            donor = tail(wide_of(at, wide, father), at.tree.parent)
            leaves = cross(law, tree, donor, child, cut, graft, tail(wide, at.tree.stack), tail(wide, at.tree.moved))
        else:
            copy_tree(law, tree, child, leaves)
        operations, fresh = drawn_operations(law, rng, plan), tail(wide, at.tree.fresh)
        for j in range(operations):
            kind, site, side, code = draw(law, rng, leaves)
            result[PROPOSED + kind] += 1
            wide[at.born + BORN_WIDTH * j + BORN_KIND] = kind
            leaves = apply(law, child, fresh, leaves, kind, site, side, code)
        score = evaluate(law, at.tree, wide, child, leaves)
        wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE] = leaves, score
        return score, leaves, operations

    @helper
    def bear(law, at, cells, wide, born, operations, mother, slot):
        leaves, score = wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE]
        copy_tree(law, tail(wide, at.tree.offspring), tail(wide_of(at, wide, slot), at.tree.parent), leaves)
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score

    return Rearing(planted, conceive, bear, concatenate, are_stuck)
