"""The loop of all algorithms with populations: the runs of `gpruntime.model.populations`, draw by draw.

An evaluation is that of an initial tree, of an offspring, or of two joined trees. What differs between families is who
has an offspring and who stays (`survival`); what differs between problems, how an offspring is judged and made
(`rearing`). An offspring that does not stay costs no copy.
"""

from __future__ import annotations

from typing import Any

from numpy import uint64

from gpruntime.engine.columns import (
    ACCEPTED,
    EVALUATIONS,
    FITNESS,
    LEAVES,
    MAX_LEAVES,
    MAX_POPULATION,
    POPULATION_WIDTH,
)
from gpruntime.engine.frame import Method, is_due, make_kernel, note_improvement, take_back
from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper, inlined, pasted
from gpruntime.engine.law import NO_LIMIT
from gpruntime.engine.memory import tail
from gpruntime.engine.pool import (
    BORN_KIND,
    BORN_WIDTH,
    COUNT,
    HELD_LEAVES,
    HELD_OPERATIONS,
    HELD_SCORE,
    MADE,
    ON_FRONT,
    empty,
)
from gpruntime.engine.random import word
from gpruntime.engine.rearing import Rearing
from gpruntime.engine.stepping import least_gain
from gpruntime.engine.survival import (
    CONCATENATION,
    MU,
    SMO,
    add_member,
    are_alike,
    chosen,
    find_worst,
    is_on_front,
    make_way,
    place_to_take,
    prefers_smaller,
    undominated,
)
from gpruntime.engine.trace import GO_ON, GROW_POOL, GROW_TREE, LOOKED

_U11 = uint64(11)


@pasted
def _has_won(law, at, wide, result):
    return wide[at.hold + ON_FRONT] == law.front if law.front > 0 else result[FITNESS] >= law.best


@pasted
def _lacks_room(law, at, wide, result, room):
    """A joined tree, or a crossed one, is as large as two."""
    trees = 1 + (law.family == CONCATENATION or law.crossover > 0)
    if result[MAX_LEAVES] * trees + law.most > room:
        return GROW_TREE
    return GROW_POOL if law.family == SMO and wide[at.hold + COUNT] == at.capacity else GO_ON


@inlined
def _is_planting(law, at, wide):
    """Whether an initial tree comes next."""
    count, made = wide[at.hold + COUNT], wide[at.hold + MADE]
    if law.family == MU:
        return count < law.many
    return count == 0 or (law.family == CONCATENATION and count == 1 and made == law.many)


@inlined
def _enter(law, at, wide, slot):
    """Brings the book up to date: there is a new tree in this slot."""
    wide[at.hold + ON_FRONT] += is_on_front(at, wide, slot)
    if law.family == MU and wide[at.hold + COUNT] == law.many:
        find_worst(law, at, wide)


@inlined
def _wait(law, at, wide, result):
    """How many offspring in vain take as long as it takes to look whether the run is stuck."""
    return wide[at.hold + COUNT] * (law.patience * result[MAX_LEAVES] + law.n)


@helper
def _note_best(law, result, stand, improved, noting, steps, score, leaves):
    """Enters a tree that was evaluated, if it is better than all before it."""
    if score > result[FITNESS] and leaves <= law.limit:
        result[FITNESS], result[LEAVES] = score, leaves
        return note_improvement(improved, noting, stand, result, steps)
    return steps


@inlined
def _is_accepted(law, at, wide, log, mother, leaves, score):
    """Whether the rule accepts such an offspring in place of its mother."""
    return score - wide[at.score + mother] >= least_gain(law, log, wide[at.leaves + mother], leaves)


@helper
def _hold_back(law, at, wide, operations, score, leaves, ends):
    """Keeps the operations of an offspring, if it ends the run or is the best of its generation so far; returns that.

    Of the offspring that are optimal, one that the rule rejects may have come before.
    """
    hold, fits = at.hold, leaves <= law.limit
    wide[hold + MADE] += 1
    if wide[hold + MADE] == 1:
        wide[hold + HELD_SCORE], wide[hold + HELD_OPERATIONS] = -NO_LIMIT, MINUS_ONE
    smaller = prefers_smaller(law) and leaves < wide[hold + HELD_LEAVES]
    tied = wide[hold + HELD_OPERATIONS] >= 0 and score == wide[hold + HELD_SCORE] and smaller
    best = fits and (ends or score > wide[hold + HELD_SCORE] or tied)
    if best:
        wide[hold + HELD_OPERATIONS], wide[hold + HELD_SCORE], wide[hold + HELD_LEAVES] = operations, score, leaves
        for i in range(BORN_WIDTH * operations):
            wide[at.held + i] = wide[at.born + i]
    return best


@pasted
def _record(law, at, wide, rng, plan, result, stand):
    """Enters the best member, the first of them."""
    best = wide[at.members]
    for place in range(1, wide[at.hold + COUNT]):
        slot = wide[at.members + place]
        if wide[at.score + slot] > wide[at.score + best]:
            best = slot
    result[FITNESS], result[LEAVES] = wide[at.score + best], wide[at.leaves + best]
    result[MAX_POPULATION] = max(result[MAX_POPULATION], wide[at.hold + COUNT])


def make_breeding(name: str, parts: Rearing) -> Any:
    """The kernel for a form."""
    plant, conceive, keep, bear, concatenate, are_stuck = parts

    @pasted
    def start(law, at, cells, wide, tiny, drawing, rng):
        empty(at, wide)
        leaves, score = plant(law, at, cells, wide, tiny, drawing, rng, add_member(at, wide))
        _enter(law, at, wide, wide[at.members])
        return leaves, score

    @pasted
    def is_stuck(law, at, cells, wide, plan, log, result, stand, room, changed):
        if not law.can_stick or (law.family == MU and wide[at.hold + COUNT] < law.many):
            return False
        stuck = is_due(law, result, stand, changed, _wait(law, at, wide, result))
        stuck = stuck and (law.family != MU or are_alike(law, at, wide)) and are_stuck(law, at, cells, wide, log)
        if stuck:
            take_back(law, result, stand)
        return stuck

    @pasted
    def offspring(
        law, at, cells, wide, tiny, drawing, rng, plan, log, result, stand, trace, improved,
        tracing, noting, room, steps,
    ):  # fmt: skip
        born, held, hold = tail(wide, at.born), tail(wide, at.held), tail(wide, at.hold)
        steps -= 1
        result[EVALUATIONS] += 1
        operations, new, is_whole, counts = ZERO, MINUS_ONE, True, True
        if _is_planting(law, at, wide):
            new = add_member(at, wide)
            leaves, score = plant(law, at, cells, wide, tiny, drawing, rng, new)
            hold[MADE], steps = 0, max(steps - leaves, ZERO)
        elif law.family == CONCATENATION and hold[MADE] == law.many:
            left, right, spare = wide[at.members], wide[at.members + 1], wide[at.members + 2]
            leaves, score = concatenate(law, at, cells, wide, rng, left, right, spare)
            hold[MADE], hold[COUNT], steps = 0, 1, max(steps - leaves, ZERO)
            if score >= wide[at.score + left] and leaves <= law.limit:
                wide[at.members], wide[at.members + 2] = spare, left
                new = spare
        else:
            place = hold[COUNT] - 1 if law.family == CONCATENATION else chosen(at, wide, rng)
            mother, father = wide[at.members + place], MINUS_ONE
            if law.crossover > 0 and (word(rng) >> _U11) < law.crossover:
                father = wide[at.members + chosen(at, wide, rng)]
            score, leaves, operations = conceive(law, at, cells, wide, rng, plan, log, result, mother, father)
            fits, made = leaves <= law.limit, born
            if law.family == SMO:
                here = undominated(at, wide, place, leaves, score) if fits else MINUS_ONE
                if here >= 0:
                    new = make_way(at, wide, place, here, score)
            elif law.family == MU:
                here = place_to_take(law, at, wide, rng, leaves, score)
                if here >= 0:
                    new = wide[at.members + here]
            elif law.family == CONCATENATION:
                hold[MADE] += 1
                counts = _is_accepted(law, at, wide, log, mother, leaves, score)
                if counts:
                    new = mother
            else:
                counts = _is_accepted(law, at, wide, log, mother, leaves, score)
                ends = counts and score >= law.best
                if _hold_back(law, at, wide, operations, score, leaves, ends):
                    keep(law, at, cells, wide, leaves)
                is_whole = hold[MADE] == law.many
                if ends or is_whole or result[EVALUATIONS] >= law.budget:
                    operations, made, hold[MADE] = hold[HELD_OPERATIONS], held, 0
                    best = _is_accepted(law, at, wide, log, mother, hold[HELD_LEAVES], hold[HELD_SCORE])
                    if operations >= 0 and best:
                        new = mother
                        stand[LOOKED] = 1  # a generation that is cut off proves nothing
            if new >= 0:
                bear(law, at, cells, wide, made, operations, mother, new)
                for j in range(operations):
                    result[ACCEPTED + made[BORN_WIDTH * j + BORN_KIND]] += 1
        if new >= 0:
            _enter(law, at, wide, new)
            result[MAX_LEAVES] = max(result[MAX_LEAVES], wide[at.leaves + new])
            result[MAX_POPULATION] = max(result[MAX_POPULATION], hold[COUNT])
        changed = new >= 0 and is_whole
        if counts:  # what the rule rejects is no improvement, and does not end a run
            steps = _note_best(law, result, stand, improved, noting, steps, score, leaves)
        return steps, changed

    return make_kernel(name, Method(start, is_stuck, offspring, _record, _has_won, _lacks_room, POPULATION_WIDTH))
