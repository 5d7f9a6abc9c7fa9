"""MAJORITY, GP-single: deficits as random walks (lem:majority_rw)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from gpruntime.analysis.estimates import Estimate, Values, mean
from gpruntime.analysis.fitting import slope
from gpruntime.model.initial import balanced
from gpruntime.model.mutation import DELETE, HvlPrime
from gpruntime.model.problems.majority import MAJORITY
from gpruntime.model.run import Run, Step
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree
from gpruntime.paper.changes import FIRST, POWER
from gpruntime.paper.claim import LEMMA, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, no_growth, powers_of, said, with_ends
from gpruntime.paper.trees import all_multisets, visited_trees
from gpruntime.paper.verdict import CONTRADICTED, SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_LEAVES = {1: 5, 2: 5, 3: 4}
_DEFICITS, _SIZES = (2, 4, 8, 16), (4, 6, 8, 12, 16)


def touching_chance(tree: Tree, n: int, variable: int) -> Fraction:
    """P(an operation changes c(x_i) or c(x̄_i)), by making every operation; kinds have probability 1/3 each."""
    operator = HvlPrime(n)
    before = _counts(tree, n, variable)
    changed: dict[str, int] = {}
    total: dict[str, int] = {}
    for operation, _ in operator.proposals(tree):
        offspring = tree.copy()
        operator.apply(offspring, operation)
        total[operation.kind] = total.get(operation.kind, 0) + 1
        changed[operation.kind] = changed.get(operation.kind, 0) + (_counts(offspring, n, variable) != before)
    return sum((Fraction(changed[kind], 3 * total[kind]) for kind in total), Fraction(0))


def _counts(tree: Tree, n: int, variable: int) -> tuple[int, int]:
    positive, negative = MAJORITY.counts(tree.terminals(), n)
    return positive[variable - 1], negative[variable - 1]


def _least_touching(evidence: Evidence) -> tuple[Fraction, int, str]:
    """The least of 3n·P(touching) over all small multisets and some visited trees, with the number looked at."""
    least, looked, where = Fraction(10**9), 0, ""

    def look(tree: Tree, n: int, variables: Sequence[int]) -> None:
        nonlocal least, looked, where
        for variable in variables:
            looked += 1
            chance = 3 * n * touching_chance(tree, n, variable)
            if chance < least:
                least, where = chance, str(tree)

    for n, most in _LEAVES.items():
        for leaves in range(1, most + 1):
            for tree in all_multisets(n, leaves):
                look(tree, n, [1])  # all multisets: every variable has its turn as the first
    spec = RunSpec(problem="majority", algorithm="gp-single", n=6)
    for tree in visited_trees(spec, evidence.seed, min(evidence.scale.trees, 4), 10):
        look(tree, spec.n, [1, 2])
    return least, looked, where


def operations_until(n: int, deficit: int, seed: int, runs: int) -> tuple[Values, Values]:
    """Proposed operations on x₁ or x̄₁ until x₁ is expressed, and T_max until then: d leaves x̄₁, then x_2 … x_n."""
    leaves = [Terminal(1, True)] * deficit + [Terminal(i, False) for i in range(2, n + 1)]
    spec = RunSpec(problem="majority", algorithm="gp-single", n=n, init=str(balanced(leaves)))
    counts, largest = np.zeros(runs), np.zeros(runs)
    for number in range(runs):
        run = Run(spec, seed, number)
        before = run.tree
        while run.outcome is None and 1 not in MAJORITY.expressed(run.tree.terminals(), n):
            step = run.step()
            counts[number] += _involves(step, before)
            before = run.tree
        largest[number] = run.max_leaves
    return counts, largest


def _involves(step: Step, before: Tree) -> bool:
    operation = step.operations[0]
    added = operation.terminal is not None and operation.terminal.variable == 1
    if operation.kind in (DELETE, "substitute"):
        gone = before.leaves[operation.site or 0].terminal
        return added or (gone is not None and gone.variable == 1)
    return added


def _check(evidence: Evidence) -> Verdict:
    least, looked, where = _least_touching(evidence)
    runs = 5 * evidence.scale.trees
    records: list[dict[str, Any]] = []
    for n in _SIZES:
        for deficit in _DEFICITS:
            counts, largest = operations_until(n, deficit, evidence.seed, runs)
            ratio = counts / (deficit * largest.mean())
            found = mean(ratio)
            records.append(
                {
                    "n": n,
                    "deficit": deficit,
                    "runs": runs,
                    **with_ends("mean_operations", mean(counts)),
                    **with_ends("mean_max_leaves", mean(largest)),
                    "ratio": found.value,
                    "low": found.low,
                    "high": found.high,
                    "error": float(ratio.std(ddof=1) / runs**0.5 / ratio.mean()),
                }
            )
    trends = {
        f"of d, n = {_SIZES[-1]}": _power(records, "deficit", "n", _SIZES[-1]),
        f"of n, d = {_DEFICITS[-1]}": _power(records, "n", "deficit", _DEFICITS[-1]),
    }
    part_a = SUPPORTED if least >= 1 else CONTRADICTED
    status = all_of([part_a, *(no_growth(trend) for trend in trends.values())])
    powers = powers_of(trends)
    most = max(records, key=lambda row: float(row["ratio"]))
    sentence = (
        f"(a) on all {looked:,} cases counted, an operation touches the variable with at least "
        f"{float(least):.3g}/(3n); (b) operations on it ÷ (d·T_max) are "
        f"{said(Estimate(most['ratio'], most['low'], most['high']))} where they are most (n = {most['n']}, d = "
        f"{most['deficit']}), and the larger of their two powers is {powers}. {CANNOT_PROVE}"
    )
    if part_a == CONTRADICTED:
        sentence = f"(a) on {where} an operation touches the variable with only {float(least):.3g}/(3n)."
    tables = (
        Numbers(
            "lem-majority-rw-numbers",
            "operations on variable 1 until it is expressed, from deficit d",
            [{name: value for name, value in row.items() if name != "error"} for row in records],
        ),
    )
    remarks = (
        (
            "The walk is far better than balanced: leaves x̄_i that are many are hit often, so about d operations do, "
            "not d·T_max."
        ),
        "T_max counts nodes in the lemma and leaves here: a factor of 2.",
    )
    return Verdict(status, sentence, "larger power in (b)", powers.largest[1], remarks, tables)


def _power(records: list[dict[str, Any]], moving: str, fixed: str, value: int) -> Estimate:
    """The power of d, or of n, that the ratio goes like, with the other one fixed."""
    rows = [row for row in records if row[fixed] == value]
    sizes, ratios, errors = (np.array([row[name] for row in rows], float) for name in (moving, "ratio", "error"))
    power = slope(sizes, ratios, errors)
    assert power is not None, "a scale has three deficits and three sizes at least, far apart"
    return power


def _figures(_: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    rows = verdict.tables[0].records
    series = [
        Series(
            f"n = {n}",
            [r["deficit"] for r in rows if r["n"] == n],
            [Estimate(r["ratio"], r["low"], r["high"]) for r in rows if r["n"] == n],
        )
        for n in _SIZES
    ]
    return [
        series_figure(
            "lem-majority-rw",
            series,
            title="MAJORITY, GP-single: operations on x₁ until it is expressed",
            xlabel="initial deficit d",
            ylabel="operations ÷ (d·E[T_max])",
            caption="Proposed operations that involve x₁ or x̄₁, divided by the lemma's bound, with 95 % intervals. A "
            "falling line: they stay ever further below the bound.",
        )
    ]


CLAIM = Claim(
    id="lem:majority_rw",
    title="Deficits on MAJORITY walk at random",
    kind=LEMMA,
    place="section 4.1.1, lemma",
    statement="On MAJORITY with GP-single, (a) an operation changes the number of x_i or of x̄_i with probability "
    "Ω(1/n); (b) a variable with deficit d needs in expectation O(d·T_max) proposed operations on it until it is "
    "expressed.",
    rule="(a) Count all operations on every small multiset and on trees of runs: contradicted by a single case below "
    "1/(3n). (b) Fit powers of d and of n to operations/(d·E[T_max]): supported if both 95 % intervals end below "
    f"{MARGIN}, contradicted if one begins above it, open otherwise.",
    changes=(
        Change(FIRST, "setting", "(b) has 50 runs of each n and d, not 100, to save time."),
        Change(FIRST, "setting", "(b) has five n, not three: too few for the interval of a power."),
        POWER,
    ),
    check=_check,
    figures=_figures,
)
