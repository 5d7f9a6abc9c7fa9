"""A curve: one setting over n, with the law its times follow."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.estimates import LEVEL
from gpruntime.analysis.fitting import local_exponents, points_of
from gpruntime.analysis.growth import LAWS, MIN_SIZE, Law
from gpruntime.analysis.laws import CLEARLY, MIN_SIZES, FreePower, LawFit, RankedLaw, fit_laws, why_no_law
from gpruntime.analysis.plotting import Result, html_table
from gpruntime.analysis.power import PowerAnalysis, power_analysis
from gpruntime.analysis.settings import by_initial_size, by_limit, init_of, kind_of, settings_of
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import sentence

_MAX_RIVALS = 3
_TWO_DECADES = 100.0
Way: TypeAlias = "Callable[[Sequence[CellEstimate]], list[list[CellEstimate]]]"


@dataclass(frozen=True)
class Curve(Result):
    """One setting over n.

    Attributes:
        name: the setting in words.
        cells: by ascending n.
        given_optimum: whether the law is that of E[time | optimum], because some runs are stuck for ever.
        fit: the law; None where it cannot be told.
        why_not: why there is no law, in words.
        not_fitted: sizes whose mean is not known, with the reason.
        power_analyses: for each law that cannot be excluded, what would tell.
    """

    name: str
    cells: tuple[CellEstimate, ...]
    given_optimum: bool
    fit: LawFit | None
    why_not: str
    not_fitted: tuple[tuple[int, str], ...]
    power_analyses: tuple[PowerAnalysis, ...]

    @property
    def spec(self) -> RunSpec:
        """The setting, at the smallest size."""
        return self.cells[0].spec

    @cached_property
    def init(self) -> str:
        """The initial tree; its size may go with n."""
        return init_of([cell.spec for cell in self.cells])

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What it may be compared in."""
        return settings_of(self.spec, self.init)

    @property
    def quantity(self) -> str:
        """What the law is a law of."""
        return "E[time | optimum]" if self.given_optimum else "E[time]"

    def sentences(self) -> list[str]:
        """The law in words, the most important first."""
        if self.fit is None:
            return [self.why_not]
        told = [*_answer(self, self.fit), *_verdict(self.fit), *_doubts(self, self.fit)]
        return [*told, *_free(self.fit), *_local(self.fit), *_held_back(self.fit)]

    def headline(self) -> str:
        """The law in a few words, with the strongest doubt about it."""
        if self.fit is None:
            return self.why_not
        return " ".join([*_answer(self, self.fit), *([] if _doubt(self.fit) else _verdict(self.fit)[:2])])

    def caveats(self) -> list[str]:
        """What has to be said of the means, size by size."""
        return [f"n = {cell.n:,}: {cell.caveat()}." for cell in self.cells if cell.caveat()]

    def to_records(self) -> list[dict[str, Any]]:
        """The ranking of the laws, one row each."""
        if self.fit is None:
            return []
        return [
            {
                "curve": self.name,
                "quantity": self.quantity,
                "law": law.law.id,
                "weight": law.weight,
                "times_less_likely": law.behind,
                "excluded": law.excluded,
                **law.constant.columns("constant"),
                "lower_order_term": law.fit.lower.formula if law.fit.lower else None,
                "lower_order_constant": law.fit.second,
                "beta": law.beta,
                "chi_square": law.fit.misfit,
                "freedom": law.fit.freedom,
                "p_value": law.fit.p_value,
                "n_from": int(self.fit.points.n[0]),
                "n_to": int(self.fit.points.n[-1]),
            }
            for law in self.fit.ranking
        ]

    def __repr__(self) -> str:
        return f"<Curve of {self.name}, n = {formatting.sizes([cell.n for cell in self.cells])}: {self.headline()}>"

    def _repr_html_(self) -> str:
        return html_table(self.name, self.sentences(), [cell.to_record() for cell in self.cells])


def curves_of(cells: Iterable[CellEstimate], level: float = LEVEL, laws: Mapping[str, Law] = LAWS) -> list[Curve]:
    """Sorts cells into curves: equal in all but n, with one cell for each n.

    A limit on leaves or a budget may depend on n; cells are split by them only where an n would occur twice.
    """
    kinds: dict[Hashable, list[CellEstimate]] = defaultdict(list)
    for cell in cells:
        kinds[kind_of(cell.spec)].append(cell)
    families = [family for kind in kinds.values() for family in by_initial_size(kind)]
    groups = [group for family in families for group in _split(family, [by_limit, _by_budget])]
    curves = [make_curve(group, level, laws) for group in groups]
    count = Counter(curve.name for curve in curves)
    return [_with_budget(curve) if count[curve.name] > 1 else curve for curve in curves]


def _with_budget(curve: Curve) -> Curve:
    budgets = sorted({cell.spec.budget or 0 for cell in curve.cells})
    text = ", ".join(f"budget {budget:,}" if budget else "no budget" for budget in budgets)
    return dataclasses.replace(curve, name=f"{curve.name}, {text}")


def _by_budget(cells: Sequence[CellEstimate]) -> list[list[CellEstimate]]:
    groups: dict[int | None, list[CellEstimate]] = defaultdict(list)
    for cell in cells:
        groups[cell.spec.budget].append(cell)
    return list(groups.values())


def _split(cells: list[CellEstimate], ways: list[Way]) -> Iterable[list[CellEstimate]]:
    """Splits in one way after the other, as long as an n occurs twice."""
    if not ways or max(Counter(cell.n for cell in cells).values()) == 1:
        yield cells
    else:
        for group in ways[0](cells):
            yield from _split(group, ways[1:])


def make_curve(cells: Iterable[CellEstimate], level: float = LEVEL, laws: Mapping[str, Law] = LAWS) -> Curve:
    """The curve of cells that differ in n only."""
    ordered = tuple(sorted(cells, key=lambda cell: cell.n))
    given_optimum = any(cell.stuck for cell in ordered)
    usable, unusable = [], []
    for cell in ordered:
        reason = _unusable(cell)
        if reason:
            unusable.append((cell.n, reason))
        else:
            usable.append(cell)
    name = _name(ordered)
    curve = Curve(name, ordered, given_optimum, None, _too_few(usable, unusable), tuple(unusable), ())
    if len(usable) < MIN_SIZES:
        return curve
    points = points_of(
        [cell.n for cell in usable],
        [cell.given_optimum.value or 1.0 for cell in usable],
        [cell.relative_variance or 0.0 for cell in usable],
        [cell.optimum for cell in usable],
    )
    fit = fit_laws(points, level, laws)
    if fit is None:
        return dataclasses.replace(curve, why_not=f"No law: {why_no_law(points)}.")
    analyses = tuple(power_analysis(fit.best, rival, fit.points) for rival in fit.rivals[:_MAX_RIVALS])
    return dataclasses.replace(curve, fit=fit, why_not="", power_analyses=analyses)


def _name(cells: tuple[CellEstimate, ...]) -> str:
    limit = formatting.limit_on_leaves(cell.spec for cell in cells)
    setting = sentence(cells[0].spec, init=init_of([cell.spec for cell in cells]))
    return setting + (f", {limit}" if limit else "")


def _unusable(cell: CellEstimate) -> str:
    if cell.n < MIN_SIZE:
        return "log log n is negative"
    if cell.budget:
        return f"runs were {cell.not_ended}"
    if cell.optimum < 2:
        return "fewer than two runs reached the optimum"
    return ""


def _too_few(usable: list[CellEstimate], unusable: list[tuple[int, str]]) -> str:
    count = "one size" if len(usable) == 1 else f"{len(usable) or 'no'} sizes"
    text = f"No law: {count} with a known mean, and a law needs {MIN_SIZES}"
    reasons = sorted({reason for _, reason in unusable})
    if reasons:
        text += " (" + "; ".join(
            f"n = {formatting.sizes([n for n, why in unusable if why == reason])}: {reason}" for reason in reasons
        ) + ")"  # fmt: skip
    return text + "."


# ---- words


def _answer(curve: Curve, fit: LawFit) -> list[str]:
    best = fit.best
    low, high = int(fit.points.n[0]), int(fit.points.n[-1])
    between = f"{100 * fit.level:g} % interval {formatting.interval(best.constant.low, best.constant.high)}"
    constant = f"c on this range, given these forms: {best.constant.short()}, {between}"
    first = f"{curve.quantity} ≈ {best.equation()} for n from {low:,} to {high:,} ({constant})"
    sentences = [f"{'; '.join([first, *_doubt(fit)])}."]
    if curve.given_optimum:
        sentences.append("Over runs that reached the optimum: others are stuck for ever, so E[time] is infinite.")
    return sentences


def _verdict(fit: LawFit) -> list[str]:
    """Which laws are excluded, which could only be a smaller part of the time, and which are just less likely."""
    sentences = []
    excluded = [law for law in fit.ranking if law.excluded]
    unlikely = [law for law in fit.ranking if law.unlikely]
    less = [law for law in unlikely if not (law.excluded or law.at_bound)]
    if excluded:
        sentences.append(f"Excluded, by 1,000 : 1 and more: {_named(excluded, fit)}.")
    if less:
        sentences.append(f"Less likely among these forms on this range: {_named(less, fit)}.")
    if unlikely and fit.obstacles:
        sentences.append(f"No law is excluded: {formatting.listing(list(fit.obstacles))}.")
    bounded = [law.law.name for law in unlikely if law.at_bound]
    if bounded:
        sentences.append(
            f"{formatting.listing(bounded)} would need a lower-order term larger than the leading one, even at "
            f"n = {int(fit.points.n[-1]):,}: as the leading term with more than half of the time they are unlikely, "
            "as a smaller part of it they cannot be excluded."
        )
    if fit.points.n[-1] < _TWO_DECADES * fit.points.n[0]:
        sentences.append("Less than two decades of n: beyond this range c may well lie outside its interval.")
    return sentences


def _named(laws: list[RankedLaw], fit: LawFit) -> str:
    everything = len(laws) == len(fit.ranking) - 1
    names = "every other law of the list" if everything else formatting.listing([law.law.name for law in laws])
    return f"{names}; the nearest, {laws[0].law.name}, is {_times(laws[0].behind)} less likely"


def _doubt(fit: LawFit) -> list[str]:
    """What a reader of one line must not miss: the misfit first, then what else could be true."""
    doubts = []
    if not fit.fits:
        doubts.append("no law of the list fits within the measured errors")
    elif fit.better_power is not None:
        better = fit.better_power.name + ("" if fit.better_power.vague else f" {fit.better_power.formula()}")
        doubts.append(f"but the {better} fits better: the law may be one that is not in the list")
    elif fit.missed:
        doubts.append("but the law chosen from the smaller sizes does not predict the larger ones")
    others = [law.law.name for law in fit.rivals]
    others += [f"the {p.name}{'' if p.vague else ' ' + p.formula()}" for p in fit.rival_powers if p.odds <= CLEARLY]
    if others:
        doubts.append(f"{formatting.listing(others)} cannot be told from it")
    elif fit.obstacles and not doubts:
        doubts.append(f"preferred on this range, no law is excluded: {formatting.listing(list(fit.obstacles))}")
    return doubts


def _times(ratio: float) -> str:
    return f"{formatting.number(ratio, digits=2)} times" if ratio < 1e6 else "more than a million times"


def _doubts(curve: Curve, fit: LawFit) -> list[str]:
    sentences = []
    for analysis in curve.power_analyses:
        ways = []
        if analysis.size is not None:
            ways.append(f"sizes up to n = {formatting.number(float(analysis.size), digits=2)} with as many runs")
        if analysis.runs_factor < 1e4:
            ways.append(f"{formatting.number(analysis.runs_factor, digits=2)} times the runs at these sizes")
        would = f"{' or '.join(ways)} would tell" if ways else "no size or number of runs within reach would tell"
        if analysis.runs_factor <= 1:
            would = "these sizes should have told them apart, so neither fits well"
        rival = analysis.rival
        sentences.append(
            f"{fit.best.law.name} and {rival.law.name} cannot be told apart on this range "
            f"({_times(rival.behind)} less likely, {rival.equation()}); {would}."
        )
    if fit.best.fit.dispersion > 1:
        sentences.append(
            f"No law fits within the measured errors (p = {formatting.number(fit.best.fit.p_value, digits=2)}): "
            f"intervals are widened by {formatting.number(fit.best.fit.dispersion**0.5, digits=2)}."
        )
    if fit.left_out:
        what = f"n = {formatting.sizes(fit.left_out)}"
        sentences.append(f"Left out: {what}, where lower-order terms are too large for any law of the list.")
    for reason in sorted({why for _, why in curve.not_fitted}):
        sizes = [n for n, why in curve.not_fitted if why == reason]
        sentences.append(f"Not in the fit: n = {formatting.sizes(sizes)} ({reason}).")
    return sentences


def _free(fit: LawFit) -> list[str]:
    """Free exponents; where they fit clearly better than the best law, the truth may be none of the list."""
    parts = [_power(power) for power in (fit.power, fit.power_log) if power is not None]
    sentences = [f"With free exponents: {'; '.join(parts)}."]
    if fit.better_power is not None:
        poorly = ", poor as its own fit is" if fit.better_power.poor else ""
        sentences.append(
            f"The {fit.better_power.name} fits better than {fit.best.law.name} ({_times(fit.better_power.odds)} as "
            f"likely){poorly}: the law may be one that is not in the list."
        )
    return sentences


def _local(fit: LawFit) -> list[str]:
    """What the eye sees without any list."""
    (first, start), *_, (last, end) = local_exponents(fit.measured, fit.level)
    over = fit.measured.mean / np.exp(fit.best.fit.log_leading(fit.measured.n))
    exponents = [
        f"{exponent.short()} {exponent.bracket()} near n = {formatting.number(n, digits=2)}"
        for n, exponent in ((first, start), (last, end))
    ]
    ends = " to ".join(formatting.number(float(value), digits=3) for value in (over[0], over[-1]))
    return [f"Local exponents: {', '.join(exponents)}; {fit.best.over} goes from {ends}."]


def _power(power: FreePower) -> str:
    poor = ", a poor fit" if power.poor else ""
    if power.beta is None or power.correlation is None:
        between = formatting.interval(power.alpha.low, power.alpha.high)
        return f"the {power.name} {power.formula()} (interval {between}{poor})"
    correlation = f"correlation {formatting.number(power.correlation, digits=3)}"
    if power.vague:
        return f"the {power.name} has vague ones ({correlation}{poor})"
    intervals = [formatting.interval(exponent.low, exponent.high) for exponent in (power.alpha, power.beta)]
    return f"the {power.name} {power.formula()} (intervals {formatting.listing(intervals)}, {correlation}{poor})"


def _held_back(fit: LawFit) -> list[str]:
    if not fit.predictions:
        return []
    misses = [f"n = {size.n:,} by {formatting.number(size.miss, digits=2)} standard errors" for size in fit.predictions]
    chosen = fit.predictions[0].law
    return [f"From the smaller sizes alone, {chosen.name} is chosen and misses {formatting.listing(misses)}."]
