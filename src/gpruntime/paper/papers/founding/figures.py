"""The two figures, and the theorem that the second one is about: how often GP*-single never solves MAJORITY."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.analysis.runs import STUCK
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import FIGURE, FIRST, THEOREM, Change, CheckOfLines, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import RULE, caption_words, known_bad, known_table, small_bad, unmet
from gpruntime.paper.lines import Line, failure, majority, over_n
from gpruntime.paper.papers.founding.order_times import HELD_TO_EXACT
from gpruntime.paper.phrases import law_of, share_words
from gpruntime.paper.pictures import HEIGHT, Series, drawn, series_figure
from gpruntime.paper.rules import above, all_of, decide, high, low, misses
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import CONTRADICTED, OPEN, Numbers, Record, Verdict, record
from gpruntime.show.axes import new_figure
from gpruntime.show.drawing import Drawing
from gpruntime.show.figures import curve_figure
from gpruntime.show.style import look, styled

# ---- MAJORITY by GP-single from 2n leaves that are all x̄₁ (fig:majority_oneonegp_wc)

_BAD_TRIALS, _BARELY = 50, 1.3


class _BadStart(CheckOfLines):
    """Whether a free power of n lies just above 1."""

    def _figure_line(self, scale: Scale) -> Line:
        return over_n("figure", scale.figure, _BAD_TRIALS, problem="majority", algorithm="gp-single", init="bad")

    def lines(self, scale: Scale) -> list[Line]:
        return [self._figure_line(scale), majority(scale, init="bad"), small_bad(scale)]

    def _curve(self, evidence: Evidence) -> Curve:
        return evidence.curve(majority(evidence.scale, init="bad").specs)

    def __call__(self, evidence: Evidence) -> Verdict:
        known = known_bad(evidence.scale)
        tables = (known_table("fig-bad-init-exact", evidence, known),)
        if off := unmet(evidence, known, tables):
            return off
        curve = self._curve(evidence)
        if curve.fit is None:
            return Verdict(OPEN, curve.why_not, tables=tables)
        alpha, sizes = curve.fit.power.alpha, curve.fit.points.n
        start, end = alpha.low or 0.0, alpha.high or 0.0
        status = decide(start > 1 and end < _BARELY, end <= 1 or start >= _BARELY)
        power = f"A free power gives n^{alpha.short()} {alpha.bracket()}"
        sentence = (
            f"{power}, which is not just above 1."
            if status == CONTRADICTED
            else f"{power} for n from {sizes[0]:,.0f} to {sizes[-1]:,.0f}; the law is {law_of(curve)}, far below the "
            "worst case that cor:majority_gp_wc proves."
        )
        return Verdict(status, sentence, "α", alpha, remarks=tuple(curve.sentences()), tables=tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        return [self._paper_form(evidence), self._ours(evidence)]

    def _paper_form(self, evidence: Evidence) -> Drawing:
        times = {
            spec.n: evidence.runs[spec].evaluations[:_BAD_TRIALS].astype(float)
            for spec in self._figure_line(evidence.scale).specs
        }
        records = [
            {"n": n, "trials": len(t), "mean": float(np.mean(t)), "deviation": float(np.std(t, ddof=1))}
            for n, t in times.items()
        ]
        with styled():
            figure, (axes,) = new_figure(HEIGHT)
            axes.errorbar(
                list(times),
                [row["mean"] for row in records],
                yerr=[row["deviation"] for row in records],
                color=look(0).colour,
                marker="o",
                linestyle="none",
                elinewidth=1.0,
            )
            axes.set_xlabel("n, number of variables")
            axes.set_ylabel("fitness evaluations")
            axes.set_ylim(0, None)
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.set_title("MAJORITY, GP-single, 2n leaves x̄₁")
        caption = (
            f"The paper's form: mean and standard deviation of {_BAD_TRIALS} trials. The paper's text does not tell "
            "its sizes; these stand in for them."
        )
        return Drawing("fig-bad-init-paper", figure, caption, records)

    def _ours(self, evidence: Evidence) -> Drawing:
        """The curve with its law, and the small sizes with their exact means, which the law does not see."""
        curve, known = self._curve(evidence), known_bad(evidence.scale)
        small = tuple(evidence.cell(exact.spec) for exact in known)
        whole = dataclasses.replace(curve, cells=(*small, *curve.cells))
        drawing = curve_figure(whole, {exact.spec.n: exact.mean for exact in known})
        caption = f"Ours: {drawing.caption} {caption_words(known)}"
        return dataclasses.replace(drawing, name="fig-bad-init-ours", caption=caption)

    def news(self, evidence: Evidence, _: Verdict) -> Sequence[str]:
        curve = self._curve(evidence)
        return [f"On MAJORITY GP-single takes {law_of(curve)} evaluations from 2n leaves x̄₁."] if curve.fit else []


BAD_START = Claim(
    id="fig-bad-init",
    title="MAJORITY from 2n leaves x̄₁ takes barely more than linear time",
    kind=FIGURE,
    place="section 4.1.1, figure after cor:majority_gp_wc",
    statement="From 2n leaves that are all x̄₁ (D₁ = 2n), (1+1) GP-single solves MAJORITY in a number of evaluations "
    "that grows “just barely superlinearly” in n; mean and standard deviation of 50 trials a point.",
    rule=f"Fit c·n^α to the means. Supported if the 95 % interval of α lies between 1 and {_BARELY}; contradicted if "
    f"it lies outside; open if it straddles an end. {RULE}",
    changes=(HELD_TO_EXACT,),
    check=_BadStart(),
)


# ---- how often GP*-single never solves MAJORITY (fig:majority_oneonegpssingle, thm:majority_gpstar_single)

_TRIALS, _ERRORS = 100, 4.0
_HIGH_AT, _HIGH = 50, 0.5
_FROM, _CONSTANT = 3, 0.02
STUCK_HELD = Change(FIRST, "rule", "no verdict where P(stuck) misses its exact value, as fig-failure had it.")
_STUCK_RULE = f"No verdict where a simulated value is more than {_ERRORS:g} standard errors off an exact one."


def _stuck(evidence: Evidence, spec: RunSpec, first: int | None = None) -> Estimate:
    """P(stuck), estimated from the runs of a cell, with its exact interval."""
    outcome = evidence.runs[spec].outcome[:first]
    return proportion(int((outcome == STUCK).sum()), len(outcome))


@cache
def _exactly_stuck(spec: RunSpec) -> float | None:
    stuck = solve(spec).stuck
    return None if stuck is None else float(stuck)


class _Stuck(CheckOfLines):
    """P(stuck) over n, held to its exact values where they are solved."""

    name, caption, first = "", "", 0

    def lines(self, scale: Scale) -> list[Line]:
        return [failure(scale)]

    def _shares(self, evidence: Evidence) -> dict[int, Estimate]:
        return {s.n: _stuck(evidence, s) for s in failure(evidence.scale).specs if s.n >= self.first}

    def _exact(self, scale: Scale) -> dict[int, float]:
        solved = {spec.n: _exactly_stuck(spec) for spec in failure(scale).specs if spec.n <= scale.exact_failure}
        return {n: stuck for n, stuck in solved.items() if stuck is not None}

    def _records(self, evidence: Evidence) -> list[Record]:
        exact = self._exact(evidence.scale)
        return [record("p_stuck", n=n, p_stuck=s, exact=exact.get(n)) for n, s in self._shares(evidence).items()]

    def __call__(self, evidence: Evidence) -> Verdict:
        exact = self._exact(evidence.scale)
        tables = (Numbers(f"{self.name}-numbers", self.caption, self._records(evidence)),)
        for spec in failure(evidence.scale).specs:
            share, value = _stuck(evidence, spec), exact.get(spec.n)
            if value is not None and misses(share, value, len(evidence.runs[spec]), _ERRORS):
                off = f"the simulated P(stuck) {share.short()} is not the exact {value:.4f}: no verdict."
                return Verdict(OPEN, f"At n = {spec.n} {off}", f"P(stuck), n = {spec.n}", share, tables=tables)
        return self._judged(self._shares(evidence), exact, tables)

    def _judged(self, shares: dict[int, Estimate], exact: dict[int, float], tables: tuple[Numbers, ...]) -> Verdict:
        raise NotImplementedError


class _HighAndRising(_Stuck):
    """Whether P(stuck) is high at some n, and never falls."""

    name, caption = "fig-failure", "P(stuck): simulated, and exact where it is solved"

    def _figure_line(self, scale: Scale) -> Line:
        return over_n("figure", scale.figure, _TRIALS, problem="majority", algorithm="gpstar-single")

    def lines(self, scale: Scale) -> list[Line]:
        return [self._figure_line(scale), failure(scale)]

    def _records(self, evidence: Evidence) -> list[Record]:
        runs = {spec.n: len(evidence.runs[spec]) for spec in failure(evidence.scale).specs}
        return [{"n": row["n"], "runs": runs[row["n"]], **row} for row in super()._records(evidence)]

    def _judged(self, shares: dict[int, Estimate], exact: dict[int, float], tables: tuple[Numbers, ...]) -> Verdict:
        sizes, there = sorted(shares), shares[_HIGH_AT]
        falls = [(a, b) for a, b in pairwise(sizes) if high(shares[b]) < low(shares[a])]
        status = all_of([above(there, _HIGH), decide(not falls, bool(falls))])
        how = f"; it falls between n = {falls[0][0]} and {falls[0][1]}" if falls else ", never falling"
        values = ", ".join(f"{value:.4f} at n = {n}" for n, value in exact.items() if n >= _FROM)
        sentence = (
            f"P(stuck) is {share_words(there)} at n = {_HIGH_AT} and {share_words(shares[sizes[-1]])} at n = "
            f"{sizes[-1]:,}{how}; exact: {values}."
        )
        return Verdict(status, sentence, f"P(stuck), n = {_HIGH_AT}", there, tables=tables)

    def figures(self, evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:
        chosen = self._figure_line(evidence.scale).specs
        bare = [Estimate(_stuck(evidence, spec, _TRIALS).value) for spec in chosen]
        records, title = verdict.tables[0].records, "MAJORITY, GP*-single, unity expectation"
        return [
            series_figure(
                "fig-failure-paper",
                [Series("", [spec.n for spec in chosen], bare, line=False)],
                title=title,
                ylabel="probability of failing",
                caption=f"The paper's form: the share of {_TRIALS} simulations that never reach the optimum. The "
                "paper's text does not tell its sizes; these stand in for them.",
                logx=False,
                logy=False,
                ylim=(0, 1.02),
            ),
            series_figure(
                "fig-failure-ours",
                [drawn(records, "p_stuck", "simulated, 95 % interval"), drawn(records, "exact", "exact", rings=True)],
                title=title,
                ylabel="P(stuck for ever)",
                caption=f"Ours: {evidence.scale.failure_runs:,} runs a point, each proved to be stuck and not timed "
                "out, with exact intervals; rings are exact values from the Markov chain.",
                logy=False,
                ylim=(0, 1.02),
            ),
        ]

    def news(self, _: Evidence, verdict: Verdict) -> Sequence[str]:
        exact = [f"{r['exact']:.4f} (n = {r['n']})" for r in verdict.tables[0].records if r["exact"] is not None]
        of = "P(stuck) of GP*-single on MAJORITY under unity expectation, exactly"
        return [f"{of}: {formatting.listing(exact)}."] if exact else []


class _Constant(_Stuck):
    """Whether P(stuck) is above a constant at every n, and does not fall in the end."""

    name, caption, first = "thm-majority-gpstar-single", "P(stuck) under unity expectation", _FROM

    def _judged(self, shares: dict[int, Estimate], exact: dict[int, float], tables: tuple[Numbers, ...]) -> Verdict:
        sizes = sorted(shares)
        middle, last = shares[sizes[len(sizes) // 2]], shares[sizes[-1]]
        least = min(shares.values(), key=lambda share: share.value or 0.0)
        falls = high(last) < low(middle)
        status = all_of([*(above(share, _CONSTANT) for share in shares.values()), decide(not falls, falls)])
        sentence = (
            f"P(stuck) falls to {share_words(last)} at n = {sizes[-1]:,}."
            if falls
            else f"P(stuck) is at least {share_words(least)} for n from {_FROM} to {sizes[-1]:,} and rises to "
            f"{share_words(last)}; so E[time] is infinite, as the corollary says. Simulation cannot show it for all n."
        )
        remark = "Exact: " + ", ".join(f"{value:.6f} at n = {n}" for n, value in exact.items()) + "."
        return Verdict(status, sentence, f"least P(stuck), n ≥ {_FROM}", least, (remark,), tables)


FAILURE = Claim(
    id="fig-failure",
    title="How often GP*-single never solves MAJORITY",
    kind=FIGURE,
    place="section 4.2.2, last figure",
    statement="Under unity expectation (1+1) GP*-single fails to reach MAJORITY's optimum with a probability that is "
    "“actually quite high”; 100 simulations a point.",
    rule=f"Supported if P(stuck) at n = {_HIGH_AT} has a 95 % interval above {_HIGH} and no two neighbouring sizes "
    "show a fall (disjoint intervals); contradicted if that interval lies below, or P(stuck) falls. "
    f"{_STUCK_RULE}",
    check=_HighAndRising(),
)
CONSTANT_FAILURE = Claim(
    id="thm:majority_gpstar_single",
    title="GP*-single fails on MAJORITY with constant probability",
    kind=THEOREM,
    place="section 4.2.2, theorem, with its corollary",
    statement="Under unity expectation the time of GP*-single on MAJORITY is infinite with probability Ω(1), so its "
    "expectation is infinite.",
    rule=f"Supported if at every n ≥ {_FROM} the 95 % interval of P(stuck) lies above {_CONSTANT} and the one at the "
    "largest n not below the one in the middle; contradicted if P(stuck) falls so or lies below; open otherwise. Stuck "
    f"is proved, not timed out. {_STUCK_RULE} The figure is that of fig-failure.",
    changes=(STUCK_HELD,),
    check=_Constant(),
)
