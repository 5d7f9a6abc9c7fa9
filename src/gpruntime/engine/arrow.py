"""Runs as an Arrow table, one row each, with the columns that `gpruntime.model.row` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, OUTCOMES, PROPOSED
from gpruntime.model.row import IMPROVEMENT_COLUMNS, POPULATION_COLUMN, RESULT_COLUMNS, schema, spec_values

if TYPE_CHECKING:
    from gpruntime.engine.columns import Columns


def table_of(columns: Columns, seconds: float | None) -> pa.Table:
    """Runs of one cell as rows; `seconds` is the wall time of one of them, on average, where somebody took it."""
    spec, results, improved = columns.spec, columns.table, columns.improvements
    kinds = schema(improved is not None, spec.problem.is_real(spec.n), spec.has_population)
    same = {**spec_values(spec), "seed": columns.seed, "cell": spec.cell_id, "method": columns.method}
    same["seconds"] = seconds
    arrays: dict[str, Any] = {
        name: _constant(value, kinds.field(name).type, len(columns)) for name, value in same.items()
    }
    arrays["run"] = pa.array(columns.runs, pa.int64())
    arrays["outcome"] = pa.DictionaryArray.from_arrays(
        pa.array(results[:, OUTCOME].astype(np.int32)), pa.array([str(outcome) for outcome in OUTCOMES])
    )
    counted = [name for name, kind in RESULT_COLUMNS.items() if kind is int]
    places = (EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, *range(PROPOSED, PROPOSED + 3), *range(ACCEPTED, ACCEPTED + 3))
    for name, place in zip(counted, places, strict=True):
        arrays[name] = pa.array(columns.fitness if place == FITNESS else np.ascontiguousarray(results[:, place]))
    if improved is not None:
        offsets = pa.array(improved.offsets.astype(np.int32))
        lists = (improved.evaluations, improved.fitness, improved.leaves)
        for name, values in zip(IMPROVEMENT_COLUMNS, lists, strict=True):
            arrays[name] = pa.ListArray.from_arrays(offsets, pa.array(values))
    if columns.max_population is not None:
        arrays[POPULATION_COLUMN] = pa.array(np.ascontiguousarray(columns.max_population))
    return pa.Table.from_arrays([arrays[name] for name in kinds.names], schema=kinds)


def _constant(value: Any, kind: pa.DataType, length: int) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(length, np.int32)), pa.array([value]))
    return pa.repeat(pa.scalar(value, kind), length)
