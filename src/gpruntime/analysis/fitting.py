"""Fits of growth laws to measured means.

Let m_j be the mean at size n_j over R_j runs and v_j = s_j²/(R_j·m_j²) its relative variance. All fits are weighted
least squares on y_j = log m_j + v_j/2 with variances v_j: errors of a time are relative, and v/2 is the bias of the
logarithm.

The v_j are not used raw but smoothed over n. In a skewed sample a low mean comes with a low deviation, so raw weights
favour sizes that happened to be low: the constant then comes out too small by about γ·s/(m·R), which can be a good part
of its interval. On the logarithmic scale that correlation is γ·s/m − 2·(s/m)² instead (zero for gamma-distributed
times), and smoothing leaves a fraction of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gpruntime.analysis.estimates import LEVEL, Estimate, Values, normal_quantile, student_quantile
from gpruntime.analysis.growth import Law, Term

MIN_FACTOR = 2.0  # between the largest and the smallest size, for any exponent
_LEAST = -0.5  # of the lower-order term ÷ the leading one, at any size
_GRID, _ZOOMS = 33, 6  # δ is known to a part in 10⁷ of its range
MISFIT = 0.05  # below this p-value a fit's intervals are widened by its dispersion


@dataclass(frozen=True)
class Points:
    """Means to be fitted.

    Attributes:
        n, mean: the sizes, ascending, and the means.
        relative: v, the relative variances of the means, smoothed.
        runs: behind each mean.
        varies: whether at any size the runs differed; otherwise the variances are made up.
    """

    n: Values
    mean: Values
    relative: Values
    runs: Values
    varies: bool = True

    def __len__(self) -> int:
        return len(self.n)

    def only(self, keep: slice) -> Points:
        """Some of the points."""
        return Points(self.n[keep], self.mean[keep], self.relative[keep], self.runs[keep], self.varies)

    @property
    def y(self) -> Values:
        """The logarithms of the means, their bias taken off."""
        return np.asarray(np.log(self.mean) + self.relative / 2)


def points_of(n: Sequence[int], mean: Sequence[float], variance: Sequence[float], runs: Sequence[int]) -> Points:
    """Points from sizes, means, relative variances (s/m)² of single runs, and numbers of runs."""
    order = np.argsort(n)
    n_, mean_, variance_, runs_ = (np.asarray(values, float)[order] for values in (n, mean, variance, runs))
    return Points(n_, mean_, _smooth(n_, variance_, runs_) / runs_, runs_, bool((variance_ > 0).any()))


def _smooth(n: Values, variance: Values, runs: Values) -> Values:
    """A parabola through log (s/m)² over log n, straight or flat where there are few sizes."""
    from scipy import special

    positive = variance > 0
    if not positive.any():
        return np.full(len(n), 1e-12)
    degree = int(np.clip((positive.sum() - 2) // 2, 0, 2))
    x = np.log(n)
    middle = x.mean()
    weights = np.sqrt(runs[positive])
    half = np.maximum(runs[positive] - 1, 1) / 2
    unbiased = np.log(variance[positive]) + np.log(half) - special.digamma(half)  # E[log s²] is below log σ²
    polynomial = np.polynomial.Polynomial.fit(
        x[positive] - middle, unbiased, degree, w=weights, domain=[-1, 1], window=[-1, 1]
    )
    return np.asarray(np.exp(polynomial(x - middle)))


@dataclass(frozen=True)
class Fit:
    """A law with its parameters, on the scale of logarithms.

    Attributes:
        law: the law, None for free powers.
        parameters: log c first; then δ (see `two_term`), β, or the free exponents.
        covariance: of the parameters, before any widening.
        misfit: χ², the weighted sum of squares.
        freedom: sizes − parameters.
        fitted: log of the fitted mean at each size.
        largest: the largest size.
        lower: h, where there is a lower-order term.
    """

    law: Law | None
    parameters: Values
    covariance: Values
    misfit: float
    freedom: int
    fitted: Values = field(repr=False)
    largest: float
    lower: Term | None = None

    @property
    def p_value(self) -> float:
        """P(a worse fit, if the law holds); 1 where nothing is left to tell it from."""
        from scipy import special

        return float(special.chdtrc(self.freedom, self.misfit)) if self.freedom > 0 else 1.0

    @property
    def dispersion(self) -> float:
        """φ by which variances are multiplied: χ²/freedom where the law does not fit, else 1."""
        return max(self.misfit / self.freedom, 1.0) if self.freedom > 0 and self.p_value < MISFIT else 1.0

    def quantile(self, level: float) -> float:
        """Standard errors in half an interval: normal, or Student's where the scale was estimated from the misfit."""
        return student_quantile(self.freedom, level) if self.dispersion > 1 else normal_quantile(level)

    def criterion(self, dispersion: float) -> float:
        """AIC, as the variances are known; QAICc where the dispersion φ had to be estimated, one more parameter.

        Infinite where there are too few sizes for the latter.
        """
        count, parameters = self.freedom + len(self.parameters), len(self.parameters)
        if dispersion <= 1:
            return self.misfit + 2 * parameters
        parameters += 1
        rest = count - parameters - 1
        if rest <= 0:
            return math.inf
        return self.misfit / dispersion + 2 * parameters + 2 * parameters * (parameters + 1) / rest

    def log_leading(self, n: Values) -> Values:
        """log g(n): of the leading term without its constant."""
        assert self.law is not None
        growth = self.law.term
        return np.asarray(self.parameters[1] * math.log(2) * n) if growth is None else growth.log(np.asarray(n, float))

    @property
    def at_bound(self) -> bool:
        """Whether the lower-order term would be larger than the leading one at the largest size, were it allowed."""
        return self.lower is not None and float(self.parameters[1]) > 0.999

    def log_value(self, n: Values) -> Values:
        """log of the fitted law at any sizes."""
        n = np.asarray(n, float)
        assert self.law is not None
        values = self.parameters[0] + self.log_leading(n)
        if self.law.term is not None and self.lower is not None:
            values = values + np.log1p(self.parameters[1] * shares(self.law.term, self.lower, n, self.largest))
        return np.asarray(values)

    def log_variance(self, n: Values) -> Values:
        """The variance of `log_value`, widened by the dispersion."""
        n = np.asarray(n, float)
        gradient = np.ones((len(n), len(self.parameters)))
        assert self.law is not None
        if self.law.term is None:
            gradient[:, 1] = math.log(2) * n
        elif self.lower is not None:
            share = shares(self.law.term, self.lower, n, self.largest)
            gradient[:, 1] = share / (1 + self.parameters[1] * share)
        return np.asarray(np.einsum("ij,jk,ik->i", gradient, self.covariance, gradient) * self.dispersion)

    @property
    def second(self) -> float | None:
        """d of the lower-order term d·h(n), or None."""
        if self.lower is None or self.law is None or self.law.term is None:
            return None
        top = np.array([self.largest])
        return float(self.parameters[1] * np.exp(self.parameters[0] + self.law.term.log(top) - self.lower.log(top))[0])


def shares(term: Term, lower: Term, n: Values, largest: float) -> Values:
    """h(n)/g(n), scaled to 1 at the largest size."""
    top = np.array([largest])
    return np.asarray(np.exp(lower.log(n) - term.log(n) - (lower.log(top) - term.log(top))))


def linear(points: Points, columns: Sequence[Values], offset: Values | float = 0.0, law: Law | None = None) -> Fit:
    """Weighted least squares of y − offset on the columns."""
    root = 1 / np.sqrt(points.relative)
    design = np.column_stack(columns) * root[:, None]
    target = (points.y - offset) * root
    covariance: Values = np.linalg.inv(design.T @ design).astype(np.float64)
    parameters: Values = np.linalg.lstsq(design, target, rcond=None)[0].astype(np.float64)
    fitted = np.column_stack(columns) @ parameters + offset
    misfit = float(np.sum((points.y - fitted) ** 2 / points.relative))
    freedom = len(points) - len(columns)
    return Fit(law, parameters, covariance, misfit, freedom, fitted, float(points.n[-1]))


def one_term(points: Points, law: Law) -> Fit | None:
    """c·g(n), or c·2^(βn); None where an exponential law does not even rise."""
    ones = np.ones(len(points))
    if law.term is not None:
        return linear(points, [ones], law.term.log(points.n), law)
    fit = linear(points, [ones, math.log(2) * points.n], law=law)
    return fit if fit.parameters[1] > 0 else None


def two_term(points: Points, law: Law, lower: Term) -> Fit | None:
    """c·g(n) + d·h(n) = c·g(n)·(1 + δ·q(n)), with q = h/g scaled to 1 at the largest size.

    The law must be what it is called: at the largest size at least half of the time comes from c·g (δ ≤ 1), and nowhere
    does the second term eat up the first. Without that, c·g + d·h would contain every lower law.
    """
    if law.term is None or len(points) < 4:
        return None
    growth, share = law.term.log(points.n), shares(law.term, lower, points.n, float(points.n[-1]))
    weights = 1 / points.relative
    weights_sum = float(weights.sum())
    rest = points.y - growth

    low, high = _LEAST / float(share.max()), 1.0
    for _ in range(_ZOOMS):
        deltas = np.linspace(low, high, _GRID)
        errors = rest - np.log1p(np.outer(deltas, share))
        errors -= (errors @ weights / weights_sum)[:, None]
        place = int(np.argmin(errors**2 @ weights))
        low, high = float(deltas[max(place - 1, 0)]), float(deltas[min(place + 1, _GRID - 1)])
    delta = float(deltas[place])
    ones = np.ones(len(points))
    fit = linear(points, [ones], growth + np.log1p(delta * share), law)
    gradient = np.column_stack([ones, share / (1 + delta * share)]) / np.sqrt(points.relative)[:, None]
    covariance: Values = np.linalg.inv(gradient.T @ gradient).astype(np.float64)
    parameters = np.array([fit.parameters[0], delta])
    return Fit(law, parameters, covariance, fit.misfit, len(points) - 2, fit.fitted, fit.largest, lower)


def forms(points: Points, law: Law) -> list[Fit]:
    """All fits of a law: alone and with each of its lower-order terms."""
    fits = [one_term(points, law), *(two_term(points, law, lower) for lower in law.lower)]
    return [fit for fit in fits if fit is not None]


def local_exponents(points: Points, level: float = LEVEL) -> list[tuple[float, Estimate]]:
    """α of n^α between neighbouring sizes, each at their geometric mean."""
    x, y = np.log(points.n), points.y
    widths = normal_quantile(level) * np.sqrt(points.relative[1:] + points.relative[:-1]) / np.diff(x)
    steps = zip(np.exp((x[1:] + x[:-1]) / 2), np.diff(y) / np.diff(x), widths, strict=True)
    return [(float(n), Estimate(float(a), float(a - w), float(a + w), level, "two means")) for n, a, w in steps]


def free_power(points: Points, with_log: bool) -> Fit | None:
    """C·n^α or C·n^α·(ln n)^β; None where there are too few sizes."""
    columns = [np.ones(len(points)), np.log(points.n)]
    if with_log:
        columns.append(np.log(np.log(points.n)))
    return linear(points, columns) if len(points) > len(columns) else None


def slope(n: Values, values: Values, errors: Values, level: float = LEVEL) -> Estimate | None:
    """α if values go like n^α, weighted by the errors of their logarithms, widened where that does not fit.

    None with fewer than three sizes, or where they hardly differ.
    """
    found = slopes([(n, values, errors)], level)[0]
    return None if found is None else found.power


class Slope(NamedTuple):
    """A power with its standard error, of which its interval has as many as Student's law asks for."""

    power: Estimate
    error: float


def slopes(lines: Sequence[tuple[Values, Values, Values]], level: float = LEVEL) -> list[Slope | None]:
    """Those of several lines, each with n, values and errors: one fit, with an α and a constant for each.

    If it does not fit, all intervals are widened by its one dispersion: of a single line it would be known badly.
    """
    from scipy import special

    fits = [_power_of(*line) for line in lines]
    misfit, freedom = (sum(getattr(fit, name) for fit in fits if fit is not None) for name in ("misfit", "freedom"))
    poor = freedom > 0 and special.chdtrc(freedom, misfit) < MISFIT
    dispersion = max(misfit / freedom, 1.0) if poor else 1.0
    quantile = student_quantile(freedom, level) if dispersion > 1 else normal_quantile(level)

    def found(fit: Fit) -> Slope:
        value, error = float(fit.parameters[1]), math.sqrt(fit.covariance[1, 1] * dispersion)
        low, high = value - quantile * error, value + quantile * error
        return Slope(Estimate(value, low, high, level, "weighted least squares"), error)

    return [None if fit is None else found(fit) for fit in fits]


def _power_of(n: Values, values: Values, errors: Values) -> Fit | None:
    if len(n) < 3 or n.max() < MIN_FACTOR * n.min():
        return None
    least = max(0.05 * float(errors.max()), 1e-6)  # two runs that happened to be alike are no certainty
    return free_power(Points(n, values, np.maximum(errors, least) ** 2, np.ones(len(n))), with_log=False)
