"""MAJORITY for the kernels. The counts c(x_i), c(x̄_i) alone decide, so a tree is its register of terminals.

A deletion moves the last entry of the register into the hole, as in the model. Where an insertion puts its leaf makes
no difference: the site and the side are drawn, since the stream has them, and not used.

Code 2n belongs to nobody: so many leaves of it that one more or less makes no difference. With it every operation
takes a leaf out and brings one in.

For strict acceptance the variables are counted by class, from which `is_stuck` follows (the proofs are in
`gpruntime.model.stuck`); d is the deficit of a variable that is not expressed:

    0 absent    1, 2: d = 1 without, with an x_i    3, 4: d = 2    5, 6: d ≥ 3    7 expressed
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.initial import initial_terminals
from gpruntime.engine.kernel import MINUS_ONE, ONE, inlined, njit
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE, can_delete, weakly_stuck
from gpruntime.engine.problem import attempt, foresee, is_stuck, make, note, of, start, undo

ABSENT, EXPRESSED = 0, 7
PLENTY = 2**30  # leaves of nobody


class MajorityState(NamedTuple):
    """A tree.

    Attributes:
        terminals: the register, as codes: 2(i − 1) for x_i, 2(i − 1) + 1 for x̄_i; the last entry is nobody's, 2n.
        counts: how many leaves have each code, nobody's included.
        classes: how many variables are in each class; kept up for strict acceptance only.
    """

    terminals: NDArray[np.uint32]
    counts: NDArray[np.int32]
    classes: NDArray[np.int64]


@inlined
def is_expressed(plain, bar):
    """c(x_i) ≥ c(x̄_i) and c(x_i) ≥ 1."""
    return plain >= bar and plain >= 1


@inlined
def class_of(plain, bar):
    """The class of a variable with these counts."""
    if bar <= plain:
        return EXPRESSED if plain > 0 else ABSENT
    return 2 * min(bar - plain, 3) - 1 + (plain > 0)


@inlined
def gain_of(count, code, by):
    """What `by` more leaves with this terminal would add to the fitness."""
    plain, bar = count[code & ~1], count[code | 1]
    before = is_expressed(plain, bar)
    if code & 1:
        bar += by
    else:
        plain += by
    return np.int64(is_expressed(plain, bar)) - np.int64(before)


@inlined
def gain_of_exchange(counts, old, new):
    """What a substitution adds to the fitness."""
    if old >> 1 != new >> 1:
        return gain_of(counts, old, MINUS_ONE) + gain_of(counts, new, ONE)
    if old == new:
        return np.int64(0)
    plain, bar = counts[new & ~1], counts[new | 1]  # x_i becomes x̄_i, or the other way round
    by = -1 if new & 1 else 1
    return np.int64(is_expressed(plain + by, bar - by)) - np.int64(is_expressed(plain, bar))


@inlined
def change(law, state, code, by):
    """Adds `by` leaves with this terminal; returns what that adds to the fitness."""
    gain = gain_of(state.counts, code, by)
    even, odd = code & ~1, code | 1
    if law.strict:
        state.classes[class_of(state.counts[even], state.counts[odd])] -= 1
    state.counts[code] += by
    if law.strict:
        state.classes[class_of(state.counts[even], state.counts[odd])] += 1
    return gain


@of(start, MajorityState)
def _start(law, given, state, rng):
    state.counts[:] = 0
    state.counts[2 * law.n] = PLENTY
    state.classes[:] = 0
    leaves = initial_terminals(law, given, rng, state.terminals)
    state.terminals[state.terminals.shape[0] - 1] = 2 * law.n
    for i in range(leaves):
        state.counts[state.terminals[i]] += 1
    for i in range(law.n):
        state.classes[class_of(state.counts[2 * i], state.counts[2 * i + 1])] += 1
    return leaves, state.classes[EXPRESSED]


@inlined
def _unexpressed(plain, bar):
    """−1 for a variable with these counts that is not expressed, 0 for one that is: the sign, without a branch."""
    return ((plain - 1) | (plain - bar)) >> 63


@of(foresee, MajorityState)
def _foresee(state, leaves, site, code):
    pass  # a step is too short for that to help


@of(attempt, MajorityState)
def _attempt(law, state, leaves, kind, site, side, code, least):
    """The processor cannot guess kinds and signs, so there is no branch on them: they choose what to read and where.

    If the leaf that goes and the one that comes are of one variable, the second finds the counts the first has left.
    """
    terminals, counts = state.terminals, state.counts
    old = np.int64(terminals[terminals.shape[0] - 1 if kind == INSERT else site])
    new = np.int64(2 * law.n) if kind == DELETE else code
    plain, bar = np.int64(counts[old & ~1]), np.int64(counts[old | 1])
    plain_then, bar_then = plain - (~old & 1), bar - (old & 1)
    plain_new, bar_new = np.int64(counts[new & ~1]), np.int64(counts[new | 1])
    if old >> 1 == new >> 1:
        plain_new, bar_new = plain_then, bar_then
    gain = _unexpressed(plain_then, bar_then) - _unexpressed(plain, bar)
    gain += _unexpressed(plain_new + (~new & 1), bar_new + (new & 1)) - _unexpressed(plain_new, bar_new)
    if gain >= least:
        terminals[leaves] = code  # free, and a place to choose from
        terminals[leaves if kind == INSERT else site] = terminals[leaves - (kind == DELETE)]
        if law.strict:
            if kind != INSERT:
                change(law, state, old, MINUS_ONE)
            if kind != DELETE:
                change(law, state, new, ONE)
        else:
            counts[old] -= 1
            counts[new] += 1
    return gain


@of(make, MajorityState)
def _make(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        state.terminals[leaves] = code
        return change(law, state, code, ONE)
    if kind == DELETE:
        if can_delete(law, leaves):
            old = np.int64(state.terminals[site])
            state.terminals[site] = state.terminals[leaves - 1]
            return change(law, state, old, MINUS_ONE)
        return np.int64(0)
    if code < 0:
        return np.int64(0)
    old = np.int64(state.terminals[site])
    state.terminals[site] = code
    gain = change(law, state, old, MINUS_ONE)
    return gain + change(law, state, code, ONE)


@of(note, MajorityState)
def _note(law, state, leaves, kind, site, code, log, j):
    goes = kind == DELETE and can_delete(law, leaves)
    log[j, 0], log[j, 1], log[j, 2], log[j, 3] = kind, site, code, -1
    if goes or (kind != INSERT and code >= 0):
        log[j, 3] = state.terminals[site]


@of(undo, MajorityState)
def _undo(law, state, leaves, log, j):
    kind, site, code, old = log[j, 0], log[j, 1], log[j, 2], log[j, 3]
    if kind == INSERT:
        change(law, state, code, MINUS_ONE)
        return leaves - 1
    if old < 0:
        return leaves
    if kind == DELETE:
        state.terminals[leaves] = state.terminals[site]
        state.terminals[site] = old
        change(law, state, old, ONE)
        return leaves + 1
    state.terminals[site] = old
    change(law, state, code, MINUS_ONE)
    change(law, state, old, ONE)
    return leaves


@of(is_stuck, MajorityState)
def _is_stuck(law, state, leaves, fitness):
    return majority_stuck(law, state.counts, state.classes, leaves, fitness)


@njit
def majority_stuck(law, count, classes, leaves, fitness):
    """The criteria of `gpruntime.model.stuck`, by classes."""
    substitute, insert, delete = law.weights[SUBSTITUTE] > 0, law.weights[INSERT] > 0, law.weights[DELETE] > 0
    room = law.limit - leaves
    if not law.strict:
        return weakly_stuck(law, leaves, fitness)
    if law.most > 1:
        if substitute:
            return leaves == fitness and not insert
        if insert and (delete or law.limit == NO_LIMIT):
            return False
        if not insert:
            return classes[2] + classes[4] + classes[6] == 0
        for i in range(law.n):  # only insertions, and little room: rare enough for a look at all variables
            plain, bar = count[2 * i], count[2 * i + 1]
            if not is_expressed(plain, bar) and max(bar - plain, 1) <= room:
                return False
        return True
    insert = insert and room > 0
    if substitute and classes[3] + classes[4] > 0:
        return False
    if (substitute or insert) and classes[1] + classes[2] > 0:
        return False
    if delete and classes[2] > 0:
        return False
    return not (classes[ABSENT] > 0 and (insert or (substitute and leaves > fitness)))
