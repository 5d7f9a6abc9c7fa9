"""The results of many runs, one row of integers a run; and, if that is asked for, when runs improved.

An improvement is noted with its evaluations, fitness and leaves, the initial tree's first. Under the paper's rules the
fitness never decreases, so every gain is a new best; under a rule that accepts losses a row says that the fitness rose.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.params import fitness_of, score
from gpruntime.engine.run_state import record_type
from gpruntime.model.errors import known, require
from gpruntime.model.face import Face, facts
from gpruntime.model.mutation import KINDS
from gpruntime.model.representations.representation import MORE_COLUMNS
from gpruntime.model.row import IMPROVEMENT_COLUMNS, RESULT_COLUMNS, schema
from gpruntime.model.run import Outcome, Run, RunResult
from gpruntime.model.search import Search
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import columns_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from gpruntime.analysis import Estimate, Summary

# A row of results, as kernels write it; `proposed` and `accepted` are by kind. The last ones are columns of the table
# where runs have them (`RunSpec.more_columns`).
RESULT = record_type(
    "outcome", "evaluations", "fitness", "leaves", "max_leaves",
    ("proposed", (np.int64, 3)), ("accepted", (np.int64, 3)), *MORE_COLUMNS,
)  # fmt: skip
OUTCOME, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, PROPOSED, ACCEPTED = 0, 1, 2, 3, 4, 5, 8
WIDTH = 11

OUTCOMES = tuple(Outcome)

# An improvement, as kernels write it: `run_state.CURSOR.noted` is how many there are.
IMPROVEMENT = record_type("row", "evaluations", "fitness", "leaves")


@dataclass(frozen=True)
class Improvements:
    """The improvements of many runs, one run after the other.

    Attributes:
        offsets: those of the i-th run stand at offsets[i] … offsets[i + 1] − 1.
        evaluations, fitness, leaves: when it happened, the new best fitness, and the leaves of that tree.
    """

    offsets: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    fitness: NDArray[Any]
    leaves: NDArray[np.int64]

    @classmethod
    def from_rows(cls, rows: NDArray[Any], runs: int, spec: RunSpec) -> Improvements:
        """From records as kernels write them, in the order of the runs."""
        offsets = np.zeros(runs + 1, np.int64)
        np.cumsum(np.bincount(rows["row"], minlength=runs), out=offsets[1:])
        evaluations, reached, leaves = (
            np.ascontiguousarray(rows[name]) for name in ("evaluations", "fitness", "leaves")
        )
        return cls(offsets, evaluations, fitness_of(reached, spec), leaves)

    def of(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(evaluations, fitness, leaves) of one run, by its row."""
        part = slice(self.offsets[row], self.offsets[row + 1])
        return self.evaluations[part], self.fitness[part], self.leaves[part]

    def take(self, rows: Iterable[int]) -> Improvements:
        """Those of some runs."""
        parts = [self.of(row) for row in rows]
        columns = zip(*parts, strict=True) if parts else ([self.evaluations[:0]], [self.fitness[:0]], [self.leaves[:0]])
        offsets = np.cumsum([0, *(len(evaluations) for evaluations, _, _ in parts)])
        return Improvements(offsets, *map(np.concatenate, columns))

    def __len__(self) -> int:
        return len(self.offsets) - 1


def improvements_of(run: Run | Search, row: int) -> Iterator[tuple[int, int, int, int]]:
    """The same rows from a run of the model, which is run to its end."""
    if isinstance(run, Search):
        run.result()
        yield from (
            (row, evaluations, score(fitness, run.spec), leaves) for evaluations, fitness, leaves in run.improvements
        )
        return
    last = score(run.fitness, run.spec)
    yield row, run.evaluations, last, len(run.tree.leaves)
    for step in run:
        now = score(step.fitness, run.spec)
        if now > last:
            yield row, step.evaluations, now, step.leaves
        last = now


@dataclass(frozen=True)
class Columns(Face):
    """Runs of one spec and seed: `columns[0]` is the first of them, `columns["evaluations"]` a column.

    `evaluations` is the raw column. Its mean is the expected time only where every run reached the optimum: a stuck
    run's time is infinite and a stopped run's unknown, while the column holds when that was noticed. `mean_time()` and
    `median_time()` say so.

    Attributes:
        spec, seed, runs: the addresses.
        method: "stepping", "skipping" or "model": which of them computed the runs.
        table: one row a run, columns as above; the fitness as a score (`gpruntime.engine.params.score`).
        improvements: when each run improved, if that was asked for.
        device: "cpu", or the name of the GPU that computed them: the numbers are the same.
    """

    spec: RunSpec
    seed: int
    runs: NDArray[np.int64]
    method: str
    table: NDArray[np.int64]
    improvements: Improvements | None = None
    device: str = "cpu"

    ALSO: ClassVar = {
        "times": "evaluations",
        "time": "evaluations",
        "std": "describe()",
        "success": "solved()",
        "outcomes": "outcome",
        "to_frame": "to_pandas()",
        "size": "leaves",
        "cdf": "ecdf()",
    }

    # ---- run by run

    @property
    def outcome(self) -> list[Outcome]:
        """How each run ended."""
        return [OUTCOMES[code] for code in self.table[:, OUTCOME]]

    @property
    def evaluations(self) -> NDArray[np.int64]:
        """Fitness evaluations of each run until it ended, was stuck or was stopped, the initial tree's included."""
        return self.table[:, EVALUATIONS]

    @property
    def fitness(self) -> NDArray[Any]:
        """Fitness of each run's last tree."""
        return fitness_of(self.table[:, FITNESS], self.spec)

    @property
    def leaves(self) -> NDArray[np.int64]:
        """Leaves of each run's last tree."""
        return self.table[:, LEAVES]

    @property
    def max_leaves(self) -> NDArray[np.int64]:
        """Leaves of the largest tree each run accepted."""
        return self.table[:, MAX_LEAVES]

    @property
    def proposed(self) -> NDArray[np.int64]:
        """Proposed operations of each run: substitutions, insertions, deletions."""
        return self.table[:, PROPOSED : PROPOSED + 3]

    @property
    def accepted(self) -> NDArray[np.int64]:
        """Accepted operations of each run: substitutions, insertions, deletions."""
        return self.table[:, ACCEPTED : ACCEPTED + 3]

    @property
    def max_population(self) -> NDArray[np.int64] | None:
        """The most trees each run kept; None for a (1+1) GP."""
        return self.more.get(MORE_COLUMNS[0])

    @property
    def wrong_on_all_rows(self) -> NDArray[np.int64] | None:
        """Errors of each run's last program on all rows, where the fitness samples them; else None."""
        return self.more.get(MORE_COLUMNS[1])

    @property
    def more(self) -> dict[str, NDArray[np.int64]]:
        """The columns that only some runs have, by name."""
        return {name: self.table[:, WIDTH + i] for i, name in enumerate(self.spec.more_columns)}

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunResult]:
        return self.results()

    @overload
    def __getitem__(self, which: SupportsIndex) -> RunResult: ...

    @overload
    def __getitem__(self, which: slice) -> Columns: ...

    @overload
    def __getitem__(self, which: str) -> NDArray[Any]: ...

    def __getitem__(self, which: SupportsIndex | slice | str) -> RunResult | Columns | NDArray[Any]:
        """A run by its place, the runs of a slice, or a column by its name."""
        if isinstance(which, str):
            table = self.to_arrow()
            return np.asarray(table[known("column", which, table.column_names)].to_numpy())
        if isinstance(which, slice):
            improved = None if self.improvements is None else self.improvements.take(range(len(self))[which])
            return dataclasses.replace(self, runs=self.runs[which], table=self.table[which], improvements=improved)
        place = range(len(self))[which]
        return next(self[place : place + 1].results())

    def __repr__(self) -> str:
        counts = Counter(self.outcome)
        ends = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in OUTCOMES if counts[outcome])
        what = f"{self.spec.algorithm.name} on {self.spec.problem.name}, n = {self.spec.n:,}"
        return (
            f"<{len(self):,} runs of {what}, seed {self.seed}: {ends or 'nothing yet'}\n"
            " .mean, .median, .quantile(p), .solved(): what they say; .describe(): all of it; .plot();\n"
            " [0], .evaluations, .outcome, …: run by run; .to_pandas(), .to_arrow(), .to_csv(FILE), …: as a table>"
        )

    def _repr_html_(self) -> str:
        counts, total = Counter(self.outcome), max(len(self), 1)
        ends = [(str(one), f"{counts[one]:,} ({counts[one] / total:.1%})") for one in OUTCOMES if counts[one]]
        what = f"{self.spec.algorithm.name} on {self.spec.problem.name}, n = {self.spec.n:,}, seed {self.seed}"
        times = [("mean time", self.mean_time()), ("median time", self.median_time())] if len(self) else []
        more = "More: .describe(), .plot(), .solved(), .stuck(), .quantile(p), .to_pandas(), .to_csv(FILE)"
        return facts(f"{len(self):,} runs of {what}", [*ends, *times], more=more)

    # ---- what the runs say

    def mean_time(self, level: float = 0.95) -> Estimate:
        """E[time] with its interval: infinite where runs are stuck, unknown where the budget stopped some."""
        return self._estimate("mean_time", level)

    def median_time(self, level: float = 0.95) -> Estimate:
        """The median time of all runs: infinite if half of them are stuck, above the budget if that lies beyond it."""
        return self._estimate("time_quantile", 0.5, level)

    def time_quantile(self, probability: float, level: float = 0.95) -> Estimate:
        """Any other quantile of the time of all runs."""
        return self._estimate("time_quantile", probability, level)

    def mean_time_given_optimum(self, level: float = 0.95) -> Estimate:
        """E[time | optimum], over the runs that reached it; where a budget stopped others, these are the fast ones."""
        return self._estimate("mean_time_given_optimum", level)

    def solved(self, level: float = 0.95) -> Estimate:
        """P(optimum); where there is a budget, within it."""
        return self._estimate("share", OUTCOMES.index(Outcome.OPTIMUM), level)

    def stuck(self, level: float = 0.95) -> Estimate:
        """P(stuck); where there is a budget, within it."""
        return self._estimate("share", OUTCOMES.index(Outcome.STUCK), level)

    def stopped(self, level: float = 0.95) -> Estimate:
        """P(stopped by the budget)."""
        return self._estimate("share", OUTCOMES.index(Outcome.BUDGET), level)

    @property
    def mean(self) -> Estimate:
        """`mean_time()`."""
        return self.mean_time()

    @property
    def median(self) -> Estimate:
        """`median_time()`."""
        return self.median_time()

    quantile = time_quantile

    def ecdf(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Evaluations, in order, and the share of all runs that had reached the optimum by then."""
        reached = np.sort(self.evaluations[self.table[:, OUTCOME] == OUTCOMES.index(Outcome.OPTIMUM)])
        return reached, np.arange(1, len(reached) + 1) / len(self)

    def describe(self) -> Summary:
        """All that the runs say, as `gpruntime.summarise(columns)`."""
        summary: Summary = importlib.import_module("gpruntime.analysis").summarise(self)
        return summary

    def plot(self) -> Any:
        """The figure of P(time ≤ t), with intervals: a notebook shows it, `.save(FOLDER)` writes it."""
        return self.describe().cells[0].plot()

    def _estimate(self, name: str, *arguments: float) -> Estimate:
        """Estimates belong to `analysis`, which is downstream of this folder; it is looked up by name, when asked."""
        row_times = importlib.import_module("gpruntime.analysis.runs").RowTimes
        estimate_of = getattr(importlib.import_module("gpruntime.analysis.times"), name)
        estimate: Estimate = estimate_of(row_times(self.spec, self.table[:, OUTCOME], self.evaluations), *arguments)
        return estimate

    # ---- as something else

    def to_arrow(self, seconds: float | None = None) -> pa.Table:
        """The runs as an Arrow table with the columns of a study's; `seconds` is the wall time of one, if known."""
        return table_of(self, seconds)

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas data frame. Raises `NotInstalled` where pandas is not."""
        require("pandas", "to_pandas()")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The same as a Polars data frame. Raises `NotInstalled` where Polars is not."""
        require("polars", "to_polars()")
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_csv(self, path: str | Path) -> Path:
        """Writes the same as a CSV file; lists of improvements as numbers with blanks between them."""
        return self._write(path, "csv")

    def to_parquet(self, path: str | Path) -> Path:
        """Writes the same as a Parquet file."""
        return self._write(path, "parquet")

    def _write(self, path: str | Path, kind: str) -> Path:
        """Whole, as a study's export is."""
        written: Path = importlib.import_module("gpruntime.study.export").write_table(self.to_arrow(), Path(path), kind)
        return written

    def results(self, tree: str | None = None) -> Iterator[RunResult]:
        """The runs one by one, as records; `tree` is the last tree, where it is known."""
        for run, row, fitness in zip(self.runs.tolist(), self.table.tolist(), self.fitness.tolist(), strict=True):
            yield RunResult(
                spec=self.spec,
                seed=self.seed,
                run=run,
                method=self.method,
                outcome=OUTCOMES[row[OUTCOME]],
                evaluations=row[EVALUATIONS],
                fitness=fitness,
                leaves=row[LEAVES],
                max_leaves=row[MAX_LEAVES],
                proposed=dict(zip(KINDS, row[PROPOSED : PROPOSED + 3], strict=True)),
                accepted=dict(zip(KINDS, row[ACCEPTED : ACCEPTED + 3], strict=True)),
                tree=tree,
                **dict(zip(self.spec.more_columns, row[WIDTH:], strict=True)),
            )


def row_of(result: RunResult) -> list[int]:
    """A record as a row of the table."""
    counts = [*(result.proposed[kind] for kind in KINDS), *(result.accepted[kind] for kind in KINDS)]
    ended = OUTCOMES.index(result.outcome)
    reached = score(result.fitness, result.spec)
    more = [getattr(result, name) for name in result.spec.more_columns]
    return [ended, result.evaluations, reached, result.leaves, result.max_leaves, *counts, *more]


def width_of(spec: RunSpec) -> int:
    """How many columns the table of its runs has."""
    return WIDTH + len(spec.more_columns)


def table_of(columns: Columns, seconds: float | None) -> pa.Table:
    """Runs of one cell as an Arrow table, with the columns that `gpruntime.model.row` names."""
    import pyarrow as pa

    def constant(value: Any, kind: pa.DataType) -> pa.Array:
        if pa.types.is_dictionary(kind):
            return pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(columns), np.int32)), pa.array([value]))
        return pa.repeat(pa.scalar(value, kind), len(columns))

    spec, results, improved = columns.spec, columns.table, columns.improvements
    kinds = schema(improved is not None, spec.problem.is_real(spec.n), spec.more_columns)
    same = {**columns_of(spec.in_one_spelling()), "seed": columns.seed, "cell": spec.cell_id, "method": columns.method}
    same["seconds"] = seconds
    arrays: dict[str, Any] = {name: constant(value, kinds.field(name).type) for name, value in same.items()}
    arrays["run"] = pa.array(columns.runs, pa.int64())
    arrays["outcome"] = pa.DictionaryArray.from_arrays(
        pa.array(results[:, OUTCOME].astype(np.int32)), pa.array([str(outcome) for outcome in OUTCOMES])
    )
    counted = [name for name, kind in RESULT_COLUMNS.items() if kind is int]
    for name, place in zip(counted, range(EVALUATIONS, WIDTH), strict=True):
        arrays[name] = pa.array(columns.fitness if place == FITNESS else np.ascontiguousarray(results[:, place]))
    if improved is not None:
        offsets = pa.array(improved.offsets.astype(np.int32))
        lists = (improved.evaluations, improved.fitness, improved.leaves)
        for name, values in zip(IMPROVEMENT_COLUMNS, lists, strict=True):
            arrays[name] = pa.ListArray.from_arrays(offsets, pa.array(values))
    for name, column in columns.more.items():
        arrays[name] = pa.array(np.ascontiguousarray(column))
    return pa.Table.from_arrays([arrays[name] for name in kinds.names], schema=kinds)
