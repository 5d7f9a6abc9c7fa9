"""Tables in words: what the terminal and the report print of a curve, a ranking, a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.compare import Comparison
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate, normal_quantile, proportion
from gpruntime.analysis.fitting import local_exponents
from gpruntime.analysis.laws import LawFit, RankedLaw
from gpruntime.model.spec_text import common_parts, sentence, short_labels, words_for

_LONGEST_NUMBER = 24


@dataclass(frozen=True)
class Table:
    """Headings and rows of text; all but the first column are aligned to the right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def width(self) -> int:
        """The fewest characters that hold its columns side by side, words not broken."""
        columns = zip(self.headings, *self.rows, strict=True)
        return sum(2 + max(len(word) for text in column for word in (text.split() or [""])) for column in columns)

    def is_text(self, column: int) -> bool:
        """Whether a column holds words and not numbers."""
        return any(len(row[column]) > _LONGEST_NUMBER and "[" not in row[column] for row in self.rows)


@dataclass(frozen=True)
class Answer:
    """What a curve says, where its setting and its algorithm meet.

    Attributes:
        place: of the curve in its summary, from 1.
        law: with its constant and interval, or the mean at the largest size.
        notes: laws that cannot be told from it; P(stuck) or P(optimum) at the largest size, where a run failed.
    """

    place: int
    law: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """The answers of a study: a row for each setting, a column for each algorithm, some curves where they meet."""

    common: str
    algorithms: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[Answer, ...], ...]], ...]


def answers(curves: Sequence[Curve]) -> Matrix:
    """Of these curves."""
    met: dict[tuple[str, str], list[Answer]] = {}
    for place, curve in enumerate(curves, 1):
        met.setdefault((setting_of(curve), words_for("algorithm", curve.spec)), []).append(_answer(place, curve))
    settings, algorithms = (tuple(dict.fromkeys(key[part] for key in met)) for part in (0, 1))
    labels = short_labels(list(settings))
    rows = tuple(
        (labels[setting], tuple(tuple(met.get((setting, algorithm), ())) for algorithm in algorithms))
        for setting in settings
    )
    return Matrix(", ".join(common_parts(list(settings))) if len(settings) > 1 else "", algorithms, rows)


def setting_of(curve: Curve) -> str:
    """A curve's name without its algorithm."""
    limits = curve.name.removeprefix(sentence(curve.spec, init=curve.init))
    return sentence(curve.spec, ("algorithm",), curve.init) + limits


def _answer(place: int, curve: Curve) -> Answer:
    last, fit, notes = curve.cells[-1], curve.fit, []
    law = f"no law; mean {with_interval(last.mean)} at n = {last.n:,}"
    if fit is not None:
        law = f"{fit.best.equation()} {fit.best.constant.bracket()}" + (", if it ends" if curve.given_optimum else "")
        notes += ["or " + ", ".join(rival.law.name for rival in fit.rivals)] if fit.rivals else []
        notes += [] if fit.fits else ["no law fits"]
    if not last.complete:
        name, share = ("stuck", proportion(last.stuck, last.runs)) if last.stuck else ("P(optimum)", last.chance)
        notes.append(f"{name} {with_interval(share)} at n = {last.n:,}")
    return Answer(place, law, tuple(notes))


def cells_table(curve: Curve) -> Table:
    """The estimates of a curve's cells; columns that would say nothing are left out."""
    stuck, stopped = any(cell.stuck for cell in curve.cells), any(cell.budget for cell in curve.cells)
    columns: list[tuple[str, Callable[[CellEstimate], str]]] = [
        ("n", lambda cell: f"{cell.n:,}"),
        ("runs", lambda cell: f"{cell.runs:,}"),
    ]
    if stuck or stopped:
        columns.append(("optimum", lambda cell: f"{cell.optimum:,}"))
        if stuck:
            columns.append(("stuck", lambda cell: f"{cell.stuck:,}"))
        if stopped:
            columns.append(("stopped", lambda cell: f"{cell.budget:,}"))
        columns.append(("P(optimum)", lambda cell: with_interval(cell.chance)))
    columns.append(("mean", lambda cell: with_interval(cell.mean)))
    if stuck or stopped:
        columns.append(("mean if optimum", lambda cell: with_interval(cell.given_optimum)))
        columns.append(("evaluations per success", lambda cell: with_interval(cell.expected_running_time)))
    if stopped:
        columns.append(("restricted mean", lambda cell: with_interval(cell.restricted) if cell.budget else ""))
    columns += [
        ("deviation", lambda cell: formatting.number(cell.deviation, digits=3) if cell.deviation is not None else "–"),
        ("median", lambda cell: with_interval(cell.median)),
    ]
    if any(cell.max_leaves.value is not None for cell in curve.cells):
        columns.append(("T_max", lambda cell: with_interval(cell.max_leaves)))
    if any(cell.max_population.value is not None for cell in curve.cells):
        columns.append(("P_max", lambda cell: with_interval(cell.max_population)))
    return Table(
        tuple(name for name, _ in columns), tuple(tuple(show(cell) for _, show in columns) for cell in curve.cells)
    )


def with_interval(estimate: Estimate) -> str:
    """5,054 [5,017, 5,092]; – where nothing is known."""
    if estimate.value is None:
        return "–" if not estimate.remark or estimate.remark.startswith("no ") else formatting.UNKNOWN
    return f"{estimate.short()} {estimate.bracket()}".strip()


def ranking_table(fit: LawFit) -> Table:
    """The laws, the likeliest first."""
    rows = []
    for law in fit.ranking:
        state = "best" if law is fit.best else _state(law)
        odds = "1" if law is fit.best else formatting.number(law.behind, digits=2)
        if law.behind > 1e6:
            odds = "> 10⁶"
        rows.append((law.law.name, state, odds, law.equation(), law.constant.bracket(), _p(law.fit.p_value)))
    return Table(
        ("law", "verdict", "times less likely", "fit", "interval of the constant", "p of the fit"), tuple(rows)
    )


def shape_table(fit: LawFit) -> Table:
    """What the eye sees: time ÷ g(n) at each size, and the exponent from it to the next."""
    points, level = fit.measured, fit.level
    over = np.exp(points.y - fit.best.fit.log_leading(points.n))
    spread = np.exp(normal_quantile(level) * np.sqrt(points.relative))
    exponents = [with_interval(exponent) for _, exponent in local_exponents(points, level)]
    rows = tuple(
        (f"{int(n):,}", with_interval(Estimate(float(v), float(v / s), float(v * s), level)), exponent)
        for n, v, s, exponent in zip(points.n, over, spread, [*exponents, "–"], strict=True)
    )
    return Table(("n", fit.best.over, "exponent to the next"), rows)


def _state(law: RankedLaw) -> str:
    if law.excluded:
        return "excluded"
    if not law.unlikely:
        return "not told apart"
    return "less than half" if law.at_bound else "less likely"


def comparison_table(comparison: Comparison) -> Table:
    """The sizes of a comparison."""
    rows = tuple(
        (
            f"{cell.n:,}",
            with_interval(cell.ratio) if cell.ratio.value is not None else cell.ratio.remark,
            with_interval(cell.a_faster),
            _p(cell.p_value),
            _p(cell.p_holm),
        )
        for cell in comparison.cells
    )
    return Table(("n", "ratio of means", "P(A faster)", "Mann–Whitney p", "after Holm"), rows)


def _p(value: float) -> str:
    return "< 10⁻⁶" if value < 1e-6 else formatting.number(value, digits=2)
