"""Numbers and settings in words: digits as the interval allows, infinite as "infinite", never a NaN."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal

from gpruntime.model.spec import RunSpec

UNKNOWN = "unknown"
_SUPERSCRIPT = str.maketrans("-0123456789.n", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹·ⁿ")
_LARGE = 10**7
_MAX_DIGITS = 14


class Above(float):
    """More than this: what is known of a time that lies beyond the budget."""


def superscript(value: object) -> str:
    """10 and 5 make 10⁵."""
    return str(value).translate(_SUPERSCRIPT)


def number(value: float | None, scale: float | None = None, digits: int = 4) -> str:
    """A number in words.

    Args:
        value: None for unknown; may be infinite, or `Above` a budget.
        scale: the half-width of its interval: two of its digits are shown. Without it, `digits` significant ones.
        digits: how many significant digits where no interval is known.
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "infinite" if value > 0 else "−infinite"
    if isinstance(value, Above):
        return f"> {number(float(value))}"
    if value == 0:
        return "0"
    first = math.floor(math.log10(abs(value)))
    if scale is not None and math.isfinite(scale) and scale > 0:
        last = min(math.floor(math.log10(scale)) - 1, first - 1)  # the second digit of the half-width, or of the value
    else:
        last = first - digits + 1
        if float(value).is_integer() and abs(value) < _LARGE:
            last = max(last, 0)
    exact = Decimal(repr(float(value)))
    rounded = exact.quantize(Decimal(1).scaleb(max(last, first - _MAX_DIGITS)))
    if rounded != 0 and not Decimal("1e-4") <= abs(rounded) < _LARGE:
        exponent = rounded.adjusted()
        text = f"{rounded.scaleb(-exponent):f}·10{superscript(exponent)}"
    else:
        text = f"{rounded:,f}"
    return text.replace("-", "−")


def level(value: float) -> str:
    """A level of confidence: 95 %."""
    return f"{100 * value:g} %"


def half_width(low: float | None, high: float | None) -> float | None:
    """Of an interval, where it has one."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return None
    return (high - low) / 2


def interval(low: float | None, high: float | None) -> str:
    """An interval in words, or nothing."""
    if low is None or high is None:
        return "no interval"
    width = half_width(low, high)
    return f"{end(low, width)} to {end(high, width)}"


def end(value: float, width: float | None) -> str:
    """An end of an interval, with two significant digits at least: one may be much nearer to 0 than the other."""
    return number(value, None if width is None else min(width, abs(value)))


def percent(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A probability as a percentage."""
    if value is None:
        return UNKNOWN
    width = half_width(low, high)
    return f"{number(100 * value, None if width is None else 100 * width, digits=3)} %"


def plural(count: int, what: str) -> str:
    """1 run, 2 runs."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def listing(values: list[str]) -> str:
    """a, b and c."""
    return values[0] if len(values) == 1 else ", ".join(values[:-1]) + " and " + values[-1]


def sizes(values: list[int] | tuple[int, ...]) -> str:
    """A list of sizes, shortened where it is long."""
    shown = [f"{value:,}" for value in values]
    return listing(shown) if len(shown) <= 6 else f"{shown[0]}, {shown[1]}, …, {shown[-1]}"


def size_in_n(sizes: Mapping[int, int | None]) -> str:
    """Sizes by n in words: the number, a multiple of n, or M(n)."""
    if len(set(sizes.values())) == 1:
        return str(next(iter(sizes.values())))
    factors = {size / n for n, size in sizes.items() if size is not None}
    factor = factors.pop()
    whole = not factors and None not in sizes.values() and factor.is_integer()
    return f"{'' if factor == 1 else int(factor)}n" if whole else "M(n)"


def limit_on_leaves(specs: Iterable[RunSpec]) -> str:
    """The limit of several cells in words, or nothing."""
    limits = {spec.n: spec.max_leaves_allowed for spec in specs}
    if set(limits.values()) == {None}:
        return ""
    size = size_in_n(limits)
    return f"at most {int(size):,} leaves" if size.isdigit() else f"at most {size} leaves"


def limits(spec: RunSpec) -> str:
    """The limits of a cell in words, or nothing."""
    parts = []
    if spec.max_leaves_allowed is not None:
        parts.append(f"at most {spec.max_leaves_allowed:,} leaves")
    if spec.budget is not None:
        parts.append(f"budget {spec.budget:,}")
    return ", ".join(parts)
