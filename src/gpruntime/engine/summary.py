"""Many runs added up: counts, moments, a histogram, and the extreme runs by number.

A table is added up where it is, also in a GPU's memory, and forgotten. All numbers are exact integers, so they do not
depend on batches or devices.

**Bins.** A time t below 128 has a bin of its own. From there on each octave, from 2ᵉ to 2ᵉ⁺¹ − 1, is cut into 64 bins
of equal width: bin 64·(e − 6) + ⌊t / 2ᵉ⁻⁶⌋. So a bin's width is at most 1/64 of its times.

Earlier versions had these bins up to 2⁵³ − 1, and counted all longer times in the last of them. Summaries that they
stored are still read: what they had there is in no bin (`RunsSummary.unbinned`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.columns import EVALUATIONS, OUTCOME, OUTCOMES
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec

OCTAVE = 64  # bins
BINS = OCTAVE * (62 - 6) + 2 * OCTAVE
OPEN_BIN = OCTAVE * (52 - 6) + 2 * OCTAVE - 1  # the last bin of earlier versions, which had no end
HALF = 2**16  # squares are added up by halves of a number, exactly as long as it is below 2³⁶
_MAX_EXACT = 2**36

Extremes: TypeAlias = "list[tuple[int, int]]"
"""(evaluations, run) of some runs, the most extreme first."""


def bins_of(times: Any, arrays: Any = np) -> Any:
    """The bin of each time."""
    exponent = arrays.maximum(arrays.frexp(times.astype(np.float64))[1].astype(np.int64) - 1, 0)
    exponent = exponent - (times >> exponent == 0)  # a float of more than 53 bits may be rounded up to a power of two
    above = arrays.maximum(exponent - 6, 0)
    return OCTAVE * above + (times >> above)


def bin_begins() -> NDArray[np.int64]:
    """The least time of each bin."""
    bins = np.arange(BINS)
    above = np.maximum(bins // OCTAVE - 1, 0)
    begins: NDArray[np.int64] = (bins - OCTAVE * above) << above
    return begins


def bin_ends() -> NDArray[np.int64]:
    """The largest time of each bin."""
    return np.append(bin_begins()[1:] - 1, np.iinfo(np.int64).max)


@dataclass
class RunsSummary:
    """Runs of one spec and seed, added up.

    Attributes:
        spec, seed, first, runs: the addresses: runs first … first + runs − 1.
        outcomes: how many ended in each way.
        total, squares: of the times of the runs that reached the optimum.
        histogram: how many of those fell into each bin; `bin_begins` says where they begin.
        unbinned: how many of those are in no bin, as an earlier version counted them: their times are at least that at
            which `OPEN_BIN` begins.
        evaluations: of all runs, however they ended.
        largest, smallest: the extreme runs of all.
        device: which computed them.
        by_the_engine: how many of them outgrew their room there, and were made by the engine.
    """

    spec: RunSpec
    seed: int
    first: int
    runs: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    total: int = 0
    squares: int = 0
    evaluations: int = 0
    histogram: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, np.int64))
    unbinned: int = 0
    largest: Extremes = field(default_factory=list)
    smallest: Extremes = field(default_factory=list)
    device: str = ""
    by_the_engine: int = 0

    @property
    def optima(self) -> int:
        """How many reached the optimum."""
        return self.outcomes[Outcome.OPTIMUM]

    def steps(self) -> int:
        """Offspring made: all evaluations but those of the initial trees."""
        return self.evaluations - self.runs

    def mean(self) -> float:
        """The mean time of the runs that reached the optimum."""
        return self.total / self.optima

    def deviation(self) -> float:
        """The standard deviation of those times."""
        return math.sqrt((self.squares * self.optima - self.total**2) / (self.optima * (self.optima - 1)))

    def beyond(self) -> Iterator[tuple[int, int]]:
        """(t, how many runs did not reach the optimum within fewer than t evaluations), where each bin begins."""
        others = self.runs - self.optima + self.unbinned
        above = np.cumsum(self.histogram[::-1])[::-1] + others
        known = OPEN_BIN + 1 if self.unbinned else BINS
        yield from zip(bin_begins()[:known].tolist(), above[:known].tolist(), strict=True)

    def add(self, table: Any, first: int, keep: int, arrays: Any) -> None:
        """A table whose rows are the runs first, first + 1, …; `arrays` is NumPy, or CuPy where that holds it."""
        times, ends = table[:, EVALUATIONS], table[:, OUTCOME]
        for code, outcome in enumerate(OUTCOMES):
            self.outcomes[outcome] += int((ends == code).sum())
        reached = times if int((ends == 0).sum()) == len(times) else times[ends == 0]
        self.total += _exact_sum(reached)
        self.squares += sum(time * time for time in reached[reached >= _MAX_EXACT].tolist())
        usual = arrays.where(reached < _MAX_EXACT, reached, 0)
        low, high = usual % HALF, usual // HALF
        self.squares += joined_squares(*(int(part.sum()) for part in (low * low, low * high, high * high)))
        counted = arrays.bincount(bins_of(reached, arrays), minlength=BINS)
        self.histogram += counted if arrays is np else arrays.asnumpy(counted)
        small = _extremes(self.smallest, times, 1, first, keep, arrays)
        self.keep_extremes(small, _extremes(self.largest, times, -1, first, keep, arrays), keep)
        self.runs += len(times)
        self.evaluations += _exact_sum(times)

    def merge(self, other: RunsSummary, keep: int) -> None:
        """Takes in other runs of the same spec and seed, in any order. Where parts are missing, numbers have gaps."""
        self.first = min(self.first, other.first)
        for outcome, number in other.outcomes.items():
            self.outcomes[outcome] += number
        for name in ("runs", "evaluations", "total", "squares", "histogram", "unbinned", "by_the_engine"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.keep_extremes(other.smallest, other.largest, keep)

    def keep_extremes(self, small: Iterable[tuple[int, int]], large: Iterable[tuple[int, int]], keep: int) -> None:
        """The most extreme of these and of those before; of equal ones the least numbers."""
        self.smallest = sorted([*self.smallest, *small])[:keep]
        self.largest = sorted([*self.largest, *large], key=lambda run: (-run[0], run[1]))[:keep]


def joined_squares(low: int, mixed: int, high: int) -> int:
    """Σt², from the sums of products of the halves of t."""
    return low + 2 * HALF * mixed + HALF**2 * high


def _exact_sum(values: Any) -> int:
    """By halves of a number: skipping may count more evaluations than fit into 64 bits together."""
    return int((values & 0xFFFFFFFF).sum()) + (int((values >> 32).sum()) << 32)


def _extremes(before: Extremes, times: Any, sign: int, first: int, keep: int, arrays: Any) -> Extremes:
    """The runs that may belong to the `keep` least times, or by sign −1 to the largest, beside those before."""
    keys = sign * times
    if keep == 0:
        return []
    if len(before) == keep:
        rows = arrays.nonzero(keys < sign * before[-1][0])[0]
    elif len(keys) <= keep:
        rows = arrays.arange(len(keys))
    else:
        bound = arrays.partition(keys, keep - 1)[keep - 1]
        less, equal = arrays.nonzero(keys < bound)[0], arrays.nonzero(keys == bound)[0]
        rows = arrays.concatenate([less, equal[: keep - len(less)]])
    return list(zip(times[rows].tolist(), (first + rows).tolist(), strict=True))
