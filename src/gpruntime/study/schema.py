"""A run as a row: the columns of a study's table.

What repeats along a shard, such as the problem's name, is dictionary-encoded: it costs next to nothing on disk and
in memory. `seconds` is the one column that does not come out the same when a run is repeated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from gpruntime.engine import Columns
from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, OUTCOME, OUTCOMES, PROPOSED
from gpruntime.model.mutation import KINDS
from gpruntime.model.spec import RunSpec
from gpruntime.study.cell import cell_id

_WORD = pa.dictionary(pa.int32(), pa.string())

SPEC_FIELDS: list[tuple[str, pa.DataType]] = [
    ("problem", _WORD),
    ("algorithm", _WORD),
    ("n", pa.int64()),
    ("init", _WORD),
    ("weight_substitute", pa.float64()),
    ("weight_insert", pa.float64()),
    ("weight_delete", pa.float64()),
    ("poisson_mean", pa.float64()),
    ("operator", _WORD),
    ("substitute", _WORD),
    ("last_leaf", _WORD),
    ("max_leaves_allowed", pa.int64()),
    ("budget", pa.int64()),
]
ADDRESS_FIELDS: list[tuple[str, pa.DataType]] = [
    ("seed", pa.int64()),
    ("cell", _WORD),
    ("run", pa.int64()),
    ("method", _WORD),
]
RESULT_FIELDS: list[tuple[str, pa.DataType]] = [
    ("outcome", _WORD),
    ("evaluations", pa.int64()),
    ("fitness", pa.int64()),
    ("leaves", pa.int64()),
    ("max_leaves", pa.int64()),
    *((f"proposed_{kind}", pa.int64()) for kind in KINDS),
    *((f"accepted_{kind}", pa.int64()) for kind in KINDS),
    ("seconds", pa.float64()),
]
IMPROVEMENT_FIELDS: list[tuple[str, pa.DataType]] = [
    ("improvement_evaluations", pa.list_(pa.int64())),
    ("improvement_fitness", pa.list_(pa.int64())),
    ("improvement_leaves", pa.list_(pa.int64())),
]
NOT_REPEATABLE = ("seconds",)


def schema(improvements: bool) -> pa.Schema:
    """The schema of a study's table."""
    fields = SPEC_FIELDS + ADDRESS_FIELDS + RESULT_FIELDS + (IMPROVEMENT_FIELDS if improvements else [])
    return pa.schema(fields)


def table_of(columns: Columns, seconds: float) -> pa.Table:
    """Runs of one cell as rows; `seconds` is the wall time of one of them, on average."""
    runs, results = len(columns), columns.table
    arrays: list[Any] = [_constant(value, kind, runs) for value, kind in _spec_values(columns.spec)]
    arrays += [
        _constant(columns.seed, pa.int64(), runs),
        _constant(cell_id(columns.spec), _WORD, runs),
        pa.array(columns.runs, pa.int64()),
        _constant(columns.method, _WORD, runs),
        pa.DictionaryArray.from_arrays(
            pa.array(results[:, OUTCOME].astype(np.int32)), pa.array([str(outcome) for outcome in OUTCOMES])
        ),
    ]
    for column in (
        EVALUATIONS,
        FITNESS,
        LEAVES,
        MAX_LEAVES,
        *range(PROPOSED, PROPOSED + 3),
        *range(ACCEPTED, ACCEPTED + 3),
    ):
        arrays.append(pa.array(np.ascontiguousarray(results[:, column])))
    arrays.append(_constant(seconds, pa.float64(), runs))
    improved = columns.improvements
    if improved is not None:
        offsets = pa.array(improved.offsets.astype(np.int32))
        arrays += [
            pa.ListArray.from_arrays(offsets, pa.array(values))
            for values in (improved.evaluations, improved.fitness, improved.leaves)
        ]
    return pa.Table.from_arrays(arrays, schema=schema(improved is not None))


def spec_of(row: dict[str, Any]) -> RunSpec:
    """The spec of a row of the table."""
    return RunSpec(
        problem=row["problem"],
        algorithm=row["algorithm"],
        n=row["n"],
        init=row["init"],
        weights=(row["weight_substitute"], row["weight_insert"], row["weight_delete"]),
        poisson_mean=row["poisson_mean"],
        operator=row["operator"],
        substitute=row["substitute"],
        last_leaf=row["last_leaf"],
        max_leaves_allowed=row["max_leaves_allowed"],
        budget=row["budget"],
    )


def _spec_values(spec: RunSpec) -> list[tuple[Any, pa.DataType]]:
    values = []
    for name, kind in SPEC_FIELDS:
        if name.startswith("weight_"):
            values.append((spec.weights[KINDS.index(name.removeprefix("weight_"))], kind))
        else:
            values.append((getattr(spec, name), kind))
    return values


def _constant(value: Any, kind: pa.DataType, length: int) -> pa.Array:
    if kind == _WORD:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(length, np.int32)), pa.array([value]))
    return pa.repeat(pa.scalar(value, kind), length)
