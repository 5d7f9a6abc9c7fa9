"""A run as a row: the columns that tables of runs have, by name, with the type of their values.

They are named here and nowhere else. `Columns.to_arrow` and a study's folder have all of them, in this order; the
analysis asks for those it needs. `seconds` is the one column that does not come out the same when a run is repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpruntime.model.mutation import KINDS
from gpruntime.model.spec import RunSpec

if TYPE_CHECKING:
    import pyarrow as pa

SPEC_COLUMNS: dict[str, type] = {
    "problem": str,
    "algorithm": str,
    "n": int,
    "init": str,
    **{f"weight_{kind}": float for kind in KINDS},
    "poisson_mean": float,
    "operator": str,
    "substitute": str,
    "last_leaf": str,
    "max_leaves_allowed": int,
    "budget": int,
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
IMPROVEMENT_COLUMNS = ("improvement_evaluations", "improvement_fitness", "improvement_leaves")  # lists of int
NOT_REPEATABLE = ("seconds",)


def schema(improvements: bool) -> pa.Schema:
    """The same for Arrow. Words repeat along a table: encoded by a dictionary, they cost next to nothing."""
    import pyarrow as pa

    kinds = {str: pa.dictionary(pa.int32(), pa.string()), int: pa.int64(), float: pa.float64()}
    columns = SPEC_COLUMNS | ADDRESS_COLUMNS | RESULT_COLUMNS
    fields = [(name, kinds[kind]) for name, kind in columns.items()]
    if improvements:
        fields += [(name, pa.list_(pa.int64())) for name in IMPROVEMENT_COLUMNS]
    return pa.schema(fields)


def spec_values(spec: RunSpec) -> dict[str, Any]:
    """The spec columns of a run, in one spelling: equal laws have equal rows."""
    spec = RunSpec(**spec.law(), budget=spec.budget)
    weights = dict(zip((f"weight_{kind}" for kind in KINDS), spec.weights, strict=True))
    return {name: weights[name] if name in weights else getattr(spec, name) for name in SPEC_COLUMNS}


def spec_of(row: Mapping[str, Any]) -> RunSpec:
    """The spec that the spec columns of a row describe."""
    weights = tuple(row[f"weight_{kind}"] for kind in KINDS)
    return RunSpec(weights=weights, **{name: row[name] for name in SPEC_COLUMNS if not name.startswith("weight_")})
