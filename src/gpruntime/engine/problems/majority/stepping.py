"""MAJORITY for the kernels: the loop of `counts` with its term put in, and when a run is stuck.

That follows from how many variables are in each class (the proofs are in `gpruntime.model.stuck`); d is the deficit of
a variable that is not expressed:

    0 absent    1, 2: d = 1 without, with an x_i    3, 4: d = 2    5, 6: d ≥ 3    7 expressed
"""

from __future__ import annotations

from typing import NamedTuple

from numpy import int64

from gpruntime.engine.counts import make_counts
from gpruntime.engine.kernel import helper, inlined, pasted
from gpruntime.engine.law import NO_LIMIT, weakly_stuck
from gpruntime.engine.state import CELL, Sizes, State

ABSENT, EXPRESSED = 0, 7


class MajorityFields(NamedTuple):
    """A tree: the counts and the register as in `counts`, and

    Attributes:
        classes: room to count the variables in each class.
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
def _term(law, i, plain, bar):
    """1 if such a variable is expressed, else 0: by the sign, without a branch."""
    return 1 + (((plain - 1) | (plain - bar)) >> 63)


@inlined
def class_of(plain, bar):
    """The class of a variable with these counts."""
    if bar <= plain:
        return EXPRESSED if plain > 0 else ABSENT
    return 2 * (bar - plain if bar - plain < 3 else 3) - 1 + (plain > 0)


@pasted
def count_classes(law, at, cells):
    """Counts the variables in each class."""
    for place in range(8):
        cells[at.classes + place] = 0
    for i in range(law.n):
        cells[at.classes + class_of(int64(cells[2 * i]), int64(cells[2 * i + 1]))] += 1


@pasted
def is_stuck_by_classes(law, at, cells, wide, leaves, fitness):
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


@helper
def _is_stuck(law, at, cells, wide, leaves, fitness):
    """Asked after an improvement, or where it is answered at once: so there is time to look at all variables."""
    if law.strict:
        count_classes(law, at, cells)
    return is_stuck_by_classes(law, at, cells, wide, leaves, fitness)


STEPPING = make_counts(_term, _is_stuck, kept=False)
