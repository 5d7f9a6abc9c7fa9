"""Offspring by subtree crossover: a copy of the mother with a subtree of the father's, read anew; O(T) for each.

Trees are those of `two_trees`, which have their shape whatever a problem sees: the `parent` of each slot of a pool. An
offspring is made in the first slot's room for one.
"""

from __future__ import annotations

from typing import Any

from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete
from gpruntime.engine.memory import tail
from gpruntime.engine.pool import BORN_KIND, BORN_WIDTH, HELD_LEAVES, HELD_SCORE, cells_of, wide_of
from gpruntime.engine.random import below
from gpruntime.engine.rearing import Rearing, drawn_operations
from gpruntime.engine.stepping import draw
from gpruntime.engine.trace import FUNCTION_BITS, TERMINAL_BITS
from gpruntime.engine.two_trees import (
    FUNCTION,
    LEFT,
    NO_ROOT,
    RIGHT,
    ROOT,
    TERMINAL,
    copy_tree,
    insert_leaf,
    node_at,
    plant,
    replace_child,
    row_of,
)
from gpruntime.engine.two_trees import ROW as WIDTH


@helper
def delete_leaf(tree, leaves, site):
    """Takes out a leaf and its join; the last leaf and the last join of the register move into the holes."""
    leaf, joins = 2 * site, leaves - 1
    if leaves == 1:
        tree[ROOT] = NO_ROOT
        return
    join = ZERO
    while tree[row_of(2 * join) + LEFT] != leaf and tree[row_of(2 * join) + RIGHT] != leaf:
        join += 1
    row = row_of(2 * join)
    sibling = tree[row + RIGHT] if tree[row + LEFT] == leaf else tree[row + LEFT]
    replace_child(tree, joins, 2 * join + 1, sibling)
    tree[row + LEFT] = tree[row + RIGHT] = MINUS_ONE  # it is nobody's parent any more
    if join != joins - 1:
        replace_child(tree, joins, 2 * (joins - 1) + 1, 2 * join + 1)
        last = row_of(2 * (joins - 1))
        tree[row + LEFT], tree[row + RIGHT] = tree[last + LEFT], tree[last + RIGHT]
        tree[row + FUNCTION] = tree[last + FUNCTION]
    if site != leaves - 1:
        replace_child(tree, joins - 1, 2 * (leaves - 1), leaf)
        tree[row_of(leaf) + TERMINAL] = tree[row_of(2 * (leaves - 1)) + TERMINAL]


@helper
def apply(law, tree, leaves, kind, site, side, code):
    """Makes an operation of HVL-Prime; returns the number of leaves."""
    if kind == INSERT:
        if leaves == 0:
            tree[ROOT], tree[row_of(ZERO) + TERMINAL] = 0, code & TERMINAL_BITS
        else:
            insert_leaf(tree, leaves, site, side, code)
        return leaves + 1
    if kind == DELETE:
        if not can_delete(law, leaves):
            return leaves
        delete_leaf(tree, leaves, site)
        return leaves - 1
    if kind == SUBSTITUTE and code >= 0:
        row = row_of(node_at(leaves, site))
        if site < leaves:
            tree[row + TERMINAL] = code
        else:
            tree[row + FUNCTION] = code >> FUNCTION_BITS
    return leaves


@helper
def cross(mother, father, child, cut, graft, nodes, places):
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
        row = row_of(node)
        if node & 1 == 0:
            new = 2 * leaves
            child[row_of(new) + TERMINAL] = source[row + TERMINAL]
            leaves += 1
        else:
            new = 2 * joins + 1
            child[row_of(new) + FUNCTION] = source[row + FUNCTION]
            nodes[waiting], places[waiting] = 2 * source[row + RIGHT] + is_fathers, 2 * joins + 1
            nodes[waiting + 1], places[waiting + 1] = 2 * source[row + LEFT] + is_fathers, 2 * joins
            waiting += 2
            joins += 1
        if place < 0:
            child[ROOT] = new
        else:
            child[WIDTH * ((place >> 1) + 1) + LEFT + (place & 1)] = new
    return leaves


@helper
def concatenate(law, at, cells, wide, rng, left, right, slot):
    """No family joins trees and crosses them."""
    return ZERO, ZERO


def make_grafting(evaluate: Any) -> Rearing:
    """What the loop of populations needs, from `evaluate(law, at, wide, tree, leaves)`."""

    @helper
    def planted(law, at, cells, wide, tiny, drawing, rng, slot):
        mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
        leaves = plant(law, at.tree, mine, words, tiny, drawing, rng)
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
            leaves = cross(tree, donor, child, cut, graft, tail(wide, at.tree.stack), tail(wide, at.tree.moved))
        else:
            copy_tree(tree, child, leaves)
        operations = drawn_operations(law, rng, plan)
        for j in range(operations):
            kind, site, side, code = draw(law, rng, leaves)
            result[PROPOSED + kind] += 1
            wide[at.born + BORN_WIDTH * j + BORN_KIND] = kind
            leaves = apply(law, child, leaves, kind, site, side, code)
        score = evaluate(law, at.tree, wide, child, leaves)
        wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE] = leaves, score
        return score, leaves, operations

    @helper
    def bear(law, at, cells, wide, born, operations, mother, slot):
        leaves, score = wide[at.hold + HELD_LEAVES], wide[at.hold + HELD_SCORE]
        copy_tree(tail(wide, at.tree.offspring), tail(wide_of(at, wide, slot), at.tree.parent), leaves)
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score

    return Rearing(planted, conceive, bear, concatenate)
