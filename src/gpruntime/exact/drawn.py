"""The law of an initial tree, from the procedure that draws it: every sequence of draws, with its probability.

A draw that has not been answered yet branches: the procedure is run again with each answer. So there is no second
description of the procedure that could differ from the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import cast

from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Tree

DRAWN = ("unity", "insertion", "grow")  # the other initial trees are no matter of chance
_MAX_DRAWS = 20_000  # sequences of draws, some ten seconds

Answer = tuple[float, Fraction]  # what a draw gives, and with which probability


class _Branch(Exception):
    """A draw that is not answered yet."""

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__()
        self.answers = answers


class _Answers:
    """A stream whose draws are given."""

    def __init__(self, given: tuple[Answer, ...], chance: Fraction) -> None:
        self._given, self._chance, self._next = given, chance, 0

    def _answer(self, answers: list[Answer]) -> float:
        if self._next == len(self._given):
            raise _Branch(answers)
        self._next += 1
        return self._given[self._next - 1][0]

    def below(self, bound: int) -> int:
        return int(self._answer([(value, Fraction(1, bound)) for value in range(bound)]))

    def uniform(self) -> float:
        """Below the probability of a join, or not: that alone is asked."""
        return self._answer([(0.0, self._chance), (1.0, 1 - self._chance)])


def initial_trees(initial: Initial) -> Iterator[tuple[Tree, Fraction]]:
    """The trees that can be drawn, some of them more than once, with their probabilities; they add up to 1."""
    waiting: list[tuple[Answer, ...]] = [()]
    chance, seen = Fraction(initial.join), 0
    if initial.name in DRAWN and _at_least(initial) > _MAX_DRAWS:
        raise _too_many(initial)
    while waiting:
        given = waiting.pop()
        try:
            tree = initial.build(cast("Stream", _Answers(given, chance)))
        except _Branch as branch:
            waiting += [(*given, answer) for answer in branch.answers if answer[1]]
            seen += len(branch.answers)
            if seen > _MAX_DRAWS:
                raise _too_many(initial) from None
            continue
        total = Fraction(1)
        for _, each in given:
            total *= each
        yield tree, total


def _at_least(initial: Initial) -> int:
    """How many trees there are at the least: by the terminals of one shape with as many leaves as fit."""
    if initial.name == "grow":
        leaves = initial.leaves if initial.join > 0 else 1
    else:
        leaves = initial.leaves - initial.primitives.most_arguments + 2
    return int(initial.primitives.size ** max(leaves, 1))


def _too_many(initial: Initial) -> BadInput:
    few = f"take fewer leaves, as in {initial.name}:leaves=2"
    return BadInput("init", str(initial), f"too large: more than {_MAX_DRAWS:,} initial trees; {few}")
