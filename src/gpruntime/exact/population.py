"""The chain of an algorithm with several trees: what it keeps is a state, and each step is an evaluation.

Trees have no part in each other's offspring, and who stays is decided by fitness and size. Both are functions of the
states of trees (`states`), and so is the law of a tree's offspring. So the states of the trees that are kept, in place
of the trees themselves, are a Markov chain too; renaming variables in one tree and not in another does no harm.

What else is needed is the algorithm's to say, in a file of `populations/` that is named after it. As in `chain`,
offspring that change nothing are left out of a row, a row without entries is *stuck*, and the end of the run is state
0. What is kept with more than L leaves is *lost*, where there is such a limit.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from array import array
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Final, NamedTuple

from gpruntime.exact.chain import OPTIMUM, Chain, Progress, TooManyStates
from gpruntime.exact.counts import Split
from gpruntime.exact.law import Number
from gpruntime.exact.states import States, states_of
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

_OURS = "gpruntime.exact.populations"

_ROUNDING = 1e-12  # less is what sums of rounded numbers leave of 1
END: Final = None  # what a run that has reached its goal passes into

State = Any
Row = dict[Any, Number]


class Seen(NamedTuple):
    """What decides who stays.

    Attributes:
        score: the fitness, times −1 where smaller is better.
        leaves: T.
        is_best: whether the fitness is the best.
    """

    score: Fitness
    leaves: int
    is_best: bool


class Trees:
    """The trees of a run, by their states: what is seen of each, which are drawn, which are its offspring."""

    def __init__(self, spec: RunSpec, states: States, rational: bool, most_states: int) -> None:
        self.spec, self.states, self._rational, self._most_states = spec, states, rational, most_states
        self._seen: dict[State, Seen] = {}
        self._offspring: dict[State, list[tuple[State, Number]]] = {}

    def seen(self, tree: State) -> Seen:
        """What decides about it."""
        if tree not in self._seen:
            fitness, spec = self.states.fitness(tree), self.spec
            spec.problem.check(fitness, spec.n)
            self._seen[tree] = Seen(fitness * spec.problem.direction, self.states.leaves(tree), fitness == spec.best)
        return self._seen[tree]

    def offspring(self, tree: State) -> list[tuple[State, Number]]:
        """What one operation makes of it, with probabilities, as far as it is within the size limit."""
        if tree not in self._offspring:
            limit, moves = self.spec.max_leaves_allowed, self.states.moves(tree, -math.inf)
            fits = (pair for pair in moves.items() if limit is None or self.states.leaves(pair[0]) <= limit)
            self._offspring[tree] = list(fits)
        return self._offspring[tree]

    def beyond(self, tree: State) -> Number:
        """The probability of an offspring beyond the size limit."""
        if self.spec.max_leaves_allowed is None:
            return 0
        rest = 1 - sum(chance for _, chance in self.offspring(tree))
        return rest if rest > _ROUNDING else 0

    def number(self, fraction: Fraction) -> Number:
        """The fraction itself, or the nearest floating-point number."""
        return fraction if self._rational else float(fraction)

    def initial(self) -> dict[State, Fraction]:
        """The law of an initial tree."""
        law: dict[State, Fraction] = {}
        for tree, chance in self.states.initial_law(self.spec.init):
            law[tree] = law.get(tree, Fraction(0)) + chance
            if len(law) > self._most_states:
                raise TooManyStates
        return law


class Population:
    """An algorithm with several trees, as a chain.

    Attributes:
        most_states: how many there may be.
        measure: what a level is, in words.
        direction, best: −1 where levels fall; the level of the end.
    """

    most_states = 30_000
    measure = "fitness"

    def __init__(self, trees: Trees) -> None:
        self.trees, self.spec = trees, trees.spec
        self.direction, self.best = trees.spec.problem.direction, trees.spec.best

    @property
    def form(self) -> str:
        """What a state is, in words."""
        return f"populations, their trees as {self.trees.states.form}"

    def start(self) -> dict[State, Fraction]:
        """What is kept after the first evaluation, with probabilities."""
        raise NotImplementedError

    def after(self, state: State) -> Row:
        """What is kept after one more, where its offspring was accepted or something else has changed; or END."""
        raise NotImplementedError

    def members(self, state: State) -> Iterable[State]:
        """The trees."""
        return tuple(state)

    def level(self, state: State) -> Fitness:
        """What never or seldom falls: states are solved level by level. The best fitness, unless it is said."""
        return max(self.trees.seen(tree).score for tree in self.members(state)) * self.direction

    def leaves(self, state: State) -> int:
        """T of the largest tree."""
        return max(self.trees.seen(tree).leaves for tree in self.members(state))

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        """Raises `BadInput` where it is not this chain."""

    @classmethod
    def grows(cls, spec: RunSpec) -> bool | None:  # noqa: ARG003
        """Whether trees can grow without end; None if that is so where the rule lets a single tree grow."""
        return None

    @classmethod
    def most_trees(cls, spec: RunSpec, states: int) -> int:  # noqa: ARG003
        """About how many trees there may be where there may be this many states."""
        return states


def population_of(spec: RunSpec) -> type[Population] | None:
    """What makes a chain of the spec's algorithm; None for one tree alone. Raises `BadInput` where nothing does."""
    if not spec.has_population:
        return None
    if spec.search or spec.family is None:
        raise BadInput("search", spec.settings["search"], "exact answers exist for algorithms of ours only")
    name = f"{_OURS}.{spec.family.id.replace('-', '_')}"
    if importlib.util.find_spec(name) is None:
        raise BadInput("algorithm", spec.algorithm.id, "its chain is not small: exact answers do not exist for it")
    kind: type[Population] = importlib.import_module(name).POPULATION
    kind.check(spec)
    return kind


def explore_population(
    spec: RunSpec, rational: bool, most_states: int, progress: Progress | None, most_leaves: int | None
) -> tuple[Chain, States]:
    """The chain on the states that can be reached, of trees with at most this number of leaves."""
    kind, states = population_of(spec), states_of(spec, rational)
    assert kind is not None
    while True:
        try:
            population = kind(Trees(spec, states, rational, most_states))
            return _explored(population, rational, most_states, progress, most_leaves), states
        except Split:
            pass


def _explored(
    population: Population, rational: bool, most_states: int, progress: Progress | None, most_leaves: int | None
) -> Chain:
    chain = Chain(values=[] if rational else array("d"), direction=population.direction, measure=population.measure)
    chain.append(END, population.best, 0)
    chain.begins.append(0)
    chain.loss = [0.0]
    numbers: dict[State, int] = {END: OPTIMUM}
    number = _numbering(population, chain, numbers, most_states)
    for state, chance in population.start().items():
        chain.start[number(state)] = chain.start.get(number(state), Fraction(0)) + chance
    at = 1
    while at < len(chain):
        lost = 0.0
        for state, chance in population.after(chain.states[at]).items():
            if most_leaves is not None and state is not END and population.leaves(state) > most_leaves:
                lost += float(chance)
            else:
                chain.columns.append(number(state))
                chain.values.append(chance)
        chain.begins.append(len(chain.columns))
        chain.loss.append(lost)
        at += 1
        if progress is not None and at % 100 == 0:
            progress(at, len(chain))
    if not any(chain.loss):
        chain.loss = []
    chain.form = population.form
    return chain


def _numbering(
    population: Population, chain: Chain, numbers: dict[State, int], most_states: int
) -> Callable[[State], int]:
    def number(state: State) -> int:
        if state not in numbers:
            numbers[state] = chain.append(state, population.level(state), population.leaves(state))
            if len(chain) > most_states:
                raise TooManyStates
        return numbers[state]

    return number


def add(row: Row, state: State, chance: Number) -> None:
    """One more way to a state."""
    row[state] = row.get(state, 0) + chance
