"""The original HVL, and HVL-Prime, for functions of any number of arguments, on the trees of `two_trees`.

An operation is four numbers: kind, site, place, code; −1 for what it does not have. The place is that of the node among
the arguments of the new join, or of the child that stays. The code is a function, the terminal of a leaf that is
substituted, or where the join stands that a deletion takes out. The terminals that an insertion brings are in
`at.fresh`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64, uint64

from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, SUBSTITUTE, vainly_accepted
from gpruntime.engine.memory import tail
from gpruntime.engine.random import below, word
from gpruntime.engine.trace import AT_JOIN, FUNCTION_BITS, MORE, trace_operation
from gpruntime.engine.two_trees import (
    JOIN,
    JOINS,
    arity_at,
    begin_of,
    change_nothing,
    insert_above,
    join_above,
    keep_places,
    parent_of,
    plant_leaf,
    position_of,
    put_token,
    replace_by_child,
)

_U11 = uint64(11)


class Operator(NamedTuple):
    """What an operator tells the loop.

    Attributes:
        draw(law, tree, fresh, rng, leaves): an operation.
        make_tries_all(accepts): a function that tells whether some proposal is accepted.
    """

    draw: Any
    make_tries_all: Any


# ---- what both have in common


@inlined
def function_of(tree, leaves, site):
    """Of a join."""
    return -1 - tree.tokens[position_of(tree, leaves, site)]


@helper
def _draw_insertion(law, fresh, rng, place):
    """The function and the place, where that is not drawn yet; the terminals are written down."""
    function = below(rng, law.functions) if law.functions > 1 else ZERO
    if place < 0:
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
def apply(law, tree, target, fresh, move, leaves, kind, site, place, code):
    """Writes the tokens that an operation makes of a tree, and `move` (`two_trees`); returns the number of leaves."""
    if kind == INSERT and leaves == 0:
        return plant_leaf(target, move, fresh[0] >> law.double)
    if kind == INSERT:
        return insert_above(law, tree, target, fresh, move, leaves, site, code, place)
    if kind == SUBSTITUTE and code >= 0:
        return put_token(tree, target, move, leaves, site, code >> law.double if site < leaves else -1 - code)
    if kind == DELETE and code >= 0:
        return replace_by_child(law, tree, target, move, leaves, code, place)
    if kind == DELETE and law.empty and leaves > 0:
        keep_places(move, ZERO)
        return ZERO
    return change_nothing(move, leaves)


@helper
def trace_call(law, fresh, trace, stand, leaves, kind, site, place, code):
    """Notes an operation on a tree with so many leaves."""
    if kind == INSERT:
        side = 1 - place if law.binary and leaves > 0 else place
        brings = 1 if leaves == 0 else law.arities[code] - 1
        function = ZERO if leaves == 0 else code
        first = fresh[0] if brings > 0 else ZERO
        trace_operation(trace, stand, kind, site, side, first | function << FUNCTION_BITS, MINUS_ONE)
        for i in range(1, brings):
            trace_operation(trace, stand, MORE, MINUS_ONE, MINUS_ONE, fresh[i], MINUS_ONE)
    else:
        place = MINUS_ONE if law.fills else place
        at_join = kind == SUBSTITUTE and code >= 0 and site >= leaves
        code = code << FUNCTION_BITS if at_join else code if kind == SUBSTITUTE else MINUS_ONE
        trace_operation(trace, stand, kind, site, place, code, int64(AT_JOIN) if at_join else MINUS_ONE)


def _make_tries_others(accepts: Any) -> Any:
    @helper
    def tries_others(law, at, wide, log, room, leaves, fitness):
        """Whether some insertion or substitution is accepted."""
        substitute, insert = int64(SUBSTITUTE), int64(INSERT)
        parent, fresh = parent_of(at, wide), tail(wide, at.fresh)
        nodes = leaves + parent.register[JOINS]
        for site in range(nodes if law.insert > 0 else ZERO):
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
        sites = nodes if law.nodes else leaves
        for site in range(sites if law.substitute > 0 else ZERO):
            if site < leaves:
                for terminal in range(law.codes):
                    code = terminal << law.double
                    if accepts(law, at, wide, log, room, leaves, fitness, substitute, site, MINUS_ONE, code):
                        return True
                continue
            function = function_of(parent, leaves, site)
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
def _largest(law, tree, join, number):
    """Of its largest children, by their nodes, the place of the one with this number; how many there are for −1."""
    most, found, end = ZERO, ZERO, join - 1
    for _ in range(arity_at(law, tree, join)):  # from right to left
        begin = begin_of(law, tree, end)
        size = end + 1 - begin
        found = ONE if size > most else found + (size == most)
        most, end = max(most, size), begin - 1
    if number < 0:
        return found
    end = join - 1
    for place in range(arity_at(law, tree, join) - 1, -1, -1):
        begin = begin_of(law, tree, end)
        found -= end + 1 - begin == most
        if found == number:
            return int64(place)
        end = begin - 1
    return MINUS_ONE


@helper
def _draw_hvl(law, tree, fresh, rng, leaves):
    site = below(rng, leaves + tree.register[JOINS])
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    place, code = MINUS_ONE, MINUS_ONE
    if kind == INSERT:
        code, place = _draw_insertion(law, fresh, rng, 1 - below(rng, 2) if law.binary else MINUS_ONE)
    elif kind == SUBSTITUTE and site < leaves:
        code = below(rng, law.codes) << law.double
    elif kind == SUBSTITUTE:
        code = _draw_alike(law, rng, function_of(tree, leaves, site))
    elif site >= leaves:
        code = position_of(tree, leaves, site)
        largest = _largest(law, tree, code, MINUS_ONE)
        place = _largest(law, tree, code, below(rng, largest) if largest > 1 else ZERO)
    return kind, site, place, code


def _make_hvl_tries_all(accepts: Any) -> Any:
    tries_others = _make_tries_others(accepts)

    @helper
    def tries_all(law, at, wide, log, room, leaves, fitness):
        """A deletion of a leaf changes nothing."""
        if law.same <= 0 and (law.delete > 0 or law.substitute > 0):
            return True
        if tries_others(law, at, wide, log, room, leaves, fitness):
            return True
        tree, delete = parent_of(at, wide), int64(DELETE)
        for site in range(leaves, leaves + tree.register[JOINS] if law.delete > 0 else leaves):
            join = position_of(tree, leaves, site)
            for number in range(_largest(law, tree, join, MINUS_ONE)):
                place = _largest(law, tree, join, int64(number))
                if accepts(law, at, wide, log, room, leaves, fitness, delete, site, place, join):
                    return True
        return False

    return tries_all


HVL = Operator(_draw_hvl, _make_hvl_tries_all)


# ---- HVL-Prime, see `gpruntime.model.arity` and, where all functions have two arguments, `gpruntime.model.mutation`


@helper
def _what_goes(law, tree, leaves, site):
    """Where the join is that goes when a node is deleted, −1 for the only leaf, and the place of what goes with it."""
    join, place = position_of(tree, leaves, site), MINUS_ONE
    if site < leaves:
        size = leaves + tree.register[JOINS]
        join, place = join_above(law, tree, size, join)
        while join >= 0 and arity_at(law, tree, join) == 1:
            join, place = join_above(law, tree, size, join)
    return join, place


@helper
def _draw_prime(law, tree, fresh, rng, leaves):
    bits = word(rng) >> _U11
    kind = int64(bits >= law.first) + int64(bits >= law.second)
    site, place, code = MINUS_ONE, MINUS_ONE, MINUS_ONE
    if leaves == 0:
        if kind == INSERT:
            fresh[0] = below(rng, law.codes) << law.double
    elif kind == INSERT and law.binary:
        site = below(rng, 2 * (leaves + tree.register[JOINS]))  # and a side
        code, place = _draw_insertion(law, fresh, rng, 1 - (site & 1))
        site >>= 1
    elif kind == INSERT:
        site = below(rng, leaves + tree.register[JOINS])
        code, place = _draw_insertion(law, fresh, rng, MINUS_ONE)
    elif kind == DELETE:
        site = below(rng, leaves if law.binary else leaves + _unary(law, tree, MINUS_ONE))
        if site >= leaves:
            site = leaves + _unary(law, tree, site - leaves)
        code, goes = _what_goes(law, tree, leaves, site)
        if code >= 0:
            others = arity_at(law, tree, code) - 1
            place = below(rng, others) if others > 1 else ZERO
            place += 0 <= goes <= place
    else:
        site = below(rng, leaves + tree.register[JOINS] if law.nodes else leaves)
        if site < leaves:
            code = below(rng, law.codes) << law.double
        elif law.functions > 1 or not law.binary:
            code = _draw_alike(law, rng, function_of(tree, leaves, site))
    return kind, site, place, code


@helper
def _unary(law, tree, number):
    """The place in the register of the join of one argument with this number; how many there are for −1."""
    found = ZERO
    for slot in range(tree.register[JOINS]):
        if arity_at(law, tree, tree.register[2 * slot + JOIN]) == 1:
            if found == number:
                return int64(slot)
            found += 1
    return found


def _make_prime_tries_all(accepts: Any) -> Any:
    tries_others = _make_tries_others(accepts)

    @helper
    def tries_all(law, at, wide, log, room, leaves, fitness):
        if vainly_accepted(law, leaves):
            return True
        tree, insert, delete = parent_of(at, wide), int64(INSERT), int64(DELETE)
        if leaves == 0:
            for terminal in range(law.codes if law.insert > 0 else 0):
                wide[at.fresh] = terminal << law.double
                if accepts(law, at, wide, log, room, leaves, fitness, insert, MINUS_ONE, MINUS_ONE, MINUS_ONE):
                    return True
            return False
        if tries_others(law, at, wide, log, room, leaves, fitness):
            return True
        for site in range(leaves + tree.register[JOINS] if law.delete > 0 else ZERO):
            if site >= leaves and arity_at(law, tree, position_of(tree, leaves, site)) > 1:
                continue
            join, goes = _what_goes(law, tree, leaves, site)
            for place in range(1 if join < 0 else arity_at(law, tree, join)):
                stays = int64(place) if join >= 0 else MINUS_ONE
                if (stays != goes or join < 0) and accepts(
                    law, at, wide, log, room, leaves, fitness, delete, site, stays, join
                ):
                    return True
        return False

    return tries_all


HVL_PRIME = Operator(_draw_prime, _make_prime_tries_all)
