"""The Markov chain of a run, on the states that can be reached: a sparse matrix by rows.

Write A(s, s′) for the probability that an evaluation takes the run from s to s′, and s′ is accepted. With probability
1 − Σ A(s, ·) the offspring is rejected and the run stays at s. A state with A(s, ·) = 0 that is not optimal is *stuck*.

What makes a chain is a `Process`: a law of the start, and one of the next state. There are three for one tree.

- `SingleOperation`: A(s, s′) is the probability that one operation on s gives s′ and that s′ is accepted: by the rule,
  of the gain f(s′) − f(s) (turned if smaller is better) and of the growth, and with at most M leaves under a size
  limit M.
- `ManyOperations`, where their number is bounded: k operations, k drawn by its law, lead from s to s′. They are
  followed from each s on, operation by operation; of the last one only what can be accepted is looked at.
- `Proposals`: the matrix of one proposed operation instead, accepted or not.

Those of algorithms with several trees are in `population`.

All optimal states are one, number 0: what happens after the optimum is nobody's concern. Among proposals they are told
apart: further operations may lead back.

Where trees can grow without end, states have at most L leaves, and what leaves them is *lost*: see `kernel`. Among
proposals that is one more state, the last one, from which nothing returns.
"""

from __future__ import annotations

import contextlib
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.law import Number
from gpruntime.exact.states import Split, State, States
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec

OPTIMUM = 0
END: Final[Any] = object()  # the state of a run that has reached its goal
Progress = Callable[[int, int], None]  # states done, states known
Row = dict[Any, Number]  # states, and the probabilities of passing into them

_LOST = -1
_REPORT_EVERY = 100  # states
_MAX_PRODUCTS = 2 * 10**7  # of probabilities, for many operations followed one by one: some ten seconds


class TooManyStates(Exception):
    """The chain is larger than could be foreseen."""


@dataclass
class Chain:
    """A sparse matrix by rows, with what the solvers need to know of its states.

    Attributes:
        form: what a state is, in words.
        measure: what `fitness` is, in words; of algorithms with several trees it may be something else.
        direction: −1 where it is to be small.
        values: the probability of each entry: floating-point numbers in an array, or a list of fractions.
        columns: the target of each entry.
        begins: row s has the entries begins[s] … begins[s + 1] of `columns` and `values`.
        states: the state of each number; END for the merged optimum, None for lost.
        fitness: f of each state; None for lost.
        leaves: T of each state.
        start: the initial law, by number of state, in fractions whatever the values are: it is summed over many trees.
        loss: of accepted steps, the probability of leaving the states; empty where none does.
    """

    form: str
    measure: str
    direction: int
    values: Any
    columns: array[int] = field(default_factory=lambda: array("i"))
    begins: array[int] = field(default_factory=lambda: array("q", [0]))
    states: list[State] = field(default_factory=list)
    fitness: list[Fitness | None] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    start: dict[int, Fraction] = field(default_factory=dict)
    loss: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.states)

    def matrix(self) -> sparse.csr_array[np.float64]:
        """A, in floating-point numbers."""
        values = np.asarray(self.values, np.float64)
        columns, begins = np.asarray(self.columns), np.asarray(self.begins)
        return sparse.csr_array((values, columns, begins), shape=(len(self), len(self)))

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

    def append(self, state: State, fitness: Fitness | None, leaves: int) -> int:
        """Adds a state; its row comes later, in the same order."""
        self.states.append(state)
        self.fitness.append(fitness)
        self.leaves.append(leaves)
        return len(self) - 1

    def write_row(self, row: Row) -> None:
        """The row, by number, of the first state that has none yet."""
        self.columns.extend(row)
        self.values.extend(row.values())
        self.begins.append(len(self.columns))

    def levels(self) -> tuple[list[Fitness], NDArray[np.int64]]:
        """The fitnesses from the worst to the best, and the place of each state's among them; −1 for lost."""
        known = {value for value in self.fitness if value is not None}
        values = sorted(known, key=lambda value: value * self.direction)
        places = {value: place for place, value in enumerate(values)}
        return values, np.array([-1 if value is None else places[value] for value in self.fitness], np.int64)


class Process:
    """What a chain is made of.

    Attributes:
        states: those of trees, of which states of the process are made.
        best: the level of the end.
        direction, measure: see `Chain`.
        merges_optimum: whether all optimal states are one, number 0.
    """

    measure = "fitness"
    merges_optimum = True

    def __init__(self, spec: RunSpec, states: States) -> None:
        self.spec, self.states = spec, states
        self.direction, self.best = spec.problem.direction, spec.best

    @property
    def form(self) -> str:
        """What a state is, in words."""
        return self.states.form

    def start(self) -> Iterable[tuple[State, Fraction]]:
        """The states after the first evaluation, with their probabilities."""
        return self.states.initial_law(self.spec.init)

    def after(self, state: State) -> Row:
        """The states after one more evaluation, where something changed; or END."""
        raise NotImplementedError

    def level(self, state: State) -> Fitness:
        """What never or seldom falls: states are solved level by level."""
        fitness = self.states.fitness(state)
        self.spec.problem.check(fitness, self.spec.n)
        return fitness

    def leaves(self, state: State) -> int:
        """T of the largest tree."""
        return self.states.leaves(state)


def explore(
    process: Callable[[], Process], most_states: int, most_leaves: int | None = None, progress: Progress | None = None
) -> Chain:
    """The chain on the states that can be reached, of trees with at most this number of leaves.

    Args:
        process: makes the process; anew, when states were split on the way.
        most_states, most_leaves: the limits.
        progress: is told of states done and known.

    Raises:
        TooManyStates: there are more, or it would take long.
    """
    while True:
        with contextlib.suppress(Split):
            return _explored(process(), most_states, most_leaves, progress)


def _explored(process: Process, most_states: int, most_leaves: int | None, progress: Progress | None) -> Chain:
    values: Any = [] if process.states.law.rational else array("d")
    chain = Chain(process.form, process.measure, process.direction, values)
    numbers: dict[State, int] = {}
    losses: list[float] = []

    def number(state: State) -> int:
        if state not in numbers:
            level = process.level(state)
            if process.merges_optimum and level == process.best:
                numbers[state] = OPTIMUM
            elif len(chain) == most_states:
                raise TooManyStates
            else:
                numbers[state] = chain.append(state, level, process.leaves(state))
        return numbers[state]

    if process.merges_optimum:
        numbers[END] = chain.append(END, process.best, 0)
        chain.write_row({})
        losses.append(0.0)
    for state, chance in process.start():
        place = number(state)
        chain.start[place] = chain.start.get(place, Fraction(0)) + chance
    while (done := len(chain.begins) - 1) < len(chain):
        row = Row()  # by number
        for state, chance in process.after(chain.states[done]).items():
            is_lost = most_leaves is not None and state not in numbers and process.leaves(state) > most_leaves
            place = _LOST if is_lost else number(state)
            add(row, place, chance)
        if process.merges_optimum:
            losses.append(float(row.pop(_LOST, 0)))
        chain.write_row(row)
        if progress is not None and (done + 1) % _REPORT_EVERY == 0:
            progress(done + 1, len(chain))
    if not process.merges_optimum:
        lost = chain.append(None, None, 0)
        chain.columns = array("i", (lost if column == _LOST else column for column in chain.columns))
        chain.write_row({lost: 1.0})
    chain.form, chain.loss = process.form, losses if any(losses) else []
    return chain


def add(row: Row, state: State, chance: Number) -> None:
    """One more way to a state."""
    row[state] = row.get(state, 0) + chance


class Proposals(Process):
    """One operation, whatever becomes of its result."""

    merges_optimum = False

    def after(self, state: State) -> Row:
        return self.states.moves(state, -math.inf)


class SingleOperation(Process):
    """One operation per offspring. Results that cannot be accepted need not be made."""

    def __init__(self, spec: RunSpec, states: States) -> None:
        super().__init__(spec, states)
        rule, gains = spec.accept, set()
        if not rule.is_own and not spec.problem.is_real(spec.n):
            gains = {rule.least_gain(growth) for growth in (-1, 0, 1)}
        self._least_gain: float = min(gains, default=-math.inf)
        self._is_settled = len(gains) == 1  # the least fitness decides
        self._rule = cache(rule.accepts)

    def after(self, state: State) -> Row:
        moves = self.states.moves(state, self._least(state))
        if self._is_settled and self.spec.max_leaves_allowed is None:
            return moves
        accepts = self._acceptance(state, self._is_settled)
        return {result: chance for result, chance in moves.items() if accepts(result)}

    def _least(self, state: State) -> float:
        """The least fitness that can be accepted, turned if smaller is better."""
        return self.states.fitness(state) * self.direction + self._least_gain

    def _acceptance(self, state: State, is_settled: bool = False) -> Callable[[State], bool]:
        """Whether a result is accepted in place of a state; if that is settled, only its leaves are asked for."""
        states, limit = self.states, self.spec.max_leaves_allowed
        fitness, leaves = states.fitness(state), states.leaves(state)

        def accepts(result: State) -> bool:
            after = states.leaves(result)
            if limit is not None and after > limit:
                return False
            return is_settled or self._rule((states.fitness(result) - fitness) * self.direction, after - leaves)

        return accepts


class ManyOperations(SingleOperation):
    """An offspring has k operations with probability weights[k − 1]. The law of one, from any tree, is remembered."""

    def __init__(self, spec: RunSpec, states: States, weights: Sequence[float], most_states: int) -> None:
        super().__init__(spec, states)
        self._weights, self._most_states, self._products = weights, most_states, 0
        self._known: dict[tuple[State, float], Row] = {}

    def after(self, state: State) -> Row:
        row = Row()
        for weight, results in zip(filter(None, self._weights), self.after_each(state), strict=True):
            for result, chance in results.items():
                add(row, result, weight * chance)
        return row

    def after_each(self, state: State) -> Iterator[Row]:
        """The accepted results of each number of operations that can be drawn."""
        reached, accepts = Row({state: 1.0}), self._acceptance(state)
        for k, weight in enumerate(self._weights, 1):
            reached = self._one_more(reached, self._least(state) if k == len(self._weights) else -math.inf)
            if weight:
                yield Row({result: chance for result, chance in reached.items() if accepts(result)})

    def _one_more(self, law: Row, least: float) -> Row:
        """The law after one more operation, restricted to results of this fitness or better, turned as above."""
        after: Row = {}
        for state, chance in law.items():
            results = self._moves(state, least)
            self._products += 1 + len(results)
            for result, share in results.items():
                add(after, result, chance * share)
        if self._products > _MAX_PRODUCTS:
            raise TooManyStates
        return after

    def _moves(self, state: State, least: float) -> Row:
        if (state, least) not in self._known:
            if len(self._known) >= self._most_states:
                raise TooManyStates
            self._known[state, least] = self.states.moves(state, least)
        return self._known[state, least]
