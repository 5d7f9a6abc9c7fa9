"""A run by the engine that can be looked at anywhere: its course, and checkpoints from which its steps are made again.

The run is made once, in slices, by the *front*. What stays of it:

- the course: every improvement, and samples whose spacing is a 500th of the evaluations so far, so that they are dense
  on a linear and on a logarithmic axis, and few: some thousands in a hundred million evaluations;
- checkpoints: the state of the engine and the tree. When there are too many, every second goes and the spacing doubles.

The steps in between are not kept. `Recording.steps` makes them again from the checkpoint before.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec
from gpruntime.watch.source import Pace, Source, Trace, ends, needs_model, source_of

_MAX_SLICE = 16_384  # offspring: a checkpoint is not far from where it is due
_RESOLUTION = 500
_CHECKPOINT_BYTES = 24_000_000
_MAX_CHECKPOINTS, _MIN_CHECKPOINTS = 64, 8


class Stopped(Exception):
    """Nobody wants the answer any more, or it takes too long; says why."""


class Stop:
    """Asked in between slices whether to go on."""

    def __init__(self) -> None:
        self._why: str | None = None

    def set(self, why: str = "") -> None:
        """From now on `check` raises."""
        self._why = why

    def check(self) -> None:
        """Raises `Stopped` if it is time."""
        if self._why is not None:
            raise Stopped(self._why)


class Point(NamedTuple):
    """A point of the course."""

    evaluations: int
    fitness: Fitness
    leaves: int
    improved: bool


class Recording:
    """One run.

    Attributes:
        spec, seed, run: its address.
        course: the points so far; the last of them is the end of the run, once there is an outcome.
        outcome: None while the run is being made.
    """

    def __init__(self, spec: RunSpec, seed: int, run: int) -> None:
        self.spec, self.seed, self.run = spec, seed, run
        self._front = source_of(spec, seed, run)
        self._lock, self._pace = threading.Lock(), Pace(_MAX_SLICE)
        self._leaves, self._next_sample = self._front.leaves, 2
        self.course = [Point(1, self._front.fitness, self._leaves, False)]
        self._checkpoints: list[Source] = [self._front.fork()]
        self._spacing = 500 if needs_model(spec) or not spec.representation.is_tree else 4 * _MAX_SLICE
        self.outcome: Outcome | None = self._front.outcome

    @property
    def evaluations(self) -> int:
        """How far the run has been made."""
        return self._front.evaluations

    def bytes(self) -> int:
        """About what is kept."""
        return len(self._checkpoints) * self._checkpoints[-1].bytes() + 200 * len(self.course)

    def advance(self) -> None:
        """Makes one more slice of the run."""
        with self._lock:
            if self.outcome is not None:
                return
            fitness = self._front.fitness
            with self._pace.slice() as offspring:
                trace = self._front.slice(offspring)
            self._note(trace, fitness)
            self.outcome = self._front.outcome
            if self._front.evaluations >= self._checkpoints[-1].evaluations + self._spacing:
                self._keep_checkpoint()

    def course_to_the_end(self, stop: Stop) -> Iterator[list[Point]]:
        """The course in pieces, as far as it is known and then as it is made; every piece may be empty."""
        known = 0
        while True:
            stop.check()
            ended = self.outcome is not None  # asked first: the last points are there before the outcome is
            upto = len(self.course)
            yield self.course[known:upto]
            known = upto
            if ended:
                return
            self.advance()

    def steps(self, after: int, count: int, stop: Stop) -> tuple[Source, list[Trace], Outcome | None]:
        """The run as it stands after `after` evaluations, the trace of its next `count` steps, and their outcome.

        Past the end there are no steps, and the run as it stands is at its end.
        """
        while self.evaluations < after and self.outcome is None:
            stop.check()
            self.advance()
        with self._lock:
            checkpoint = [point for point in self._checkpoints if point.evaluations <= after][-1].fork()
        pace = Pace(_MAX_SLICE)
        while checkpoint.evaluations < after and checkpoint.outcome is None:
            stop.check()
            with pace.slice(after - checkpoint.evaluations) as offspring:
                checkpoint.slice(offspring)
        state, traces = checkpoint.fork(), []
        while checkpoint.evaluations < after + count and checkpoint.outcome is None:
            stop.check()
            with pace.slice(after + count - checkpoint.evaluations) as offspring:
                traces.append(checkpoint.slice(offspring))
        return state, traces, checkpoint.outcome

    def _note(self, trace: Trace, fitness: Fitness) -> None:
        """Adds the improvements among these offspring, samples, and the end of the run to the course."""
        if not len(trace.rows):
            return
        offspring = trace.rows[ends(trace.rows)]
        accepted = offspring["accepted"] != 0
        newest = np.maximum.accumulate(np.where(accepted, np.arange(len(offspring)), -1))
        fitness_after = np.where(newest >= 0, trace.fitness[newest], fitness)
        fitness_before = np.concatenate([[fitness], fitness_after[:-1]])
        leaves_after = np.where(newest >= 0, offspring["new_leaves"][newest], self._leaves)
        first, last = int(offspring[0]["evaluations"]), int(offspring[-1]["evaluations"])
        gains = (fitness_after - fitness_before) * self.spec.problem.direction
        improvements = set(np.flatnonzero(gains > 0).tolist())
        places = set(improvements)
        while self._next_sample <= last:
            places.add(self._next_sample - first)
            self._next_sample += max(1, self._next_sample // _RESOLUTION)
        if self._front.outcome is not None:
            places.add(last - first)
        self._leaves = int(leaves_after[-1])
        self.course.extend(
            Point(first + place, fitness_after[place].item(), int(leaves_after[place]), place in improvements)
            for place in sorted(places)
        )

    def _keep_checkpoint(self) -> None:
        size = self._front.bytes()
        most = min(_MAX_CHECKPOINTS, max(_MIN_CHECKPOINTS, _CHECKPOINT_BYTES // max(size, 1)))
        self._checkpoints.append(self._front.fork())
        if len(self._checkpoints) > most:
            self._checkpoints = self._checkpoints[::2]
            self._spacing *= 2
