"""A cell of a study: one setting, and how many runs it gets, a number or as many as a goal needs.

A goal is looked at after fixed numbers of runs only: 32, 40, 50, 63, … (each a quarter more, the ceiling last). So
the number of runs a cell ends with depends on its first runs alone, never on workers, chunks or interruptions, and a
tighter goal never asks for fewer.

The interval is Student's, of the mean over the runs that reached the optimum: over all runs the mean is infinite or
unknown as soon as one is stuck or was stopped by the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpruntime.model.errors import BadInput, whole
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import short
from gpruntime.model.stream import MAX_RUN
from gpruntime.study.errors import noting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIRST_LOOK = 32
_GROWTH = 1.25


@dataclass
class Tally:
    """What a goal needs to know of the runs of a cell, in integers: the order of adding up does not matter.

    Attributes:
        runs, optima: how many there are, and how many of them reached the optimum.
        total, squares: of the evaluations of those, the sum and the sum of squares.
    """

    runs: int = 0
    optima: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, evaluations: NDArray[np.int64], optimal: NDArray[np.bool_]) -> Tally:
        """Of runs with these evaluations, some of which reached the optimum."""
        times = evaluations[optimal]
        exact = times if len(times) == 0 or len(times) * int(times.max()) ** 2 < 2**63 else times.astype(object)
        return cls(len(evaluations), len(times), int(exact.sum()), int((exact * exact).sum()))

    def add(self, other: Tally) -> None:
        """Takes in further runs of the same cell."""
        self.runs += other.runs
        self.optima += other.optima
        self.total += other.total
        self.squares += other.squares

    def relative_half_width(self, confidence: float) -> float:
        """Half of the interval of the mean, divided by the mean; infinite when there is none."""
        if self.optima < 2:
            return math.inf
        from scipy.special import stdtrit

        mean = self.total / self.optima
        variance = (self.optima * self.squares - self.total**2) / (self.optima * (self.optima - 1))
        quantile = float(stdtrit(self.optima - 1, 0.5 + confidence / 2))
        return quantile * math.sqrt(variance / self.optima) / mean


@dataclass(frozen=True)
class Fixed:
    """A fixed number of runs for each cell."""

    runs: int

    @property
    def ceiling(self) -> int:
        """The most runs a cell can get."""
        return self.runs

    def first_target(self) -> int:
        """The runs to make before the first look."""
        return self.runs

    def next_target(self, tally: Tally) -> int:  # noqa: ARG002  # a goal looks at it
        """The runs to make in all, given those made: no more than those if that is all."""
        return self.runs

    def words(self) -> str:
        """The rule in words."""
        return f"{self.runs:,} runs for each cell"

    def extends(self, other: Rule) -> bool:
        """Whether every run made under the other rule is made under this one too."""
        return isinstance(other, Fixed) and self.runs >= other.runs


@dataclass(frozen=True)
class Goal:
    """Runs until the goal is met, or until there are `at_most`.

    Attributes:
        mean_within: the interval of the mean is to be within this share of the mean; None if that is not asked for.
        optima: how many runs are to reach the optimum; None if that is not asked for.
        at_most: the ceiling.
        confidence: of the interval.
    """

    mean_within: float | None
    optima: int | None
    at_most: int
    confidence: float = 0.95

    @property
    def ceiling(self) -> int:
        """The most runs a cell can get."""
        return self.at_most

    def first_target(self) -> int:
        """The runs to make before the first look."""
        return min(FIRST_LOOK, self.at_most)

    def met(self, tally: Tally) -> bool:
        """Whether these runs meet the goal."""
        if self.optima is not None and tally.optima < self.optima:
            return False
        return self.mean_within is None or tally.relative_half_width(self.confidence) <= self.mean_within

    def next_target(self, tally: Tally) -> int:
        """The runs to make in all, given those made: no more than those if the goal is met or the ceiling reached."""
        if self.met(tally):
            return tally.runs
        look = FIRST_LOOK
        while look <= tally.runs:
            look = math.ceil(look * _GROWTH)
        return max(tally.runs, min(look, self.at_most))

    def words(self) -> str:
        """The rule in words."""
        wanted = []
        if self.mean_within is not None:
            wanted.append(f"the {self.confidence:.4g} interval of the mean is within {100 * self.mean_within:.4g} %")
        if self.optima is not None:
            wanted.append(f"{self.optima:,} runs reached the optimum")
        return f"runs until {' and '.join(wanted)}, at most {self.at_most:,} a cell"

    def extends(self, other: Rule) -> bool:
        """Whether every run made under the other rule is made under this one too."""
        return (
            isinstance(other, Goal)
            and self.at_most >= other.at_most
            and self.confidence >= other.confidence
            and (self.mean_within or math.inf) <= (other.mean_within or math.inf)
            and (self.optima or 0) >= (other.optima or 0)
        )


Rule = Fixed | Goal


@dataclass(frozen=True)
class Cell:
    """One setting of a study, and how many runs it gets."""

    spec: RunSpec
    rule: Rule

    @cached_property
    def id(self) -> str:
        """The digest of the cell's law, as 32 hexadecimal digits."""
        return self.spec.cell_id

    def words(self) -> str:
        """The cell in words, defaults left out."""
        return short(self.spec)


GOAL_KEYS = ("mean_within", "optima", "at_most", "confidence")


def goal_of(where: str, value: Any, problems: list[BadInput]) -> Goal | None:
    """The goal a plan's table stands for; None if something is wrong with it, which goes to `problems`."""
    name, before = where + "goal", len(problems)
    if not isinstance(value, dict):
        problems.append(BadInput(name, value, f"must be a table with {', '.join(GOAL_KEYS)}"))
        return None
    given = {key: part for key, part in value.items() if part is not None}
    for key, part in given.items():
        if key not in GOAL_KEYS:
            problems.append(BadInput(f"{name}.{key}", part, f"unknown key; a goal has {', '.join(GOAL_KEYS)}"))
        elif key in ("optima", "at_most"):
            with noting(problems):
                whole(f"{name}.{key}", part, 1, MAX_RUN)
        elif isinstance(part, bool) or not isinstance(part, int | float) or not 0 < part < 1:
            problems.append(BadInput(f"{name}.{key}", part, "must be a number between 0 and 1"))
    if "mean_within" not in given and "optima" not in given:
        problems.append(BadInput(name, "without an aim", "needs mean_within or optima"))
    if "at_most" not in given:
        problems.append(BadInput(name, "without a ceiling", "needs at_most: the most runs a cell may get"))
    if len(problems) > before:
        return None
    goal = Goal(given.get("mean_within"), given.get("optima"), given["at_most"], given.get("confidence", 0.95))
    if goal.optima is not None and goal.optima > goal.at_most:
        problems.append(BadInput(f"{name}.optima", goal.optima, f"is more than at_most = {goal.at_most}"))
    return goal
