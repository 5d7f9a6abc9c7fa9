"""How many runs do I need? From a pilot: for an interval of a width, to tell two laws apart, to see a difference.

Let c = s/m be the relative deviation of a cell's times, γ their skewness.

- *Width.* The interval of the mean is the one of `estimates`; roughly it is 2zc/√R of the mean wide. The pilot's c and
  that of the runs to come scatter: by the delta method log c has the variance τ²/runs, τ² = (κ − 1)/4 − γc + c², where
  κ = 3 + 1.5γ² and γ ≥ 2c are taken from gamma laws, as few runs show neither; log s is too small by (κ − 1)/(8·pilot)
  on average. So c is taken larger by that and by z·τ·√(1/pilot + 1/R), and in about `SHARE` of the repetitions the
  interval is no wider than was asked for.
- *Laws.* `power_analysis`: their misfit is to be 16, four standard errors.
- *Difference.* The interval of a ratio of means, for all sizes of a curve together, lies on one side of 1 in `SHARE` of
  the repetitions if the means differ by so much: (t + z)·√((c_a² + c_b²)/R) ≤ ln(1 + difference).

A mean that the budget cut off is not known, and nothing is planned for it. Where runs are stuck for ever the mean is
infinite: what is planned then is E[time | optimum], and so many runs that enough of them reach it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.compare import shared_cells
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import LEVEL, Moments, checked_level, mean_of, student_quantile
from gpruntime.analysis.growth import LAWS, MORE_LAWS, Law, Term
from gpruntime.analysis.power import ENOUGH, power_analysis
from gpruntime.analysis.settings import differing_in_one
from gpruntime.analysis.sources import study_of
from gpruntime.analysis.summary import summarise
from gpruntime.analysis.table import RunTable
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

SHARE = 0.8  # of the repetitions that are to reach the aim
MOST = 10**9  # runs of a cell; more are said to be out of reach
_FEW = 20  # runs that know a deviation badly
_POWER = re.compile(r"n\^(\d{1,2}(\.\d{1,4})?)")
_ALIKE = "all runs are alike, so the deviation is not known"
Seconds: TypeAlias = "Mapping[tuple[str, int | None], float]"
_Needed: TypeAlias = "Callable[[CellEstimate], tuple[int | None, str]]"


@dataclass(frozen=True)
class NeededCell:
    """One setting at one size.

    Attributes:
        setting: in words.
        spec: the cell.
        pilot: how many runs it has.
        deviation: of the times, as a share of their mean.
        runs: how many it takes in all; None where `remark` says why not.
        seconds: that those beyond the pilot's take on one core; None where no time is stored.
    """

    setting: str
    spec: RunSpec
    pilot: int
    deviation: float | None
    runs: int | None
    seconds: float | None
    remark: str

    @property
    def more(self) -> int | None:
        """Runs to come."""
        return None if self.runs is None else max(self.runs - self.pilot, 0)

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        numbers = {"runs": self.runs, "more": self.more, "seconds": self.seconds, "remark": self.remark}
        pilot = {"pilot": self.pilot, "relative_deviation": self.deviation}
        return {"setting": self.setting, "n": self.spec.n, "cell": self.spec.cell_id, **pilot, **numbers}


@dataclass(frozen=True)
class RunsNeeded:
    """How many runs it takes, cell by cell.

    Attributes:
        aim: what for, in words.
        cells: every cell of the pilot.
        assumptions: what the numbers rest on, a sentence each.
    """

    aim: str
    cells: tuple[NeededCell, ...]
    assumptions: tuple[str, ...]

    @property
    def more(self) -> int:
        """Runs to come, of all cells that could be planned."""
        return sum(cell.more or 0 for cell in self.cells)

    @property
    def seconds(self) -> float | None:
        """That they take on one core; None if that is not known of all of them."""
        seconds = [cell.seconds for cell in self.cells if cell.more]
        return None if None in seconds else math.fsum(second for second in seconds if second is not None)

    def sentences(self) -> list[str]:
        """The aim, how many runs in all, and what that rests on."""
        unplanned = sum(cell.runs is None for cell in self.cells)
        but = f", without {formatting.plural(unplanned, 'cell')} that cannot be planned" if unplanned else ""
        return [f"{self.aim}: {formatting.plural(self.more, 'run')} more than the pilot's{but}.", *self.assumptions]

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each cell."""
        return [cell.to_record() for cell in self.cells]

    def __repr__(self) -> str:
        return f"<RunsNeeded: {self.sentences()[0]}>"


def plan_runs(
    runs: RunsLike,
    *,
    width: float | None = None,
    tell: tuple[str, str] | None = None,
    difference: float | None = None,
    level: float = LEVEL,
) -> RunsNeeded:
    """How many runs of each cell it takes, in all, from those of a pilot.

    Args:
        runs: the pilot, as for `summarise`.
        width: an interval of the mean, from end to end, as a share of the mean.
        tell: two growth laws to be told apart, by their names, or `n^1.1` for any power.
        difference: between two means, as a share of the smaller, that is to be seen.
        level: of the intervals.

    Raises:
        BadInput: not exactly one of the three is asked for, or no cell can be planned.
    """
    checked_level(level)
    asked = [
        name for name, value in (("width", width), ("tell", tell), ("difference", difference)) if value is not None
    ]
    if len(asked) != 1:
        given = " and ".join(asked) or "missing"
        raise BadInput(asked[0] if asked else "width", given, "give one of width, tell and difference")
    laws = {} if tell is None else _two_laws(tell)
    study = study_of(runs)
    source = runs if study is None else study
    seconds = {} if study is not None and study.plan.summarised else _seconds(RunTable(source))
    curves = summarise(source, level=level, laws=laws or LAWS, comparisons=0).curves
    if width is not None:
        share = _checked("width", width, 1)
        aim = f"For {formatting.level(level)} intervals of the mean, from end to end {_percent(share)} of it wide"
        rows = _each(curves, seconds, lambda _: lambda cell: runs_for_width(cell, share, level))
    elif difference is not None:
        share = _checked("difference", difference, 100)
        aim = f"To see at a level of {formatting.level(level)} that two means differ by {_percent(share)}"
        partners = _partners(curves)
        rows = _each(curves, seconds, lambda curve: lambda cell: _for_difference(cell, partners, curve, share, level))
    else:
        aim = f"To tell {' and '.join(law.name for law in laws.values())} apart"
        rows = _each(curves, seconds, _for_laws)
    if all(row.runs is None for row in rows):
        where = f"{rows[0].setting}, n = {rows[0].spec.n:,}: {rows[0].remark}" if rows else "there are none"
        raise BadInput("runs", "of this pilot", f"nothing can be planned from them; {where}")
    return RunsNeeded(aim, rows, tuple(_assumptions(asked[0], rows)))


def _each(curves: Iterable[Curve], seconds: Seconds, needed_for: Callable[[Curve], _Needed]) -> tuple[NeededCell, ...]:
    """Asks for the runs of every cell whose mean, or that of the runs that reach the optimum, is known."""
    rows = []
    for curve in curves:
        needed = needed_for(curve)
        for cell in curve.cells:
            runs, remark = (None, _unknown(cell)) if _unknown(cell) else needed(cell)
            more, each = max((runs or 0) - cell.runs, 0), seconds.get((cell.spec.cell_id, cell.spec.budget))
            taken = None if runs is None or each is None else more * each
            variance = cell.relative_variance
            deviation = None if variance is None else math.sqrt(variance)
            rows.append(NeededCell(curve.name, cell.spec, cell.runs, deviation, runs, taken, remark))
    return tuple(rows)


def _unknown(cell: CellEstimate) -> str:
    if cell.budget:
        stuck = f", and {cell.stuck:,} are stuck" if cell.stuck else ""
        return (
            f"the budget stopped {cell.budget:,} of {formatting.plural(cell.runs, 'run')}{stuck}, so the mean "
            f"{'of those that end ' if stuck else ''}is not known"
        )
    if cell.optimum < 2:
        return "fewer than two runs reached the optimum"
    return ""


def runs_for_width(cell: CellEstimate, width: float, level: float) -> tuple[int | None, str]:
    """For an interval of the mean of that width, and what has to be said."""
    deviation = math.sqrt(cell.relative_variance or 0.0)
    if not deviation:
        return None, _ALIKE
    skewness = max(cell.skewness, 2 * deviation)
    tau = math.sqrt(0.5 + 0.375 * skewness**2 - skewness * deviation + deviation**2)
    bias = (2 + 1.5 * skewness**2) / (8 * cell.optimum)

    def is_enough(runs: int) -> bool:
        larger = deviation * math.exp(bias + _normal(SHARE) * tau * math.sqrt(1 / cell.optimum + 1 / runs))
        mean = mean_of(Moments(runs, 1.0, larger, skewness), level)
        return mean.low is not None and mean.high is not None and mean.high - mean.low <= width

    runs = _least(is_enough)
    if runs is not None and cell.stuck:
        runs = math.ceil(runs * cell.runs / cell.optimum)
    remarks = [f"{cell.stuck:,} of {cell.runs:,} runs are stuck: E[time | optimum]"] if cell.stuck else []
    return runs, "; ".join(remarks + _doubts(cell, runs))


def _for_difference(
    cell: CellEstimate,
    partners: Mapping[RunSpec, list[tuple[CellEstimate, int]]],
    curve: Curve,
    difference: float,
    level: float,
) -> tuple[int | None, str]:
    """Against the one of its partners that takes most; without any, against one that scatters alike."""
    if cell.stuck:
        return None, f"{cell.stuck:,} of {cell.runs:,} runs are stuck, so the mean is infinite and no ratio has a sense"
    others = [(other, sizes) for other, sizes in partners[cell.spec] if not (_unknown(other) or other.stuck)]
    variance = cell.relative_variance or 0.0
    wanted = [(variance + (other.relative_variance or 0.0), sizes) for other, sizes in others]
    if not variance and not any(both for both, _ in wanted):
        return None, _ALIKE
    remarks = (
        []
        if wanted
        else ["the pilot has nothing with a known mean to compare it with: the other one is taken to scatter alike"]
    )

    def is_enough(runs: int) -> bool:
        return all(
            (student_quantile(runs - 1, 1 - (1 - level) / sizes) + _normal(SHARE)) * math.sqrt(both / runs)
            <= math.log1p(difference)
            for both, sizes in wanted or [(2 * variance, len(curve.cells))]
        )

    runs = _least(is_enough)
    return runs, "; ".join(remarks + _doubts(cell, runs))


def _partners(curves: Iterable[Curve]) -> dict[RunSpec, list[tuple[CellEstimate, int]]]:
    """The cells that each is compared with, and over how many sizes: curves that differ in one setting."""
    partners: dict[RunSpec, list[tuple[CellEstimate, int]]] = defaultdict(list)
    for pairs in differing_in_one(curves).values():
        for a, b in pairs:
            shared = shared_cells(a, b)
            for of_a, of_b in shared:
                partners[of_a.spec].append((of_b, len(shared)))
                partners[of_b.spec].append((of_a, len(shared)))
    return partners


def _for_laws(curve: Curve) -> _Needed:
    """The same multiple of the runs at every size."""
    fit = curve.fit
    if fit is None:
        return lambda _: (None, curve.why_not.rstrip("."))
    if len(fit.ranking) < 2:
        return lambda _: (None, "one of the two cannot be fitted at all")
    analysis = power_analysis(fit.best, fit.ranking[1], fit.points)
    ways = [] if analysis.size is None else [f"or sizes up to n = {analysis.size:,} with as many runs at each"]
    ways += [] if fit.fits else ["neither law fits the pilot"]

    def needed(cell: CellEstimate) -> tuple[int | None, str]:
        if cell.n not in fit.points.n:
            return cell.runs, "left out of the fit: lower-order terms are too large, or log log n is negative"
        runs = analysis.runs_factor * cell.runs
        within = math.ceil(runs) if runs <= MOST else None
        stuck = [f"{cell.stuck:,} of {cell.runs:,} runs are stuck: E[time | optimum]"] if cell.stuck else []
        return within, "; ".join([*stuck, *([] if within else [_out_of_reach()]), *ways])

    return needed


def _doubts(cell: CellEstimate, runs: int | None) -> list[str]:
    few = [f"{cell.optimum:,} runs know the deviation badly"] if cell.optimum < _FEW else []
    return few if runs is not None else [_out_of_reach(), *few]


def _out_of_reach() -> str:
    return f"more than {MOST:,} runs"


def _assumptions(aim: str, rows: tuple[NeededCell, ...]) -> Iterable[str]:
    yield "The times scatter as in the pilot; runs are those of a cell in all, the pilot's among them."
    if aim == "width":
        yield (
            f"In about {formatting.level(SHARE)} of repetitions the interval of a cell is no wider: what the "
            "pilot does not know of the deviation is allowed for, with tails as of gamma laws."
        )
    elif aim == "difference":
        yield (
            f"In {formatting.level(SHARE)} of repetitions it is seen at a size, by an interval of the ratio that holds "
            "at all sizes of a curve together; both sides get as many runs."
        )
    else:
        yield (
            f"One of the two is true, with at most one lower-order term; χ² of the other is then {ENOUGH:g} on "
            "average, four standard errors. The numbers go by the law that fits the pilot better."
        )
    if any(row.seconds is None and row.more for row in rows):
        yield "How long a run takes is not stored with all of the pilot, so the seconds are not known there."
    else:
        yield (
            "Seconds are those of one core, by the pilot's mean time of a run on the machine it was made on; in a "
            "pilot of less than some seconds a good part is the engine's start."
        )


def _seconds(table: RunTable) -> Seconds:
    """The mean time of a run, of the cells that have it stored for all runs, by digest and budget."""
    if "seconds" not in table.columns:
        return {}
    rows = table.rows(
        "SELECT cell::VARCHAR, budget, avg(seconds) FROM runs GROUP BY 1, 2 "
        "HAVING count(seconds) = count(*) AND bool_and(isfinite(seconds)) AND min(seconds) >= 0"
    )
    return {(cell, budget): float(mean) for cell, budget, mean in rows}


def _least(is_enough: Callable[[int], bool]) -> int | None:
    """The least number of runs that is enough, at least two; None beyond `MOST`."""
    low, high = 1, 2
    while not is_enough(high):
        low, high = high, 2 * high
        if low >= MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _normal(probability: float) -> float:
    from scipy import special

    return float(special.ndtri(probability))


def _checked(name: str, share: float, most: float) -> float:
    if not 0 < share <= most:
        raise BadInput(name, share, f"must be a share above 0 and at most {most:g}, as in 0.05 or 5%")
    return share


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _two_laws(names: tuple[str, str]) -> dict[str, Law]:
    laws = {law.id: law for law in map(_law, names)}
    if len(laws) != 2:
        raise BadInput("tell", ", ".join(names), "must be two different laws, as in n log n,n^1.5")
    return laws


def _law(name: str) -> Law:
    name = " ".join(name.split())
    if not name:
        raise BadInput("tell", "one law", "must be two, with a comma between them, as in n log n,n^1.5")
    for law in MORE_LAWS.values():
        if name in (law.id, law.name):
            return law
    power = _POWER.fullmatch(name)
    if power is None or not 0 < float(power[1]) <= 20:
        raise BadInput("tell", name, f"must be one of {', '.join(MORE_LAWS)}, or a power such as n^1.1")
    return Law(name, name, Term(float(power[1])))
