"""MAJORITY for skipping: no register, just how many leaves there are of each terminal.

A leaf is taken out as "the r-th leaf with terminal c": (c, r) from a Fenwick tree over the counts. In an operation,
`site` is c; r is drawn and traced, so that the tree can be rebuilt, and else not used.

Which variables are wanted (U), and which leaves block, is finer for one operation than for several:

- one operation: a variable of deficit 1, or absent, is wanted: x_i helps it. The leaves x̄_i block if the deficit is
  1 and there
  is an x_i: one less helps. With deficit 2 only the substitution x̄_i → x_i helps (β₂ counts those x̄_i). With a
  deficit of 3 or more nothing does. Without these classes a run would try Θ(n) proposals in vain for each that
  improves.
- several operations: every unexpressed variable is wanted, and all its x̄_i block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.fenwick import add, build, find
from gpruntime.engine.initial import initial_terminals
from gpruntime.engine.kernel import MINUS_ONE, ONE, inlined, njit
from gpruntime.engine.law import DELETE, INSERT, can_delete
from gpruntime.engine.majority import (
    EXPRESSED,
    change,
    class_of,
    gain_of,
    gain_of_exchange,
    is_expressed,
    majority_stuck,
)
from gpruntime.engine.problem import (
    draw_hopeful,
    draw_hopeless,
    is_stuck,
    is_vain,
    judge,
    make,
    measure,
    note,
    of,
    refile,
    start,
    try_ahead,
    trying_ahead_pays,
    undo,
)
from gpruntime.engine.random import below, uniform
from gpruntime.engine.stepping import draw_place

POOL, BLOCKING, TWOS, LEAST = range(4)


class MajoritySkip(NamedTuple):
    """The counts of a tree.

    Attributes:
        terminals: room for the terminals of an initial tree.
        counts, classes: as in `majority`.
        leaves_by_code: a Fenwick tree over the counts.
        blocking, twos: Fenwick trees over the variables, with their leaves that block or count for β₂.
        blocking_of, twos_of: the same numbers by variable.
        pool: the wanted variables, in any order.
        place: where a variable stands in the pool, −1 for nowhere.
        level_of: operations needed at least to express a variable, 0 for expressed ones; capped at one too many.
        levels: how many variables are on each level.
        sizes: how many variables are in the POOL, how many leaves are BLOCKING and TWOS, and the LEAST level but 0.
    """

    terminals: NDArray[np.int32]
    counts: NDArray[np.int32]
    classes: NDArray[np.int64]
    leaves_by_code: NDArray[np.int32]
    blocking: NDArray[np.int32]
    twos: NDArray[np.int32]
    blocking_of: NDArray[np.int32]
    twos_of: NDArray[np.int32]
    pool: NDArray[np.int32]
    place: NDArray[np.int32]
    level_of: NDArray[np.int32]
    levels: NDArray[np.int64]
    sizes: NDArray[np.int64]


@inlined
def _filing(law, state, variable):
    """Whether a variable is wanted, its blocking leaves, and its leaves for β₂."""
    plain, bar = state.counts[2 * variable], state.counts[2 * variable + 1]
    place = class_of(plain, bar)
    if law.extra.shape[0] > 1:
        wanted = place != EXPRESSED
        return wanted, bar if wanted else 0, 0
    return place <= 2, bar if place == 2 else 0, bar if place == 3 or place == 4 else 0


@inlined
def _level(law, state, variable):
    """How many operations it takes at least to express a variable."""
    plain, bar = state.counts[2 * variable], state.counts[2 * variable + 1]
    if is_expressed(plain, bar):
        return 0
    return min((max(bar - plain, 1) + 1) // 2, law.extra.shape[0] + 1)


@inlined
def _find_least(law, state):
    level = 1
    while level <= law.extra.shape[0] and state.levels[level] == 0:
        level += 1
    state.sizes[LEAST] = level if law.extra.shape[0] > 1 else 1


@njit
def _file(law, state, variable):
    """Brings the filing of a variable up to date."""
    state.levels[state.level_of[variable]] -= 1
    state.level_of[variable] = _level(law, state, variable)
    state.levels[state.level_of[variable]] += 1
    wanted, blocking, twos = _filing(law, state, variable)
    if blocking != state.blocking_of[variable]:
        add(state.blocking, variable, blocking - state.blocking_of[variable])
        state.sizes[BLOCKING] += blocking - state.blocking_of[variable]
        state.blocking_of[variable] = blocking
    if twos != state.twos_of[variable]:
        add(state.twos, variable, twos - state.twos_of[variable])
        state.sizes[TWOS] += twos - state.twos_of[variable]
        state.twos_of[variable] = twos
    if wanted and state.place[variable] < 0:
        _join_pool(state, variable)
    elif not wanted and state.place[variable] >= 0:
        state.sizes[POOL] -= 1
        last = state.pool[state.sizes[POOL]]
        state.pool[state.place[variable]] = last
        state.place[last] = state.place[variable]
        state.place[variable] = -1


@inlined
def _join_pool(state, variable):
    state.pool[state.sizes[POOL]] = variable
    state.place[variable] = state.sizes[POOL]
    state.sizes[POOL] += 1


@of(start, MajoritySkip)
def _start(law, given, state, rng):
    state.counts[:] = 0
    state.classes[:] = 0
    state.sizes[:] = 0
    state.levels[:] = 0
    leaves = initial_terminals(law, given, rng, state.terminals)
    for i in range(leaves):
        state.counts[state.terminals[i]] += 1
    for i in range(law.n):
        state.classes[class_of(state.counts[2 * i], state.counts[2 * i + 1])] += 1
        wanted, blocking, twos = _filing(law, state, i)
        state.blocking[i + 1] = state.blocking_of[i] = blocking
        state.twos[i + 1] = state.twos_of[i] = twos
        state.sizes[BLOCKING] += blocking
        state.sizes[TWOS] += twos
        state.place[i] = -1
        if wanted:
            _join_pool(state, i)
        state.level_of[i] = _level(law, state, i)
        state.levels[state.level_of[i]] += 1
    _find_least(law, state)
    for code in range(2 * law.n):
        state.leaves_by_code[code + 1] = state.counts[code]
    build(state.leaves_by_code)
    build(state.blocking)
    build(state.twos)
    return leaves, state.classes[EXPRESSED]


@of(is_stuck, MajoritySkip)
def _is_stuck(law, state, leaves, fitness):
    return majority_stuck(law, state.counts, state.classes, leaves, fitness)


@of(measure, MajoritySkip)
def _measure(law, state):
    return state.sizes[POOL], state.sizes[BLOCKING], state.sizes[TWOS], 1, state.sizes[LEAST]


# ---- drawing


@inlined
def _is_wanted(state, code):
    return code & 1 == 0 and state.place[code >> 1] >= 0


@inlined
def _draw_wanted(state, rng):
    return 2 * np.int64(state.pool[below(rng, state.sizes[POOL])])


@inlined
def _draw_unwanted(law, state, rng):
    code = below(rng, 2 * law.n)
    while _is_wanted(state, code):
        code = below(rng, 2 * law.n)
    return code


@inlined
def _draw_leaf(state, rng, leaves):
    code, rank = find(state.leaves_by_code, below(rng, leaves))
    return np.int64(code), np.int64(rank)


@inlined
def _draw_bar(sums, size, rng):
    variable, rank = find(sums, below(rng, size))
    return 2 * np.int64(variable) + 1, np.int64(rank)


@of(draw_hopeful, MajoritySkip)
def _draw_hopeful(law, state, rng, leaves, kind):
    none = np.int64(-1)
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_wanted(state, rng), none
    if kind == DELETE:
        old, rank = _draw_bar(state.blocking, state.sizes[BLOCKING], rng)
        return old, none, none, rank
    into = state.sizes[POOL] / (2.0 * law.n)
    out = (1.0 - into) * state.sizes[BLOCKING] / leaves
    both = state.sizes[TWOS] / (2.0 * law.n * leaves)
    x = uniform(rng) * (into + out + both)
    if x < into:
        old, rank = _draw_leaf(state, rng, leaves)
        return old, none, _draw_wanted(state, rng), rank
    if x < into + out or state.sizes[TWOS] == 0:
        old, rank = _draw_bar(state.blocking, state.sizes[BLOCKING], rng)
        return old, none, _draw_unwanted(law, state, rng), rank
    old, rank = _draw_bar(state.twos, state.sizes[TWOS], rng)
    return old, none, old - 1, rank


@of(draw_hopeless, MajoritySkip)
def _draw_hopeless(law, state, rng, leaves, kind):
    none = np.int64(-1)
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_unwanted(law, state, rng), none
    if leaves == 0:
        return none, none, none, none
    while True:
        if kind != DELETE and law.nodes and below(rng, 2 * leaves - 1) >= leaves:
            return none, none, none, none
        old, rank = _draw_leaf(state, rng, leaves)
        blocks = old & 1 == 1 and state.blocking_of[old >> 1] > 0
        if kind == DELETE:
            if not blocks:
                return old, none, none, rank
        else:
            code = below(rng, 2 * law.n)
            both = old & 1 == 1 and code == old - 1 and state.twos_of[old >> 1] > 0
            if not _is_wanted(state, code) and not blocks and not both:
                return old, none, code, rank


# ---- making


@of(trying_ahead_pays, MajoritySkip)
def _trying_ahead_pays(state, leaves):
    return False  # most hopeful offspring improve


@of(try_ahead, MajoritySkip)
def _try_ahead(law, state, rng, plan, leaves, left, number, ahead, out, row):
    none = np.int64(0)
    return none, none, none, none, none, none, none


@of(judge, MajoritySkip)
def _judge(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        return gain_of(state.counts, code, ONE)
    if kind == DELETE:
        if can_delete(law, leaves):
            return gain_of(state.counts, site, MINUS_ONE)
        return np.int64(0)
    return np.int64(0) if code < 0 else gain_of_exchange(state.counts, site, code)


@of(is_vain, MajoritySkip)
def _is_vain(law, state, leaves, kind, site, code):
    return False


@njit
def _change(law, state, code, by):
    """Adds `by` leaves with this terminal, here and in the trees. U stays the parent's, but not how many x̄_i it has."""
    add(state.leaves_by_code, code, by)
    variable = code >> 1
    if code & 1 == 1 and law.extra.shape[0] > 1 and state.place[variable] >= 0:
        add(state.blocking, variable, by)
        state.blocking_of[variable] += by
        state.sizes[BLOCKING] += by
    return change(law, state, code, by)


@inlined
def _changes(law, leaves, kind, site, code):
    """The terminals that go and come, −1 for none."""
    if kind == INSERT:
        return np.int64(-1), code
    if kind == DELETE:
        return site if can_delete(law, leaves) else np.int64(-1), np.int64(-1)
    return site if code >= 0 else np.int64(-1), code


@of(make, MajoritySkip)
def _make(law, state, leaves, kind, site, side, code):
    old, new = _changes(law, leaves, kind, site, code)
    gain = np.int64(0)
    if old >= 0:
        gain += _change(law, state, old, MINUS_ONE)
    if new >= 0:
        gain += _change(law, state, new, ONE)
    return gain


@of(note, MajoritySkip)
def _note(law, state, leaves, kind, site, code, log, j):
    log[j, 0] = kind
    log[j, 1], log[j, 2] = _changes(law, leaves, kind, site, code)


@of(undo, MajoritySkip)
def _undo(law, state, leaves, log, j):
    old, new = log[j, 1], log[j, 2]
    if new >= 0:
        _change(law, state, new, MINUS_ONE)
        leaves -= 1
    if old >= 0:
        _change(law, state, old, ONE)
        leaves += 1
    return leaves


@of(refile, MajoritySkip)
def _refile(law, state, log, operations):
    for j in range(operations):
        if log[j, 1] >= 0:
            _file(law, state, log[j, 1] >> 1)
        if log[j, 2] >= 0:
            _file(law, state, log[j, 2] >> 1)
    _find_least(law, state)
