"""ORDER for the kernels: the linked tree, and the first leaf of each variable.

**Stepping** is the loop of `first` with its term put in.

**Rejection-free** runs know the unexpressed variables, and the leaves that block them. Variable i is unexpressed if it
is *blocked*, its first leaf being x̄_i, or *absent*. Unless x_i is brought in, a blocked variable is expressed only
after its first leaf has gone. So the blocking leaves are the first leaves of the blocked variables, at the time of the
parent; operations on the way to an offspring can only make them fewer. With one operation only, it helps to take out
the first leaf if the second is x_i; then only such first leaves block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.first import make_attempt, make_gains
from gpruntime.engine.initial import plant_initial_tree
from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.linked_tree import (
    AFTER,
    BEFORE,
    LINKED_TREE,
    NOBODY,
    foresee_nodes,
    free_nodes,
    is_positive,
    leaf_at,
    linked_sizes,
    make_operation,
    note_operation,
    place_of,
    undo_operation,
    variable_of,
)
from gpruntime.engine.memory import prefetch
from gpruntime.engine.params import NO_LIMIT, Params, takes_out
from gpruntime.engine.random import below
from gpruntime.engine.rejection_free import Hope, RejectionFree
from gpruntime.engine.run_state import DELETE, INSERT, Operation
from gpruntime.engine.stepping import Stepping
from gpruntime.engine.stuck import make_is_stuck
from gpruntime.engine.tree_memory import Field, TreeKind


@inlined
def _term(params, i, sign):
    """1 if x_i comes first, else 0."""
    return int64(sign == 1)


_GAINS = make_gains(_term)
_of_insertion, _of_deletion, _of_substitution = _GAINS


@helper
def _can_improve(params, tree, leaves, fitness):
    """In front of everything any x_i helps, and written on a leaf that is not needed."""
    if params.p_insert > 0 and leaves < params.max_leaves:
        return True
    if params.p_substitute > 0:
        return leaves > fitness
    for variable in range(params.n if params.p_delete > 0 else ZERO):
        if _has_hidden_leaf(tree, variable, int64(1)):
            return True
    return False


@helper
def _can_be_expressed(params, tree, variable, room):
    if params.p_insert > 0:
        return room > 0 and is_positive(tree, int64(tree.first[variable])) == 0
    return _has_hidden_leaf(tree, variable, int64(NO_LIMIT))


@helper
def _has_hidden_leaf(tree, variable, depth):
    """Whether a variable's first leaf is x̄_i and an x_i is among the next `depth` ones."""
    leaf, looked = int64(tree.first[variable]), ZERO
    while leaf != NOBODY and is_positive(tree, leaf) == 0 and looked < depth:
        leaf = int64(tree.nodes[leaf].later)
        looked += 1
    return looked > 0 and is_positive(tree, leaf) == 1


STEPPING = Stepping(
    plant_initial_tree, make_is_stuck(_can_improve, _can_be_expressed), make_operation, note_operation, undo_operation,
    make_attempt(_GAINS), foresee_nodes,
)  # fmt: skip


# ---- rejection-free

# LOOSE and FAST variables are blocked: what it takes to be LOOSE is above.
LOOSE, FAST, ABSENT, EXPRESSED = range(4)
TAKEN = 3

_AHEAD = 8  # variables: their first leaves are all over the tree, so their memory is asked for


class LinkedTreeWithHope(NamedTuple):
    """A linked tree and its unexpressed variables."""

    nodes: Any  # the tree itself, see `linked_tree`
    register: Any
    first: Any
    status: Any  # LOOSE, FAST, ABSENT or EXPRESSED for each variable, in the parent
    listed: Any  # the LOOSE variables from 0 on, the FAST ones from n on, the ABSENT ones from 2n on, each in any order
    seat: Any  # beside each LOOSE variable in `listed`, its first leaf in the parent
    place: Any  # where a variable stands in `listed`
    taken: Any  # the blocking leaves that operations of this offspring have taken out
    sizes: Any  # how many variables are LOOSE, FAST and ABSENT, and how many leaves are TAKEN


def _sizes(params: Params, room: int) -> dict[str, Field]:
    n = params.n
    return linked_sizes(params, room) | {
        "status": (np.uint8, n),
        "listed": (np.uint32, 3 * n),
        "seat": (np.uint32, n),
        "place": (np.uint32, n),
        "taken": (np.uint32, params.max_operations),
        "sizes": (np.int64, 4),
    }


TREE_WITH_HOPE = TreeKind(LinkedTreeWithHope, _sizes, free=free_nodes)


@helper
def _file(params, tree, variable):
    """Puts a variable into the list it belongs to."""
    single = params.max_operations == 1
    first = int64(tree.first[variable])
    status = ABSENT
    if first != NOBODY:
        then = single and is_positive(tree, int64(tree.nodes[first].later)) == 1
        blocked = LOOSE if then or not single else FAST
        status = EXPRESSED if is_positive(tree, first) == 1 else blocked
    before, place = int64(tree.status[variable]), int64(tree.place[variable])
    if before < EXPRESSED and before != status:
        tree.sizes[before] -= 1
        last = before * params.n + tree.sizes[before]
        moved = int64(tree.listed[last])
        tree.listed[place] = moved
        if before == LOOSE:
            tree.seat[place] = tree.seat[last]
        tree.place[moved] = place
    tree.status[variable] = status
    if status >= EXPRESSED:
        return
    if before != status:
        place = status * params.n + tree.sizes[status]
        tree.sizes[status] += 1
        tree.listed[place], tree.place[variable] = variable, place
    if status == LOOSE:
        tree.seat[place] = first


@helper
def _start(params, tree, run):
    leaves, fitness = plant_initial_tree(params, tree, run)
    for i in range(4):
        tree.sizes[i] = 0
    for variable in range(params.n):
        soon = int64(tree.first[min(variable + _AHEAD, params.n - 1)])
        prefetch(tree.nodes, int64(tree.first[min(variable + 2 * _AHEAD, params.n - 1)]))
        prefetch(tree.nodes, int64(tree.nodes[soon].later))
        tree.status[variable] = EXPRESSED
        _file(params, tree, variable)
    return leaves, fitness


@inlined
def _hope(params, tree):
    return Hope(_wanted(tree), tree.sizes[LOOSE] - tree.sizes[TAKEN], ZERO, ZERO, ONE)


@inlined
def _wanted(tree):
    """How many variables are unexpressed."""
    return tree.sizes[LOOSE] + tree.sizes[FAST] + tree.sizes[ABSENT]


@inlined
def _is_taken(tree, leaf):
    """Whether an operation of this offspring has taken this leaf out."""
    for i in range(tree.sizes[TAKEN]):
        if tree.taken[i] == leaf:
            return True
    return False


@inlined
def _is_blocking(tree, leaf):
    """Whether this leaf was the first of a LOOSE variable in the parent, and still is what it was."""
    code = int64(tree.nodes[leaf].terminal)
    variable = code >> 1
    if code & 1 == 0 or tree.status[variable] != LOOSE or tree.seat[tree.place[variable]] != leaf:
        return False
    return not _is_taken(tree, leaf)


@inlined
def _is_wanted(tree, code):
    """Whether this terminal is x_i for an unexpressed i."""
    return code & 1 == 0 and tree.status[code >> 1] < EXPRESSED


@inlined
def _draw_wanted(params, tree, rng):
    place, status = below(rng, _wanted(tree)), LOOSE
    while place >= tree.sizes[status]:
        place -= tree.sizes[status]
        status += 1
    place += status * params.n
    return 2 * int64(tree.listed[place]), place


@inlined
def _leaf(params, tree, number):
    return number, MINUS_ONE


@inlined
def _draw_blocking(params, tree, rng, as_pair):
    while True:
        leaf = int64(tree.seat[below(rng, tree.sizes[LOOSE])])
        if not _is_taken(tree, leaf):
            return int64(tree.nodes[leaf].place), MINUS_ONE


@inlined
def _draw_hopeless(params, tree, rng, leaves, kind):
    none = MINUS_ONE
    while True:
        site = below(rng, 2 * leaves - 1 if params.substitutes_nodes and kind != DELETE else leaves)
        if site >= leaves:
            return Operation(kind, site, none, none), none
        code = below(rng, 2 * params.n) if kind != DELETE else none
        wanted = code >= 0 and _is_wanted(tree, code)
        if not wanted and not _is_blocking(tree, leaf_at(tree, site)):
            return Operation(kind, site, none, code), none


@inlined
def _judge(params, tree, leaves, operation):
    kind, site, side, code = operation
    if kind == INSERT:
        _, beside = place_of(tree, leaves, site, side)
        return _of_insertion(params, tree, beside, side, code)
    if kind == DELETE and params.max_operations == 1:
        return ONE  # a leaf that blocks: the next one is x_i
    if not takes_out(params, leaves, operation):
        return ZERO
    leaf = leaf_at(tree, site)
    return _of_deletion(params, tree, leaf) if kind == DELETE else _of_substitution(params, tree, leaf, code)


@inlined
def _foresee_change(tree, leaves, operation):
    """For trees larger than the cache: at n = 250,000 runs take up to a third longer without."""
    kind, site, side, code = operation
    if leaves == 0:
        return
    nodes = tree.nodes
    node, beside = place_of(tree, leaves, site, max(side, ZERO))
    if kind == INSERT:
        prefetch(nodes, int64(nodes[node].parent))
        prefetch(nodes, int64(nodes[beside].neighbours[side]))
    else:
        prefetch(nodes, int64(nodes[node].parent))
        prefetch(nodes, int64(nodes[node].neighbours[BEFORE]))
        prefetch(nodes, int64(nodes[node].neighbours[AFTER]))
        prefetch(nodes, int64(nodes[node].earlier))
        prefetch(nodes, int64(nodes[node].later))
        variable = variable_of(tree, node)
        prefetch(tree.status, variable)
        prefetch(tree.place, variable)
        prefetch(nodes, int64(tree.first[variable]))
    if code >= 0:
        prefetch(tree.status, code >> 1)
        prefetch(tree.place, code >> 1)


@inlined
def _note(params, tree, leaves, operation, entry):
    if takes_out(params, leaves, operation):
        leaf = leaf_at(tree, operation.site)
        if _is_blocking(tree, leaf):
            tree.taken[tree.sizes[TAKEN]] = leaf
            tree.sizes[TAKEN] += 1
    note_operation(params, tree, leaves, operation, entry)


@inlined
def _undo(params, tree, leaves, entry):
    tree.sizes[TAKEN] = 0
    return undo_operation(params, tree, leaves, entry)


@inlined
def _settle(params, tree):
    tree.sizes[TAKEN] = 0


REJECTION_FREE = RejectionFree(
    _start, _can_be_expressed, make_operation, _note, _undo, _hope, _is_wanted, _draw_wanted, _leaf, _draw_blocking,
    _draw_hopeless, _judge, _foresee_change, _file, _settle,
)  # fmt: skip

FORMS = {"stepping": (LINKED_TREE, STEPPING), "skipping": (TREE_WITH_HOPE, REJECTION_FREE)}
