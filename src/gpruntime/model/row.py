"""A run as a row: the columns that tables of runs have, by name, with the type of their values.

They are named here and nowhere else. `Columns.to_arrow` and a study's folder have all of them, in this order; the
analysis asks for those it needs. `seconds` is the one column that does not come out the same when a run is repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpruntime.model.mutation import KINDS
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import SETTINGS

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS = {"n": int, "poisson_mean": float, "max_leaves_allowed": int, "budget": int}  # the others are words
_WEIGHTS = {f"weight_{kind}": float for kind in KINDS}
_IN_ALGORITHM = ("accept", "operations", "search", "until")  # said in its column, where they are not the preset's
SPEC_COLUMNS: dict[str, type] = {
    column: kind
    for name in SETTINGS
    if name not in _IN_ALGORITHM
    for column, kind in (_WEIGHTS if name == "weights" else {name: _KINDS.get(name, str)}).items()
}
ADDRESS_COLUMNS: dict[str, type] = {"seed": int, "cell": str, "run": int, "method": str}
OPERATION_COLUMNS: dict[str, type] = {f"{what}_{kind}": int for what in ("proposed", "accepted") for kind in KINDS}
RESULT_COLUMNS: dict[str, type] = {
    "outcome": str,
    "evaluations": int,
    "fitness": int,
    "leaves": int,
    "max_leaves": int,
    **OPERATION_COLUMNS,
    "seconds": float,
}
POPULATION_COLUMN = "max_population"  # of algorithms with populations only, and the last one
IMPROVEMENT_COLUMNS = ("improvement_evaluations", "improvement_fitness", "improvement_leaves")  # lists of int
NOT_REPEATABLE = ("seconds",)

# What every table of runs keeps to: the columns that may be null, and the least value of whole numbers.
NULLABLE = ("max_leaves_allowed", "budget", "seconds", POPULATION_COLUMN)
LEAST: dict[str, int] = {
    **dict.fromkeys(("n", "max_leaves_allowed", "budget", "evaluations", "improvement_evaluations"), 1),
    **dict.fromkeys(("seed", "run", "leaves", "max_leaves", "improvement_leaves", *OPERATION_COLUMNS), 0),
    POPULATION_COLUMN: 1,
}


def schema(improvements: bool, real: bool = False, population: bool = False) -> pa.Schema:
    """The same for Arrow. Words repeat along a table: encoded by a dictionary, they cost next to nothing.

    A fitness is a float where the problem's is (`real`). The most trees that were kept are told where some run has a
    `population`; there they are null for a (1+1) GP.
    """
    import pyarrow as pa

    kinds = {str: pa.dictionary(pa.int32(), pa.string()), int: pa.int64(), float: pa.float64()}
    columns = SPEC_COLUMNS | ADDRESS_COLUMNS | RESULT_COLUMNS
    fields = [(name, kinds[kind]) for name, kind in columns.items()]
    if improvements:
        fields += [(name, pa.list_(pa.int64())) for name in IMPROVEMENT_COLUMNS]
    if population:
        fields.append((POPULATION_COLUMN, pa.int64()))
    if real:
        floats = {"fitness": pa.float64(), "improvement_fitness": pa.list_(pa.float64())}
        fields = [(name, floats.get(name, kind)) for name, kind in fields]
    return pa.schema(fields)


def spec_values(spec: RunSpec) -> dict[str, Any]:
    """The spec columns of a run, in one spelling: equal laws have equal rows."""
    return settled_values(RunSpec(**spec.law(), budget=spec.budget))


def settled_values(spec: RunSpec) -> dict[str, Any]:
    """The same of a spec that has this spelling already, as those of a plan have."""
    weights = dict(zip(_WEIGHTS, spec.weights, strict=True))
    values = {**spec.settings, **weights, "algorithm": spec.algorithm.variant}
    return {name: values[name] for name in SPEC_COLUMNS}


def spec_of(row: Mapping[str, Any]) -> RunSpec:
    """The spec that the spec columns of a row describe; it loads nothing."""
    weights = tuple(row[name] for name in _WEIGHTS)
    return RunSpec.from_data(weights=weights, **{name: row[name] for name in SPEC_COLUMNS if name not in _WEIGHTS})
