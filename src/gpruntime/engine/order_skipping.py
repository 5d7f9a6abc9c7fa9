"""ORDER for skipping: the unexpressed variables, and the leaves that block them.

Variable i is unexpressed if it is *blocked*, its first leaf being x̄_i, or *absent*. Unless x_i is brought in, a
blocked variable is expressed only after its first leaf has gone. So the blocking leaves are the first leaves of the
blocked variables, at the time of the parent; operations on the way to an offspring can only make them fewer. With one
operation only, it helps to take out the first leaf if the second is x_i; then only such first leaves block.

Of those, what is seen to be in vain at a glance (`glance`) is not judged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.glance import (
    EVERYWHERE,
    Glance,
    blocks_at,
    is_behind,
    is_far_behind,
    look_at_initial_tree,
    look_at_new_leaf,
    look_away,
    set_blocks_at,
    stretch_of,
)
from gpruntime.engine.kernel import ONE, ZERO, inlined, njit
from gpruntime.engine.labels import (
    AFTER,
    BEFORE,
    EARLIER,
    HALF,
    LABEL,
    LATER,
    NOBODY,
    PARENT,
    PLACE,
    ROW,
    TERMINAL,
)
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, can_delete
from gpruntime.engine.order import gain_of_insertion, gain_of_substitution, gain_without, order_stuck
from gpruntime.engine.ordered import OrderState, edge_of, is_positive
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

# LOOSE and FAST variables are blocked: what it takes to be LOOSE is above. A SAFE one is expressed, and would still be
# without its first leaf; with several operations that is not asked for.
LOOSE, FAST, ABSENT, EXPRESSED, SAFE = range(5)
TAKEN = 3


class OrderSkip(NamedTuple):
    """A tree and its unexpressed variables.

    Attributes:
        tree: the tree itself.
        status: LOOSE, FAST, ABSENT, EXPRESSED or SAFE for each variable, in the parent.
        listed: the LOOSE variables from 0 on, the FAST ones from n on, the ABSENT ones from 2n on, each in any order.
        wanted_before: beside each variable in `listed`, the stretch of its first leaf.
        seat: beside each LOOSE variable in `listed`, its first leaf in the parent.
        place: where a variable stands in `listed`.
        taken: the blocking leaves that operations of this offspring have taken out.
        sizes: how many variables are LOOSE, FAST and ABSENT, and how many leaves are TAKEN.
        glance: what is in vain, with one operation.
    """

    tree: OrderState
    status: NDArray[np.int8]
    listed: NDArray[np.int32]
    wanted_before: NDArray[np.uint8]
    seat: NDArray[np.int32]
    place: NDArray[np.int32]
    taken: NDArray[np.int32]
    sizes: NDArray[np.int64]
    glance: Glance


@njit
def _file(law, state, variable):
    """Puts a variable into the list it belongs to."""
    single = law.most == 1
    first = np.int64(state.tree.first[variable])
    status = ABSENT
    if first != NOBODY:
        then = single and is_positive(state.tree, np.int64(state.tree.node[ROW * first + LATER])) == 1
        if is_positive(state.tree, first):
            status = SAFE if then else EXPRESSED
        else:
            status = LOOSE if then or not single else FAST
    before, place = state.status[variable], np.int64(state.place[variable])
    if single:
        if before == LOOSE:
            set_blocks_at(state.glance, np.int64(state.tree.node[ROW * np.int64(state.seat[place]) + PLACE]), ZERO)
        if status == LOOSE:
            set_blocks_at(state.glance, np.int64(state.tree.node[ROW * first + PLACE]), ONE)
    if before < EXPRESSED and before != status:
        state.sizes[before] -= 1
        last = before * law.n + state.sizes[before]
        moved = np.int64(state.listed[last])
        state.listed[place], state.wanted_before[place] = moved, state.wanted_before[last]
        if before == LOOSE:
            state.seat[place] = state.seat[last]
        state.place[moved] = place
    state.status[variable] = status
    if status >= EXPRESSED:
        return
    if before != status:
        place = status * law.n + state.sizes[status]
        state.sizes[status] += 1
        state.listed[place], state.place[variable] = variable, place
    state.wanted_before[place] = EVERYWHERE if first == NOBODY else stretch_of(state.tree.label[HALF * first + LABEL])
    if status == LOOSE:
        state.seat[place] = first


@of(start, OrderSkip)
def _start(law, given, state, rng):
    leaves, fitness = start(law, given, state.tree, rng)
    state.status[:] = EXPRESSED
    state.sizes[:] = 0
    first, node = state.tree.first, state.tree.node
    if law.most == 1:
        look_at_initial_tree(given, state.glance, leaves)
    for variable in range(law.n):
        prefetch(node, ROW * np.int64(first[min(variable + 16, law.n - 1)]))
        soon = np.int64(first[min(variable + 8, law.n - 1)])
        prefetch(node, ROW * np.int64(node[ROW * soon + LATER]))
        _file(law, state, variable)
    return leaves, fitness


@of(is_stuck, OrderSkip)
def _is_stuck(law, state, leaves, fitness):
    return order_stuck(law, state.tree, leaves, fitness)


@of(measure, OrderSkip)
def _measure(law, state):
    return _pool(state), state.sizes[LOOSE] - state.sizes[TAKEN], 0, 0, 1


@inlined
def _pool(state):
    """How many variables are unexpressed."""
    return state.sizes[LOOSE] + state.sizes[FAST] + state.sizes[ABSENT]


@inlined
def _is_taken(state, leaf):
    for i in range(state.sizes[TAKEN]):
        if state.taken[i] == leaf:
            return True
    return False


@inlined
def _is_blocking(state, leaf):
    """Whether this leaf was the first of a LOOSE variable in the parent, and still is what it was."""
    code = np.int64(state.tree.node[ROW * leaf + TERMINAL])
    variable = code >> 1
    if code & 1 == 0 or state.status[variable] != LOOSE or state.seat[state.place[variable]] != leaf:
        return False
    return not _is_taken(state, leaf)


@inlined
def _is_wanted(state, code):
    """Whether this terminal is x_i for an unexpressed i."""
    return code & 1 == 0 and state.status[code >> 1] < EXPRESSED


@inlined
def _draw_wanted(law, state, rng):
    """A uniform unexpressed variable, by its place in `listed`."""
    place, status = below(rng, _pool(state)), LOOSE
    while place >= state.sizes[status]:
        place -= state.sizes[status]
        status += 1
    place += status * law.n
    return place


@inlined
def _draw_unwanted(law, state, rng):
    code = below(rng, 2 * law.n)
    while _is_wanted(state, code):
        code = below(rng, 2 * law.n)
    return code


@inlined
def _draw_blocking(state, rng):
    """The place in the register of a uniform blocking leaf."""
    while True:
        leaf = np.int64(state.seat[below(rng, state.sizes[LOOSE])])
        if not _is_taken(state, leaf):
            return np.int64(state.tree.node[ROW * leaf + PLACE])


@of(draw_hopeful, OrderSkip)
def _draw_hopeful(law, state, rng, leaves, kind):
    none = np.int64(-1)
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, none, _draw_wanted(law, state, rng)
    if kind == DELETE:
        return _draw_blocking(state, rng), none, none, none
    into = _pool(state) / (2.0 * law.n)
    out = (1.0 - into) * (state.sizes[LOOSE] - state.sizes[TAKEN]) / leaves
    if uniform(rng) * (into + out) < into:
        site = below(rng, leaves)
        return site, none, none, _draw_wanted(law, state, rng)
    return _draw_blocking(state, rng), none, _draw_unwanted(law, state, rng), none


@of(draw_hopeless, OrderSkip)
def _draw_hopeless(law, state, rng, leaves, kind):
    none = np.int64(-1)
    if kind == INSERT:
        site, side = draw_place(rng, leaves)
        return site, side, _draw_unwanted(law, state, rng), none
    if leaves == 0:
        return none, none, none, none
    while True:
        site = below(rng, 2 * leaves - 1 if law.nodes and kind != DELETE else leaves)
        if site >= leaves:
            return site, none, none, none
        if kind == DELETE:
            if not _is_blocking(state, np.int64(state.tree.register[2 * site])):
                return site, none, none, none
        else:
            code = below(rng, 2 * law.n)
            if not _is_wanted(state, code) and not _is_blocking(state, np.int64(state.tree.register[2 * site])):
                return site, none, code, none


@inlined
def _planted_at(leaves, site):
    """The node that had this number when the tree was planted, or would have had."""
    return np.int64(2 * site + 2 if site < leaves else 2 * (site - leaves) + 3)


@inlined
def _node_at(state, leaves, site):
    """The node with this number, as in the register, which is seldom asked.

    Few nodes have left the place at which they were planted, and a node's row knows its place. It is needed next.
    """
    planted = _planted_at(leaves, site)
    if state.node[ROW * planted + PLACE] == (planted >> 1) - 1:
        return planted
    return np.int64(state.register[planted - 2])


@of(judge, OrderSkip)
def _judge(law, state, leaves, kind, site, side, code):
    single, tree = law.most == 1, state.tree
    if kind == DELETE and single:
        return np.int64(1)  # a leaf that blocks: the next one is x_i
    node = _node_at(tree, leaves, site) if leaves > 0 else np.int64(NOBODY)
    if kind == INSERT:
        return gain_of_insertion(tree, edge_of(tree, node, side), side, code)
    if (kind == DELETE and not can_delete(law, leaves)) or (kind == SUBSTITUTE and code < 0):
        return np.int64(0)
    without = _gain_without(state, node) if single else gain_without(tree, node)
    return without if kind == DELETE else gain_of_substitution(tree, node, code, without)


@inlined
def _gain_without(state, leaf):
    """As `order.gain_without`, in the parent: by the status of the leaf's variable."""
    variable = np.int64(state.tree.node[ROW * leaf + TERMINAL]) >> 1
    prefetch(state.tree.first, variable)  # for `foresee_change`
    if state.tree.node[ROW * leaf + EARLIER] != NOBODY:
        return np.int64(0)
    return np.int64(state.status[variable] == LOOSE) - np.int64(state.status[variable] == EXPRESSED)


@of(is_vain, OrderSkip)
def _is_vain(law, state, leaves, kind, site, which):
    """x_i comes in behind its first leaf x̄_i, and no leaf goes that blocks."""
    if law.most > 1 or which < 0:
        return False
    wanted_before = state.wanted_before[which]
    blocks = kind == SUBSTITUTE and blocks_at(state.glance, site) == 1
    if not blocks and is_far_behind(state.glance, leaves, site, wanted_before):
        return True
    prefetch(state.listed, which)  # the rest is seldom in vain
    prefetch(state.tree.node, ROW * _planted_at(leaves, site))
    return not blocks and is_behind(state.glance, leaves, site, wanted_before)


@of(terminal_of, OrderSkip)
def _terminal_of(state, code, which):
    return code if which < 0 else 2 * np.int64(state.listed[which])


@of(foresee_change, OrderSkip)
def _foresee_change(state, leaves, kind, site, side, code):
    node = state.tree.node
    if leaves == 0:
        return
    there = _node_at(state.tree, leaves, site)
    prefetch(state.tree.register, _planted_at(leaves, site) - 2)
    if kind == INSERT:
        beside = edge_of(state.tree, there, side)
        prefetch(node, ROW * np.int64(node[ROW * there + PARENT]))
        prefetch(node, ROW * np.int64(node[ROW * beside + BEFORE + side]))
    else:
        if kind == DELETE:
            for link in (PARENT, BEFORE, AFTER):
                prefetch(node, ROW * np.int64(node[ROW * there + link]))
        else:
            prefetch(node, ROW * np.int64(node[ROW * there + EARLIER]))
        prefetch(node, ROW * np.int64(node[ROW * there + LATER]))
        variable = np.int64(node[ROW * there + TERMINAL]) >> 1
        prefetch(state.status, variable)
        prefetch(state.place, variable)
        prefetch(node, ROW * np.int64(state.tree.first[variable]))
    if code >= 0:
        prefetch(state.status, code >> 1)
        prefetch(state.place, code >> 1)


@of(make, OrderSkip)
def _make(law, state, leaves, kind, site, side, code):
    if law.most > 1:
        return make(law, state.tree, leaves, kind, site, side, code)
    if kind == DELETE and leaves > 1:
        look_away(state.tree, state.glance, leaves, site)
    gain = make(law, state.tree, leaves, kind, site, side, code)
    if kind == INSERT:
        look_at_new_leaf(state.tree, state.glance, leaves, site)
    return gain


@of(note, OrderSkip)
def _note(law, state, leaves, kind, site, code, log, j):
    goes = kind == DELETE and can_delete(law, leaves)
    if goes or (kind != INSERT and code >= 0):
        leaf = np.int64(state.tree.register[2 * site])
        if _is_blocking(state, leaf):
            state.taken[state.sizes[TAKEN]] = leaf
            state.sizes[TAKEN] += 1
    note(law, state.tree, leaves, kind, site, code, log, j)


@of(undo, OrderSkip)
def _undo(law, state, leaves, log, j):
    state.sizes[TAKEN] = 0
    return undo(law, state.tree, leaves, log, j)


@of(refile, OrderSkip)
def _refile(law, state, log, operations):
    state.sizes[TAKEN] = 0
    for j in range(operations):
        old, new = log[j, 2], log[j, 12]
        if old >= 0:
            _file(law, state, old >> 1)
        if new >= 0:
            _file(law, state, new >> 1)
