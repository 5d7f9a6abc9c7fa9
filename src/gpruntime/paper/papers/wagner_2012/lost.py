"""SORTING with parsimony by HAM, RUN and EXC: one operation may be lost for ever, so the mean is infinite.

A run that is lost goes on with neutral substitutions, so no run of the study is *stuck*: the budget stops it. What is
lost for ever is known from the Markov chain, solved for small n: P(moves for ever).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gpruntime.analysis.estimates import Estimate
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, TABLE, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.pictures import Series, exactly, series_figure
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.shares import asked_of, reached, share_records
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

_MEASURES = ("ham", "run", "exc")
_EXACT = {"exc": (2, 3), "run": (2, 3), "ham": (2, 3)}  # larger ones have too many trees


def _lines(scale: Scale) -> dict[str, Line]:
    sizes = by_scale(scale, quick=(2, 3, 4, 5, 6, 8, 10), full=(2, 3, 4, 5, 6, 8, 10, 12, 14), tiny=(2, 3, 4, 5, 6))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    return {
        f"{measure.upper()}{words}": over_n(
            measure.upper(),
            sizes,
            runs,
            problem=f"sorting:measure={measure}",
            algorithm="gp-single",
            accept=accept,
            init="unity:leaves=n",
            budget=lambda n: 100 * n**3,
        )
        for measure in _MEASURES
        for accept, words in (("parsimony", ""), ("parsimony-smaller", ", ties rejected"))
    }


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked_of(_lines(scale))


@cache
def exact_lost(spec: RunSpec) -> float:
    """P(lost for ever): 1 − P(optimum)."""
    result = solve(spec)
    assert result.endless is not None
    assert result.stuck is not None
    return float(result.endless + result.stuck)


def _missed(evidence: Evidence, spec: RunSpec) -> Estimate:
    """P(no optimum within the budget)."""
    share = reached(evidence, spec)
    value, low, high = (None if end is None else 1 - end for end in (share.value, share.high, share.low))
    return Estimate(value, low, high)


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    tables = (Numbers("s3-numbers", "P(optimum within 100·n³ evaluations)", share_records(evidence, lines)),)
    statuses, told = [], []
    for measure in _MEASURES:
        line = lines[measure.upper()]
        missed = {spec.n: _missed(evidence, spec) for spec in line.specs}
        for spec in line.specs:
            if spec.n in _EXACT[measure] and not _met(missed[spec.n], exact_lost(spec)):
                share = share_words(missed[spec.n])
                text = f"{measure.upper()}, n = {spec.n}: {share} of the runs are lost, exactly {exact_lost(spec):.4f}"
                return Verdict(OPEN, f"{text}: no verdict.", tables=tables)
        n, most = max(missed.items(), key=lambda one: one[1].low or 0.0)
        statuses.append(SUPPORTED if (most.low or 0.0) > 0.0 and (most.value or 0.0) > 0 else CONTRADICTED)
        told.append((f"{measure.upper()} {share_words(most)} at n = {n}", most))
    sentence = f"P(no optimum within 100·n³ evaluations) is at most {'; '.join(text for text, _ in told)}."
    number = next(most for (text, most) in told if text.startswith("RUN"))
    return Verdict(several(statuses), sentence, "largest P(lost) by RUN", number, tables=tables)


def _met(share: Estimate, exact: float) -> bool:
    """Whether the exact value is not far beyond the interval. (Slow runs count as lost.)"""
    low, high = share.low or 0.0, share.high or 1.0
    width = high - low
    return low - 2 * width <= exact <= high + 2 * width


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    lines = _lines(evidence.scale)
    series = [Series(label, one.x, [_missed(evidence, spec) for spec in one.specs]) for label, one in lines.items()]
    exact = [
        (spec.n, exact_lost(spec))
        for measure in _MEASURES
        for spec in lines[measure.upper()].specs
        if spec.n in _EXACT[measure]
    ]
    series.append(Series("exact", [n for n, _ in exact], [exactly(v) for _, v in exact], line=False, hollow=True))
    return [
        series_figure(
            "s3",
            series,
            title="SORTING with parsimony, one operation, from n random leaves",
            ylabel="P(no optimum within 100·n³ evaluations)",
            caption="With 95 % intervals: runs that are lost for ever, and at larger n some that are only slow. Rings "
            "are exact probabilities of being lost, from the Markov chain. Rejecting ties of equal size is worse.",
            logy=False,
            ylim=(-0.02, 1.02),
        )
    ]


CLAIM = Claim(
    id="S3",
    title="SORTING by HAM, RUN and EXC may never end",
    kind=TABLE,
    place="table",
    statement="With parsimony and one operation, the (1+1) GP that sorts by HAM, RUN or EXC has an infinite expected "
    "time: it may come to a tree from which the optimum cannot be reached.",
    rule="For each measure, supported if at some n the 95 % interval of the share of runs without the optimum after "
    "100·n³ evaluations begins above 0; contradicted if at none. Of the three: supported if all hold, in part if some "
    "hold and some fail, contradicted if none holds. No verdict where a share is far off the exact one.",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=REPORTED,
    slip="A share within a budget cannot tell lost from slow; the exact values and the enumeration of all lists (HAM "
    "from n = 5, RUN from n = 4, EXC from n = 3) can.",
)
