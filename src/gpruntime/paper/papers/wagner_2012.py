"""SORTING by five measures of sortedness, with parsimony.

By HAM, RUN and EXC one operation may be lost for ever, so the mean is infinite. A run that is lost goes on with neutral
substitutions, so no run of the study is *stuck*: the budget stops it. What is lost for ever is known from the Markov
chain, solved for small n: P(moves for ever).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from gpruntime.analysis.estimates import Estimate
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import REPORTED, TABLE, CheckOfLines, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import line_claim
from gpruntime.paper.kinds.levels import P_OPTIMUM, SHARE_AXIS
from gpruntime.paper.kinds.line_bound import SizeBound
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.phrases import share_words
from gpruntime.paper.pictures import Series, ring, series_figure
from gpruntime.paper.rules import decide, high, low, several
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.verdict import OPEN, Numbers, Verdict, record
from gpruntime.show.drawing import Drawing

# ---- S1, S2: by INV and by LAS. What are the true exponents?


def _bounded(identifier: str, measure: str, order: str, bound: SizeBound, formula: str) -> Claim:
    def lines(scale: Scale) -> list[Line]:
        sizes = by_scale(scale, quick=(5, 7, 10, 14, 20, 28, 40), full=(5, 7, 10, 14, 20, 28, 40, 57, 80),
                         tiny=(3, 4, 5, 8, 10))  # fmt: skip
        runs = by_scale(scale, quick=100, full=400, tiny=40)
        setting = {
            "problem": f"sorting:measure={measure.lower()}",
            "accept": "parsimony",
            "init": "unity:leaves=n",
            "budget": lambda n: 1000 * n**4,
        }
        return [over_n(measure, sizes, runs, algorithm=name, **setting) for name in ("gp-single", "gp-multi")]

    return line_claim(
        identifier,
        f"SORTING by {measure} with parsimony",
        f"With parsimony, the (1+1) GP sorts by {measure} in an expected time of O(T_init + {order}).",
        lines=lines,
        bound=bound,
        formula=formula,
        setting="From n random leaves; one operation and many.",
        wording=REPORTED,
        place="table",
        exponents=True,
    )


# ---- S3: by HAM, RUN and EXC

_MEASURES = ("HAM", "RUN", "EXC")
_SOLVED = (2, 3)  # larger n have too many trees


def _lines(scale: Scale) -> dict[str, Line]:
    sizes = by_scale(scale, quick=(2, 3, 4, 5, 6, 8, 10), full=(2, 3, 4, 5, 6, 8, 10, 12, 14), tiny=(2, 3, 4, 5, 6))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    setting = {"algorithm": "gp-single", "init": "unity:leaves=n", "budget": lambda n: 100 * n**3}
    return {
        f"{measure}{words}": over_n(
            measure, sizes, runs, problem=f"sorting:measure={measure.lower()}", accept=accept, **setting
        )
        for measure in _MEASURES
        for accept, words in (("parsimony", ""), ("parsimony-smaller", ", ties rejected"))
    }


@cache
def exact_lost(spec: RunSpec) -> float:
    """P(lost for ever): 1 − P(optimum)."""
    result = solve(spec)
    assert result.endless is not None
    assert result.stuck is not None
    return float(result.endless + result.stuck)


def _missed(evidence: Evidence, spec: RunSpec) -> Estimate:
    """P(no optimum within the budget)."""
    share = evidence.cell(spec).chance
    return share.transformed(lambda value: 1 - value)


def _met(share: Estimate, exact: float) -> bool:
    """Whether the exact value is not far beyond the interval. (Slow runs count as lost.)"""
    width = high(share) - low(share)
    return low(share) - 2 * width <= exact <= high(share) + 2 * width


class _Lost(CheckOfLines):
    """Whether at some n runs are lost, by each measure."""

    lines = staticmethod(lambda scale: list(_lines(scale).values()))

    def __call__(self, evidence: Evidence) -> Verdict:
        lines = _lines(evidence.scale)
        records = [
            record("p_optimum", curve=name, n=spec.n, **P_OPTIMUM.before(evidence, spec),
                   p_optimum=evidence.cell(spec).chance)
            for name, line in lines.items()
            for spec in line.specs
        ]  # fmt: skip
        tables = (Numbers("s3-numbers", "P(optimum within 100·n³ evaluations)", records),)
        most: dict[str, tuple[int, Estimate]] = {}
        for measure in _MEASURES:
            missed = {spec: _missed(evidence, spec) for spec in lines[measure].specs}
            for spec, share in missed.items():
                if spec.n in _SOLVED and not _met(share, exact_lost(spec)):
                    lost = f"{share_words(share)} of the runs are lost, exactly {exact_lost(spec):.4f}"
                    return Verdict(OPEN, f"{measure}, n = {spec.n}: {lost}: no verdict.", tables=tables)
            spec, share = max(missed.items(), key=lambda pair: low(pair[1]))
            most[measure] = spec.n, share
        status = several(decide(low(share) > 0 and (share.value or 0.0) > 0, True) for _, share in most.values())
        each = "; ".join(f"{measure} {share_words(share)} at n = {n}" for measure, (n, share) in most.items())
        sentence = f"P(no optimum within 100·n³ evaluations) is at most {each}."
        return Verdict(status, sentence, "largest P(lost) by RUN", most["RUN"][1], tables=tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        lines = _lines(evidence.scale)
        series = [
            Series(name, line.x, [_missed(evidence, spec) for spec in line.specs]) for name, line in lines.items()
        ]
        solved = [spec for measure in _MEASURES for spec in lines[measure].specs if spec.n in _SOLVED]
        figure = series_figure(
            "s3",
            [*series, ring([spec.n for spec in solved], map(exact_lost, solved))],
            title="SORTING with parsimony, one operation, from n random leaves",
            ylabel="P(no optimum within 100·n³ evaluations)",
            caption="With 95 % intervals: runs that are lost for ever, and at larger n some that are only slow. Rings "
            "are exact probabilities of being lost, from the Markov chain. Rejecting ties of equal size is worse.",
            **SHARE_AXIS,
        )
        return [figure]


PAPER = Paper(
    name="wagner-2012",
    authors="Wagner, Neumann; Wagner, Neumann, Urli",
    title="Parsimony Pressure versus Multi-objective Optimization for Variable Length Representations; On the "
    "Performance of Different Genetic Programming Approaches for the SORTING Problem",
    venue="PPSN 2012; ECJ 23(4), 2015",
    year=2012,
    seen="abstracts read, definitions from the authors' program; bounds reported",
    claims=(
        _bounded("S1", "INV", "n⁵", lambda n, leaves: leaves + n**5, "T_init + n⁵"),
        _bounded("S2", "LAS", "n² log n", lambda n, leaves: leaves + n**2 * math.log(n), "T_init + n²·ln n"),
        Claim(
            id="S3",
            title="SORTING by HAM, RUN and EXC may never end",
            kind=TABLE,
            place="table",
            statement="With parsimony and one operation, the (1+1) GP that sorts by HAM, RUN or EXC has an infinite "
            "expected time: it may come to a tree from which the optimum cannot be reached.",
            rule="For each measure, supported if at some n the 95 % interval of the share of runs without the optimum "
            "after 100·n³ evaluations begins above 0; contradicted if at none. Of the three: supported if all hold, in "
            "part if some hold and some fail, contradicted if none holds. No verdict where a share is far off the "
            "exact one.",
            check=_Lost(),
            wording=REPORTED,
            slip="A share within a budget cannot tell lost from slow; the exact values and the enumeration of all "
            "lists (HAM from n = 5, RUN from n = 4, EXC from n = 3) can.",
        ),
    ),
)
