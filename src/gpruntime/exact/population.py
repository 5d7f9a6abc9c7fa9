"""An algorithm with several trees as a process: what it keeps is a state, and each step is an evaluation.

Trees have no part in each other's offspring, and who stays is decided by fitness and size. Both are functions of the
states of trees (`states`), and so is the law of a tree's offspring. So the states of the trees that are kept, in place
of the trees themselves, are a Markov chain too; renaming variables in one tree and not in another does no harm.

What else is needed is the algorithm's to say, in a file of `populations/` that is named after it. Offspring that change
nothing are left out of a row, a row without entries is *stuck*, and the end of the run is state 0.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Iterable
from typing import NamedTuple

from gpruntime.exact.chain import Process
from gpruntime.exact.law import Number
from gpruntime.exact.states import State, States
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

_POPULATIONS = "gpruntime.exact.populations"
_ROUNDING = 1e-12  # less is what sums of rounded numbers leave of 1


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


class Population(Process):
    """An algorithm with several trees."""

    most_states = 30_000

    def __init__(self, spec: RunSpec, states: States) -> None:
        super().__init__(spec, states)
        self._seen: dict[State, Seen] = {}
        self._offspring: dict[State, list[tuple[State, Number]]] = {}

    @property
    def form(self) -> str:
        return f"populations, their trees as {self.states.form}"

    def members(self, state: State) -> Iterable[State]:
        """The trees of a state."""
        return tuple(state)

    def level(self, state: State) -> Fitness:
        """The best fitness, unless it is said."""
        return max(self.seen(tree).score for tree in self.members(state)) * self.spec.problem.direction

    def leaves(self, state: State) -> int:
        return max(self.seen(tree).leaves for tree in self.members(state))

    def seen(self, tree: State) -> Seen:
        """What decides about a tree."""
        if tree not in self._seen:
            fitness, spec = super().level(tree), self.spec
            self._seen[tree] = Seen(fitness * spec.problem.direction, self.states.leaves(tree), fitness == spec.best)
        return self._seen[tree]

    def offspring(self, tree: State) -> list[tuple[State, Number]]:
        """What one operation makes of a tree, with probabilities, as far as it is within the size limit."""
        if tree not in self._offspring:
            moves = self.states.moves(tree, -math.inf).items()
            self._offspring[tree] = [pair for pair in moves if self.spec.fits(self.states.leaves(pair[0]))]
        return self._offspring[tree]

    def beyond(self, tree: State) -> Number:
        """The probability of an offspring beyond the size limit."""
        if self.spec.max_leaves_allowed is None:
            return 0
        rest = 1 - sum(chance for _, chance in self.offspring(tree))
        return rest if rest > _ROUNDING else 0

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
    name = f"{_POPULATIONS}.{spec.family.id.replace('-', '_')}"
    if importlib.util.find_spec(name) is None:
        raise BadInput("algorithm", spec.algorithm.id, "its chain is not small: exact answers do not exist for it")
    kind: type[Population] = importlib.import_module(name).POPULATION
    kind.check(spec)
    return kind
