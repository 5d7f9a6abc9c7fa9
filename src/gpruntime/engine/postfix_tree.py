"""Trees in postfix order, for what needs the whole of them: O(T) for whatever is done.

A tree is written as a problem that sees the program wants it: so a subtree is a piece of its tokens, and an operation
writes pieces of one tree into another. A token is a terminal's number ≥ 0, or a function f as −1 − f. The register
tells
where each node stands: entry 2s + 2 is the leaf with place s in the register, entry 2s + 3 the join with that place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.linked_tree import NODE, linked_sizes
from gpruntime.engine.memory import tail
from gpruntime.engine.params import Params
from gpruntime.engine.tree_memory import Field, TreeKind

JOINS = 1  # in a register, before the nodes: how many joins there are
LEAF, JOIN = 2, 3  # the first of each

FOUR = 4

# What became of the tokens, see `write_pieces`. FIRST is −1 if nothing did, and nothing was written; LAST is −1 if all
# that stay keep their places; SIZE is that of the new tree.
FIRST, BEGIN, END, LAST, BEHIND, REST, SIZE = range(7)
MOVE_WIDTH = 7

# What is seen of a variable: leaves x_i, leaves x̄_i, and the sign of the first of them.
PLAIN, BAR, SIGN, SEEN = 0, 1, 2, 3


class PostfixTrees(NamedTuple):
    """The tree of a run, and room to make and to read others.

    Attributes:
        nodes, register, first, present: a linked tree, in which the initial tree is planted if all functions have two
            arguments.
        parent, offspring, spare: the tokens of a parent, its offspring, and of what is between them if there are
            several operations.
        parent_register, offspring_register: of the parent, and of what several operations have made of it.
        move: what an operation did to the tokens.
        begins, stack: room to walk through a tree.
        links: room for the joins of an initial tree.
        fresh: the terminals that an insertion brings.
        tokens: the tree as the problem sees it: its own, to write over.
        seen: SEEN numbers for each variable, if it sees counts or first occurrences.
    """

    nodes: Any
    register: Any
    first: Any
    present: Any
    parent: Any
    offspring: Any
    spare: Any
    parent_register: Any
    offspring_register: Any
    move: Any
    begins: Any
    stack: Any
    links: Any
    fresh: Any
    tokens: Any
    seen: Any


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
        "move": (np.int64, MOVE_WIDTH),
        "links": (np.int64, 0 if params.binary else params.join_width * (1 + params.initial_leaves)),
        "fresh": (np.int64, params.max_new_leaves),
        "seen": (np.int64, SEEN * params.n),
    }


_OF_A_SLOT = frozenset(["parent", "parent_register"])
POSTFIX_TREES = TreeKind(PostfixTrees, _sizes, shared=frozenset(PostfixTrees._fields) - _OF_A_SLOT)


class Tree(NamedTuple):
    """A tree: its tokens and its register."""

    tokens: Any
    register: Any


class Target(NamedTuple):
    """Where an operation writes the tokens of a new tree, and what it did (`move`); `fresh` is what it brings."""

    tokens: Any
    move: Any
    fresh: Any


class Pieces(NamedTuple):
    """How a new tree is put together from an old one: see `write_pieces`."""

    first: Any
    begin: Any
    end: Any
    last: Any
    behind: Any
    rest: Any


@inlined
def parent_of(trees):
    """The tree of the run."""
    return Tree(trees.parent, trees.parent_register)


@inlined
def target_of(trees):
    """Where an offspring is written."""
    return Target(trees.offspring, trees.move, trees.fresh)


@inlined
def in_slot(trees, strides, slot):
    """The same trees, with the tree of a population's slot as the parent."""
    parent = tail(trees.parent, slot * strides.parent)
    register = tail(trees.parent_register, slot * strides.parent_register)
    return PostfixTrees(
        trees.nodes, trees.register, trees.first, trees.present, parent, trees.offspring, trees.spare, register,
        trees.offspring_register, trees.move, trees.begins, trees.stack, trees.links, trees.fresh, trees.tokens,
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
def write_pieces(tree, target, leaves, pieces):
    """Writes the tokens of a tree without those from `first` to `last`, but with those from `begin` to `end`.

    These come to `behind`, and what stood behind `last` comes to `rest`. There is room for new nodes between. What was
    done stands in `target.move`.
    """
    first, begin, end, last, behind, rest = pieces
    tokens, after, move = tree.tokens, leaves + tree.register[JOINS] - last - 1, target.move
    copy_tokens(tokens, target.tokens, first)
    copy_tokens(tail(tokens, begin), tail(target.tokens, behind), end + 1 - begin)
    copy_tokens(tail(tokens, last + 1), tail(target.tokens, rest), after)
    move[FIRST], move[BEGIN], move[END], move[LAST] = first, begin, end, last
    move[BEHIND], move[REST], move[SIZE] = behind, rest, rest + after


@inlined
def moves(move):
    """Whether the register becomes another one: not if a node got another terminal or function."""
    return move[FIRST] >= 0 and (move[LAST] >= 0 or move[SIZE] < 2)


@helper
def _take_out(register, move, kind, many):
    """Leaves those of this kind in the register that stay; returns how many."""
    first, begin, end, last = move[FIRST], move[BEGIN], move[END], move[LAST]
    inward, outward, stay = move[BEHIND] - begin, move[REST] - last - 1, ZERO
    for i in range(many):
        position = register[2 * i + kind]
        inner, after = (position >= begin) & (position <= end), position > last
        register[2 * stay + kind] = position + inner * inward + after * outward
        stay += inner | after | (position < first)  # without a branch
    return stay


@inlined
def _fill(register, kind, many, gone):
    """Puts the last of this kind, of so many, in the place of the one that goes."""
    node = int64(kind)
    while register[node] != gone:
        node += 2
    register[node] = register[2 * (many - 1) + kind]


@helper
def enroll(params, register, move, leaves):
    """Brings the register about, if it `moves`: what stays keeps its order, or the last fill holes; new ones behind."""
    first, begin, end, last = move[FIRST], move[BEGIN], move[END], move[LAST]
    behind, rest = move[BEHIND], move[REST]
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
        _take_out(register, move, LEAF, leaves)
        register[JOINS] = _take_out(register, move, JOIN, joins)


@helper
def insert_above(params, tree, target, leaves, site, function, place):
    """Puts a new join above a node, which gets this place, and new leaves in the others; returns how many there are."""
    end = position_of(tree, leaves, site)
    begin, brings = begin_of(params, tree, end), params.arities[function] - 1
    join = end + brings + 1
    write_pieces(tree, target, leaves, Pieces(begin, begin, end, end, begin + place, join + 1))
    for i in range(brings):
        target.tokens[begin + i if i < place else end + 1 + i] = target.fresh[i] >> params.code_shift
    target.tokens[join] = -1 - function
    return leaves + brings


@helper
def replace_by_child(params, tree, target, leaves, join, place):
    """Replaces a join by its child in this place; returns the number of leaves that stay."""
    end = join - 1
    for _ in range(arity_at(params, tree, join) - 1 - place):
        end = begin_of(params, tree, end) - 1
    begin = begin_of(params, tree, end)
    first = begin
    for _ in range(place):
        first = begin_of(params, tree, first - 1)
    write_pieces(tree, target, leaves, Pieces(first, begin, end, join, first, first + end + 1 - begin))
    for i in range(first, begin):
        leaves -= tree.tokens[i] >= 0
    for i in range(end + 1, join):
        leaves -= tree.tokens[i] >= 0
    return leaves


@inlined
def keep_places(move, size):
    """The nodes that stay keep their places."""
    move[FIRST], move[LAST], move[SIZE] = 0, -1, size


@inlined
def plant_leaf(target, token):
    """Makes the tree of one leaf from the empty one; returns the number of leaves."""
    target.tokens[0] = token
    keep_places(target.move, ONE)
    return ONE


@inlined
def change_nothing(move, leaves):
    """Returns the number of leaves."""
    move[FIRST] = -1
    return leaves


@helper
def put_token(tree, target, leaves, site, token):
    """Gives a node another terminal, or another function; returns the number of leaves."""
    position = position_of(tree, leaves, site)
    if tree.tokens[position] == token:
        return change_nothing(target.move, leaves)
    keep_places(target.move, leaves + tree.register[JOINS])
    copy_tokens(tree.tokens, target.tokens, target.move[SIZE])
    target.tokens[position] = token
    return leaves


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
    seen = trees.seen
    for i in range(params.n):
        seen[SEEN * i + PLAIN], seen[SEEN * i + BAR], seen[SEEN * i + SIGN] = 0, 0, -1
    for i in range(size):
        if tokens[i] >= 0:
            code = tokens[i] << params.code_shift
            mine = SEEN * (code >> 1)
            seen[mine + PLAIN + (code & 1)] += 1
            if seen[mine + SIGN] < 0:
                seen[mine + SIGN] = 1 - (code & 1)
