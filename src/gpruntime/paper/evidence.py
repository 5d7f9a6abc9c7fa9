"""What a check gets to see: the first runs of its cells, as many as it asked for, and the estimates made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
from gpruntime.paper.claim import Request
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

    @cached_property
    def estimate(self) -> CellEstimate:
        """The estimates, made once, whoever asks."""
        return estimate_cell(self)


class Evidence:
    """The runs a claim asked for.

    Attributes:
        scale: how far the checks go.
        seed: of all runs, and of whatever else is drawn.
        runs: by spec.
    """

    def __init__(self, scale: Scale, seed: int, runs: Mapping[RunSpec, SeenRuns]) -> None:
        self.scale, self.seed, self.runs = scale, seed, dict(runs)
        self._curves: dict[tuple[RunSpec, ...], Curve] = {}

    def cell(self, spec: RunSpec) -> CellEstimate:
        """The estimates of a cell."""
        return self.runs[spec].estimate

    def curve(self, specs: Iterable[RunSpec]) -> Curve:
        """The curve of specs that differ in n only."""
        chosen = tuple(specs)
        if chosen not in self._curves:
            self._curves[chosen] = make_curve(self.cell(spec) for spec in chosen)
        return self._curves[chosen]


def gather(requests: Sequence[Request], studies: Sequence[Study], scale: Scale, seed: int) -> Evidence:
    """The evidence from studies: of each cell the first runs, however many there are."""
    return Evidence(scale, seed, seen_runs(requests, studies, seed))


def seen_runs(requests: Sequence[Request], studies: Sequence[Study], seed: int) -> dict[RunSpec, SeenRuns]:
    """The first runs of each cell, as many as are asked for."""

    cells = {cell.id: (cell, study) for study in studies for cell in study.plan.cells}
    runs = {}
    for spec, count in _largest(requests).items():
        cell, study = cells[spec.cell_id]
        runs[spec] = _from_table(spec, seed, _joined(spec, list(study.tables([cell]))).slice(0, count))
    return runs


def made_here(requests: Sequence[Request], scale: Scale, seed: int) -> Evidence:
    """The same evidence without a study, computed in this process: for tests, and for use in a notebook."""
    return Evidence(scale, seed, {spec: cell_here(spec, seed, count) for spec, count in _largest(requests).items()})


def _largest(requests: Sequence[Request]) -> dict[RunSpec, int]:
    """The most runs that are asked for of each spec."""
    wanted: dict[RunSpec, int] = {}
    for spec, count in requests:
        wanted[spec] = max(wanted.get(spec, 0), count)
    return wanted


def cell_here(spec: RunSpec, seed: int, count: int) -> SeenRuns:
    """The first runs of a cell, computed in this process."""
    columns = run_many(spec, seed=seed, runs=count)
    return SeenRuns(
        spec,
        columns.table[:, OUTCOME].astype(np.int8),
        columns.evaluations,
        columns.max_leaves,
        {kind: _sums(columns.proposed[:, i], columns.accepted[:, i]) for i, kind in enumerate(KINDS)},
        (Address(seed, columns.method, 0, count - 1, count),),
        columns.leaves,
        max_population=columns.max_population,
    )


def _joined(spec: RunSpec, tables: Sequence[pa.Table]) -> pa.Table:
    import pyarrow as pa

    names = ["run", "outcome", "evaluations", "leaves", "max_leaves", "method"]
    names += [*OPERATION_COLUMNS, *([POPULATION_COLUMN] if spec.has_population else [])]
    joined = pa.concat_tables([table.select(names) for table in tables]).unify_dictionaries()
    return joined.sort_by("run")


def _from_table(spec: RunSpec, seed: int, table: pa.Table) -> SeenRuns:
    outcomes = [str(outcome) for outcome in OUTCOMES]

    def column(name: str) -> NDArray[np.int64]:
        return np.asarray(table[name].to_numpy(), np.int64)

    return SeenRuns(
        spec,
        np.array([outcomes.index(word) for word in table["outcome"].to_pylist()], np.int8),
        column("evaluations"),
        column("max_leaves"),
        {kind: _sums(column(f"proposed_{kind}"), column(f"accepted_{kind}")) for kind in KINDS},
        (Address(seed, str(table["method"][0]), 0, table.num_rows - 1, table.num_rows),),
        column("leaves"),
        max_population=column(POPULATION_COLUMN) if spec.has_population else None,
    )


def _sums(proposed: NDArray[np.int64], accepted: NDArray[np.int64]) -> Operations:
    p, a = proposed.astype(float), accepted.astype(float)
    return Operations(float(p.sum()), float(a.sum()), float(p @ p), float(p @ a), float(a @ a))
