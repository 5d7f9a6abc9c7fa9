"""Estimates with intervals: probabilities, means, quantiles, ratios of sums. Each method is a function here.

A mean's interval is Student's on the scale of logarithms, x̄·exp(∓t·s/(x̄√R)), with one end moved outwards by what a
skewed law takes away from it:

    t → t + |γ|·(2t² + 1)/(6√R)   at the upper end where the sample's skewness γ > 0, at the lower where γ < 0.

That is the first term of the Edgeworth expansion of Student's ratio. No end moves inwards: of few runs the skewness is
known too badly for that. docs/statistics.md has how often each interval holds the truth.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import Any, ClassVar, NamedTuple, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis import formatting
from gpruntime.model.errors import BadInput
from gpruntime.model.face import Face

LEVEL = 0.95
_LARGE_SHARE = 0.1  # of the sum, in one of at least this many runs
_MANY = 20
_ROUNDING = 1e-15
_NO_RUNS, _ONE_RUN, _ALIKE = "no runs", "one run, no interval", "all runs alike, no interval"

Values: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Estimate(Face):
    """A number with its interval. Where a number is wanted it is one: `float(e)`, `f"{e:.1f}"`, `e < 100`, in a plot.

    Where nothing is known that number is nan, and no comparison holds.

    Attributes:
        value: None where nothing is known; infinite where that is the truth; `formatting.Above` beyond a budget.
        low, high: the ends of the interval, None where there is none.
        level: its confidence.
        method: how the interval was made.
        remark: what has to be said with the number.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = LEVEL
    method: str = ""
    remark: str = ""

    ALSO: ClassVar = {"mean": "value", "ci": "low and high", "interval": "bracket()", "lower": "low", "upper": "high"}

    def __float__(self) -> float:
        return math.nan if self.value is None else float(self.value)

    def __format__(self, how: str) -> str:
        return format(float(self), how) if how else str(self)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Estimate):
            return dataclasses.astuple(self) == dataclasses.astuple(other)
        return float(self) == other if isinstance(other, Real) else NotImplemented

    def __lt__(self, other: SupportsFloat) -> bool:
        return float(self) < float(other)

    def __le__(self, other: SupportsFloat) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: SupportsFloat) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: SupportsFloat) -> bool:
        return float(self) >= float(other)

    def __str__(self) -> str:
        text = self.short()
        if self.low is not None and self.high is not None and self.low < self.high:
            text += f" ({100 * self.level:g} % interval {formatting.interval(self.low, self.high)})"
        return f"{text}, {self.remark}" if self.remark else text

    def short(self) -> str:
        """The number alone, with the digits its interval allows."""
        return formatting.number(self.value, formatting.half_width(self.low, self.high))

    def bracket(self) -> str:
        """The interval alone, in brackets, or nothing."""
        if self.low is None or self.high is None:
            return ""
        width = formatting.half_width(self.low, self.high)
        return f"[{formatting.end(self.low, width)}, {formatting.end(self.high, width)}]"

    def columns(self, name: str, ends: str | None = None) -> dict[str, float | None]:
        """The number in a column of this name; the ends in NAME_low and NAME_high, or with `ends` in place of NAME_."""
        prefix = f"{name}_" if ends is None else ends
        return {name: self.value, f"{prefix}low": self.low, f"{prefix}high": self.high}

    def transformed(self, change: Callable[[float], float | None]) -> Estimate:
        """The number and its ends after a monotone function; a falling one exchanges the ends."""
        value, low, high = (None if end is None else change(end) for end in (self.value, self.low, self.high))
        known = [end for end in (low, value, high) if end is not None]
        if known != sorted(known):
            low, high = high, low
        return dataclasses.replace(self, value=value, low=low, high=high)


NOTHING = Estimate(None)


def checked_level(level: float) -> float:
    """The level of an interval, if it is one."""
    if not 0.5 <= level < 1:
        raise BadInput("level", level, "must be at least 0.5 and below 1")
    return level


def normal_quantile(level: float) -> float:
    """z with P(|Z| ≤ z) = level."""
    from scipy import special

    return float(special.ndtri((1 + level) / 2))


def student_quantile(freedom: float, level: float) -> float:
    """t with P(|T| ≤ t) = level."""
    from scipy import special

    return float(special.stdtrit(freedom, (1 + level) / 2))


def on_logarithms(value: float, spread: float, level: float, method: str, remark: str = "") -> Estimate:
    """A number whose logarithm has an interval of this half-width."""
    return Estimate(value, value * math.exp(-spread), value * math.exp(spread), level, method, remark)


def on_log_odds(value: float, error: float, freedom: int, level: float, method: str) -> Estimate:
    """A probability with this standard error, by Student's interval of its log odds."""
    centre, spread = math.log(value / (1 - value)), student_quantile(freedom, level) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-min(max(end, -700.0), 700.0))) for end in (centre - spread, centre + spread))
    return Estimate(value, low, high, level, method)


# ---- probabilities


def proportion(successes: int, trials: int, level: float = LEVEL) -> Estimate:
    """A probability with its exact (Clopper–Pearson) interval: of rare events too, and never too narrow."""
    if trials == 0:
        return Estimate(None, level=level, remark=_NO_RUNS)
    low, high = clopper_pearson(np.array([successes]), trials, level)
    return Estimate(successes / trials, float(low[0]), float(high[0]), level, "Clopper–Pearson")


def clopper_pearson(successes: NDArray[Any], trials: int, level: float = LEVEL) -> tuple[Values, Values]:
    """The ends of exact binomial intervals."""
    from scipy import special

    tail, failures = (1 - level) / 2, trials - successes
    low = special.betaincinv(np.maximum(successes, 1), failures + 1, tail)
    high = special.betaincinv(successes + 1, np.maximum(failures, 1), 1 - tail)
    return np.where(successes == 0, 0.0, low), np.where(failures == 0, 1.0, high)


# ---- means


@dataclass(frozen=True)
class Moments:
    """What a mean and its interval are made of.

    Attributes:
        count, mean, deviation: of the values; a deviation of 0 says that all are alike.
        skewness: 0 where it is not known.
        largest: of the values; 0 where it is not known.
    """

    count: int
    mean: float
    deviation: float
    skewness: float = 0.0
    largest: float = 0.0

    @classmethod
    def of(cls, values: Values) -> Moments:
        """Those of values."""
        if len(values) == 0:
            return cls(0, 0.0, 0.0)
        centre, largest = float(np.mean(values)), float(values.max())
        if values.min() == largest:
            return cls(len(values), centre, 0.0)
        standard = (values - centre) / values.std()
        return cls(len(values), centre, float(values.std(ddof=1)), float(np.mean(standard**3)), largest)

    @classmethod
    def of_sums(cls, count: int, total: int, squares: int, bins: tuple[Values, NDArray[np.int64]] | None) -> Moments:
        """Those of values with these exact sums; the rest from rough values, each with its number, if known."""
        if count < 2:
            return cls(count, float(total), 0.0)
        variance = (squares * count - total**2) / (count * (count - 1))
        if bins is None or not variance:
            return cls(count, total / count, math.sqrt(variance))
        values, runs = bins
        third = float(runs @ (values - total / count) ** 3) / count
        return cls(count, total / count, math.sqrt(variance), third / variance**1.5, float(values.max()))

    def relative_ends(self, level: float) -> tuple[float, float]:
        """The ends of the interval of the mean, less the mean, as shares of it."""
        root, t = math.sqrt(self.count), student_quantile(self.count - 1, level)
        error, shift = self.deviation / root / self.mean, self.skewness * (2 * t * t + 1) / (6 * root)
        return error * (min(shift, 0.0) - t), error * (max(shift, 0.0) + t)

    def remark(self) -> str:
        """That one run is a good part of the sum: then the interval may be too narrow."""
        total = self.count * self.mean
        if self.count < _MANY or self.largest <= _LARGE_SHARE * total:
            return ""
        return f"the largest run is {100 * self.largest / total:.0f} % of the sum"


def mean(values: Values, level: float = LEVEL) -> Estimate:
    """The mean of values that are not negative."""
    return mean_of(Moments.of(values), level)


def mean_of(moments: Moments, level: float = LEVEL, most: float = math.inf) -> Estimate:
    """The same from their moments. Of values that are at most `most` the interval is too: it is one of log odds."""
    count, value = moments.count, moments.mean
    if count < 2:
        return Estimate(value if count else None, level=level, remark=(_NO_RUNS, _ONE_RUN)[count])
    if moments.deviation == 0 or value >= most:
        return Estimate(value, level=level, remark=_ALIKE)
    rest = 1 - value / most
    low, high = (math.exp(min(max(end / rest, -300.0), 300.0)) for end in moments.relative_ends(level))
    if most == math.inf:
        return Estimate(value, value * low, value * high, level, "Student's t on logarithms", moments.remark())
    low, high = (most / (1 + most * rest / value / odds) for odds in (low, high))
    return Estimate(value, low, high, level, "Student's t on log odds")


# ---- quantiles


class Ranked(NamedTuple):
    """A value of some rank: between these two, and a remark where it is not known well enough to be named."""

    least: float
    largest: float
    remark: str = ""


def quantile(
    count: int, probability: float, at: Callable[[int], Ranked], level: float = LEVEL, method: str = "order statistics"
) -> Estimate:
    """A quantile of values that are known by rank, from 1 on, with the interval of two order statistics.

    It holds for any distribution; values may be infinite, since only ranks count. The ranks are those of a binomial
    law.
    """
    if count == 0:
        return Estimate(None, level=level, remark=_NO_RUNS)
    value, _, remark = at(max(math.ceil(probability * count), 1))
    if remark:
        value = formatting.Above(value - 1)
    low, high = _ranks(count, probability, level)
    if low < 1 or high > count:
        return Estimate(value, level=level, remark=remark or "too few runs for an interval")
    return Estimate(value, at(low).least, at(high).largest, level, method, remark)


@lru_cache(4096)  # cells have the same numbers of runs
def _ranks(count: int, probability: float, level: float) -> tuple[int, int]:
    """Between which ranks a quantile lies; below 1 or above `count` where there are too few."""
    from scipy import stats

    law, tail = stats.binom(count, probability), (1 - level) / 2
    return int(law.ppf(tail)), int(law.isf(tail)) + 1


# ---- ratios of sums, by the delta method


class Sums(NamedTuple):
    """Σa, Σb and, with v = Σa ÷ Σb, Σ(a − vb)² over runs; the last is None where it is not known."""

    runs: int
    a: float
    b: float
    squares: float | None

    @classmethod
    def of(cls, a: Values, b: Values) -> Sums:
        """Those of two numbers of each run."""
        above, below = float(a.sum()), float(b.sum())
        rest = a - (above / below if below else 0.0) * b
        return cls(len(a), above, below, float(rest @ rest))

    @classmethod
    def of_products(cls, runs: int, a: float, b: float, aa: float | None, ab: float, bb: float) -> Sums:
        """From Σa², Σab and Σb²; by fractions, as nearly all of them cancels where runs are nearly alike."""
        if aa is None or not b:
            return cls(runs, float(a), float(b), None)
        value = Fraction(a) / Fraction(b)
        squares = Fraction(aa) - 2 * value * Fraction(ab) + value**2 * Fraction(bb)
        return cls(runs, float(a), float(b), max(float(squares), 0.0))

    def error(self) -> float:
        """The standard error of Σa ÷ Σb; 0 where all runs are alike, but for rounding."""
        assert self.squares is not None
        error = math.sqrt(self.runs / (self.runs - 1) * self.squares) / self.b
        return error if error > _ROUNDING * abs(self.a / self.b) else 0.0


def ratio_of_sums(above: Values, below: Values, level: float = LEVEL) -> Estimate:
    """Σ above ÷ Σ below over runs."""
    return ratio(Sums.of(above, below), level)


def ratio(sums: Sums, level: float = LEVEL) -> Estimate:
    """Σa ÷ Σb with Student's interval on logarithms: the expected running time is evaluations ÷ successes."""
    if sums.runs == 0 or sums.b == 0:
        return Estimate(None, level=level, remark=_NO_RUNS if sums.runs == 0 else "no success")
    value = sums.a / sums.b
    if sums.squares is None:
        return Estimate(value, level=level, remark="no interval where runs are stuck")
    if sums.runs == 1 or sums.a == 0:
        return Estimate(value, level=level, remark=_ONE_RUN if sums.runs == 1 else "")
    spread = student_quantile(sums.runs - 1, level) * sums.error() / value
    if spread == 0:
        return Estimate(value, level=level, remark=_ALIKE)
    return on_logarithms(value, spread, level, "delta method")


def share(sums: Sums, level: float = LEVEL) -> Estimate:
    """Σa ÷ Σb where a ≤ b, with an interval on the scale of log odds.

    Where none or all are a, the rule of three: a share that large would have shown itself. It counts runs, as what they
    proposed clusters in runs.
    """
    if sums.runs == 0 or sums.b == 0:
        return Estimate(None, level=level, remark=_NO_RUNS if sums.runs == 0 else "nothing proposed")
    value = sums.a / sums.b
    if value in (0.0, 1.0):
        end = -math.expm1(math.log1p(-level) / sums.runs)
        low, high = (0.0, end) if value == 0 else (1 - end, 1.0)
        return Estimate(value, low, high, level, "rule of three")
    if sums.runs == 1:
        return Estimate(value, level=level, remark=_ONE_RUN)
    error = sums.error()
    if error == 0:
        return Estimate(value, level=level, remark=_ALIKE)
    return on_log_odds(value, error, sums.runs - 1, level, "delta method")
