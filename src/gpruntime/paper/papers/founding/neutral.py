"""Section 5.1: does it help to reject neutral moves? On ORDER the paper compared upper bounds; here are the times.

Why neutral acceptance wins on ORDER. A variable that is not expressed is *absent*, or *blocked* by an x̄_i in front. An
absent one is expressed by inserting x_i anywhere, a blocked one by inserting x_i in front of its first x̄_i,
for which few of the 2(2T − 1) places will do, or, if some x_i waits behind, by deleting or substituting the
x̄_i. Neutral moves prepare these easier ways: they put x_i behind the block, and they take the block away.
Strict acceptance can prepare nothing and has to hit the front of the tree. `ways` counts how late improvements
come about.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.compare import Comparison, compare
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import NOTHING, Estimate, proportion, ratio_of_sums
from gpruntime.engine import WatchedRun, run_many
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.mutation import INSERT
from gpruntime.model.problems.order import ORDER
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.paper.claim import DISCUSSION, FIRST, SECOND, Change, Check, CheckOfLines, Claim, Request
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    RULE,
    Known,
    caption_words,
    known_order,
    known_table,
    small_order,
    small_order_requests,
    unmet,
)
from gpruntime.paper.lines import Line, order, over_n, requests_of
from gpruntime.paper.papers.founding.order_times import (
    HELD_TO_EXACT,
    POWER,
    STRICT_RUNS,
    leaves_per_variable,
    power_of,
)
from gpruntime.paper.phrases import law_of, percent, stated
from gpruntime.paper.pictures import Guide, Series, drawn_by, exact_series, power_guide, series_figure
from gpruntime.paper.rules import apart, decide, low
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import SUPPORTED, Layout, Numbers, Record, Verdict, record
from gpruntime.show.drawing import Drawing

_GP, _STRICT = _TWO = ("gp-single", "gpstar-single")
_NAMES = [ALGORITHMS[algorithm].name for algorithm in _TWO]

# ---- ORDER

_LEVELS_N, _WATCHED_N = 200, 40
_FRONT, _UNCOVERED, _REPLACED, _ABSENT = _WAYS = (
    "x_i inserted in front of its first x̄_i",
    "first x̄_i deleted or substituted, x_i behind it",
    "x̄_i substituted, no x_i behind it",
    "x_i put in, neither was there",
)


@cache
def ways(algorithm: str, seed: int, runs: int) -> Counter[str]:
    """How variables are expressed in the last tenth of the fitness levels, counted over some runs."""
    spec = RunSpec(problem="order", algorithm=algorithm, n=_WATCHED_N)
    counts: Counter[str] = Counter()
    for number in range(runs):
        run = WatchedRun(spec, seed, number)
        before, fitness = run.tree, run.fitness
        for step in run:
            if step.fitness > fitness and 10 * fitness >= 9 * spec.n:
                was = before.terminals()
                new = set(ORDER.expressed(run.tree.terminals(), spec.n)) - set(ORDER.expressed(was, spec.n))
                counts.update(_way(step.operations[0].kind, was, variable) for variable in new)
            before, fitness = run.tree, run.fitness
    return counts


def _way(kind: str, was: Sequence[Terminal], variable: int) -> str:
    signs = [terminal.negated for terminal in was if terminal.variable == variable]
    if not signs:
        return _ABSENT
    if kind == INSERT:
        return _FRONT
    return _REPLACED if all(signs) else _UNCOVERED


@cache
def waiting(algorithm: str, seed: int, runs: int) -> dict[int, Estimate]:
    """Mean evaluations spent with n − k variables missing, by n − k."""
    columns = run_many(
        RunSpec(problem="order", algorithm=algorithm, n=_LEVELS_N), seed=seed, runs=runs, improvements=True
    )
    assert columns.improvements is not None
    spent = np.zeros((runs, _LEVELS_N + 1))
    for row in range(runs):
        evaluations, fitness, _ = columns.improvements.of(row)
        spent[row, fitness[:-1]] = np.diff(evaluations)
    ones = np.ones(runs)
    return {_LEVELS_N - k: ratio_of_sums(spent[:, k], ones) for k in range(_LEVELS_N) if spent[:, k].any()}


class _RejectedOnOrder(Check):
    """Whether GP*-single takes less time than GP-single."""

    def cells(self, scale: Scale) -> Sequence[Request]:
        small = [request for algorithm in _TWO for request in small_order_requests(scale, algorithm)]
        return [*requests_of(order(scale, algorithm) for algorithm in _TWO), *small]

    def _known(self, scale: Scale) -> list[Known]:
        return [exact for algorithm in _TWO for exact in known_order(scale, algorithm)]

    def _curves(self, evidence: Evidence) -> tuple[Curve, ...]:
        return tuple(evidence.curve(order(evidence.scale, algorithm).specs) for algorithm in _TWO)

    def _compared(self, evidence: Evidence) -> Comparison:
        neutral, strict = self._curves(evidence)
        compared = compare(strict, neutral, evidence.runs)
        assert compared is not None
        return compared

    def __call__(self, evidence: Evidence) -> Verdict:
        known = self._known(evidence.scale)
        solved = known_table("disc-order-neutral-exact", evidence, known)
        if off := unmet(evidence, known, [solved]):
            return off
        compared = self._compared(evidence)
        last, power = compared.cells[-1], compared.trend or NOTHING
        factor = last.ratio
        grows = low(factor) > 1 and low(power) > 0
        status = decide(factor.high is not None and factor.high < 1, grows)
        neutral, strict = self._curves(evidence)
        sizes = {algorithm: leaves_per_variable(evidence, algorithm) for algorithm in _TWO}
        growth, n = power_of(sizes[_GP]), max(sizes[_GP])
        counts = {algorithm: ways(algorithm, evidence.seed, 3 * evidence.scale.trees) for algorithm in _TWO}
        shares = {
            algorithm: {way: proportion(count[way], max(count.total(), 1)) for way in _WAYS}
            for algorithm, count in counts.items()
        }
        wins = f", a factor that grows like n^{stated(power)}: accepting neutral moves wins" if grows else ""
        bloat = "" if growth is None else f" (T_max/n grows like n^{stated(growth)})"
        remarks = (
            f"GP-single: {law_of(neutral)}. GP*-single: {law_of(strict)}.",
            (
                f"Where T_max goes: {stated(sizes[_GP][n])}·n with neutral moves and {stated(sizes[_STRICT][n])}·n "
                f"without at n = {n:,}. The bloat is there{bloat}{', and costs next to nothing.' if grows else '.'}"
            ),
            (
                "Why: a blocked variable is expressed by inserting x_i in front of its first x̄_i, which few places "
                "allow, or, where x_i waits behind, by deleting or substituting that x̄_i; an absent one by inserting "
                "x_i anywhere. Neutral moves prepare the easier ways, strict acceptance must hit the front of the "
                f"tree: so come about {percent(shares[_STRICT][_FRONT])} of the improvements of GP*-single in the last "
                f"tenth of the fitness levels and {percent(shares[_GP][_FRONT])} of those of GP-single (n = "
                f"{_WATCHED_N})."
            ),
            "The paper's argument compares the upper bounds O(n·T_max) and O(n²); the first is far from the truth.",
        )
        return Verdict(
            status,
            f"At n = {last.n:,} GP*-single needs {stated(factor)} times the evaluations of GP-single{wins}.",
            f"GP* ÷ GP, n = {last.n:,}",
            factor,
            remarks,
            (_comparison(compared), _ways_table(counts, shares), solved),
        )

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        scale, known = evidence.scale, self._known(evidence.scale)
        times, levels, largest = [], [], []
        for algorithm, name in zip(_TWO, _NAMES, strict=True):
            specs = [*small_order(scale, algorithm), *order(scale, algorithm).specs]
            times.append(Series(name, [spec.n for spec in specs], [evidence.cell(spec).mean for spec in specs]))
            spent = {m: e for m, e in waiting(algorithm, evidence.seed, scale.runs).items() if m <= _LEVELS_N // 2}
            levels.append(Series(name, list(spent), list(spent.values())))
            sizes = leaves_per_variable(evidence, algorithm)
            largest.append(Series(name, list(sizes), list(sizes.values())))
        cells = self._compared(evidence).cells
        return [
            series_figure(
                "disc-order-neutral-times",
                [*times, *exact_series(known)],
                title="ORDER, unity expectation: evaluations to the optimum",
                ylabel="mean evaluations",
                caption="Neutral acceptance (GP) and strict acceptance (GP*), with 95 % intervals. "
                f"{caption_words(known)}",
            ),
            series_figure(
                "disc-order-neutral-factor",
                [Series("", [cell.n for cell in cells], [cell.ratio for cell in cells])],
                title="ORDER: GP*-single ÷ GP-single",
                ylabel="ratio of mean times",
                caption="How many times as long strict acceptance takes, with 95 % intervals; at the dotted line both "
                "take the same time.",
                levels={"equally fast": 1.0},
            ),
            series_figure(
                "disc-order-neutral-levels",
                levels,
                title=f"ORDER, n = {_LEVELS_N}: where the time goes",
                xlabel="variables still missing, n − k",
                ylabel="mean evaluations at this level",
                guides=_guides(levels),
                caption=f"Evaluations by the number of missing variables, mean of {scale.runs} runs with 95 % "
                "intervals. From the points at n − k = 1 the dotted line falls like 1/(n−k), as for collecting "
                "coupons, the dashed one like 1/(n−k)², as the lemma's bound does.",
            ),
            series_figure(
                "disc-order-neutral-size",
                largest,
                title="ORDER: where T_max goes",
                ylabel="E[T_max] ÷ n",
                logy=False,
                ylim=(1.9, None),
                caption="The largest tree of a run, in leaves a variable, with 95 % intervals: how much bloat there "
                "is.",
            ),
        ]

    def news(self, evidence: Evidence, _: Verdict) -> Sequence[str]:
        neutral, strict = self._curves(evidence)
        if not (neutral.fit and strict.fit):
            return []
        return [f"On ORDER GP-single takes {law_of(neutral)} evaluations and GP*-single {law_of(strict)}."]


def _comparison(compared: Comparison) -> Numbers:
    records = [
        {name: value for name, value in row.items() if name not in ("a", "b", "setting", "remark")}
        for row in compared.to_records()
    ]
    headings = {
        "difference": "setting compared",
        "p_a_faster": "P(GP*-single is faster)",
        "p_mann_whitney": "p of Mann and Whitney's test",
        "p_holm": "after Holm's correction",
    }
    return Numbers("disc-order-neutral-numbers", "GP*-single ÷ GP-single", records, headings)


def _ways_table(counts: dict[str, Counter[str]], shares: dict[str, dict[str, Estimate]]) -> Numbers:
    records = [
        record(
            how=way,
            improvements=counts[algorithm].total(),
            algorithm=ALGORITHMS[algorithm].name,
            share=shares[algorithm][way],
        )
        for way in _WAYS
        for algorithm in _TWO
    ]
    caption = f"how late improvements come about, n = {_WATCHED_N}, shares"
    headings = {"how": "how", "improvements": "improvements", "share": "share"}
    return Numbers("disc-order-neutral-ways", caption, records, headings, Layout("how", ("algorithm",), ("share",)))


def _guides(levels: Sequence[Series]) -> list[Guide]:
    """1/(n−k) from where neutral acceptance waits for the last variable, 1/(n−k)² from where strict acceptance does."""
    guides = []
    for label, power, level in zip(("like 1/(n−k)", "like 1/(n−k)²"), (-1, -2), levels, strict=True):
        fewest, spent = min((missing, y.value or 1.0) for missing, y in zip(level.x, level.y, strict=True))
        guides.append(power_guide(label, power, (fewest, spent), max(level.x)))
    return guides


ON_ORDER = Claim(
    id="disc:order-neutral",
    title="On ORDER it is better to reject neutral moves",
    kind=DISCUSSION,
    place="section 5.1",
    statement="On ORDER, not accepting neutral moves prevents bloat, so that “using (1+1) GP* is significantly "
    "advantageous”.",
    rule="Ratio of mean times GP*-single ÷ GP-single. Contradicted if at the largest n its 95 % interval lies above 1 "
    "and the ratio grows with n (the interval of its power of n lies above 0); supported if it lies below 1; open "
    f"otherwise. {RULE}",
    slip="The section before (4.1.2) says that on ORDER accepting neutral moves “makes no difference in the "
    "performance”.",
    changes=(
        STRICT_RUNS,
        Change(
            FIRST,
            "setting",
            "“late” is the last tenth of the fitness levels, not the last quarter; no verdict asks for it.",
        ),
        POWER,
        HELD_TO_EXACT,
    ),
    check=_RejectedOnOrder(),
)


# ---- MAJORITY


class _AcceptedOnMajority(CheckOfLines):
    """Whether GP-single always succeeds, and GP*-single less often."""

    def lines(self, scale: Scale) -> list[Line]:
        sizes = [n for n in scale.majority if n <= 1500]
        return [over_n(a, sizes, scale.failure_runs, problem="majority", algorithm=a) for a in _TWO]

    def __call__(self, evidence: Evidence) -> Verdict:
        lines = self.lines(evidence.scale)
        cells = [[evidence.cell(spec) for spec in line.specs] for line in lines]
        records: list[Record] = [
            record(
                "p_optimum",
                algorithm=cell.spec.algorithm.name,
                n=cell.n,
                runs=cell.runs,
                p_optimum=cell.chance,
                mean_given_optimum=cell.given_optimum,
                evaluations_per_success=cell.expected_running_time,
            )
            for line in cells
            for cell in line
        ]
        headings = {
            "mean_given_optimum": "mean evaluations if optimum",
            "evaluations_per_success": "evaluations ÷ successes",
        }
        layout = Layout("n", ("algorithm",), ("p_optimum", *headings))
        caption = "success and time, side by side"
        tables = (Numbers("disc-majority-neutral-numbers", caption, records, headings, layout),)
        n = cells[0][-1].n
        neutral, strict = (line[-1].chance for line in cells)
        all_end = all(cell.chance.value == 1 for cell in cells[0])
        status = decide(all_end and apart(neutral, strict) == SUPPORTED, apart(strict, neutral) == SUPPORTED)
        sentence = (
            f"At n = {n:,} GP-single reaches the optimum in {percent(neutral)} of the runs and GP*-single in "
            f"{percent(strict)}{': the mean time is finite against infinite.' if status == SUPPORTED else '.'}"
        )
        first, second = (line[0].given_optimum for line in cells)
        remark = (
            f"Where GP*-single succeeds it is not faster either: at n = {cells[0][0].n} successful runs take "
            f"{stated(second)} evaluations on average, against {stated(first)} with neutral moves "
            f"({cells[0][0].runs:,} runs of each)."
        )
        remarks = (remark,) if low(second) > (first.high or math.inf) else ()
        return Verdict(status, sentence, f"P(optimum) of GP*, n = {n:,}", strict, remarks, tables)

    def figures(self, _: Evidence, verdict: Verdict) -> Sequence[Drawing]:
        records = verdict.tables[0].records
        missing = [row["n"] for row in records if not row["evaluations_per_success"]]
        without = f" No point at n = {formatting.sizes(missing)}, where no run succeeded." if missing else ""
        return [
            series_figure(
                "disc-majority-neutral-chance",
                drawn_by(records, "algorithm", "p_optimum"),
                title="MAJORITY, unity expectation: success",
                ylabel="P(optimum)",
                logy=False,
                ylim=(-0.03, 1.03),
                caption="The probability of reaching the optimum, with exact intervals.",
            ),
            series_figure(
                "disc-majority-neutral-cost",
                drawn_by(records, "algorithm", "evaluations_per_success"),
                title="MAJORITY, unity expectation: cost of a success",
                ylabel="evaluations ÷ successes",
                caption="All evaluations spent, until the optimum or until stuck, divided by the successes, with 95 % "
                f"intervals: what restarting until the optimum would cost.{without}",
            ),
        ]


ON_MAJORITY = Claim(
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
    check=_AcceptedOnMajority(),
)
