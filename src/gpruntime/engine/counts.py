"""Problems that see counts: a tree is its register of terminals, and the fitness a sum of one term for each variable.

An operation takes a leaf out or brings one in, or both: two terms change at most. Where a user's function is called,
the value of each term is kept, so that an operation is two calls; where it is put into the loop, none is. As the
processor cannot foresee kinds, single operations have no branch on them: where nothing goes, or nothing comes, the term
of some variable is worked out that stays as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy import int64

from gpruntime.engine.initial import initial_terminals
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper, inlined, pasted
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, can_delete, vainly_accepted
from gpruntime.engine.own import value_by_counts
from gpruntime.engine.problem import Stepping
from gpruntime.engine.state import CELL, WIDE, Sizes, State
from gpruntime.engine.trace import LOG_KIND, LOG_NEW, LOG_OLD, LOG_SITE

_NONE = int64(-NO_LIMIT)  # less than any gain


class CountsFields(NamedTuple):
    """A tree.

    Attributes:
        counts: how many leaves have each code. It is the first field, so that a code is a place in `cells`.
        terms: what each variable adds to the fitness, where that is kept.
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


@pasted
def _note(law, at, cells, wide, leaves, kind, site, code, entry):
    goes = kind == DELETE and can_delete(law, leaves)
    entry[LOG_KIND], entry[LOG_SITE], entry[LOG_NEW], entry[LOG_OLD] = kind, site, code, -1
    if goes or (kind != INSERT and code >= 0):
        entry[LOG_OLD] = cells[at.register + site]


def make_counts(value: Any, is_stuck: Any, kept: bool) -> Stepping:
    """What the loops need, from `value(law, i, plain, bar)`, what a variable adds; `kept` if that is costly.

    Without `is_stuck` a run is seen to be stuck by the best that can go and come.
    """
    if kept:

        @inlined
        def worth(law, at, wide, variable, plain, bar):
            """What a variable with these counts adds now."""
            return wide[at.terms + variable]

        @inlined
        def keep(at, wide, variable, worth):
            wide[at.terms + variable] = worth

    else:

        @inlined
        def worth(law, at, wide, variable, plain, bar):
            return value(law, variable + 1, plain, bar)

        @inlined
        def keep(at, wide, variable, worth):
            pass

    @pasted
    def start(law, at, cells, wide, tiny, drawing, rng):
        leaves, fitness = initial_terminals(law, drawing, rng, cells, at.register), ZERO
        for code in range(2 * law.n):
            cells[code] = 0
        for i in range(leaves):
            cells[cells[at.register + i]] += 1
        for i in range(law.n):
            term = value(law, i + 1, int64(cells[2 * i]), int64(cells[2 * i + 1]))
            keep(at, wide, i, term)
            fitness += term
        return leaves, fitness

    @inlined
    def look(law, at, cells, wide, old, new, goes, comes):
        """What variables would be worth if `old` went and `new` came: (gain, term of old's, term of new's)."""
        plain, bar = int64(cells[old & ~1]), int64(cells[old | 1])
        gain = -worth(law, at, wide, old >> 1, plain, bar)
        plain, bar = plain - (goes & ~old), bar - (goes & old)
        then = value(law, (old >> 1) + 1, plain, bar)
        plain_new, bar_new = int64(cells[new & ~1]), int64(cells[new | 1])
        if old >> 1 == new >> 1:
            plain_new, bar_new = plain, bar
        before = worth(law, at, wide, new >> 1, plain_new, bar_new)
        if kept and old >> 1 == new >> 1:
            before = then
        now = value(law, (new >> 1) + 1, plain_new + (comes & ~new), bar_new + (comes & new))
        return gain + then + now - before, then, now

    @pasted
    def attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
        goes, comes = int64(kind != INSERT), int64(kind != DELETE)
        old = int64(cells[at.register + (site if kind != INSERT else ZERO)])
        new = code if kind != DELETE else ZERO
        gain, then, now = look(law, at, cells, wide, old, new, goes, comes)
        if gain >= least:
            cells[at.register + leaves] = new  # free, and a place to choose from
            place = at.register + (leaves if kind == INSERT else site)
            cells[place] = cells[at.register + leaves - (kind == DELETE)]
            cells[old] -= goes
            cells[new] += comes
            keep(at, wide, old >> 1, then)
            keep(at, wide, new >> 1, now)  # last: it is the one that counts if the variable is the same
        return gain

    @inlined
    def change(law, at, cells, wide, code, by):
        """Adds `by` leaves with this terminal; returns what that adds to the fitness."""
        variable = code >> 1
        before = worth(law, at, wide, variable, int64(cells[code & ~1]), int64(cells[code | 1]))
        cells[code] += by
        after = value(law, variable + 1, int64(cells[code & ~1]), int64(cells[code | 1]))
        keep(at, wide, variable, after)
        return after - before

    @inlined
    def make(law, at, cells, wide, leaves, kind, site, side, code):
        place, gain = at.register + site, ZERO
        if kind == INSERT:
            cells[at.register + leaves] = code
        elif (kind == DELETE and can_delete(law, leaves)) or code >= 0:
            gain = change(law, at, cells, wide, int64(cells[place]), MINUS_ONE)
            cells[place] = cells[at.register + leaves - 1] if kind == DELETE else code
        return gain + change(law, at, cells, wide, code, ONE) if code >= 0 else gain

    @inlined
    def undo(law, at, cells, wide, leaves, entry):
        place, new, old = at.register + entry[LOG_SITE], entry[LOG_NEW], entry[LOG_OLD]
        if new >= 0:
            change(law, at, cells, wide, new, MINUS_ONE)
            leaves -= 1
        if old >= 0:
            change(law, at, cells, wide, old, ONE)
            if new < 0:
                cells[at.register + leaves] = cells[place]
            cells[place] = old
            leaves += 1
        return leaves

    @helper
    def finds_none(law, at, cells, wide, leaves, fitness):
        """By the best that can go and the best that can come, of two variables and of one."""
        if vainly_accepted(law, leaves):
            return False
        out, out_next, where_out = _NONE, _NONE, MINUS_ONE  # best gain of a leaf that goes, and of another variable's
        into, into_next, where_into = _NONE, _NONE, MINUS_ONE
        swap = _NONE  # of one variable
        for i in range(law.n):
            loss, profit = _NONE, _NONE
            for sign in range(2 - law.double):
                code = 2 * i + sign
                profit = max(profit, look(law, at, cells, wide, code, code, ZERO, ONE)[0])
                if cells[code] > 0:
                    loss = max(loss, look(law, at, cells, wide, code, code, ONE, ZERO)[0])
                    for other in range(2 - law.double):
                        swap = max(swap, look(law, at, cells, wide, code, 2 * i + other, ONE, ONE)[0])
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
    def foresee(at, cells, leaves, site, code):
        pass

    return Stepping(start, is_stuck or finds_none, make, _note, undo, attempt, foresee)


BY_COUNTS = make_counts(value_by_counts, None, kept=True)
