"""Runs on one machine: planted, then advanced in slices until all have ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.columns import EVALUATIONS, OUTCOME, WIDTH
from gpruntime.engine.summary import BINS
from gpruntime.gpu.layout import Layout
from gpruntime.gpu.structures import JOB, LANE_ROW, LANE_WORDS, SUMS, TALLY, law_numbers, tables
from gpruntime.model.spec import RunSpec

# Run numbers: one after the other, or any.
Numbers = range | NDArray[np.int64]

_SLICE_SECONDS = 0.25
_MIN_STEPS, _MAX_STEPS = 64, 1 << 30
_MAX_RUNS = 1 << 25


class Batch:
    """Runs of one spec under way on a machine. Call `slice` until `done`; then `out` has a row for each.

    A row whose outcome is `OUTGROWN` has no result: its run had no room here.
    """

    def __init__(self, machine: Any, spec: RunSpec, seed: int, numbers: Numbers, layout: Layout) -> None:
        self._machine, self._layout = machine, layout.with_fewer_blocks(len(numbers))
        arrays, layout = machine.arrays, self._layout
        self._held: dict[str, Any] = {}
        self._law = law_numbers(spec, seed)
        for name, table in tables(spec, layout.scratch_words > 0).items():
            self._held[name] = arrays.asarray(table)
            self._law[name] = machine.pointer(self._held[name])
        self._law["room"], self._law["places"] = layout.room, layout.places
        lanes, runs = layout.number_of_lanes, len(numbers)
        self.out = arrays.zeros((runs, WIDTH), np.int64)
        self._queue = arrays.zeros(2, np.uint32)
        states = arrays.zeros((lanes, LANE_WORDS), np.int64)
        states[:, LANE_ROW] = -1
        self._held |= {
            "lanes": states,
            "trees": arrays.empty((lanes, layout.tree_words), np.uint32),
            "seedlings": arrays.empty((runs, layout.seedling_words), np.uint32),
            "scratch": arrays.empty((layout.number_of_planters, max(layout.scratch_words, 1)), np.int32),
            "out": self.out,
            "queue": self._queue,
        }
        self._job = np.zeros(1, JOB)
        for name in ("lanes", "trees", "seedlings", "scratch", "out", "queue"):
            self._job[name] = machine.pointer(self._held[name])
        if not (isinstance(numbers, range) and numbers.step == 1):
            self._held["numbers"] = arrays.asarray(np.asarray(numbers, np.uint32))
            self._job["numbers"] = machine.pointer(self._held["numbers"])
        self._job["first"] = numbers[0] if runs else 0
        self._job["runs"], self._job["number_of_lanes"] = runs, lanes
        for name in ("tree_words", "seedling_words", "scratch_words", "number_of_planters"):
            self._job[name] = getattr(layout, name)
        self.done, self.ended = runs == 0, 0
        self._steps = machine.first_steps
        if not self.done:
            machine.launch("plant", layout, self._law, self._job)

    def slice(self, steps: int | None = None) -> None:
        """Goes on for a fraction of a second, or for this number of offspring a lane."""
        begun = time.perf_counter()
        self._job["steps"] = steps or self._steps
        self._machine.launch("advance", self._layout, self._law, self._job)
        self.ended = int(self._machine.to_host(self._queue)[1])  # waits for the kernel
        self.done = self.ended == len(self.out)
        pace = _SLICE_SECONDS / max(time.perf_counter() - begun, 1e-9)
        self._steps = int(min(max(self._steps * min(max(pace, 0.25), 4.0), _MIN_STEPS), _MAX_STEPS))

    def evaluations(self) -> int:
        """Of the runs that have ended."""
        return int(self.out[:, EVALUATIONS].sum())

    def add_up(self, least: int, most: int, room: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Any]:
        """The sums, the histogram, and the rows of times outside of least … most: None if they are more than `room`."""
        arrays = self._machine.arrays
        sums, histogram = arrays.zeros(SUMS, np.uint64), arrays.zeros(BINS, np.uint64)
        extremes = arrays.zeros(1 + room, np.uint32)
        tally = np.zeros(1, TALLY)
        for name, array in {"out": self.out, "extremes": extremes, "sums": sums, "histogram": histogram}.items():
            tally[name] = self._machine.pointer(array)
        for name, value in {"least": least, "most": most, "rows": len(self.out), "room": room, "bins": BINS}.items():
            tally[name] = value
        self._machine.launch("add_up", self._layout, tally)
        number = int(self._machine.to_host(extremes[:1])[0])
        rows = np.sort(self._machine.to_host(extremes[1 : 1 + number])).astype(np.int64) if number <= room else None
        return self._machine.to_host(sums), self._machine.to_host(histogram), rows

    def outgrown(self) -> NDArray[np.int64]:
        """The rows of the runs that had no room."""
        rows = self._machine.arrays.nonzero(self.out[:, OUTCOME] > 2)[0]
        return np.asarray(self._machine.to_host(rows), np.int64)


def batch_size(machine: Any, layout: Layout) -> int:
    """How many runs a batch may have, by the memory of the machine."""
    lanes = layout.number_of_lanes * (4 * layout.tree_words + 8 * LANE_WORDS)
    lanes += layout.number_of_planters * 4 * layout.scratch_words
    each = 4 * layout.seedling_words + 8 * WIDTH
    return max(1, min(_MAX_RUNS, int((machine.most_bytes - lanes) // each)))


def batches(numbers: Numbers, size: int) -> Iterator[tuple[int, Numbers]]:
    """The numbers in parts of at most this length, each with where it begins."""
    for begin in range(0, len(numbers), size):
        yield begin, numbers[begin : begin + size]
