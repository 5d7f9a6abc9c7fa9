"""What a state is: a problem's own states if it brings any, otherwise by what its function sees.

- `problems`: a file named like the problem, whose `STATES` are fewer than the general ones;
- `counts`: the numbers of leaves x_i and x̄_i, for what sees the counts;
- `trees`: whole trees, for all else;
- `proposed`: whole trees, where an operation is not HVL-Prime's on functions of two arguments.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from gpruntime.exact.counts import CountStates
from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.proposed import ProposedStates
from gpruntime.exact.trees import TreeStates
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Fitness, Problem
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree

_OWN = "gpruntime.exact.problems"


class States(Protocol):
    """States, their initial law and the law of one operation.

    Attributes:
        most_strict, most_weak, most_multi: how many there may be: with the strict rule, with others, and with
            intermediate trees of many operations.
    """

    most_strict: ClassVar[int]
    most_weak: ClassVar[int]
    most_multi: ClassVar[int]

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        """The states of a spec's problem."""

    @property
    def form(self) -> str:
        """What a state is, in words."""

    def fitness(self, state: Any) -> Fitness:
        """f."""

    def leaves(self, state: Any) -> int:
        """T."""

    def of(self, tree: Tree) -> Any:
        """The state of a tree."""

    def tree(self, state: Any) -> Tree:
        """A tree of the state."""

    def initial_law(self, initial: Initial) -> Iterable[tuple[Any, Fraction]]:
        """Initial states and their probabilities."""

    def moves(self, state: Any, least: float) -> dict[Any, Number]:
        """One operation, restricted to results of this fitness or better; the sign is turned if smaller is better."""

    @classmethod
    def counted(cls, problem: Problem, n: int, most_leaves: int) -> tuple[int, ...]:
        """The number of states with t leaves, for t = 0 … most_leaves, as far as counting is quick.

        Where it stops, numbers are beyond every limit; only for one variable they are not, and the explorer counts.
        """

    @classmethod
    def from_one_tree(cls, spec: RunSpec, n: int) -> int:
        """About how many states strict acceptance and one operation reach from an explicit tree, as far as is known."""


def kind_of(problem: Problem) -> type[States]:
    """The kind of states of a problem."""
    name = problem.id.partition(":")[0].replace("-", "_")
    if not problem.is_own and importlib.util.find_spec(f"{_OWN}.{name}") is not None:
        kind: type[States] = importlib.import_module(f"{_OWN}.{name}").STATES
        return kind
    return CountStates if problem.sees == "counts" else TreeStates


def kind_for(spec: RunSpec) -> type[States]:
    """The kind of states of a spec: its problem's, where operations are HVL-Prime's on functions of two arguments."""
    if spec.operator.id != "hvl-prime" or not spec.primitives.is_binary:
        return ProposedStates
    return kind_of(spec.problem)


def states_of(spec: RunSpec, rational: bool = False) -> States:
    """The states of the spec's problem."""
    return kind_for(spec)(spec, OperationLaw(spec, rational))


def is_multi(spec: RunSpec) -> bool:
    """Whether an offspring can have several operations."""
    return spec.algorithm.multi or spec.operations.most > 1
