"""Tables of runs for tests: from the engine's columns, from the model with improvements, or planted from a law."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from gpruntime import Columns, Run, RunSpec, run_many
from gpruntime.model.mutation import KINDS


def cell_digest(spec: RunSpec) -> str:
    return b"".join(word.to_bytes(4, "little") for word in spec.cell).hex()


def spec_columns(spec: RunSpec, rows: int) -> dict[str, pa.Array]:
    substitute, insert, delete = spec.weights
    values = {
        "problem": (spec.problem, pa.string()),
        "algorithm": (spec.algorithm, pa.string()),
        "n": (spec.n, pa.int64()),
        "init": (spec.init, pa.string()),
        "weight_substitute": (substitute, pa.float64()),
        "weight_insert": (insert, pa.float64()),
        "weight_delete": (delete, pa.float64()),
        "poisson_mean": (spec.poisson_mean, pa.float64()),
        "operator": (spec.operator, pa.string()),
        "substitute": (spec.substitute, pa.string()),
        "last_leaf": (spec.last_leaf, pa.string()),
        "max_leaves_allowed": (spec.max_leaves_allowed, pa.int64()),
        "budget": (spec.budget, pa.int64()),
        "cell": (cell_digest(spec), pa.string()),
    }
    columns = {}
    for name, (value, kind) in values.items():
        column = pa.repeat(pa.scalar(value, kind), rows)
        columns[name] = column.dictionary_encode() if kind == pa.string() else column
    return columns


def table_of(columns: Columns) -> pa.Table:
    """What the engine returned, as a table of runs."""
    rows = len(columns)
    table = spec_columns(columns.spec, rows)
    table["seed"] = pa.repeat(columns.seed, rows)
    table["run"] = pa.array(columns.runs)
    table["method"] = pa.repeat(columns.method, rows).dictionary_encode()
    table["outcome"] = pa.array([str(outcome) for outcome in columns.outcome], pa.string()).dictionary_encode()
    for name in ("evaluations", "fitness", "leaves", "max_leaves"):
        table[name] = pa.array(getattr(columns, name))
    for name, counts in (("proposed", columns.proposed), ("accepted", columns.accepted)):
        for position, kind in enumerate(KINDS):
            table[f"{name}_{kind}"] = pa.array(counts[:, position])
    table["seconds"] = pa.repeat(0.001, rows)
    return pa.table(table)


def together(tables: Iterable[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries()


def study_table(specs: Iterable[RunSpec], runs: int, seed: int = 1) -> pa.Table:
    """Runs of several specs in one table."""
    return together(table_of(run_many(spec, seed=seed, runs=runs)) for spec in specs)


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
    return pa.table(table)


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
    table = table_of(run_many(spec, seed=seed, runs=runs, method="stepping"))
    kind = pa.list_(pa.int64())
    return (
        table.append_column("improvement_evaluations", pa.array(times, kind))
        .append_column("improvement_fitness", pa.array(heights, kind))
        .append_column("improvement_leaves", pa.array(sizes, kind))
    )
