"""Inside the runs of a cell: how long each fitness took to reach, and how the tree grew on the way.

From the optional columns of improvements: one entry for each new best fitness. Between two improvements the tree may
change by neutral moves; its size is known at the improvements only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Values
from gpruntime.analysis.plotting import Result
from gpruntime.analysis.runs import Integers
from gpruntime.analysis.survival import thinned
from gpruntime.analysis.table import RunTable, order_of, refuse_unknown
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
            return [f"{int(self.reached[-1]):,} of {runs} reached fitness {_in_words(best)}.", *grown]
        share = formatting.percent(float(at_half / final))
        middle = _in_words(self.targets[half])
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
    table = RunTable(runs)
    if not table.has_improvements:
        return ()
    columns = ", ".join(f"any_value({name}) AS {name}" for name in SPEC_COLUMNS if name != "budget")
    recorded = "improvement_evaluations IS NOT NULL AND len(improvement_evaluations) > 0"
    cells = table.rows(
        f"SELECT cell::VARCHAR, budget, {columns} FROM runs WHERE {recorded} GROUP BY 1, 2"  # noqa: S608
    )
    names = ["cell", "budget", *(name for name in SPEC_COLUMNS if name != "budget")]
    courses = []
    for row in cells:
        values = dict(zip(names, row, strict=True))
        spec = from_columns(values)
        budget = "budget IS NULL" if spec.budget is None else f"budget = {spec.budget}"
        where = f"WHERE cell::VARCHAR = '{values['cell']}' AND {budget} AND {recorded}"
        most = max(_MAX_ENTRIES // (_improvements(spec) + 1), 1)
        entries = table.arrays(
            f"SELECT unnest(improvement_evaluations) AS at, unnest(improvement_fitness) AS fitness, "  # noqa: S608
            "unnest(improvement_leaves) AS leaves, number "
            "FROM (SELECT *, row_number() OVER (ORDER BY seed, run) AS number FROM runs "
            f"{where} ORDER BY seed, run LIMIT {most})"
        )
        for name in ("at", "fitness", "leaves"):
            refuse_unknown(entries[name], "improvements", "lists of one length without nulls")
        number, at, fitness, leaves = (np.asarray(entries[name]) for name in ("number", "at", "fitness", "leaves"))
        order = np.lexsort((at, number))
        course = _Course(*(column[order] for column in (number - number.min(), at, fitness, leaves)))
        optima = table.rows(f"SELECT any_value(fitness) FROM runs {where} AND outcome::VARCHAR = 'optimum'")  # noqa: S608
        direction = _direction(spec, course, optima[0][0])
        if direction is not None:
            courses.append(_trajectories_of(spec, course, direction))
    return tuple(sorted(courses, key=lambda course: order_of(course.spec)))


class _Course(NamedTuple):
    """All improvements of a cell's runs: run by run, from 0 on, in the order of the evaluations."""

    run: Integers
    at: Integers
    fitness: Integers | Values
    leaves: Integers


def _improvements(spec: RunSpec) -> int:
    """How many a run may have; of a problem that is not loaded a guess."""
    return 100 * spec.n if spec.problem.is_own else spec.n


def _direction(spec: RunSpec, course: _Course, best: Fitness | None) -> int | None:
    """1 where larger is better, −1 where smaller is, None if nothing says so; `best` is of a run that reached it.

    Without the problem's source the runs say it: all that is not the best is worse, and each improvement is one, unless
    a user-defined rule may have accepted losses in between.
    """
    if spec.problem.is_loaded:
        return spec.problem.direction
    if best is not None:
        others = course.fitness[course.fitness != best]
        return 1 if len(others) == 0 or others[0] < best else -1
    gains = np.diff(course.fitness)[np.diff(course.run) == 0]
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


def _trajectories_of(spec: RunSpec, course: _Course, direction: int) -> Trajectories:
    run, at, scores = course.run, course.at, direction * course.fitness
    runs = int(run[-1]) + 1
    ends = np.searchsorted(run, np.arange(runs), side="right")
    levels: Any = np.unique(scores)
    targets = _targets(spec, direction, levels)
    # One sorted key finds the first improvement to k or better of every run: the rank of the best score so far, which
    # never falls, though a score may where a rule accepts losses.
    width = len(levels) + 1
    key = np.maximum.accumulate(run * width + np.searchsorted(levels, scores))
    reached, mean, bands = [], [], np.empty((len(BAND), len(targets)))
    for column, rank in enumerate(np.searchsorted(levels, targets)):
        place = np.searchsorted(key, np.arange(runs) * width + rank)
        got = place < ends
        until = np.full(runs, math.inf)
        until[got] = at[place[got]]
        reached.append(int(got.sum()))
        mean.append(float(until[got].mean()) if got.any() else math.inf)
        bands[:, column] = np.quantile(until, BAND, method="inverted_cdf")
    moments, last = np.unique(at), int(at.max())
    times = np.union1d(np.geomspace(1, last, _MAX_TIMES)[:-1].round().astype(np.int64), last)
    sizes = np.empty((len(BAND), len(times)))
    width = len(moments) + 1
    key = run * width + np.searchsorted(moments, at)
    for column, rank in enumerate(np.searchsorted(moments, times, side="right")):
        place = np.searchsorted(key, np.arange(runs) * width + rank) - 1
        sizes[:, column] = np.quantile(course.leaves[place], BAND, method="inverted_cdf")
    fitness = direction * targets + 0  # no −0
    return Trajectories(spec, runs, fitness, np.array(reached), np.array(mean), bands, times, sizes)


def _in_words(fitness: Any) -> str:
    return f"{fitness:,}" if isinstance(fitness, np.integer) else formatting.number(float(fitness))
