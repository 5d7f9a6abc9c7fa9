"""The unlumped chain, built from `model` alone: states are trees, written as text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache

import numpy as np

from gpruntime import RunSpec, Tree
from gpruntime.model.initial import Initial


class _Choices:
    """Stands in for a stream and makes the draws it was given, then zeros; remembers how many values each had."""

    def __init__(self, given: tuple[int, ...]) -> None:
        self.given, self.bounds = given, []

    def below(self, bound: int) -> int:
        self.bounds.append(bound)
        return self.given[len(self.bounds) - 1] if len(self.bounds) <= len(self.given) else 0


def initial_law(initial: Initial) -> dict[str, float]:
    """The law of the initial tree: every sequence of draws, all equally likely."""
    first = _Choices(())
    initial.build(first)  # how many draws, and from how many values each, does not depend on what is drawn
    law: dict[str, float] = {}
    chance = 1 / math.prod(first.bounds)
    for given in itertools.product(*map(range, first.bounds)):
        text = str(initial.build(_Choices(given)))
        law[text] = law.get(text, 0) + chance
    return law


def moves(spec: RunSpec, text: str) -> dict[str, float]:
    """The law of one operation on a tree."""
    tree = Tree.parse(text)
    law: dict[str, float] = {}
    for operation, chance in spec.mutation.proposals(tree):
        result = tree.copy()
        spec.mutation.apply(result, operation)
        law[str(result)] = law.get(str(result), 0) + chance
    return law


@cache
def fitness(spec: RunSpec, text: str) -> float:
    return spec.problem.fitness(Tree.parse(text), spec.n)


def accepts(spec: RunSpec, before: str, after: str) -> bool:
    gain = (fitness(spec, after) - fitness(spec, before)) * spec.problem.direction
    leaves = len(Tree.parse(after).leaves)
    fits = spec.max_leaves_allowed is None or leaves <= spec.max_leaves_allowed
    return fits and spec.accept.accepts(gain, leaves - len(Tree.parse(before).leaves))


def closure(
    spec: RunSpec, start: dict[str, float], row: Callable[[str], dict[str, float]]
) -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}
    waiting = list(start)
    while waiting:
        text = waiting.pop()
        if text not in rows:
            rows[text] = row(text)
            waiting += rows[text]
    return rows


def single_rows(spec: RunSpec, start: dict[str, float]) -> dict[str, dict[str, float]]:
    """Accepted results of one operation, from every tree that can be reached; none from optimal trees."""

    def row(text: str) -> dict[str, float]:
        if fitness(spec, text) == spec.best:
            return {}
        return {result: chance for result, chance in moves(spec, text).items() if accepts(spec, text, result)}

    return closure(spec, start, row)


def multi_rows(
    spec: RunSpec, start: dict[str, float], weights: list[float] | None = None
) -> dict[str, dict[str, float]]:
    """Accepted results of many operations, for operators under which finitely many trees can be reached.

    `weights` are the probabilities of 1, 2, … operations; 1 + Pois(λ) if they are not given.
    """
    mean = spec.poisson_mean
    weights = weights or [math.exp(-mean) * mean ** (k - 1) / math.factorial(k - 1) for k in range(1, 26)]
    rows = closure(spec, start, lambda text: moves(spec, text))
    texts = list(rows)
    place = {text: i for i, text in enumerate(texts)}
    one = np.zeros((len(texts), len(texts)))
    for text, row in rows.items():
        for result, chance in row.items():
            one[place[text], place[result]] = chance
    offspring, power = np.zeros_like(one), np.eye(len(texts))
    for weight in weights:
        power = power @ one
        offspring += weight * power
    return {
        text: {}
        if fitness(spec, text) == spec.best
        else {texts[j]: offspring[i, j] for j in np.flatnonzero(offspring[i]) if accepts(spec, text, texts[j])}
        for i, text in enumerate(texts)
    }


def answers(spec: RunSpec, start: dict[str, float], rows: dict[str, dict[str, float]]) -> tuple[float, float, float]:
    """P(optimum), E[evaluations | optimum] and P(evaluations ≤ 7), by dense linear algebra and by following the law."""
    texts = list(rows)
    place = {text: i for i, text in enumerate(texts)}
    kernel = np.zeros((len(texts), len(texts)))
    for text, row in rows.items():
        for result, chance in row.items():
            kernel[place[text], place[result]] += chance
        kernel[place[text], place[text]] += 1 - sum(row.values())
    optimal = np.array([fitness(spec, text) == spec.best for text in texts])
    stuck = np.array([not rows[text] for text in texts]) & ~optimal
    law = np.zeros(len(texts))
    for text, chance in start.items():
        law[place[text]] += chance
    ending, before = optimal | stuck, -1
    while ending.sum() > before:
        before = ending.sum()
        ending = ending | (kernel @ ending > 0)
    inner = np.flatnonzero(ending & ~optimal & ~stuck)
    equations = np.eye(len(inner)) - kernel[np.ix_(inner, inner)]
    reached, time = optimal.astype(float), np.zeros(len(texts))
    reached[inner] = np.linalg.solve(equations, kernel[np.ix_(inner, optimal)].sum(axis=1))
    time[inner] = np.linalg.solve(equations, reached[inner])
    after = law
    for _ in range(6):
        after = after @ kernel
    return float(law @ reached), 1 + float(law @ time) / float(law @ reached), float(after @ optimal)
