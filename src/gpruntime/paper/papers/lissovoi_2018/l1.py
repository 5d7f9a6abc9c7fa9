"""L1: with many operations AND is found, with programs of linear size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.estimates import LEVEL, Estimate
from gpruntime.analysis.fitting import slope
from gpruntime.paper.claim import ABSTRACT, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import MARGIN, no_growth, said
from gpruntime.paper.scale import Scale, by_scale, doubling
from gpruntime.paper.verdict import OPEN, Numbers, Verdict
from gpruntime.show.drawing import Drawing


def _line(scale: Scale) -> Line:
    sizes = by_scale(scale, quick=doubling(10, 2560), full=doubling(10, 40_960), tiny=doubling(10, 160))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return over_n("AND", sizes, runs, problem="and", algorithm="gp-multi", init="unity:leaves=1")


def _cells(scale: Scale) -> Sequence[Asked]:
    return _line(scale).asked


def _sizes(evidence: Evidence) -> list[Estimate]:
    """E[T_max] ÷ n."""
    found = []
    for spec in _line(evidence.scale).specs:
        leaves = evidence.cell(spec).max_leaves
        value, low, high = (None if end is None else end / spec.n for end in (leaves.value, leaves.low, leaves.high))
        found.append(Estimate(value, low, high, LEVEL))
    return found


def _check(evidence: Evidence) -> Verdict:
    line, sizes = _line(evidence.scale), _sizes(evidence)
    records = [
        {"n": n, "mean_max_leaves_per_variable": size.value, "low": size.low, "high": size.high}
        for n, size in zip(line.x, sizes, strict=True)
    ]
    tables = (Numbers("l1-numbers", "E[T_max] ÷ n", records),)
    if not all(evidence.cell(spec).complete for spec in line.specs):
        return Verdict(OPEN, "Not every run found the conjunction: no verdict.", tables=tables)
    upper = slice(len(sizes) // 2, None)
    cells = [evidence.cell(spec) for spec in line.specs]
    errors = np.array([max(cell.leaves_variance, 0.0) ** 0.5 for cell in cells])
    values = np.array([size.value for size in sizes], float)
    power = slope(np.array(line.x, float)[upper], values[upper], errors[upper])
    if power is None:
        return Verdict(OPEN, "Too few sizes: no verdict.", tables=tables)
    sentence = (
        f"Every run finds the conjunction; E[T_max] ÷ n is {said(sizes[-1])} at n = {line.x[-1]:,} and goes like "
        f"n^{said(power)}."
    )
    return Verdict(no_growth(power), sentence, "power of n in E[T_max]/n", power, tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    return [
        series_figure(
            "l1",
            [Series("", _line(evidence.scale).x, _sizes(evidence))],
            title="AND, GP-multi: the largest tree",
            ylabel="E[T_max] ÷ n",
            caption="With 95 % intervals: the largest tree of a run, in leaves for each variable.",
            logy=False,
        )
    ]


CLAIM = Claim(
    id="L1",
    title="AND with many operations: programs of linear size",
    kind=THEOREM,
    place="abstract",
    statement="With global mutation the (1+1) GP finds AND_n, and its programs have a size linear in n.",
    rule="GP-multi from one leaf. Fit a power of n to E[T_max]/n over the larger half of the sizes: supported if its "
    f"95 % interval ends below {MARGIN}, contradicted if it begins above; open otherwise, or if a run fails.",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=ABSTRACT,
)
