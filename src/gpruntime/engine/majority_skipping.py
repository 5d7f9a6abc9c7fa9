"""MAJORITY for skipping: no register, just how many leaves there are of each terminal.

A leaf is taken out as "the r-th leaf with terminal c". In an operation, `site` is c; r is drawn and traced, so that the
tree can be rebuilt, and else not used. To draw (c, r), leaves are added up in blocks of BLOCK variables: a Fenwick tree
finds the block, and a walk along its counts, which are next to each other in memory, finds the terminal. A Fenwick tree
over all terminals would be many times as large, and out of the cache when n is.

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
from gpruntime.engine.prefetch import prefetch
from gpruntime.engine.problem import (
    draw_hopeful,
    draw_hopeless,
    foresee_change,
    is_stuck,
    is_vain,
    judge,
    make,
    measure,
    note,
    of,
    refile,
    start,
    terminal_of,
    undo,
)
from gpruntime.engine.random import below, uniform
from gpruntime.engine.stepping import draw_place

# Not side by side: four neighbours are read in one go, and such a read waits until all that was written to any memory
# before them, which may be far, has arrived.
POOL, BLOCKING, TWOS, LEAST = range(0, 8, 2)

BLOCK = 16


class MajoritySkip(NamedTuple):
    """The counts of a tree.

    Attributes:
        terminals: room for the terminals of an initial tree.
        counts, classes: as in `majority`.
        leaves_of, blocking_of, twos_of: Fenwick trees over the blocks: their leaves, those that block or count for β₂.
        filed: BLOCKING or TWOS if a variable's leaves x̄_i block or count for β₂; 0 for others.
        pool: the wanted variables, in any order.
        place: where a variable stands in the pool, −1 for nowhere.
        level_of: operations needed at least to express a variable, 0 for expressed ones; capped at one too many. This
            and the next are kept up for several operations only.
        levels: how many variables are on each level.
        sizes: how many variables are in the POOL, how many leaves are BLOCKING and TWOS, and the LEAST level but 0.
    """

    terminals: NDArray[np.int32]
    counts: NDArray[np.int32]
    classes: NDArray[np.int64]
    leaves_of: NDArray[np.int32]
    blocking_of: NDArray[np.int32]
    twos_of: NDArray[np.int32]
    filed: NDArray[np.int8]
    pool: NDArray[np.int32]
    place: NDArray[np.int32]
    level_of: NDArray[np.int32]
    levels: NDArray[np.int64]
    sizes: NDArray[np.int64]


@inlined
def _filing(law, state, variable):
    """Whether a variable is wanted, and how its leaves x̄_i are filed."""
    place = class_of(state.counts[2 * variable], state.counts[2 * variable + 1])
    if law.most > 1:
        return place != EXPRESSED, 0 if place == EXPRESSED else BLOCKING
    if place == 2:
        return True, BLOCKING
    return place < 2, TWOS if place == 3 or place == 4 else 0


@inlined
def _count_bars(state, variable, by):
    """Adds so many leaves x̄_i where those of the variable are filed."""
    filed = state.filed[variable]
    state.sizes[filed] += by if filed > 0 else 0
    if filed == BLOCKING:
        add(state.blocking_of, variable // BLOCK, by)
    elif filed == TWOS:
        add(state.twos_of, variable // BLOCK, by)


@inlined
def _level(law, state, variable):
    """How many operations it takes at least to express a variable."""
    plain, bar = state.counts[2 * variable], state.counts[2 * variable + 1]
    if is_expressed(plain, bar):
        return 0
    return min((max(bar - plain, 1) + 1) // 2, law.most + 1)


@inlined
def _find_least(law, state):
    level = 1
    while level <= law.most and state.levels[level] == 0:
        level += 1
    state.sizes[LEAST] = level if law.most > 1 else 1


@njit
def _file(law, state, variable):
    """Brings the filing of a variable up to date."""
    if law.most > 1:
        state.levels[state.level_of[variable]] -= 1
        state.level_of[variable] = _level(law, state, variable)
        state.levels[state.level_of[variable]] += 1
    wanted, filed = _filing(law, state, variable)
    if filed != state.filed[variable]:
        bars = state.counts[2 * variable + 1]
        _count_bars(state, variable, -bars)
        state.filed[variable] = filed
        _count_bars(state, variable, bars)
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
    state.leaves_of[:] = 0
    state.blocking_of[:] = 0
    state.twos_of[:] = 0
    leaves = initial_terminals(law, given, rng, state.terminals)
    for i in range(leaves):
        state.counts[state.terminals[i]] += 1
    for i in range(law.n):
        plain, bar = state.counts[2 * i], state.counts[2 * i + 1]
        state.classes[class_of(plain, bar)] += 1
        wanted, filed = _filing(law, state, i)
        block = i // BLOCK + 1
        state.leaves_of[block] += plain + bar
        state.blocking_of[block] += bar if filed == BLOCKING else 0
        state.twos_of[block] += bar if filed == TWOS else 0
        state.sizes[BLOCKING] += bar if filed == BLOCKING else 0
        state.sizes[TWOS] += bar if filed == TWOS else 0
        state.filed[i] = filed
        state.place[i] = -1
        if wanted:
            _join_pool(state, i)
        state.level_of[i] = _level(law, state, i)
        state.levels[state.level_of[i]] += 1
    _find_least(law, state)
    build(state.leaves_of)
    build(state.blocking_of)
    build(state.twos_of)
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
    variable = np.int64(state.pool[below(rng, state.sizes[POOL])])
    prefetch(state.counts, 2 * variable)
    return 2 * variable


@inlined
def _draw_unwanted(law, state, rng):
    code = below(rng, 2 * law.n)
    while _is_wanted(state, code):
        code = below(rng, 2 * law.n)
    return code


@inlined
def _leaf(state, number):
    """The leaf with this number, if leaves are numbered by terminal: (terminal, rank)."""
    block, rank = find(state.leaves_of, number)
    code = 2 * BLOCK * np.int64(block)
    while rank >= state.counts[code]:
        rank -= state.counts[code]
        code += 1
    return code, np.int64(rank)


@inlined
def _draw_bar(state, sums, filed, rng):
    """A uniform leaf x̄_i of the variables filed so."""
    block, rank = find(sums, below(rng, state.sizes[filed]))
    variable = BLOCK * np.int64(block)
    while state.filed[variable] != filed or rank >= state.counts[2 * variable + 1]:
        if state.filed[variable] == filed:
            rank -= state.counts[2 * variable + 1]
        variable += 1
    return 2 * variable + 1, np.int64(rank)


@of(draw_hopeful, MajoritySkip)
def _draw_hopeful(law, state, rng, leaves, kind):
    none = np.int64(-1)
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_wanted(state, rng), none
    if kind == DELETE:
        old, rank = _draw_bar(state, state.blocking_of, BLOCKING, rng)
        return old, none, none, rank
    into = state.sizes[POOL] / (2.0 * law.n)
    out = (1.0 - into) * state.sizes[BLOCKING] / leaves
    both = state.sizes[TWOS] / (2.0 * law.n * leaves)
    x = uniform(rng) * (into + out + both)
    if x < into:
        number = below(rng, leaves)
        code = _draw_wanted(state, rng)  # before the search for the leaf: its memory comes in the meantime
        old, rank = _leaf(state, number)
        return old, none, code, rank
    if x < into + out or state.sizes[TWOS] == 0:
        old, rank = _draw_bar(state, state.blocking_of, BLOCKING, rng)
        return old, none, _draw_unwanted(law, state, rng), rank
    old, rank = _draw_bar(state, state.twos_of, TWOS, rng)
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
        old, rank = _leaf(state, below(rng, leaves))
        blocks = old & 1 == 1 and state.filed[old >> 1] == BLOCKING
        if kind == DELETE:
            if not blocks:
                return old, none, none, rank
        else:
            code = below(rng, 2 * law.n)
            both = old & 1 == 1 and code == old - 1 and state.filed[old >> 1] == TWOS
            if not _is_wanted(state, code) and not blocks and not both:
                return old, none, code, rank


# ---- making


@of(foresee_change, MajoritySkip)
def _foresee_change(state, leaves, kind, site, side, code):
    if kind != INSERT:
        prefetch(state.filed, site >> 1)
        prefetch(state.place, site >> 1)
    if code >= 0:
        prefetch(state.filed, code >> 1)
        prefetch(state.place, code >> 1)


@of(judge, MajoritySkip)
def _judge(law, state, leaves, kind, site, side, code):
    if kind == INSERT:
        # with one operation, what is wanted is expressed by one leaf more
        return ONE if law.most == 1 else gain_of(state.counts, code, ONE)
    if kind == DELETE:
        if can_delete(law, leaves):
            return gain_of(state.counts, site, MINUS_ONE)
        return np.int64(0)
    return np.int64(0) if code < 0 else gain_of_exchange(state.counts, site, code)


@of(is_vain, MajoritySkip)
def _is_vain(law, state, leaves, kind, site, which):
    return False


@of(terminal_of, MajoritySkip)
def _terminal_of(state, code, which):
    return code


@njit
def _change(law, state, code, by):
    """Adds `by` leaves with this terminal, here and in the sums. How variables are filed stays the parent's."""
    variable = code >> 1
    add(state.leaves_of, variable // BLOCK, by)
    if code & 1 == 1:
        _count_bars(state, variable, by)
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
