"""Profiles of a cell's runs: time at fixed targets, fitness at fixed budgets, attainment, targets over time.

The time until a target is a time like any other: known where a run reached the target, infinite where the run is stuck
below it, above the budget where that stopped it. So it has the estimates of `times`. Up to the budget the best fitness
of every run is known: one that ended, or is stuck, keeps what it has.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpruntime.analysis import times
from gpruntime.analysis.estimates import (
    LEVEL,
    NOTHING,
    Estimate,
    Moments,
    Ranked,
    Sums,
    Values,
    checked_level,
    clopper_pearson,
    mean_of,
    quantile,
    share,
)
from gpruntime.analysis.plotting import Result
from gpruntime.analysis.runs import BUDGET, OPTIMUM, RowTimes
from gpruntime.analysis.trajectories import Course, courses, in_words
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import sentence

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

_MAX_TIMES = 40


class AtTarget(NamedTuple):
    """Evaluations until a fitness or better.

    Attributes:
        fitness: the target.
        chance: of reaching it, where there is a budget within it.
        mean: infinite where runs are stuck below it, unknown where the budget stopped some.
        given: the mean over the runs that reached it.
        median: of all runs.
        ert: all evaluations until then ÷ runs that reached it.
    """

    fitness: float
    chance: Estimate
    mean: Estimate
    given: Estimate
    median: Estimate
    ert: Estimate


class AtBudget(NamedTuple):
    """The best fitness up to some evaluations.

    Attributes:
        evaluations: the budget.
        mean: with an interval where the best fitness of all is known, as it is one of the distance to that.
        median: what at least half of the runs have, or better.
        solved: the share of the targets that a run has reached; its interval counts runs.
    """

    evaluations: int
    mean: Estimate
    median: Estimate
    solved: Estimate


@dataclass(frozen=True)
class Profile(Result):
    """The profile of one cell.

    Attributes:
        spec: the cell.
        runs: how many were looked at; of very many long runs, the first.
        level: of the intervals.
        horizon: the budget where it stopped runs, beyond which nothing is known; else None.
        at_targets: from the worst beginning to the best fitness.
        at_budgets: from the first evaluations at which every run has a fitness.
        attained: P(the target is reached by then), a row for each budget and a column for each target.
        low, high: its exact (Clopper–Pearson) interval.
    """

    spec: RunSpec
    runs: int
    level: float
    horizon: float | None
    at_targets: tuple[AtTarget, ...]
    at_budgets: tuple[AtBudget, ...]
    attained: Values
    low: Values
    high: Values

    @property
    def name(self) -> str:
        """The setting and the size."""
        return f"{sentence(self.spec)}, n = {self.spec.n:,}"

    def front(self, part: float) -> list[float]:
        """At each budget, the best target that at least this share of the runs has reached."""
        enough = (np.rint(self.attained * self.runs) >= math.ceil(part * self.runs - 1e-9)).sum(axis=1)
        return [self.at_targets[max(int(count), 1) - 1].fitness for count in enough]

    def headline(self) -> str:
        """When half of the way is gone, and all of it: means, or how many never come."""
        half, best = self.at_targets[(len(self.at_targets) - 1) // 2], self.at_targets[-1]
        ways = [half, best] if half.fitness != best.fitness else [best]
        return "; ".join(f"fitness {in_words(way.fitness)}: {_said(way.mean)}" for way in ways)

    def sentences(self) -> list[str]:
        """The same as a sentence."""
        return [f"Evaluations until a fitness is reached: {self.headline()}."]

    def to_records(self) -> list[dict[str, Any]]:
        """Fixed targets, one row for each."""
        return [
            {"fitness": target.fitness, "runs": self.runs, **target.chance.columns("p_reached")}
            | {k: v for name in ("mean", "given", "median", "ert") for k, v in _columns(target, name).items()}
            for target in self.at_targets
        ]

    def budget_records(self) -> list[dict[str, Any]]:
        """Fixed budgets, one row for each; and the share of the targets that are reached by then."""
        return [
            {
                "evaluations": budget.evaluations,
                **budget.mean.columns("mean_fitness"),
                **budget.median.columns("median_fitness"),
                **budget.solved.columns("targets_reached"),
            }
            for budget in self.at_budgets
        ]

    def attainment_records(self) -> list[dict[str, Any]]:
        """The empirical attainment function, one row for each budget and target."""
        return [
            {
                "evaluations": budget.evaluations,
                "fitness": target.fitness,
                "p_attained": float(self.attained[i, j]),
                "low": float(self.low[i, j]),
                "high": float(self.high[i, j]),
            }
            for i, budget in enumerate(self.at_budgets)
            for j, target in enumerate(self.at_targets)
        ]

    def __repr__(self) -> str:
        return f"<Profile of {self.name}: {' '.join(self.sentences())}>"


def profiles(runs: RunsLike, level: float = LEVEL) -> tuple[Profile, ...]:
    """The profile of each cell; empty where the plan did not ask for improvements, see `trajectories`."""
    checked_level(level)
    return tuple(profile_of(course, level) for course in courses(runs))


def profile_of(course: Course, level: float = LEVEL) -> Profile:
    """Of one cell."""
    spec, runs, direction = course.spec, len(course), course.direction
    best = None if spec.problem.is_own else spec.best * direction
    ended = course.outcome == OPTIMUM
    if ended.any():  # what is as good as the target counts as the target: such a run did not go on
        last = int(course.at.max())
        best = course.best(last)[ended].min()
        course = dataclasses.replace(course, scores=np.minimum(course.scores, best))
    targets = np.unique(course.targets if best is None else np.minimum(course.targets, best))
    at_targets = [_at_target(course, target, level) for target in targets]
    horizon = float(spec.budget or 0) if (course.outcome == BUDGET).any() else None
    grid = course.times(int(course.at.max() if horizon is None else horizon), _MAX_TIMES)
    at_budgets, counts = [], np.empty((len(grid), len(targets)), np.int64)
    for row, time in enumerate(grid):
        scores = np.sort(course.best(int(time)))
        counts[row] = runs - np.searchsorted(scores, targets)
        reached = np.searchsorted(targets, scores, side="right")
        solved = share(Sums.of(reached.astype(float), np.full(runs, float(len(targets)))), level)
        at_budgets.append(AtBudget(int(time), *_fitness(scores, best, direction, level), solved))
    low, high = clopper_pearson(counts.ravel(), runs, level)
    return Profile(
        spec, runs, level, horizon, tuple(at_targets), tuple(at_budgets),
        counts / runs, low.reshape(counts.shape), high.reshape(counts.shape),
    )  # fmt: skip


def _at_target(course: Course, target: Any, level: float) -> AtTarget:
    until = course.until(target)
    got = np.isfinite(until)
    runs = RowTimes(
        course.spec,
        np.where(got, OPTIMUM, course.outcome),
        np.where(got, until, course.evaluations).astype(np.int64),
    )
    given = times.mean_time_given_optimum(runs, level)
    return AtTarget(
        (course.direction * target + 0).item(),  # no −0
        times.share(runs, OPTIMUM, level),
        times.mean_time(runs, level),
        given if got.any() else dataclasses.replace(given, remark="no run reached it"),
        times.time_quantile(runs, 0.5, level),
        times.expected_running_time(runs, level),
    )


def _fitness(scores: Any, best: Any, direction: int, level: float) -> tuple[Estimate, Estimate]:
    """Mean and median of the best fitness, from scores in order."""
    costs = -scores[::-1].astype(float)
    middle = quantile(len(costs), 0.5, lambda rank: Ranked(float(costs[rank - 1]), float(costs[rank - 1])), level)
    median = middle.transformed(lambda cost: -direction * cost + 0.0)
    if best is None:
        value = float(direction * scores.mean() + 0.0)
        return dataclasses.replace(NOTHING, value=value, level=level, remark="the best fitness is not known"), median
    distance = mean_of(Moments.of(float(best) + costs), level)
    return distance.transformed(lambda far: direction * (float(best) - far) + 0.0), median


def _said(mean: Estimate) -> str:
    known = mean.value is not None and math.isfinite(mean.value)
    return f"{mean.short()} {mean.bracket()}".strip() if known else mean.remark


def _columns(target: AtTarget, name: str) -> dict[str, float | None]:
    prefix = {"mean": "mean", "given": "mean_given_reached", "median": "median", "ert": "ert"}[name]
    columns: dict[str, float | None] = getattr(target, name).columns(f"{prefix}_evaluations")
    return columns
