"""What many runs say, kept small: counts, moments, a histogram, and the extreme runs by number.

The table of a batch is reduced where it is, on the device, and forgotten. All numbers are whole and exact, so they do
not depend on batches or devices.

**Bins.** A time t below 128 has a bin of its own. From there on each octave, from 2ᵉ to 2ᵉ⁺¹ − 1, is cut into 64 bins
of equal width: bin 64·(e − 6) + ⌊t / 2ᵉ⁻⁶⌋. So a bin's width is at most 1/64 of its times.

Earlier versions had these bins up to 2⁵³ − 1, and counted all longer times in the last of them. Summaries that they
stored are still read: what they had there is in no bin (`RunsSummary.unbinned`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.columns import EVALUATIONS, OUTCOME, OUTCOMES
from gpruntime.gpu.device import all_devices
from gpruntime.gpu.execute import Finished, Progress, finished_batches, why_not
from gpruntime.gpu.structures import BINS, OCTAVE
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import MOST_RUN, MOST_SEED

OPEN_BIN = OCTAVE * (52 - 6) + 2 * OCTAVE - 1  # the last bin of earlier versions, which had no end
_HALF = 2**16  # squares are added up by halves of a number, exactly as long as it is below 2³⁶
_MOST_EXACT = 2**36
_FIRST_RUNS = 2**18
_MOST_EXTREME = 100_000  # of a batch


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
        largest, smallest: (evaluations, run) of the extreme runs of all, the most extreme first.
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
    largest: list[tuple[int, int]] = field(default_factory=list)
    smallest: list[tuple[int, int]] = field(default_factory=list)
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
        """Its standard deviation, over the runs."""
        return math.sqrt((self.squares * self.optima - self.total**2) / (self.optima * (self.optima - 1)))

    def beyond(self) -> Iterator[tuple[int, int]]:
        """(t, how many runs did not reach the optimum within fewer than t evaluations), where each bin begins."""
        others = self.runs - self.optima + self.unbinned
        above = np.cumsum(self.histogram[::-1])[::-1] + others
        known = OPEN_BIN + 1 if self.unbinned else BINS
        yield from zip(bin_begins()[:known].tolist(), above[:known].tolist(), strict=True)

    def add_batch(self, done: Finished, keep: int, arrays: Any) -> None:
        """Runs that have ended, added up by a kernel; by arrays where that cannot be, as at first for the extremes."""
        first, table = int(done.numbers[0]), done.batch.out
        self.by_the_engine += done.by_the_engine
        if keep > 0 and len(self.largest) == keep:
            sums, histogram, rows = done.batch.add_up(self.smallest[-1][0], self.largest[-1][0], _MOST_EXTREME)
            if rows is not None and sums[-1] == 0:
                self._add_sums([int(number) for number in sums], histogram, len(table))
                times = table[:, EVALUATIONS][arrays.asarray(rows)]
                found = list(zip(times.tolist(), (first + rows).tolist(), strict=True))
                self._keep_extremes([*self.smallest, *found], [*self.largest, *found], keep)
                return
        self.add(table, first, keep, arrays)

    def _add_sums(self, sums: list[int], histogram: NDArray[np.uint64], runs: int) -> None:
        for outcome, number in zip(OUTCOMES, sums, strict=False):
            self.outcomes[outcome] += number
        evaluations, total, low, mixed, high = sums[4:9]
        self.evaluations, self.total, self.runs = self.evaluations + evaluations, self.total + total, self.runs + runs
        self.squares += low + 2 * _HALF * mixed + _HALF**2 * high
        self.histogram += histogram.astype(np.int64)

    def add(self, table: Any, first: int, keep: int, arrays: Any) -> None:
        """A table whose rows are the runs first, first + 1, …"""
        times, ends = table[:, EVALUATIONS], table[:, OUTCOME]
        for code, outcome in enumerate(OUTCOMES):
            self.outcomes[outcome] += int((ends == code).sum())
        reached = times if int((ends == 0).sum()) == len(times) else times[ends == 0]
        self.total += _exact_sum(reached)
        self.squares += sum(time * time for time in reached[reached >= _MOST_EXACT].tolist())
        usual = arrays.where(reached < _MOST_EXACT, reached, 0)
        low, high = usual % _HALF, usual // _HALF
        self.squares += (
            int((low * low).sum()) + 2 * _HALF * int((low * high).sum()) + _HALF**2 * int((high * high).sum())
        )
        counted = arrays.bincount(bins_of(reached, arrays), minlength=BINS)
        self.histogram += counted if arrays is np else arrays.asnumpy(counted)
        self.largest = _extremes(self.largest, times, -1, first, keep, arrays)
        self.smallest = _extremes(self.smallest, times, 1, first, keep, arrays)
        self.runs += len(times)
        self.evaluations += _exact_sum(times)

    def merge(self, other: RunsSummary, keep: int) -> None:
        """Takes in other runs of the same spec and seed, in any order. Where parts are missing, numbers have gaps."""
        self.first = min(self.first, other.first)
        for outcome, number in other.outcomes.items():
            self.outcomes[outcome] += number
        self.runs, self.evaluations = self.runs + other.runs, self.evaluations + other.evaluations
        self.total, self.squares = self.total + other.total, self.squares + other.squares
        self.histogram, self.unbinned = self.histogram + other.histogram, self.unbinned + other.unbinned
        self.by_the_engine += other.by_the_engine
        self._keep_extremes([*self.smallest, *other.smallest], [*self.largest, *other.largest], keep)

    def _keep_extremes(self, small: list[tuple[int, int]], large: list[tuple[int, int]], keep: int) -> None:
        """The most extreme of these; of equal ones the least numbers."""
        self.smallest = sorted(small)[:keep]
        self.largest = sorted(large, key=lambda one: (-one[0], one[1]))[:keep]


def _exact_sum(values: Any) -> int:
    """By halves of a number: skipping may count more evaluations than fit into 64 bits together."""
    return int((values & 0xFFFFFFFF).sum()) + (int((values >> 32).sum()) << 32)


def _later(progress: Progress | None, before: RunsSummary) -> Progress | None:
    """Tells of runs that come after these."""
    if progress is None:
        return None
    runs, evaluations = before.runs, before.evaluations
    return lambda ended, made: progress(runs + ended, evaluations + made)


def _extremes(
    before: list[tuple[int, int]], times: Any, sign: int, first: int, keep: int, arrays: Any
) -> list[tuple[int, int]]:
    """The `keep` least times of those before and these, or by sign −1 the largest; of equal ones the least numbers."""
    if keep == 0:
        return []
    keys = sign * times
    if len(before) == keep:
        rows = arrays.nonzero(keys < sign * before[-1][0])[0]
    elif len(keys) <= keep:
        rows = arrays.arange(len(keys))
    else:
        bound = arrays.partition(keys, keep - 1)[keep - 1]
        less, equal = arrays.nonzero(keys < bound)[0], arrays.nonzero(keys == bound)[0]
        rows = arrays.concatenate([less, equal[: keep - len(less)]])
    found = zip(keys[rows].tolist(), (first + rows).tolist(), strict=True)
    merged = sorted([*((sign * time, run) for time, run in before), *found])[:keep]
    return [(sign * key, run) for key, run in merged]


def summarise_runs(
    spec: RunSpec,
    seed: int = 0,
    runs: int | range = 1,
    keep: int = 20,
    progress: Progress | None = None,
    machine: Any = None,
) -> RunsSummary:
    """Runs on a GPU, reduced there: for 10⁹ of them nobody wants the rows.

    `runs` is how many, numbered from 0, or their numbers as a range without gaps. The `keep` longest and shortest runs
    are kept by number, so that they can be repeated. Raises as `run_many` does with device = "gpu".
    """
    whole("seed", seed, 0, MOST_SEED)
    whole("keep", keep, 0, 1_000_000)
    numbers = runs if isinstance(runs, range) else range(whole("runs", runs, 1, MOST_RUN))
    if numbers.step != 1 or len(numbers) == 0 or numbers.start < 0 or numbers.stop > MOST_RUN + 1:
        raise BadInput("runs", str(runs), f"must be run numbers without gaps, from 0 to {MOST_RUN}")
    if (why := why_not(spec)) is not None:
        raise BadInput("device", "gpu", why)
    machine = machine or all_devices()[0]
    found = RunsSummary(spec, seed, numbers.start, device=machine.name)
    with machine.current():
        for part in (numbers[:_FIRST_RUNS], numbers[_FIRST_RUNS:]):  # few at first, to know what is extreme
            for done in finished_batches(machine, spec, seed, part, _later(progress, found)):
                found.add_batch(done, keep, machine.arrays)
    return found
