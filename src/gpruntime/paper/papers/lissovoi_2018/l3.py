"""L3: with negated variables the complete table is not fitted, yet what is found generalises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gpruntime.analysis.estimates import Estimate, mean
from gpruntime.engine import run_many
from gpruntime.paper.claim import ABSTRACT, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import said, share_words
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.shares import below, reached, share_records
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SEVERAL_RULE, SUPPORTED, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

_ERROR = 0.05


def _line(scale: Scale) -> Line:
    sizes = by_scale(scale, quick=(4, 6, 8, 10, 15, 20, 30), full=(4, 6, 8, 10, 15, 20, 30, 50), tiny=(4, 6, 8, 10))
    return over_n(
        "negated variables",
        sizes,
        by_scale(scale, quick=300, full=2000, tiny=60),
        problem="and:negated=1",
        algorithm="gpstar-single",
        init="unity:leaves=1",
        budget=lambda n: 1000 * n * n,
    )


def _cells(scale: Scale) -> Sequence[Asked]:
    return _line(scale).asked


@cache
def wrong_share(scale: Scale, seed: int, n: int) -> Estimate:
    """The share of all rows on which the last program errs, over runs of its own."""
    spec = next(spec for spec in _line(scale).specs if spec.n == n)
    columns = run_many(spec, seed, _line(scale).runs)
    return mean(columns.fitness.astype(float) / 2.0**n)


def _check(evidence: Evidence) -> Verdict:
    line = _line(evidence.scale)
    n = line.x[-1]
    share, wrong = reached(evidence, line.specs[-1]), wrong_share(evidence.scale, evidence.seed, n)
    generalises = OPEN
    if wrong.value is not None:
        generalises = SUPPORTED if (wrong.high or wrong.value) < _ERROR else CONTRADICTED
    status = several([below(share, _ERROR), generalises])
    sentence = (
        f"At n = {n} GP*-single fits the complete table with probability {share_words(share)}, and its last program "
        f"errs on a share of {said(wrong)} of the rows."
    )
    tables = (Numbers("l3-numbers", "P(optimum) with negated variables", share_records(evidence, {line.name: line})),)
    return Verdict(status, sentence, f"P(optimum), n = {n}", share, tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    line = _line(evidence.scale)
    shares = [reached(evidence, spec) for spec in line.specs]
    wrong = [wrong_share(evidence.scale, evidence.seed, n) for n in line.x]
    return [
        series_figure(
            "l3",
            [Series("P(optimum)", line.x, shares), Series("wrong rows ÷ all rows, at the end", line.x, wrong)],
            title="AND with negated variables, GP*-single",
            ylabel="share",
            caption="With 95 % intervals: the complete table is hardly ever fitted, yet nearly all rows are right, as "
            "they are for a program that is never true.",
            logy=False,
            ylim=(-0.02, 1.02),
        )
    ]


CLAIM = Claim(
    id="L3",
    title="Negated variables: not fitted, yet it generalises",
    kind=THEOREM,
    place="abstract",
    statement="If L has the negation of each variable, the complete training set is not fitted efficiently, yet the "
    "conjunctions found generalise well.",
    rule=f"Two things are asked at the largest n, after 1000·n² evaluations: P(optimum) below {_ERROR} (95 % "
    f"interval), and the mean share of wrong rows below {_ERROR}. {SEVERAL_RULE}",
    check=_check,
    figures=_figures,
    cells=_cells,
    slip="On the complete table a program that is never true errs on one row of 2^n, so this share says little there; "
    "the paper speaks of sampled rows.",
    wording=ABSTRACT,
)
