"""MAJORITY from T_lopt: GP*-single never ends, GP*-multi takes exponentially long."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.analysis.runs import STUCK
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.changes import TRAP_HELD, TRAP_RUNS
from gpruntime.paper.claim import THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import RULE, solved, unmet
from gpruntime.paper.pictures import Series, exactly, series_figure
from gpruntime.paper.rules import said
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, specs, trap_specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_SIZES = (2, 3, 5, 10, 100, 1000)
_EXACT = (1, 2, 3, 4)


def _single(scale: Scale) -> list[RunSpec]:
    return specs("majority", "gpstar-single", [n for n in _SIZES if scale.name != "tiny" or n <= 10], "tlopt")


def _single_cells(scale: Scale) -> Sequence[Asked]:
    return asked(_single(scale), scale.runs)


def _single_check(evidence: Evidence) -> Verdict:
    rows: list[dict[str, Any]] = []
    total = stuck = 0
    for spec in _single(evidence.scale):
        outcome = evidence.runs[spec].outcome
        count = int((outcome == STUCK).sum())
        rows.append({"n": spec.n, "runs": len(outcome), "stuck": count, "exact_p_stuck": None})
        total, stuck = total + len(outcome), stuck + count
    solutions = {n: solve(specs("majority", "gpstar-single", [n], "tlopt")[0], rational=True) for n in _EXACT}
    exact = {n: Fraction(solution.stuck_at_least) for n, solution in solutions.items()}  # nothing is lost
    rows += [{"n": n, "runs": 0, "stuck": 0, "exact_p_stuck": float(value)} for n, value in exact.items()]
    share = proportion(stuck, total)
    tables = (Numbers("thm-majority-gpstar-single-wc-numbers", "runs that are stuck, proved", rows),)
    whole = stuck == total and all(value == 1 for n, value in exact.items() if n >= 2)
    status = SUPPORTED if whole else CONTRADICTED
    sentence = (
        f"All {total:,} runs from T_lopt (n = {_SIZES[0]} … {rows[len(_single(evidence.scale)) - 1]['n']:,}) are "
        "stuck, by proof and not by a timeout, and the Markov chain gives P(stuck) = 1 exactly for n = "
        f"{', '.join(str(n) for n in _EXACT if n >= 2)}."
        if whole
        else f"{total - stuck:,} of {total:,} runs from T_lopt are not stuck."
    )
    remark = (
        "The edge: with n = 1, T_lopt is two leaves x̄₁, a deficit of 2, and one substitution ends it: P(stuck) = "
        f"{exact[1]}. The proof needs n + 1 > 2."
    )
    return Verdict(status, sentence, "P(stuck)", share, (remark,), tables)


def _no_figures(_: Evidence, __: Verdict) -> Sequence[Drawing]:
    return []


SINGLE = Claim(
    id="thm:majority_gpstar_single_wc",
    title="From T_lopt GP*-single never solves MAJORITY",
    kind=THEOREM,
    place="section 4.1.2, theorem",
    statement="From T_lopt (x₁ … x_{n−1} and n + 1 leaves x̄_n) the expected time of GP*-single on MAJORITY is "
    "infinite.",
    rule="Supported if every run from T_lopt with n ≥ 2 ends as stuck, which is proved and not timed out, and the "
    "exact P(stuck) is 1; contradicted by a single run that is not.",
    slip="Holds from n = 2 on.",
    cells=_single_cells,
    check=_single_check,
    figures=_no_figures,
)


# ---- many operations


def proved_mean(n: int) -> float:
    """The proof's explicit lower bound on E[time]: 1 ÷ P(1 + Pois(1) ≥ ⌈(n+1)/2⌉)."""
    needed = math.ceil((n + 1) / 2) - 1
    below = sum(math.exp(-1) / math.factorial(i) for i in range(needed))
    return 1 / (1 - below)


def asymptote(n: int) -> float:
    """(n/2e)^(n/2)."""
    return math.exp(n / 2 * math.log(n / (2 * math.e)))


def _multi_cells(scale: Scale) -> Sequence[Asked]:
    return asked(trap_specs(scale), scale.trap_runs)


def _factor(a: dict[str, Any], b: dict[str, Any]) -> Estimate:
    """How many times as large the mean is from one size to the next; without intervals where all runs are alike."""
    (low, value, high), (low_a, value_a, high_a) = ((row["low"], row["mean"], row["high"]) for row in (b, a))
    return Estimate(value / value_a, (low or value) / (high_a or value_a), (high or value) / (low_a or value_a))


def _multi_check(evidence: Evidence) -> Verdict:
    scale = evidence.scale
    known = {s.n: solved(s, scale.exact_states) for s in trap_specs(scale) if s.n <= scale.exact_trap}
    rows: list[dict[str, Any]] = []
    for spec in trap_specs(scale):
        estimate = evidence.cell(spec).mean
        rows.append(
            {
                "n": spec.n,
                "runs": evidence.cell(spec).runs,
                "mean": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "exact": known[spec.n].mean if spec.n in known else None,
                "lost_runs": known[spec.n].lost if spec.n in known else None,
                "proved": proved_mean(spec.n),
                "n_over_2e_to_the_n_half": asymptote(spec.n),
            }
        )
    tables = (Numbers("thm-majority-gpstar-multi-wc-numbers", "evaluations of GP*-multi from T_lopt", rows),)
    if off := unmet(evidence, known.values(), tables):
        return off
    below = [row for row in rows if (row["high"] or row["mean"]) < row["proved"]]
    steps = [(_factor(a, b), b["n_over_2e_to_the_n_half"] / a["n_over_2e_to_the_n_half"]) for a, b in pairwise(rows)]
    slower = [found for found, needed in steps if (found.high or 0.0) < needed]
    faster = [found for found, needed in steps if (found.low or 0.0) > needed]
    status = CONTRADICTED if below or slower else SUPPORTED if len(faster) == len(steps) > 0 else OPEN
    last, before = rows[-1], rows[-2]
    factor = _factor(before, last)
    needs = last["n_over_2e_to_the_n_half"] / before["n_over_2e_to_the_n_half"]
    exact = ", ".join(f"{one.mean:,.2f}" for one in known.values())
    sentence = (
        f"From n = {before['n']} to {last['n']} the mean grows by a factor of {said(factor)}, "
        f"where (n/2e)^(n/2) grows by {needs:.2f}; exact means from n = 2 on{_but_lost(rows)}: {exact}."
    )
    remarks = (
        (
            "The bound is very weak, as the proof says: (n/2e)^(n/2) is below 1 up to n = 5, and the explicit bound "
            f"1/P(enough operations) is {last['proved']:.1f} at n = {last['n']}, where "
            f"{said(Estimate(last['mean'], last['low'], last['high']))} evaluations are needed."
        ),
    )
    return Verdict(status, sentence, f"growth, n = {before['n']} to {last['n']}", factor, remarks, tables)


def _but_lost(rows: Sequence[Mapping[str, Any]]) -> str:
    """Of which runs the exact means are: of all that the chain does not lose."""
    lost = max((row["lost_runs"] for row in rows if row["lost_runs"]), default=0.0)
    return f", of all runs but a share of {formatting.number(lost, digits=2)}" if lost else ""


def _multi_figures(_: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    rows = verdict.tables[0].records
    sizes = [row["n"] for row in rows]
    exact = [row for row in rows if row["exact"]]
    series = [
        Series("simulated, 95 % interval", sizes, [Estimate(r["mean"], r["low"], r["high"]) for r in rows]),
        Series("1 ÷ P(enough operations), proved", sizes, [exactly(r["proved"]) for r in rows]),
        Series("$(n/2e)^{n/2}$", sizes, [exactly(r["n_over_2e_to_the_n_half"]) for r in rows]),
        Series("exact", [r["n"] for r in exact], [exactly(r["exact"]) for r in exact], line=False, hollow=True),
    ]
    return [
        series_figure(
            "thm-majority-gpstar-multi-wc",
            series,
            title="MAJORITY, GP*-multi from T_lopt",
            ylabel="evaluations",
            logx=False,
            caption="The mean time and the paper's lower bounds. Rings are exact values from the Markov chain"
            f"{_but_lost(rows)}.",
        )
    ]


def _multi_news(_: Evidence, verdict: Verdict) -> Sequence[str]:
    exact = [f"{r['exact']:,.2f} (n = {r['n']})" for r in verdict.tables[0].records if r["exact"]]
    told = f"Mean evaluations of GP*-multi on MAJORITY from T_lopt{_but_lost(verdict.tables[0].records)}, exactly"
    return [f"{told}: {formatting.listing(exact)}."] if exact else []


MULTI = Claim(
    id="thm:majority_gpstar_multi_wc",
    title="From T_lopt GP*-multi takes exponential time",
    kind=THEOREM,
    place="section 4.1.2, theorem",
    statement="From T_lopt the expected time of GP*-multi on MAJORITY is Ω((n/2e)^(n/2)).",
    rule="Contradicted if a mean lies below the proof's explicit bound 1/P(1 + Pois(1) ≥ ⌈(n+1)/2⌉), or grows from one "
    "n to the next by less than (n/2e)^(n/2) does; supported if every such step is larger (95 % intervals); open "
    f"otherwise. {RULE}",
    changes=(TRAP_RUNS, TRAP_HELD),
    cells=_multi_cells,
    check=_multi_check,
    figures=_multi_figures,
    news=_multi_news,
)
