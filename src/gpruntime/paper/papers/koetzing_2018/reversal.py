"""K1: bloat control is fatal on +c-MAJORITY and helps on 2/3-MAJORITY."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale, by_scale, doubling
from gpruntime.paper.shares import above, asked_of, below, reached, share_records
from gpruntime.paper.verdict import SEVERAL_RULE, Numbers, Verdict, several
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


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    last = {label: reached(evidence, line.specs[-1]) for label, line in lines.items()}
    wanted = {
        "+c-MAJORITY, no control": above,
        "+c-MAJORITY, parsimony": below,
        "2/3-MAJORITY, no control": below,
        "2/3-MAJORITY, parsimony": above,
    }
    status = several(look(last[label], _HALF) for label, look in wanted.items())
    leaves = next(iter(lines.values())).x[-1]
    told = "; ".join(f"{label} {share_words(share)}" for label, share in last.items())
    sentence = f"P(optimum) within the budget from {leaves:,} random leaves, n = {_N}: {told}."
    tables = (Numbers("k1-numbers", "P(optimum within the budget)", _records(evidence, lines)),)
    return Verdict(status, sentence, "P(optimum), +c, parsimony", last["+c-MAJORITY, parsimony"], tables=tables)


def _records(evidence: Evidence, lines: dict[str, Line]) -> list[dict[str, object]]:
    records = share_records(evidence, lines)
    for record, spec in zip(records, (spec for line in lines.values() for spec in line.specs), strict=True):
        record["initial_leaves"] = spec.initial.leaves
    return records


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    series = [
        Series(label, line.x, [reached(evidence, spec) for spec in line.specs])
        for label, line in _lines(evidence.scale).items()
    ]
    return [
        series_figure(
            "k1",
            series,
            title=f"The reversal: bloat control on two variants of MAJORITY, n = {_N}",
            xlabel="T_init, leaves of the initial tree",
            ylabel="P(optimum within the budget)",
            caption="With 95 % intervals; GP-single from random trees, budget 100·(T_init·ln T_init + n·ln n). On "
            "+c-MAJORITY (c = 2) parsimony takes away the leaves that a variable needs to gather, and no run "
            "succeeds; without control all do. On 2/3-MAJORITY it is the other way round where trees are large: there "
            "neutral moves keep every share near one half.",
            logy=False,
            ylim=(-0.02, 1.02),
        )
    ]


CLAIM = Claim(
    id="K1",
    title="Bloat control: fatal on +c-MAJORITY, of help on 2/3-MAJORITY",
    kind=THEOREM,
    place="abstract, and theorems reported",
    statement="Local search is not efficient on all MAJORITY variants with plateaus, with or without bloat control: "
    "with control it fails on +c-MAJORITY, c ≥ 2, and without control on 2/3-MAJORITY.",
    rule=f"From the largest random trees four things are asked: P(optimum within the budget) above {_HALF} (95 % "
    f"interval) on +c without control and on 2/3 with it, below on +c with control and on 2/3 without. {SEVERAL_RULE}",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=REPORTED,
)
