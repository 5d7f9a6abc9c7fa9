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

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.fenwick import add, build, find
from gpruntime.engine.initial import initial_terminals
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, can_delete
from gpruntime.engine.problem import Skipping
from gpruntime.engine.problems.majority.stepping import (
    EXPRESSED,
    class_of,
    count_classes,
    is_expressed,
    is_stuck_by_classes,
)
from gpruntime.engine.random import below, draw_place, uniform
from gpruntime.engine.state import CELL, TINY, WIDE, Sizes, State
from gpruntime.engine.trace import LOG_KIND, LOG_NEW, LOG_OLD

# Not side by side: four neighbours are read in one go, and such a read waits until all that was written to any memory
# before them, which may be far, has arrived.
POOL, BLOCKING, TWOS, LEAST = range(0, 8, 2)

BLOCK = 16


class MajoritySkipFields(NamedTuple):
    """The counts of a tree.

    Attributes:
        counts, classes: as in `majority`.
        sizes: how many variables are in the POOL, how many leaves are BLOCKING and TWOS, and the LEAST level but 0.
        leaves_of, blocking_of, twos_of: Fenwick trees over the blocks: their leaves, those that block or count for β₂.
        filed: BLOCKING or TWOS if a variable's leaves x̄_i block or count for β₂; 0 for others.
        pool: the wanted variables, in any order.
        place: where a variable stands in the pool, counted from 1; 0 for nowhere.
        level_of: operations needed at least to express a variable, 0 for expressed ones; capped at one too many. This
            and the next are kept up for several operations only.
        levels: how many variables are on each level.
        terminals: room for the terminals of an initial tree.
    """

    counts: int
    classes: int
    sizes: int
    leaves_of: int
    blocking_of: int
    twos_of: int
    filed: int
    pool: int
    place: int
    level_of: int
    levels: int
    terminals: int


class MajoritySkip(State):
    """The counts of a tree of MAJORITY, which may have any size."""

    fields: Any = MajoritySkipFields
    grows = False

    def sizes(self) -> Sizes:
        """See `State`."""
        n, blocks = self.law.n, -(-self.law.n // BLOCK)
        cells = dict.fromkeys(("leaves_of", "blocking_of", "twos_of"), blocks + 1)
        cells |= dict.fromkeys(("pool", "place", "level_of"), n)
        cells |= {"levels": self.law.most + 2, "terminals": self.law.planted}
        first: Sizes = {"counts": (CELL, 2 * n + 2), "classes": (CELL, 8), "sizes": (WIDE, 8), "filed": (TINY, n)}
        return first | {name: (CELL, size) for name, size in cells.items()}


@inlined
def _filing(law, cells, variable):
    """Whether a variable is wanted, and how its leaves x̄_i are filed."""
    place = class_of(int64(cells[2 * variable]), int64(cells[2 * variable + 1]))
    if law.most > 1:
        return place != EXPRESSED, 0 if place == EXPRESSED else BLOCKING
    if place == 2:
        return True, BLOCKING
    return place < 2, TWOS if place == 3 or place == 4 else 0


@inlined
def _blocks(law):
    """The size of a Fenwick tree over the blocks."""
    return (law.n + BLOCK - 1) // BLOCK + 1


@inlined
def _count_bars(law, at, cells, wide, tiny, variable, by):
    """Adds this number of leaves x̄_i where those of the variable are filed."""
    filed = tiny[at.filed + variable]
    if filed > 0:
        wide[at.sizes + filed] += by
        add(cells, at.blocking_of if filed == BLOCKING else at.twos_of, _blocks(law), variable // BLOCK, by)


@inlined
def _level(law, cells, variable):
    """How many operations it takes at least to express a variable."""
    plain, bar = int64(cells[2 * variable]), int64(cells[2 * variable + 1])
    if is_expressed(plain, bar):
        return ZERO
    return min((max(bar - plain, 1) + 1) // 2, law.most + 1)


@inlined
def _find_least(law, at, cells, wide):
    level = ONE
    while law.most > 1 and level <= law.most and cells[at.levels + level] == 0:
        level += 1
    wide[at.sizes + LEAST] = level


@helper
def _file(law, at, cells, wide, tiny, variable):
    """Brings the filing of a variable up to date."""
    if law.most > 1:
        cells[at.levels + cells[at.level_of + variable]] -= 1
        level = _level(law, cells, variable)
        cells[at.level_of + variable] = level
        cells[at.levels + level] += 1
    wanted, filed = _filing(law, cells, variable)
    if filed != tiny[at.filed + variable]:
        bars = int64(cells[2 * variable + 1])
        _count_bars(law, at, cells, wide, tiny, variable, -bars)
        tiny[at.filed + variable] = filed
        _count_bars(law, at, cells, wide, tiny, variable, bars)
    place = int64(cells[at.place + variable])
    if wanted and place == 0:
        _join_pool(at, cells, wide, variable)
    elif not wanted and place > 0:
        wide[at.sizes + POOL] -= 1
        last = int64(cells[at.pool + wide[at.sizes + POOL]])
        cells[at.pool + place - 1] = last
        cells[at.place + last] = place
        cells[at.place + variable] = 0


@inlined
def _join_pool(at, cells, wide, variable):
    cells[at.pool + wide[at.sizes + POOL]] = variable
    wide[at.sizes + POOL] += 1
    cells[at.place + variable] = wide[at.sizes + POOL]


@helper
def _start(law, at, cells, wide, tiny, drawing, rng):
    leaves = initial_terminals(law, drawing, rng, cells, at.terminals)
    for code in range(2 * law.n):
        cells[code] = 0
    for i in range(leaves):
        cells[cells[at.terminals + i]] += 1
    count_classes(law, at, cells)
    for i in range(8):
        wide[at.sizes + i] = 0
    for level in range(law.most + 2):
        cells[at.levels + level] = 0
    for block in range(_blocks(law)):
        cells[at.leaves_of + block] = cells[at.blocking_of + block] = cells[at.twos_of + block] = 0
    for i in range(law.n):
        bar = int64(cells[2 * i + 1])
        wanted, filed = _filing(law, cells, i)
        block = i // BLOCK + 1
        cells[at.leaves_of + block] += int64(cells[2 * i]) + bar
        tiny[at.filed + i] = filed
        if filed > 0:
            cells[(at.blocking_of if filed == BLOCKING else at.twos_of) + block] += bar
            wide[at.sizes + filed] += bar
        cells[at.place + i] = 0
        if wanted:
            _join_pool(at, cells, wide, i)
        level = _level(law, cells, i)
        cells[at.level_of + i] = level
        cells[at.levels + level] += 1
    _find_least(law, at, cells, wide)
    build(cells, at.leaves_of, _blocks(law))
    build(cells, at.blocking_of, _blocks(law))
    build(cells, at.twos_of, _blocks(law))
    return leaves, int64(cells[at.classes + EXPRESSED])


@inlined
def _measure(law, at, wide):
    return wide[at.sizes + POOL], wide[at.sizes + BLOCKING], wide[at.sizes + TWOS], ONE, wide[at.sizes + LEAST]


# ---- drawing


@inlined
def _is_wanted(at, cells, code):
    return code & 1 == 0 and cells[at.place + (code >> 1)] > 0


@inlined
def _draw_wanted(at, cells, wide, rng):
    return 2 * int64(cells[at.pool + below(rng, wide[at.sizes + POOL])])


@inlined
def _draw_unwanted(law, at, cells, rng):
    code = below(rng, 2 * law.n)
    while _is_wanted(at, cells, code):
        code = below(rng, 2 * law.n)
    return code


@inlined
def _leaf(law, at, cells, number):
    """The leaf with this number, if leaves are numbered by terminal: (terminal, rank)."""
    block, rank = find(cells, at.leaves_of, _blocks(law), number)
    code = 2 * BLOCK * int64(block)
    while rank >= cells[code]:
        rank -= cells[code]
        code += 1
    return code, int64(rank)


@inlined
def _draw_bar(law, at, cells, wide, tiny, filed, rng):
    """A uniform leaf x̄_i of the variables filed so."""
    sums = at.blocking_of if filed == BLOCKING else at.twos_of
    block, rank = find(cells, sums, _blocks(law), below(rng, wide[at.sizes + filed]))
    variable = BLOCK * int64(block)
    while tiny[at.filed + variable] != filed or rank >= cells[2 * variable + 1]:
        if tiny[at.filed + variable] == filed:
            rank -= cells[2 * variable + 1]
        variable += 1
    return 2 * variable + 1, int64(rank)


@inlined
def _draw_hopeful(law, at, cells, wide, tiny, rng, leaves, kind):
    none = MINUS_ONE
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_wanted(at, cells, wide, rng), none
    pool, blocking, twos = wide[at.sizes + POOL], wide[at.sizes + BLOCKING], wide[at.sizes + TWOS]
    into = pool / (2.0 * law.n)
    out = (1.0 - into) * blocking / leaves
    both = twos / (2.0 * law.n * leaves)
    x = uniform(rng) * (into + out + both) if kind != DELETE else into
    if x < into:
        number = below(rng, leaves)
        code = _draw_wanted(at, cells, wide, rng)
        old, rank = _leaf(law, at, cells, number)
        return old, none, code, rank
    only_so = kind != DELETE and x >= into + out and twos > 0
    old, rank = _draw_bar(law, at, cells, wide, tiny, TWOS if only_so else BLOCKING, rng)
    if kind == DELETE:
        return old, none, none, rank
    return old, none, old - 1 if only_so else _draw_unwanted(law, at, cells, rng), rank


@helper
def _draw_hopeless(law, at, cells, wide, tiny, rng, leaves, kind):
    none = MINUS_ONE
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_unwanted(law, at, cells, rng), none
    if leaves == 0:
        return none, none, none, none
    while True:
        if kind != DELETE and law.nodes and below(rng, 2 * leaves - 1) >= leaves:
            return none, none, none, none
        old, rank = _leaf(law, at, cells, below(rng, leaves))
        filed = tiny[at.filed + (old >> 1)] if old & 1 == 1 else 0
        if kind == DELETE:
            if filed != BLOCKING:
                return old, none, none, rank
        else:
            code = below(rng, 2 * law.n)
            both = filed == TWOS and code == old - 1
            if not _is_wanted(at, cells, code) and filed != BLOCKING and not both:
                return old, none, code, rank


# ---- making


@inlined
def _gain_of(cells, code, by):
    """What `by` more leaves with this terminal would add to the fitness."""
    plain, bar = int64(cells[code & ~1]), int64(cells[code | 1])
    before = is_expressed(plain, bar)
    if code & 1:
        bar += by
    else:
        plain += by
    return int64(is_expressed(plain, bar)) - int64(before)


@inlined
def _judge(law, at, cells, wide, tiny, leaves, kind, site, side, code):
    if kind == INSERT:
        # with one operation, what is wanted is expressed by one leaf more
        return ONE if law.most == 1 else _gain_of(cells, code, ONE)
    if kind == DELETE:
        return _gain_of(cells, site, MINUS_ONE) if can_delete(law, leaves) else ZERO
    if code < 0:
        return ZERO
    if site >> 1 != code >> 1:
        return _gain_of(cells, site, MINUS_ONE) + _gain_of(cells, code, ONE)
    plain, bar = int64(cells[code & ~1]), int64(cells[code | 1])  # x_i becomes x̄_i, or the other way round
    by = (code & 1) - (site & 1)
    return int64(is_expressed(plain - by, bar + by)) - int64(is_expressed(plain, bar))


@inlined
def _foresee_change(at, cells, tiny, leaves, kind, site, side, code):
    pass  # runs are no faster for it


@inlined
def _is_vain(law, at, cells, tiny, leaves, kind, site, which):
    return False


@inlined
def _terminal_of(at, cells, code, which):
    return code


@helper
def _change(law, at, cells, wide, tiny, code, by):
    """Adds `by` leaves with this terminal, here and in the sums. How variables are filed stays the parent's."""
    variable = code >> 1
    add(cells, at.leaves_of, _blocks(law), variable // BLOCK, by)
    if code & 1 == 1:
        _count_bars(law, at, cells, wide, tiny, variable, by)
    before = class_of(int64(cells[code & ~1]), int64(cells[code | 1]))
    cells[code] += by
    after = class_of(int64(cells[code & ~1]), int64(cells[code | 1]))
    cells[at.classes + before] -= 1
    cells[at.classes + after] += 1
    return int64(after == EXPRESSED) - int64(before == EXPRESSED)


@inlined
def _make(law, at, cells, wide, tiny, leaves, kind, site, side, code):
    gain = ZERO
    if (kind == DELETE and can_delete(law, leaves)) or (kind != INSERT and code >= 0):
        gain += _change(law, at, cells, wide, tiny, site, MINUS_ONE)
    if code >= 0:
        gain += _change(law, at, cells, wide, tiny, code, ONE)
    return gain


@inlined
def _note(law, at, cells, wide, tiny, leaves, kind, site, code, entry):
    goes = (kind == DELETE and can_delete(law, leaves)) or (kind != INSERT and code >= 0)
    entry[LOG_KIND], entry[LOG_OLD], entry[LOG_NEW] = kind, site if goes else MINUS_ONE, code


@helper
def _undo(law, at, cells, wide, tiny, leaves, entry):
    old, new = entry[LOG_OLD], entry[LOG_NEW]
    if new >= 0:
        _change(law, at, cells, wide, tiny, new, MINUS_ONE)
        leaves -= 1
    if old >= 0:
        _change(law, at, cells, wide, tiny, old, ONE)
        leaves += 1
    return leaves


@inlined
def _settle(law, at, cells, wide):
    _find_least(law, at, cells, wide)


SKIPPING = Skipping(
    _start, is_stuck_by_classes, _make, _note, _undo, _measure, _draw_hopeful,
    _draw_hopeless, _is_vain, _terminal_of, _judge, _foresee_change, _file, _settle,
)  # fmt: skip
