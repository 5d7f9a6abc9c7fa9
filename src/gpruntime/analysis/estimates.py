"""Estimates with intervals: probabilities, means, quantiles, ratios of sums.

The mean's interval is scipy's BCa bootstrap from `LEAST_BOOTSTRAPPED` to `MOST_BOOTSTRAPPED` runs. Below, where BCa is
far too narrow (51 % of the intervals hold the mean of two exponential times, 81 % that of ten), it is Student's on the
scale of logarithms, x̄·exp(∓t·s/(x̄√R)). Above, it is the one that BCa converges to,

    x̄ + s/√R · (z + γ·(2z² + 1)/(6√R)),   z = ∓1.96, γ the sample skewness,

its Edgeworth expansion (Efron's ABC interval for a mean). What is left out is of order 1/R of the width: with
exponential times the ends differ by less than 2 % of the width at R = 1000 (tests/analysis/test_estimates.py), which is
the bootstrap's own noise, and the bootstrap would need R × resamples numbers.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis import formatting
from gpruntime.model.errors import BadInput

LEVEL = 0.95
LEAST_BOOTSTRAPPED, MOST_BOOTSTRAPPED = 20, 1000
RESAMPLES = 4999
_SEED = 2011
_BATCH_NUMBERS = 2_000_000

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


def proportion(successes: int, trials: int, level: float = LEVEL) -> Estimate:
    """A probability with its Wilson interval."""
    if trials == 0:
        return Estimate(None, level=level, remark="no runs")
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high), level, "Wilson")


def exact_proportion(successes: int, trials: int, level: float = LEVEL) -> Estimate:
    """A probability with its exact (Clopper–Pearson) interval: of rare events too."""
    if trials == 0:
        return Estimate(None, level=level, remark="no runs")
    low, high = clopper_pearson(np.array([successes]), trials, level)
    return Estimate(successes / trials, float(low[0]), float(high[0]), level, "Clopper–Pearson")


def clopper_pearson(successes: NDArray[Any], trials: int, level: float = LEVEL) -> tuple[Values, Values]:
    """The ends of exact binomial intervals."""
    from scipy import special

    tail, failures = (1 - level) / 2, trials - successes
    low = special.betaincinv(np.maximum(successes, 1), failures + 1, tail)
    high = special.betaincinv(successes + 1, np.maximum(failures, 1), 1 - tail)
    return np.where(successes == 0, 0.0, low), np.where(failures == 0, 1.0, high)


def mean(values: Values, level: float = LEVEL) -> Estimate:
    """The mean of values that are not negative, with an interval as their number allows."""
    count = len(values)
    if count == 0:
        return Estimate(None, level=level, remark="no runs")
    centre = float(np.mean(values))
    if count == 1:
        return Estimate(centre, level=level, remark="one run, no interval")
    if values.min() == values.max():
        return Estimate(centre, level=level, remark="all runs alike, no interval")
    deviation = float(values.std(ddof=1))
    if count < LEAST_BOOTSTRAPPED:
        return _student(count, centre, deviation, level)
    from scipy import stats

    if count > MOST_BOOTSTRAPPED:
        return _expanded(count, centre, deviation, float(stats.skew(values)), level)
    batch = max(_BATCH_NUMBERS // count, 1)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stats.bootstrap(
            (values,),
            np.mean,
            confidence_level=level,
            n_resamples=RESAMPLES,
            batch=batch,
            rng=np.random.default_rng(_SEED),
            method="BCa",
        ).confidence_interval
    low, high = float(found.low), float(found.high)
    if math.isnan(low) or math.isnan(high):  # where all but one are alike
        return _student(count, centre, deviation, level)
    return Estimate(centre, low, high, level, "BCa bootstrap")


def mean_from_sums(
    count: int, centre: float, deviation: float, skewness: float | None, level: float = LEVEL
) -> Estimate:
    """The same where the values themselves are gone: without a bootstrap, which Student's interval stands in for.

    So it does where the skewness is not known.
    """
    if count < 2 or deviation == 0:
        remark = "no runs" if count == 0 else "one run, no interval" if count == 1 else "all runs alike, no interval"
        return Estimate(centre if count else None, level=level, remark=remark)
    if count > MOST_BOOTSTRAPPED and skewness is not None:
        return _expanded(count, centre, deviation, skewness, level)
    return _student(count, centre, deviation, level)


def _student(count: int, centre: float, deviation: float, level: float) -> Estimate:
    from scipy import special

    error = deviation / math.sqrt(count) / centre
    spread = min(float(special.stdtrit(count - 1, (1 + level) / 2)) * error, 300.0)
    ends = centre * math.exp(-spread), centre * math.exp(spread)
    return Estimate(centre, *ends, level=level, method="Student's t on logarithms")


def _expanded(count: int, centre: float, deviation: float, skewness: float, level: float) -> Estimate:
    z, scale = normal_quantile(level), deviation / math.sqrt(count)
    shift = skewness * (2 * z * z + 1) / (6 * math.sqrt(count))
    ends = centre + scale * (shift - z), centre + scale * (shift + z)
    return Estimate(centre, *ends, level=level, method="skewness-corrected normal")


def quantile(ordered: Values, probability: float, level: float = LEVEL) -> Estimate:
    """A quantile of ascending values with the interval of two order statistics (distribution-free).

    The values may end in infinities: a quantile only looks at ranks.
    """
    count = len(ordered)
    if count == 0:
        return Estimate(None, level=level, remark="no runs")
    from scipy import stats

    value = float(ordered[max(math.ceil(probability * count) - 1, 0)])
    interval: Any = stats.quantile_test(ordered, p=probability).confidence_interval(level)
    low, high = float(interval.low), float(interval.high)
    if math.isnan(low) or math.isnan(high):
        return Estimate(value, level=level, remark="too few runs for an interval")
    return Estimate(value, low, high, level, "order statistics")


def ratio_of_sums(above: Values, below: Values, level: float = LEVEL) -> Estimate:
    """Σ above ÷ Σ below over runs, with the delta method's interval on the scale of logarithms.

    It serves expected running times (evaluations ÷ successes). scipy's bootstrap would meet resamples without a success
    and divide by zero.
    """
    products = float(above @ above), float(above @ below), float(below @ below)
    return ratio_from_sums(len(above), float(above.sum()), float(below.sum()), *products, level=level)


def ratio_from_sums(
    count: int, total: float, base: float, square: float, product: float, base_square: float, level: float = LEVEL
) -> Estimate:
    """Σa ÷ Σb from Σa, Σb, Σa², Σab and Σb² over `count` runs."""
    if count == 0 or base == 0:
        return Estimate(None, level=level, remark="no runs" if count == 0 else "no success")
    value = total / base
    if count == 1 or total == 0:
        return Estimate(value, level=level, remark="one run, no interval" if count == 1 else "")
    error = _error(count, base, value, square, product, base_square)
    spread = normal_quantile(level) * error / value
    if spread == 0:
        return Estimate(value, level=level, remark="all runs alike, no interval")
    return Estimate(value, value * math.exp(-spread), value * math.exp(spread), level, "delta method")


def share_from_sums(
    count: int, total: float, base: float, square: float, product: float, base_square: float, level: float = LEVEL
) -> Estimate:
    """Σa ÷ Σb where a ≤ b, from Σa, Σb, Σa², Σab and Σb² over `count` runs: the delta method on the log odds.

    Where none or all are a, the rule of three: a share that large would have shown itself.
    """
    if count == 0 or base == 0:
        return Estimate(None, level=level, remark="no runs" if count == 0 else "nothing proposed")
    value = total / base
    if value in (0.0, 1.0):
        end = -math.expm1(math.log1p(-level) / base)
        low, high = (0.0, end) if value == 0 else (1 - end, 1.0)
        return Estimate(value, low, high, level, "rule of three")
    if count == 1:
        return Estimate(value, level=level, remark="one run, no interval")
    error = _error(count, base, value, square, product, base_square)
    if error == 0:
        return Estimate(value, level=level, remark="all runs alike, no interval")
    centre, spread = math.log(value / (1 - value)), normal_quantile(level) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-min(max(end, -700.0), 700.0))) for end in (centre - spread, centre + spread))
    return Estimate(value, low, high, level, "delta method")


def _error(count: int, base: float, value: float, square: float, product: float, base_square: float) -> float:
    """The standard error of a ratio of sums."""
    deviations = max(square - 2 * value * product + value * value * base_square, 0.0)
    return math.sqrt(count / (count - 1) * deviations) / base
