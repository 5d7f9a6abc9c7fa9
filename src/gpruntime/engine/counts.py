"""Problems that see counts: a tree is its register of terminals, and the fitness a sum of one term for each variable.

An operation takes a leaf out or brings one in, or both: two terms change at most. Where a user's function is called,
the value of each term is kept, so that an operation is two calls; where it is put into the loop, none is. As the
processor cannot foresee kinds, single operations have no branch on them: where nothing goes, or nothing comes, the term
of some variable is worked out that stays as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.initial import draw_terminals
from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.memory import tail
from gpruntime.engine.params import NO_LIMIT, Params, can_delete, takes_out
from gpruntime.engine.run_state import DELETE, INSERT
from gpruntime.engine.stepping import Stepping
from gpruntime.engine.stuck import vain_is_accepted
from gpruntime.engine.tree_memory import Field, TreeKind
from gpruntime.engine.user_function import value_by_counts

_NO_GAIN = int64(-NO_LIMIT)  # less than any gain


class CountsTree(NamedTuple):
    """A tree of which only the counts matter."""

    counts: Any  # how many leaves have each code, 2·variable + (1 for a complement)
    register: Any  # the terminals as codes, in the order of the model's register
    terms: Any  # what each variable adds to the fitness, where that is kept


def _sizes(params: Params, room: int) -> dict[str, Field]:
    n = params.n
    return {
        "counts": (np.uint32, 2 * n + 2),
        "register": (np.uint32, room + 2),
        "terms": (np.int64, n + 1),
    }


COUNTS_TREE = TreeKind(CountsTree, _sizes)


@inlined
def count(params, counts, terminals, leaves):
    """Counts the leaves with each code."""
    for code in range(2 * params.n):
        counts[code] = 0
    for i in range(leaves):
        counts[terminals[i]] += 1


@inlined_once
def _note(params, tree, leaves, operation, entry):
    entry.kind, entry.site, entry.new, entry.old = operation.kind, operation.site, operation.code, -1
    if takes_out(params, leaves, operation):
        entry.old = tree.register[operation.site]


def make_counts(value: Any, kept: bool) -> tuple[Stepping, Any]:
    """What the loops need, from `value(params, i, plain, bar)`, what a variable adds; `kept` if that is costly.

    And `look`, which tells what a change would add.
    """
    if kept:

        @inlined
        def term_of(params, tree, variable, plain, bar):
            """What a variable with these counts adds now."""
            return tree.terms[variable]

        @inlined
        def keep(tree, variable, term):
            tree.terms[variable] = term

    else:

        @inlined
        def term_of(params, tree, variable, plain, bar):
            return value(params, variable + 1, plain, bar)

        @inlined
        def keep(tree, variable, term):
            pass

    @inlined_once
    def start(params, tree, run):
        leaves, fitness = draw_terminals(params, run.initial.given, run.rng, tree.register), ZERO
        count(params, tree.counts, tree.register, leaves)
        for i in range(params.n):
            term = value(params, i + 1, int64(tree.counts[2 * i]), int64(tree.counts[2 * i + 1]))
            keep(tree, i, term)
            fitness += term
        return leaves, fitness

    @inlined
    def look(params, tree, old, new, goes, comes):
        """What variables would add if `old` went and `new` came: (gain, term of old's variable, term of new's).

        `goes` and `comes` are 1, or 0 if nothing goes or comes.
        """
        counts = tree.counts
        plain, bar = int64(counts[old & ~1]), int64(counts[old | 1])
        gain = -term_of(params, tree, old >> 1, plain, bar)
        plain, bar = plain - (goes & ~old), bar - (goes & old)
        then = value(params, (old >> 1) + 1, plain, bar)
        plain_new, bar_new = int64(counts[new & ~1]), int64(counts[new | 1])
        if old >> 1 == new >> 1:
            plain_new, bar_new = plain, bar
        before = term_of(params, tree, new >> 1, plain_new, bar_new)
        if kept and old >> 1 == new >> 1:
            before = then
        now = value(params, (new >> 1) + 1, plain_new + (comes & ~new), bar_new + (comes & new))
        return gain + then + now - before, then, now

    @inlined_once
    def attempt(call, tree, leaves, operation, min_gain):
        kind, site, register = operation.kind, operation.site, tree.register
        goes, comes = int64(kind != INSERT), int64(kind != DELETE)
        old = int64(register[site if kind != INSERT else ZERO])
        new = operation.code if kind != DELETE else ZERO
        gain, then, now = look(call, tree, old, new, goes, comes)
        if gain >= min_gain:
            register[leaves] = new  # free, and a place to choose from
            register[leaves if kind == INSERT else site] = register[leaves - (kind == DELETE)]
            tree.counts[old] -= goes
            tree.counts[new] += comes
            keep(tree, old >> 1, then)
            keep(tree, new >> 1, now)  # last: it is the one that counts if the variable is the same
        return gain

    @inlined
    def change(params, tree, code, by):
        """Adds `by` leaves with this terminal; returns what that adds to the fitness."""
        variable, counts = code >> 1, tree.counts
        before = term_of(params, tree, variable, int64(counts[code & ~1]), int64(counts[code | 1]))
        counts[code] += by
        after = value(params, variable + 1, int64(counts[code & ~1]), int64(counts[code | 1]))
        keep(tree, variable, after)
        return after - before

    @inlined
    def make(params, tree, leaves, operation):
        kind, site, code, gain = operation.kind, operation.site, operation.code, ZERO
        if kind == INSERT:
            tree.register[leaves] = code
        elif takes_out(params, leaves, operation):
            gain = change(params, tree, int64(tree.register[site]), MINUS_ONE)
            tree.register[site] = tree.register[leaves - 1] if kind == DELETE else code
        return gain + change(params, tree, code, ONE) if code >= 0 else gain

    @inlined
    def undo(params, tree, leaves, entry):
        site, new, old = entry.site, entry.new, entry.old
        if new >= 0:
            change(params, tree, new, MINUS_ONE)
            leaves -= 1
        if old >= 0:
            change(params, tree, old, ONE)
            if new < 0:
                tree.register[leaves] = tree.register[site]
            tree.register[site] = old
            leaves += 1
        return leaves

    @helper
    def is_stuck(params, tree, leaves, fitness):
        """Looks for something that is accepted, variable by variable, and stops there: a run asks this very often."""
        if vain_is_accepted(params, leaves):
            return False
        inserts = params.p_insert > 0 and leaves < params.max_leaves
        deletes = params.p_delete > 0 and can_delete(params, leaves)
        substitutes = params.p_substitute > 0 and leaves > 0
        out, into = _NO_GAIN, _NO_GAIN  # the best that a leaf of the variables before can add by going, and by coming
        for i in range(params.n):
            loss, profit, swap = _NO_GAIN, _NO_GAIN, _NO_GAIN  # the same of this one, and within it
            for sign in range(2 - params.code_shift):
                code = 2 * i + sign
                profit = max(profit, look(params, tree, code, code, ZERO, ONE)[0])
                if tree.counts[code] > 0:
                    loss = max(loss, look(params, tree, code, code, ONE, ZERO)[0])
                    for other in range(2 - params.code_shift):
                        swap = max(swap, look(params, tree, code, 2 * i + other, ONE, ONE)[0])
            if (inserts and profit >= params.min_gain_larger) or (deletes and loss >= params.min_gain_smaller):
                return False
            if substitutes and max(swap, loss + into, out + profit) >= params.min_gain_same:
                return False
            out, into = max(out, loss), max(into, profit)
        return True

    @inlined
    def foresee(tree, leaves, site, code):
        pass

    return Stepping(start, is_stuck, make, _note, undo, attempt, foresee), look


BY_COUNTS, _ = make_counts(value_by_counts, kept=True)


# ---- in a population


@inlined
def in_slot(trees, strides, slot):
    """The tree in a slot."""
    return CountsTree(
        tail(trees.counts, slot * strides.counts),
        tail(trees.register, slot * strides.register),
        tail(trees.terms, slot * strides.terms),
    )


@helper
def copy_tree(params, source, target, leaves, room):
    """Makes one tree a copy of another, which has this many leaves."""
    for i in range(params.n):
        target.counts[2 * i], target.counts[2 * i + 1] = source.counts[2 * i], source.counts[2 * i + 1]
        target.terms[i] = source.terms[i]
    for i in range(leaves):
        target.register[i] = source.register[i]


@helper
def append_tree(params, tree, other, leaves, more):
    """Appends a copy of another tree, with `more` leaves; returns the score."""
    for i in range(more):
        code = other.register[i]
        tree.register[leaves + i] = code
        tree.counts[code] += 1
    score = ZERO
    for i in range(params.n):
        counts = tree.counts
        tree.terms[i] = value_by_counts(params, i + 1, int64(counts[2 * i]), int64(counts[2 * i + 1]))
        score += tree.terms[i]
    return score
