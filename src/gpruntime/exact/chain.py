"""The chain of the accepted steps of a single-operation algorithm, as far as it can be reached.

Write A(s, s′) for the probability that one operation on s gives s′ and that s′ is accepted: by the rule, of the gain
f(s′) − f(s) (turned if smaller is better) and of the growth, and with at most M leaves under a size limit M. With
probability 1 − Σ A(s, ·) the offspring is rejected and the run stays at s. A state with A(s, ·) = 0 that is not optimal
is *stuck*.

All optimal states are one, number 0: what happens after the optimum is nobody's concern.

Where trees can grow without end, states have at most L leaves, and what leaves them is *lost*: see `kernel`.

For many operations there are two ways.

- `explore_accepted_many`, where their number is bounded: A(s, s′) is then the probability that k operations, k drawn
  by its law, lead from s to s′, and that s′ is accepted. They are followed from each s on, operation by operation; of
  the last one only what can be accepted is looked at. Nothing is lost.
- `explore_proposals` builds the matrix of one proposed operation instead, accepted or not, on all states with at most
  L leaves. What leaves them passes into one more state, *lost*, and never returns.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.counts import Split
from gpruntime.exact.law import Number
from gpruntime.exact.states import States, states_of
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

OPTIMUM = 0
Progress = Callable[[int, int], None]  # states done, states known

_TOLD = 100  # states, between two reports of progress
_MOST_PRODUCTS = 2 * 10**7  # of probabilities, for many operations followed one by one: some ten seconds


class TooManyStates(Exception):
    """The chain is larger than could be foreseen."""


@dataclass
class Chain:
    """A sparse matrix by rows, with what the solvers need to know of its states.

    Attributes:
        states: the state of each number (None for the merged optimum and for lost).
        fitness: f of each state; None for lost.
        leaves: T of each state.
        start: the initial law, by number of state, in fractions whatever the values are: it is summed over many trees.
        begins: row s has the entries begins[s] … begins[s + 1] of `columns` and `values`.
        columns: the target of each entry.
        values: its probability: floating-point numbers in an array, or a list of fractions.
        loss: of accepted steps, the probability of leaving the states; empty where none does.
        form: what a state is, in words.
        measure: what `fitness` is, in words; of algorithms with several trees it may be something else.
        direction: −1 where it is to be small.
    """

    states: list[Any] = field(default_factory=list)
    fitness: list[Fitness | None] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    start: dict[int, Fraction] = field(default_factory=dict)
    begins: array[int] = field(default_factory=lambda: array("q", [0]))
    columns: array[int] = field(default_factory=lambda: array("i"))
    values: Any = None
    loss: list[float] = field(default_factory=list)
    form: str = ""
    measure: str = "fitness"
    direction: int = 1

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

    def append(self, state: Any, fitness: Fitness | None, leaves: int) -> int:
        """Adds a state; its row comes later, in the same order."""
        self.states.append(state)
        self.fitness.append(fitness)
        self.leaves.append(leaves)
        return len(self.states) - 1

    def levels(self) -> tuple[list[Fitness], NDArray[np.int64]]:
        """The fitnesses from the worst to the best, and the place of each state's among them; −1 for lost."""
        known = {value for value in self.fitness if value is not None}
        values = sorted(known, key=lambda value: value * self.direction)
        places = {value: place for place, value in enumerate(values)}
        return values, np.array([-1 if value is None else places[value] for value in self.fitness], np.int64)


class _Explorer:
    """Finds states from the initial ones on and writes their rows in the order in which they were found."""

    def __init__(self, spec: RunSpec, states: States, rational: bool, most_states: int) -> None:
        self.spec, self.most_states, self.states = spec, most_states, states
        self.chain = Chain(values=[] if rational else array("d"), direction=spec.problem.direction)
        self.numbers: dict[Any, int] = {}

    def number(self, state: Any, merge_optimum: bool) -> int:
        number = self.numbers.get(state)
        if number is None:
            fitness = self.states.fitness(state)
            self.spec.problem.check(fitness, self.spec.n)
            if merge_optimum and fitness == self.spec.best:
                number = OPTIMUM
            else:
                number = self.chain.append(state, fitness, self.states.leaves(state))
                if number >= self.most_states:
                    raise TooManyStates
            self.numbers[state] = number
        return number

    def begin(self, merge_optimum: bool) -> None:
        start = self.chain.start
        for state, chance in self.states.initial_law(self.spec.init):
            number = self.number(state, merge_optimum)
            start[number] = start.get(number, Fraction(0)) + chance

    def begin_accepted(self) -> None:
        """The optimum first, as one state, then the initial ones."""
        self.chain.append(None, self.spec.best, 0)
        self.write_row({})
        self.begin(merge_optimum=True)

    def write_row(self, row: dict[int, Number]) -> None:
        self.chain.columns.extend(row)
        self.chain.values.extend(row.values())
        self.chain.begins.append(len(self.chain.columns))


class _Rule:
    """Acceptance of one operation's results, of which only those of least fitness and better need be made."""

    def __init__(self, spec: RunSpec) -> None:
        self._rule, self._direction = spec.accept, spec.problem.direction
        gains = set()
        if not self._rule.is_own and not spec.problem.is_real(spec.n):
            gains = {self._rule.least_gain(growth) for growth in (-1, 0, 1)}
        self._least_gain: float = min(gains, default=-math.inf)
        self.is_settled = len(gains) == 1  # the least fitness decides
        self._answers: dict[tuple[Fitness, int], bool] = {}

    def least(self, fitness: Fitness) -> float:
        """The least fitness that can be accepted, turned if smaller is better."""
        return fitness * self._direction + self._least_gain

    def accepts(self, before: Fitness, after: Fitness, growth: int) -> bool:
        """Whether the result is accepted."""
        asked = ((after - before) * self._direction, growth)
        if asked not in self._answers:
            self._answers[asked] = self._rule.accepts(*asked)
        return self._answers[asked]


def explore_accepted(
    spec: RunSpec,
    rational: bool,
    most_states: int,
    progress: Progress | None = None,
    most_leaves: int | None = None,
) -> tuple[Chain, States]:
    """The chain of a single-operation algorithm on the states it can reach, with at most this number of leaves."""
    states = states_of(spec, rational)
    while True:
        try:
            return _accepted(spec, states, rational, most_states, progress, most_leaves), states
        except Split:
            pass


def _accepted(
    spec: RunSpec, states: States, rational: bool, most_states: int, progress: Progress | None, most_leaves: int | None
) -> Chain:
    explorer = _Explorer(spec, states, rational, most_states)
    chain, rule, limit = explorer.chain, _Rule(spec), spec.max_leaves_allowed
    explorer.begin_accepted()
    losses = [0.0]
    at = 1
    while at < len(chain):
        row: dict[int, Number] = {}
        fitness, leaves, lost = chain.fitness[at], chain.leaves[at], 0.0
        assert fitness is not None
        for result, chance in states.moves(chain.states[at], rule.least(fitness)).items():
            after = states.leaves(result) if limit is not None or most_leaves is not None else 0
            if limit is not None and after > limit:
                continue
            if not rule.is_settled:
                growth = states.leaves(result) - leaves
                if not rule.accepts(fitness, states.fitness(result), growth):
                    continue
            if most_leaves is not None and after > most_leaves:
                lost += float(chance)
                continue
            number = explorer.number(result, merge_optimum=True)
            row[number] = row.get(number, 0) + chance
        explorer.write_row(row)
        losses.append(lost)
        at += 1
        if progress is not None and at % _TOLD == 0:
            progress(at, len(chain))
    chain.loss = losses if any(losses) else []
    chain.form = states.form
    return chain


def explore_accepted_many(
    spec: RunSpec, weights: Sequence[float], most_states: int, progress: Progress | None = None
) -> tuple[Chain, States]:
    """The chain on the states a run can reach, where an offspring has k operations with probability weights[k − 1].

    Raises:
        TooManyStates: there are more than these, intermediate ones included, or it would take long.
    """
    states = states_of(spec)
    while True:
        try:
            return _accepted_many(spec, states, weights, most_states, progress), states
        except Split:
            pass


def _accepted_many(
    spec: RunSpec, states: States, weights: Sequence[float], most_states: int, progress: Progress | None
) -> Chain:
    explorer = _Explorer(spec, states, False, most_states)
    chain, rule, limit = explorer.chain, _Rule(spec), spec.max_leaves_allowed
    moves = _Moves(states, most_states)
    explorer.begin_accepted()
    at = 1
    while at < len(chain):
        fitness, leaves = chain.fitness[at], chain.leaves[at]
        assert fitness is not None
        row: dict[int, Number] = {}
        reached: dict[Any, Number] = {chain.states[at]: 1.0}
        for k, weight in enumerate(weights, 1):
            reached = moves.after(reached, rule.least(fitness) if k == len(weights) else -math.inf)
            for result, chance in reached.items() if weight else ():
                after = states.leaves(result)
                if (limit is None or after <= limit) and rule.accepts(fitness, states.fitness(result), after - leaves):
                    number = explorer.number(result, merge_optimum=True)
                    row[number] = row.get(number, 0) + weight * chance
        explorer.write_row(row)
        at += 1
        if progress is not None and at % _TOLD == 0:
            progress(at, len(chain))
    chain.form = states.form
    return chain


class _Moves:
    """The law of one operation from many states, remembered; raises `TooManyStates` when it has become too much."""

    def __init__(self, states: States, most_states: int) -> None:
        self._states, self._most_states, self._products = states, most_states, 0
        self._known: dict[tuple[Any, float], dict[Any, Number]] = {}

    def after(self, law: dict[Any, Number], least: float) -> dict[Any, Number]:
        """One more operation, restricted to results of this fitness or better, turned if smaller is better."""
        found: dict[Any, Number] = {}
        for state, chance in law.items():
            results = self._from(state, least)
            self._products += 1 + len(results)
            for result, share in results.items():
                found[result] = found.get(result, 0) + chance * share
        if self._products > _MOST_PRODUCTS:
            raise TooManyStates
        return found

    def _from(self, state: Any, least: float) -> dict[Any, Number]:
        if (state, least) not in self._known:
            if len(self._known) >= self._most_states:
                raise TooManyStates
            self._known[state, least] = self._states.moves(state, least)
        return self._known[state, least]


def explore_proposals(
    spec: RunSpec, most_leaves: int, most_states: int, progress: Progress | None = None
) -> tuple[Chain, States]:
    """The matrix of one proposed operation on the states with at most `most_leaves` leaves; the last state is *lost*.

    The states are those that some number of operations reaches within that size: accepted steps lead nowhere else.
    """
    states = states_of(spec)
    while True:
        try:
            return _proposals(spec, states, most_leaves, most_states, progress), states
        except Split:
            pass


def _proposals(spec: RunSpec, states: States, most_leaves: int, most_states: int, progress: Progress | None) -> Chain:
    explorer = _Explorer(spec, states, False, most_states)
    chain = explorer.chain
    explorer.begin(merge_optimum=False)
    lost = -1
    at = 0
    while at < len(chain):
        row: dict[int, Number] = {}
        for result, chance in states.moves(chain.states[at], -math.inf).items():
            number = explorer.number(result, merge_optimum=False) if states.leaves(result) <= most_leaves else lost
            row[number] = row.get(number, 0) + chance
        explorer.write_row(row)
        at += 1
        if progress is not None and at % _TOLD == 0:
            progress(at, len(chain))
    lost = chain.append(None, None, 0)
    chain.columns = array("i", (lost if column < 0 else column for column in chain.columns))
    explorer.write_row({lost: 1.0})
    chain.form = states.form
    return chain
