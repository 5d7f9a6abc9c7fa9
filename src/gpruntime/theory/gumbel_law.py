"""Gumbel's law of times: P(X ≤ x) = exp(−exp(−x)), which the last of many independent waiting times tends to.

Times are standardised by their own mean and deviation and held against Gumbel's law, standardised too, by the statistic
of Anderson and Darling. Its law under Gumbel's is drawn, by samples of as many numbers from a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpruntime.model.errors import BadInput

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing

Values = NDArray[np.float64]

SKEWNESS = 1.1395470994046486  # of Gumbel's law
_DEVIATION = math.pi / math.sqrt(6)
_SAMPLES, _MOST = 999, 2000  # above so many numbers, the statistic's law hardly depends on how many there are
_FEWEST = 20


@dataclass(frozen=True, repr=False)
class Gumbel:
    """Times held against Gumbel's law.

    Attributes:
        standardised: the times, sorted.
        skewness, skewness_error: of the times, with its standard error if they are Gumbel's; that law's is 1.1395.
        statistic: Anderson's and Darling's.
        p: P(a statistic as large | Gumbel's law).
    """

    standardised: Values
    skewness: float
    skewness_error: float
    statistic: float
    p: float

    def to_record(self) -> dict[str, float]:
        """Plain data."""
        return {
            "skewness": self.skewness,
            "skewness_error": self.skewness_error,
            "gumbel_statistic": self.statistic,
            "gumbel_p": self.p,
        }

    def __repr__(self) -> str:
        return f"<Gumbel: skewness {self.skewness:.3f} ± {self.skewness_error:.3f} (Gumbel 1.140), p = {self.p:.3f}>"

    def plot(self) -> Drawing:
        """The times over the quantiles of Gumbel's law: a straight line, if they follow it."""
        from gpruntime.theory.limit_figure import gumbel_plot

        return gumbel_plot({"times": self})


def gumbel(times: Sequence[float] | Values) -> Gumbel:
    """Whether times follow Gumbel's law, wherever it lies and however wide it is.

    Raises:
        BadInput: they are too few, or all alike.
    """
    values = np.sort(np.asarray(times, float))
    if values.ndim != 1 or len(values) < _FEWEST or not np.isfinite(values).all() or values[0] == values[-1]:
        raise BadInput("times", f"{values.size} times", f"must be at least {_FEWEST} finite numbers, not all alike")
    drawn, skews = _drawn(min(len(values), _MOST))
    statistic = float(_statistic(values[None])[0])
    p = (1 + int((drawn >= statistic).sum())) / (1 + len(drawn))
    error = float(skews.std()) * math.sqrt(min(len(values), _MOST) / len(values))
    return Gumbel(_standardised(values[None])[0], float(_skewness(values[None])[0]), error, statistic, p)


def quantiles(count: int) -> Values:
    """Of Gumbel's law with mean 0 and deviation 1, for that many numbers in order."""
    return np.asarray((-np.log(-np.log((np.arange(count) + 0.5) / count)) - np.euler_gamma) / _DEVIATION)


@lru_cache(32)
def _drawn(count: int) -> tuple[Values, Values]:
    """Statistics and skewnesses of samples of Gumbel's law."""
    samples = np.sort(np.random.default_rng([count, 1958]).gumbel(size=(_SAMPLES, count)), axis=1)
    return _statistic(samples), _skewness(samples)


def _standardised(rows: Values) -> Values:
    return np.asarray((rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, ddof=1, keepdims=True))


def _skewness(rows: Values) -> Values:
    return np.asarray((_standardised(rows) ** 3).mean(axis=1))


def _statistic(rows: Values) -> Values:
    """Of sorted rows."""
    count = rows.shape[1]
    tails = np.exp(-(_standardised(rows) * _DEVIATION + np.euler_gamma))  # −ln P(X ≤ x)
    above = np.log(np.maximum(-np.expm1(-tails), 1e-300))
    weights = 2 * np.arange(1, count + 1) - 1
    return np.asarray(-count - ((weights * (-tails + above[:, ::-1])).sum(axis=1)) / count)
