"""Problems that see counts: a tree is its register of terminals, and the fitness a sum of one term for each variable.

An operation takes a leaf out or brings one in, or both: two terms change at most. The value of each term is kept, so an
operation is two calls of the problem's function. As the processor cannot foresee kinds, there is no branch on them:
where nothing goes, or nothing comes, the term of some variable is worked out that stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy import int64

from gpruntime.engine.initial import initial_terminals
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, can_delete, vainly_accepted
from gpruntime.engine.own import value_by_counts
from gpruntime.engine.problem import Stepping
from gpruntime.engine.state import CELL, WIDE, Sizes, State
from gpruntime.engine.trace import LOG_KIND, LOG_NEW, LOG_OLD, LOG_SITE

_NONE = int64(-(2**62))  # less than any gain


class CountsFields(NamedTuple):
    """A tree.

    Attributes:
        counts: how many leaves have each code. It is the first field, so that a code is a place in `cells`.
        terms: what each variable adds to the fitness.
        register: the terminals as codes.
    """

    counts: int
    terms: int
    register: int


class CountsState(State):
    """A tree of which only the counts matter."""

    fields = CountsFields

    def sizes(self) -> Sizes:
        """See `State`."""
        n = self.law.n
        return {"counts": (CELL, 2 * n + 2), "terms": (WIDE, n + 1), "register": (CELL, self.room + 2)}


@inlined
def _look(law, at, cells, wide, old, new, goes, comes):
    """What variables would be worth if `old` went and `new` came: (gain, term of old's, term of new's)."""
    plain, bar = int64(cells[old & ~1]) - (goes & ~old), int64(cells[old | 1]) - (goes & old)
    then = value_by_counts(law, (old >> 1) + 1, plain, bar)
    gain = then - wide[at.terms + (old >> 1)]
    before = wide[at.terms + (new >> 1)]
    plain_new, bar_new = int64(cells[new & ~1]), int64(cells[new | 1])
    if old >> 1 == new >> 1:
        plain_new, bar_new, before = plain, bar, then
    now = value_by_counts(law, (new >> 1) + 1, plain_new + (comes & ~new), bar_new + (comes & new))
    return gain + now - before, then, now


@inlined
def _enter(at, cells, wide, old, new, goes, comes, then, now):
    """Makes it so. The term of new's is written last: it is the one that counts if the variable is the same."""
    cells[old] -= goes
    cells[new] += comes
    wide[at.terms + (old >> 1)] = then
    wide[at.terms + (new >> 1)] = now


@helper
def _start(law, at, cells, wide, tiny, drawing, rng):
    leaves = initial_terminals(law, drawing, rng, cells, at.register)
    for code in range(2 * law.n):
        cells[code] = 0
    for i in range(leaves):
        cells[cells[at.register + i]] += 1
    fitness = ZERO
    for i in range(law.n):
        wide[at.terms + i] = value_by_counts(law, i + 1, int64(cells[2 * i]), int64(cells[2 * i + 1]))
        fitness += wide[at.terms + i]
    return leaves, fitness


@inlined
def _attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
    goes, comes = int64(kind != INSERT), int64(kind != DELETE)
    old = int64(cells[at.register + site]) if kind != INSERT else ZERO
    new = code if kind != DELETE else ZERO
    gain, then, now = _look(law, at, cells, wide, old, new, goes, comes)
    if gain >= least:
        cells[at.register + leaves] = new  # free, and a place to choose from
        place = at.register + (leaves if kind == INSERT else site)
        cells[place] = cells[at.register + leaves - (kind == DELETE)]
        _enter(at, cells, wide, old, new, goes, comes, then, now)
    return gain


@helper
def _make(law, at, cells, wide, leaves, kind, site, side, code):
    takes = (kind == DELETE and can_delete(law, leaves)) or (kind != DELETE and code >= 0)
    return _attempt(law, at, cells, wide, leaves, kind, site, side, code, _NONE) if takes else ZERO


@inlined
def _note(law, at, cells, wide, leaves, kind, site, code, entry):
    goes = kind == DELETE and can_delete(law, leaves)
    entry[LOG_KIND], entry[LOG_SITE], entry[LOG_NEW], entry[LOG_OLD] = kind, site, code, -1
    if goes or (kind != INSERT and code >= 0):
        entry[LOG_OLD] = cells[at.register + site]


@helper
def _undo(law, at, cells, wide, leaves, entry):
    place, new, old = at.register + entry[LOG_SITE], entry[LOG_NEW], entry[LOG_OLD]
    goes, comes = int64(new >= 0), int64(old >= 0)
    if goes + comes == 0:
        return leaves
    out, back = max(new, ZERO), max(old, ZERO)
    _, then, now = _look(law, at, cells, wide, out, back, goes, comes)
    _enter(at, cells, wide, out, back, goes, comes, then, now)
    if comes == 1:
        if goes == 0:
            cells[at.register + leaves] = cells[place]
        cells[place] = old
    return leaves - goes + comes


@helper
def _is_stuck(law, at, cells, wide, leaves, fitness):
    """By the best that can go and the best that can come, of two variables and of one."""
    if vainly_accepted(law, leaves):
        return False
    out, out_next, where_out = _NONE, _NONE, int64(-1)  # best gain of a leaf that goes, and of another variable's
    into, into_next, where_into = _NONE, _NONE, int64(-1)
    swap = _NONE  # of one variable
    for i in range(law.n):
        loss, profit = _NONE, _NONE
        for sign in range(2 - law.double):
            code = 2 * i + sign
            profit = max(profit, _look(law, at, cells, wide, code, code, ZERO, int64(1))[0])
            if cells[code] > 0:
                loss = max(loss, _look(law, at, cells, wide, code, code, int64(1), ZERO)[0])
                for other in range(2 - law.double):
                    swap = max(swap, _look(law, at, cells, wide, code, 2 * i + other, int64(1), int64(1))[0])
        if loss > out:
            out, out_next, where_out = loss, out, i
        elif loss > out_next:
            out_next = loss
        if profit > into:
            into, into_next, where_into = profit, into, i
        elif profit > into_next:
            into_next = profit
    if law.insert > 0 and leaves < law.limit and into >= law.grow:
        return False
    if law.delete > 0 and can_delete(law, leaves) and out >= law.shrink:
        return False
    if law.substitute > 0 and leaves > 0:
        apart = out + into if where_out != where_into else max(out_next + into, out + into_next)
        return max(swap, apart) < law.same
    return True


@inlined
def _foresee(at, cells, leaves, site, code):
    pass


BY_COUNTS = Stepping(_start, _is_stuck, _make, _note, _undo, _attempt, _foresee)
