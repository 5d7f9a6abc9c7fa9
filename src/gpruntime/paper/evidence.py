"""What a check gets to see: the first runs of its cells, as many as it asked for, and the estimates made from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis.cells import CellEstimate, estimate_cell
from gpruntime.analysis.curves import Curve, make_curve
from gpruntime.analysis.runs import OUTCOMES, Address, CellRuns, Integers, Operations
from gpruntime.engine import run_many
from gpruntime.engine.columns import OUTCOME
from gpruntime.model.mutation import KINDS
from gpruntime.model.row import OPERATION_COLUMNS, POPULATION_COLUMN
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Asked
from gpruntime.paper.scale import Scale

if TYPE_CHECKING:
    import pyarrow as pa

    from gpruntime.study.study import Study


@dataclass(frozen=True)
class SeenRuns(CellRuns):
    """The runs of a cell with what claims want to know beyond their times.

    Attributes:
        leaves: of each run's last tree.
    """

    leaves: Integers


class Evidence:
    """The runs a claim asked for.

    Attributes:
        scale: how far the checks go.
        seed: of all runs, and of whatever else is drawn.
        runs: by spec.
    """

    def __init__(self, scale: Scale, seed: int, runs: Mapping[RunSpec, SeenRuns]) -> None:
        self.scale, self.seed, self.runs = scale, seed, dict(runs)
        self._estimates: dict[tuple[RunSpec, int], CellEstimate] = {}

    def cell(self, spec: RunSpec, first: int | None = None) -> CellEstimate:
        """The estimates of a cell, from all its runs or from the first of them."""
        runs = self.runs[spec]
        count = len(runs) if first is None else min(first, len(runs))
        key = (spec, count)
        if key not in self._estimates:
            self._estimates[key] = estimate_cell(part_of(runs, 0, count))
        return self._estimates[key]

    def curve(self, specs: Iterable[RunSpec]) -> Curve:
        """The curve of specs that differ in n only."""
        return make_curve(self.cell(spec) for spec in specs)


def part_of(runs: SeenRuns, first: int, end: int) -> SeenRuns:
    """Some of the runs of a cell. (Sums over operations stay those of all runs: they are kept as sums only.)"""
    if (first, end) == (0, len(runs)):
        return runs
    part = slice(first, end)
    return dataclasses.replace(
        runs,
        outcome=runs.outcome[part],
        evaluations=runs.evaluations[part],
        max_leaves=runs.max_leaves[part],
        leaves=runs.leaves[part],
        max_population=None if runs.max_population is None else runs.max_population[part],
    )


def gather(asked: Sequence[Asked], studies: Sequence[Study], scale: Scale, seed: int) -> Evidence:
    """The evidence from studies: of each cell the first runs, however many there are."""
    return Evidence(scale, seed, seen_runs(asked, studies, seed))


def seen_runs(asked: Sequence[Asked], studies: Sequence[Study], seed: int) -> dict[RunSpec, SeenRuns]:
    """The first runs of each cell, as many as are asked for."""
    tables = {cell.id: (cell, study) for study in studies for cell in study.plan.cells}
    wanted: dict[RunSpec, int] = {}
    for spec, count in asked:
        wanted[spec] = max(wanted.get(spec, 0), count)
    found = {}
    for spec, count in wanted.items():
        cell, study = tables[_id(spec)]
        found[spec] = _from_table(spec, seed, _joined(spec, list(study.tables([cell]))).slice(0, count))
    return found


def made_here(asked: Sequence[Asked], scale: Scale, seed: int) -> Evidence:
    """The same evidence without a study, computed in this process: for tests, and for use in a notebook."""
    found: dict[RunSpec, SeenRuns] = {}
    for spec, count in asked:
        if spec not in found or len(found[spec]) < count:
            found[spec] = cell_here(spec, seed, count)
    return Evidence(scale, seed, found)


def cell_here(spec: RunSpec, seed: int, count: int) -> SeenRuns:
    """The first runs of a cell, computed in this process."""
    columns = run_many(spec, seed, count)
    sums = {kind: _sums(columns.proposed[:, i], columns.accepted[:, i]) for i, kind in enumerate(KINDS)}
    address = Address(seed, columns.method, 0, count - 1, count)
    outcome = columns.table[:, OUTCOME].astype(np.int8)
    kept = columns.max_population
    return SeenRuns(
        spec, outcome, columns.evaluations, columns.max_leaves, sums, (address,), columns.leaves, max_population=kept
    )


def _id(spec: RunSpec) -> str:
    from gpruntime.study.cell import cell_id

    return cell_id(spec)


def _joined(spec: RunSpec, tables: Sequence[pa.Table]) -> pa.Table:
    import pyarrow as pa

    names = ["run", "outcome", "evaluations", "leaves", "max_leaves", "method"]
    names += [*OPERATION_COLUMNS, *([POPULATION_COLUMN] if spec.has_population else [])]
    joined = pa.concat_tables([table.select(names) for table in tables]).unify_dictionaries()
    return joined.sort_by("run")


def _from_table(spec: RunSpec, seed: int, table: pa.Table) -> SeenRuns:
    outcomes = [str(outcome) for outcome in OUTCOMES]
    outcome = np.array([outcomes.index(word) for word in table["outcome"].to_pylist()], np.int8)

    def column(name: str) -> NDArray[np.int64]:
        return np.asarray(table[name].to_numpy(), np.int64)

    sums = {kind: _sums(column(f"proposed_{kind}"), column(f"accepted_{kind}")) for kind in KINDS}
    method = str(table["method"][0])
    count = table.num_rows
    address = Address(seed, method, 0, count - 1, count)
    columns = (column("evaluations"), column("max_leaves"), sums, (address,), column("leaves"))
    kept = column(POPULATION_COLUMN) if spec.has_population else None
    return SeenRuns(spec, outcome, *columns, max_population=kept)


def _sums(proposed: NDArray[np.int64], accepted: NDArray[np.int64]) -> Operations:
    p, a = proposed.astype(float), accepted.astype(float)
    return Operations(float(p.sum()), float(a.sum()), float(p @ p), float(p @ a), float(a @ a))
