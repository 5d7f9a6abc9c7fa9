"""What many runs say, as the page shows it: the estimates of one size, and the law over sizes.

Every number comes from `gpruntime.analysis`. A number has a text and, where it can be drawn, a value: a time that may
never end is infinite, one beyond the budget is at least something, and neither has a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate, estimate_cell
from gpruntime.analysis.curves import make_curve
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.analysis.laws import LawFit
from gpruntime.analysis.profiles import AtTarget, Profile
from gpruntime.analysis.runs import Address, CellRuns, Operations
from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, MAX_LEAVES, OUTCOME, PROPOSED
from gpruntime.model.mutation import KINDS
from gpruntime.model.spec import RunSpec
from gpruntime.watch.source import method_of

MOST = 0.95  # the quantile beside the median
_LINE_POINTS = 60


def cell_of(spec: RunSpec, seed: int, table: NDArray[np.int64]) -> CellEstimate:
    """The estimates of the runs 0, 1, 2, … of a spec, from the engine's table of them."""
    operations = {}
    for place, kind in enumerate(KINDS):
        p, a = table[:, PROPOSED + place].astype(float), table[:, ACCEPTED + place].astype(float)
        operations[kind] = Operations(p.sum(), a.sum(), p @ p, p @ a, a @ a)
    return estimate_cell(
        CellRuns(
            spec=spec,
            outcome=table[:, OUTCOME].astype(np.int8),
            evaluations=table[:, EVALUATIONS],
            max_leaves=table[:, MAX_LEAVES],
            operations=operations,
            addresses=(Address(seed, method_of(spec), 0, len(table) - 1, len(table)),),
        )
    )


def cell_to_json(cell: CellEstimate) -> dict[str, Any]:
    """The estimates of one size."""
    return {
        "runs": cell.runs,
        "stuck": _share(cell.stuck, cell.runs),
        "budget": _share(cell.budget, cell.runs),
        "mean": _mean(cell),
        "given_optimum": _time(cell.given_optimum),
        "median": _time(cell.median, _why(cell)),
        "most": _time(cell.quantiles[MOST], _why(cell)),
    }


def law_to_json(cells: Sequence[CellEstimate]) -> dict[str, Any]:
    """The law that the times follow over n, with its line of [n, time]; or why there is none that could be told."""
    curve = make_curve(cells)
    if curve.fit is not None and not curve.fit.is_told:
        none = f"No law can be told: {formatting.listing(list(curve.fit.obstacles))}."
        return {"name": "", "line": [], "words": none, "more": curve.sentences()}
    law = {"name": "", "line": []} if curve.fit is None else {"name": curve.fit.best.law.name, "line": _line(curve.fit)}
    return {**law, "words": curve.headline(), "more": curve.sentences()}


def profile_to_json(profile: Profile) -> dict[str, Any]:
    """Fixed targets and fixed budgets of one size.

    A target is [fitness, its time]; a budget [evaluations, its mean fitness, the share of the targets reached by then].
    """
    return {
        "targets": [(at.fitness, _until(at)) for at in profile.at_targets],
        "budgets": [(at.evaluations, _bounds(at.mean), _bounds(at.solved)) for at in profile.at_budgets],
        "horizon": profile.horizon,
        "words": _sign(profile.headline()),
    }


def _until(at: AtTarget) -> dict[str, Any]:
    """The mean time; where it is infinite or unknown, that over the runs that got there, and what to call it."""
    value = _drawn(at.mean.value)
    kind = "known" if value is not None else "stuck" if at.mean.value is not None else "budget"
    shown = at.mean if value is not None else at.given
    return {"kind": kind, **_bounds(shown), "text": f"{_sign(shown.short())} {_sign(shown.bracket())}".strip()}


def _bounds(estimate: Estimate) -> dict[str, float | None]:
    return {"value": _drawn(estimate.value), "low": _drawn(estimate.low), "high": _drawn(estimate.high)}


def _line(fit: LawFit) -> list[tuple[float, float]]:
    sizes = np.geomspace(fit.points.n[0], fit.points.n[-1], _LINE_POINTS)
    return list(zip(sizes.tolist(), np.exp(fit.best.fit.log_value(sizes)).tolist(), strict=True))


def _mean(cell: CellEstimate) -> dict[str, Any]:
    """Infinite as soon as a run is stuck; at least the mean of min(time, budget) where the budget stopped some."""
    if cell.stuck or not cell.budget:
        return _time(cell.mean, _why(cell))
    least = _time(cell.restricted)
    short = f"at least {least['short']}"
    return {**least, "value": None, "at_least": least["value"], "short": short, "text": f"{short}, {_why(cell)}"}


def _why(cell: CellEstimate) -> str:
    """Why a time is infinite or only known to be longer."""
    counts = ((cell.stuck, "stuck"), (cell.budget, "stopped by the budget"))
    return ", ".join(f"{count:,} of {formatting.plural(cell.runs, 'run')} {how}" for count, how in counts if count)


def _time(estimate: Estimate, why: str = "") -> dict[str, Any]:
    """A time; `why` is told where it has no value."""
    short, value, low = _sign(estimate.short()), _drawn(estimate.value), _drawn(estimate.low)
    remark = estimate.remark if value is not None else why or estimate.remark
    return {
        "value": value,
        "low": low,
        "high": _drawn(estimate.high),
        "short": short,
        "text": f"{short}, {remark}" if remark else short,
        "interval": "" if low is None else _sign(estimate.bracket()),
    }


def _share(count: int, runs: int) -> dict[str, Any]:
    """This number of the runs, as a probability."""
    share = proportion(count, runs)
    value, low, high = (formatting.percent(end, share.low, share.high) for end in (share.value, share.low, share.high))
    return {
        "value": share.value,
        "low": share.low,
        "high": share.high,
        "short": value,
        "text": f"{count:,} ({value})" if count else "0",
        "interval": f"[{low}, {high}]",
    }


def _drawn(value: float | None) -> float | None:
    return None if value is None or isinstance(value, formatting.Above) or math.isinf(value) else value


def _sign(text: str) -> str:
    return text.replace("infinite", "∞")
