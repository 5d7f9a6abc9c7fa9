"""The answer to a query as Python's values; dates beyond Python's are words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_INFINITE = (2**31 - 1, 2**63 - 1)  # duckdb's, of days and of smaller units


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return [_value(scalar) for scalar in column]


def _value(scalar: pa.Scalar) -> Any:
    import pyarrow as pa

    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        if isinstance(scalar, pa.ListScalar):
            return [_value(part) for part in scalar.values]
        if isinstance(scalar, pa.StructScalar):
            return {name: _value(part) for name, part in scalar.items()}
        number = getattr(scalar, "value", None)
        if isinstance(number, int) and abs(number) in _INFINITE:
            return "infinity" if number > 0 else "-infinity"
        return str(scalar.cast(pa.string()).as_py())
