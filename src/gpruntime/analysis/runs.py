"""The runs of one cell, as rows or added up: what every estimate asks of them is the same.

A stuck run never ends, so its time is infinite; a stopped run's is above the budget.

Counts, means and deviations of a summary are those of its rows, exactly. A time is known to its bin, so that a
quantile's interval goes from the least time of one bin to the largest of another, and holds what the rows' interval
holds. Tree sizes, accepted operations and pairs of runs are kept with rows only.

Of a summary that an earlier version stored, some times from 2⁵³ on may be in no bin (`gpruntime.engine.summary`). Then
the skewness is not known, and a quantile that may be one of those times is only above what is known of it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.estimates import Estimate, Moments, Ranked, Sums, Values, proportion
from gpruntime.analysis.formatting import Above
from gpruntime.analysis.survival import Survival, from_counts, from_times
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec

if TYPE_CHECKING:
    from gpruntime.engine.summary import RunsSummary

OUTCOMES = tuple(Outcome)
OPTIMUM, STUCK, BUDGET = range(3)
Integers: TypeAlias = "NDArray[np.int64]"

PROBABILITIES = (0.05, 0.25, 0.5, 0.75, 0.95)
_TAIL = (0.99, 0.999, 0.9999, 0.99999, 0.999999)  # what very many runs are made for
_NOT_BINNED = "an earlier version stored the summary, and times from 2⁵³ on only as a sum"


class Operations(NamedTuple):
    """Σp, Σa, Σp², Σpa and Σa² over runs, for p proposed and a accepted operations of a kind."""

    proposed: float
    accepted: float
    proposed_proposed: float
    proposed_accepted: float
    accepted_accepted: float


class Address(NamedTuple):
    """Where runs are to be found: their seed and method, and their numbers."""

    seed: int
    method: str
    first: int
    last: int
    runs: int


class Times(ABC):
    """How long the runs of one cell took, in evaluations, and how they ended."""

    spec: RunSpec
    probabilities: tuple[float, ...] = PROBABILITIES
    quantile_method = "order statistics"

    @abstractmethod
    def __len__(self) -> int:
        """How many runs."""

    @abstractmethod
    def count(self, outcome: int) -> int:
        """How many of them ended like this."""

    def share(self, outcome: int, level: float) -> Estimate:
        """The probability of ending like this."""
        return proportion(self.count(outcome), len(self), level)

    @abstractmethod
    def moments(self, horizon: int | None = None) -> Moments:
        """Of the times of the runs that reached the optimum; with a horizon, of min(time, horizon) of all."""

    @abstractmethod
    def spent(self) -> Sums:
        """a: the evaluations of each run, however it ended; b: 1 if it reached the optimum, else 0."""

    @abstractmethod
    def _reached(self) -> Callable[[int], Ranked]:
        """The times of the runs that reached the optimum, by rank."""

    @abstractmethod
    def survival(self, level: float) -> Survival:
        """P(time > t)."""

    def ranked(self) -> Callable[[int], Ranked]:
        """The times of all runs by rank: first those that reached the optimum, then the stopped, then the stuck."""
        at, reached, stopped = self._reached(), self.count(OPTIMUM), self.count(BUDGET)

        def of_rank(rank: int) -> Ranked:
            if rank <= reached:
                return at(rank)
            beyond = Above(self.spec.budget or 0) if rank <= reached + stopped else math.inf
            return Ranked(beyond, beyond)

        return of_rank

    @property
    def horizon(self) -> float | None:
        """The budget, where it stopped runs: beyond it nothing is known."""
        return float(self.spec.budget or 0) if self.count(BUDGET) else None


@dataclass(frozen=True)
class RowTimes(Times):
    """From one row a run.

    Attributes:
        spec: what the runs were asked to be.
        outcome: 0, 1, 2 for optimum, stuck, budget.
        evaluations: until then.
    """

    spec: RunSpec
    outcome: NDArray[np.integer[Any]]
    evaluations: Integers

    def __len__(self) -> int:
        return len(self.evaluations)

    def count(self, outcome: int) -> int:
        """How many of them ended like this."""
        return int((self.outcome == outcome).sum())

    def of_optimum(self) -> Values:
        """The times of the runs that reached the optimum."""
        return np.asarray(self.evaluations[self.outcome == OPTIMUM], float)

    def until(self, horizon: int) -> Values:
        """min(time, horizon) of each run; a stuck one counts in full."""
        times = np.where(self.outcome == OPTIMUM, self.evaluations, math.inf)
        return np.asarray(np.minimum(times, float(horizon)))

    def moments(self, horizon: int | None = None) -> Moments:
        """Of the times of the runs that reached the optimum; with a horizon, of min(time, horizon) of all."""
        return Moments.of(self.of_optimum() if horizon is None else self.until(horizon))

    def spent(self) -> Sums:
        """a: the evaluations of each run, however it ended; b: 1 if it reached the optimum, else 0."""
        return Sums.of(self.evaluations.astype(float), (self.outcome == OPTIMUM).astype(float))

    def _reached(self) -> Callable[[int], Ranked]:
        ordered = np.sort(self.of_optimum())
        return lambda rank: Ranked(float(ordered[rank - 1]), float(ordered[rank - 1]))

    def survival(self, level: float) -> Survival:
        """P(time > t)."""
        return from_times(self.of_optimum(), len(self), self.horizon, level)


@dataclass(frozen=True)
class CellRuns(RowTimes):
    """The same with what rows say besides.

    Attributes:
        max_leaves: of each run.
        operations: for each kind, sums over the runs of proposed, accepted, and their products, see `Operations`.
        addresses: from which the runs can be repeated.
        max_population: of each run; None for a (1+1) GP.
    """

    max_leaves: Integers
    operations: dict[str, Operations]
    addresses: tuple[Address, ...]
    max_population: Integers | None = field(default=None, kw_only=True)


class _Bins(NamedTuple):
    """The bins that hold runs: their least times, their largest, and how many runs.

    The last may be open: it holds the runs that are in no bin, and the others may reach into it.
    """

    least: Integers
    largest: Integers
    runs: Integers
    is_open: bool

    def middle(self) -> tuple[Values, Integers] | None:
        """The times, roughly, and how many; None where some are not known."""
        return None if self.is_open else (np.asarray(self.least / 2 + self.largest / 2), self.runs)

    def of_rank(self, rank: int) -> Ranked:
        """The time of a rank: as little, or as large, as the bins allow."""
        least = float(self.least[self._place(rank, self.least)])
        place = self._place(rank, self.largest)
        if not self.is_open:
            return Ranked(least, float(self.largest[place]))
        last = place == len(self.runs) - 1
        largest = Above(self.least[place] - 1) if last else float(self.largest[place])
        return Ranked(least, largest, _NOT_BINNED if largest >= self.least[-1] - 1 else "")

    def _place(self, rank: int, ends: Integers) -> int:
        """The bin of a run by its rank, with the runs of each bin at one of its ends."""
        order = np.argsort(ends, kind="stable")
        return int(order[np.searchsorted(np.cumsum(self.runs[order]), rank)])


@dataclass(frozen=True)
class SummaryTimes(Times):
    """From the summary of the runs, where no rows were kept (`store = "summaries"` in a plan)."""

    spec: RunSpec
    summary: RunsSummary
    probabilities = (*PROBABILITIES, *_TAIL)
    quantile_method = "order statistics of bins"

    @cached_property
    def _bins(self) -> _Bins:
        from gpruntime.engine.summary import OPEN_BIN, bin_begins, bin_ends

        places, is_open = np.flatnonzero(self.summary.histogram), self.summary.unbinned > 0
        least, largest, runs = bin_begins()[places], bin_ends()[places], self.summary.histogram[places]
        if is_open:
            least, largest = np.append(least, bin_begins()[OPEN_BIN]), np.append(largest, bin_ends()[-1])
            runs = np.append(runs, self.summary.unbinned)
        return _Bins(least, largest, runs, is_open)

    def __len__(self) -> int:
        return self.summary.runs

    def count(self, outcome: int) -> int:
        """How many of them ended like this."""
        return self.summary.outcomes[OUTCOMES[outcome]]

    def moments(self, horizon: int | None = None) -> Moments:
        """Of the times of the runs that reached the optimum; with a horizon, of min(time, horizon) of all."""
        summary, bins = self.summary, self._bins.middle()
        if horizon is None:
            return Moments.of_sums(summary.optima, summary.total, summary.squares, bins)
        others = summary.runs - summary.optima
        total, squares = summary.total + others * horizon, summary.squares + others * horizon**2
        if bins is not None:
            bins = np.append(bins[0], horizon), np.append(bins[1], others)
        return Moments.of_sums(summary.runs, total, squares, bins)

    def spent(self) -> Sums:
        """As of rows. The squares of stuck runs' evaluations are not kept."""
        summary, stopped = self.summary, self.count(BUDGET)
        squares = None if self.count(STUCK) else summary.squares + stopped * (self.spec.budget or 0) ** 2
        optima = summary.optima
        return Sums.of_products(summary.runs, summary.evaluations, optima, squares, summary.total, optima)

    def _reached(self) -> Callable[[int], Ranked]:
        return self._bins.of_rank

    def survival(self, level: float) -> Survival:
        """P(time > t), exact where a bin ends; known up to where runs are in no bin."""
        bins, horizon = self._bins, self.horizon
        known = np.ones(len(bins.runs), bool)
        if bins.is_open:
            begin = float(bins.least[-1] - 1)
            horizon, known = min(begin, horizon or begin), bins.largest < bins.least[-1]
        beyond = len(self) - np.cumsum(bins.runs[known])
        return from_counts(bins.largest[known].astype(float), beyond, len(self), horizon, level)
