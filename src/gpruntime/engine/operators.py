"""The original HVL, and HVL-Prime for functions of any number of arguments, on the trees of `two_trees`.

An operation is four numbers: kind, site, place, code; −1 for what it does not have. The place is that of the node among
the arguments of the new join, or of the child that stays. The code is a function, or the terminal of a leaf that is
substituted. The terminals that an insertion brings are in `at.fresh`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64, uint64

from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, vainly_accepted
from gpruntime.engine.memory import tail
from gpruntime.engine.random import below, word
from gpruntime.engine.trace import AT_JOIN, FUNCTION_BITS, MORE, trace_operation
from gpruntime.engine.two_trees import (
    CHILD,
    FUNCTION,
    JOINS,
    ROOT,
    TERMINAL,
    arity_of,
    insert_above,
    node_at,
    nodes_below,
    replace_by_child,
    row_of,
    where,
)

_U11 = uint64(11)


class Operator(NamedTuple):
    """What an operator tells the loop.

    Attributes:
        draw(law, at, wide, rng, leaves): an operation for the offspring.
        apply(law, at, wide, leaves, kind, site, place, code): makes it; returns the number of leaves.
        make_tries_all(accepts): a function that tells whether some proposal is accepted.
    """

    draw: Any
    apply: Any
    make_tries_all: Any


# ---- what both have in common


@helper
def _draw_insertion(law, fresh, rng):
    """The function and the place; the terminals are written down."""
    if law.binary:
        place = 1 - below(rng, 2)
        function = below(rng, law.functions) if law.functions > 1 else ZERO
    else:
        function = below(rng, law.functions) if law.functions > 1 else ZERO
        place = below(rng, law.arities[function]) if law.arities[function] > 1 else ZERO
    for i in range(law.arities[function] - 1):
        fresh[i] = below(rng, law.codes) << law.double
    return function, place


@helper
def _alike(law, function):
    """How many functions have as many arguments."""
    alike = ZERO
    for other in range(law.functions):
        alike += law.arities[other] == law.arities[function]
    return alike


@helper
def _draw_alike(law, rng, function):
    """A uniform function with as many arguments; itself without a draw, if there is no other."""
    alike = _alike(law, function)
    number = below(rng, alike) if alike > 1 else ZERO
    for other in range(law.functions):
        if law.arities[other] == law.arities[function]:
            if number == 0:
                return int64(other)
            number -= 1
    return MINUS_ONE


@helper
def _change(law, at, wide, leaves, kind, site, place, code):
    """Makes an insertion or a substitution; returns the number of leaves."""
    tree, fresh = tail(wide, at.offspring), tail(wide, at.fresh)
    if kind == INSERT:
        if leaves == 0:
            tree[ROOT], tree[row_of(law, ZERO) + TERMINAL] = 0, fresh[0]
            return ONE
        return insert_above(law, tree, fresh, leaves, site, code, place)
    if kind == SUBSTITUTE and code >= 0:
        row = row_of(law, node_at(leaves, site))
        if site < leaves:
            tree[row + TERMINAL] = code
        else:
            tree[row + FUNCTION] = code
    return leaves


@helper
def trace_call(law, at, wide, trace, stand, leaves, kind, site, place, code):
    """Notes an operation on a tree with so many leaves."""
    fresh = tail(wide, at.fresh)
    if kind == INSERT:
        side = 1 - place if law.binary else place
        brings = 1 if leaves == 0 else law.arities[code] - 1
        function = ZERO if leaves == 0 else code
        first = fresh[0] if brings > 0 else ZERO
        trace_operation(trace, stand, kind, site, side, first | function << FUNCTION_BITS, MINUS_ONE)
        for i in range(1, brings):
            trace_operation(trace, stand, MORE, MINUS_ONE, MINUS_ONE, fresh[i], MINUS_ONE)
    else:
        at_join = kind == SUBSTITUTE and code >= 0 and site >= leaves
        code = code << FUNCTION_BITS if at_join else code
        trace_operation(trace, stand, kind, site, place, code, int64(AT_JOIN) if at_join else MINUS_ONE)


def _make_tries_others(accepts: Any) -> Any:
    @helper
    def tries_others(law, at, wide, log, room, leaves, fitness):
        """Whether some insertion or substitution is accepted."""
        substitute, insert = int64(SUBSTITUTE), int64(INSERT)
        parent, fresh = tail(wide, at.parent), tail(wide, at.fresh)
        for site in range(leaves + parent[JOINS] if law.insert > 0 else ZERO):
            for function in range(law.functions):
                brings = law.arities[function] - 1
                if leaves + brings > law.limit:
                    continue
                for some in range(law.codes**brings):
                    rest = some
                    for i in range(brings):
                        fresh[i] = rest % law.codes << law.double
                        rest //= law.codes
                    for place in range(brings + 1):
                        one = int64(function), int64(place)
                        if accepts(law, at, wide, log, room, leaves, fitness, insert, site, one[1], one[0]):
                            return True
        sites = leaves + parent[JOINS] if law.nodes else leaves
        for site in range(sites if law.substitute > 0 else ZERO):
            if site < leaves:
                for terminal in range(law.codes):
                    code = terminal << law.double
                    if accepts(law, at, wide, log, room, leaves, fitness, substitute, site, MINUS_ONE, code):
                        return True
                continue
            function = parent[row_of(law, node_at(leaves, site)) + FUNCTION]
            for other in range(law.functions):
                code = int64(other)
                if (
                    code != function
                    and law.arities[other] == law.arities[function]
                    and accepts(law, at, wide, log, room, leaves, fitness, substitute, site, MINUS_ONE, code)
                ):
                    return True
        return False

    return tries_others


# ---- the original HVL


@helper
def _largest(law, tree, stack, join, number):
    """Of its largest children, by their nodes, the one with this number: its place; how many for −1."""
    most, found = ZERO, ZERO
    first, arity = row_of(law, join) + CHILD, arity_of(law, tree, join)
    for place in range(arity):
        most = max(most, nodes_below(law, tree, stack, tree[first + place]))
    for place in range(arity):
        if nodes_below(law, tree, stack, tree[first + place]) == most:
            if found == number:
                return int64(place)
            found += 1
    return found


@helper
def _draw_hvl(law, at, wide, rng, leaves):
    tree, stack = tail(wide, at.offspring), tail(wide, at.stack)
    site = below(rng, leaves + tree[JOINS])
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    place, code = MINUS_ONE, MINUS_ONE
    if kind == INSERT:
        code, place = _draw_insertion(law, tail(wide, at.fresh), rng)
    elif kind == SUBSTITUTE and site < leaves:
        code = below(rng, law.codes) << law.double
    elif kind == SUBSTITUTE:
        code = _draw_alike(law, rng, tree[row_of(law, node_at(leaves, site)) + FUNCTION])
    elif site >= leaves:
        join = node_at(leaves, site)
        largest = _largest(law, tree, stack, join, MINUS_ONE)
        place = _largest(law, tree, stack, join, below(rng, largest) if largest > 1 else ZERO)
    return kind, site, place, code


@helper
def _apply_hvl(law, at, wide, leaves, kind, site, place, code):
    if kind != DELETE:
        return _change(law, at, wide, leaves, kind, site, place, code)
    if place < 0:
        return leaves
    tree, stack, moved = tail(wide, at.offspring), tail(wide, at.stack), tail(wide, at.moved)
    return replace_by_child(law, tree, leaves, node_at(leaves, site), place, stack, moved)


def _make_hvl_tries_all(accepts: Any) -> Any:
    tries_others = _make_tries_others(accepts)

    @helper
    def tries_all(law, at, wide, log, room, leaves, fitness):
        """A deletion of a leaf changes nothing."""
        if law.same <= 0 and (law.delete > 0 or law.substitute > 0):
            return True
        if tries_others(law, at, wide, log, room, leaves, fitness):
            return True
        tree, stack, delete = tail(wide, at.parent), tail(wide, at.stack), int64(DELETE)
        for site in range(leaves, leaves + tree[JOINS] if law.delete > 0 else leaves):
            join = node_at(leaves, site)
            for number in range(_largest(law, tree, stack, join, MINUS_ONE)):
                place = _largest(law, tree, stack, join, int64(number))
                if accepts(law, at, wide, log, room, leaves, fitness, delete, site, place, MINUS_ONE):
                    return True
        return False

    return tries_all


HVL = Operator(_draw_hvl, _apply_hvl, _make_hvl_tries_all)


# ---- HVL-Prime, see `gpruntime.model.arity`


@helper
def _what_goes(law, tree, leaves, site):
    """The join that goes when this node is deleted, −1 if the node is the only leaf, and the place of what goes."""
    if site >= leaves:
        return node_at(leaves, site), MINUS_ONE
    join, place = where(law, tree, 2 * site)
    while join >= 0 and arity_of(law, tree, join) == 1:
        join, place = where(law, tree, join)
    return join, place


@helper
def _draw_prime(law, at, wide, rng, leaves):
    tree, fresh = tail(wide, at.offspring), tail(wide, at.fresh)
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    site, place, code = MINUS_ONE, MINUS_ONE, MINUS_ONE
    if leaves == 0:
        if kind == INSERT:
            fresh[0] = below(rng, law.codes) << law.double
    elif kind == INSERT:
        site = below(rng, leaves + tree[JOINS])
        code, place = _draw_insertion(law, fresh, rng)
    elif kind == DELETE:
        site = below(rng, leaves + _unary(law, tree, MINUS_ONE))
        if site >= leaves:
            site = leaves + _unary(law, tree, site - leaves)
        join, goes = _what_goes(law, tree, leaves, site)
        if join >= 0:
            others = arity_of(law, tree, join) - 1
            place = below(rng, others) if others > 1 else ZERO
            place += 0 <= goes <= place
    else:
        site = below(rng, leaves + tree[JOINS] if law.nodes else leaves)
        if site < leaves:
            code = below(rng, law.codes) << law.double
        else:
            code = _draw_alike(law, rng, tree[row_of(law, node_at(leaves, site)) + FUNCTION])
    return kind, site, place, code


@helper
def _unary(law, tree, number):
    """The place in the register of the join of one argument with this number; how many there are for −1."""
    found = ZERO
    for slot in range(tree[JOINS]):
        if arity_of(law, tree, 2 * slot + 1) == 1:
            if found == number:
                return int64(slot)
            found += 1
    return found


@helper
def _apply_prime(law, at, wide, leaves, kind, site, place, code):
    if kind != DELETE:
        return _change(law, at, wide, leaves, kind, site, place, code)
    tree = tail(wide, at.offspring)
    if site < 0:
        return leaves
    join, _ = _what_goes(law, tree, leaves, site)
    if join >= 0:
        return replace_by_child(law, tree, leaves, join, place, tail(wide, at.stack), tail(wide, at.moved))
    if law.empty:
        tree[ROOT], tree[JOINS] = -1, 0
        return ZERO
    return leaves


def _make_prime_tries_all(accepts: Any) -> Any:
    tries_others = _make_tries_others(accepts)

    @helper
    def tries_all(law, at, wide, log, room, leaves, fitness):
        if vainly_accepted(law, leaves):
            return True
        tree, insert, delete = tail(wide, at.parent), int64(INSERT), int64(DELETE)
        if leaves == 0:
            for terminal in range(law.codes if law.insert > 0 else 0):
                wide[at.fresh] = terminal << law.double
                if accepts(law, at, wide, log, room, leaves, fitness, insert, MINUS_ONE, MINUS_ONE, MINUS_ONE):
                    return True
            return False
        if tries_others(law, at, wide, log, room, leaves, fitness):
            return True
        for site in range(leaves + tree[JOINS] if law.delete > 0 else ZERO):
            if site >= leaves and arity_of(law, tree, node_at(leaves, site)) > 1:
                continue
            join, goes = _what_goes(law, tree, leaves, site)
            for place in range(1 if join < 0 else arity_of(law, tree, join)):
                stays = int64(place) if join >= 0 else MINUS_ONE
                if (stays != goes or join < 0) and accepts(
                    law, at, wide, log, room, leaves, fitness, delete, site, stays, MINUS_ONE
                ):
                    return True
        return False

    return tries_all


HVL_PRIME = Operator(_draw_prime, _apply_prime, _make_prime_tries_all)
