"""Offspring that are written anew: the same run as the model's, in time proportional to the tree per offspring.

That is so for problems that see all leaves, or the program; for the original HVL, and for functions of any number of
arguments, which take out whole subtrees. An offspring is written from pieces of its parent and given to the problem's
function; if it is accepted it is copied into its parent's place, and its register is written.

**Operators** are the original HVL, and HVL-Prime. Of an `Operation` the side is the place of the node among the
arguments of the new join, or of the child that stays. The code is a function, the terminal of a leaf that is
substituted, or where the join stands that a deletion takes out. The terminals that an insertion brings are beside it,
in `PostfixTrees.fresh`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.initial import plant_any, plant_binary
from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, accept, lacks_room, make_kernel, note_improvement
from gpruntime.engine.params import min_gain_of
from gpruntime.engine.postfix_tree import (
    JOIN,
    JOINS,
    UNCHANGED,
    Tree,
    arity_at,
    begin_of,
    copy_register,
    copy_tokens,
    enroll,
    insert_above,
    join_above,
    keep_places,
    moves,
    parent_of,
    position_of,
    put_token,
    read_leaves,
    read_variables,
    replace_by_child,
)
from gpruntime.engine.random import below
from gpruntime.engine.run_state import (
    AT_JOIN,
    DELETE,
    FUNCTION_BITS,
    GROW_TREE,
    INSERT,
    MORE,
    SUBSTITUTE,
    Operation,
    trace_offspring,
    trace_operation,
)
from gpruntime.engine.stepping import draw_kind, draw_number_of_operations, draw_substituted
from gpruntime.engine.stuck import is_time_to_look, make_stuck_with_many, take_back, vain_is_accepted
from gpruntime.engine.user_function import value_by_counts, value_by_first, value_of_array


class Operator(NamedTuple):
    """What an operator tells the loop."""

    draw: Any  # (params, tree, fresh, rng, leaves): an operation
    make_tries_all: Any  # (accepts): a function that tells whether some proposal is accepted


# ---- what both have in common


@inlined
def function_of(tree, leaves, site):
    """Of a join."""
    return -1 - tree.tokens[position_of(tree, leaves, site)]


@helper
def _draw_insertion(params, fresh, rng, place):
    """The function and the place, where that is not drawn yet; the terminals are written down."""
    function = below(rng, params.functions) if params.functions > 1 else ZERO
    if place < 0:
        place = below(rng, params.arities[function]) if params.arities[function] > 1 else ZERO
    for i in range(params.arities[function] - 1):
        fresh[i] = below(rng, params.terminals) << params.code_shift
    return function, place


@helper
def _draw_alike(params, rng, function):
    """A uniform function with as many arguments; itself without a draw, if there is no other."""
    alike = ZERO
    for other in range(params.functions):
        alike += params.arities[other] == params.arities[function]
    number = below(rng, alike) if alike > 1 else ZERO
    for other in range(params.functions):
        if params.arities[other] == params.arities[function]:
            if number == 0:
                return int64(other)
            number -= 1
    return MINUS_ONE


@helper
def apply(params, tree, tokens, leaves, operation, fresh):
    """Writes into `tokens` what an operation makes of a tree with this many leaves; returns (its leaves, the pieces).

    `fresh` has the terminals that an insertion brings.
    """
    kind, site, place, code = operation
    if kind == INSERT and leaves == 0:
        tokens[0] = fresh[0] >> params.code_shift
        return ONE, keep_places(ONE)
    if kind == INSERT:
        return insert_above(params, tree, tokens, leaves, operation, fresh)
    if kind == SUBSTITUTE and code >= 0:
        token = code >> params.code_shift if site < leaves else -1 - code
        return put_token(tree, tokens, leaves, site, token)
    if kind == DELETE and code >= 0:
        return replace_by_child(params, tree, tokens, leaves, code, place)
    if kind == DELETE and params.may_be_empty and leaves > 0:
        return ZERO, keep_places(ZERO)
    return leaves, UNCHANGED


@helper
def trace_postfix_operation(params, run, fresh, leaves, operation):
    """Notes an operation on a tree with this many leaves."""
    kind, site, place, code = operation
    if kind == INSERT:
        side = 1 - place if params.binary and leaves > 0 else place
        brings = 1 if leaves == 0 else params.arities[code] - 1
        function = ZERO if leaves == 0 else code
        first = fresh[0] if brings > 0 else ZERO
        trace_operation(run, Operation(kind, site, side, first | function << FUNCTION_BITS), MINUS_ONE)
        for i in range(1, brings):
            trace_operation(run, Operation(int64(MORE), MINUS_ONE, MINUS_ONE, fresh[i]), MINUS_ONE)
    else:
        place = MINUS_ONE if params.fills_holes else place
        at_join = kind == SUBSTITUTE and code >= 0 and site >= leaves
        code = code << FUNCTION_BITS if at_join else code if kind == SUBSTITUTE else MINUS_ONE
        trace_operation(run, Operation(kind, site, place, code), int64(AT_JOIN) if at_join else MINUS_ONE)


def _make_tries_others(accepts: Any) -> Any:
    @helper
    def tries_others(params, trees, run, leaves, fitness):
        """Whether some insertion or substitution is accepted."""
        substitute, insert = int64(SUBSTITUTE), int64(INSERT)
        parent, fresh = parent_of(trees), trees.fresh
        nodes = leaves + parent.register[JOINS]
        for site in range(nodes if params.p_insert > 0 else ZERO):
            for function in range(params.functions):
                brings = params.arities[function] - 1
                if leaves + brings > params.max_leaves:
                    continue
                for some in range(params.terminals**brings):
                    rest = some
                    for i in range(brings):
                        fresh[i] = rest % params.terminals << params.code_shift
                        rest //= params.terminals
                    for place in range(brings + 1):
                        operation = Operation(insert, int64(site), int64(place), int64(function))
                        if accepts(params, trees, run, leaves, fitness, operation):
                            return True
        first = leaves if params.substitutes_functions else ZERO
        sites = nodes if params.substitutes_nodes or params.substitutes_functions else leaves
        for site in range(first, sites if params.p_substitute > 0 else first):
            if site < leaves:
                for terminal in range(params.terminals):
                    code = terminal << params.code_shift
                    if accepts(params, trees, run, leaves, fitness, Operation(substitute, site, MINUS_ONE, code)):
                        return True
                continue
            function = function_of(parent, leaves, site)
            for other in range(params.functions):
                code = int64(other)
                if (
                    code != function
                    and params.arities[other] == params.arities[function]
                    and accepts(params, trees, run, leaves, fitness, Operation(substitute, site, MINUS_ONE, code))
                ):
                    return True
        return False

    return tries_others


# ---- the original HVL


@helper
def _largest(params, tree, join, number):
    """Of its largest children, by their nodes, the place of the one with this number; how many there are for −1."""
    most, count, end = ZERO, ZERO, join - 1
    for _ in range(arity_at(params, tree, join)):  # from right to left
        begin = begin_of(params, tree, end)
        size = end + 1 - begin
        count = ONE if size > most else count + (size == most)
        most, end = max(most, size), begin - 1
    if number < 0:
        return count
    end = join - 1
    for place in range(arity_at(params, tree, join) - 1, -1, -1):
        begin = begin_of(params, tree, end)
        count -= end + 1 - begin == most
        if count == number:
            return int64(place)
        end = begin - 1
    return MINUS_ONE


@helper
def _draw_hvl(params, tree, fresh, rng, leaves):
    site = below(rng, leaves + tree.register[JOINS])
    kind = draw_kind(params, rng)
    place, code = MINUS_ONE, MINUS_ONE
    if kind == INSERT:
        code, place = _draw_insertion(params, fresh, rng, 1 - below(rng, 2) if params.binary else MINUS_ONE)
    elif kind == SUBSTITUTE and site < leaves:
        code = below(rng, params.terminals) << params.code_shift
    elif kind == SUBSTITUTE:
        code = _draw_alike(params, rng, function_of(tree, leaves, site))
    elif site >= leaves:
        code = position_of(tree, leaves, site)
        largest = _largest(params, tree, code, MINUS_ONE)
        place = _largest(params, tree, code, below(rng, largest) if largest > 1 else ZERO)
    return Operation(kind, site, place, code)


def _make_hvl_tries_all(accepts: Any) -> Any:
    tries_others = _make_tries_others(accepts)

    @helper
    def tries_all(params, trees, run, leaves, fitness):
        """A deletion of a leaf changes nothing."""
        if params.min_gain_same <= 0 and (params.p_delete > 0 or params.p_substitute > 0):
            return True
        if tries_others(params, trees, run, leaves, fitness):
            return True
        tree, delete = parent_of(trees), int64(DELETE)
        for site in range(leaves, leaves + tree.register[JOINS] if params.p_delete > 0 else leaves):
            join = position_of(tree, leaves, site)
            for number in range(_largest(params, tree, join, MINUS_ONE)):
                place = _largest(params, tree, join, int64(number))
                if accepts(params, trees, run, leaves, fitness, Operation(delete, site, place, join)):
                    return True
        return False

    return tries_all


HVL = Operator(_draw_hvl, _make_hvl_tries_all)


# ---- HVL-Prime, see `gpruntime.model.arity` and, where all functions have two arguments, `gpruntime.model.mutation`


@helper
def _what_goes(params, tree, leaves, site):
    """Where the join is that goes when a node is deleted, −1 for the only leaf, and the place of what goes with it."""
    join, place = position_of(tree, leaves, site), MINUS_ONE
    if site < leaves:
        size = leaves + tree.register[JOINS]
        join, place = join_above(params, tree, size, join)
        while join >= 0 and arity_at(params, tree, join) == 1:
            join, place = join_above(params, tree, size, join)
    return join, place


@helper
def _draw_prime(params, tree, fresh, rng, leaves):
    kind = draw_kind(params, rng)
    site, place, code = MINUS_ONE, MINUS_ONE, MINUS_ONE
    if leaves == 0:
        if kind == INSERT:
            fresh[0] = below(rng, params.terminals) << params.code_shift
    elif kind == INSERT and params.binary:
        site = below(rng, 2 * (leaves + tree.register[JOINS]))  # and a side
        code, place = _draw_insertion(params, fresh, rng, 1 - (site & 1))
        site >>= 1
    elif kind == INSERT:
        site = below(rng, leaves + tree.register[JOINS])
        code, place = _draw_insertion(params, fresh, rng, MINUS_ONE)
    elif kind == DELETE:
        site = below(rng, leaves if params.binary else leaves + _unary(params, tree, MINUS_ONE))
        if site >= leaves:
            site = leaves + _unary(params, tree, site - leaves)
        code, goes = _what_goes(params, tree, leaves, site)
        if code >= 0:
            others = arity_at(params, tree, code) - 1
            place = below(rng, others) if others > 1 else ZERO
            place += 0 <= goes <= place
    else:
        site = draw_substituted(params, rng, leaves, tree.register[JOINS])
        if 0 <= site < leaves:
            code = below(rng, params.terminals) << params.code_shift
        elif site >= leaves and (params.functions > 1 or not params.binary):
            code = _draw_alike(params, rng, function_of(tree, leaves, site))
    return Operation(kind, site, place, code)


@helper
def _unary(params, tree, number):
    """The place in the register of the join of one argument with this number; how many there are for −1."""
    found = ZERO
    for slot in range(tree.register[JOINS]):
        if arity_at(params, tree, tree.register[2 * slot + JOIN]) == 1:
            if found == number:
                return int64(slot)
            found += 1
    return found


def _make_prime_tries_all(accepts: Any) -> Any:
    tries_others = _make_tries_others(accepts)

    @helper
    def tries_all(params, trees, run, leaves, fitness):
        if vain_is_accepted(params, leaves):
            return True
        tree, insert, delete = parent_of(trees), int64(INSERT), int64(DELETE)
        if leaves == 0:
            for terminal in range(params.terminals if params.p_insert > 0 else 0):
                trees.fresh[0] = terminal << params.code_shift
                if accepts(params, trees, run, leaves, fitness, Operation(insert, MINUS_ONE, MINUS_ONE, MINUS_ONE)):
                    return True
            return False
        if tries_others(params, trees, run, leaves, fitness):
            return True
        for site in range(leaves + tree.register[JOINS] if params.p_delete > 0 else ZERO):
            if site >= leaves and arity_at(params, tree, position_of(tree, leaves, site)) > 1:
                continue
            join, goes = _what_goes(params, tree, leaves, site)
            for place in range(1 if join < 0 else arity_at(params, tree, join)):
                stays = int64(place) if join >= 0 else MINUS_ONE
                if (stays != goes or join < 0) and accepts(
                    params, trees, run, leaves, fitness, Operation(delete, site, stays, join)
                ):
                    return True
        return False

    return tries_all


HVL_PRIME = Operator(_draw_prime, _make_prime_tries_all)


# ---- what a problem tells


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
            operation = draw(params, tree, fresh, run.rng, leaves)
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
    tries_all = operator.make_tries_all(make_accepts(evaluate))
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
            else:  # insertions only, or deletions, of which those of a leaf are accepted
                stuck = params.p_insert > 0 and leaves == params.max_leaves
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
