"""Who has an offspring and who stays, for each family of algorithms: `gpruntime.model.populations` says why.

What a family needs to know stands in the book (`pool`). None of this depends on the problem.
"""

from __future__ import annotations

from numpy import int64

from gpruntime.engine.kernel import MINUS_ONE, ZERO, helper, inlined
from gpruntime.engine.pool import COUNT, ON_FRONT, WORST_LEAVES, WORST_SCORE
from gpruntime.engine.random import below
from gpruntime.model.populations import FAMILIES

SMO, LAMBDA, MU, CONCATENATION = (
    FAMILIES[name].number for name in ("smo", "one-plus-lambda", "mu-plus-one", "concatenation")
)


@inlined
def chosen(at, wide, rng):
    """The place of a uniform member; the only one is not drawn."""
    count = wide[at.hold + COUNT]
    return below(rng, count) if count > 1 else ZERO


@inlined
def prefers_smaller(law):
    """Whether of two equally fit trees the smaller is preferred, see `gpruntime.model.acceptance`."""
    return law.shrink <= 0 < law.grow


@inlined
def add_member(at, wide):
    """A free slot becomes the last member; returns it."""
    wide[at.hold + COUNT] += 1
    return wide[at.members + wide[at.hold + COUNT] - 1]


@inlined
def is_on_front(at, wide, slot):
    """1 if the tree in this slot is on the front, else 0."""
    leaves = wide[at.leaves + slot]
    return int64(leaves <= at.front_end and wide[at.front + min(leaves, int64(at.front_end))] == wide[at.score + slot])


# ---- SMO-GP


@helper
def undominated(at, wide, parent, leaves, score):
    """The first place from which on members have at least so many leaves, or −1 if some member dominates such a tree.

    Members are in the order of size, and their scores grow with it: only the next smaller one can dominate, and one of
    the same size. An offspring is about as large as its parent, whose place is given.
    """
    place, count = parent, wide[at.hold + COUNT]
    while place > 0 and wide[at.leaves + wide[at.members + place - 1]] >= leaves:
        place -= 1
    while place < count and wide[at.leaves + wide[at.members + place]] < leaves:
        place += 1
    if place > 0 and wide[at.score + wide[at.members + place - 1]] >= score:
        return MINUS_ONE
    if place < count:
        slot = wide[at.members + place]
        if wide[at.leaves + slot] == leaves and wide[at.score + slot] > score:
            return MINUS_ONE
    return place


@helper
def make_way(at, wide, parent, place, score):
    """Removes the members that a tree of this score weakly dominates, which begin at its place, and puts a slot there.

    Returns the slot: the parent's, if that is removed, so that nothing need be copied.
    """
    count, end = wide[at.hold + COUNT], place
    while end < count and wide[at.score + wide[at.members + end]] <= score:
        wide[at.hold + ON_FRONT] -= is_on_front(at, wide, wide[at.members + end])
        end += 1
    if end == place:
        slot = wide[at.members + count]
        for i in range(count, place, -1):
            wide[at.members + i] = wide[at.members + i - 1]
        wide[at.members + place] = slot
        wide[at.hold + COUNT] = count + 1
        return slot
    if place <= parent < end:
        other = wide[at.members + place]
        wide[at.members + place], wide[at.members + parent] = wide[at.members + parent], other
    for _ in range(end - place - 1):
        slot = wide[at.members + place + 1]
        count -= 1
        for i in range(place + 1, count):
            wide[at.members + i] = wide[at.members + i + 1]
        wide[at.members + count] = slot
    wide[at.hold + COUNT] = count
    return wide[at.members + place]


# ---- (μ+1)


@helper
def find_worst(law, at, wide):
    """Enters the worst score, and under parsimony the most leaves of those with it."""
    hold, smaller = at.hold, prefers_smaller(law)
    for place in range(wide[hold + COUNT]):
        slot = wide[at.members + place]
        leaves = wide[at.leaves + slot] if smaller else ZERO
        score = wide[at.score + slot]
        worse = score < wide[hold + WORST_SCORE]
        if place == 0 or worse or (score == wide[hold + WORST_SCORE] and leaves > wide[hold + WORST_LEAVES]):
            wide[hold + WORST_SCORE], wide[hold + WORST_LEAVES] = score, leaves


@helper
def place_to_take(law, at, wide, rng, leaves, score):
    """The place of the member that goes for a tree of so many leaves and this score; −1 if that goes itself."""
    hold = at.hold
    size = leaves if prefers_smaller(law) else ZERO
    equal = score == wide[hold + WORST_SCORE]
    if score < wide[hold + WORST_SCORE] or (equal and size > wide[hold + WORST_LEAVES]) or leaves > law.limit:
        return MINUS_ONE
    tied = equal and size == wide[hold + WORST_LEAVES]
    if tied and law.same > 0:
        return MINUS_ONE
    lot = ZERO + tied
    for place in range(wide[hold + COUNT]):
        lot += _is_worst(law, at, wide, place)
    drawn = below(rng, lot) if lot > 1 else ZERO
    for place in range(wide[hold + COUNT]):
        if _is_worst(law, at, wide, place):
            if drawn == 0:
                return int64(place)
            drawn -= 1
    return MINUS_ONE


@helper
def are_alike(law, at, wide):
    """Whether all members are equally bad."""
    for place in range(wide[at.hold + COUNT]):
        if not _is_worst(law, at, wide, place):
            return False
    return True


@inlined
def _is_worst(law, at, wide, place):
    slot = wide[at.members + place]
    size = wide[at.leaves + slot] if prefers_smaller(law) else ZERO
    return wide[at.score + slot] == wide[at.hold + WORST_SCORE] and size == wide[at.hold + WORST_LEAVES]
