"""MAJORITY for the kernels. The counts c(x_i), c(x̄_i) alone decide, so a tree is its register of terminals.

A deletion moves the last entry of the register into the hole, as in the model. Where an insertion puts its leaf makes
no difference: the site and the side are drawn, since the stream has them, and not used.

Code 2n belongs to nobody, and has so large a count that one more or less makes no difference. With it every operation
takes a leaf out and brings one in.

For strict acceptance the variables are counted by class, from which `is_stuck` follows (the proofs are in
`gpruntime.model.stuck`); d is the deficit of a variable that is not expressed:

    0 absent    1, 2: d = 1 without, with an x_i    3, 4: d = 2    5, 6: d ≥ 3    7 expressed
"""

from __future__ import annotations

from typing import NamedTuple

from numpy import int64

from gpruntime.engine.initial import initial_terminals
from gpruntime.engine.kernel import MINUS_ONE, ONE, ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT, NO_LIMIT, can_delete, weakly_stuck
from gpruntime.engine.memory import prefetch
from gpruntime.engine.problem import Stepping
from gpruntime.engine.state import CELL, Sizes, State
from gpruntime.engine.trace import LOG_KIND, LOG_NEW, LOG_OLD, LOG_SITE

ABSENT, EXPRESSED = 0, 7
PLENTY = 2**30  # leaves of nobody


class MajorityFields(NamedTuple):
    """A tree.

    Attributes:
        counts: how many leaves have each code, nobody's included: 2(i − 1) for x_i, 2(i − 1) + 1 for x̄_i, 2n. It is
            the first field, so that a code is a place in `cells`.
        classes: how many variables are in each class; kept up for strict acceptance only.
        register: the terminals as codes. Its entry 0 is nobody's, the leaves begin behind it.
    """

    counts: int
    classes: int
    register: int


class MajorityState(State):
    """A tree of MAJORITY."""

    fields = MajorityFields

    def sizes(self) -> Sizes:
        """See `State`."""
        return {"counts": (CELL, 2 * self.law.n + 2), "classes": (CELL, 8), "register": (CELL, self.room + 2)}


@inlined
def is_expressed(plain, bar):
    """c(x_i) ≥ c(x̄_i) and c(x_i) ≥ 1."""
    return plain >= bar and plain >= 1


@inlined
def class_of(plain, bar):
    """The class of a variable with these counts."""
    if bar <= plain:
        return EXPRESSED if plain > 0 else ABSENT
    return 2 * (bar - plain if bar - plain < 3 else 3) - 1 + (plain > 0)


@inlined
def gain_of(cells, code, by):
    """What `by` more leaves with this terminal would add to the fitness."""
    plain, bar = int64(cells[code & ~1]), int64(cells[code | 1])
    before = is_expressed(plain, bar)
    if code & 1:
        bar += by
    else:
        plain += by
    return int64(is_expressed(plain, bar)) - int64(before)


@inlined
def change(law, at, cells, code, by):
    """Adds `by` leaves with this terminal; returns what that adds to the fitness."""
    plain, bar = int64(cells[code & ~1]), int64(cells[code | 1])
    before = class_of(plain, bar)
    if code & 1:
        bar += by
    else:
        plain += by
    cells[code] += by
    after = class_of(plain, bar)
    if law.strict:
        cells[at.classes + before] -= 1
        cells[at.classes + after] += 1
    return int64(after == EXPRESSED) - int64(before == EXPRESSED)


@helper
def count_terminals(law, at, cells, begin, leaves):
    """Counts the leaves, which begin at this place of `cells`, and the variables; returns the fitness."""
    for code in range(2 * law.n + 2):
        cells[code] = 0
    cells[2 * law.n] = PLENTY
    for place in range(8):
        cells[at.classes + place] = 0
    for i in range(leaves):
        cells[cells[begin + i]] += 1
    for i in range(law.n):
        cells[at.classes + class_of(int64(cells[2 * i]), int64(cells[2 * i + 1]))] += 1
    return int64(cells[at.classes + EXPRESSED])


@helper
def _start(law, at, cells, wide, tiny, drawing, rng):
    leaves = initial_terminals(law, drawing, rng, cells, at.register + 1)
    cells[at.register] = 2 * law.n
    return leaves, count_terminals(law, at, cells, at.register + 1, leaves)


@inlined
def _unexpressed(plain, bar):
    """−1 for a variable with these counts that is not expressed, 0 for one that is: the sign, without a branch."""
    return ((plain - 1) | (plain - bar)) >> 63


@inlined
def _foresee(at, cells, leaves, site, code):
    prefetch(cells, code)  # the leaf's own place as well: slower where all is in the cache


@inlined
def _attempt(law, at, cells, wide, leaves, kind, site, side, code, least):
    """The processor cannot guess kinds and signs, so there is no branch on them: they choose what to read and where.

    If the leaf that goes and the one that comes are of one variable, the second finds the counts the first has left.
    """
    first = at.register + 1
    old = int64(cells[first - 1 if kind == INSERT else first + site])
    new = 2 * law.n if kind == DELETE else code
    plain, bar = int64(cells[old & ~1]), int64(cells[old | 1])
    plain_then, bar_then = plain - (~old & 1), bar - (old & 1)
    plain_new, bar_new = int64(cells[new & ~1]), int64(cells[new | 1])
    if old >> 1 == new >> 1:
        plain_new, bar_new = plain_then, bar_then
    gain = _unexpressed(plain_then, bar_then) - _unexpressed(plain, bar)
    gain += _unexpressed(plain_new + (~new & 1), bar_new + (new & 1)) - _unexpressed(plain_new, bar_new)
    if gain >= least:
        cells[first + leaves] = code  # free, and a place to choose from
        cells[first + (leaves if kind == INSERT else site)] = cells[first + leaves - (kind == DELETE)]
        if law.strict:
            if kind != INSERT:
                change(law, at, cells, old, MINUS_ONE)
            if kind != DELETE:
                change(law, at, cells, new, ONE)
        else:
            cells[old] -= 1
            cells[new] += 1
    return gain


@inlined
def _make(law, at, cells, wide, leaves, kind, site, side, code):
    place, gain = at.register + 1 + site, ZERO
    if kind == INSERT:
        cells[at.register + 1 + leaves] = code
    elif (kind == DELETE and can_delete(law, leaves)) or code >= 0:
        gain = change(law, at, cells, int64(cells[place]), MINUS_ONE)
        cells[place] = cells[at.register + leaves] if kind == DELETE else code
    return gain + change(law, at, cells, code, ONE) if code >= 0 else gain


@inlined
def _note(law, at, cells, wide, leaves, kind, site, code, entry):
    goes = kind == DELETE and can_delete(law, leaves)
    entry[LOG_KIND], entry[LOG_SITE], entry[LOG_NEW], entry[LOG_OLD] = kind, site, code, -1
    if goes or (kind != INSERT and code >= 0):
        entry[LOG_OLD] = cells[at.register + 1 + site]


@inlined
def _undo(law, at, cells, wide, leaves, entry):
    place, new, old = at.register + 1 + entry[LOG_SITE], entry[LOG_NEW], entry[LOG_OLD]
    if new >= 0:
        change(law, at, cells, new, MINUS_ONE)
        leaves -= 1
    if old >= 0:
        change(law, at, cells, old, ONE)
        if new < 0:
            cells[at.register + 1 + leaves] = cells[place]
        cells[place] = old
        leaves += 1
    return leaves


@helper
def majority_stuck(law, at, cells, wide, leaves, fitness):
    """The criteria of `gpruntime.model.stuck`, by classes."""
    if not law.strict:
        return weakly_stuck(law, leaves, fitness)
    substitute, insert, delete = law.substitute > 0, law.insert > 0, law.delete > 0
    room, classes = law.limit - leaves, at.classes
    if law.most > 1:
        if substitute:
            return leaves == fitness and not insert
        if insert and (delete or law.limit == NO_LIMIT):
            return False
        if not insert:
            return cells[classes + 2] + cells[classes + 4] + cells[classes + 6] == 0
        for i in range(law.n):  # only insertions, and little room: rare enough for a look at all variables
            plain, bar = int64(cells[2 * i]), int64(cells[2 * i + 1])
            if not is_expressed(plain, bar) and (bar - plain if bar > plain else 1) <= room:
                return False
        return True
    insert = insert and room > 0
    if substitute and cells[classes + 3] + cells[classes + 4] > 0:
        return False
    if (substitute or insert) and cells[classes + 1] + cells[classes + 2] > 0:
        return False
    if delete and cells[classes + 2] > 0:
        return False
    return not (cells[classes + ABSENT] > 0 and (insert or (substitute and leaves > fitness)))


STEPPING = Stepping(_start, majority_stuck, _make, _note, _undo, _attempt, _foresee)
