"""The states of a run with its features, and the drift of their combinations: in floats, and exactly.

For a state s let q(s) = Σ A(s, ·) be the chance that something is accepted (`gpruntime.exact.chain`). The drift of a
function φ of states is what one evaluation takes from it in the mean,

    Δφ(s) = Σ_{s′} A(s, s′) (φ(s) − φ(s′)),

where φ = 0 at the optimum. It is linear in φ, so a potential Σ c_j f_j has drift Σ c_j Δf_j.

States are truth tables or numbers of their wrong rows (`gpruntime.exact.truth_tables`); or the pairs of counts, or
whole trees, up to renaming of variables that the fitness treats alike: an operation does, too (`counts`, `trees`).
A user's feature should. It is a function of states in any case: of the one tree that stands for each. Where it is seen
to differ between trees of one state, it is refused.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpruntime.exact.chain import END, OPTIMUM, Chain, Process, Progress, SingleOperation, TooManyStates, explore
from gpruntime.exact.counts import CountStates
from gpruntime.exact.kernel import SingleKernel
from gpruntime.exact.kinds import is_multi, kind_for
from gpruntime.exact.law import OperationLaw
from gpruntime.exact.levels import ENDLESS, OPTIMUM_, STUCK, TIME, Solution, solve_levels
from gpruntime.exact.population import population_of
from gpruntime.exact.proposed import ProposedStates
from gpruntime.exact.sizes import Plan, grows, plan_for, too_many
from gpruntime.exact.states import State, States
from gpruntime.exact.trees import TreeStates
from gpruntime.exact.truth_tables import TableStates
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import balanced
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.theory.features import Column, Value
from gpruntime.theory.verifier import check_supported

Move = tuple[int, Fraction]  # the number of the state, and the chance to come there
_GENERAL = (CountStates, TreeStates, ProposedStates, TableStates)
_REPORT_EVERY = 100
_LOOKED_AT = 200  # states of which a second tree is asked


class StateSpace:
    """All that can be reached, from the initial law of a spec.

    Attributes:
        spec: whose.
        states: what a state is.
        chain: with the optimum as number 0, in floats.
    """

    def __init__(self, spec: RunSpec, progress: Progress | None = None) -> None:
        self.spec, self._progress = spec, progress
        plan = _plan(spec)
        kind = kind_for(spec)
        law = OperationLaw(spec, rational=False)
        self.states: States = (kind if kind in _GENERAL else TreeStates)(spec, law)
        try:
            self.chain: Chain = explore(self._process, plan.most_states, plan.most_leaves, progress)
        except TooManyStates:
            raise too_many(spec, plan.most_states) from None
        self.numbers: dict[State, int] = {state: number for number, state in enumerate(self.chain.states)}

    def _process(self) -> Process:
        return (population_of(self.spec) or SingleOperation)(self.spec, self.states)

    def __len__(self) -> int:
        return len(self.chain) - 1  # without the optimum

    @cached_property
    def levels(self) -> list[Fitness]:
        """The fitnesses of all states but the optimum, from the worst to the best."""
        return [value for value in self.chain.levels()[0] if value != self.spec.best]

    @cached_property
    def kernel(self) -> SingleKernel:
        """Which states are stuck, among others."""
        return SingleKernel(self.chain)

    @cached_property
    def solution(self) -> Solution:
        """The expected times, as the exact solver has them."""
        return solve_levels(self.kernel, self.spec.accept.is_strict)

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """E[further evaluations] from each state; infinite where the optimum can be missed."""
        values = self.solution.values
        certain = values[:, STUCK] + values[:, ENDLESS] <= 0
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(certain, values[:, TIME] / values[:, OPTIMUM_], math.inf)

    @property
    def mean(self) -> float:
        """E[evaluations]."""
        return 1 + sum(float(chance) * float(self.times[number]) for number, chance in self.chain.start.items())

    def tree(self, number: int) -> Tree:
        """The tree that stands for a state."""
        return self.states.tree(self.chain.states[number])

    def trees_with_times(self) -> list[tuple[Tree, float]]:
        """Of all states but the optimum."""
        return [(self.tree(number), float(self.times[number])) for number in range(1, len(self.chain))]

    def values(self, columns: Sequence[Column]) -> list[tuple[Value, ...]]:
        """The features of each state."""
        found: list[tuple[Value, ...]] = []
        step = max(1, len(self.chain) // _LOOKED_AT)
        for number, (state, fitness) in enumerate(zip(self.chain.states, self.chain.fitness, strict=True)):
            if state is END:
                found.append((0,) * len(columns))
                continue
            assert fitness is not None
            tree = self.states.tree(state)
            found.append(tuple(column.value(tree, fitness) for column in columns))
            if number % step == 0:
                self._check_alike(columns, tree, fitness, found[-1])
        return found

    def _check_alike(self, columns: Sequence[Column], tree: Tree, fitness: Fitness, values: tuple[Value, ...]) -> None:
        """Another tree of the state has the same features."""
        other = self._another(tree)
        for column, value in zip(columns, values, strict=True):
            if (seen := column.value(other, fitness)) != value:
                words = f"must be the same for trees that a run treats alike: {value} for {tree}, {seen} for {other}"
                raise BadInput("features", column.name.partition("@")[0], words)

    def _another(self, tree: Tree) -> Tree:
        if isinstance(self.states, TableStates):
            table: Tree = self.states.tree(self.states.of(tree), last=True)
            return table
        terminals = tree.terminals()
        if isinstance(self.states, CountStates) and len(terminals) > 1:
            random.Random(str(tree)).shuffle(terminals)  # noqa: S311
            other = balanced(terminals[:1] + terminals[1:], self.spec.primitives.functions[0])
            if self.states.of(other) == self.states.of(tree):
                return other
        return self.states.tree(self.states.of(tree.copy()))

    def float_drifts(self, values: Sequence[tuple[Value, ...]]) -> NDArray[np.float64]:
        """Δf_j(s) in floats: a row for each state, the optimum included."""
        features = np.array([[float(value) for value in row] for row in values])
        matrix = self.chain.matrix()
        leaving: NDArray[np.float64] = np.asarray(matrix.sum(axis=1))
        return np.asarray(leaving[:, None] * features - matrix @ features)

    def all_moves(self, numbers: Sequence[int]) -> Iterator[list[Move]]:
        """For each of these states, those after one evaluation that accepts something, with fractions for chances."""
        law = self.states.law
        self.states.law = OperationLaw(self.spec, rational=True)
        try:
            process = self._process()
            for place, number in enumerate(numbers):
                if self._progress is not None and place and place % _REPORT_EVERY == 0:
                    self._progress(place, len(numbers))
                row: dict[int, Fraction] = {}
                for state, chance in process.after(self.chain.states[number]).items():
                    to = self._number(state)
                    row[to] = row.get(to, Fraction(0)) + chance
                yield list(row.items())
        finally:
            self.states.law = law

    def _number(self, state: State) -> int:
        number = self.numbers.get(state)  # of END, too
        if number is None:
            assert self.states.fitness(state) == self.spec.best
            return OPTIMUM
        return number


def _plan(spec: RunSpec) -> Plan:
    """Raises `BadInput` where states are not finitely many; certificates are found by cells there (`closing`)."""
    check_supported(spec)
    if is_multi(spec):
        multi = spec.algorithm.multi
        name, value = ("algorithm", spec.algorithm.id) if multi else ("operations", spec.operations.id)
        raise BadInput(name, value, "must be one operation per offspring: their chances are fractions")
    if grows(spec):
        words = "trees grow without end: states are not finitely many; give a size limit (--max-leaves)"
        raise BadInput("max_leaves_allowed", "none", words)
    return dataclasses.replace(plan_for(spec, rational=False), most_leaves=None)
