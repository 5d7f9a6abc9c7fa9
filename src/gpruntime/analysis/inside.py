"""Inside the runs of a cell: how long each fitness took to reach, and how the tree grew on the way.

From the optional columns of improvements: one entry for each new best fitness. Between two improvements the tree may
change by neutral moves; its size is known at the improvements only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.analysis import words
from gpruntime.analysis.estimates import Values
from gpruntime.analysis.runs import Integers, RunTable
from gpruntime.model.row import SPEC_COLUMNS, spec_of
from gpruntime.model.spec import RunSpec

if TYPE_CHECKING:
    from gpruntime.analysis.runs import RunsLike

BAND = (0.1, 0.5, 0.9)
_MOST_TARGETS = 60
_MOST_TIMES = 80
_MOST_ENTRIES = 20_000_000


@dataclass(frozen=True)
class InsideRuns:
    """The course of the runs of one cell.

    Attributes:
        spec: the cell.
        runs: how many were looked at; of very many long runs, the first.
        targets: fitness values k, from the worst beginning to the best of all: the optimum, if a run reached it.
        reached: how many runs reached fitness k.
        mean: evaluations until then, over the runs that did; infinite where none did.
        bands: 10 %, 50 % and 90 % of the evaluations until fitness ≥ k, one row each; infinite where too few did.
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
        return f"{words.setting(self.spec)}, n = {self.spec.n:,}"

    def sentences(self) -> list[str]:
        """Where the time goes, in words."""
        final, start = self.bands[1, -1], self.targets[0]
        best = self.targets[-1]
        half = int(np.searchsorted(np.abs(self.targets - start), abs(best - start) / 2))
        at_half = self.bands[1, min(half, len(self.targets) - 1)]
        leaves = words.number(float(self.leaves[1, -1]))
        grown = f"Half of the runs have {leaves} leaves or fewer at their last improvement."
        if not math.isfinite(final):
            return [
                f"{int(self.reached[-1]):,} of {words.plural(self.runs, 'run')} reached fitness {best:,}.",
                grown,
            ]
        share = words.percent(float(at_half / final))
        return [f"The median run reaches fitness {self.targets[half]:,} after {share} of its median time.", grown]

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
        return f"<InsideRuns of {self.name}: {' '.join(self.sentences())}>"

    def plot(self) -> Any:
        """Fixed targets and sizes: a notebook shows it, `.save(FOLDER)` writes it."""
        from gpruntime.analysis.plotting import plot

        return plot(self)

    def _repr_html_(self) -> str:
        from gpruntime.analysis.plotting import html_table

        return html_table(self.name, self.sentences(), self.to_records())


def inside(runs: RunsLike) -> tuple[InsideRuns, ...]:
    """The course of the runs, cell by cell; empty where the plan did not ask for improvements."""
    table = RunTable(runs)
    if not table.has_improvements:
        return ()
    columns = ", ".join(f"any_value({name}) AS {name}" for name in SPEC_COLUMNS if name != "budget")
    recorded = "improvement_evaluations IS NOT NULL AND len(improvement_evaluations) > 0"
    cells = table.rows(
        f"SELECT cell::VARCHAR, budget, {columns} FROM runs WHERE {recorded} GROUP BY 1, 2"  # noqa: S608
    )
    names = ["cell", "budget", *(name for name in SPEC_COLUMNS if name != "budget")]
    found = []
    for row in cells:
        values = dict(zip(names, row, strict=True))
        spec = spec_of(values)
        where = "budget IS NULL" if spec.budget is None else f"budget = {spec.budget}"
        most = max(_MOST_ENTRIES // (_improvements(spec) + 1), 1)
        entries = table.arrays(
            f"SELECT unnest(improvement_evaluations) AS at, unnest(improvement_fitness) AS fitness, "  # noqa: S608
            "unnest(improvement_leaves) AS leaves, number "
            "FROM (SELECT *, row_number() OVER (ORDER BY seed, run) AS number FROM runs "
            f"WHERE cell::VARCHAR = '{values['cell']}' AND {where} AND {recorded} ORDER BY seed, run LIMIT {most})"
        )
        found.append(_course(spec, *(np.asarray(entries[name]) for name in ("number", "at", "fitness", "leaves"))))
    return tuple(sorted(found, key=lambda one: (one.spec.problem, one.spec.algorithm, one.spec.init, one.spec.n)))


def _improvements(spec: RunSpec) -> int:
    """How many a run may have; of a problem that is not loaded a guess."""
    return 100 * spec.n if spec.problem_.is_own else spec.n


def _course(spec: RunSpec, number: Integers, at: Integers, fitness: Integers, leaves: Integers) -> InsideRuns:
    order = np.lexsort((at, number))
    number, at, fitness, leaves = (column[order] for column in (number - number.min(), at, fitness, leaves))
    runs = int(number[-1]) + 1
    ends = np.searchsorted(number, np.arange(runs), side="right")
    first = np.searchsorted(number, np.arange(runs))
    sign = -1 if (fitness[ends - 1] < fitness[first]).any() else 1  # where smaller is better it falls
    levels = np.unique(sign * fitness) if spec.problem_.is_own else np.arange(fitness.min(), spec.best + 1)
    targets = levels[np.unique(np.linspace(0, len(levels) - 1, _MOST_TARGETS).round().astype(np.int64))]
    # Within a run ranks and evaluations both rise, so one sorted key finds the first improvement to ≥ k of every run.
    rank, ranks = np.searchsorted(levels, sign * fitness), np.searchsorted(levels, targets)
    key = number * (len(levels) + 1) + rank
    reached, mean, bands = [], [], np.empty((len(BAND), len(targets)))
    for column, target in enumerate(ranks):
        place = np.searchsorted(key, np.arange(runs) * (len(levels) + 1) + target)
        got = place < ends
        until = np.full(runs, math.inf)
        until[got] = at[place[got]]
        reached.append(int(got.sum()))
        mean.append(float(until[got].mean()) if got.any() else math.inf)
        bands[:, column] = np.quantile(until, BAND, method="inverted_cdf")
    span = int(at.max()) + 1
    times = np.unique(np.geomspace(1, span - 1, _MOST_TIMES).round().astype(np.int64)) if span > 2 else np.array([1])
    sizes = np.empty((len(BAND), len(times)))
    key = number * span + at
    for column, time in enumerate(times):
        place = np.searchsorted(key, np.arange(runs) * span + time, side="right") - 1
        sizes[:, column] = np.quantile(leaves[place], BAND, method="inverted_cdf")
    return InsideRuns(spec, runs, sign * targets, np.array(reached), np.array(mean), bands, times, sizes)
