"""Trees in postfix order, for what needs the whole of them: O(T) for whatever is done.

A tree is written as a problem that sees the program wants it: so a subtree is a piece of its tokens, and an operation
writes pieces of one tree into another. A token is a terminal's number ≥ 0, or a function f as −1 − f. The register
tells where each node stands: entry 2s + 2 is the leaf with place s in the register, entry 2s + 3 the join.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.linked_tree import NODE, linked_sizes
from gpruntime.engine.memory import tail
from gpruntime.engine.params import Params
from gpruntime.engine.run_state import record_type
from gpruntime.engine.tree_memory import Field, TreeKind

JOINS = 1  # in a register, before the nodes: how many joins there are
LEAF, JOIN = 2, 3  # the first of each

FOUR = 4

# What is seen of a variable: leaves x_i, leaves x̄_i, and the sign of the first of them, −1 if there is none.
SEEN = record_type("plain", "bar", "sign")


class PostfixTrees(NamedTuple):
    """The tree of a run, and room to make and to read others."""

    nodes: Any  # a linked tree, in which the initial tree is planted if all functions have two arguments
    register: Any
    first: Any
    parent: Any  # the tokens of a parent, its offspring, and of what is between them if there are several operations
    offspring: Any
    spare: Any
    parent_register: Any  # of the parent, and of what several operations have made of it
    offspring_register: Any
    begins: Any  # room to walk through a tree
    stack: Any
    links: Any  # room for the joins of an initial tree
    fresh: Any  # the terminals that an insertion brings
    tokens: Any  # the tree as the problem sees it: its own, to write over
    seen: Any  # a record for each variable, if the problem sees counts or first occurrences


def _sizes(params: Params, room: int) -> dict[str, Field]:
    """`room` is for leaves, and for joins."""
    slots = room + params.max_new_leaves + 1  # one insertion is tried in a tree that fills its room
    planted = params.initial_leaves if params.binary else 0
    tokens = ("parent", "offspring", "spare", "begins", "stack", "tokens")
    return {
        **linked_sizes(params, room if params.binary else 0),
        "nodes": (NODE, 2 * (planted + 1)),
        **dict.fromkeys(tokens, (np.int64, 2 * slots + FOUR)),
        "parent_register": (np.int64, LEAF + 2 * slots),
        "offspring_register": (np.int64, LEAF + 2 * slots),
        "links": (np.int64, 0 if params.binary else params.join_width * (1 + params.initial_leaves)),
        "fresh": (np.int64, params.max_new_leaves),
        "seen": (SEEN, params.n),
    }


_OF_A_SLOT = frozenset(["parent", "parent_register"])
POSTFIX_TREES = TreeKind(PostfixTrees, _sizes, shared=frozenset(PostfixTrees._fields) - _OF_A_SLOT)


class Tree(NamedTuple):
    """A tree: its tokens and its register."""

    tokens: Any
    register: Any


class Pieces(NamedTuple):
    """How a new tree is put together from an old one: see `write_pieces`."""

    first: Any  # −1 if nothing becomes of the tree, and nothing is written
    begin: Any
    end: Any
    last: Any  # −1 if all nodes that stay keep their places
    behind: Any
    rest: Any
    size: Any  # nodes of the new tree


UNCHANGED = Pieces(MINUS_ONE, *[ZERO] * 6)


@inlined
def parent_of(trees):
    """The tree of the run."""
    return Tree(trees.parent, trees.parent_register)


@inlined
def in_slot(trees, strides, slot):
    """The same trees, with the tree of a population's slot as the parent."""
    parent = tail(trees.parent, slot * strides.parent)
    register = tail(trees.parent_register, slot * strides.parent_register)
    return PostfixTrees(
        trees.nodes, trees.register, trees.first, parent, trees.offspring, trees.spare, register,
        trees.offspring_register, trees.begins, trees.stack, trees.links, trees.fresh, trees.tokens,
        trees.seen,
    )  # fmt: skip


# ---- where things are


@inlined
def position_of(tree, leaves, site):
    """Where the node with this number stands: leaves first, then joins."""
    return tree.register[2 * site + LEAF if site < leaves else 2 * (site - leaves) + JOIN]


@inlined
def arity_at(params, tree, position):
    """How many children the join at a position has."""
    return params.arities[-1 - tree.tokens[position]]


@helper
def begin_of(params, tree, end):
    """Where the subtree begins whose root is at `end`."""
    wanted = ONE  # nodes that are still to come, from right to left
    while not params.binary:
        wanted += arity_at(params, tree, end) - 1 if tree.tokens[end] < 0 else MINUS_ONE
        if wanted == 0:
            return end
        end -= 1
    while True:
        wanted += 1 - 2 * (tree.tokens[end] >= 0)  # without a branch
        if wanted == 0:
            return end
        end -= 1


@helper
def join_above(params, tree, size, position):
    """The position of the join above a node, and the node's place among its children; (−1, 0) for the root."""
    waiting = ONE  # subtrees without a join, from this one on
    for join in range(position + 1, size):
        arity = arity_at(params, tree, join) if tree.tokens[join] < 0 else ZERO
        if arity >= waiting:
            return join, arity - waiting
        waiting += 1 - arity
    return MINUS_ONE, ZERO


# ---- from tree to tree: first the tokens of the new tree are written, then, if it stays, its register is brought about


@inlined
def copy_tokens(source, target, size):
    """Writes the same tokens, by fours: what stands behind them is written over."""
    for i in range(0, size, FOUR):
        target[i], target[i + 1], target[i + 2], target[i + 3] = source[i], source[i + 1], source[i + 2], source[i + 3]


@helper
def copy_register(source, target, leaves):
    """Makes it the same register."""
    for node in range(JOINS, LEAF + 2 * max(leaves, source[JOINS])):
        target[node] = source[node]


@helper
def write_pieces(tree, tokens, leaves, pieces):
    """Writes into `tokens` a tree without its tokens from `first` to `last`, but with those from `begin` to `end`.

    These come to `behind`, and what stood behind `last` comes to `rest`. There is room for new nodes between. Returns
    the pieces, with the size of the new tree.
    """
    first, begin, end, last, behind, rest, _ = pieces
    after = leaves + tree.register[JOINS] - last - 1
    copy_tokens(tree.tokens, tokens, first)
    copy_tokens(tail(tree.tokens, begin), tail(tokens, behind), end + 1 - begin)
    copy_tokens(tail(tree.tokens, last + 1), tail(tokens, rest), after)
    return Pieces(first, begin, end, last, behind, rest, rest + after)


@inlined
def moves(pieces):
    """Whether the register becomes another one: not if a node got another terminal or function."""
    return pieces.first >= 0 and (pieces.last >= 0 or pieces.size < 2)


@helper
def _take_out(register, pieces, kind, many):
    """Leaves in the register those of its `many` nodes of this kind that stay; returns how many."""
    first, begin, end, last, behind, rest, _ = pieces
    inward, outward, stay = behind - begin, rest - last - 1, ZERO
    for i in range(many):
        position = register[2 * i + kind]
        inner, after = (position >= begin) & (position <= end), position > last
        register[2 * stay + kind] = position + inner * inward + after * outward
        stay += inner | after | (position < first)  # without a branch
    return stay


@inlined
def _fill(register, kind, many, gone):
    """Puts the last of `many` nodes of this kind in the place of the one that goes."""
    node = int64(kind)
    while register[node] != gone:
        node += 2
    register[node] = register[2 * (many - 1) + kind]


@helper
def enroll(params, register, pieces, leaves):
    """Makes the register of a tree with this many leaves that of the new tree, if it `moves`.

    What stays keeps its order, or the last of each kind fill the holes; new nodes come behind.
    """
    first, begin, end, last, behind, rest, _ = pieces
    joins, inward, outward = register[JOINS], behind - begin, rest - last - 1
    if last < 0:  # a leaf, or nothing
        register[LEAF], register[JOINS] = 0, 0
    elif last == end or params.fills_holes:
        if last != end:
            _fill(register, LEAF, leaves, first if begin > first else last - 1)
            _fill(register, JOIN, joins, last)
            register[JOINS] = joins - 1
        for node in range(LEAF, LEAF + 2 * max(leaves, joins)):
            position = register[node]
            register[node] += (position > last) * outward + (position >= begin) * (position <= end) * inward
        if last == end:  # an insertion
            for i in range(rest - last - 2):
                register[2 * (leaves + i) + LEAF] = first + i if first + i < behind else last + 1 + i
            register[2 * joins + JOIN], register[JOINS] = rest - 1, joins + 1
    else:
        _take_out(register, pieces, LEAF, leaves)
        register[JOINS] = _take_out(register, pieces, JOIN, joins)


# ---- what operations do: each writes the new tree into `tokens`; returns (its number of leaves, the pieces)


@helper
def insert_above(params, tree, tokens, leaves, operation, fresh):
    """Puts a new join, with the function `code`, above a node, which gets this place, and new leaves in the others."""
    _, site, place, function = operation
    end = position_of(tree, leaves, site)
    begin, brings = begin_of(params, tree, end), params.arities[function] - 1
    join = end + brings + 1
    pieces = write_pieces(tree, tokens, leaves, Pieces(begin, begin, end, end, begin + place, join + 1, ZERO))
    for i in range(brings):
        tokens[begin + i if i < place else end + 1 + i] = fresh[i] >> params.code_shift
    tokens[join] = -1 - function
    return leaves + brings, pieces


@helper
def replace_by_child(params, tree, tokens, leaves, join, place):
    """Replaces a join by its child in this place."""
    end = join - 1
    for _ in range(arity_at(params, tree, join) - 1 - place):
        end = begin_of(params, tree, end) - 1
    begin = begin_of(params, tree, end)
    first = begin
    for _ in range(place):
        first = begin_of(params, tree, first - 1)
    pieces = Pieces(first, begin, end, join, first, first + end + 1 - begin, ZERO)
    pieces = write_pieces(tree, tokens, leaves, pieces)
    for i in range(first, join):
        leaves -= (tree.tokens[i] >= 0) & ((i < begin) | (i > end))  # without a branch
    return leaves, pieces


@inlined
def keep_places(size):
    """The pieces of a tree of this size whose nodes keep their places."""
    return Pieces(ZERO, ZERO, ZERO, MINUS_ONE, ZERO, ZERO, size)


@helper
def put_token(tree, tokens, leaves, site, token):
    """Gives a node another terminal, or another function."""
    position, size = position_of(tree, leaves, site), leaves + tree.register[JOINS]
    if tree.tokens[position] == token:
        return leaves, UNCHANGED
    copy_tokens(tree.tokens, tokens, size)
    tokens[position] = token
    return leaves, keep_places(size)


# ---- reading


@helper
def read_leaves(trees, tokens, size):
    """Writes the terminals from left to right as the problem knows them; returns how many."""
    leaves = ZERO
    for i in range(size):
        trees.tokens[leaves] = tokens[i]
        leaves += tokens[i] >= 0  # without a branch
    return leaves


@helper
def read_variables(params, trees, tokens, size):
    """Writes what is seen of each variable."""
    for i in range(params.n):
        seen = trees.seen[i]
        seen.plain, seen.bar, seen.sign = 0, 0, -1
    for i in range(size):
        if tokens[i] >= 0:
            code = tokens[i] << params.code_shift
            bar, seen = code & 1, trees.seen[code >> 1]
            seen.plain += 1 - bar
            seen.bar += bar
            if seen.sign < 0:
                seen.sign = 1 - bar
