"""MAJORITY: accepting neutral moves wins very handily (section 5.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.analysis.runs import OPTIMUM
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.paper.changes import SECOND
from gpruntime.paper.claim import DISCUSSION, Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import percent, said, with_ends
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_TWO = ("gp-single", "gpstar-single")


def sizes_of(scale: Scale) -> list[int]:
    """Sizes at which both are run."""
    return [n for n in scale.majority if n <= 1500]


def _cells(scale: Scale) -> Sequence[Asked]:
    return [one for a in _TWO for one in asked(specs("majority", a, sizes_of(scale)), scale.failure_runs)]


def _check(evidence: Evidence) -> Verdict:
    rows: list[dict[str, Any]] = []
    for algorithm in _TWO:
        for spec in specs("majority", algorithm, sizes_of(evidence.scale)):
            cell = evidence.cell(spec)
            rows.append(
                {
                    "algorithm": spec.algorithm_.name,
                    "n": spec.n,
                    "runs": cell.runs,
                    "p_optimum": cell.chance.value,
                    "low": cell.chance.low,
                    "high": cell.chance.high,
                    **with_ends("mean_given_optimum", cell.given_optimum),
                    **with_ends("evaluations_per_success", cell.expected_running_time),
                }
            )
    tables = (Numbers("disc-majority-neutral-numbers", "success and time, side by side", rows),)
    n = sizes_of(evidence.scale)[-1]
    chances = []
    for algorithm in _TWO:
        outcome = evidence.runs[specs("majority", algorithm, [n])[0]].outcome
        chances.append(proportion(int((outcome == OPTIMUM).sum()), len(outcome)))
    neutral, strict = chances
    all_end = all(row["p_optimum"] == 1 for row in rows if row["algorithm"] == ALGORITHMS["gp-single"].name)
    status = OPEN
    if all_end and (strict.high or 1.0) < (neutral.low or 0.0):
        status = SUPPORTED
    elif (strict.low or 0.0) > (neutral.high or 1.0):
        status = CONTRADICTED
    sentence = (
        f"At n = {n:,} GP-single reaches the optimum in {percent(neutral)} of the runs and GP*-single in "
        f"{percent(strict)}"
    )
    sentence += ": the mean time is finite against infinite." if status == SUPPORTED else "."
    first = sizes_of(evidence.scale)[0]
    times = [evidence.cell(specs("majority", algorithm, [first])[0]).given_optimum for algorithm in _TWO]
    remarks: tuple[str, ...] = ()
    if (times[1].low or 0.0) > (times[0].high or math.inf):
        runs = next(row["runs"] for row in rows if row["n"] == first)
        remark = (
            f"Where GP*-single succeeds it is not faster either: at n = {first} successful runs take {said(times[1])} "
            f"evaluations on average, against {said(times[0])} with neutral moves ({runs:,} runs of each)."
        )
        remarks = (remark,)
    return Verdict(status, sentence, f"P(optimum) of GP*, n = {n:,}", strict, remarks, tables)


def _figures(_: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    rows = verdict.tables[0].records
    names = [ALGORITHMS[a].name for a in _TWO]
    chance = [
        Series(
            name,
            [r["n"] for r in rows if r["algorithm"] == name],
            [Estimate(r["p_optimum"], r["low"], r["high"]) for r in rows if r["algorithm"] == name],
        )
        for name in names
    ]
    cost = [
        Series(
            name,
            [r["n"] for r in rows if r["algorithm"] == name and r["evaluations_per_success"]],
            [
                Estimate(*(r[f"evaluations_per_success{end}"] for end in ("", "_low", "_high")))
                for r in rows
                if r["algorithm"] == name and r["evaluations_per_success"]
            ],
        )
        for name in names
    ]
    missing = [r["n"] for r in rows if not r["evaluations_per_success"]]
    without = f" No point at n = {formatting.sizes(missing)}, where no run succeeded." if missing else ""
    return [
        series_figure(
            "disc-majority-neutral-chance",
            chance,
            title="MAJORITY, unity expectation: success",
            ylabel="P(optimum)",
            logy=False,
            ylim=(-0.03, 1.03),
            caption="The probability of reaching the optimum, with Wilson's intervals.",
        ),
        series_figure(
            "disc-majority-neutral-cost",
            cost,
            title="MAJORITY, unity expectation: cost of a success",
            ylabel="evaluations ÷ successes",
            caption="All evaluations spent, until the optimum or until stuck, divided by the successes, with 95 % "
            f"intervals: what restarting until the optimum would cost.{without}",
        ),
    ]


CLAIM = Claim(
    id="disc:majority-neutral",
    title="On MAJORITY it is better to accept neutral moves",
    kind=DISCUSSION,
    place="section 5.1",
    statement="On MAJORITY accepting neutral moves “very handily beats” not accepting them in expected optimisation "
    "time.",
    rule="Supported if every run of GP-single reaches the optimum and at the largest n its success probability has a "
    "95 % interval above that of GP*-single (a stuck run makes the mean infinite); contradicted if it is the other way "
    "round; open otherwise.",
    changes=(
        Change(
            SECOND,
            "setting",
            "2,000 runs a size, not 200: as many as fig-failure has, whose cells it shares, since times vary much.",
        ),
    ),
    cells=_cells,
    check=_check,
    figures=_figures,
)
