"""What a chain asks of the states of a tree."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar, Self

from gpruntime.exact.drawn import initial_trees
from gpruntime.exact.law import Number, OperationLaw
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Fitness, Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree

State = Any

_MAX_VARIABLES = 1000


class Split(Exception):  # no error: the chain is built anew
    """Variables of one class were seen to differ; the states have smaller classes now."""


class States:
    """States, their initial law and the law of one operation.

    Attributes:
        most_strict, most_weak, most_multi: how many there may be: with the strict rule, with others, and with
            intermediate trees of many operations.
    """

    most_strict: ClassVar[int]
    most_weak: ClassVar[int]
    most_multi: ClassVar[int]

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        self.law, self.n, self.problem, self.primitives = law, spec.n, spec.problem, spec.primitives
        if self.primitives.variables > _MAX_VARIABLES:
            raise BadInput("n", spec.n, f"exact answers exist for at most {_MAX_VARIABLES:,} variables")

    @property
    def form(self) -> str:
        """What a state is, in words."""
        raise NotImplementedError

    def fitness(self, state: State) -> Fitness:
        """f."""
        raise NotImplementedError

    def leaves(self, state: State) -> int:
        """T."""
        raise NotImplementedError

    def of(self, tree: Tree) -> State:
        """The state of a tree."""
        raise NotImplementedError

    def tree(self, state: State) -> Tree:
        """A tree of the state."""
        raise NotImplementedError

    def moves(self, state: State, least: float) -> dict[State, Number]:
        """One operation, restricted to results of this fitness or better; the sign is turned if smaller is better."""
        raise NotImplementedError

    def initial_law(self, initial: Initial) -> Iterable[tuple[State, Fraction]]:
        """Initial states and their probabilities."""
        if initial.name in ("unity", "insertion") and self.primitives.is_binary:
            return self.uniform_law(initial)
        return ((self.of(tree), chance) for tree, chance in initial_trees(initial))

    def uniform_law(self, initial: Initial) -> Iterable[tuple[State, Fraction]]:
        """That of `unity` and `insertion`: uniform terminals and functions, on a shape by the law of either."""
        raise NotImplementedError

    def under(self, spec: RunSpec) -> Self:
        """The same states, with the law of an operation of a spec that has other weights."""
        other = copy.copy(self)
        other.law = OperationLaw(spec, self.law.rational)
        return other

    @classmethod
    def counted(cls, problem: Problem, n: int, most_leaves: int) -> tuple[int, ...]:
        """The number of states with t leaves, for t = 0 … most_leaves, as far as counting is quick.

        Where it stops, numbers are beyond every limit; only for one variable they are not, and the explorer counts.
        """
        raise NotImplementedError

    @classmethod
    def from_one_tree(cls, spec: RunSpec, n: int) -> int:  # noqa: ARG003
        """About how many states strict acceptance and one operation reach from an explicit tree; 1 if not known."""
        return 1
