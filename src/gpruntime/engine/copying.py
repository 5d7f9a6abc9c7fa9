"""Offspring that are written anew: the same run as the model's, in time proportional to the tree per offspring.

That is so for problems that see all leaves, or the program; for the original HVL, and for functions of any number of
arguments (`operators`), which take out whole subtrees. An offspring is written from pieces of its parent and given to
the problem's function; if it is accepted it changes rooms with its parent, and its register is written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import float64, int64, uint64

from gpruntime.engine.any_planting import plant_any
from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, PROPOSED, WIDTH
from gpruntime.engine.frame import accept, begin, end, is_due, may_begin, note_improvement, take_back, verdict
from gpruntime.engine.hopeful import PLAN_WIDTH
from gpruntime.engine.hopeful import SIZE as PLAN_SIZE
from gpruntime.engine.improvements import IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import ZERO, helper, inlined, kernel, missing
from gpruntime.engine.law import NO_LIMIT
from gpruntime.engine.memory import tail
from gpruntime.engine.operators import Operator, apply, trace_call
from gpruntime.engine.own import value_by_counts, value_by_first, value_of_array
from gpruntime.engine.random import word
from gpruntime.engine.trace import (
    BEGUN,
    DONE,
    GO_ON,
    GROW_TREE,
    LOG_KIND,
    LOG_WIDTH,
    OVER,
    SLICE,
    TRACE_WIDTH,
    TRACED,
    trace_offspring,
)
from gpruntime.engine.trace import ROW as RUN
from gpruntime.engine.two_trees import (
    BAR,
    FIRST,
    JOINS,
    PLAIN,
    SEEN,
    SIGN,
    SIZE,
    Tree,
    copy_register,
    copy_tokens,
    enroll,
    moves,
    offspring_of,
    parent_of,
    plant_binary,
    read_leaves,
    read_variables,
    spare_of,
)

_U11 = uint64(11)


class Seen(NamedTuple):
    """What a problem tells this loop.

    Attributes:
        evaluate(law, at, wide, tokens, size): the fitness of a tree.
        is_stuck_many(law, at, wide, leaves, fitness): whether no number of operations leads to a better tree, where the
            problem brings a proof: `model/problems/expressing.py` has the argument.
    """

    evaluate: Any
    is_stuck_many: Any


@helper
def _unknown(law, at, wide, leaves, fitness):
    return False


def sees_array(sees: str) -> Seen:
    """For problems that see leaves, or the program."""
    if sees == "leaves":

        @helper
        def evaluate(law, at, wide, tokens, size):
            return value_of_array(law, wide, at.tokens, read_leaves(at, wide, tokens, size))

    else:

        @helper
        def evaluate(law, at, wide, tokens, size):
            copy_tokens(tokens, tail(wide, at.tokens), size)  # the problem may write over them
            return value_of_array(law, wide, at.tokens, size)

    return Seen(evaluate, _unknown)


def sees_variables(sees: str) -> Seen:
    """For problems that are sums over variables."""
    if sees == "counts":

        @inlined
        def term(law, seen, i, more):
            """What a variable adds, with so many leaves x_i more, in front of everything."""
            return value_by_counts(law, i + 1, seen[SEEN * i + PLAIN] + more, seen[SEEN * i + BAR])

    else:

        @inlined
        def term(law, seen, i, more):
            return value_by_first(law, i + 1, seen[SEEN * i + SIGN] if more == 0 else int64(1))

    @helper
    def evaluate(law, at, wide, tokens, size):
        read_variables(law, at, wide, tokens, size)
        fitness = ZERO
        for i in range(law.n):
            fitness += term(law, tail(wide, at.seen), i, ZERO)
        return fitness

    @helper
    def is_stuck_many(law, at, wide, leaves, fitness):
        if law.substitute > 0:
            return leaves == fitness and law.insert == 0
        if law.insert > 0 and (law.delete > 0 or law.limit == NO_LIMIT):
            return False
        seen, parent = tail(wide, at.seen), parent_of(at, wide)
        read_variables(law, at, wide, parent.tokens, leaves + parent.register[JOINS])
        for i in range(law.n):
            if term(law, seen, i, ZERO) > 0:
                continue
            if law.insert == 0 and seen[SEEN * i + PLAIN] > 0:
                return False
            for more in range(1, min(law.limit - leaves, leaves + 1) + 1 if law.insert > 0 else 1):
                if term(law, seen, i, int64(more)) > 0:
                    return False
        return True

    return Seen(evaluate, is_stuck_many)


# ---- the loop. What a problem and an operator bring is put in by `make_copying`.

evaluate = is_stuck_many = tries_all = plant = draw = missing


@inlined
def _least_gain(law, log, room, leaves, new_leaves):
    """What an offspring with so many leaves must gain; by growth, from −room on, it stands behind the log."""
    return NO_LIMIT if new_leaves > law.limit else log[LOG_WIDTH * law.most + room + new_leaves - leaves]


def make_accepts(evaluate: Any) -> Any:
    """For `Operator.make_tries_all`."""

    @helper
    def accepts(law, at, wide, log, room, leaves, fitness, kind, site, place, code):
        """Whether this single operation would be accepted."""
        parent, tokens, move = parent_of(at, wide), tail(wide, at.offspring), tail(wide, at.move)
        new_leaves = apply(law, parent, tokens, tail(wide, at.fresh), move, leaves, kind, site, place, code)
        gain = evaluate(law, at, wide, tokens, move[SIZE]) - fitness if move[FIRST] >= 0 else ZERO
        return gain >= _least_gain(law, log, room, leaves, new_leaves)

    return accepts


@helper
def _at_home(at, wide, parent, leaves, away):
    """The three trees, each in its own room; the parent comes from another's if it is `away`."""
    if away:
        copy_tokens(parent.tokens, tail(wide, at.parent), leaves + parent.register[JOINS])
    return parent_of(at, wide), offspring_of(at, wide), spare_of(at, wide)


def advance(law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improved, room, steps):
    """Goes on with the runs; see `stepping.advance`."""
    runs, tracing, noting = out.size // WIDTH, trace.size // TRACE_WIDTH, improved.size // IMPROVEMENT_WIDTH
    cells, wide, tiny, drawing = tail(cells, 0), tail(wide, 0), tail(tiny, 0), tail(drawing, 0)
    seeds, rng, plan, log, out = tail(seeds, 0), tail(rng, 0), tail(plan, 0), tail(log, 0), tail(out, 0)
    stand, trace, improved = tail(stand, 0), tail(trace, 0), tail(improved, 0)
    parent, offspring, spare = parent_of(at, wide), offspring_of(at, wide), spare_of(at, wide)
    fresh, move = tail(wide, at.fresh), tail(wide, at.move)
    first, away = True, False  # a parent is `away` that stands where it was an offspring
    while stand[RUN] < runs:
        result = tail(out, WIDTH * stand[RUN])
        changed = stand[BEGUN] == 0
        if changed:
            if not may_begin(stand, seeds, rng, noting, steps, first):
                return SLICE
            leaves = plant(law, at, cells, wide, tiny, drawing, rng)
            fitness = evaluate(law, at, wide, parent.tokens, leaves + parent.register[JOINS])
            steps = begin(result, stand, improved, noting, leaves, fitness, steps)
            first = False
        while True:
            leaves, fitness = result[LEAVES], result[FITNESS]
            stuck = law.can_stick and is_due(law, result, stand, changed, law.patience * leaves)
            if stuck:
                parent, offspring, spare = _at_home(at, wide, parent, leaves, away)
                away = False
                if law.most == 1:
                    stuck = not tries_all(law, at, wide, log, room, leaves, fitness)
                elif law.strict:
                    stuck = is_stuck_many(law, at, wide, leaves, fitness)
                else:  # insertions only, or deletions, of which those of a leaf are accepted
                    stuck = law.insert > 0 and leaves == law.limit
            if stuck:
                take_back(law, result, stand)
            reason = verdict(law, result, stand, stuck, tracing, room, steps)
            if reason == GO_ON and parent.register[JOINS] + law.most > room:
                reason = GROW_TREE
            if reason != GO_ON:
                break
            steps -= 1
            result[EVALUATIONS] += 1
            operations, new_leaves = law.fewest, leaves
            if law.multi:
                bits = float64(word(rng) >> _U11)
                while bits >= plan[PLAN_WIDTH * (operations - law.fewest) + PLAN_SIZE]:
                    operations += 1
            traced, tree, other, third = stand[TRACED], parent, offspring, spare
            gain, before, written, waits, apart = ZERO, leaves, False, False, False
            for j in range(operations):
                if waits:  # its register is written when it is needed
                    if not apart:
                        copy_register(parent.register, offspring.register, leaves)
                    enroll(law, offspring.register, move, before)
                    tree, apart = Tree(tree.tokens, offspring.register), True
                kind, site, place, code = draw(law, tree, fresh, rng, new_leaves)
                result[PROPOSED + kind] += 1
                log[LOG_WIDTH * j + LOG_KIND] = kind
                if tracing > 0:
                    trace_call(law, fresh, trace, stand, new_leaves, kind, site, place, code)
                before = new_leaves
                new_leaves = apply(law, tree, other.tokens, fresh, move, before, kind, site, place, code)
                waits = moves(move)
                if move[FIRST] >= 0:  # nothing is written over the parent
                    tree, other, third, written = Tree(other.tokens, tree.register), third, other, True
            if written:
                gain = evaluate(law, at, wide, tree.tokens, move[SIZE]) - fitness
            changed = gain >= _least_gain(law, log, room, leaves, new_leaves)
            if tracing > 0:
                rows = stand[TRACED] - traced
                trace_offspring(trace, stand, rows, result[EVALUATIONS], changed, gain, new_leaves)
            if changed:
                if written:
                    if waits:
                        enroll(law, tree.register, move, before)
                    if apart:
                        copy_register(tree.register, parent.register, new_leaves)
                    parent, offspring = Tree(tree.tokens, parent.register), Tree(parent.tokens, offspring.register)
                    spare, away = Tree(other.tokens, offspring.register), True
                for j in range(operations):
                    result[ACCEPTED + log[LOG_WIDTH * j + LOG_KIND]] += 1
                accept(result, new_leaves, gain)
                if gain > 0:
                    steps = note_improvement(improved, noting, stand, result, steps)
        parent, offspring, spare = _at_home(at, wide, parent, leaves, away)
        away = False
        if reason != OVER:
            return reason
        end(stand)
    return DONE


def make_copying(name: str, seen: Seen, operator: Operator, binary: bool) -> Any:
    """The kernel for a problem and an operator; `binary` says whether all functions have two arguments."""
    tries_all = operator.make_tries_all(make_accepts(seen.evaluate))
    plant = plant_binary if binary else plant_any
    parts = {**seen._asdict(), "tries_all": tries_all, "plant": plant, "draw": operator.draw}
    return kernel(advance, name, **parts)
