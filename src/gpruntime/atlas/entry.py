"""One entry of the atlas: what is proved about a setting, what is measured, and where the two differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpruntime.analysis.bounds import BoundCheck, check_bounds
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.curves import Curve, make_curve
from gpruntime.analysis.estimates import NOTHING as NOT_KNOWN
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.model.bound import INFINITE, UPPER
from gpruntime.paper.verdict import record
from gpruntime.show.tables import with_interval

NOTHING, TIGHT, LOGARITHM, POWER, BEYOND, INFINITE_AS_PROVED, NOT_SEEN, UNKNOWN = (
    "nothing proved", "as proved", "off by a logarithm", "off by a power", "beyond the bound", "infinite, as proved",
    "infinite, not seen", "cannot be told",
)  # fmt: skip
MARKS = {
    NOTHING: "no bound is known to us",
    TIGHT: "measured ÷ the nearest bound hardly moves with n",
    LOGARITHM: "measured ÷ the nearest bound moves by about a logarithm",
    POWER: "measured ÷ the nearest bound moves like a power of n",
    BEYOND: "the measured time grows faster than an upper bound, or slower than a lower one, on this range",
    INFINITE_AS_PROVED: "runs are stuck for ever, as the theory says",
    NOT_SEEN: "an infinite mean is proved, and no run at these sizes was stuck",
    UNKNOWN: "too few sizes have a known mean, or runs that are lost cannot be told from slow ones",
}
GLYPHS = dict(zip(MARKS, "·●◐○▲∞◇?", strict=True))  # on a map, beside a colour
_FLAT = 0.05


@dataclass(frozen=True)
class Entry:
    """One entry.

    Attributes:
        curve: what is measured.
        checks: the bounds that apply, held against it.
        exact: small sizes, solved: a record each.
    """

    curve: Curve
    checks: tuple[BoundCheck, ...]
    exact: tuple[Mapping[str, Any], ...]

    @property
    def id(self) -> str:
        """For links and files: the digest of its smallest cell."""
        return self.curve.cells[0].spec.cell_id

    @property
    def last(self) -> CellEstimate:
        """The largest size."""
        return self.curve.cells[-1]

    @property
    def nearest(self) -> BoundCheck | None:
        """The bound that moves least against the measured time; an infinite one if there is one."""
        infinite = [check for check in self.checks if check.bound.kind == INFINITE]
        if infinite:
            return infinite[0]
        known = [check for check in self.checks if check.trend is not None]
        if known:
            return min(known, key=lambda check: abs((check.trend or Estimate(0.0)).value or 0.0))
        return self.checks[0] if self.checks else None

    def mark(self) -> str:
        """One of `MARKS`."""
        check = self.nearest
        if check is None:
            return NOTHING
        if check.bound.kind == INFINITE:
            if check.stuck:
                return INFINITE_AS_PROVED
            return UNKNOWN if any(cell.budget for cell in self.curve.cells) else NOT_SEEN
        trend = check.trend
        if trend is None or trend.low is None or trend.high is None:
            return UNKNOWN
        wrong = trend.low > _logarithm(check) if check.bound.kind == UPPER else trend.high < -_logarithm(check)
        if wrong:
            return BEYOND
        if trend.low >= -_FLAT and trend.high <= _FLAT:
            return TIGHT
        distance = max(trend.low, -trend.high, 0.0)  # how far from 0 at least
        if distance == 0.0:
            return TIGHT if max(-trend.low, trend.high) < _logarithm(check) else UNKNOWN
        return POWER if distance > 1.5 * _logarithm(check) else LOGARITHM

    def p_stuck(self) -> Estimate:
        """P(stuck) at the largest size, where that is proved; a run that a budget stopped is not known to be."""
        return proportion(self.last.stuck, self.last.runs)

    def law(self) -> str:
        """The measured law with its constant and interval, in words."""
        fit = self.curve.fit
        if fit is None:
            return ""
        return f"{fit.best.equation()} {fit.best.constant.bracket()}".strip()

    def record(self) -> dict[str, Any]:
        """One flat row, as atlas.csv has it and the page shows it."""
        spec, last, check, fit = self.curve.spec, self.last, self.nearest, self.curve.fit
        name, _, parameters = spec.problem.name.partition(":")
        return record(
            id=self.id,
            problem=f"{name} ({_values(spec.problem.id)})" if parameters else name,
            algorithm=spec.algorithm.name.removeprefix("(1+1) ") + (f", until {spec.until}" if spec.until else ""),
            init=self.curve.init,
            mark=self.mark(),
            bound="" if check is None else check.bound.formula,
            bound_status="" if check is None else check.bound.status,
            bound_source="" if check is None else check.bound.source,
            trend=NOT_KNOWN if check is None or check.trend is None else check.trend,
            law="" if fit is None else fit.best.law.name,
            law_fitted=self.law(),
            law_rivals="" if fit is None else ", ".join(law.law.name for law in fit.rivals),
            constant=NOT_KNOWN if fit is None else fit.best.constant,
            power=NOT_KNOWN if fit is None else fit.power.alpha,
            n=last.n,
            runs=last.runs,
            p_optimum=last.chance,
            p_stuck=self.p_stuck(),
            mean=last.mean,
            mean_max_leaves=last.max_leaves,
            mean_max_population=last.max_population,
            exact="; ".join(f"n = {size['n']}: {size['words']}" for size in self.exact),
        )

    def shown(self) -> dict[str, str]:
        """The same in words, for the columns of the page."""
        last, fit = self.last, self.curve.fit
        law = self.law() or "–"
        if fit is not None and self.curve.given_optimum:
            law += " (of runs that reached it)"
        return {
            "law": law,
            "p_optimum": with_interval(last.chance),
            "p_stuck": with_interval(self.p_stuck()) if last.stuck else "0",
            "mean": with_interval(last.mean),
            "leaves": with_interval(last.max_leaves),
            "population": with_interval(last.max_population),
            "power": "–" if fit is None else f"{fit.power.alpha.short()} {fit.power.alpha.bracket()}",
        }


def _values(problem: str) -> str:
    """The values of a problem's parameters."""
    return ", ".join(part.partition("=")[2] for part in problem.partition(":")[2].split(","))


def _logarithm(check: BoundCheck) -> float:
    """The power that a logarithm has among the larger sizes."""
    sizes = [n for n, _ in check.ratios][len(check.ratios) // 2 :]
    middle = math.sqrt(max(sizes[0], 2) * max(sizes[-1], 3)) if sizes else 3.0
    return 1 / math.log(middle)


def entry_of(cells: Sequence[CellEstimate], exact: Sequence[Mapping[str, Any]]) -> Entry:
    """The entry of cells that differ in n only."""
    curve = make_curve(cells)
    return Entry(curve, check_bounds([curve]), tuple(exact))
