"""Sizes n of a plan: numbers and ranges, arithmetic or geometric.

    n = 100
    n = [10, 20, 50]
    n = {from = 10, to = 100, step = 10}
    n = {from = 10, to = 10000, factor = 2}
    n = [5, {from = 10, to = 10000, factor = 2}]

A geometric range is from·factorᵏ, rounded; sizes that round to the same number are one size.
"""

from __future__ import annotations

import math
from typing import Any

from gpruntime.model.errors import BadInput, whole
from gpruntime.model.problem import MOST_VARIABLES

MAX_SIZES = 100_000


def sizes_of(value: Any) -> list[int]:
    """The sizes a plan's `n` stands for, in its order. Raises `BadInput`."""
    if hasattr(value, "tolist"):  # NumPy's
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        if len(value) == 0:
            raise BadInput("n", "[]", "the list is empty")
        return [size for part in value for size in _part(part)]
    return _part(value)


def _part(value: Any) -> list[int]:
    if isinstance(value, dict):
        return _range(value)
    return [whole("n", value, 1, MOST_VARIABLES)]


def _range(value: dict[str, Any]) -> list[int]:
    shown = ", ".join(f"{key} = {part!r}" for key, part in value.items())
    if not (set(value) == {"from", "to", "step"} or set(value) == {"from", "to", "factor"}):
        raise BadInput("n", f"{{{shown}}}", "a range has from, to and either step or factor")
    first = whole("n.from", value["from"], 1, MOST_VARIABLES)
    last = whole("n.to", value["to"], 1, MOST_VARIABLES)
    if last < first:
        raise BadInput("n.to", last, f"must not be below n.from = {first}")
    if "step" in value:
        step = whole("n.step", value["step"], 1)
        if (last - first) // step + 1 > MAX_SIZES:
            raise BadInput("n.step", step, f"gives more than {MAX_SIZES} sizes")
        return list(range(first, last + 1, step))
    factor = _factor(value["factor"])
    if math.log(last / first) / math.log(factor) + 1 > MAX_SIZES:
        raise BadInput("n.factor", factor, f"gives more than {MAX_SIZES} sizes")
    powers = (round(first * factor**k) for k in range(math.floor(math.log(last / first) / math.log(factor) + 1e-9) + 1))
    return list(dict.fromkeys(size for size in powers if size <= last))


def _factor(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value <= MOST_VARIABLES:
        raise BadInput("n.factor", value, "must be a number above 1")
    if value < 1 + 1e-6:
        raise BadInput("n.factor", value, "must be at least 1.000001")
    return float(value)
