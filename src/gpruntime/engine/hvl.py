"""The original HVL: the same run as the model's, draw by draw, in time proportional to the tree for each offspring.

Its deletion can take out a whole subtree, and the register keeps the order of what stays. So the offspring is a copy of
its parent, changed, read anew and given to the problem's function; if it is accepted it is copied back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import float64, int64, uint64

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, PROPOSED, WIDTH
from gpruntime.engine.frame import accept, begin, end, is_due, may_begin, note_improvement, take_back, verdict
from gpruntime.engine.hopeful import PLAN_WIDTH, SIZE
from gpruntime.engine.improvements import IMPROVEMENT_WIDTH
from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper, inlined, kernel, missing
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, SUBSTITUTE
from gpruntime.engine.memory import tail
from gpruntime.engine.random import below, word
from gpruntime.engine.trace import (
    BEGUN,
    DONE,
    FUNCTION_BITS,
    GO_ON,
    LOG_KIND,
    LOG_WIDTH,
    OVER,
    SLICE,
    TRACE_WIDTH,
    trace_offspring,
    trace_operation,
)
from gpruntime.engine.trace import ROW as RUN
from gpruntime.engine.two_trees import (
    BAR,
    FUNCTION,
    LEFT,
    PLAIN,
    RIGHT,
    SEEN,
    SIGN,
    TERMINAL,
    copy_tree,
    insert_leaf,
    leaves_below,
    node_at,
    plant,
    read_leaves,
    read_program,
    read_variables,
    replace_by_child,
    row_of,
)
from gpruntime.engine.whole import array_at

_U11 = uint64(11)

# ---- the operator


@helper
def _larger_child(tree, stack, join):
    """The side of a join's largest child: 0 for the left one, 1 for the right one, −1 if they are equal."""
    left, right = (
        leaves_below(tree, stack, tree[row_of(join) + LEFT]),
        leaves_below(tree, stack, tree[row_of(join) + RIGHT]),
    )
    return MINUS_ONE if left == right else int64(left < right)


@helper
def _draw(law, at, wide, rng, leaves):
    """Draws an operation for the offspring: (kind, site, side, code), with −1 for what it does not have."""
    site = below(rng, 2 * leaves - 1)
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    side, code = MINUS_ONE, MINUS_ONE
    if kind == INSERT:
        side = below(rng, 2)
        function = below(rng, law.functions) if law.functions > 1 else ZERO
        code = below(rng, law.codes) << law.double | function << FUNCTION_BITS
    elif kind == SUBSTITUTE and site < leaves:
        code = below(rng, law.codes) << law.double
    elif kind == SUBSTITUTE and law.functions > 1:
        code = below(rng, law.functions) << FUNCTION_BITS
    elif kind == DELETE and site >= leaves:
        side = _larger_child(tail(wide, at.offspring), tail(wide, at.stack), node_at(leaves, site))
        side = below(rng, 2) if side < 0 else side
    return kind, site, side, code


@helper
def _apply(at, wide, leaves, kind, site, side, code):
    """Makes an operation to the offspring; returns its number of leaves."""
    tree = tail(wide, at.offspring)
    if kind == INSERT:
        insert_leaf(tree, leaves, site, side, code)
        return leaves + 1
    if kind == DELETE and side >= 0:
        join = node_at(leaves, site)
        return replace_by_child(tree, leaves, join, side, tail(wide, at.stack), tail(wide, at.moved))
    if kind == SUBSTITUTE and code >= 0:
        row = row_of(node_at(leaves, site))
        if site < leaves:
            tree[row + TERMINAL] = code
        else:
            tree[row + FUNCTION] = code >> FUNCTION_BITS
    return leaves


class Seen(NamedTuple):
    """What a problem tells this loop.

    Attributes:
        evaluate(law, at, wide, tree, leaves): the fitness of a tree.
        is_stuck_many(law, at, wide, leaves, fitness): whether no number of operations leads to a better tree, where the
            problem brings a proof: `model/problems/expressing.py` has the argument.
    """

    evaluate: Any
    is_stuck_many: Any


@helper
def _unknown(law, at, wide, leaves, fitness):
    return False


def sees_array(sees: str, value: Any) -> Seen:
    """For problems that see leaves, or the program, from `value(array, n)`."""
    if sees == "leaves":

        @helper
        def evaluate(law, at, wide, tree, leaves):
            return value(array_at(wide, at.tokens, read_leaves(law, at, wide, tree)), law.size)

    else:

        @helper
        def evaluate(law, at, wide, tree, leaves):
            return value(array_at(wide, at.tokens, read_program(law, at, wide, tree, leaves)), law.size)

    return Seen(evaluate, _unknown)


def sees_variables(sees: str, value: Any) -> Seen:
    """For problems that are sums over variables, from `value(i, plain, bar, n)` or `value(i, sign, n)`."""
    if sees == "counts":

        @inlined
        def term(law, seen, i, more):
            """What a variable adds, with this number of leaves x_i more, in front of everything."""
            return value(i + 1, seen[SEEN * i + PLAIN] + more, seen[SEEN * i + BAR], law.size)

    else:

        @inlined
        def term(law, seen, i, more):
            return value(i + 1, seen[SEEN * i + SIGN] if more == 0 else int64(1), law.size)

    @helper
    def evaluate(law, at, wide, tree, leaves):
        read_variables(law, at, wide, tree)
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
        seen = tail(wide, at.seen)
        read_variables(law, at, wide, tail(wide, at.parent))
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


# ---- the loop. What a problem brings is put in by `make_hvl`.

evaluate = is_stuck_many = tries_all = missing


@inlined
def _least_gain(law, log, room, leaves, new_leaves):
    """What an offspring with this number of leaves must gain; by growth, from −room on, it stands behind the log."""
    return NO_LIMIT if new_leaves > law.limit else log[LOG_WIDTH * law.most + room + new_leaves - leaves]


def _make_accepts(evaluate: Any) -> Any:
    @helper
    def accepts(law, at, wide, log, room, leaves, fitness, kind, site, side, code):
        """Whether this single operation would be accepted."""
        copy_tree(tail(wide, at.parent), tail(wide, at.offspring), leaves)
        new_leaves = _apply(at, wide, leaves, kind, site, side, code)
        gain = evaluate(law, at, wide, tail(wide, at.offspring), new_leaves) - fitness
        return gain >= _least_gain(law, log, room, leaves, new_leaves)

    return accepts


def _make_tries_all(accepts: Any) -> Any:
    @helper
    def tries_all(law, at, wide, log, room, leaves, fitness):
        """Whether some proposal is accepted. A deletion of a leaf changes nothing."""
        substitute, insert, delete = int64(SUBSTITUTE), int64(INSERT), int64(DELETE)
        if law.same <= 0 and (law.delete > 0 or law.substitute > 0):
            return True
        for site in range(2 * leaves - 1):
            for terminal in range(law.codes):
                code = terminal << law.double
                for inserted in range(2 * law.functions if law.insert > 0 and leaves < law.limit else 0):
                    side, new = inserted & 1, code | (inserted >> 1) << FUNCTION_BITS
                    if accepts(law, at, wide, log, room, leaves, fitness, insert, site, side, new):
                        return True
                renews = law.substitute > 0 and site < leaves
                if renews and accepts(law, at, wide, log, room, leaves, fitness, substitute, site, MINUS_ONE, code):
                    return True
            if site < leaves:
                continue
            for function in range(law.functions if law.substitute > 0 and law.functions > 1 else 0):
                code = function << FUNCTION_BITS
                if accepts(law, at, wide, log, room, leaves, fitness, substitute, site, MINUS_ONE, code):
                    return True
            if law.delete > 0:
                larger = _larger_child(tail(wide, at.parent), tail(wide, at.stack), node_at(leaves, site))
                for side in range(2):
                    if larger != 1 - side and accepts(
                        law, at, wide, log, room, leaves, fitness, delete, site, int64(side), MINUS_ONE
                    ):
                        return True
        return False

    return tries_all


def advance(law, at, cells, wide, tiny, drawing, seeds, rng, plan, log, out, stand, trace, improved, room, steps):
    """Goes on with the runs; see `stepping.advance`."""
    runs, tracing, noting = out.size // WIDTH, trace.size // TRACE_WIDTH, improved.size // IMPROVEMENT_WIDTH
    cells, wide, tiny, drawing = tail(cells, 0), tail(wide, 0), tail(tiny, 0), tail(drawing, 0)
    seeds, rng, plan, log, out = tail(seeds, 0), tail(rng, 0), tail(plan, 0), tail(log, 0), tail(out, 0)
    stand, trace, improved = tail(stand, 0), tail(trace, 0), tail(improved, 0)
    first = True
    while stand[RUN] < runs:
        result = tail(out, WIDTH * stand[RUN])
        changed = stand[BEGUN] == 0
        if changed:
            if not may_begin(stand, seeds, rng, noting, steps, first):
                return SLICE
            leaves = plant(law, at, cells, wide, tiny, drawing, rng)
            fitness = evaluate(law, at, wide, tail(wide, at.parent), leaves)
            steps = begin(result, stand, improved, noting, leaves, fitness, steps)
            first = False
        while True:
            leaves, fitness = result[LEAVES], result[FITNESS]
            stuck = law.can_stick and is_due(law, result, stand, changed)
            if stuck:
                if law.most == 1:
                    stuck = not tries_all(law, at, wide, log, room, leaves, fitness)
                elif law.strict:
                    stuck = is_stuck_many(law, at, wide, leaves, fitness)
                else:  # insertions only, or deletions, of which those of a leaf are accepted
                    stuck = law.insert > 0 and leaves == law.limit
            if stuck:
                take_back(law, result, stand)
            reason = verdict(law, result, stand, stuck, tracing, room, steps)
            if reason != GO_ON:
                break
            steps -= 1
            result[EVALUATIONS] += 1
            operations, new_leaves = law.fewest, leaves
            if law.multi:
                bits = float64(word(rng) >> _U11)
                while bits >= plan[PLAN_WIDTH * (operations - law.fewest) + SIZE]:
                    operations += 1
            copy_tree(tail(wide, at.parent), tail(wide, at.offspring), leaves)
            for j in range(operations):
                kind, site, side, code = _draw(law, at, wide, rng, new_leaves)
                result[PROPOSED + kind] += 1
                log[LOG_WIDTH * j + LOG_KIND] = kind
                if tracing > 0:
                    trace_operation(trace, stand, kind, site, side, code, MINUS_ONE)
                new_leaves = _apply(at, wide, new_leaves, kind, site, side, code)
            gain = evaluate(law, at, wide, tail(wide, at.offspring), new_leaves) - fitness
            changed = gain >= _least_gain(law, log, room, leaves, new_leaves)
            if tracing > 0:
                trace_offspring(trace, stand, operations, result[EVALUATIONS], changed, gain, new_leaves)
            if changed:
                copy_tree(tail(wide, at.offspring), tail(wide, at.parent), new_leaves)
                for j in range(operations):
                    result[ACCEPTED + log[LOG_WIDTH * j + LOG_KIND]] += 1
                accept(result, new_leaves, gain)
                if gain > 0:
                    steps = note_improvement(improved, noting, stand, result, steps)
        if reason != OVER:
            return reason
        end(stand)
    return DONE


def make_hvl(name: str, seen: Seen) -> Any:
    """The kernel for a problem."""
    tries_all = _make_tries_all(_make_accepts(seen.evaluate))
    return kernel(advance, name, **seen._asdict(), tries_all=tries_all)
