"""Estimates with intervals: probabilities, means, quantiles, ratios of sums. Each method is a function here.

The mean's interval is scipy's BCa bootstrap from `MIN_BOOTSTRAPPED` to `MAX_BOOTSTRAPPED` runs. Below, where BCa is far
too narrow (51 % of the intervals hold the mean of two exponential times, 81 % that of ten), it is Student's on the
scale of logarithms, x̄·exp(∓t·s/(x̄√R)). Above, it is the one that BCa converges to,

    x̄ + s/√R · (z + γ·(2z² + 1)/(6√R)),   z = ∓1.96, γ the sample skewness,

its Edgeworth expansion (Efron's ABC interval for a mean). What is left out is of order 1/R of the width: with
exponential times the ends differ by less than 2 % of the width at R = 1000 (tests/analysis/test_estimates.py), which is
the bootstrap's own noise, and the bootstrap would need R × resamples numbers.
"""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis import formatting
from gpruntime.model.errors import BadInput

LEVEL = 0.95
MIN_BOOTSTRAPPED, MAX_BOOTSTRAPPED = 20, 1000
RESAMPLES = 4999
_SEED = 2011
_BATCH_NUMBERS = 2_000_000
_NO_RUNS, _ONE_RUN, _ALIKE = "no runs", "one run, no interval", "all runs alike, no interval"

Values: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

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
        """The number and its ends after an increasing function."""
        value, low, high = (None if end is None else change(end) for end in (self.value, self.low, self.high))
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


def on_log_odds(value: float, error: float, level: float, method: str) -> Estimate:
    """A probability with this standard error, by a normal interval of its log odds."""
    centre, spread = math.log(value / (1 - value)), normal_quantile(level) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-min(max(end, -700.0), 700.0))) for end in (centre - spread, centre + spread))
    return Estimate(value, low, high, level, method)


# ---- probabilities


def proportion(successes: int, trials: int, level: float = LEVEL) -> Estimate:
    """A probability with its Wilson interval."""
    if trials == 0:
        return Estimate(None, level=level, remark=_NO_RUNS)
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high), level, "Wilson")


def exact_proportion(successes: int, trials: int, level: float = LEVEL) -> Estimate:
    """A probability with its exact (Clopper–Pearson) interval: of rare events too."""
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
        skewness: None where it is not known, or the values are.
        values: themselves, where they are kept.
    """

    count: int
    mean: float
    deviation: float
    skewness: float | None = None
    values: Values | None = None

    @classmethod
    def of(cls, values: Values) -> Moments:
        """Those of values."""
        count = len(values)
        if count == 0:
            return cls(0, 0.0, 0.0)
        alike = values.min() == values.max()
        return cls(count, float(np.mean(values)), 0.0 if alike else float(values.std(ddof=1)), values=values)

    @classmethod
    def of_sums(cls, count: int, total: int, squares: int, bins: tuple[Values, NDArray[np.int64]] | None) -> Moments:
        """Those of values with these exact sums; the skewness from rough values, each with its number, if known."""
        if count < 2:
            return cls(count, float(total), 0.0)
        variance, skewness = (squares * count - total**2) / (count * (count - 1)), None
        if bins is not None:
            values, runs = bins
            third = float(runs @ (values - total / count) ** 3) / count
            skewness = third / variance**1.5 if variance else 0.0
        return cls(count, total / count, math.sqrt(variance), skewness)


def mean(values: Values, level: float = LEVEL) -> Estimate:
    """The mean of values that are not negative, with an interval as their number allows."""
    return mean_of(Moments.of(values), level)


def mean_of(moments: Moments, level: float = LEVEL) -> Estimate:
    """The same from their moments. Where the values are gone, Student's interval stands in for the bootstrap.

    So it does where the skewness is not known.
    """
    count, values, skewness = moments.count, moments.values, moments.skewness
    if count < 2 or moments.deviation == 0:
        remark = (_NO_RUNS, _ONE_RUN)[count] if count < 2 else _ALIKE
        return Estimate(moments.mean if count else None, level=level, remark=remark)
    if count < MIN_BOOTSTRAPPED:
        return _student(moments, level)
    if count <= MAX_BOOTSTRAPPED:
        return _student(moments, level) if values is None else _bootstrapped(moments, values, level)
    if values is not None:
        from scipy import stats

        skewness = float(stats.skew(values))
    return _student(moments, level) if skewness is None else _expanded(moments, skewness, level)


def _student(moments: Moments, level: float) -> Estimate:
    error = moments.deviation / math.sqrt(moments.count) / moments.mean
    spread = min(student_quantile(moments.count - 1, level) * error, 300.0)
    return on_logarithms(moments.mean, spread, level, "Student's t on logarithms")


def _bootstrapped(moments: Moments, values: Values, level: float) -> Estimate:
    from scipy import stats

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        interval = stats.bootstrap(
            (values,),
            np.mean,
            confidence_level=level,
            n_resamples=RESAMPLES,
            batch=max(_BATCH_NUMBERS // len(values), 1),
            rng=np.random.default_rng(_SEED),
            method="BCa",
        ).confidence_interval
    low, high = float(interval.low), float(interval.high)
    if math.isnan(low) or math.isnan(high):  # where all but one are alike
        return _student(moments, level)
    return Estimate(moments.mean, low, high, level, "BCa bootstrap")


def _expanded(moments: Moments, skewness: float, level: float) -> Estimate:
    root, centre = math.sqrt(moments.count), moments.mean
    z, scale = normal_quantile(level), moments.deviation / root
    shift = skewness * (2 * z * z + 1) / (6 * root)
    ends = centre + scale * (shift - z), centre + scale * (shift + z)
    return Estimate(centre, *ends, level=level, method="skewness-corrected normal")


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
    from scipy import stats

    value, _, remark = at(max(math.ceil(probability * count), 1))
    if remark:
        value = formatting.Above(value - 1)
    law, tail = stats.binom(count, probability), (1 - level) / 2
    low, high = int(law.ppf(tail)), int(law.isf(tail)) + 1
    if low < 1 or high > count:
        return Estimate(value, level=level, remark=remark or "too few runs for an interval")
    return Estimate(value, at(low).least, at(high).largest, level, method, remark)


# ---- ratios of sums, by the delta method


class Sums(NamedTuple):
    """Σa, Σb, Σa², Σab and Σb² over runs; Σa² is None where it is not kept."""

    runs: int
    a: float
    b: float
    aa: float | None
    ab: float
    bb: float

    @classmethod
    def of(cls, a: Values, b: Values) -> Sums:
        """Those of two numbers of each run."""
        return cls(len(a), float(a.sum()), float(b.sum()), float(a @ a), float(a @ b), float(b @ b))

    def error(self) -> float:
        """The standard error of Σa ÷ Σb."""
        assert self.aa is not None
        value = self.a / self.b
        deviations = max(self.aa - 2 * value * self.ab + value * value * self.bb, 0.0)
        return math.sqrt(self.runs / (self.runs - 1) * deviations) / self.b


def ratio_of_sums(above: Values, below: Values, level: float = LEVEL) -> Estimate:
    """Σ above ÷ Σ below over runs."""
    return ratio(Sums.of(above, below), level)


def ratio(sums: Sums, level: float = LEVEL) -> Estimate:
    """Σa ÷ Σb with an interval on the scale of logarithms: the expected running time is evaluations ÷ successes.

    scipy's bootstrap would meet resamples without a success and divide by zero.
    """
    if sums.runs == 0 or sums.b == 0:
        return Estimate(None, level=level, remark=_NO_RUNS if sums.runs == 0 else "no success")
    value = sums.a / sums.b
    if sums.aa is None:
        return Estimate(value, level=level, remark="no interval where runs are stuck")
    if sums.runs == 1 or sums.a == 0:
        return Estimate(value, level=level, remark=_ONE_RUN if sums.runs == 1 else "")
    spread = normal_quantile(level) * sums.error() / value
    if spread == 0:
        return Estimate(value, level=level, remark=_ALIKE)
    return on_logarithms(value, spread, level, "delta method")


def share(sums: Sums, level: float = LEVEL) -> Estimate:
    """Σa ÷ Σb where a ≤ b, with an interval on the scale of log odds.

    Where none or all are a, the rule of three: a share that large would have shown itself.
    """
    if sums.runs == 0 or sums.b == 0:
        return Estimate(None, level=level, remark=_NO_RUNS if sums.runs == 0 else "nothing proposed")
    value = sums.a / sums.b
    if value in (0.0, 1.0):
        end = -math.expm1(math.log1p(-level) / sums.b)
        low, high = (0.0, end) if value == 0 else (1 - end, 1.0)
        return Estimate(value, low, high, level, "rule of three")
    if sums.runs == 1:
        return Estimate(value, level=level, remark=_ONE_RUN)
    error = sums.error()
    return (
        Estimate(value, level=level, remark=_ALIKE) if error == 0 else on_log_odds(value, error, level, "delta method")
    )
