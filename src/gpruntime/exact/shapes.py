"""Shapes of trees, and how many there are: None is the empty tree, () a leaf, (left, right) a join."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from gpruntime.model.initial import Initial
from gpruntime.model.tree import Node

Shape = Any

LEAF = ()


def size(shape: Shape) -> int:
    """The number of leaves."""
    if shape is None:
        return 0
    return 1 if shape == LEAF else size(shape[0]) + size(shape[1])


def shape_of(node: Node | None) -> Shape:
    """The shape below a node."""
    if node is None:
        return None
    return LEAF if node.is_leaf else (shape_of(node.left), shape_of(node.right))


def catalan(leaves: int) -> int:
    """The number of shapes with this number of leaves."""
    return math.comb(2 * leaves - 2, leaves - 1) // leaves if leaves else 1


def all_shapes(leaves: int) -> list[Shape]:
    """The shapes with this number of leaves."""
    if leaves == 1:
        return [LEAF]
    return [
        (left, right)
        for split in range(1, leaves)
        for left in all_shapes(split)
        for right in all_shapes(leaves - split)
    ]


def initial_shapes(initial: Initial) -> list[tuple[Shape, Fraction]]:
    """The shapes of `unity` or `insertion`, with their probabilities."""
    uniform = Fraction(1, catalan(initial.leaves))
    return [
        (shape, uniform if initial.name == "insertion" else opening_chance(shape))
        for shape in all_shapes(initial.leaves)
    ]


def opening_chance(shape: Shape) -> Fraction:
    """P(the procedure of `unity` gives this shape).

    Opening uniform positions splits T leaves uniformly into 1 … T − 1 on the left, and both sides go on alike: the
    shape of a random binary search tree, ∏ 1/(leaves below v − 1) over the joins v.
    """
    if shape == LEAF:
        return Fraction(1)
    return opening_chance(shape[0]) * opening_chance(shape[1]) / (size(shape) - 1)


def insertions(shape: Shape) -> Iterator[tuple[int, Shape]]:
    """For each node and side: the gap the new leaf comes into, and the new shape."""
    if shape is None:
        yield 0, LEAF
        return
    yield 0, (LEAF, shape)
    yield size(shape), (shape, LEAF)
    if shape != LEAF:
        left, right = shape
        for gap, result in insertions(left):
            yield gap, (result, right)
        for gap, result in insertions(right):
            yield size(left) + gap, (left, result)


def deletions(shape: Shape) -> list[Shape]:
    """For each leaf, from left to right: the shape without it."""
    if shape == LEAF:
        return [None]
    left, right = shape
    first = [right] if left == LEAF else [(rest, right) for rest in deletions(left)]
    last = [left] if right == LEAF else [(left, rest) for rest in deletions(right)]
    return first + last


@cache
def renamed_trees(variables: int, signs: int, most_leaves: int) -> tuple[int, ...]:
    """The number of trees with t leaves up to renaming of variables, for t = 0 … most_leaves.

    That is the Catalan number of shapes times the sequences of t terminals up to renaming: with v variables in use, a
    further leaf is one of signs · v terminals known or one of `signs` new.
    """
    sequences = [1] + [0] * variables  # by variables in use
    numbers = [1]
    for leaves in range(1, most_leaves + 1):
        sequences = [sequences[v] * signs * v + (signs * sequences[v - 1] if v else 0) for v in range(variables + 1)]
        numbers.append(catalan(leaves) * sum(sequences))
    return tuple(numbers)
