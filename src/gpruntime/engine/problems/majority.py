"""MAJORITY for the kernels: counts are enough.

**Stepping** is the loop of `counts` with its term put in.

**Rejection-free** runs need no register, just how many leaves there are of each terminal. A leaf is taken out as "the
r-th leaf with terminal c". In an operation, `site` is c; r is drawn and traced, so that the tree can be rebuilt, and
else not used. To draw (c, r), leaves are added up in blocks of BLOCK variables: a Fenwick tree finds the block, and a
walk along its counts, which are next to each other in memory, finds the terminal. A Fenwick tree over all terminals
would be many times as large, and out of the cache when n is.

Which variables are wanted (U), and which leaves block, is finer for one operation than for several:

- one operation: a variable of deficit 1, which an absent one has too, is wanted: x_i helps it. The leaves x̄_i block if
  the deficit is 1 and there is an x_i: one less helps. With deficit 2 only the substitution x̄_i → x_i helps (β₂ counts
  those x̄_i). With a deficit of 3 or more nothing does. Without these classes a run would try Θ(n) proposals in vain for
  each that improves.
- several operations: every unexpressed variable is wanted, and all its x̄_i block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.counts import COUNTS_TREE, count, make_counts
from gpruntime.engine.initial import draw_terminals
from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.params import Params, takes_out
from gpruntime.engine.random import below
from gpruntime.engine.rejection_free import Hope, RejectionFree
from gpruntime.engine.run_state import DELETE, Operation
from gpruntime.engine.stuck import make_is_stuck
from gpruntime.engine.tree_memory import Field, TreeKind


@inlined
def is_expressed(plain, bar):
    """c(x_i) ≥ c(x̄_i) and c(x_i) ≥ 1."""
    return plain >= bar and plain >= 1


@inlined
def _term(params, i, plain, bar):
    """1 if such a variable is expressed, else 0: by the sign, without a branch."""
    return 1 + (((plain - 1) | (plain - bar)) >> 63)


@inlined
def _deficit(tree, variable):
    """How many leaves x_i there must be more, at least, than there are; 0 if the variable is expressed."""
    plain, bar = int64(tree.counts[2 * variable]), int64(tree.counts[2 * variable + 1])
    return ZERO if is_expressed(plain, bar) else max(bar - plain, ONE)


@helper
def _can_be_expressed(params, tree, variable, room):
    deficit = _deficit(tree, variable)
    return deficit > 0 and (deficit <= room if params.p_insert > 0 else tree.counts[2 * variable] > 0)


_BY_COUNTS, _look = make_counts(_term, kept=False)


@helper
def _can_improve(params, tree, leaves, fitness):
    return not _BY_COUNTS.is_stuck(params, tree, leaves, fitness)


STEPPING = _BY_COUNTS._replace(is_stuck=make_is_stuck(_can_improve, _can_be_expressed))


# ---- Fenwick trees: weights that can be changed, and drawn from in proportion, both in O(log n)
#
# A tree takes one entry more than there are weights; its entry 0 is not used. `size` counts all of them.


@inlined
def add(sums, size, index, by):
    """Adds to the weight with this index."""
    i = index + 1
    while i < size:
        sums[i] += by
        i += i & -i


@inlined
def find(sums, size, value):
    """The index in whose share of the total `value` falls, and how far into the share it is."""
    step = 1
    while 2 * step < size:
        step *= 2
    i = 0
    while step > 0:
        if i + step < size and sums[i + step] <= value:
            i += step
            value -= sums[i]
        step >>= 1
    return i, value


@inlined
def build(sums, size):
    """Makes a tree of the weights in entries 1, 2, …, in place."""
    for i in range(1, size):
        above = i + (i & -i)
        if above < size:
            sums[above] += sums[i]


# ---- rejection-free

# Not side by side: four neighbours are read in one go, and such a read waits until all that was written to any memory
# before them, which may be far, has arrived.
POOL, BLOCKING, TWOS, LEAST = range(0, 8, 2)

BLOCK = 16


class CountsWithHope(NamedTuple):
    """The counts of a tree, which may have any size, and what an improvement can come from."""

    counts: Any  # as in `counts.CountsTree`
    sizes: Any  # how many variables are in the POOL, how many leaves are BLOCKING and TWOS, and the LEAST level but 0
    leaves_of: Any  # Fenwick trees over the blocks: their leaves, those that block or count for β₂
    blocking_of: Any
    twos_of: Any
    filed: Any  # BLOCKING or TWOS if a variable's leaves x̄_i block or count for β₂; 0 for others
    pool: Any  # the wanted variables, in any order
    place: Any  # where a variable stands in the pool, counted from 1; 0 for nowhere
    level_of: Any  # operations needed at least to express a variable, 0 for expressed ones; capped at one too many.
    # This and the next are kept up for several operations only.
    levels: Any  # how many variables are on each level
    terminals: Any  # room for the terminals of an initial tree


def _sizes(params: Params, room: int) -> dict[str, Field]:
    n, blocks = params.n, -(-params.n // BLOCK)
    sizes = {"counts": 2 * n + 2, "levels": params.max_operations + 2, "terminals": params.initial_leaves}
    sizes |= dict.fromkeys(("leaves_of", "blocking_of", "twos_of"), blocks + 1)
    sizes |= dict.fromkeys(("pool", "place", "level_of"), n)
    fields: dict[str, Field] = {name: (np.uint32, size) for name, size in sizes.items()}
    return fields | {"sizes": (np.int64, 8), "filed": (np.uint8, n)}


COUNTS_WITH_HOPE = TreeKind(CountsWithHope, _sizes, grows=False)


@inlined
def _filing(params, tree, variable):
    """Whether a variable is wanted, and how its leaves x̄_i are filed."""
    deficit, plain = _deficit(tree, variable), tree.counts[2 * variable]
    if params.max_operations > 1:
        return deficit > 0, BLOCKING if deficit > 0 else 0
    if deficit == 1:
        return True, BLOCKING if plain > 0 else 0
    return False, TWOS if deficit == 2 else 0


@inlined
def _blocks(params):
    """The size of a Fenwick tree over the blocks."""
    return (params.n + BLOCK - 1) // BLOCK + 1


@inlined
def _count_bars(params, tree, variable, by):
    """Adds this number of leaves x̄_i where those of the variable are filed."""
    filed = tree.filed[variable]
    if filed > 0:
        tree.sizes[filed] += by
        add(tree.blocking_of if filed == BLOCKING else tree.twos_of, _blocks(params), variable // BLOCK, by)


@inlined
def _level(params, tree, variable):
    """How many operations it takes at least to express a variable, each of which lowers its deficit by 2 at most."""
    return min((_deficit(tree, variable) + 1) // 2, params.max_operations + 1)


@inlined
def _find_least(params, tree):
    """Enters the least level that has a variable, or one more than there are."""
    level = ONE
    while params.max_operations > 1 and level <= params.max_operations and tree.levels[level] == 0:
        level += 1
    tree.sizes[LEAST] = level


@helper
def _file(params, tree, variable):
    """Brings the filing of a variable up to date."""
    if params.max_operations > 1:
        tree.levels[tree.level_of[variable]] -= 1
        level = _level(params, tree, variable)
        tree.level_of[variable] = level
        tree.levels[level] += 1
    wanted, filed = _filing(params, tree, variable)
    if filed != tree.filed[variable]:
        bars = int64(tree.counts[2 * variable + 1])
        _count_bars(params, tree, variable, -bars)
        tree.filed[variable] = filed
        _count_bars(params, tree, variable, bars)
    place = int64(tree.place[variable])
    if wanted and place == 0:
        _join_pool(tree, variable)
    elif not wanted and place > 0:
        tree.sizes[POOL] -= 1
        last = int64(tree.pool[tree.sizes[POOL]])
        tree.pool[place - 1] = last
        tree.place[last] = place
        tree.place[variable] = 0


@inlined
def _join_pool(tree, variable):
    """Puts a variable behind the others in the pool."""
    tree.pool[tree.sizes[POOL]] = variable
    tree.sizes[POOL] += 1
    tree.place[variable] = tree.sizes[POOL]


@helper
def _start(params, tree, run):
    leaves = draw_terminals(params, run.initial.given, run.rng, tree.terminals)
    count(params, tree.counts, tree.terminals, leaves)
    fitness = ZERO
    for i in range(8):
        tree.sizes[i] = 0
    for level in range(params.max_operations + 2):
        tree.levels[level] = 0
    for block in range(_blocks(params)):
        tree.leaves_of[block] = tree.blocking_of[block] = tree.twos_of[block] = 0
    for i in range(params.n):
        bar = int64(tree.counts[2 * i + 1])
        wanted, filed = _filing(params, tree, i)
        block = i // BLOCK + 1
        tree.leaves_of[block] += int64(tree.counts[2 * i]) + bar
        tree.filed[i] = filed
        if filed > 0:
            (tree.blocking_of if filed == BLOCKING else tree.twos_of)[block] += bar
            tree.sizes[filed] += bar
        tree.place[i] = 0
        if wanted:
            _join_pool(tree, i)
        level = _level(params, tree, i)
        tree.level_of[i] = level
        tree.levels[level] += 1
        fitness += level == 0
    _find_least(params, tree)
    build(tree.leaves_of, _blocks(params))
    build(tree.blocking_of, _blocks(params))
    build(tree.twos_of, _blocks(params))
    return leaves, fitness


@inlined
def _hope(params, tree):
    return Hope(tree.sizes[POOL], tree.sizes[BLOCKING], tree.sizes[TWOS], ONE, tree.sizes[LEAST])


# ---- drawing


@inlined
def _is_wanted(tree, code):
    return code & 1 == 0 and tree.place[code >> 1] > 0


@inlined
def _draw_wanted(params, tree, rng):
    return 2 * int64(tree.pool[below(rng, tree.sizes[POOL])]), MINUS_ONE


@inlined
def _leaf(params, tree, number):
    """The leaf with this number, if leaves are numbered by terminal: (terminal, rank)."""
    block, rank = find(tree.leaves_of, _blocks(params), number)
    code = 2 * BLOCK * int64(block)
    while rank >= tree.counts[code]:
        rank -= tree.counts[code]
        code += 1
    return code, int64(rank)


@inlined
def _draw_blocking(params, tree, rng, as_pair):
    filed = TWOS if as_pair else BLOCKING
    sums = tree.blocking_of if filed == BLOCKING else tree.twos_of
    block, rank = find(sums, _blocks(params), below(rng, tree.sizes[filed]))
    variable = BLOCK * int64(block)
    while tree.filed[variable] != filed or rank >= tree.counts[2 * variable + 1]:
        if tree.filed[variable] == filed:
            rank -= tree.counts[2 * variable + 1]
        variable += 1
    return 2 * variable + 1, int64(rank)


@inlined
def _draw_hopeless(params, tree, rng, leaves, kind):
    none = MINUS_ONE
    while True:
        if kind != DELETE and params.substitutes_nodes and below(rng, 2 * leaves - 1) >= leaves:
            return Operation(kind, none, none, none), none
        old, rank = _leaf(params, tree, below(rng, leaves))
        filed = tree.filed[old >> 1] if old & 1 == 1 else 0
        if kind == DELETE:
            if filed != BLOCKING:
                return Operation(kind, old, none, none), rank
        else:
            code = below(rng, 2 * params.n)
            both = filed == TWOS and code == old - 1
            if not _is_wanted(tree, code) and filed != BLOCKING and not both:
                return Operation(kind, old, none, code), rank


# ---- making


@inlined
def _judge(params, tree, leaves, operation):
    goes = takes_out(params, leaves, operation)
    old, new = operation.site if goes else ZERO, max(operation.code, ZERO)
    return _look(params, tree, old, new, int64(goes), int64(operation.code >= 0))[0]


@inlined
def _foresee_change(tree, leaves, operation):
    pass  # runs are no faster for it


@helper
def _change(params, tree, code, by):
    """Adds `by` leaves with this terminal, here and in the sums. How variables are filed stays the parent's."""
    variable = code >> 1
    add(tree.leaves_of, _blocks(params), variable // BLOCK, by)
    if code & 1 == 1:
        _count_bars(params, tree, variable, by)
    before = _deficit(tree, variable)
    tree.counts[code] += by
    return int64(_deficit(tree, variable) == 0) - int64(before == 0)


@inlined
def _make(params, tree, leaves, operation):
    gain = ZERO
    if takes_out(params, leaves, operation):
        gain += _change(params, tree, operation.site, MINUS_ONE)
    if operation.code >= 0:
        gain += _change(params, tree, operation.code, ONE)
    return gain


@inlined
def _note(params, tree, leaves, operation, entry):
    goes = takes_out(params, leaves, operation)
    entry.kind, entry.old, entry.new = operation.kind, operation.site if goes else MINUS_ONE, operation.code


@helper
def _undo(params, tree, leaves, entry):
    old, new = entry.old, entry.new
    if new >= 0:
        _change(params, tree, new, MINUS_ONE)
        leaves -= 1
    if old >= 0:
        _change(params, tree, old, ONE)
        leaves += 1
    return leaves


@inlined
def _settle(params, tree):
    _find_least(params, tree)


REJECTION_FREE = RejectionFree(
    _start, _can_be_expressed, _make, _note, _undo, _hope, _is_wanted, _draw_wanted, _leaf, _draw_blocking,
    _draw_hopeless, _judge, _foresee_change, _file, _settle,
)  # fmt: skip

FORMS = {"stepping": (COUNTS_TREE, STEPPING), "skipping": (COUNTS_WITH_HOPE, REJECTION_FREE)}
