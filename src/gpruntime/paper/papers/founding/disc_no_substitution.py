"""An operator without substitution, with unequal odds of insertion and deletion (section 5.2): a sweep of weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpruntime.analysis.estimates import Estimate, Values, normal_quantile
from gpruntime.analysis.runs import OPTIMUM
from gpruntime.model.spec import RunSpec
from gpruntime.paper.changes import FIRST, SECOND
from gpruntime.paper.claim import DISCUSSION, Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import said
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import (
    CONTRADICTED,
    IN_PART,
    OPEN,
    SEVERAL_RULE,
    SUPPORTED,
    Numbers,
    Verdict,
    several,
)
from gpruntime.show.drawing import Drawing

_PROBLEMS = ("order", "majority")
_SHARES = (0.3, 0.35, 0.375, 0.4, 0.425, 0.45, 0.5)  # of insertions among insertions and deletions
_EQUAL = 0.5
_BUDGET_PER_VARIABLE = 300  # about ten times the usual time

UNEQUAL = "unequal odds, without substitution"
DROPPED = "no substitution, at equal odds"
DROPPED_BEST = "no substitution, at the best odds of each"
_PAY = {SUPPORTED: "pay", CONTRADICTED: "do not pay", OPEN: "may or may not pay"}
_PAYS = {SUPPORTED: "pays", IN_PART: "pays in part", CONTRADICTED: "does not pay", OPEN: "may or may not pay"}


def specs_of(scale: Scale, problem: str) -> dict[tuple[float, float], RunSpec]:
    """(weight of substitution, share of insertions): the spec."""
    n, found = scale.sweep, {}
    for substitute in (0.0, 1.0):
        for share in _SHARES:
            weights = (substitute, round(2 * share, 6), round(2 - 2 * share, 6))
            plain = weights == (1.0, 1.0, 1.0)
            budget = None if plain else _BUDGET_PER_VARIABLE * n
            found[substitute, share] = RunSpec(
                problem=problem, algorithm="gp-single", n=n, weights=weights, budget=budget
            )
    return found


def _cells(scale: Scale) -> Sequence[Asked]:
    return [Asked(spec, scale.sweep_runs) for problem in _PROBLEMS for spec in specs_of(scale, problem).values()]


def _half(evidence: Evidence, spec: RunSpec, second: bool) -> Values:
    """Times of one half of the runs; those stopped by the budget count as the budget, which is too low."""
    times = evidence.runs[spec].evaluations.astype(float)
    middle = len(times) // 2
    return times[middle:] if second else times[:middle]


def _all_ended(evidence: Evidence, spec: RunSpec) -> bool:
    return bool((evidence.runs[spec].outcome == OPTIMUM).all())


def _ratio(evidence: Evidence, above: RunSpec | None, below: RunSpec | None) -> Estimate:
    """Mean time ÷ mean time, by the second half of the runs; unknown where the budget stopped some."""
    if above is None or below is None or not (_all_ended(evidence, above) and _all_ended(evidence, below)):
        return Estimate(None, remark="runs were stopped by the budget")
    a, b = (_half(evidence, spec, second=True) for spec in (above, below))
    value = float(a.mean() / b.mean())
    spread = normal_quantile(0.95) * math.sqrt(sum(float(x.var(ddof=1) / x.mean() ** 2) / len(x) for x in (a, b)))
    return Estimate(value, value * math.exp(-spread), value * math.exp(spread), 0.95, "delta method")


def _best(evidence: Evidence, problem: str, substitute: float, unequal: bool = False) -> RunSpec | None:
    """The best odds by the first half of the runs, of those at which all runs ended; only unequal ones, if asked."""
    chosen = [
        spec
        for (weight, share), spec in specs_of(evidence.scale, problem).items()
        if weight == substitute and not (unequal and share == _EQUAL) and _all_ended(evidence, spec)
    ]
    return min(chosen, key=lambda spec: float(_half(evidence, spec, second=False).mean()), default=None)


def _odds(spec: RunSpec | None) -> str:
    return "no odds" if spec is None else f"{50 * spec.weights[1]:g} % insertions"


class Part(NamedTuple):
    """One of the things that the discussion advises.

    Attributes:
        problem: on which.
        advice: what.
        above, below: its weights, and those it is compared with, in words.
        ratio: of the mean times; below 1 if the advice is good.
    """

    problem: str
    advice: str
    above: str
    below: str
    ratio: Estimate

    @property
    def status(self) -> str:
        """By the interval of the ratio."""
        if self.ratio.low is None or self.ratio.high is None:
            return OPEN
        if self.ratio.high < 1:
            return SUPPORTED
        return CONTRADICTED if self.ratio.low > 1 else OPEN

    def record(self) -> dict[str, Any]:
        """A row of a table."""
        return {
            "problem": self.problem,
            "advice": self.advice,
            "time_of": self.above,
            "divided_by_time_of": self.below,
            "ratio": self.ratio.value,
            "low": self.ratio.low,
            "high": self.ratio.high,
            "verdict": self.status,
        }


def parts_of(evidence: Evidence) -> list[Part]:
    """Unequal odds on ORDER; doing without substitution on both problems, at equal and at each one's best odds."""
    found = []
    for problem in _PROBLEMS:
        specs = specs_of(evidence.scale, problem)
        without, with_it = specs[0.0, _EQUAL], specs[1.0, _EQUAL]
        if problem == "order":
            best = _best(evidence, problem, 0.0, unequal=True)
            ratio = _ratio(evidence, best, without)
            found.append(
                Part(problem, UNEQUAL, f"no substitution, {_odds(best)}", f"the same, {_odds(without)}", ratio)
            )
        ratio = _ratio(evidence, without, with_it)
        found.append(Part(problem, DROPPED, f"no substitution, {_odds(without)}", f"with it, {_odds(with_it)}", ratio))
        best, rival = (_best(evidence, problem, weight) for weight in (0.0, 1.0))
        ratio = _ratio(evidence, best, rival)
        found.append(Part(problem, DROPPED_BEST, f"no substitution, {_odds(best)}", f"with it, {_odds(rival)}", ratio))
    return found


def _check(evidence: Evidence) -> Verdict:
    parts = parts_of(evidence)
    unequal, *dropped = parts
    status, dropping = several(part.status for part in parts), several(part.status for part in dropped)
    on_order, on_majority = (
        " and ".join(f"× {said(part.ratio)}" for part in dropped if part.problem == problem) for problem in _PROBLEMS
    )
    sentence = (
        f"At n = {evidence.scale.sweep:,} unequal odds {_PAY[unequal.status]} on ORDER: {unequal.above}, takes "
        f"{said(unequal.ratio)} of the time of equal odds. Doing without substitution {_PAYS[dropping]}: {on_order} on "
        f"ORDER, {on_majority} on MAJORITY (equal odds; best odds of each)."
    )
    remarks = (
        *(_against_plain(evidence, problem) for problem in _PROBLEMS),
        (
            "Odds are chosen by the first half of the runs and all ratios are measured on the other half, so the "
            "winner's luck is not counted."
        ),
    )
    tables = (
        Numbers("disc-no-substitution-numbers", "the sweep (second half of the runs)", _sweep(evidence)),
        Numbers("disc-no-substitution-parts", "the advice, part by part", [part.record() for part in parts]),
    )
    number = next(part.ratio for part in dropped if part.problem == "order" and part.advice == DROPPED_BEST)
    return Verdict(status, sentence, "time without ÷ with substitution, best odds, ORDER", number, remarks, tables)


def _against_plain(evidence: Evidence, problem: str) -> str:
    best, plain = _best(evidence, problem, 0.0), specs_of(evidence.scale, problem)[1.0, _EQUAL]
    ratio = said(_ratio(evidence, best, plain))
    return f"{problem.upper()}: the best without substitution, {_odds(best)}, takes {ratio} of the time of (1, 1, 1)."


def _sweep(evidence: Evidence) -> list[dict[str, Any]]:
    records = []
    for problem in _PROBLEMS:
        for (substitute, share), spec in specs_of(evidence.scale, problem).items():
            times = _half(evidence, spec, second=True)
            spread = normal_quantile(0.95) * float(times.std(ddof=1)) / len(times) ** 0.5
            records.append(
                {
                    "problem": problem,
                    "n": spec.n,
                    "weight_substitute": substitute,
                    "share_of_insertions": share,
                    "mean": float(times.mean()),
                    "low": float(times.mean() - spread),
                    "high": float(times.mean() + spread),
                    "stopped_by_budget": int((evidence.runs[spec].outcome != OPTIMUM).sum()),
                }
            )
    return records


def _figures(_: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    drawings = []
    for problem in _PROBLEMS:
        series = []
        for substitute, label in ((0.0, "no substitution"), (1.0, "a third substitutions")):
            rows = [
                r
                for r in verdict.tables[0].records
                if r["problem"] == problem and r["weight_substitute"] == substitute and not r["stopped_by_budget"]
            ]
            estimates = [Estimate(r["mean"], r["low"], r["high"]) for r in rows]
            series.append(Series(label, [r["share_of_insertions"] for r in rows], estimates))
        n = verdict.tables[0].records[0]["n"]
        stopped = any(r["stopped_by_budget"] for r in verdict.tables[0].records if r["problem"] == problem)
        left_out = " Weights at which runs were stopped by the budget are left out." if stopped else ""
        drawings.append(
            series_figure(
                f"disc-no-substitution-{problem}",
                series,
                title=f"{problem.upper()}, GP-single, n = {n}",
                xlabel="share of insertions among insertions and deletions",
                ylabel="mean evaluations",
                logx=False,
                logy=False,
                ylim=(0, None),
                caption=f"{problem.upper()}: the mean time by operator weights, with 95 % intervals.{left_out}",
            )
        )
    return drawings


CLAIM = Claim(
    id="disc:no-substitution",
    title="Better without substitution and with unequal odds",
    kind=DISCUSSION,
    place="section 5.2",
    statement="An operator without substitution and with unbalanced odds of insertion and deletion could reach ORDER's "
    "optimum with fewer evaluations; on MAJORITY it could be beneficial to do without substitution too.",
    rule="Five ratios of mean times. ORDER, without substitution: best unequal odds ÷ equal odds. ORDER and MAJORITY: "
    "without substitution ÷ with a third of it, at equal odds and at the best odds of each. The best odds are chosen "
    "on the first half of the runs, the ratios measured on the second. A part holds if the 95 % interval of its ratio "
    f"lies below 1 and fails if it lies above. Of the five: {SEVERAL_RULE}",
    changes=(
        Change(
            FIRST,
            "setting",
            "n = 500 and 800 runs, not 200 and 600: at n = 200 the gain was too small to tell, 0.981 [0.958, 1.003] "
            "with 2,000 runs. Shares of insertions nearer to the best one, none above a half.",
        ),
        Change(
            SECOND,
            "rule",
            "five ratios decide, where one had: the best without substitution ÷ (1, 1, 1) on ORDER. That mixed unequal "
            "odds with doing without substitution and left MAJORITY out; it had given supported.",
        ),
    ),
    cells=_cells,
    check=_check,
    figures=_figures,
)
