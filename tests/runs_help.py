"""Tables of runs for tests: from the engine's columns, from the model with improvements, or planted from a law."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from gpruntime import Run, RunSpec, run_many
from gpruntime.model.mutation import KINDS
from gpruntime.model.row import schema
from gpruntime.model.spec_text import columns_of


def spec_columns(spec: RunSpec, rows: int) -> dict[str, pa.Array]:
    values = {**columns_of(spec.in_one_spelling()), "cell": spec.cell_id}
    return {name: pa.array([value] * rows, schema(False).field(name).type) for name, value in values.items()}


def together(tables: Iterable[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries()


def study_table(specs: Iterable[RunSpec], runs: int, seed: int = 1) -> pa.Table:
    """Runs of several specs in one table."""
    return together(run_many(spec, seed=seed, runs=runs).to_arrow() for spec in specs)


def planted_table(
    spec: RunSpec, evaluations: np.ndarray, outcome: str | list[str] = "optimum", max_leaves: int | None = None
) -> pa.Table:
    """Times given by the test, as if they had been measured."""
    rows = len(evaluations)
    table = spec_columns(spec, rows)
    outcomes = [outcome] * rows if isinstance(outcome, str) else outcome
    largest = 2 * spec.n if max_leaves is None else max_leaves
    third = np.maximum(np.asarray(evaluations, np.int64) - 1, 0) // 3
    table |= {
        "seed": pa.repeat(1, rows),
        "run": pa.array(np.arange(rows)),
        "method": pa.repeat("stepping", rows).dictionary_encode(),
        "outcome": pa.array(outcomes, pa.string()).dictionary_encode(),
        "evaluations": pa.array(np.asarray(evaluations, np.int64)),
        "fitness": pa.array([spec.n if how == "optimum" else spec.n - 1 for how in outcomes]),
        "leaves": pa.repeat(largest, rows),
        "max_leaves": pa.repeat(largest, rows),
    }
    for name in ("proposed", "accepted"):
        for kind in KINDS:
            table[f"{name}_{kind}"] = pa.array(third if name == "proposed" else third // 2)
    table["seconds"] = pa.repeat(0.001, rows)
    return pa.table(table).select(schema(improvements=False).names)


def watched_table(spec: RunSpec, runs: int, seed: int = 1) -> pa.Table:
    """The model's runs, with the optional columns of improvements."""
    times, heights, sizes = [], [], []
    for number in range(runs):
        run = Run(spec, seed, number)
        improvements = [(1, run.fitness, len(run.tree.leaves))]
        for step in run:
            if step.fitness > improvements[-1][1]:
                improvements.append((step.evaluations, step.fitness, step.leaves))
        times.append([at for at, _, _ in improvements])
        heights.append([fitness for _, fitness, _ in improvements])
        sizes.append([leaves for _, _, leaves in improvements])
    table = run_many(spec, seed=seed, runs=runs, method="stepping").to_arrow()
    kind = pa.list_(pa.int64())
    return (
        table.append_column("improvement_evaluations", pa.array(times, kind))
        .append_column("improvement_fitness", pa.array(heights, kind))
        .append_column("improvement_leaves", pa.array(sizes, kind))
    )
