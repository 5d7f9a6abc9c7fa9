"""E[evaluations] of a strategy, and the strategies that are compared.

A *strategy* gives the odds w(s, a) of each choice a in each state s. Its chain has P = Σ_a w(·, a) P_a, and is solved
as every exact chain is (`gpruntime.exact.levels`). V(s) are the expected further evaluations.

**Optimal.** The *advantage* of a in s is what one evaluation by a costs beyond what it brings:

    A(s, a) = 1 − Σ_{s′} P_a(s, s′) (V(s) − V(s′)).

Policy iteration chooses argmin_a A(s, a) in every state, solves the new chain, and ends when no advantage is negative.
It begins with the spec's odds, and from a strategy that surely comes to an end it only passes to such. Choices that may
lead to where the optimum is not sure any more are left out first (`_safe`). If in the end A ≥ −ρ everywhere, no
strategy is better than V/(1 + ρ): summed over a run, V ≤ V* + ρ V*.

**By level.** The choice depends on the fitness alone: one choice, or the spec's odds, for each level. What is best on a
level depends on the states in which it is entered, so on the levels below too. Levels are changed one at a time until
no change of one level helps; a better strategy that differs at two levels at once is not excluded.

**Maximal drift.** The choice with the largest expected gain of fitness; among equal ones, the spec's odds.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from gpruntime.exact.kernel import Mask, Matrix, Rows, SingleKernel, Vector, reaching
from gpruntime.exact.levels import ENDLESS, STUCK, TIME, Solution, solve_levels
from gpruntime.model.errors import BadInput
from gpruntime.theory.choices import Choices

OPTIMAL, BY_LEVEL, DRIFT, FIXED = "optimal", "by level", "maximal drift", "fixed odds"
_SAME = 1e-12
_TOLERANCE = 1e-13  # of the largest V: its rounding
_MOST_ROUNDS = 1000

Odds = NDArray[np.float64]  # states × choices


@dataclass(frozen=True)
class Strategy:
    """A strategy and its price.

    Attributes:
        name: which.
        odds: w, by state and choice.
        mean: E[evaluations], the initial tree's included; infinite if a run may never end.
        spent: the expected evaluations at each fitness level by each choice; None where the mean is infinite.
    """

    name: str
    odds: Odds
    mean: float
    spent: NDArray[np.float64] | None


class Optimum(NamedTuple):
    """The optimal strategy, and by how much its mean may be above the optimum, relatively."""

    strategy: Strategy
    gap: float


class Solver:
    """Evaluates strategies on one chain."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._kernels = choices.kernels
        values, self.level = choices.chain.levels()
        self.levels = values[:-1] if values[-1] == choices.spec.best else values
        self._start = choices.chain.start_vector()
        self._falls = SingleKernel(choices.chain).falls
        self._safe_choices, self._sure = self._safe()
        if (np.asarray(self._start)[~self._sure] > 0).any():
            what = f"{choices.spec.algorithm.name} on {choices.spec.problem.name}"
            allowed = "E[evaluations] is infinite whatever is chosen: the optimum can come to be out of reach"
            raise BadInput("problem", what, allowed)

    def fixed(self) -> Strategy:
        """The spec's own odds."""
        return self._strategy(FIXED, self._own_odds())

    def optimal(self) -> Optimum:
        """By policy iteration."""
        safe = self._safe_choices
        odds = np.where(safe, self._choices.odds, 0.0)
        none: Mask = np.asarray(~odds.any(axis=1))
        odds[none] = self._choices.odds
        odds /= odds.sum(axis=1, keepdims=True)
        chosen = np.full(len(odds), -1)
        for rounds in itertools.count(1):
            solution = self._solved(odds)
            further = np.where(self._sure, solution.values[:, TIME], 0.0)
            advantages = np.where(safe, self._advantages(further), np.inf)
            advantages[none] = 0.0
            best = advantages.argmin(axis=1)
            gained = advantages.min(axis=1)
            present = np.where(chosen >= 0, advantages[np.arange(len(odds)), chosen], np.inf)
            better = gained < present - _TOLERANCE * max(1.0, float(further.max()))
            better &= ~none
            if not better.any() or rounds == _MOST_ROUNDS:
                gap = max(0.0, -float(gained[self._sure].min(initial=0.0)))
                return Optimum(self._strategy(OPTIMAL, odds, solution), gap)
            chosen = np.where(better, best, chosen)
            odds = np.where(none[:, None], odds, np.eye(len(self._choices))[chosen])
        raise AssertionError

    def by_level(self) -> Strategy:
        """One choice a level, or the spec's odds there."""
        own = self._choices.odds
        options = [own, *np.eye(len(self._choices))]
        mean_of = self._means_by_level(options)
        picked = [0] * len(self.levels)
        best, is_changed = mean_of(picked), True
        while is_changed:
            is_changed = False
            for level, option in itertools.product(reversed(range(len(picked))), range(len(options))):
                tried = [*picked[:level], option, *picked[level + 1 :]]
                mean = mean_of(tried)
                if mean < best * (1 - _SAME) or mean < math.inf == best:
                    picked, best, is_changed = tried, mean, True
        return self._strategy(BY_LEVEL, self.of_levels([options[option] for option in picked]))

    def _means_by_level(self, options: list[NDArray[np.float64]]) -> Callable[[list[int]], float]:
        """E[evaluations] from the option of each level."""
        if self._falls:
            return lambda picked: self._mean(self._solved(self.of_levels([options[option] for option in picked])))
        mixed = [self._mixed(np.tile(option, (len(self.level), 1))) for option in options]
        return _LevelSolver(mixed, self.level, len(self.levels), self._start).mean

    def drift(self) -> Strategy:
        """The largest expected gain of fitness."""
        chain = self._choices.chain
        fitness = np.array([float(value or 0) for value in chain.fitness]) * chain.direction
        gains = np.stack([P @ fitness - P.sum(axis=1) * fitness for P in self._kernels], axis=1)
        most = gains.max(axis=1, keepdims=True)
        odds = np.where(gains >= most - _SAME * np.maximum(1.0, np.abs(most)), self._choices.odds, 0.0)
        return self._strategy(DRIFT, odds / odds.sum(axis=1, keepdims=True))

    def of_levels(self, picked: list[NDArray[np.float64]]) -> Odds:
        """The odds of a strategy that looks at the level alone."""
        table = np.stack([*picked, self._choices.odds])  # the last is the optimum's
        return table[np.minimum(self.level, len(picked))]

    def _own_odds(self) -> Odds:
        return np.tile(self._choices.odds, (len(self._choices.chain), 1))

    def _strategy(self, name: str, odds: Odds, solution: Solution | None = None) -> Strategy:
        solution = solution or self._solved(odds)
        mean = self._mean(solution)
        spent = None
        if math.isfinite(mean):
            spent = np.zeros((len(self.levels), odds.shape[1]))
            below = self.level < len(self.levels)
            np.add.at(spent, self.level[below], np.maximum(solution.offspring[below, None], 0.0) * odds[below])
        return Strategy(name, odds, mean, spent)

    def _solved(self, odds: Odds) -> Solution:
        matrix = self._mixed(odds)
        mixed: dict[str, Any] = {"values": matrix.data, "columns": matrix.indices, "begins": matrix.indptr}
        chain = dataclasses.replace(self._choices.chain, **mixed)
        return solve_levels(SingleKernel(chain), self._choices.spec.accept.is_strict)

    def _mixed(self, odds: Odds) -> Matrix:
        """The matrix of a strategy's chain."""
        parts = [sparse.diags_array(odds[:, place]) @ P for place, P in enumerate(self._kernels)]
        matrix = sparse.csr_array(sum(parts[1:], parts[0]))
        matrix.eliminate_zeros()
        return matrix

    def _mean(self, solution: Solution) -> float:
        answers = self._start @ solution.values
        return math.inf if answers[STUCK] > 0 or answers[ENDLESS] > 0 else 1 + float(answers[TIME])

    def _advantages(self, further: Vector) -> Odds:
        return np.stack([1 - (P.sum(axis=1) * further - P @ further) for P in self._kernels], axis=1)

    def _safe(self) -> tuple[Mask, Mask]:
        """Which choices keep the optimum sure, and from which states it can be made sure: the largest such set."""
        sure = np.ones(len(self._choices.chain), np.bool_)
        end = np.zeros_like(sure)
        end[0] = True
        while True:
            outside = (~sure).astype(np.float64)
            safe = np.stack([P @ outside == 0 for P in self._kernels], axis=1) & sure[:, None]
            still = sure & reaching(self._mixed(safe.astype(np.float64)), end)
            if (still == sure).all():
                return safe, sure
            sure = still


class _LevelSolver:
    """E[evaluations] of strategies that choose by level, quickly: each level and option is factorised once.

    Where the fitness never falls, V on a level follows from V on the levels above it: with B = diag(Σ P(s, ·)) − P on
    the level, B V = 1 + Σ_{s′ above} P V(s′). V is infinite where a state can be reached from which nothing leads to a
    better level, or from which V is infinite.
    """

    def __init__(self, kernels: Sequence[Matrix], level: Rows, levels: int, start: Vector) -> None:
        self._start, self._further = start, np.zeros((levels + 1, len(start)))
        rows = [np.flatnonzero(level == place) for place in range(levels)]
        self._blocks = [[_Block(P, here) for P in kernels] for here in rows]
        self._picked: list[int] = [-1] * levels  # of which `_further` is known

    def mean(self, picked: Sequence[int]) -> float:
        """E[evaluations], where each level, from the worst on, has this option."""
        changed = max(
            (at for at, (one, other) in enumerate(zip(picked, self._picked, strict=True)) if one != other), default=-1
        )
        for place in reversed(range(changed + 1)):
            block = self._blocks[place][picked[place]]
            self._further[place] = self._further[place + 1]
            self._further[place, block.rows] = block.solve(self._further[place + 1])
        self._picked = list(picked)
        further, begun = self._further[0], self._start > 0
        return 1 + float(self._start[begun] @ further[begun]) if np.isfinite(further[begun]).all() else math.inf


class _Block:
    """A level under one option."""

    def __init__(self, kernel: Matrix, rows: NDArray[np.int64]) -> None:
        self.rows = rows
        self._inside = kernel[rows][:, rows].tocsr()
        outward = kernel[rows].tocoo()
        above = ~np.isin(outward.col, rows)
        parts = outward.data[above], (outward.row[above], outward.col[above])
        self._outward: Matrix = sparse.csr_array(parts, shape=outward.shape)
        leave: Vector = np.asarray(kernel[rows].sum(axis=1))
        self._matrix = sparse.csc_array(sparse.diags_array(leave) - self._inside)
        self._ends = reaching(self._inside, np.asarray(self._outward.sum(axis=1)) > 0)
        self._factors: dict[bytes, Any] = {}

    def solve(self, further: Vector) -> Vector:
        """V on the level, from V above it."""
        infinite = np.isinf(further)
        lost: Mask = ~self._ends | (self._outward @ infinite.astype(np.float64) > 0)
        good = np.flatnonzero(~reaching(self._inside, lost))
        solved = np.full(len(self.rows), np.inf)
        if len(good):
            right = 1 + self._outward[good] @ np.where(infinite, 0.0, further)
            solved[good] = self._factor(good).solve(right)
        return solved

    def _factor(self, good: Rows) -> Any:
        key = good.tobytes()
        if key not in self._factors:
            self._factors[key] = linalg.splu(self._matrix[good][:, good].tocsc())
        return self._factors[key]
