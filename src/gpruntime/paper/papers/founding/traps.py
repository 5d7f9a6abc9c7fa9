"""MAJORITY from T_lopt: GP*-single never ends, GP*-multi takes exponentially long (section 4.1.2)."""

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
from gpruntime.paper.claim import FIRST, THEOREM, Change, CheckOfLines, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import RULE, solved, unmet
from gpruntime.paper.lines import Line, over_n, trap
from gpruntime.paper.phrases import stated
from gpruntime.paper.pictures import drawn, series_figure
from gpruntime.paper.rules import decide
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import CONTRADICTED, Numbers, Record, Verdict, record
from gpruntime.show.drawing import Drawing

# ---- one operation

_SIZES, _EXACT = (2, 3, 5, 10, 100, 1000), (1, 2, 3, 4)


def _from_tlopt(sizes: Sequence[int], runs: int) -> Line:
    return over_n("T_lopt", sizes, runs, problem="majority", algorithm="gpstar-single", init="tlopt")


class _NeverEnds(CheckOfLines):
    """Whether all runs are stuck, and P(stuck) = 1 where it is solved."""

    def lines(self, scale: Scale) -> list[Line]:
        return [_from_tlopt([n for n in _SIZES if scale.name != "tiny" or n <= 10], scale.runs)]

    def __call__(self, evidence: Evidence) -> Verdict:
        records: list[Record] = []
        for spec in self.lines(evidence.scale)[0].specs:
            outcome = evidence.runs[spec].outcome
            stuck = int((outcome == STUCK).sum())
            records.append({"n": spec.n, "runs": len(outcome), "stuck": stuck, "exact_p_stuck": None})
        total, stuck, last = sum(row["runs"] for row in records), sum(row["stuck"] for row in records), records[-1]["n"]
        exact = {
            spec.n: Fraction(solve(spec, rational=True).stuck_at_least)  # nothing is lost
            for spec in _from_tlopt(_EXACT, 0).specs
        }
        records += [{"n": n, "runs": 0, "stuck": 0, "exact_p_stuck": float(value)} for n, value in exact.items()]
        headings = {"stuck": "runs stuck", "exact_p_stuck": "P(stuck), exact"}
        tables = (Numbers("thm-majority-gpstar-single-wc-numbers", "runs that are stuck, proved", records, headings),)
        whole = stuck == total and all(value == 1 for n, value in exact.items() if n >= 2)
        sentence = (
            f"All {total:,} runs from T_lopt (n = {_SIZES[0]} … {last:,}) are stuck, by proof and not by a timeout, "
            f"and the Markov chain gives P(stuck) = 1 exactly for n = {', '.join(str(n) for n in _EXACT if n >= 2)}."
            if whole
            else f"{total - stuck:,} of {total:,} runs from T_lopt are not stuck."
        )
        remark = (
            "The edge: with n = 1, T_lopt is two leaves x̄₁, a deficit of 2, and one substitution ends it: P(stuck) = "
            f"{exact[1]}. The proof needs n + 1 > 2."
        )
        return Verdict(decide(whole, True), sentence, "P(stuck)", proportion(stuck, total), (remark,), tables)


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
    check=_NeverEnds(),
)


# ---- many operations

TRAP_HELD = Change(
    FIRST,
    "rule",
    "no verdict where a mean is five standard errors off its exact value; before, twice beyond its interval.",
)
TRAP_RUNS = Change(FIRST, "setting", "100 runs a size from T_lopt, not 200, to save time.")


def proved_mean(n: int) -> float:
    """The proof's explicit lower bound on E[time]: 1 ÷ P(1 + Pois(1) ≥ ⌈(n+1)/2⌉)."""
    needed = math.ceil((n + 1) / 2) - 1
    return 1 / (1 - sum(math.exp(-1) / math.factorial(i) for i in range(needed)))


def asymptote(n: int) -> float:
    """(n/2e)^(n/2)."""
    return math.exp(n / 2 * math.log(n / (2 * math.e)))


def _factor(a: Mapping[str, Any], b: Mapping[str, Any]) -> Estimate:
    """How many times as large the mean is from one size to the next; without intervals where all runs are alike."""
    (low, value, high), (low_a, value_a, high_a) = ((row["low"], row["mean"], row["high"]) for row in (b, a))
    return Estimate(value / value_a, (low or value) / (high_a or value_a), (high or value) / (low_a or value_a))


def _but_lost(records: Sequence[Record]) -> str:
    """Of which runs the exact means are: of all that the chain does not lose."""
    lost = max((row["lost_runs"] for row in records if row["lost_runs"]), default=0.0)
    return f", of all runs but a share of {formatting.number(lost, digits=2)}" if lost else ""


class _TakesLong(CheckOfLines):
    """Whether the mean lies above the proof's bound, and grows by more than (n/2e)^(n/2) does."""

    bound = "n_over_2e_to_the_n_half"

    lines = staticmethod(lambda scale: [trap(scale)])

    def __call__(self, evidence: Evidence) -> Verdict:
        scale, specs = evidence.scale, trap(evidence.scale).specs
        known = {spec.n: solved(spec, scale.exact_states) for spec in specs if spec.n <= scale.exact_trap}
        records = [
            record(
                "mean",
                n=spec.n,
                runs=evidence.cell(spec).runs,
                mean=evidence.cell(spec).mean,
                exact=known[spec.n].mean if spec.n in known else None,
                lost_runs=known[spec.n].lost if spec.n in known else None,
                proved=proved_mean(spec.n),
                n_over_2e_to_the_n_half=asymptote(spec.n),
            )
            for spec in specs
        ]
        headings = {"proved": "1 ÷ P(enough operations), proved", self.bound: "(n/2e)^(n/2)"}
        caption = "evaluations of GP*-multi from T_lopt"
        tables = (Numbers("thm-majority-gpstar-multi-wc-numbers", caption, records, headings),)
        if off := unmet(evidence, known.values(), tables):
            return off
        below = [row for row in records if (row["high"] or row["mean"]) < row["proved"]]
        steps = [(_factor(a, b), b[self.bound] / a[self.bound]) for a, b in pairwise(records)]
        slower = any((factor.high or 0.0) < needed for factor, needed in steps)
        faster = bool(steps) and all((factor.low or 0.0) > needed for factor, needed in steps)
        before, last = records[-2:]
        factor, needed = steps[-1]
        sentence = (
            f"From n = {before['n']} to {last['n']} the mean grows by a factor of {stated(factor)}, where (n/2e)^(n/2) "
            f"grows by {needed:.2f}; exact means from n = 2 on{_but_lost(records)}: "
            f"{', '.join(f'{exact.mean:,.2f}' for exact in known.values())}."
        )
        remark = (
            "The bound is very weak, as the proof says: (n/2e)^(n/2) is below 1 up to n = 5, and the explicit bound "
            f"1/P(enough operations) is {last['proved']:.1f} at n = {last['n']}, where "
            f"{stated(Estimate(last['mean'], last['low'], last['high']))} evaluations are needed."
        )
        status = CONTRADICTED if below or slower else decide(faster, False)
        return Verdict(status, sentence, f"growth, n = {before['n']} to {last['n']}", factor, (remark,), tables)

    def figures(self, _: Evidence, verdict: Verdict) -> Sequence[Drawing]:
        records = verdict.tables[0].records
        figure = series_figure(
            "thm-majority-gpstar-multi-wc",
            [
                drawn(records, "mean", "simulated, 95 % interval"),
                drawn(records, "proved", "1 ÷ P(enough operations), proved", exact=True),
                drawn(records, self.bound, "$(n/2e)^{n/2}$", exact=True),
                drawn(records, "exact", "exact", rings=True),
            ],
            title="MAJORITY, GP*-multi from T_lopt",
            ylabel="evaluations",
            logx=False,
            caption="The mean time and the paper's lower bounds. Rings are exact values from the Markov chain"
            f"{_but_lost(records)}.",
        )
        return [figure]

    def news(self, _: Evidence, verdict: Verdict) -> Sequence[str]:
        records = verdict.tables[0].records
        exact = [f"{row['exact']:,.2f} (n = {row['n']})" for row in records if row["exact"]]
        of = f"Mean evaluations of GP*-multi on MAJORITY from T_lopt{_but_lost(records)}, exactly"
        return [f"{of}: {formatting.listing(exact)}."] if exact else []


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
    check=_TakesLong(),
)
