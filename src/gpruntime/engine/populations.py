"""All algorithms with populations: the runs of `gpruntime.model.populations`, draw by draw.

An evaluation is that of an initial tree, of an offspring, or of two joined trees. What differs between families is who
has an offspring and who stays (*selection*, below); what differs between problems, how an offspring is judged and made:
in its parent's slot (`offspring_in_place`), or written anew (`offspring_by_copy`). An offspring that does not stay
costs no copy.

Trees live in slots (`tree_memory`). Members are a list of slots: the first `book.count` entries of `members` are the
population, in its order, those behind it the free slots.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from gpruntime.engine.jit import MINUS_ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, is_time_to_look, make_kernel, note_improvement, take_back
from gpruntime.engine.params import NO_LIMIT, Params, min_gain_of
from gpruntime.engine.random import below, word
from gpruntime.engine.run_state import BORN, GO_ON, GROW_POOL, GROW_TREE, record_type
from gpruntime.engine.tree_memory import TreeKind, TreeMemory, record, records
from gpruntime.model.populations import FAMILIES

_U11 = uint64(11)

# The book: how many members there are; offspring made in this generation, or local search; of the offspring that is
# held back until its generation ends, the operations, score and leaves; members that are on the front; the worst
# member's score and leaves. A new run begins these anew. The slots there are, and the largest size on the front, stay.
BOOK = record_type(
    "count", "made", "held_operations", "held_score", "held_leaves", "on_front", "worst_score", "worst_leaves",
    "capacity", "front_end",
)  # fmt: skip


class Population(NamedTuple):
    """A population."""

    trees: Any  # the trees, slot after slot
    strides: Any  # how far it is from slot to slot in each field of the trees
    members: Any  # the slots, see above
    leaves: Any  # of the tree in each slot
    score: Any
    book: Any  # see above
    born: Any  # the operations of the present offspring, and of the one that is held back
    held: Any
    front: Any  # the score to be reached with this many leaves, and one that no tree has for sizes off the front


class PopulationMemory:
    """The memory of a population. It looks like a `TreeMemory`."""

    def __init__(self, kind: TreeKind, params: Params, slots: int, front: NDArray[np.int64]) -> None:
        self._trees, self._front = TreeMemory(kind, params, slots), front
        self._members, self._book = np.arange(slots), record(BOOK)
        self._leaves, self._score = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
        self._born, self._held = records(params.max_operations, BORN), records(params.max_operations, BORN)

    @property
    def room(self) -> int:
        """How many leaves a tree can have."""
        return self._trees.room

    def grow(self) -> None:
        """Makes room for half as many leaves again in every slot."""
        self._trees.grow()

    def add_slots(self) -> None:
        """Makes twice as many slots; the new ones are free."""
        before = self._trees.slots
        self._trees.add_slots()
        self._members = np.concatenate([self._members, np.arange(before, 2 * before)])
        self._leaves, self._score = np.resize(self._leaves, 2 * before), np.resize(self._score, 2 * before)

    def copy(self) -> PopulationMemory:
        """The same, in memory of its own."""
        twin = copy.deepcopy(self)
        twin._trees = self._trees.copy()
        return twin

    @property
    def tree(self) -> Population:
        """The arrays as kernels are given them."""
        self._book.capacity, self._book.front_end = self._trees.slots, len(self._front) - 1
        arrays = self._members, self._leaves, self._score, self._book, self._born, self._held, self._front
        return Population(self._trees.tree, self._trees.strides, *arrays)

    def bytes(self) -> int:
        """What it takes."""
        return self._trees.bytes() + self._members.nbytes + self._leaves.nbytes + self._score.nbytes


class Breeding(NamedTuple):
    """How trees of one kind are made in a population."""

    plant: Any  # (params, pool, run, slot): draws an initial tree; returns (leaves, score)
    conceive: Any  # (params, pool, run, result, mother, father): draws an offspring, with operations written into
    # `pool.born`, and judges it; returns (score, leaves, operations). The father is −1 if there is none.
    keep: Any  # (params, pool, leaves): keeps the offspring just drawn, which has this many leaves, for `bear`, when
    # others are drawn before
    bear: Any  # (params, pool, run, born, operations, mother, slot): makes the offspring of these operations, the last
    # one drawn or kept, in a slot, which may be its mother's
    concatenate: Any  # (params, pool, run, left, right, slot): joins the trees of two slots in a third; returns
    # (leaves, score)
    cannot_improve: Any  # (params, pool, run, slot): whether a (1+1) GP would be stuck at the tree of a slot


# ---- selection: who has an offspring and who stays, for each family (`gpruntime.model.populations` says why)

SMO, LAMBDA, MU, CONCATENATION = (
    FAMILIES[name].number for name in ("smo", "one-plus-lambda", "mu-plus-one", "concatenation")
)


@inlined
def chosen(pool, rng):
    """The place of a uniform member; the only one is not drawn."""
    count = pool.book.count
    return below(rng, count) if count > 1 else ZERO


@inlined
def prefers_smaller(params):
    """Whether of two equally fit trees the smaller is preferred, see `gpruntime.model.acceptance`."""
    return params.min_gain_smaller <= 0 < params.min_gain_larger


@inlined
def add_member(pool):
    """A free slot becomes the last member; returns it."""
    pool.book.count += 1
    return pool.members[pool.book.count - 1]


@inlined
def is_on_front(pool, slot):
    """1 if the tree in this slot is on the front, else 0."""
    leaves = pool.leaves[slot]
    return int64(leaves <= pool.book.front_end and pool.front[min(leaves, pool.book.front_end)] == pool.score[slot])


# ---- SMO-GP


@helper
def undominated(pool, parent, leaves, score):
    """The first place from which on members have at least this many leaves, or −1 if some member dominates such a tree.

    Members are in the order of size, and their scores grow with it: only the next smaller one can dominate, and one of
    the same size. An offspring is about as large as its parent, whose place is given.
    """
    place, count = parent, pool.book.count
    while place > 0 and pool.leaves[pool.members[place - 1]] >= leaves:
        place -= 1
    while place < count and pool.leaves[pool.members[place]] < leaves:
        place += 1
    if place > 0 and pool.score[pool.members[place - 1]] >= score:
        return MINUS_ONE
    if place < count:
        slot = pool.members[place]
        if pool.leaves[slot] == leaves and pool.score[slot] > score:
            return MINUS_ONE
    return place


@helper
def make_way(pool, parent, place, score):
    """Removes the members that a tree of this score weakly dominates, which begin at its place, and puts a slot there.

    Returns the slot: the parent's, if that is removed, so that nothing need be copied.
    """
    count, end = pool.book.count, place
    while end < count and pool.score[pool.members[end]] <= score:
        pool.book.on_front -= is_on_front(pool, pool.members[end])
        end += 1
    if end == place:
        slot = pool.members[count]
        for i in range(count, place, -1):
            pool.members[i] = pool.members[i - 1]
        pool.members[place] = slot
        pool.book.count = count + 1
        return slot
    if place <= parent < end:
        other = pool.members[place]
        pool.members[place], pool.members[parent] = pool.members[parent], other
    for _ in range(end - place - 1):
        slot = pool.members[place + 1]
        count -= 1
        for i in range(place + 1, count):
            pool.members[i] = pool.members[i + 1]
        pool.members[count] = slot
    pool.book.count = count
    return pool.members[place]


# ---- (μ+1)


@helper
def find_worst(params, pool):
    """Enters the worst score, and under parsimony the most leaves of those with it."""
    book, smaller = pool.book, prefers_smaller(params)
    for place in range(book.count):
        slot = pool.members[place]
        leaves = pool.leaves[slot] if smaller else ZERO
        score = pool.score[slot]
        worse = score < book.worst_score
        if place == 0 or worse or (score == book.worst_score and leaves > book.worst_leaves):
            book.worst_score, book.worst_leaves = score, leaves


@helper
def place_to_take(params, pool, rng, leaves, score):
    """The place of the member that goes for a tree of this many leaves and this score; −1 if that goes itself."""
    book = pool.book
    size = leaves if prefers_smaller(params) else ZERO
    equal = score == book.worst_score
    if score < book.worst_score or (equal and size > book.worst_leaves) or leaves > params.max_leaves:
        return MINUS_ONE
    tied = equal and size == book.worst_leaves
    if tied and params.min_gain_same > 0:
        return MINUS_ONE
    lot = ZERO + tied
    for place in range(book.count):
        lot += is_worst(params, pool, place)
    drawn = below(rng, lot) if lot > 1 else ZERO
    for place in range(book.count):
        if is_worst(params, pool, place):
            if drawn == 0:
                return int64(place)
            drawn -= 1
    return MINUS_ONE


@helper
def are_alike(params, pool):
    """Whether all members are equally bad."""
    for place in range(pool.book.count):
        if not is_worst(params, pool, place):
            return False
    return True


@inlined
def is_worst(params, pool, place):
    """Whether the member at this place is as bad as the worst."""
    slot = pool.members[place]
    size = pool.leaves[slot] if prefers_smaller(params) else ZERO
    return pool.score[slot] == pool.book.worst_score and size == pool.book.worst_leaves


# ---- the loop


@inlined
def empty(pool):
    """Frees all slots, and begins the book anew."""
    for slot in range(pool.book.capacity):
        pool.members[slot] = slot
    book = pool.book
    book.count = book.made = book.held_operations = book.held_score = book.held_leaves = 0
    book.on_front = book.worst_score = book.worst_leaves = 0


@inlined_once
def _has_won(params, pool, result):
    return pool.book.on_front == params.front_size if params.front_size > 0 else result.fitness >= params.best


@inlined_once
def _lacks_room(params, pool, run, result):
    """A joined tree, or a crossed one, is as large as two."""
    trees = 1 + (params.family == CONCATENATION or params.crossover_below > 0)
    if result.max_leaves * trees + params.max_operations > run.cursor.room:
        return GROW_TREE
    return GROW_POOL if params.family == SMO and pool.book.count == pool.book.capacity else GO_ON


@inlined
def _is_planting(params, pool):
    """Whether an initial tree comes next."""
    count, made = pool.book.count, pool.book.made
    if params.family == MU:
        return count < params.family_size
    return count == 0 or (params.family == CONCATENATION and count == 1 and made == params.family_size)


@inlined
def _enter(params, pool, slot):
    """Brings the book up to date: there is a new tree in this slot."""
    pool.book.on_front += is_on_front(pool, slot)
    if params.family == MU and pool.book.count == params.family_size:
        find_worst(params, pool)


@inlined
def _wait(params, pool, result):
    """How many offspring in vain take as long as it takes to look whether the run is stuck."""
    return pool.book.count * (params.stuck_wait * result.max_leaves + params.n)


@helper
def _note_best(params, run, result, score, leaves):
    """Enters a tree that was evaluated, if it is better than all before it."""
    if score > result.fitness and leaves <= params.max_leaves:
        result.fitness, result.leaves = score, leaves
        note_improvement(run, result)


@inlined
def _is_accepted(params, pool, run, mother, leaves, score):
    """Whether the rule accepts such an offspring in place of its mother."""
    return score - pool.score[mother] >= min_gain_of(params, run, pool.leaves[mother], leaves)


@helper
def _hold_back(params, pool, operations, score, leaves, ends):
    """Keeps the operations of an offspring, if it ends the run or is the best of its generation so far; returns that.

    Of the offspring that are optimal, one that the rule rejects may have come before.
    """
    book, fits = pool.book, leaves <= params.max_leaves
    book.made += 1
    if book.made == 1:
        book.held_score, book.held_operations = -NO_LIMIT, MINUS_ONE
    smaller = prefers_smaller(params) and leaves < book.held_leaves
    tied = book.held_operations >= 0 and score == book.held_score and smaller
    best = fits and (ends or score > book.held_score or tied)
    if best:
        book.held_operations, book.held_score, book.held_leaves = operations, score, leaves
        for j in range(operations):
            held, born = pool.held[j], pool.born[j]
            held.kind, held.site, held.side, held.code = born.kind, born.site, born.side, born.code
    return best


@inlined_once
def _enter_best(params, pool, run, result):
    """Enters the best member, the first of them."""
    best = pool.members[0]
    for place in range(1, pool.book.count):
        slot = pool.members[place]
        if pool.score[slot] > pool.score[best]:
            best = slot
    result.fitness, result.leaves = pool.score[best], pool.leaves[best]
    result.max_population = max(result.max_population, pool.book.count)


def make_population_kernel(name: str, parts: Breeding) -> Any:
    """The kernel for trees that are made in this way."""
    plant, conceive, keep, bear, concatenate, cannot_improve = parts

    @inlined_once
    def start(params, pool, run):
        empty(pool)
        leaves, score = plant(params, pool, run, add_member(pool))
        _enter(params, pool, pool.members[0])
        return leaves, score

    @inlined_once
    def is_stuck(params, pool, run, result, changed):
        if not params.can_stick or (params.family == MU and pool.book.count < params.family_size):
            return False
        stuck = is_time_to_look(params, run, result, changed, _wait(params, pool, result))
        stuck = stuck and (params.family != MU or are_alike(params, pool))
        for place in range(pool.book.count if stuck else ZERO):
            stuck = stuck and cannot_improve(params, pool, run, pool.members[place])
        if stuck:
            take_back(params, run, result)
        return stuck

    @inlined_once
    def offspring(params, pool, run, result):
        cursor, rng, born, held, book = run.cursor, run.rng, pool.born, pool.held, pool.book
        cursor.steps -= 1
        result.evaluations += 1
        operations, new, is_whole, counts = ZERO, MINUS_ONE, True, True
        if _is_planting(params, pool):
            new = add_member(pool)
            leaves, score = plant(params, pool, run, new)
            book.made, cursor.steps = 0, max(cursor.steps - leaves, ZERO)
        elif params.family == CONCATENATION and book.made == params.family_size:
            left, right, spare = pool.members[0], pool.members[1], pool.members[2]
            leaves, score = concatenate(params, pool, run, left, right, spare)
            book.made, book.count, cursor.steps = 0, 1, max(cursor.steps - leaves, ZERO)
            if score >= pool.score[left] and leaves <= params.max_leaves:
                pool.members[0], pool.members[2] = spare, left
                new = spare
        else:
            place = book.count - 1 if params.family == CONCATENATION else chosen(pool, rng)
            mother, father = pool.members[place], MINUS_ONE
            if params.crossover_below > 0 and (word(rng) >> _U11) < params.crossover_below:
                father = pool.members[chosen(pool, rng)]
            score, leaves, operations = conceive(params, pool, run, result, mother, father)
            fits, made = leaves <= params.max_leaves, born
            if params.family == SMO:
                here = undominated(pool, place, leaves, score) if fits else MINUS_ONE
                if here >= 0:
                    new = make_way(pool, place, here, score)
            elif params.family == MU:
                here = place_to_take(params, pool, rng, leaves, score)
                if here >= 0:
                    new = pool.members[here]
            elif params.family == CONCATENATION:
                book.made += 1
                counts = _is_accepted(params, pool, run, mother, leaves, score)
                if counts:
                    new = mother
            else:
                counts = _is_accepted(params, pool, run, mother, leaves, score)
                ends = counts and score >= params.best
                if _hold_back(params, pool, operations, score, leaves, ends):
                    keep(params, pool, leaves)
                is_whole = book.made == params.family_size
                if ends or is_whole or result.evaluations >= params.budget:
                    operations, made, book.made = book.held_operations, held, 0
                    # Where none fits, nothing is held.
                    if operations >= 0 and _is_accepted(params, pool, run, mother, book.held_leaves, book.held_score):
                        new = mother
                        cursor.looked = 1  # a generation that is cut off proves nothing
            if new >= 0:
                bear(params, pool, run, made, operations, mother, new)
                for j in range(operations):
                    result.accepted[made[j].kind] += 1
        if new >= 0:
            _enter(params, pool, new)
            result.max_leaves = max(result.max_leaves, pool.leaves[new])
            result.max_population = max(result.max_population, book.count)
        changed = new >= 0 and is_whole
        if counts:  # what the rule rejects is no improvement, and does not end a run
            _note_best(params, run, result, score, leaves)
        return changed

    return make_kernel(name, Method(start, is_stuck, offspring, _enter_best, _has_won, _lacks_room))
