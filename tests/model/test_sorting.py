"""SORTING, held against its definitions, written again in the plainest way; its traps, by trying all lists."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpruntime import RunSpec
from gpruntime.exact import solve
from gpruntime.model.problems.sorting import MEASURES


def kept(leaves):
    return list(dict.fromkeys(leaves))


def by_definition(measure, leaves, n):
    """The five measures of r, as they are defined, INV doubled."""
    r = kept(leaves)
    pairs = list(itertools.combinations(r, 2))
    if measure == "inv":
        return 1 if len(r) == 1 else 2 * sum(a < b for a, b in pairs)
    if measure == "ham":
        return sum(place == element for place, element in enumerate(r))
    if measure == "las":
        chosen = (c for size in range(len(r) + 1) for c in itertools.combinations(r, size) if list(c) == sorted(c))
        return max(len(c) for c in chosen)
    if not r:
        return n + 1
    if measure == "run":
        return 1 + sum(a > b for a, b in itertools.pairwise(r)) + n - len(r)
    swaps, ranks = 0, [sorted(r).index(element) for element in r]
    for place in range(len(ranks)):  # the least number of exchanges that sort it
        while ranks[place] != place:
            other = ranks[place]
            ranks[place], ranks[other] = ranks[other], ranks[place]
            swaps += 1
    return swaps + (n - len(r) + 1 if len(r) < n else 0)


@given(st.lists(st.integers(0, 5), max_size=12), st.sampled_from(sorted(MEASURES)))
def test_sortedness_by_definition(leaves, measure):
    assert MEASURES[measure].function(leaves, 6) == by_definition(measure, leaves, 6)


def lost(measure, n, smaller_only=False):
    """Lists without repetition from which no accepted single operations lead to the optimum, under parsimony.

    Elements that occur again can be deleted, and then are. Every gap can be inserted at, whatever the tree's shape.
    """
    better = 1 if MEASURES[measure].better == "larger" else -1
    lists = [r for size in range(1, n + 1) for r in itertools.permutations(range(n), size)]
    score = {r: better * by_definition(measure, r, n) for r in lists}
    reached = {r for r in lists if r == tuple(range(n))}
    before = {}
    for r in lists:
        for offspring in one_operation(r, n):
            gain, growth = score.get(tuple(kept(offspring)), -math.inf) - score[r], len(offspring) - len(r)
            if gain > 0 or (gain == 0 and (growth < 0 or (growth == 0 and not smaller_only))):
                before.setdefault(tuple(kept(offspring)), []).append(r)
    waiting = list(reached)
    while waiting:
        for r in before.get(waiting.pop(), ()):
            if r not in reached:
                reached.add(r)
                waiting.append(r)
    return sorted(set(lists) - reached)


def one_operation(r, n):
    for place, element in itertools.product(range(len(r) + 1), range(n)):
        yield (*r[:place], element, *r[place:])
        if place < len(r):
            yield (*r[:place], element, *r[place + 1 :])
    if len(r) > 1:
        yield from (r[:place] + r[place + 1 :] for place in range(len(r)))


def test_the_traps_of_sorting_under_parsimony():
    """The smallest n with a trap: EXC 3, RUN 4, HAM 5; INV and LAS have none for n ≤ 5."""
    for measure, first in (("exc", 3), ("run", 4), ("ham", 5), ("inv", None), ("las", None)):
        for n in range(2, 6):
            assert bool(lost(measure, n)) == (first is not None and n >= first), (measure, n)
    assert (2, 1, 0) in lost("exc", 3)
    assert (2, 1, 0, 3, 4) in lost("ham", 5)
    assert lost("ham", 4, smaller_only=True)


def test_a_trap_of_sorting_is_endless_in_the_exact_chain():
    spec = RunSpec(
        problem="sorting:measure=exc", algorithm="gp-single", n=3, accept="parsimony", init="(x3 (x2 x1))", budget=9
    )
    assert solve(spec).endless == 1
    assert solve(RunSpec(problem="sorting:measure=las", algorithm="gp-single", n=3, accept="parsimony",
                         init="(x3 (x2 x1))", budget=9)).optimum == pytest.approx(1)  # fmt: skip
