"""The chain of the accepted steps of a single-operation algorithm, as far as it can be reached.

Write A(s, s′) for the probability that one operation on s gives s′ and that s′ is accepted: f(s′) > f(s) (strict) or
f(s′) ≥ f(s) (weak), and at most M leaves under a size limit M. With probability 1 − Σ A(s, ·) the offspring is rejected
and the run stays at s. A state with A(s, ·) = 0 that is not optimal is *stuck*.

All optimal states are one, number 0: what happens after the optimum is nobody's concern.

For multi algorithms `explore_proposals` builds the matrix A of one proposed operation instead, accepted or not, on all
states with at most L leaves. What leaves them passes into one more state, *lost*, and never returns: see `multi`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.majority import MajorityStates
from gpruntime.exact.order import OrderStates
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree

OPTIMUM = 0
Progress = Callable[[int, int], None]  # states done, states known


class States(Protocol):
    """What a problem tells about its states: `MajorityStates` or `OrderStates`."""

    def fitness(self, state: Any) -> int:
        """f."""

    def leaves(self, state: Any) -> int:
        """T."""

    def of(self, tree: Tree) -> Any:
        """The state of a tree."""

    def tree(self, state: Any) -> Tree:
        """A tree of the state."""

    def initial_law(self, initial: Initial) -> Iterable[tuple[Any, Fraction]]:
        """Initial states and their probabilities."""

    def moves(self, state: Any, least: int) -> dict[Any, Number]:
        """One operation, restricted to results of at least this fitness."""


def states_of(spec: RunSpec, rational: bool = False) -> States:
    """The states of the spec's problem."""
    law = OperationLaw(spec, rational)
    return MajorityStates(spec, law) if spec.problem == "majority" else OrderStates(spec, law)


@dataclass
class Chain:
    """A sparse matrix by rows, with what the solvers need to know of its states.

    Attributes:
        states: the state of each number (None for the merged optimum and for lost).
        fitness: f of each state.
        leaves: T of each state.
        start: the initial law, by number of state, in fractions whatever the values are: it is summed over many trees.
        begins: row s has the entries begins[s] … begins[s + 1] of `columns` and `values`.
        columns: the target of each entry.
        values: its probability: floating-point numbers in an array, or a list of fractions.
    """

    states: list[Any] = field(default_factory=list)
    fitness: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    start: dict[int, Fraction] = field(default_factory=dict)
    begins: array[int] = field(default_factory=lambda: array("q", [0]))
    columns: array[int] = field(default_factory=lambda: array("i"))
    values: Any = None

    def __len__(self) -> int:
        return len(self.states)

    def matrix(self) -> sparse.csr_array[np.float64]:
        """A, in floating-point numbers."""
        values = np.asarray(self.values, np.float64)
        columns, begins = np.asarray(self.columns), np.asarray(self.begins)
        size = len(self)
        return sparse.csr_array((values, columns, begins), shape=(size, size))

    def start_vector(self) -> NDArray[np.float64]:
        """The initial law as a vector."""
        vector = np.zeros(len(self))
        for number, chance in self.start.items():
            vector[number] = float(chance)
        return vector

    def row(self, number: int) -> list[tuple[int, Number]]:
        """The entries of one row."""
        part = slice(self.begins[number], self.begins[number + 1])
        return list(zip(self.columns[part], self.values[part], strict=True))

    def append(self, state: Any, fitness: int, leaves: int) -> int:
        """Adds a state; its row comes later, in the same order."""
        self.states.append(state)
        self.fitness.append(fitness)
        self.leaves.append(leaves)
        return len(self.states) - 1


class _Explorer:
    """Finds states from the initial ones on and writes their rows in the order in which they were found."""

    def __init__(self, spec: RunSpec, rational: bool, most_states: int) -> None:
        self.spec, self.most_states = spec, most_states
        self.problem = states_of(spec, rational)
        self.chain = Chain(values=[] if rational else array("d"))
        self.numbers: dict[Any, int] = {}

    def number(self, state: Any, merge_optimum: bool) -> int:
        number = self.numbers.get(state)
        if number is None:
            fitness = self.problem.fitness(state)
            if merge_optimum and fitness == self.spec.n:
                number = OPTIMUM
            else:
                number = self.chain.append(state, fitness, self.problem.leaves(state))
                if number >= self.most_states:
                    allowed = (
                        f"more than {self.most_states:,} states: take a smaller n, fewer leaves or a smaller limit"
                    )
                    raise BadInput("n", self.spec.n, allowed)
            self.numbers[state] = number
        return number

    def begin(self, merge_optimum: bool) -> None:
        start = self.chain.start
        for state, chance in self.problem.initial_law(self.spec.initial):
            number = self.number(state, merge_optimum)
            start[number] = start.get(number, Fraction(0)) + chance

    def write_row(self, row: dict[int, Number]) -> None:
        self.chain.columns.extend(row)
        self.chain.values.extend(row.values())
        self.chain.begins.append(len(self.chain.columns))


def explore_accepted(
    spec: RunSpec, rational: bool, most_states: int, progress: Progress | None = None
) -> tuple[Chain, States]:
    """The chain of a single-operation algorithm on the states it can reach."""
    explorer = _Explorer(spec, rational, most_states)
    chain, problem = explorer.chain, explorer.problem
    chain.append(None, spec.n, 0)
    explorer.write_row({})
    explorer.begin(merge_optimum=True)
    limit, gain = spec.max_leaves_allowed, int(spec.algorithm_.strict)
    at = 1
    while at < len(chain):
        row: dict[int, Number] = {}
        for result, chance in problem.moves(chain.states[at], chain.fitness[at] + gain).items():
            if limit is None or problem.leaves(result) <= limit:
                number = explorer.number(result, merge_optimum=True)
                row[number] = row.get(number, 0) + chance
        explorer.write_row(row)
        at += 1
        if progress is not None and at % 1000 == 0:
            progress(at, len(chain))
    return chain, problem


def explore_proposals(
    spec: RunSpec, most_leaves: int, most_states: int, progress: Progress | None = None
) -> tuple[Chain, States]:
    """The matrix of one proposed operation on the states with at most `most_leaves` leaves; the last state is *lost*.

    The states are those that some number of operations reaches within that size: accepted steps lead nowhere else.
    """
    explorer = _Explorer(spec, False, most_states)
    chain, problem = explorer.chain, explorer.problem
    explorer.begin(merge_optimum=False)
    lost = -1
    at = 0
    while at < len(chain):
        row: dict[int, Number] = {}
        for result, chance in problem.moves(chain.states[at], 0).items():
            number = explorer.number(result, merge_optimum=False) if problem.leaves(result) <= most_leaves else lost
            row[number] = row.get(number, 0) + chance
        explorer.write_row(row)
        at += 1
        if progress is not None and at % 1000 == 0:
            progress(at, len(chain))
    lost = chain.append(None, -1, 0)
    chain.columns = array("i", (lost if column < 0 else column for column in chain.columns))
    explorer.write_row({lost: 1.0})
    return chain, problem
