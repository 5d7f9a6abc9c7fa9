"""Figure: how often GP*-single never solves MAJORITY (fig:majority_oneonegpssingle)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.analysis.runs import STUCK
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import FIGURE, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, exactly, series_figure
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, failure_specs, specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

TRIALS = 100
_HIGH_AT, _HIGH = 50, 0.5
_ERRORS = 4.0  # standard errors by which an estimate may be off its exact value

STUCK_RULE = f"No verdict where a simulated value is more than {_ERRORS:g} standard errors off an exact one."


def _cells(scale: Scale) -> Sequence[Asked]:
    figure = asked(specs("majority", "gpstar-single", scale.figure), TRIALS)
    return [*figure, *asked(failure_specs(scale), scale.failure_runs)]


def stuck_share(evidence: Evidence, spec: RunSpec, first: int | None = None) -> Estimate:
    """P(stuck), estimated from the runs of a cell, with Wilson's interval."""
    outcome = evidence.runs[spec].outcome[:first]
    return proportion(int((outcome == STUCK).sum()), len(outcome))


def exact_stuck(scale: Scale) -> dict[int, float]:
    """P(stuck) for the sizes that are solved exactly."""
    found = {spec.n: solve(spec).stuck for spec in failure_specs(scale) if spec.n <= scale.exact_failure}
    return {n: float(stuck) for n, stuck in found.items() if stuck is not None}


def unmet_stuck(evidence: Evidence, exact: dict[int, float], tables: tuple[Numbers, ...]) -> Verdict | None:
    """No verdict, if a simulated P(stuck) misses its exact value; None if all meet theirs."""
    for spec in failure_specs(evidence.scale):
        if (value := exact.get(spec.n)) is None:
            continue
        share, runs = stuck_share(evidence, spec), len(evidence.runs[spec].outcome)
        if abs((share.value or 0.0) - value) > _ERRORS * (value * (1 - value) / runs) ** 0.5:
            off = f"At n = {spec.n} the simulated P(stuck) {share.short()} is not the exact {value:.4f}: no verdict."
            return Verdict(OPEN, off, f"P(stuck), n = {spec.n}", share, tables=tables)
    return None


def _check(evidence: Evidence) -> Verdict:
    scale = evidence.scale
    shares = {spec.n: stuck_share(evidence, spec) for spec in failure_specs(scale)}
    exact = exact_stuck(scale)
    records = [
        {
            "n": n,
            "runs": len(evidence.runs[spec].outcome),
            "p_stuck": shares[n].value,
            "low": shares[n].low,
            "high": shares[n].high,
            "exact": exact.get(n),
        }
        for spec in failure_specs(scale)
        for n in [spec.n]
    ]
    tables = (Numbers("fig-failure-numbers", "P(stuck): simulated, and exact where it is solved", records),)
    if off := unmet_stuck(evidence, exact, tables):
        return off
    sizes = sorted(shares)
    falls = [(a, b) for a, b in pairwise(sizes) if (shares[b].high or 1.0) < (shares[a].low or 0.0)]
    there = shares[_HIGH_AT]
    status = OPEN
    if (there.low or 0.0) > _HIGH and not falls:
        status = SUPPORTED
    elif (there.high or 0.0) <= _HIGH or falls:
        status = CONTRADICTED
    last = shares[sizes[-1]]
    known = ", ".join(f"{value:.4f} at n = {n}" for n, value in exact.items() if n >= 3)
    sentence = (
        f"P(stuck) is {share_words(there)} at n = {_HIGH_AT} and {share_words(last)} at n = {sizes[-1]:,}"
        f"{', never falling' if not falls else f'; it falls between n = {falls[0][0]} and {falls[0][1]}'}; "
        f"exact: {known}."
    )
    return Verdict(status, sentence, f"P(stuck), n = {_HIGH_AT}", there, tables=tables)


def _figures(evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    scale = evidence.scale
    chosen = specs("majority", "gpstar-single", scale.figure)
    trials = [stuck_share(evidence, spec, TRIALS) for spec in chosen]
    bare = [Estimate(estimate.value) for estimate in trials]
    paper = series_figure(
        "fig-failure-paper",
        [Series("", [spec.n for spec in chosen], bare, line=False)],
        title="MAJORITY, GP*-single, unity expectation",
        ylabel="probability of failing",
        caption=f"The paper's form: the share of {TRIALS} simulations that never reach the optimum. The paper's text "
        "does not tell its sizes; these stand in for them.",
        logx=False,
        logy=False,
        ylim=(0, 1.02),
    )
    records = verdict.tables[0].records
    ours = [
        Series(
            "simulated, 95 % interval",
            [r["n"] for r in records],
            [Estimate(r["p_stuck"], r["low"], r["high"]) for r in records],
        ),
        Series(
            "exact",
            [r["n"] for r in records if r["exact"] is not None],
            [exactly(r["exact"]) for r in records if r["exact"] is not None],
            line=False,
            hollow=True,
        ),
    ]
    return [
        paper,
        series_figure(
            "fig-failure-ours",
            ours,
            title="MAJORITY, GP*-single, unity expectation",
            ylabel="P(stuck for ever)",
            caption=f"Ours: {scale.failure_runs:,} runs a point, each proved to be stuck and not timed out, with "
            "Wilson's intervals; rings are exact values from the Markov chain.",
            logy=False,
            ylim=(0, 1.02),
        ),
    ]


def _news(_: Evidence, verdict: Verdict) -> Sequence[str]:
    exact = [f"{r['exact']:.4f} (n = {r['n']})" for r in verdict.tables[0].records if r["exact"] is not None]
    told = "P(stuck) of GP*-single on MAJORITY under unity expectation, exactly"
    return [f"{told}: {formatting.listing(exact)}."] if exact else []


CLAIM = Claim(
    id="fig-failure",
    title="How often GP*-single never solves MAJORITY",
    kind=FIGURE,
    place="section 4.2.2, last figure",
    statement="Under unity expectation (1+1) GP*-single fails to reach MAJORITY's optimum with a probability that is "
    "“actually quite high”; 100 simulations a point.",
    rule=f"Supported if P(stuck) at n = {_HIGH_AT} has a 95 % interval above {_HIGH} and no two neighbouring sizes "
    "show a fall (disjoint intervals); contradicted if that interval lies below, or P(stuck) falls. "
    f"{STUCK_RULE}",
    cells=_cells,
    check=_check,
    figures=_figures,
    news=_news,
)
