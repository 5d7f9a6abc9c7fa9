"""The chain of a run in which each evaluation is preceded by a choice: one kernel P_a for each choice a.

**What is chosen.** Where an offspring has one operation, its kind: substitution, insertion or deletion. Where k is
drawn from a law on 1 … K, the number k. What the spec never draws cannot be chosen.

**The states** are those of the exact chain, on which the choice may depend. The spec's own odds o_a give its chain,
P = Σ o_a P_a, so the states that can be reached are the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.chain import (
    END,
    OPTIMUM,
    Chain,
    ManyOperations,
    Process,
    Progress,
    Row,
    SingleOperation,
    TooManyStates,
    add,
    explore,
)
from gpruntime.exact.kernel import Matrix
from gpruntime.exact.kinds import is_multi, states_of
from gpruntime.exact.law import number_law
from gpruntime.exact.sizes import Plan, plan_for, too_many
from gpruntime.exact.states import State, States
from gpruntime.model.errors import BadInput
from gpruntime.model.mutation import KINDS
from gpruntime.model.spec import MAX_BUDGET, RunSpec

MOST_STATES = 200_000
_MOST_CHOICES = 20


@dataclass(frozen=True)
class Choices:
    """A chain with its choices.

    Attributes:
        spec: of the run.
        names: what can be chosen: kinds of operations, or "k = 1" and so on.
        odds: o_a.
        chain: that of the spec's own odds.
        kernels: P_a for each choice.
        states: what a state of the chain says of trees.
    """

    spec: RunSpec
    names: tuple[str, ...]
    odds: NDArray[np.float64]
    chain: Chain
    kernels: tuple[Matrix, ...]
    states: States

    def __len__(self) -> int:
        return len(self.names)


class _ByChoice(Process):
    """The spec's own chain, which writes down the rows of each choice on the way."""

    def __init__(self, spec: RunSpec, states: States, odds: Sequence[float]) -> None:
        super().__init__(spec, states)
        self.odds = odds
        self.rows: list[list[Row]] = [[Row() for _ in odds]]  # the end's first

    def after(self, state: State) -> Row:
        rows, mixed = self.each(state), Row()
        self.rows.append(rows)
        for odds, row in zip(self.odds, rows, strict=True):
            for result, chance in row.items():
                add(mixed, result, odds * chance)
        return mixed

    def each(self, state: State) -> list[Row]:
        """The accepted results of each choice."""
        raise NotImplementedError


class _Kinds(_ByChoice):
    """The choice is the kind of the one operation."""

    def __init__(self, spec: RunSpec, states: States, kinds: Sequence[int]) -> None:
        total = sum(spec.weights)
        super().__init__(spec, states, [spec.weights[kind] / total for kind in kinds])
        alone = [with_kind(spec, kind) for kind in kinds]
        self._processes = [SingleOperation(each, states.under(each)) for each in alone]

    def each(self, state: State) -> list[Row]:
        return [process.after(state) for process in self._processes]


class _Numbers(_ByChoice):
    """The choice is the number of operations."""

    def __init__(self, spec: RunSpec, states: States, numbers: Sequence[int], most_states: int) -> None:
        weights = number_law(spec, spec.operations.most).weights
        super().__init__(spec, states, [weights[k - 1] for k in numbers])
        self._process = ManyOperations(spec, states, weights, most_states)

    def each(self, state: State) -> list[Row]:
        return list(self._process.after_each(state))


def with_kind(spec: RunSpec, kind: int) -> RunSpec:
    """The spec that draws one kind of operation alone."""
    return spec.replace(weights=[float(each == kind) for each in range(len(KINDS))], budget=MAX_BUDGET)


def choices_of(spec: RunSpec, progress: Progress | None = None) -> Choices:
    """The chain of a spec with its choices.

    Raises:
        BadInput: there is nothing to choose, or the chain is not finite or too large.
    """
    choices, names = choosable(spec)
    plan = plan_for(spec, rational=False)
    if plan.most_leaves is not None and not plan.finite:
        allowed = "must be an integer: a policy needs finitely many states, and here trees grow without end"
        raise BadInput("max_leaves_allowed", "none", allowed)
    most = min(plan.most_states, MOST_STATES)
    states, made = states_of(spec), list[_ByChoice]()

    def process() -> _ByChoice:
        kind = _Numbers(spec, states, choices, most) if is_multi(spec) else _Kinds(spec, states, choices)
        made.append(kind)
        return kind

    try:
        chain = explore(process, most, None, progress)
    except TooManyStates:
        raise _too_many(spec, plan, most) from None
    last = made[-1]
    numbers = {state: number for number, state in enumerate(chain.states) if state is not END}
    kernels = tuple(_matrix([rows[place] for rows in last.rows], numbers) for place in range(len(names)))
    return Choices(spec, names, np.array(last.odds), chain, kernels, states)


def choosable(spec: RunSpec) -> tuple[list[int], tuple[str, ...]]:
    """What can be chosen, as numbers (kinds by their place in `KINDS`, or k) and as words.

    Raises:
        BadInput: there is nothing to choose.
    """
    spec.require_trees("a policy")
    if spec.has_population:
        name, value = ("search", spec.search.id) if spec.search else ("algorithm", spec.algorithm.id)
        raise BadInput(name, value, "policies are for one tree: take gp-single or gpstar-single, with any --accept")
    if spec.operator.is_own:
        raise BadInput("operator", spec.operator.id, "a policy chooses among the operations of our own operators")
    if spec.algorithm.multi:
        allowed = "k has no largest value: give a law on 1 … K, as in --operations table:p=0.5/0.3/0.2"
        raise BadInput("algorithm", spec.algorithm.id, allowed)
    if not is_multi(spec):
        kinds = [kind for kind, weight in enumerate(spec.weights) if weight > 0]
        if len(kinds) < 2:
            raise BadInput("weights", spec.weights, "leave one kind of operation: there is nothing to choose")
        return kinds, tuple(KINDS[kind] for kind in kinds)
    weights = number_law(spec, spec.operations.most).weights
    numbers = [k for k, weight in enumerate(weights, 1) if weight > 0]
    if not 2 <= len(numbers) <= _MOST_CHOICES:
        allowed = f"leaves {len(numbers)} numbers of operations to choose from: 2 to {_MOST_CHOICES} can be"
        raise BadInput("operations", spec.operations.id, allowed)
    return numbers, tuple(f"k = {k}" for k in numbers)


def _matrix(rows: Sequence[Row], numbers: dict[State, int]) -> Matrix:
    """The states that have no number are optimal."""
    values, columns, begins = array("d"), array("i"), array("q", [0])
    for row in rows:
        summed = Row()
        for state, chance in row.items():
            add(summed, numbers.get(state, OPTIMUM), chance)
        columns.extend(summed)
        values.extend(map(float, summed.values()))
        begins.append(len(columns))
    parts = np.asarray(values), np.asarray(columns), np.asarray(begins)
    return sparse.csr_array(parts, shape=(len(rows), len(rows)))


def _too_many(spec: RunSpec, plan: Plan, most: int) -> BadInput:
    if most == plan.most_states and not is_multi(spec):
        return too_many(spec, most)
    fewer = "n, a smaller K or a smaller initial tree" if is_multi(spec) else "n or a smaller initial tree"
    return BadInput("n", spec.n, f"too large: a policy is for at most {most:,} states; take a smaller {fewer}")
