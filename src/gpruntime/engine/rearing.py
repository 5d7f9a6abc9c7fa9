"""Offspring of trees in a pool, by what a problem sees: judged in their parent's slot, and made where they will live.

Where a problem sees counts or first occurrences, an offspring is drawn, its operations are made to its parent and taken
back, and what they gain is known: O(1) for each. Only an offspring that enters the population is made for good: in its
parent's slot, if it takes the parent's place, or in a copy of the parent, which is O(T + n). `grafting` has the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64, uint64

from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.first import worth_of_all
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.labels import STEP
from gpruntime.engine.law import INSERT
from gpruntime.engine.memory import tail
from gpruntime.engine.nodes import (
    AFTER,
    BEFORE,
    HALF,
    LABEL,
    LEFT,
    NOBODY,
    PARENT,
    PLACE,
    RIGHT,
    TERMINAL,
    TOP,
    get,
    put,
)
from gpruntime.engine.ordered import edge_of, link_occurrence
from gpruntime.engine.own import value_by_counts
from gpruntime.engine.pool import BORN_CODE, BORN_KIND, BORN_SIDE, BORN_SITE, BORN_WIDTH, COUNT, cells_of, wide_of
from gpruntime.engine.problem import Stepping
from gpruntime.engine.stepping import draw, drawn_operations, growth
from gpruntime.engine.trace import LOG_WIDTH

_U11 = uint64(11)
_NEVER = int64(2**63 - 1)  # more than any gain


class Rearing(NamedTuple):
    """What the loop of populations is told by a form.

    Attributes:
        plant(law, at, cells, wide, tiny, drawing, rng, slot): draws an initial tree; returns (leaves, score).
        conceive(law, at, cells, wide, rng, plan, log, result, mother, father): draws an offspring, with operations
            written into `born`, and judges it; returns (score, leaves, operations). The father is −1 if there is none.
        keep(law, at, cells, wide, leaves): keeps the offspring just drawn, which has so many leaves, for `bear`, when
            others are drawn before.
        bear(law, at, cells, wide, born, operations, mother, slot): makes the offspring of these operations, the last
            one drawn or kept, in a slot, which may be its mother's.
        concatenate(law, at, cells, wide, rng, left, right, slot): joins the trees of two slots in a third; returns
            (leaves, score).
        are_stuck(law, at, cells, wide, log): whether a (1+1) GP would be stuck at each member of the population.
    """

    plant: Any
    conceive: Any
    keep: Any
    bear: Any
    concatenate: Any
    are_stuck: Any


def make_rearing(parts: Stepping, copy_tree: Any, append_tree: Any) -> Rearing:
    """For a form of one tree, what copies its tree, and what appends another to it and returns the score."""
    start, is_stuck, make, note, undo, attempt, _ = parts

    @helper
    def plant(law, at, cells, wide, tiny, drawing, rng, slot):
        mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
        leaves, score = start(law, at.tree, mine, words, tiny, drawing, rng)
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score
        return leaves, score

    @helper
    def conceive(law, at, cells, wide, rng, plan, log, result, mother, father):
        mine, words = cells_of(at, cells, mother), wide_of(at, wide, mother)
        leaves, gain = wide[at.leaves + mother], ZERO
        operations, new_leaves = drawn_operations(law, rng, plan), leaves
        for j in range(operations):
            kind, site, side, code = draw(law, rng, new_leaves)
            result[PROPOSED + kind] += 1
            born = tail(wide, at.born + BORN_WIDTH * j)
            born[BORN_KIND], born[BORN_SITE], born[BORN_SIDE], born[BORN_CODE] = kind, site, side, code
            before, new_leaves = new_leaves, new_leaves + growth(law, new_leaves, kind)
            if operations > 1:
                note(law, at.tree, mine, words, before, kind, site, code, tail(log, LOG_WIDTH * j))
                gain += make(law, at.tree, mine, words, before, kind, site, side, code)
            elif kind == INSERT or new_leaves < leaves or code >= 0:
                gain = attempt(law, at.tree, mine, words, leaves, kind, site, side, code, _NEVER)
        if operations > 1:
            back = new_leaves
            for j in range(operations - 1, -1, -1):
                back = undo(law, at.tree, mine, words, back, tail(log, LOG_WIDTH * j))
        return wide[at.score + mother] + gain, new_leaves, operations

    @inlined
    def keep(law, at, cells, wide, leaves):
        """Its operations are kept, and that will do."""

    @helper
    def bear(law, at, cells, wide, born, operations, mother, slot):
        leaves, score = wide[at.leaves + mother], wide[at.score + mother]
        mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
        if slot != mother:
            copy_tree(law, at.tree, cells_of(at, cells, mother), wide_of(at, wide, mother), mine, words, leaves)
        for j in range(operations):
            row = tail(born, BORN_WIDTH * j)
            kind, site, side, code = row[BORN_KIND], row[BORN_SITE], row[BORN_SIDE], row[BORN_CODE]
            score += make(law, at.tree, mine, words, leaves, kind, site, side, code)
            leaves += growth(law, leaves, kind)
        wide[at.leaves + slot], wide[at.score + slot] = leaves, score

    @helper
    def concatenate(law, at, cells, wide, rng, left, right, slot):
        mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
        other, others = cells_of(at, cells, right), wide_of(at, wide, right)
        leaves, more = wide[at.leaves + left], wide[at.leaves + right]
        if leaves == 0:
            copy_tree(law, at.tree, other, others, mine, words, more)
            score = wide[at.score + right]
        else:
            copy_tree(law, at.tree, cells_of(at, cells, left), wide_of(at, wide, left), mine, words, leaves)
            score = wide[at.score + left]
            if more > 0:
                score = append_tree(law, at.tree, mine, words, other, leaves, more)
        wide[at.leaves + slot], wide[at.score + slot] = leaves + more, score
        return leaves + more, score

    @helper
    def are_stuck(law, at, cells, wide, log):
        for place in range(wide[at.hold + COUNT]):
            slot = wide[at.members + place]
            mine, words = cells_of(at, cells, slot), wide_of(at, wide, slot)
            if not is_stuck(law, at.tree, mine, words, wide[at.leaves + slot], wide[at.score + slot]):
                return False
        return True

    return Rearing(plant, conceive, keep, bear, concatenate, are_stuck)


# ---- trees of which only the counts matter


@helper
def copy_counts(law, at, cells, wide, mine, words, leaves):
    """Copies the tree of `counts` from one slot to another."""
    for i in range(law.n):
        words[i] = wide[i]  # two counts at a time: they come first
        words[at.terms + i] = wide[at.terms + i]
    for i in range(leaves):
        mine[at.register + i] = cells[at.register + i]


@helper
def append_counts(law, at, mine, words, other, leaves, more):
    """Appends the tree of another slot; returns the score."""
    for i in range(more):
        code = other[at.register + i]
        mine[at.register + leaves + i] = code
        mine[code] += 1
    score = ZERO
    for i in range(law.n):
        words[at.terms + i] = value_by_counts(law, i + 1, int64(mine[2 * i]), int64(mine[2 * i + 1]))
        score += words[at.terms + i]
    return score


# ---- planted trees


@helper
def copy_planted(law, at, cells, wide, mine, words, leaves):
    """Copies the tree of `ordered`: the rows of its nodes, the whole register, the first leaves of variables."""
    for i in range(2 * HALF):
        words[i] = wide[i]  # NOBODY and TOP
    for place in range(leaves):
        leaf = HALF * int64(cells[at.register + 2 * place])
        for i in range(2 * HALF):
            words[leaf + i] = wide[leaf + i]  # with its label, which stands in the row of the join behind it
    for place in range(leaves - 1):
        join = HALF * int64(cells[at.register + 2 * place + 1])
        for i in range(HALF):
            words[join + i] = wide[join + i]
    for i in range(at.register, at.present + 1):
        mine[i] = cells[i]


@inlined
def _image(at, mine, other, leaves, node):
    """The node of the larger tree that a node of the appended one becomes; TOP for TOP."""
    if node == TOP:
        return int64(TOP)
    place = get(other, node, PLACE)
    is_join = node & 1
    return int64(mine[at.register + 2 * (leaves - is_join + place) + is_join])


@helper
def append_planted(law, at, mine, words, other, leaves, more):
    """Hangs a new join above a tree, with a copy of another as its right child."""
    root, appended = get(mine, TOP, LEFT), get(other, TOP, LEFT)
    last = edge_of(mine, root, int64(RIGHT))
    top = int64(mine[at.register + 2 * (leaves + more - 2) + 1])
    for place in range(more):
        leaf, new = int64(other[at.register + 2 * place]), int64(mine[at.register + 2 * (leaves + place)])
        put(mine, new, TERMINAL, get(other, leaf, TERMINAL))
        put(mine, new, PLACE, leaves + place)
        put(mine, new, PARENT, _image(at, mine, other, leaves, get(other, leaf, PARENT)))
    for place in range(more - 1):
        join = int64(other[at.register + 2 * place + 1])
        new = int64(mine[at.register + 2 * (leaves - 1 + place) + 1])
        put(mine, new, LEFT, _image(at, mine, other, leaves, get(other, join, LEFT)))
        put(mine, new, RIGHT, _image(at, mine, other, leaves, get(other, join, RIGHT)))
        put(mine, new, PLACE, leaves - 1 + place)
        put(mine, new, PARENT, _image(at, mine, other, leaves, get(other, join, PARENT)))
    put(mine, top, LEFT, root)
    put(mine, top, RIGHT, _image(at, mine, other, leaves, appended))
    put(mine, top, PLACE, leaves + more - 2)
    put(mine, top, PARENT, TOP)
    put(mine, root, PARENT, top)
    put(mine, get(mine, top, RIGHT), PARENT, top)
    put(mine, TOP, LEFT, top)
    leaf = edge_of(other, appended, int64(LEFT))
    while leaf != NOBODY:
        new = _image(at, mine, other, leaves, leaf)
        put(mine, new, BEFORE, last)
        put(mine, last, AFTER, new)
        put(mine, new, AFTER, NOBODY)
        put(words, new, LABEL, get(words, last, LABEL) + STEP)
        link_occurrence(at, mine, words, new)
        last, leaf = new, get(other, leaf, AFTER)


@helper
def append_first(law, at, mine, words, other, leaves, more):
    """Appends a tree, where the problem sees which leaf comes first; returns the score."""
    append_planted(law, at, mine, words, other, leaves, more)
    return worth_of_all(law, at, mine)


# by what a problem sees
COPY = {"counts": copy_counts, "first": copy_planted}
APPEND = {"counts": append_counts, "first": append_first}
