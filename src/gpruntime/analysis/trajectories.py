"""Inside the runs of a cell: how long each fitness took to reach, and how the tree grew on the way.

From the optional columns of improvements: one entry for each new best fitness. Between two improvements the tree may
change by neutral moves; its size is known at the improvements only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Values
from gpruntime.analysis.plotting import Result
from gpruntime.analysis.runs import OUTCOMES, Integers
from gpruntime.analysis.survival import thinned
from gpruntime.analysis.table import OUTCOME_CODE, RunTable, order_of, refuse_repeated, refuse_unknown
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import SPEC_COLUMNS, from_columns, sentence

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

BAND = (0.1, 0.5, 0.9)
_MAX_TARGETS = 60
_MAX_TIMES = 80
_MAX_ENTRIES = 20_000_000


@dataclass(frozen=True)
class Trajectories(Result):
    """The course of the runs of one cell.

    Attributes:
        spec: the cell.
        runs: how many were looked at; of very many long runs, the first.
        targets: fitness values k, from the worst beginning to the best: of a user-defined problem, the best that a run
            reached.
        reached: how many runs reached fitness k.
        mean: evaluations until then, over the runs that did; infinite where none did.
        bands: 10 %, 50 % and 90 % of the evaluations until fitness k or better, one row each; infinite where too few
            did.
        times: evaluations t.
        leaves: 10 %, 50 % and 90 % of the leaves at the last improvement up to t, one row each.
    """

    spec: RunSpec
    runs: int
    targets: Integers | Values
    reached: Integers
    mean: Values
    bands: Values
    times: Integers
    leaves: Values

    @property
    def name(self) -> str:
        """The setting and the size."""
        return f"{sentence(self.spec)}, n = {self.spec.n:,}"

    @property
    def has_trees(self) -> bool:
        """Whether leaves were told: runs of other tools have none."""
        return bool(self.leaves.any())

    def sentences(self) -> list[str]:
        """Where the time goes, in words."""
        final, start = self.bands[1, -1], self.targets[0]
        best = self.targets[-1]
        half = int(np.searchsorted(np.abs(self.targets - start), abs(best - start) / 2))
        at_half = self.bands[1, min(half, len(self.targets) - 1)]
        leaves = formatting.number(float(self.leaves[1, -1]))
        grown = [f"Half of the runs have {leaves} leaves or fewer at their last improvement."] if self.has_trees else []
        if not math.isfinite(final):
            runs = formatting.plural(self.runs, "run")
            return [f"{int(self.reached[-1]):,} of {runs} reached fitness {in_words(best)}.", *grown]
        share = formatting.percent(float(at_half / final))
        middle = in_words(self.targets[half])
        return [f"The median run reaches fitness {middle} after {share} of its median time.", *grown]

    def to_records(self) -> list[dict[str, Any]]:
        """The fixed-target curve, one row for each target."""
        return [
            {
                "fitness": target.item(),
                "reached": int(self.reached[i]),
                "runs": self.runs,
                "mean_evaluations": float(self.mean[i]) if self.reached[i] else None,
                **{f"quantile_{p:g}": float(self.bands[j, i]) for j, p in enumerate(BAND)},
            }
            for i, target in enumerate(self.targets)
        ]

    def size_records(self) -> list[dict[str, Any]]:
        """The size of the tree over time, one row for each time."""
        return [
            {
                "evaluations": int(time),
                **{f"leaves_quantile_{p:g}": float(self.leaves[j, i]) for j, p in enumerate(BAND)},
            }
            for i, time in enumerate(self.times)
        ]

    def __repr__(self) -> str:
        return f"<Trajectories of {self.name}: {' '.join(self.sentences())}>"


def trajectories(runs: RunsLike) -> tuple[Trajectories, ...]:
    """The course of the runs, cell by cell; empty where the plan did not ask for improvements.

    A cell is left out if nothing says which fitness is better: its problem is not loaded, and no run shows it.
    """
    return tuple(map(trajectories_of, courses(runs)))


def courses(runs: RunsLike) -> list[Course]:
    """The improvements of each cell, in the order of the cells; see `trajectories` for what is left out."""
    table = RunTable(runs)
    if not table.has_improvements:
        return []
    columns = ", ".join(f"any_value({name}) AS {name}" for name in SPEC_COLUMNS if name != "budget")
    recorded = "improvement_evaluations IS NOT NULL AND len(improvement_evaluations) > 0"
    cells = table.rows(
        f"SELECT cell::VARCHAR, budget, {columns} FROM runs WHERE {recorded} GROUP BY 1, 2"  # noqa: S608
    )
    names = ["cell", "budget", *(name for name in SPEC_COLUMNS if name != "budget")]
    found = []
    for row in cells:
        values = dict(zip(names, row, strict=True))
        spec = from_columns(values)
        budget = "budget IS NULL" if spec.budget is None else f"budget = {spec.budget}"
        where = f"WHERE cell::VARCHAR = '{values['cell']}' AND {budget} AND {recorded}"
        most = max(_MAX_ENTRIES // (_improvements(spec) + 1), 1)
        address = "seed, run, method::VARCHAR"
        entries = table.arrays(
            f"SELECT unnest(improvement_evaluations) AS at, unnest(improvement_fitness) AS fitness, "  # noqa: S608
            "unnest(improvement_leaves) AS leaves, number "
            f"FROM (SELECT *, row_number() OVER (ORDER BY {address}) AS number FROM runs "
            f"{where} ORDER BY {address} LIMIT {most})"
        )
        ends = table.arrays(
            f"SELECT {OUTCOME_CODE} AS outcome, evaluations, seed, run, method::VARCHAR = 'skipping' AS skipping "  # noqa: S608
            f"FROM runs {where} ORDER BY {address} LIMIT {most}"
        )
        refuse_unknown(ends["outcome"], "outcome", " or ".join(OUTCOMES))
        refuse_repeated(spec, *(np.asarray(ends[name]) for name in ("run", "seed", "skipping")))
        for name in ("at", "fitness", "leaves"):
            refuse_unknown(entries[name], "improvements", "lists of one length without nulls")
        number, at, fitness, leaves = (np.asarray(entries[name]) for name in ("number", "at", "fitness", "leaves"))
        order = np.lexsort((at, number))
        run, at, fitness, leaves = (column[order] for column in (number - number.min(), at, fitness, leaves))
        optima = table.rows(f"SELECT any_value(fitness) FROM runs {where} AND outcome::VARCHAR = 'optimum'")  # noqa: S608
        direction = _direction(spec, run, fitness, optima[0][0])
        if direction is not None:
            outcome, evaluations = (np.asarray(ends[name]) for name in ("outcome", "evaluations"))
            found.append(Course(spec, direction, run, at, direction * fitness, leaves, outcome, evaluations))
    return sorted(found, key=lambda course: order_of(course.spec))


@dataclass(frozen=True)
class Course:
    """All improvements of a cell's runs: run by run, from 0 on, in the order of the evaluations.

    Attributes:
        spec: the cell.
        direction: 1 where larger is better, −1 where smaller is.
        run, at, scores, leaves: of each improvement; a score is larger for better.
        outcome, evaluations: of each run, as in `gpruntime.analysis.runs`.
    """

    spec: RunSpec
    direction: int
    run: Integers
    at: Integers
    scores: Integers | Values
    leaves: Integers
    outcome: NDArray[np.integer[Any]]
    evaluations: Integers

    def __len__(self) -> int:
        return len(self.outcome)

    @cached_property
    def levels(self) -> Any:
        """The scores that were reached."""
        return np.unique(self.scores)

    @cached_property
    def targets(self) -> Integers | Values:
        """Scores to look at, the worst first."""
        return _targets(self.spec, self.direction, self.levels)

    def until(self, target: Any) -> Values:
        """Evaluations of each run until this score or better; infinite where it was not reached."""
        place = np.searchsorted(self._ranks, self._runs * self._width + np.searchsorted(self.levels, target))
        got = place < np.searchsorted(self.run, self._runs, side="right")
        until = np.full(len(self), math.inf)
        until[got] = self.at[place[got]]
        return until

    def last(self, time: int) -> Integers:
        """Where the last improvement of each run up to a time stands; each must have one (`times`)."""
        width = len(self._moments) + 1
        rank = np.searchsorted(self._moments, time, side="right")
        return np.searchsorted(self._order, self._runs * width + rank) - 1

    def best(self, time: int) -> Integers | Values:
        """The best score of each run up to a time."""
        scores: Integers | Values = self.levels[self._ranks[self.last(time)] - self._runs * self._width]
        return scores

    def times(self, last: int, most: int = _MAX_TIMES) -> Integers:
        """Evaluations to look at, from where every run has a fitness, up to the last."""
        first = int(self.at[np.searchsorted(self.run, self._runs)].max())
        last = max(first, last)
        return np.union1d(np.geomspace(first, last, most)[:-1].round().astype(np.int64), last)

    # One sorted key finds the first improvement to k or better of every run: the rank of the best score so far, which
    # never falls, though a score may where a rule accepts losses. Another finds the last one up to a time.

    @cached_property
    def _ranks(self) -> Integers:
        return np.maximum.accumulate(self.run * self._width + np.searchsorted(self.levels, self.scores))

    @cached_property
    def _moments(self) -> Integers:
        return np.unique(self.at)

    @cached_property
    def _order(self) -> Integers:
        return self.run * (len(self._moments) + 1) + np.searchsorted(self._moments, self.at)

    @property
    def _runs(self) -> Integers:
        return np.arange(len(self))

    @property
    def _width(self) -> int:
        return len(self.levels) + 1


def _improvements(spec: RunSpec) -> int:
    """How many a run may have; of a problem that is not loaded a guess."""
    return 100 * spec.n if spec.problem.is_own else spec.n


def _direction(spec: RunSpec, run: Integers, fitness: Integers | Values, best: Fitness | None) -> int | None:
    """1 where larger is better, −1 where smaller is, None if nothing says so; `best` is of a run that reached it.

    Without the problem's source the runs say it: all that is not the best is worse, and each improvement is one, unless
    a user-defined rule may have accepted losses in between.
    """
    if spec.problem.is_loaded:
        return spec.problem.direction
    if best is not None:
        others = fitness[fitness != best]
        return 1 if len(others) == 0 or others[0] < best else -1
    gains = np.diff(fitness)[np.diff(run) == 0]
    if spec.accept.is_own or len(gains) == 0:
        return None
    return 1 if gains[0] > 0 else -1


def _targets(spec: RunSpec, direction: int, levels: Integers | Values) -> Integers | Values:
    """Scores (`gpruntime.engine.params.score`) to look at, given those that were reached, the worst first."""
    if spec.problem.is_own:
        return _spread(levels)
    best = spec.best * direction
    if isinstance(best, float):
        return _spread(np.union1d(levels, best))
    least, steps = int(levels[0]), _MAX_TARGETS - 1
    span = max(best - least, 0)
    return np.array(sorted({least + (2 * span * i + steps) // (2 * steps) for i in range(steps + 1)}), np.int64)


def _spread(levels: Integers | Values) -> Integers | Values:
    """As many of them as are looked at, evenly."""
    return levels[thinned(len(levels), _MAX_TARGETS)]


def trajectories_of(course: Course) -> Trajectories:
    """Of one cell."""
    reached, mean, bands = [], [], np.empty((len(BAND), len(course.targets)))
    for column, target in enumerate(course.targets):
        until = course.until(target)
        got = np.isfinite(until)
        reached.append(int(got.sum()))
        mean.append(float(until[got].mean()) if got.any() else math.inf)
        bands[:, column] = np.quantile(until, BAND, method="inverted_cdf")
    times = course.times(int(course.at.max()))
    sizes = np.empty((len(BAND), len(times)))
    for column, time in enumerate(times):
        sizes[:, column] = np.quantile(course.leaves[course.last(int(time))], BAND, method="inverted_cdf")
    fitness = course.direction * course.targets + 0  # no −0
    return Trajectories(course.spec, len(course), fitness, np.array(reached), np.array(mean), bands, times, sizes)


def in_words(fitness: Any) -> str:
    """Whole numbers in full."""
    return f"{fitness:,}" if isinstance(fitness, int | np.integer) else formatting.number(float(fitness))
