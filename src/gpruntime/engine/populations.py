"""All algorithms with populations: the runs of `gpruntime.model.populations`, draw by draw.

An evaluation is that of an initial tree, of an offspring, or of two joined trees. What differs between families is who
has an offspring and who stays (*selection*); what differs between problems, how an offspring is judged and made
(*breeding*). An offspring that does not stay costs no copy.

Trees live in slots (`tree_memory`). Members are a list of slots: the first `book.count` entries of `members` are the
population, in its order, those behind it the free slots.

**In place**, where a problem sees counts or first occurrences: an offspring is drawn, its operations are made to its
parent and taken back, and what they gain is known: O(1) for each. Only an offspring that enters the population is made
for good: in its parent's slot, if it takes the parent's place, or in a copy of the parent, which is O(T + n).

**By copy**, written anew as in `rewriting`, O(T) for each: for subtree crossover, the mother with a subtree of the
father's, and for problems that see leaves, or the program. The tree of a slot is the `parent` of its `PostfixTrees`;
all slots share the room to work in. The best offspring of a generation so far is kept in the free slot.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from gpruntime.engine import counts, first, linked_tree
from gpruntime.engine.initial import plant_binary, register_in_order
from gpruntime.engine.jit import MINUS_ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, make_kernel, note_improvement
from gpruntime.engine.memory import tail
from gpruntime.engine.params import NO_LIMIT, Params, min_gain_of
from gpruntime.engine.postfix_operators import HVL_PRIME
from gpruntime.engine.postfix_tree import (
    JOIN,
    JOINS,
    LEAF,
    Tree,
    begin_of,
    copy_register,
    copy_tokens,
    enroll,
    in_slot,
    moves,
    parent_of,
    position_of,
)
from gpruntime.engine.random import below, word
from gpruntime.engine.rewriting import make_accepts, make_offspring
from gpruntime.engine.run_state import BORN, GO_ON, GROW_POOL, GROW_TREE, INSERT, Operation, record_type
from gpruntime.engine.stepping import Stepping, draw, draw_number_of_operations, growth_of
from gpruntime.engine.stuck import is_time_to_look, take_back
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


# ---- breeding in place

_NEVER = int64(2**63 - 1)  # more than any gain


class SlotTools(NamedTuple):
    """What is done to whole trees of one kind."""

    in_slot: Any  # (trees, strides, slot): the tree in a slot
    copy_tree: Any  # (params, source, target, leaves, room): makes one tree a copy of another
    append_tree: Any  # (params, tree, other, leaves, more): appends a copy of another tree, of `more` leaves; returns
    # the score


SLOT_TOOLS = {
    "counts": SlotTools(counts.in_slot, counts.copy_tree, counts.append_tree),
    "first": SlotTools(linked_tree.in_slot, linked_tree.copy_tree, first.append_and_evaluate),
}


def make_in_place(problem: Stepping, tools: SlotTools) -> Breeding:
    """Breeding in place, from what a problem brings for one tree."""
    start, is_stuck, make, note, undo, attempt, _ = problem
    in_slot, copy_tree, append_tree = tools

    @helper
    def plant(params, pool, run, slot):
        leaves, score = start(params, in_slot(pool.trees, pool.strides, slot), run)
        pool.leaves[slot], pool.score[slot] = leaves, score
        return leaves, score

    @helper
    def conceive(params, pool, run, result, mother, father):
        tree, log = in_slot(pool.trees, pool.strides, mother), run.log
        leaves, gain = pool.leaves[mother], ZERO
        operations, new_leaves = draw_number_of_operations(params, run), leaves
        for j in range(operations):
            operation = draw(params, run.rng, new_leaves)
            kind, site, side, code = operation
            result.proposed[kind] += 1
            born = pool.born[j]
            born.kind, born.site, born.side, born.code = kind, site, side, code
            before, new_leaves = new_leaves, new_leaves + growth_of(params, new_leaves, kind)
            if operations > 1:
                note(params, tree, before, operation, log[j])
                gain += make(params, tree, before, operation)
            elif kind == INSERT or new_leaves < leaves or code >= 0:
                gain = attempt(params, tree, leaves, operation, _NEVER)
        if operations > 1:
            back = new_leaves
            for j in range(operations - 1, -1, -1):
                back = undo(params, tree, back, log[j])
        return pool.score[mother] + gain, new_leaves, operations

    @inlined
    def keep(params, pool, leaves):
        """Its operations are kept, and that will do."""

    @helper
    def bear(params, pool, run, born, operations, mother, slot):
        leaves, score, tree = pool.leaves[mother], pool.score[mother], in_slot(pool.trees, pool.strides, slot)
        if slot != mother:
            copy_tree(params, in_slot(pool.trees, pool.strides, mother), tree, leaves, run.cursor.room)
        for j in range(operations):
            operation = Operation(born[j].kind, born[j].site, born[j].side, born[j].code)
            score += make(params, tree, leaves, operation)
            leaves += growth_of(params, leaves, operation.kind)
        pool.leaves[slot], pool.score[slot] = leaves, score

    @helper
    def concatenate(params, pool, run, left, right, slot):
        tree, other = in_slot(pool.trees, pool.strides, slot), in_slot(pool.trees, pool.strides, right)
        leaves, more, room = pool.leaves[left], pool.leaves[right], run.cursor.room
        if leaves == 0:
            copy_tree(params, other, tree, more, room)
            score = pool.score[right]
        else:
            copy_tree(params, in_slot(pool.trees, pool.strides, left), tree, leaves, room)
            score = pool.score[left]
            if more > 0:
                score = append_tree(params, tree, other, leaves, more)
        pool.leaves[slot], pool.score[slot] = leaves + more, score
        return leaves + more, score

    @inlined
    def cannot_improve(params, pool, run, slot):
        return is_stuck(params, in_slot(pool.trees, pool.strides, slot), pool.leaves[slot], pool.score[slot])

    return Breeding(plant, conceive, keep, bear, concatenate, cannot_improve)


# ---- written anew


@inlined
def _nodes(leaves):
    """Of a binary tree with this many leaves."""
    return 2 * leaves - (leaves > 0)


@inlined
def _tree_in(pool, slot):
    """The tokens and the register of the tree in a slot."""
    return parent_of(in_slot(pool.trees, pool.strides, slot))


@inlined
def _child(trees):
    """The offspring, with a register of its own."""
    return Tree(trees.offspring, trees.offspring_register)


@helper
def _copy(source, target, leaves):
    """Makes one tree a copy of another, which has this many leaves."""
    copy_tokens(source.tokens, target.tokens, _nodes(leaves))
    copy_register(source.register, target.register, leaves)


@helper
def cross(params, trees, mother, leaves, father, child, cut, graft):
    """Writes the mother with the father's subtree at `graft` in place of hers at `cut`; returns the leaves."""
    begin, first = begin_of(params, mother, cut), begin_of(params, father, graft)
    for i in range(begin):
        child.tokens[i] = mother.tokens[i]
    for i in range(first, graft + 1):
        child.tokens[begin + i - first] = father.tokens[i]
    size = begin + graft + 1 - first
    for i in range(cut + 1, leaves + mother.register[JOINS]):
        child.tokens[size] = mother.tokens[i]
        size += 1
    return register_in_order(params, trees, child, size)


@helper
def append(params, tree, other, leaves, more, rng):
    """Puts a new join above a tree, with a copy of another as its right child; an empty tree adds nothing."""
    size, register = _nodes(leaves), tree.register
    joins, others = register[JOINS], other.register[JOINS]
    copy_tokens(other.tokens, tail(tree.tokens, size), _nodes(more))
    for i in range(more):
        register[2 * (leaves + i) + LEAF] = other.register[2 * i + LEAF] + size
    for i in range(others):
        register[2 * (joins + i) + JOIN] = other.register[2 * i + JOIN] + size
    register[JOINS] = joins + others
    if leaves > 0 and more > 0:
        top = size + _nodes(more)
        tree.tokens[top] = -1 - (below(rng, params.functions) if params.functions > 1 else ZERO)
        register[2 * (joins + others) + JOIN] = top
        register[JOINS] += 1


def make_by_copy(evaluate: Any) -> Breeding:
    """Breeding by copy, from `evaluate(params, trees, tokens, size)`."""
    make, tries_all = make_offspring(HVL_PRIME.draw), HVL_PRIME.make_tries_all(make_accepts(evaluate))

    @helper
    def judged(params, pool, slot, leaves):
        """Enters the tree of a slot; returns (leaves, score)."""
        score = evaluate(params, pool.trees, _tree_in(pool, slot).tokens, _nodes(leaves))
        pool.leaves[slot], pool.score[slot] = leaves, score
        return leaves, score

    @helper
    def plant(params, pool, run, slot):
        return judged(params, pool, slot, plant_binary(params, in_slot(pool.trees, pool.strides, slot), run))

    @helper
    def conceive(params, pool, run, result, mother, father):
        trees, rng, tree, child = pool.trees, run.rng, _tree_in(pool, mother), _child(pool.trees)
        leaves, score, cut, graft, other = pool.leaves[mother], pool.score[mother], ZERO, ZERO, ZERO
        crossed = father >= 0 and leaves > 0 and pool.leaves[father] > 0
        if crossed:
            donor, other = _tree_in(pool, father), pool.leaves[father]
            cut, graft = position_of(tree, leaves, below(rng, 2 * leaves - 1)), below(rng, 2 * other - 1)
            graft, spare = position_of(donor, other, graft), Tree(trees.spare, trees.offspring_register)
            leaves, tree = cross(params, trees, tree, leaves, donor, spare, cut, graft), spare
        new = make(params, trees, run, result, tree, leaves, crossed)
        if not new.apart:
            copy_register(new.tree.register, child.register, new.before)
        if moves(new.pieces):
            enroll(params, child.register, new.pieces, new.before)
        if new.in_spare or not new.written:
            copy_tokens(new.tree.tokens, child.tokens, _nodes(new.leaves))
        for j in range(new.operations):
            pool.born[j].kind = run.log[j].kind
        leaves = new.leaves
        if new.written:
            score = evaluate(params, trees, child.tokens, _nodes(leaves))
        if params.family != LAMBDA:
            pool.book.held_leaves, pool.book.held_score = leaves, score
        return score, leaves, new.operations

    @helper
    def keep(params, pool, leaves):
        _copy(_child(pool.trees), _tree_in(pool, pool.members[1]), leaves)

    @helper
    def bear(params, pool, run, born, operations, mother, slot):
        leaves, score = pool.book.held_leaves, pool.book.held_score
        kept = _tree_in(pool, pool.members[1]) if params.family == LAMBDA else _child(pool.trees)
        _copy(kept, _tree_in(pool, slot), leaves)
        pool.leaves[slot], pool.score[slot] = leaves, score

    @helper
    def concatenate(params, pool, run, left, right, slot):
        tree, leaves, more = _tree_in(pool, slot), pool.leaves[left], pool.leaves[right]
        _copy(_tree_in(pool, left), tree, leaves)
        append(params, tree, _tree_in(pool, right), leaves, more, run.rng)
        return judged(params, pool, slot, leaves + more)

    @inlined
    def cannot_improve(params, pool, run, slot):
        trees = in_slot(pool.trees, pool.strides, slot)
        return not tries_all(params, trees, run, pool.leaves[slot], pool.score[slot])

    return Breeding(plant, conceive, keep, bear, concatenate, cannot_improve)
