"""Addresses of a user's parts: runs that were made are found by them, so they stay what they were."""

import pytest

from gpruntime.verification.kinds import named

FILE = '''
import math
from math import comb

import numpy as np

from gpruntime import Operation, Search, acceptance, operator, problem
from gpruntime import bound as known

LEAST = 2
SHARE = 0.5
NAMES = ("a", "b", "c")
WEIGHTS = np.array([3, 1, 2])
PAIRS = [(1, 2.0), (3, 4.0)]
ONE = np.int64(1)


def enough(plain, bar, least=LEAST):
    return plain >= bar + least


class Scale:
    factor = LEAST

    def of(self, value):
        return [value * self.factor for _ in range(1)][0]


@problem(sees="counts", best=lambda n: n)  # a sum over variables of a function of the counts
def two_thirds(i, plain, bar, n):
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)


@problem(sees="first", best=lambda n: n * (n + 1) // 2)
def weighted_order(i, sign, n):  # 1: x_i comes first, 0: x\u0304_i, \u22121: absent
    return i if sign == 1 else 0


@problem(sees="leaves", terminals="plain", best=lambda n: n * (n - 1) // 2)
def inversions(leaves, n):
    seen = np.zeros(n, np.bool_)
    pairs = 0
    for leaf in leaves:
        pairs += not seen[leaf]
        seen[leaf] = True
    return pairs


@problem(sees="program", functions={"and": 2, "or": 2}, best=lambda n: 0, better="smaller")
def wrong_rows(program, n):
    return len(program) - len(program)


@problem(
    sees="counts", best=lambda n: n, parameters={"c": LEAST},
    bounds=[known("n", lambda n: n, source="s", certainty="proved")],
)
def plus_c(i, plain, bar, n, c):
    return enough(plain, bar) and plain >= c


@problem(
    sees="counts",
    best=lambda n, most: int(sum(1 + i % most for i in range(n))),
    data=lambda n, most: [1 + i % most for i in range(n)],
    parameters={"most": 3},
)
def weighted(i, plain, bar, n, weights):
    return weights[i - 1] if plain >= max(bar, 1) else 0


@problem(sees="counts", terminals=NAMES, best=lambda n: int(WEIGHTS.sum()))
def constants(i, plain, bar, n):
    return WEIGHTS[i - 1] * ONE if plain * SHARE > bar else comb(0, 1) * PAIRS[0][0] * math.floor(SHARE)


@problem(sees="leaves", best=lambda n: float(Scale().of(n)))
def scaled(leaves, n):
    return np.floor(Scale().of(len({leaf for leaf in leaves})))


@acceptance
def parsimony(gain, growth):
    return gain > 0 or (gain == 0 and growth <= 0)


@operator
class Relabel:
    """Only substitutions."""

    def __init__(self, primitives, proportions):
        self.primitives = primitives

    def draw(self, tree, stream):
        return self._at(tree, stream.below(len(tree.leaves)))

    def apply(self, tree, operation):
        tree.substitute(operation.site, operation.terminal)

    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield self._at(tree, site), 1 / len(tree.leaves)

    def _at(self, tree, site):
        return Operation("substitute", site, terminal=tree.leaves[site].terminal.complement)


class TwoPlusOne(Search):
    def start(self):
        self.population = [self.evaluate(self.initial()) for _ in range(LEAST)]

    def step(self):
        child = self.evaluate(self.mutate(self.choose(self.population).tree))
        worst = min(self.population, key=lambda one: one.score)
        if child.score >= worst.score:
            self.population[self.population.index(worst)] = child


def made(c):
    @problem(sees="counts", best=lambda n: n)
    def closed(i, plain, bar, n):
        return plain >= c

    return closed


closed = made(7)
'''

ADDRESSES = [
    "two_thirds@480e8015eb159aa5",
    "weighted_order@23482ae07cb6937b",
    "inversions@83e342118c22d04e",
    "wrong_rows@cdc2787932caf046",
    "plus_c@a1e4c328bda6edc8",
    "weighted@5ce01ae1fbdb33e5",
    "constants@4e3132abcb98f3b3",
    "scaled@b6cbd70174518cfe",
    "parsimony@fc4bc35751a81900",
    "Relabel@ef8641fb038e615f",
    "TwoPlusOne@1730af28ab8203f3",
    "closed@df09cb83d7d1ab73",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_stays_what_it_was(tmp_path, address):
    """Two versions that disagree on one of these would not find each other's runs."""
    (tmp_path / "mine.py").write_text(FILE)
    assert named(f"{tmp_path}/mine.py:{address.partition('@')[0]}").id == address
