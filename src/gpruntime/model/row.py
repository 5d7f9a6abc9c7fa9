"""A run as a row: the columns that tables of runs have, by name, with the type of their values.

They are named here and nowhere else. `Columns.to_arrow` and a study's folder have all of them, in this order; the
analysis asks for those it needs. Of a stuck run `evaluations` tells when its parent last changed; that its time is
infinite is said by the outcome alone. `seconds` is the one column that does not come out the same when a run is
repeated.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from gpruntime.model.mutation import KINDS
from gpruntime.model.representations.representation import MORE_COLUMNS
from gpruntime.model.spec_text import SPEC_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

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
POPULATION_COLUMN, ALL_ROWS_COLUMN = MORE_COLUMNS  # of some runs only (`RunSpec.more_columns`), and the last ones
IMPROVEMENT_COLUMNS = ("improvement_evaluations", "improvement_fitness", "improvement_leaves")  # lists of int
NOT_REPEATABLE = ("seconds",)

# What every table of runs keeps to: the columns that may be null, and the least value of whole numbers.
NULLABLE = ("max_leaves_allowed", "budget", "seconds", *MORE_COLUMNS)
LEAST: dict[str, int] = {
    **dict.fromkeys(("n", "max_leaves_allowed", "budget", "evaluations", "improvement_evaluations"), 1),
    **dict.fromkeys(("seed", "run", "leaves", "max_leaves", "improvement_leaves", *OPERATION_COLUMNS), 0),
    POPULATION_COLUMN: 1,
    ALL_ROWS_COLUMN: 0,
}


def schema(improvements: bool, real: bool = False, more: Collection[str] = ()) -> pa.Schema:
    """The same for Arrow. Words repeat along a table: encoded by a dictionary, they cost next to nothing.

    A fitness is a float where the problem's is (`real`). Of `MORE_COLUMNS` there are those that some run has; they are
    null for others.
    """
    import pyarrow as pa

    kinds = {str: pa.dictionary(pa.int32(), pa.string()), int: pa.int64(), float: pa.float64()}
    columns = SPEC_COLUMNS | ADDRESS_COLUMNS | RESULT_COLUMNS
    fields = [(name, kinds[kind]) for name, kind in columns.items()]
    if improvements:
        fields += [(name, pa.list_(pa.int64())) for name in IMPROVEMENT_COLUMNS]
    fields += [(name, pa.int64()) for name in MORE_COLUMNS if name in more]
    if real:
        floats = {"fitness": pa.float64(), "improvement_fitness": pa.list_(pa.float64())}
        fields = [(name, floats.get(name, kind)) for name, kind in fields]
    return pa.schema(fields)
