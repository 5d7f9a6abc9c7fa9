"""Offspring that are written anew: the same run as the model's, in time proportional to the tree per offspring.

That is so for problems that see all leaves, or the program; for the original HVL, other deletions, and functions of any
number of arguments (`postfix_operators`), which take out whole subtrees. An offspring is written from pieces of its
parent and given to the problem's function; if it is accepted it is copied into its parent's place, and its register is
written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.initial import plant_any, plant_binary
from gpruntime.engine.jit import ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, accept, lacks_room, make_kernel, note_improvement
from gpruntime.engine.params import min_gain_of
from gpruntime.engine.postfix_operators import Operator, apply, trace_postfix_operation
from gpruntime.engine.postfix_tree import (
    JOINS,
    UNCHANGED,
    Tree,
    copy_register,
    copy_tokens,
    enroll,
    moves,
    parent_of,
    read_leaves,
    read_variables,
)
from gpruntime.engine.run_state import GROW_TREE, trace_offspring
from gpruntime.engine.stepping import draw_number_of_operations
from gpruntime.engine.stuck import is_time_to_look, make_stuck_with_many, take_back
from gpruntime.engine.user_function import value_by_counts, value_by_first, value_of_array


class Seen(NamedTuple):
    """What a problem tells this loop."""

    evaluate: Any  # (params, trees, tokens, size): the fitness of a tree
    is_stuck_many: Any  # (params, trees, leaves, fitness): whether no number of operations leads to a better tree,
    # where the problem brings a proof: `model/problems/expressing.py` has the argument


@helper
def _unknown(params, trees, leaves, fitness):
    return False


def sees_array(sees: str) -> Seen:
    """For problems that see leaves, or the program."""
    if sees == "leaves":

        @helper
        def evaluate(params, trees, tokens, size):
            return value_of_array(params, trees.tokens, read_leaves(trees, tokens, size))

    else:

        @helper
        def evaluate(params, trees, tokens, size):
            copy_tokens(tokens, trees.tokens, size)  # the problem may write over them
            return value_of_array(params, trees.tokens, size)

    return Seen(evaluate, _unknown)


def sees_variables(sees: str) -> Seen:
    """For problems that are sums over variables."""
    if sees == "counts":

        @inlined
        def term(params, seen, i, more):
            """What a variable adds, with `more` leaves x_i more, in front of everything."""
            return value_by_counts(params, i + 1, seen[i].plain + more, seen[i].bar)

    else:

        @inlined
        def term(params, seen, i, more):
            return value_by_first(params, i + 1, seen[i].sign if more == 0 else int64(1))

    @helper
    def evaluate(params, trees, tokens, size):
        read_variables(params, trees, tokens, size)
        fitness = ZERO
        for i in range(params.n):
            fitness += term(params, trees.seen, i, ZERO)
        return fitness

    @helper
    def can_be_expressed(params, trees, variable, room):
        seen = trees.seen
        if term(params, seen, variable, ZERO) > 0:
            return False
        for more in range(1, min(room, seen[variable].bar + 1) + 1 if params.p_insert > 0 else 1):
            if term(params, seen, variable, int64(more)) > 0:
                return True
        return params.p_insert == 0 and seen[variable].plain > 0

    stuck_with_many = make_stuck_with_many(can_be_expressed)

    @helper
    def is_stuck_many(params, trees, leaves, fitness):
        parent = parent_of(trees)
        read_variables(params, trees, parent.tokens, leaves + parent.register[JOINS])
        return stuck_with_many(params, trees, leaves, fitness)

    return Seen(evaluate, is_stuck_many)


# ---- offspring


class Offspring(NamedTuple):
    """What operations have made of a tree."""

    tree: Any  # its tokens, and the register it has so far
    leaves: Any
    operations: Any  # how many there were
    written: Any  # whether it is another tree
    in_spare: Any  # whether its tokens are in the second of the two arrays that are written in turn
    pieces: Any  # of the last operation, made to a tree of `before` leaves
    before: Any
    size: Any  # nodes, where it is another tree
    apart: Any  # whether its register is `offspring_register`, not its parent's


def make_offspring(draw: Any) -> Any:
    """A function that makes offspring with the operations of one operator."""

    @inlined
    def make(params, trees, run, result, tree, leaves, crossed):
        """Draws operations and makes them to a tree with this many leaves; their kinds are noted in `run.log`.

        A register is written only when the next operation is drawn from it. `crossed`: the tree is in `spare` already,
        with `offspring_register`, and another than its parent.
        """
        fresh, register, operations = trees.fresh, trees.offspring_register, draw_number_of_operations(params, run)
        written, in_spare, apart, pieces, before, size = crossed, crossed, crossed, UNCHANGED, leaves, ZERO
        next_tokens, last_tokens = trees.offspring, trees.spare
        for j in range(operations):
            if moves(pieces):
                if not apart:
                    copy_register(tree.register, register, before)
                enroll(params, register, pieces, before)
                tree, apart = Tree(tree.tokens, register), True
            operation = draw(params, tree, fresh, trees.stack, run.rng, leaves)
            result.proposed[operation.kind] += 1
            run.log[j].kind = operation.kind
            if run.cursor.trace_room > 0:
                trace_postfix_operation(params, run, fresh, leaves, operation)
            before = leaves
            leaves, pieces = apply(params, tree, next_tokens, before, operation, fresh)
            if pieces.first >= 0:  # nothing is written over the tree that was given
                in_spare, written, size = written and not in_spare, True, pieces.size
                tree, next_tokens, last_tokens = Tree(next_tokens, tree.register), last_tokens, next_tokens
        return Offspring(tree, leaves, operations, written, in_spare, pieces, before, size, apart)

    return make


def make_accepts(evaluate: Any) -> Any:
    """For `Operator.make_tries_all`."""

    @helper
    def accepts(params, trees, run, leaves, fitness, operation):
        """Whether this single operation would be accepted."""
        new_leaves, pieces = apply(params, parent_of(trees), trees.offspring, leaves, operation, trees.fresh)
        gain = evaluate(params, trees, trees.offspring, pieces.size) - fitness if pieces.first >= 0 else ZERO
        return gain >= min_gain_of(params, run, leaves, new_leaves)

    return accepts


# ---- the method


@inlined_once
def _lacks_room(params, trees, run, result):
    """For the leaves of an offspring, or for its joins."""
    joins = trees.parent_register[JOINS]
    return GROW_TREE if joins + params.max_operations > run.cursor.room else lacks_room(params, trees, run, result)


def make_rewriting(name: str, seen: Seen, operator: Operator, binary: bool) -> Any:
    """The kernel for a problem and an operator; `binary` says whether all functions have two arguments."""
    evaluate, is_stuck_many, make = seen.evaluate, seen.is_stuck_many, make_offspring(operator.draw)
    tries_all, weakly_stuck = operator.make_tries_all(make_accepts(evaluate)), operator.weakly_stuck
    plant = plant_binary if binary else plant_any

    @inlined_once
    def start(params, trees, run):
        leaves, parent = plant(params, trees, run), parent_of(trees)
        return leaves, evaluate(params, trees, parent.tokens, leaves + parent.register[JOINS])

    @inlined_once
    def is_stuck(params, trees, run, result, changed):
        leaves, fitness = result.leaves, result.fitness
        stuck = params.can_stick and is_time_to_look(params, run, result, changed, params.stuck_wait * leaves)
        if stuck:
            if params.max_operations == 1:
                stuck = not tries_all(params, trees, run, leaves, fitness)
            elif params.strict:
                stuck = is_stuck_many(params, trees, leaves, fitness)
            else:
                stuck = weakly_stuck(params, leaves, fitness)
        if stuck:
            take_back(params, run, result)
        return stuck

    @inlined_once
    def offspring(params, trees, run, result):
        cursor, log = run.cursor, run.log
        cursor.steps -= 1
        result.evaluations += 1
        leaves, parent, traced, gain = result.leaves, parent_of(trees), cursor.traced, ZERO
        new = make(params, trees, run, result, parent, leaves, False)
        if new.written:
            gain = evaluate(params, trees, new.tree.tokens, new.size) - result.fitness
        changed = gain >= min_gain_of(params, run, leaves, new.leaves)
        if cursor.trace_room > 0:
            trace_offspring(run, cursor.traced - traced, result.evaluations, changed, gain, new.leaves)
        if changed:
            if new.written:
                if moves(new.pieces):
                    enroll(params, new.tree.register, new.pieces, new.before)
                if new.apart:
                    copy_register(new.tree.register, parent.register, new.leaves)
                copy_tokens(new.tree.tokens, parent.tokens, new.size)
            for j in range(new.operations):
                result.accepted[log[j].kind] += 1
            accept(result, new.leaves, gain)
            if gain > 0:
                note_improvement(run, result)
        return changed

    return make_kernel(name, Method(start, is_stuck, offspring, lacks=_lacks_room))
