"""K1: bloat control is fatal on +c-MAJORITY and helps on 2/3-MAJORITY."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, THEOREM, Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, ratio_of_means
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import said, share_words
from gpruntime.paper.scale import Scale, by_scale, doubling
from gpruntime.paper.shares import above, asked_of, below, reached, share_records
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SEVERAL_RULE, SUPPORTED, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

_HALF = 0.5
_N = 20
_PROBLEMS = {"+c": "plus-c-majority", "2/3": "two-thirds-majority"}
_RULES = {"no control": "weak", "parsimony": "parsimony"}


def _budget(leaves: int) -> int:
    return round(100 * (leaves * math.log(leaves) + _N * math.log(_N)))


def _lines(scale: Scale) -> dict[str, Line]:
    factors = by_scale(scale, quick=doubling(2, 64), full=doubling(2, 256), tiny=doubling(2, 64))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return {
        f"{problem}-MAJORITY, {rule}": Line(
            f"{problem}-MAJORITY, {rule}",
            "T_init",
            tuple(
                RunSpec(
                    problem=_PROBLEMS[problem],
                    algorithm="gp-single",
                    n=_N,
                    accept=_RULES[rule],
                    init=f"unity:leaves={factor * _N}",
                    budget=_budget(factor * _N),
                )
                for factor in factors
            ),
            runs,
        )
        for problem in _PROBLEMS
        for rule in _RULES
    }


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked_of(_lines(scale))


def _gain(evidence: Evidence, lines: dict[str, Line]) -> Estimate:
    """E[time] without control ÷ with control on 2/3-MAJORITY, from the largest trees."""
    cells = [evidence.cell(lines[f"2/3-MAJORITY, {rule}"].specs[-1]) for rule in _RULES]
    return ratio_of_means(*cells)


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    first = {label: reached(evidence, line.specs[0]) for label, line in lines.items()}
    gain = _gain(evidence, lines)
    free, fatal = first["+c-MAJORITY, no control"], first["+c-MAJORITY, parsimony"]
    helps = OPEN
    if gain.low is not None and gain.high is not None:
        helps = SUPPORTED if gain.low > 1 else CONTRADICTED if gain.high < 1 else OPEN
    status = several([above(free, _HALF), below(fatal, _HALF), helps])
    small, large = (next(iter(lines.values())).x[place] for place in (0, -1))
    sentence = (
        f"n = {_N}. From {small} random leaves +c-MAJORITY is solved within the budget with probability "
        f"{share_words(free)} without control and {share_words(fatal)} with it; from {large:,} leaves 2/3-MAJORITY "
        f"takes {said(gain)} times as long without control as with it."
    )
    tables = (Numbers("k1-numbers", "P(optimum within the budget)", _records(evidence, lines)),)
    return Verdict(status, sentence, "P(optimum), +c, parsimony", fatal, tables=tables)


def _records(evidence: Evidence, lines: dict[str, Line]) -> list[dict[str, object]]:
    records = share_records(evidence, lines)
    for record, spec in zip(records, (spec for line in lines.values() for spec in line.specs), strict=True):
        record["initial_leaves"] = spec.init.leaves
    return records


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    series = [
        Series(label, line.x, [evidence.cell(spec).expected_running_time for spec in line.specs])
        for label, line in _lines(evidence.scale).items()
    ]
    return [
        series_figure(
            "k1",
            [Series(one.label, *_known(one)) for one in series],
            title=f"The reversal: bloat control on two variants of MAJORITY, n = {_N}",
            xlabel="T_init, leaves of the initial tree",
            ylabel="evaluations ÷ successes",
            caption="With 95 % intervals; GP-single from random trees, budget 100·(T_init·ln T_init + n·ln n); no "
            "point where no run succeeds. On +c-MAJORITY (c = 2) parsimony takes away the leaves that a variable needs "
            "to gather: from small trees no run succeeds. On 2/3-MAJORITY parsimony is faster, the more so the "
            "larger the tree.",
        )
    ]


def _known(series: Series) -> tuple[list[float], list[Estimate]]:
    """The points with a success."""
    pairs = [(x, y) for x, y in zip(series.x, series.y, strict=True) if y.value is not None]
    return [x for x, _ in pairs], [y for _, y in pairs]


CLAIM = Claim(
    id="K1",
    title="Bloat control: fatal on +c-MAJORITY, of help on 2/3-MAJORITY",
    kind=THEOREM,
    place="abstract, and theorems reported",
    statement="Local search is not efficient on all MAJORITY variants with plateaus, with or without bloat control: "
    "with control it fails on +c-MAJORITY, c ≥ 2, and without control it is slower on 2/3-MAJORITY.",
    rule=f"Three things are asked: from 2n random leaves, P(optimum within the budget) on +c above {_HALF} without "
    f"control and below with it (95 % intervals); from the largest random trees, a mean time on 2/3 that is longer "
    f"without control than with it (interval above 1). {SEVERAL_RULE}",
    check=_check,
    figures=_figures,
    cells=_cells,
    changes=(
        Change(
            "2026-11-17",
            "rule",
            "on 2/3 the times are compared: within any budget of this size all runs succeed, with and without control; "
            "on +c the smallest trees count: from large ones parsimony often succeeds.",
        ),
    ),
    wording=REPORTED,
)
