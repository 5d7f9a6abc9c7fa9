"""Which growth law the means follow, with its constant.

Ranking. Each law is fitted alone and with a lower-order term (`growth`). The forms compete by AIC, as the variances are
measured; where no form fits (χ² against them), by QAICc with the best form's dispersion, so that a common misfit does
not pose as evidence. A law's weight is the sum over its forms. If the best law is not `EVIDENCE` times as likely as
another, the two cannot be told apart, and `power_analysis` says what would.

Excluding. Odds compare forms on a range; the truth may have lower-order terms that no form has. A law that is
`EXCLUDING` times less likely is called *excluded* only if the best law fits and nothing else speaks against the
comparison itself (`LawFit.obstacles`), and if it did not lose because its lower-order term may not be larger than its
leading one. Otherwise the best law is *preferred*.

Small sizes. Where no law fits (p < 0.05), the smallest size is left out, then the next, as long as six sizes over a
factor of ten remain. The sizes used are part of the answer.

The constant. Its interval holds those of all forms of the law but those `EXCLUDING` times less likely than its best: it
is one on this range, given these forms. A narrower choice of forms is too narrow: the truth may have a term none has.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import LEVEL, Estimate, normal_quantile
from gpruntime.analysis.fitting import MIN_FACTOR, Fit, Points, forms, free_power
from gpruntime.analysis.growth import LAWS, Law, Term

EVIDENCE, EXCLUDING = 20.0, 1000.0
MIN_SIZES = 4
_ADEQUATE = 0.05
_VAGUE = 0.5  # half of an exponent's interval
CLEARLY = 3.0  # a free power is this many times as likely, or a prediction misses by this many standard errors
_MIN_TO_EXCLUDE, _FACTOR_TO_EXCLUDE = 6, 30.0
_MIN_KEPT, _KEPT_FACTOR = 6, 10.0


@dataclass(frozen=True)
class RankedLaw:
    """A law among its rivals.

    Attributes:
        law: the law.
        fit: its better form.
        constant: c.
        weight: its share of the evidence.
        behind: how many times as likely the best law is (infinite where the ratio overflows).
        forms: its fits, with their criteria.
        excluded: whether it is far less likely, and nothing speaks against saying so.
    """

    law: Law
    fit: Fit
    constant: Estimate
    weight: float
    behind: float
    forms: tuple[tuple[Fit, float], ...]
    excluded: bool = False

    @property
    def unlikely(self) -> bool:
        """Whether the best law is far likelier, among these forms and on this range."""
        return self.behind >= EVIDENCE

    @property
    def at_bound(self) -> bool:
        """Whether it lost because its lower-order term may not be larger than its leading one."""
        return any(fit.at_bound for fit, _ in self.forms)

    @property
    def beta(self) -> float | None:
        """β of 2^(βn), for the exponential law."""
        return float(self.fit.parameters[1]) if self.law.term is None else None

    @property
    def over(self) -> str:
        """time ÷ g(n), in words."""
        formula = self.law.term.formula if self.law.term else "2^(βn)"
        return f"time ÷ ({formula})" if "·" in formula or "/" in formula else f"time ÷ {formula}"

    def __repr__(self) -> str:
        return f"<RankedLaw {self.law.name}: {self.equation()}, weight {formatting.number(self.weight, digits=2)}>"

    def equation(self) -> str:
        """c·g(n) + d·h(n) with numbers."""
        formula = self.law.term.formula if self.law.term else f"2^({formatting.number(self.beta, digits=3)}·n)"
        text = f"{self.constant.short()}·{formula}"
        second, lower = self.fit.second, self.fit.lower
        if second is not None and lower is not None:
            term = "" if lower.formula == "1" else f"·{lower.formula}"
            text += f" {'+' if second >= 0 else '−'} {formatting.number(abs(second), digits=3)}{term}"
        return text


@dataclass(frozen=True)
class Prediction:
    """A size that was held back.

    Attributes:
        n, measured: what was measured there.
        predicted: by the law chosen from the smaller sizes.
        law: that law.
        miss: measured − predicted, in standard errors of both.
    """

    n: int
    measured: float
    predicted: float
    law: Law
    miss: float


@dataclass(frozen=True)
class FreePower:
    """The plain power C·n^α, or the power with a logarithm C·n^α·(ln n)^β.

    Attributes:
        alpha, beta: the exponents; β None for the plain power.
        correlation: of the two estimates.
        p_value: of the fit.
        odds: how many times as likely as the best law.
    """

    alpha: Estimate
    beta: Estimate | None
    correlation: float | None
    p_value: float
    odds: float

    @property
    def name(self) -> str:
        """Which of the two: what is said of one does not hold for the other."""
        return "plain power" if self.beta is None else "power with a logarithm"

    @property
    def poor(self) -> bool:
        """Whether it does not fit within the measured errors."""
        return self.p_value < _ADEQUATE

    @property
    def vague(self) -> bool:
        """Whether its exponents say nothing."""
        return (formatting.half_width(self.alpha.low, self.alpha.high) or 0) > _VAGUE

    def allows(self, term: Term | None) -> bool:
        """Whether a law is one of these powers, as far as can be told by `EXCLUDING` to 1."""
        if term is None or term.loglogs or (self.beta is None and term.logs):
            return False
        a, b = (
            0.0 if estimate is None else ((estimate.value or 0.0) - exponent) / _error(estimate)
            for estimate, exponent in ((self.alpha, term.power), (self.beta, float(term.logs)))
        )
        rho = self.correlation or 0.0
        return a * a - 2 * rho * a * b + b * b <= 2 * math.log(EXCLUDING) * (1 - rho**2)

    def formula(self) -> str:
        """n^α·(ln n)^β with numbers."""
        return f"n^{self.alpha.short()}" + (f"·(ln n)^{self.beta.short()}" if self.beta is not None else "")


def _error(estimate: Estimate) -> float:
    width = formatting.half_width(estimate.low, estimate.high) or math.inf
    return max(width / normal_quantile(estimate.level), 1e-12)


@dataclass(frozen=True)
class LawFit:
    """The answer to: how does the time grow?

    Attributes:
        points: the sizes used.
        measured: all sizes.
        left_out: smaller sizes that no law fitted.
        ranking: all laws, the likeliest first.
        power, power_log: the plain power, and the power with a logarithm where there are sizes enough.
        predictions: the largest sizes, held back and predicted.
        level: of the intervals.
        obstacles: why no law is called excluded, in words.
    """

    points: Points
    measured: Points
    left_out: tuple[int, ...]
    ranking: tuple[RankedLaw, ...]
    power: FreePower
    power_log: FreePower | None
    predictions: tuple[Prediction, ...]
    level: float
    obstacles: tuple[str, ...] = ()

    @property
    def best(self) -> RankedLaw:
        """The likeliest law."""
        return self.ranking[0]

    @property
    def rivals(self) -> tuple[RankedLaw, ...]:
        """The laws that cannot be told from the best."""
        return tuple(law for law in self.ranking[1:] if not law.unlikely)

    @property
    def better_power(self) -> FreePower | None:
        """The free power that fits clearly better than every law, the likelier of the two; None where none does."""
        likelier = max((power for power in (self.power, self.power_log) if power is not None), key=lambda p: p.odds)
        return likelier if likelier.odds > CLEARLY else None

    @property
    def fits(self) -> bool:
        """Whether the best law fits within the measured errors."""
        return self.best.fit.p_value >= _ADEQUATE

    @property
    def is_told(self) -> bool:
        """Whether sizes and fit allow a law to be named: without obstacles, or else with no other that may be it."""
        return not self.obstacles or (self.fits and not self.rivals and not self.rival_powers)

    @property
    def rival_powers(self) -> tuple[FreePower, ...]:
        """The free powers that cannot be told from the best law, and are not the same."""
        powers = [power for power in (self.power, self.power_log) if power is not None]
        return tuple(p for p in powers if p.odds * EXCLUDING > 1 and not p.allows(self.best.law.term))

    @property
    def missed(self) -> tuple[Prediction, ...]:
        """Sizes that were held back and predicted badly."""
        return tuple(size for size in self.predictions if abs(size.miss) > CLEARLY)

    def __repr__(self) -> str:
        low, high = int(self.points.n[0]), int(self.points.n[-1])
        return f"<LawFit of {len(self.ranking)} laws on n from {low:,} to {high:,}, the best {self.best.equation()}>"

    def of(self, identifier: str) -> RankedLaw | None:
        """A law of the ranking by its id; None where it could not be fitted."""
        return next((law for law in self.ranking if law.law.id == identifier), None)


def fit_laws(points: Points, level: float = LEVEL, laws: Mapping[str, Law] = LAWS) -> LawFit | None:
    """Fits and ranks all laws; None where `why_no_law` says why."""
    if why_no_law(points):
        return None
    used, scores = _without_misfits(points, laws)
    ranking = _ranked(scores, level)
    power, power_log = _free_powers(used, ranking[0], level)
    assert power is not None
    fit = LawFit(
        points=used,
        measured=points,
        left_out=tuple(int(n) for n in points.n[: len(points) - len(used)]),
        ranking=ranking,
        power=power,
        power_log=power_log,
        predictions=_predictions(used, laws),
        level=level,
    )
    obstacles = tuple(_obstacles(fit))
    judged = tuple(
        dataclasses.replace(law, excluded=law.behind >= EXCLUDING and not law.at_bound and not obstacles)
        for law in ranking
    )
    return dataclasses.replace(fit, ranking=judged, obstacles=obstacles)


def why_no_law(points: Points) -> str:
    """Why these means cannot tell a law, or nothing."""
    if len(points) < MIN_SIZES:
        return f"a law needs {MIN_SIZES} sizes"
    if points.n[-1] < MIN_FACTOR * points.n[0]:
        return "the sizes differ by less than a factor of two"
    if not points.varies:
        return "at every size all runs are alike, so the errors of the means are not known"
    return ""


def _obstacles(fit: LawFit) -> Iterable[str]:
    """What speaks against calling any law excluded."""
    points = fit.points
    if not fit.fits:
        yield "no law fits within the measured errors"
    if fit.better_power is not None:
        yield f"the {fit.better_power.name} fits better"
    if fit.missed:
        yield "the law chosen from the smaller sizes does not predict the larger ones"
    factor = points.n[-1] / points.n[0]
    if len(points) < _MIN_TO_EXCLUDE or factor < _FACTOR_TO_EXCLUDE:
        least = f"it takes {_MIN_TO_EXCLUDE} over a factor of {_FACTOR_TO_EXCLUDE:g}"
        yield f"{len(points)} sizes over a factor of {formatting.number(factor, digits=2)} are too few ({least})"


class _Scored(NamedTuple):
    """A law's evidence (a logarithm), its forms with their criteria, and its better form."""

    evidence: float
    law: Law
    forms: list[tuple[Fit, float]]
    fit: Fit


def _ranked(scores: list[_Scored], level: float) -> tuple[RankedLaw, ...]:
    top = scores[0].evidence
    total = sum(math.exp(score.evidence - top) for score in scores)
    ranked = []
    for evidence, law, found, fit in scores:
        behind = math.exp(top - evidence) if top - evidence < 700 else math.inf
        constant = _constant(found, fit, level)
        ranked.append(RankedLaw(law, fit, constant, math.exp(evidence - top) / total, behind, tuple(found)))
    return tuple(ranked)


def _scored(points: Points, laws: Mapping[str, Law]) -> list[_Scored]:
    """All laws that can be fitted, the likeliest first."""
    fits = {law: forms(points, law) for law in laws.values()}
    flat = [fit for found in fits.values() for fit in found]
    dispersion = min((fit.dispersion for fit in flat), default=1.0)
    least = min(fit.criterion(dispersion) for fit in flat)
    scores = []
    for law, found in fits.items():
        scored = [(fit, fit.criterion(dispersion) - least) for fit in found]
        scored = [(fit, criterion) for fit, criterion in scored if math.isfinite(criterion)]
        if scored:
            best, lowest = min(scored, key=lambda form: form[1])
            odds = sum(_prior(fit) * math.exp((lowest - criterion) / 2) for fit, criterion in scored)
            scores.append(_Scored(math.log(odds) - lowest / 2, law, scored, best))
    return sorted(scores, key=lambda score: -score.evidence)


def _without_misfits(points: Points, laws: Mapping[str, Law]) -> tuple[Points, list[_Scored]]:
    """The points that some law fits, or those that come nearest to it, with the laws' scores."""
    best: tuple[Points, list[_Scored]] | None = None
    best_p = -1.0
    for left_out in range(len(points)):
        used = points.only(slice(left_out, None))
        if left_out and (len(used) < _MIN_KEPT or used.n[-1] / used.n[0] < _KEPT_FACTOR):
            break
        scores = _scored(used, laws)
        p_value = scores[0].fit.p_value
        if p_value >= _ADEQUATE:
            return used, scores
        if p_value > best_p:
            best, best_p = (used, scores), p_value
    assert best is not None
    return best


def _constant(scored: list[tuple[Fit, float]], chosen: Fit, level: float) -> Estimate:
    """c of the chosen form, with an interval that holds those of all forms but those `EXCLUDING` times less likely."""
    least = min(criterion for _, criterion in scored)
    ends = []
    for fit, criterion in scored:
        if criterion - least <= 2 * math.log(EXCLUDING):
            spread = fit.quantile(level) * math.sqrt(fit.covariance[0, 0] * fit.dispersion)
            ends += [fit.parameters[0] - spread, fit.parameters[0] + spread]
    low, high = min(ends), max(ends)
    return Estimate(_exp(float(chosen.parameters[0])), _exp(low), _exp(high), level, "over the law's forms")


def _prior(fit: Fit) -> float:
    """A law's share of belief, divided among its forms: half for the law alone, half for those with a lower term."""
    if fit.law is None or not fit.law.lower:
        return 1.0
    return 0.5 if fit.lower is None else 0.5 / len(fit.law.lower)


def _exp(value: float) -> float:
    return math.exp(value) if value < 709 else math.inf


def _free_powers(points: Points, best: RankedLaw, level: float) -> tuple[FreePower | None, FreePower | None]:
    """The plain power, and the power with a logarithm; None where there are too few sizes."""
    fits = [free_power(points, with_log) for with_log in (False, True)]
    dispersion = min(fit.dispersion for fit in (*fits, best.fit) if fit is not None)
    plain, with_log = (None if fit is None else _free(fit, best.fit, dispersion, level) for fit in fits)
    return plain, with_log


def _free(fit: Fit, best: Fit, dispersion: float, level: float) -> FreePower:
    spread = fit.quantile(level) * np.sqrt(np.diag(fit.covariance) * fit.dispersion)
    exponents = [
        Estimate(float(value), float(value - width), float(value + width), level, "weighted least squares")
        for value, width in zip(fit.parameters[1:], spread[1:], strict=True)
    ]
    covariance, correlation = fit.covariance, None
    if len(exponents) == 2:
        correlation = float(covariance[1, 2] / math.sqrt(covariance[1, 1] * covariance[2, 2]))
    odds, criterion = 0.0, fit.criterion(dispersion)
    if math.isfinite(criterion):
        ahead = best.criterion(dispersion) - criterion
        odds = math.inf if ahead > 1000 else math.exp(ahead / 2)
    beta = exponents[1] if len(exponents) == 2 else None
    return FreePower(exponents[0], beta, correlation, fit.p_value, odds)


def _predictions(points: Points, laws: Mapping[str, Law]) -> tuple[Prediction, ...]:
    """Holds back the largest fifth of the sizes, one to three of them."""
    held = int(np.clip(round(len(points) / 5), 1, 3))
    if len(points) - held < MIN_SIZES:
        return ()
    fit = _scored(points.only(slice(None, -held)), laws)[0].fit
    rest = points.only(slice(-held, None))
    assert fit.law is not None
    expected, variance = fit.log_value(rest.n), fit.log_variance(rest.n)
    misses = (rest.y - expected) / np.sqrt(variance + rest.relative)
    values = zip(rest.n, rest.mean, expected, misses, strict=True)
    return tuple(Prediction(int(n), float(m), _exp(float(e)), fit.law, float(miss)) for n, m, e, miss in values)
