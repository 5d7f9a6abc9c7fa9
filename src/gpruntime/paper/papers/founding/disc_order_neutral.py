"""ORDER: does rejecting neutral moves help (section 5.1)? The paper compared upper bounds; here are the times.

Why neutral acceptance wins. A variable that is not expressed is *absent*, or *blocked* by an x̄_i in front. An
absent one is expressed by inserting x_i anywhere, a blocked one by inserting x_i in front of its first x̄_i,
for which few of the 2(2T − 1) places will do, or, if some x_i waits behind, by deleting or substituting the
x̄_i. Neutral moves prepare these easier ways: they put x_i behind the block, and they take the block away.
Strict acceptance can prepare nothing and has to hit the front of the tree. `ways` counts how late improvements
come about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpruntime.analysis.compare import Comparison, compare
from gpruntime.analysis.estimates import NOTHING, Estimate, proportion, ratio_of_sums
from gpruntime.engine import WatchedRun, run_many
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.mutation import INSERT
from gpruntime.model.problems.order import ORDER
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.paper.changes import FIRST, HELD_TO_EXACT, POWER, STRICT_RUNS
from gpruntime.paper.claim import DISCUSSION, Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    RULE,
    Known,
    caption_words,
    known_order,
    known_table,
    small_order,
    small_order_asked,
    unmet,
)
from gpruntime.paper.papers.founding.conj_star_multi import leaves_per_variable, power_of
from gpruntime.paper.pictures import Guide, Series, exact_series, power_guide, series_figure
from gpruntime.paper.rules import law_of, percent, said, with_ends
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import order_asked, order_specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_TWO = ("gp-single", "gpstar-single")
_LEVELS_N, _WATCHED_N = 200, 40

FRONT = "x_i inserted in front of its first x̄_i"
UNCOVERED = "first x̄_i deleted or substituted, x_i behind it"
REPLACED = "x̄_i substituted, no x_i behind it"
ABSENT = "x_i put in, neither was there"


def _cells(scale: Scale) -> Sequence[Asked]:
    large = [one for algorithm in _TWO for one in order_asked(scale, algorithm)]
    return [*large, *(one for algorithm in _TWO for one in small_order_asked(scale, algorithm))]


def _known(scale: Scale) -> list[Known]:
    return [one for algorithm in _TWO for one in known_order(scale, algorithm)]


def _compared(evidence: Evidence) -> Comparison:
    strict, neutral = (evidence.curve(order_specs(evidence.scale, algorithm)) for algorithm in reversed(_TWO))
    found = compare(strict, neutral, evidence.runs)
    assert found is not None
    return found


def _check(evidence: Evidence) -> Verdict:
    known = _known(evidence.scale)
    solved = known_table("disc-order-neutral-exact", evidence, known)
    if off := unmet(evidence, known, [solved]):
        return off
    compared = _compared(evidence)
    last, trend = compared.cells[-1], compared.trend
    factor, power = last.ratio, trend or NOTHING
    status = OPEN
    if (factor.low or 0.0) > 1 and (power.low or 0.0) > 0:
        status = CONTRADICTED
    elif factor.high is not None and factor.high < 1:
        status = SUPPORTED
    neutral, strict = (evidence.curve(order_specs(evidence.scale, algorithm)) for algorithm in _TWO)
    sizes = {algorithm: leaves_per_variable(evidence, algorithm) for algorithm in _TWO}
    growth = power_of(sizes["gp-single"])
    counts = {algorithm: ways(algorithm, evidence.seed, 3 * evidence.scale.trees) for algorithm in _TWO}
    front = {algorithm: proportion(found[FRONT], max(found.total(), 1)) for algorithm, found in counts.items()}
    sentence = f"At n = {last.n:,} GP*-single needs {said(factor)} times the evaluations of GP-single"
    if status == CONTRADICTED:
        sentence += f", a factor that grows like n^{said(power)}: accepting neutral moves wins"
    sentence += "."
    largest = {algorithm: sizes[algorithm][-1][1] for algorithm in _TWO}
    remarks = (
        f"GP-single: {law_of(neutral)}. GP*-single: {law_of(strict)}.",
        f"Where T_max goes: {said(largest['gp-single'])}·n with neutral moves and "
        f"{said(largest['gpstar-single'])}·n without at n = {sizes['gp-single'][-1][0]:,}. The bloat is there"
        + ("" if growth is None else f" (T_max/n grows like n^{said(growth)})")
        + (", and costs next to nothing." if status == CONTRADICTED else "."),
        _why(front),
        "The paper's argument compares the upper bounds O(n·T_max) and O(n²); the first is far from the truth.",
    )
    rows = [
        {"how": way, "improvements": counts[a].total(), "algorithm": ALGORITHMS[a].name, **with_ends("share", share)}
        for way in (FRONT, UNCOVERED, REPLACED, ABSENT)
        for a in _TWO
        for share in [proportion(counts[a][way], max(counts[a].total(), 1))]
    ]
    tables = (
        Numbers("disc-order-neutral-numbers", "GP*-single ÷ GP-single", [_short(r) for r in compared.to_records()]),
        Numbers("disc-order-neutral-ways", f"how late improvements come about, n = {_WATCHED_N}, shares", rows),
        solved,
    )
    return Verdict(status, sentence, f"GP* ÷ GP, n = {last.n:,}", factor, remarks, tables)


def _short(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ("a", "b", "setting", "remark")}


def _why(front: dict[str, Estimate]) -> str:
    return (
        "Why: a blocked variable is expressed by inserting x_i in front of its first x̄_i, which few places allow, "
        "or, where x_i waits behind, by deleting or substituting that x̄_i; an absent one by inserting x_i anywhere. "
        "Neutral moves prepare the easier ways, strict acceptance must hit the front of the tree: so come about "
        f"{percent(front['gpstar-single'])} of the improvements of GP*-single in the last tenth of the fitness levels "
        f"and {percent(front['gp-single'])} of those of GP-single (n = {_WATCHED_N})."
    )


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
        return ABSENT
    if kind == INSERT:
        return FRONT
    return REPLACED if all(signs) else UNCOVERED


def waiting(algorithm: str, seed: int, runs: int) -> list[tuple[int, Estimate]]:
    """Mean evaluations spent with n − k variables missing, by n − k."""
    columns = run_many(RunSpec(problem="order", algorithm=algorithm, n=_LEVELS_N), seed, runs, improvements=True)
    assert columns.improvements is not None
    spent = np.zeros((runs, _LEVELS_N + 1))
    for row in range(runs):
        evaluations, fitness, _ = columns.improvements.of(row)
        spent[row, fitness[:-1]] = np.diff(evaluations)
    ones = np.ones(runs)
    return [(_LEVELS_N - k, ratio_of_sums(spent[:, k], ones)) for k in range(_LEVELS_N) if spent[:, k].any()]


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    scale, known = evidence.scale, _known(evidence.scale)
    both = []
    for algorithm in _TWO:
        drawn = [*small_order(scale, algorithm), *order_specs(scale, algorithm)]
        means = [evidence.cell(spec).mean for spec in drawn]
        both.append(Series(ALGORITHMS[algorithm].name, [spec.n for spec in drawn], means))
    cells = _compared(evidence).cells
    factor = Series("", [cell.n for cell in cells], [cell.ratio for cell in cells])
    levels = []
    for algorithm in _TWO:
        found = [(m, value) for m, value in waiting(algorithm, evidence.seed, scale.runs) if m <= _LEVELS_N // 2]
        levels.append(Series(ALGORITHMS[algorithm].name, [m for m, _ in found], [value for _, value in found]))
    largest = [
        Series(
            ALGORITHMS[a].name,
            [n for n, _ in leaves_per_variable(evidence, a)],
            [e for _, e in leaves_per_variable(evidence, a)],
        )
        for a in _TWO
    ]
    return [
        series_figure(
            "disc-order-neutral-times",
            [*both, *exact_series(known)],
            title="ORDER, unity expectation: evaluations to the optimum",
            ylabel="mean evaluations",
            caption=f"Neutral acceptance (GP) and strict acceptance (GP*), with 95 % intervals. {caption_words(known)}",
        ),
        series_figure(
            "disc-order-neutral-factor",
            [factor],
            title="ORDER: GP*-single ÷ GP-single",
            ylabel="ratio of mean times",
            caption="How many times as long strict acceptance takes, with 95 % intervals; at the dotted line both take "
            "the same time.",
            levels={"equally fast": 1.0},
        ),
        series_figure(
            "disc-order-neutral-levels",
            levels,
            title=f"ORDER, n = {_LEVELS_N}: where the time goes",
            xlabel="variables still missing, n − k",
            ylabel="mean evaluations at this level",
            guides=_guides(levels),
            caption=f"Evaluations by the number of missing variables, mean of {scale.runs} runs with 95 % intervals. "
            "From the points at n − k = 1 the dotted line falls like 1/(n−k), as for collecting coupons, the dashed "
            "one like 1/(n−k)², as the lemma's bound does.",
        ),
        series_figure(
            "disc-order-neutral-size",
            largest,
            title="ORDER: where T_max goes",
            ylabel="E[T_max] ÷ n",
            logy=False,
            ylim=(1.9, None),
            caption="The largest tree of a run, in leaves a variable, with 95 % intervals: how much bloat there is.",
        ),
    ]


def _guides(levels: Sequence[Series]) -> list[Guide]:
    """1/(n−k) from where neutral acceptance waits for the last variable, 1/(n−k)² from where strict acceptance does."""
    found = []
    for label, power, one in zip(("like 1/(n−k)", "like 1/(n−k)²"), (-1, -2), levels, strict=True):
        fewest, spent = min((missing, y.value or 1.0) for missing, y in zip(one.x, one.y, strict=True))
        found.append(power_guide(label, power, (fewest, spent), max(one.x)))
    return found


def _news(evidence: Evidence, _: Verdict) -> Sequence[str]:
    neutral, strict = (evidence.curve(order_specs(evidence.scale, algorithm)) for algorithm in _TWO)
    if not (neutral.fit and strict.fit):
        return []
    return [f"On ORDER GP-single takes {law_of(neutral)} evaluations and GP*-single {law_of(strict)}."]


CLAIM = Claim(
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
    cells=_cells,
    check=_check,
    figures=_figures,
    news=_news,
)
