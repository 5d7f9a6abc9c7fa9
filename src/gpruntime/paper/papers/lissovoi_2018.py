"""Conjunctions with many operations, with unwanted variables and with negated ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product

import numpy as np

from gpruntime.analysis.estimates import Estimate, mean
from gpruntime.analysis.fitting import slope
from gpruntime.engine import run_many
from gpruntime.paper.claim import ABSTRACT, THEOREM, Check, CheckOfLines, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels
from gpruntime.paper.kinds.levels import SHARE_AXIS
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.phrases import per_variable, stated
from gpruntime.paper.pictures import Series, drawn, series_figure
from gpruntime.paper.rules import MARGIN, SEVERAL_RULE, below, decide, no_growth
from gpruntime.paper.scale import Scale, by_scale, doubling
from gpruntime.paper.verdict import OPEN, SUPPORTED, Numbers, Verdict, record
from gpruntime.show.drawing import Drawing

# ---- L1: with many operations AND is found, with programs of linear size


class _LinearSize(CheckOfLines):
    """Whether E[T_max] is O(n), where every run ends."""

    def lines(self, scale: Scale) -> list[Line]:
        sizes = by_scale(scale, quick=doubling(10, 2560), full=doubling(10, 40_960), tiny=doubling(10, 160))
        runs = by_scale(scale, quick=200, full=1000, tiny=40)
        return [over_n("AND", sizes, runs, problem="and", algorithm="gp-multi", init="unity:leaves=1")]

    def __call__(self, evidence: Evidence) -> Verdict:
        cells = [evidence.cell(spec) for spec in self.lines(evidence.scale)[0].specs]
        sizes = [per_variable(cell) for cell in cells]
        column = "mean_max_leaves_per_variable"
        records = [record(column, n=cell.n, **{column: size}) for cell, size in zip(cells, sizes, strict=True)]
        tables = (Numbers("l1-numbers", "E[T_max] ÷ n", records),)
        if not all(cell.complete for cell in cells):
            return Verdict(OPEN, "Not every run found the conjunction: no verdict.", tables=tables)
        upper = slice(len(cells) // 2, None)
        errors = np.array([max(cell.leaves_variance, 0.0) ** 0.5 for cell in cells])
        values, n = np.array([size.value for size in sizes], float), np.array([cell.n for cell in cells], float)
        power = slope(n[upper], values[upper], errors[upper])
        if power is None:
            return Verdict(OPEN, "Too few sizes: no verdict.", tables=tables)
        sentence = (
            f"Every run finds the conjunction; E[T_max] ÷ n is {stated(sizes[-1])} at n = {cells[-1].n:,} and goes "
            f"like n^{stated(power)}."
        )
        return Verdict(no_growth(power), sentence, "power of n in E[T_max]/n", power, tables=tables)

    def figures(self, _: Evidence, verdict: Verdict) -> Sequence[Drawing]:
        figure = series_figure(
            "l1",
            [drawn(verdict.tables[0].records, "mean_max_leaves_per_variable")],
            title="AND, GP-multi: the largest tree",
            ylabel="E[T_max] ÷ n",
            caption="With 95 % intervals: the largest tree of a run, in leaves for each variable.",
            logy=False,
        )
        return [figure]


# ---- L2: with unwanted variables strict acceptance may fail, unless substitution is switched off

_WITH, _WITHOUT = "with substitution", "without substitution"


def _unwanted(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(3, 5, 8, 12, 16, 20, 25), full=(3, 5, 8, 12, 16, 20, 25, 29), tiny=(3, 5, 8, 12))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    setting = {
        "problem": lambda n: f"and:unwanted={n}",
        "algorithm": "gpstar-single",
        "init": "unity:leaves=1",
        "budget": lambda n: 1000 * n * n,
    }
    return [over_n(_WITH, sizes, runs, **setting), over_n(_WITHOUT, sizes, runs, **setting, weights=(0, 1, 1))]


def _always_without(evidence: Evidence, lines: Sequence[Line]) -> str:
    return decide(all(evidence.cell(spec).complete for spec in lines[1].specs), True)


# ---- L3: with negated variables the complete table is not fitted, yet what is found generalises

_ERROR = 0.05


def _negated(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(4, 6, 8, 10, 15, 20, 30), full=(4, 6, 8, 10, 15, 20, 30, 50), tiny=(4, 6, 8, 10))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    setting = {"problem": "and:negated=1", "algorithm": "gpstar-single", "init": "unity:leaves=1"}
    return [over_n("negated variables", sizes, runs, budget=lambda n: 1000 * n * n, **setting)]


@cache
def wrong_share(scale: Scale, seed: int, n: int) -> Estimate:
    """The share of all rows on which the last program errs, over runs of its own."""
    (line,) = _negated(scale)
    spec = next(spec for spec in line.specs if spec.n == n)
    return mean(run_many(spec, seed=seed, runs=line.runs).fitness.astype(float) / 2.0**n)


def _wrong_at_last(evidence: Evidence) -> Estimate:
    return wrong_share(evidence.scale, evidence.seed, _negated(evidence.scale)[0].x[-1])


def _small(wrong: Estimate, level: float) -> str:
    """Without a third way: what is not below the level is not small."""
    return OPEN if wrong.value is None else decide((wrong.high or wrong.value) < level, True)


def _fitted_and_wrong(evidence: Evidence, lines: Sequence[Line]) -> list[Series]:
    (line,) = lines
    wrong = [wrong_share(evidence.scale, evidence.seed, n) for n in line.x]
    return [
        Series("P(optimum)", line.x, [evidence.cell(spec).chance for spec in line.specs]),
        Series("wrong rows ÷ all rows, at the end", line.x, wrong),
    ]


# ---- L4: few rows force the exact conjunction

_FORCED = {False: range(1, 11), True: range(1, 6)}  # n, without and with negated literals
_FEWEST = range(2, 5)


def training_rows(n: int) -> list[int]:
    """The row on which all variables are true, and those on which one is false; bit i − 1 of a row is x_i."""
    everything = 2**n - 1
    return [everything, *(everything ^ 1 << i for i in range(n))]


def conjunctions(n: int, negated: bool) -> Iterator[tuple[int, int]]:
    """All but the empty one: the variables in it, and those whose negations are, as bits."""
    signs = product(range(2**n), range(2**n if negated else 1))
    return (pair for pair in signs if pair != (0, 0))


def fits(conjunction: tuple[int, int], rows: Iterable[int], n: int) -> bool:
    """Whether it is right on these rows, the target being the conjunction of all variables."""
    plain, bar = conjunction
    return all((row & plain == plain and row & bar == 0) == (row == 2**n - 1) for row in rows)


class _Forced(Check):
    """Whether one conjunction alone fits n + 1 rows, by trying all."""

    def __call__(self, _: Evidence) -> Verdict:
        records = [
            {
                "literals": "with negations" if negated else "positive",
                "n": n,
                "fitting": sum(fits(one, training_rows(n), n) for one in conjunctions(n, negated)),
                "n_rows": n + 1,
            }
            for negated, sizes in _FORCED.items()
            for n in sizes
        ]
        headings = {"literals": "literals", "fitting": "conjunctions that fit", "n_rows": "rows"}
        tables = (Numbers("l4-numbers", "conjunctions that fit n + 1 rows", records, headings),)
        holds = all(row["fitting"] == 1 for row in records)
        most = max(row["fitting"] for row in records)
        sentence = (
            f"Of all conjunctions, for n = 1, …, {max(_FORCED[False])} (with negated literals, to n = "
            f"{max(_FORCED[True])}), {'only that of all variables fits' if holds else f'up to {most} fit'} the n + 1 "
            "rows on which at most one variable is false."
        )
        return Verdict(decide(holds, True), sentence, "conjunctions that fit", Estimate(float(most)), tables=tables)

    def news(self, _: Evidence, verdict: Verdict) -> Sequence[str]:
        fewest = all(
            any(fits(one, rows, n) for one in conjunctions(n, False) if one != (2**n - 1, 0))
            for n in _FEWEST
            for rows in combinations(range(2**n), n - 1)
        )
        words = (
            f"For n = {_FEWEST[0]}, 3, {_FEWEST[-1]} no n − 1 rows force the conjunction, and n rows do, all searched."
        )
        return [words] if fewest and verdict.status == SUPPORTED else []


PAPER = Paper(
    name="lissovoi-2018",
    authors="Lissovoi, Oliveto",
    title="On the Time and Space Complexity of Genetic Programming for Evolving Boolean Conjunctions",
    venue="AAAI 2018, JAIR 66, 2019",
    year=2018,
    seen="abstract read",
    claims=(
        Claim(
            id="L1",
            title="AND with many operations: programs of linear size",
            kind=THEOREM,
            place="abstract",
            statement="With global mutation the (1+1) GP finds AND_n, and its programs have a size linear in n.",
            rule="GP-multi from one leaf. Fit a power of n to E[T_max]/n over the larger half of the sizes: supported "
            f"if its 95 % interval ends below {MARGIN}, contradicted if it begins above; open otherwise, or if a run "
            "fails.",
            check=_LinearSize(),
            wording=ABSTRACT,
        ),
        Claim(
            id="L2",
            title="Unwanted variables: strict acceptance fails with substitution",
            kind=THEOREM,
            place="abstract",
            statement="If L has variables that the target is free of, the (1+1) GP* may fail to find AND_n, unless "
            "substitution is switched off.",
            rule="As many unwanted variables as wanted ones. Two things are asked: P(optimum) at the largest n below "
            f"0.95 (95 % interval) with substitution; every run a success without. {SEVERAL_RULE}",
            check=Levels(
                name="l2",
                lines=_unwanted,
                asks=[Ask(below, 0.95, _WITH)],
                others={"never fails": _always_without},
                sentence=lambda facts: (
                    f"With n unwanted variables P(optimum) of GP*-single is {facts[_WITH]} at n = {facts.n} with "
                    f"substitution and {facts[_WITHOUT]} without."
                ),
                number=_WITH,
                quantity=lambda n: f"P(optimum) with substitution, n = {n}",
                caption="P(optimum), GP*-single, n unwanted variables",
                figure={
                    "title": "AND with n unwanted variables, GP*-single",
                    "ylabel": "P(optimum)",
                    "caption": "With 95 % intervals. A substitution can put an unwanted variable in the place of a "
                    "wanted one where that is an improvement; later no single step leads on.",
                    **SHARE_AXIS,
                },
            ),
            wording=ABSTRACT,
        ),
        Claim(
            id="L3",
            title="Negated variables: not fitted, yet it generalises",
            kind=THEOREM,
            place="abstract",
            statement="If L has the negation of each variable, the complete training set is not fitted efficiently, "
            "yet the conjunctions found generalise well.",
            rule=f"Two things are asked at the largest n, after 1000·n² evaluations: P(optimum) below {_ERROR} (95 % "
            f"interval), and the mean share of wrong rows below {_ERROR}. {SEVERAL_RULE}",
            check=Levels(
                name="l3",
                lines=_negated,
                asks=[Ask(below, _ERROR, "negated variables"), Ask(_small, _ERROR, "wrong", of=_wrong_at_last)],
                sentence=lambda facts: (
                    f"At n = {facts.n} GP*-single fits the complete table with probability "
                    f"{facts['negated variables']}, and its last program errs on a share of {facts['wrong']} of the "
                    "rows."
                ),
                number="negated variables",
                quantity=lambda n: f"P(optimum), n = {n}",
                caption="P(optimum) with negated variables",
                series=_fitted_and_wrong,
                figure={
                    "title": "AND with negated variables, GP*-single",
                    "ylabel": "share",
                    "caption": "With 95 % intervals: the complete table is hardly ever fitted, yet nearly all rows are "
                    "right, as they are for a program that is never true.",
                    **SHARE_AXIS,
                },
            ),
            slip="On the complete table a program that is never true errs on one row of 2^n, so this share says little "
            "there; the paper speaks of sampled rows.",
            wording=ABSTRACT,
        ),
        Claim(
            id="L4",
            title="Few rows force the exact conjunction",
            kind=THEOREM,
            place="abstract of the JAIR article",
            statement="There are small training sets that force the exact conjunction: no other one fits them.",
            rule="Which rows these are the abstract does not tell; here they are the n + 1 rows on which at most one "
            "variable is false. Every conjunction is tried. Contradicted if at some n another one fits them; supported "
            "otherwise.",
            check=_Forced(),
            wording=ABSTRACT,
        ),
    ),
)
