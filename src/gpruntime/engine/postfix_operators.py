"""The original HVL, and HVL-Prime, for functions of any number of arguments, on postfix trees; and other deletions.

Of an `Operation` the side is the place of the node among the arguments of the new join, or of the child that stays. The
code is a function, the terminal of a leaf that is substituted, or where the join stands that a deletion takes out. The
terminals that an insertion brings are beside it, in `PostfixTrees.fresh`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.jit import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.postfix_tree import (
    JOIN,
    JOINS,
    UNCHANGED,
    arity_at,
    begin_of,
    insert_above,
    join_above,
    keep_places,
    parent_of,
    position_of,
    put_token,
    replace_by_child,
)
from gpruntime.engine.random import below
from gpruntime.engine.run_state import (
    AT_JOIN,
    DELETE,
    FUNCTION_BITS,
    INSERT,
    MORE,
    SUBSTITUTE,
    Operation,
    trace_operation,
)
from gpruntime.engine.stepping import draw_kind, draw_substituted
from gpruntime.engine.stuck import vain_is_accepted, weakly_stuck


class Operator(NamedTuple):
    """What an operator tells the loop."""

    draw: Any  # (params, tree, fresh, stack, rng, leaves): an operation
    make_tries_all: Any  # (accepts): a function that tells whether some proposal is accepted
    weakly_stuck: Any  # (params, leaves, fitness): see `stuck`


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
def _draw_hvl(params, tree, fresh, stack, rng, leaves):
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


@helper
def _hvl_weakly_stuck(params, leaves, fitness):
    """Deletions alone are never stuck: of those of a leaf nothing comes, and that is accepted."""
    return params.p_insert > 0 and leaves == params.max_leaves


HVL = Operator(_draw_hvl, _make_hvl_tries_all, _hvl_weakly_stuck)


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
def _unary(params, tree, number):
    """The place in the register of the join of one argument with this number; how many there are for −1."""
    found = ZERO
    for slot in range(tree.register[JOINS]):
        if arity_at(params, tree, tree.register[2 * slot + JOIN]) == 1:
            if found == number:
                return int64(slot)
            found += 1
    return found


@helper
def _draw_deletion(params, tree, stack, rng, leaves):
    """The node, the place of the child that stays, and the join that goes."""
    site = below(rng, leaves if params.binary else leaves + _unary(params, tree, MINUS_ONE))
    if site >= leaves:
        site = leaves + _unary(params, tree, site - leaves)
    place = MINUS_ONE
    join, goes = _what_goes(params, tree, leaves, site)
    if join >= 0:
        others = arity_at(params, tree, join) - 1
        place = below(rng, others) if others > 1 else ZERO
        place += 0 <= goes <= place
    return site, place, join


def _make_tries_deletions(accepts: Any) -> Any:
    @helper
    def tries_deletions(params, trees, run, leaves, fitness):
        tree, delete = parent_of(trees), int64(DELETE)
        for site in range(leaves + tree.register[JOINS]):
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

    return tries_deletions


def _prime(draw_deletion: Any, make_tries_deletions: Any) -> Operator:
    """HVL-Prime with this law of what is deleted."""

    @helper
    def draw(params, tree, fresh, stack, rng, leaves):
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
            site, place, code = draw_deletion(params, tree, stack, rng, leaves)
        else:
            site = draw_substituted(params, rng, leaves, tree.register[JOINS])
            if 0 <= site < leaves:
                code = below(rng, params.terminals) << params.code_shift
            elif site >= leaves and (params.functions > 1 or not params.binary):
                code = _draw_alike(params, rng, function_of(tree, leaves, site))
        return Operation(kind, site, place, code)

    def make_tries_all(accepts: Any) -> Any:
        tries_others, tries_deletions = _make_tries_others(accepts), make_tries_deletions(accepts)

        @helper
        def tries_all(params, trees, run, leaves, fitness):
            if vain_is_accepted(params, leaves):
                return True
            if leaves == 0:
                insert = int64(INSERT)
                for terminal in range(params.terminals if params.p_insert > 0 else 0):
                    trees.fresh[0] = terminal << params.code_shift
                    if accepts(params, trees, run, leaves, fitness, Operation(insert, MINUS_ONE, MINUS_ONE, MINUS_ONE)):
                        return True
                return False
            if tries_others(params, trees, run, leaves, fitness):
                return True
            return params.p_delete > 0 and tries_deletions(params, trees, run, leaves, fitness)

        return tries_all

    return Operator(draw, make_tries_all, weakly_stuck)


HVL_PRIME = _prime(_draw_deletion, _make_tries_deletions)


# ---- other deletions, see `gpruntime.model.unbiased`: all functions have two arguments


@helper
def _at_depth(tree, stack, size, depth, number):
    """Of the joins at a depth the position of the one with this number, from right to left; for −1 how many they are.

    For a depth of −1, how many depths have joins.
    """
    found, waiting, here, depths = ZERO, ZERO, ZERO, ZERO
    for position in range(size - 1, -1, -1):
        if tree.tokens[position] < 0:
            if here == depth:
                if found == number:
                    return int64(position)
                found += 1
            here += 1  # of the right child, which comes next; the left one waits
            stack[waiting] = here
            waiting += 1
            depths = max(depths, here)
        elif waiting > 0:
            waiting -= 1
            here = stack[waiting]
    return found if depth >= 0 else depths


@helper
def _site_of(tree, leaves, join):
    """The number of the node that is the join at this position."""
    slot = ZERO
    while tree.register[2 * slot + JOIN] != join:
        slot += 1
    return leaves + slot


@helper
def _draw_node_unbiased(params, tree, stack, rng, leaves):
    if leaves == 1:
        return ZERO, MINUS_ONE, MINUS_ONE
    number = below(rng, 2 * tree.register[JOINS])
    site = leaves + (number >> 1)
    return site, number & 1, position_of(tree, leaves, site)


@helper
def _draw_depth_unbiased(params, tree, stack, rng, leaves):
    if leaves == 1:
        return ZERO, MINUS_ONE, MINUS_ONE
    size = leaves + tree.register[JOINS]
    depths = _at_depth(tree, stack, size, MINUS_ONE, MINUS_ONE)
    depth = below(rng, depths) if depths > 1 else ZERO
    joins = _at_depth(tree, stack, size, depth, MINUS_ONE)
    number = below(rng, 2 * joins)
    join = _at_depth(tree, stack, size, depth, joins - 1 - (number >> 1))
    return _site_of(tree, leaves, join), number & 1, join


def _make_tries_subtrees(accepts: Any) -> Any:
    @helper
    def tries_subtrees(params, trees, run, leaves, fitness):
        tree, delete = parent_of(trees), int64(DELETE)
        if leaves == 1:
            return accepts(params, trees, run, leaves, fitness, Operation(delete, ZERO, MINUS_ONE, MINUS_ONE))
        for site in range(leaves, leaves + tree.register[JOINS]):
            for place in range(2):
                operation = Operation(delete, int64(site), int64(place), position_of(tree, leaves, site))
                if accepts(params, trees, run, leaves, fitness, operation):
                    return True
        return False

    return tries_subtrees


OPERATORS = {
    "hvl": HVL,
    "hvl-prime": HVL_PRIME,
    "node-unbiased": _prime(_draw_node_unbiased, _make_tries_subtrees),
    "depth-unbiased": _prime(_draw_depth_unbiased, _make_tries_subtrees),
}
